package memory

import (
	"context"
	"errors"
	"sync"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func Helped(ctx context.Context, session *concurrency.Session, docs *memory, body string, out saver) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return (&shelf{}).put(token, body)
}

// cell: token
func Admitted(ctx context.Context, session *concurrency.Session, docs *memory, body string, out saver) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return (&shelf{}).take(token, body)
}

// cell: none, weakcondition
func HelpedTurned(ctx context.Context, session *concurrency.Session, docs *memory, body string, out saver) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return (&shelf{}).turned(token, body)
}

// cell: token
func HeldByCaller(ctx context.Context, session *concurrency.Session, docs *memory, body string, out saver) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return (&shelf{}).outer(token, body)
}

// cell: none, weakcondition
func Unsynchronised(ctx context.Context, session *concurrency.Session, docs *memory, body string, out saver) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return (&shelf{}).loose(token, body)
}

// cell: none, weakcondition
func Readers(ctx context.Context, session *concurrency.Session, docs *memory, body string, out saver) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return (&shelf{}).shared(token, body)
}

// cell: none, weakcondition
func Gap(ctx context.Context, session *concurrency.Session, docs *memory, body string, out saver) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return (&shelf{}).twice(token, body)
}

// A shelf has several ways to keep older tokens out, some of which fail.
type shelf struct {
	mu   sync.RWMutex
	last int64
	body string
}

var errOld = errors.New("refused")

func (s *shelf) older(token int64) bool { return token <= s.last }

func (s *shelf) put(token int64, body string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.older(token) {
		return errOld
	}
	s.last, s.body = token, body
	return nil
}

func (s *shelf) turned(token int64, body string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.older(token) {
		return errOld
	}
	s.last, s.body = token, body
	return nil
}

func (s *shelf) admit(token int64) error {
	if token <= s.last {
		return errOld
	}
	s.last = token
	return nil
}

func (s *shelf) take(token int64, body string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.admit(token); err != nil {
		return err
	}
	s.body = body
	return nil
}

func (s *shelf) outer(token int64, body string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inner(token, body)
}

func (s *shelf) inner(token int64, body string) error {
	if token <= s.last {
		return errOld
	}
	s.last, s.body = token, body
	return nil
}

func (s *shelf) loose(token int64, body string) error {
	if token <= s.last {
		return errOld
	}
	s.last, s.body = token, body
	return nil
}

func (s *shelf) shared(token int64, body string) error {
	s.mu.RLock()
	if token <= s.last {
		s.mu.RUnlock()
		return errOld
	}
	s.mu.RUnlock()
	s.last, s.body = token, body
	return nil
}

func (s *shelf) twice(token int64, body string) error {
	s.mu.Lock()
	old := token <= s.last
	s.mu.Unlock()
	if old {
		return errOld
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last, s.body = token, body
	return nil
}
