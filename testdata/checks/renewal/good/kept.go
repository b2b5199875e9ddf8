package good

import (
	"context"
	"errors"
	"time"

	"github.com/go-zookeeper/zk"
)

// Ruler reads the events of its session in another method.
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

func (r *Ruler) watch(lost context.CancelFunc) {
	for e := range r.events {
		if e.State == zk.StateExpired || e.State == zk.StateDisconnected {
			lost()
		}
	}
}

// Rule ends the work when the session has expired.
func (r *Ruler) Rule(ctx context.Context, reign func(context.Context) error) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go r.watch(cancel)
	l := zk.NewLock(r.conn, "/throne", zk.WorldACL(zk.PermAll))
	if err := l.Lock(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Unlock()) }()
	return reign(ctx)
}
