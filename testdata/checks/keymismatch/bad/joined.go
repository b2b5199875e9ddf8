package bad

import (
	"context"
	"errors"
	"path"

	"github.com/hashicorp/consul/api"
)

// Sluices are opened by one keeper at a time, who has a session of his own.
type Sluices struct {
	kv      *api.KV
	river   string
	session string
}

func (s *Sluices) Lock(name string) error {
	mine, _, err := s.kv.Acquire(&api.KVPair{Key: path.Join("sluices", s.river, name), Session: s.session}, nil)
	if err == nil && !mine {
		err = errors.New("somebody is at the sluice")
	}
	return err
}

func (s *Sluices) Unlock(name string) error {
	was, _, err := s.kv.Release(&api.KVPair{Key: path.Join("sluices", name), Session: s.session}, nil) // want: keymismatch
	if err == nil && !was {
		err = errors.New("was not at the sluice")
	}
	return err
}

// Open lets water through.
func (s *Sluices) Open(ctx context.Context, name string, through func(context.Context) error) (err error) {
	if err := s.Lock(name); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, s.Unlock(name)) }()
	return through(ctx)
}
