// Package posted sends operations of a store through interfaces of its own.
package posted

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/hashicorp/consul/api"
	clientv3 "go.etcd.io/etcd/client/v3"
)

var errRefused = errors.New("refused")

// A Post takes what is to be done at once. It has the name and the shape of what the
// library's own client has, whatever else that has by this name.
type Post interface {
	Txn(ops api.KVTxnOps, q *api.QueryOptions) (bool, *api.KVTxnResponse, *api.QueryMeta, error)
}

// Office sends letters.
type Office struct {
	kv   *api.KV
	post Post
}

func (o *Office) open(session string) error {
	ok, _, err := o.kv.Acquire(&api.KVPair{Key: "office", Session: session}, nil)
	if err != nil {
		return err
	}
	if !ok {
		return errRefused
	}
	return nil
}

func (o *Office) send(ops api.KVTxnOps) error {
	ok, _, _, err := o.post.Txn(ops, nil) // want: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errRefused
	}
	return nil
}

// Checked sends a letter as long as the session holds the office.
func (o *Office) Checked(session string, text []byte) error {
	if err := o.open(session); err != nil { // verdict: fenced
		return err
	}
	defer o.kv.Release(&api.KVPair{Key: "office", Session: session}, nil)
	return o.send(api.KVTxnOps{
		{Verb: api.KVCheckSession, Key: "office", Session: session},
		{Verb: api.KVSet, Key: "letters/last", Value: text},
	})
}

// Relocked takes the key along with what it writes: another's is refused.
func (o *Office) Relocked(session string, text []byte) error {
	if err := o.open(session); err != nil { // verdict: fenced
		return err
	}
	defer o.kv.Release(&api.KVPair{Key: "office", Session: session}, nil)
	return o.send(api.KVTxnOps{
		{Verb: api.KVLock, Key: "office", Session: session},
		{Verb: api.KVSet, Key: "letters/last", Value: text},
	})
}

// Plain sends a letter, whoever holds the office.
func (o *Office) Plain(session string, text []byte) error {
	if err := o.open(session); err != nil { // verdict: unfenced
		return err
	}
	defer o.kv.Release(&api.KVPair{Key: "office", Session: session}, nil)
	return o.send(api.KVTxnOps{{Verb: api.KVSet, Key: "letters/last", Value: text}})
}

// A sack is filled in several places, and nobody sees with what.
type sack struct{ ops *api.KVTxnOps }

func (s sack) add(op api.KVTxnOp) { *s.ops = append(*s.ops, &op) }

// Filled sends a sack.
func (o *Office) Filled(session string, text []byte) error {
	s := sack{new(api.KVTxnOps)}
	if err := o.open(session); err != nil { // verdict: unverified
		return err
	}
	defer o.kv.Release(&api.KVPair{Key: "office", Session: session}, nil)
	s.add(api.KVTxnOp{Verb: api.KVSet, Key: "letters/last", Value: text})
	return o.send(*s.ops)
}

// A Courier takes operations, and what it does with them is out of sight.
type Courier interface{ Carry(ops []clientv3.Op) error }

// A Clerk weighs them only, and cannot fail.
type Clerk interface{ Weigh(ops []clientv3.Op) int }

// Hand gives a courier what is to be done.
func Hand(ctx context.Context, locker *redislock.Client, c Courier, ops []clientv3.Op) (err error) {
	lock, err := locker.Obtain(ctx, "hand", time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	return c.Carry(ops)
}

// Weigh asks a clerk.
func Weigh(ctx context.Context, locker *redislock.Client, c Clerk, ops []clientv3.Op) (n int, err error) {
	lock, err := locker.Obtain(ctx, "weigh", time.Minute, nil) // verdict: no-visible-write
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	return c.Weigh(ops), nil
}
