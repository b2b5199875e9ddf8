package bad

import (
	"context"
	"log"

	"github.com/hashicorp/consul/api"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"example.org/locks/checks/renewal/bad/throne"
)

// Copier copies one volume; how long that takes nobody knows.
type Copier interface {
	Copy(ctx context.Context, volume string) error
}

// Backup copies one volume after the other, and never looks up.
func Backup(ctx context.Context, cli *clientv3.Client, volumes []string, c Copier) error {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(30))
	if err != nil {
		return err
	}
	defer session.Close()
	mutex := concurrency.NewMutex(session, "/backup")
	if err := mutex.Lock(ctx); err != nil { // want: renewal // verdict: unverified
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	for _, v := range volumes {
		if err := each(ctx, c, v); err != nil {
			return err
		}
	}
	return nil
}

func each(ctx context.Context, c Copier, volume string) error {
	log.Printf("volume %s", volume)
	return c.Copy(ctx, volume)
}

// Restore is told by the session, and only writes that down.
func Restore(ctx context.Context, cli *clientv3.Client, restore func(context.Context) error) error {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(30))
	if err != nil {
		return err
	}
	defer session.Close()
	go func() {
		<-session.Done()
		log.Print("the session is over")
	}()
	mutex := concurrency.NewMutex(session, "/restore")
	if err := mutex.Lock(ctx); err != nil { // want: renewal
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return restore(ctx)
}

// Slots hands the channel to a function that does no more.
func Slots(ctx context.Context, client *api.Client, work func(context.Context) error) error {
	s, err := client.SemaphorePrefix("slots", 3)
	if err != nil {
		return err
	}
	lost, err := s.Acquire(ctx.Done()) // want: renewal
	if err != nil {
		return err
	}
	if lost == nil {
		return errBusy
	}
	defer s.Release()
	go mourn(lost)
	return work(ctx)
}

func mourn(lost <-chan struct{}) {
	for range lost {
	}
	log.Print("a slot is lost")
}

// chair takes the lock for others, and keeps to itself that it is lost.
type chair struct {
	lock *api.Lock
}

func (c *chair) sit(ctx context.Context) error {
	lost, err := c.lock.Lock(ctx.Done()) // want: renewal
	if err != nil {
		return err
	}
	if lost == nil {
		return errBusy
	}
	go func() {
		select {
		case <-ctx.Done():
		case <-lost:
			log.Print("the chair is taken by somebody else")
		}
	}()
	return nil
}

func (c *chair) rise() { c.lock.Unlock() }

// Preside works until it fails.
func (c *chair) Preside(ctx context.Context, item func(context.Context) error) error {
	if err := c.sit(ctx); err != nil {
		return err
	}
	defer c.rise()
	for {
		if err := item(ctx); err != nil {
			return err
		}
	}
}

// Reign relies on a wrapper of another package, which drops the channel.
func Reign(ctx context.Context, t *throne.Throne, decree func(context.Context) error) error {
	if err := t.Ascend(ctx); err != nil {
		return err
	}
	defer t.Abdicate()
	return decree(ctx)
}
