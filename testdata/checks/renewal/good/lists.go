package good

import (
	"context"
	"log"

	"github.com/go-zookeeper/zk"
	"github.com/hashicorp/consul/api"

	"example.org/locks/checks/renewal/good/throne"
)

// Copier copies one volume; how long that takes nobody knows.
type Copier interface {
	Copy(ctx context.Context, volume string) error
}

// Backup copies one volume after the other, as long as the lock is its own. The
// channel and the list are looked at in turn.
func Backup(ctx context.Context, client *api.Client, volumes []string, c Copier) error {
	l, err := client.LockKey("backup")
	if err != nil {
		return err
	}
	lost, err := l.Lock(ctx.Done()) // verdict: unverified
	if err != nil || lost == nil {
		return err
	}
	defer l.Unlock()
	for _, v := range volumes {
		select {
		case <-lost:
			log.Print("lost")
			return errLost
		default:
		}
		if err := c.Copy(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

// Wait is over when the lock is lost: that it returns tells its caller.
func Wait(ctx context.Context, client *api.Client, c Copier) error {
	l, err := client.LockKey("wait")
	if err != nil {
		return err
	}
	lost, err := l.Lock(ctx.Done()) // verdict: unverified
	if err != nil || lost == nil {
		return err
	}
	defer l.Unlock()
	go c.Copy(ctx, "all")
	<-lost
	return errLost
}

// Reign and Rule are told by the wrapper that takes the lock.
func Reign(ctx context.Context, t *throne.Throne, decree func(context.Context) error) error {
	if err := t.Ascend(ctx); err != nil {
		return err
	}
	defer t.Abdicate()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		<-t.Lost()
		cancel()
	}()
	return decree(ctx)
}

func Rule(ctx context.Context, t *throne.Throne, decree func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := t.Regency(ctx, cancel); err != nil {
		return err
	}
	defer t.Abdicate()
	return decree(ctx)
}

// Few reads a list under a lock of its own connection, and is not long about it.
func Few(conn *zk.Conn, names []string, read func(string) int) (sum int, err error) {
	l := zk.NewLock(conn, "/few", zk.WorldACL(zk.PermAll))
	if err := l.Lock(); err != nil { // verdict: no-visible-write
		return 0, err
	}
	defer l.Unlock()
	for _, n := range names {
		sum += len(n)
	}
	return sum, nil
}
