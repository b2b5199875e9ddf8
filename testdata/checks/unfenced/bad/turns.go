package bad

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/go-zookeeper/zk"
)

// A turnstile lets one through at a time, in the order in which they came.
type turnstile struct {
	conn *zk.Conn
	gate string
	mine string
}

func place(node string) string { return node[strings.LastIndexByte(node, '-')+1:] }

// pass waits for those in front; who cannot wait any longer leaves the queue.
func (t *turnstile) pass(ctx context.Context) error {
	node, err := t.conn.CreateProtectedEphemeralSequential(t.gate+"/in-", nil, zk.WorldACL(zk.PermAll))
	if err != nil {
		return err
	}
	t.mine = node
	for {
		queue, _, err := t.conn.Children(t.gate)
		if err != nil {
			return err
		}
		slices.SortFunc(queue, func(a, b string) int { return strings.Compare(place(a), place(b)) })
		front := ""
		for _, other := range queue {
			if place(other) < place(node) {
				front = other
			}
		}
		if front == "" {
			return nil
		}
		there, _, gone, err := t.conn.ExistsW(t.gate + "/" + front)
		if err != nil {
			return err
		}
		if !there {
			continue
		}
		select {
		case <-gone:
		case <-ctx.Done():
			t.conn.Delete(node, -1)
			return ctx.Err()
		}
	}
}

func (t *turnstile) leave() error { return t.conn.Delete(t.mine, -1) }

// Admit counts a visitor under the queue's lock, which may end with the session.
func Admit(ctx context.Context, conn *zk.Conn, db *sql.DB, day string, visitors int) (err error) {
	t := &turnstile{conn: conn, gate: "/museum/doors"}
	if err := t.pass(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() {
		if e := t.leave(); err == nil {
			err = e
		}
	}()
	_, err = db.ExecContext(ctx, "UPDATE museum SET visitors = ? WHERE day = ?", visitors, day) // want: unfenced
	return err
}
