package good

import (
	"context"
	"database/sql"
	"errors"

	"github.com/go-zookeeper/zk"
)

// Office has its statements prepared when it opens.
type Office struct{ take, stamp *sql.Stmt }

func Open(ctx context.Context, db *sql.DB) (*Office, error) {
	take, err := db.PrepareContext(ctx, "UPDATE desk SET clerk = $1, until = now() + interval '1 minute', term = term + 1 WHERE name = 'stamps' AND until < now() RETURNING term")
	if err != nil {
		return nil, err
	}
	stamp, err := db.PrepareContext(ctx, "UPDATE letter SET stamped = $2, term = $3 WHERE id = $1 AND term < $3")
	if err != nil {
		return nil, err
	}
	return &Office{take, stamp}, nil
}

// Stamp: the term that the desk's row hands out goes with what is written.
func (o *Office) Stamp(ctx context.Context, clerk, letter, stamp string) error {
	var term int64
	if err := o.take.QueryRowContext(ctx, clerk).Scan(&term); err != nil { // verdict: fenced
		return err
	}
	return one(o.stamp.ExecContext(ctx, letter, stamp, term))
}

// Usher: the same transaction asks for the node that is the lock.
func Usher(conn *zk.Conn, guest []byte) error {
	node, err := conn.CreateProtectedEphemeralSequential("/hall/in-", nil, zk.WorldACL(zk.PermAll)) // verdict: fenced
	if err != nil {
		return err
	}
	defer conn.Delete(node, -1)
	queue, _, err := conn.Children("/hall")
	if err != nil {
		return err
	}
	for _, other := range queue {
		if "/hall/"+other < node {
			return errors.New("not my turn")
		}
	}
	_, err = conn.Multi(&zk.CheckVersionRequest{Path: node, Version: -1}, &zk.SetDataRequest{Path: "/seat", Data: guest, Version: -1})
	return err
}
