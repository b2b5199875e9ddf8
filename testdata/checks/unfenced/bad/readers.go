package bad

import (
	"context"
	"errors"
	"strconv"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// A Gallery is looked at by many and hung by one: a lock for readers and writers, made of two
// mutexes and a count of the readers.
type Gallery struct {
	client *clientv3.Client
	door   *concurrency.Mutex // of the count
	walls  *concurrency.Mutex // held by the first reader for all
	name   string
}

// NewGallery makes the lock of a room.
func NewGallery(client *clientv3.Client, s *concurrency.Session, room string) *Gallery {
	return &Gallery{client, concurrency.NewMutex(s, room+"/door"), concurrency.NewMutex(s, room+"/walls"), room}
}

func (g *Gallery) visitors(ctx context.Context) (int, error) {
	got, err := g.client.Get(ctx, g.name+"/visitors")
	if err != nil || len(got.Kvs) == 0 {
		return 0, err
	}
	return strconv.Atoi(string(got.Kvs[0].Value))
}

// RLock counts a reader, whose first one keeps the writers out. The count is not fenced.
func (g *Gallery) RLock(ctx context.Context) error {
	if err := g.door.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	n, err := g.visitors(ctx)
	if err != nil {
		return errors.Join(err, g.door.Unlock(context.WithoutCancel(ctx)))
	}
	if _, err := g.client.Put(ctx, g.name+"/visitors", strconv.Itoa(n+1)); err != nil { // want: unfenced
		return errors.Join(err, g.door.Unlock(context.WithoutCancel(ctx)))
	}
	if n == 0 {
		if err := g.walls.Lock(ctx); err != nil {
			return errors.Join(err, g.door.Unlock(context.WithoutCancel(ctx)))
		}
	}
	return g.door.Unlock(context.WithoutCancel(ctx))
}

// RUnlock is done by the last reader for all.
func (g *Gallery) RUnlock(ctx context.Context) error {
	if err := g.door.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	n, err := g.visitors(ctx)
	if err != nil {
		return errors.Join(err, g.door.Unlock(context.WithoutCancel(ctx)))
	}
	if _, err := g.client.Put(ctx, g.name+"/visitors", strconv.Itoa(n-1)); err != nil { // want: unfenced
		return errors.Join(err, g.door.Unlock(context.WithoutCancel(ctx)))
	}
	if n == 1 {
		if err := g.walls.Unlock(context.WithoutCancel(ctx)); err != nil {
			return errors.Join(err, g.door.Unlock(context.WithoutCancel(ctx)))
		}
	}
	return g.door.Unlock(context.WithoutCancel(ctx))
}

// Retitle counts the titles under a lock as well, and that is no part of locking.
func (g *Gallery) Retitle(ctx context.Context, title string) error {
	if err := g.door.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	_, err := g.client.Put(ctx, g.name+"/title", title) // want: unfenced
	return errors.Join(err, g.door.Unlock(context.WithoutCancel(ctx)))
}

// Tour only looks, in one room after the other: that the room's readers are counted is not
// what the house is locked for.
func Tour(ctx context.Context, house *concurrency.Mutex, room *Gallery, look func()) (err error) {
	if err := house.Lock(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, house.Unlock(context.WithoutCancel(ctx))) }()
	if err := room.RLock(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, room.RUnlock(context.WithoutCancel(ctx))) }()
	look()
	return nil
}

// Renamed gives the room another title.
func Renamed(ctx context.Context, house *concurrency.Mutex, room *Gallery, title string) (err error) {
	if err := house.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, house.Unlock(context.WithoutCancel(ctx))) }()
	return room.Retitle(ctx, title)
}
