// Package seats has a lock that keeps the session that it was taken with, and comes from a function.
package seats

import (
	"context"
	"errors"

	"github.com/hashicorp/consul/api"
)

var (
	errBusy = errors.New("somebody else sits there")
	errLost = errors.New("the seat was lost")
)

// A seat is a lock that keeps its session.
type seat struct {
	consul  *api.Client
	key     string
	session string
}

func (s *seat) take() (bool, error) {
	id, _, err := s.consul.Session().Create(&api.SessionEntry{Name: s.key, TTL: "20s"}, nil)
	if err != nil {
		return false, err
	}
	ok, _, err := s.consul.KV().Acquire(&api.KVPair{Key: s.key, Session: id}, nil)
	if err != nil || !ok {
		_, gone := s.consul.Session().Destroy(id, nil)
		return false, errors.Join(err, gone)
	}
	s.session = id
	return true, nil
}

func (s *seat) leave() error {
	_, err := s.consul.Session().Destroy(s.session, nil)
	return err
}

// Hall has seats made by a function.
type Hall struct {
	consul *api.Client
	seats  func(key string) *seat
}

// Call writes only while the session that the seat keeps has the lock.
func (h *Hall) Call(ctx context.Context, row, name string) (err error) {
	s := h.seats("seats/" + row)
	ok, err := s.take() // verdict: fenced
	if err != nil || !ok {
		return errors.Join(err, errBusy)
	}
	defer func() { err = errors.Join(err, s.leave()) }()
	ops := api.TxnOps{
		{KV: &api.KVTxnOp{Verb: api.KVCheckSession, Key: s.key, Session: s.session}},
		{KV: &api.KVTxnOp{Verb: api.KVSet, Key: "called/" + row, Value: []byte(name)}},
	}
	done, _, _, err := h.consul.Txn().Txn(ops, (&api.QueryOptions{}).WithContext(ctx))
	if err == nil && !done {
		err = errLost
	}
	return err
}
