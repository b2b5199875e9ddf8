package bad

import (
	"context"
	"errors"
	"time"

	"github.com/go-zookeeper/zk"
)

// Ruler keeps its connection, and the events of its session, which nobody reads.
type Ruler struct {
	conn   *zk.Conn
	events <-chan zk.Event
}

func NewRuler(servers []string) (*Ruler, error) {
	conn, events, err := zk.Connect(servers, 10*time.Second)
	if err != nil {
		return nil, err
	}
	return &Ruler{conn: conn, events: events}, nil
}

// Rule works on when the session has expired.
func (r *Ruler) Rule(ctx context.Context, reign func(context.Context) error) (err error) {
	l := zk.NewLock(r.conn, "/throne", zk.WorldACL(zk.PermAll))
	if err := l.Lock(); err != nil { // want: renewal
		return err
	}
	defer func() { err = errors.Join(err, l.Unlock()) }()
	return reign(ctx)
}
