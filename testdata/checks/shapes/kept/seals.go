package kept

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"sync"

	"github.com/hashicorp/consul/api"
)

var errSealed = errors.New("somebody else has the seal")

// SealStorage puts the locks that it takes away until they are given back: they are no data,
// whatever it is called.
type SealStorage struct {
	consul *api.Client
	mu     sync.Mutex
	locks  map[string]*api.Lock
}

// Lock clears up where the lock is lost, which ends no section.
func (s *SealStorage) Lock(ctx context.Context, name string) error {
	l, err := s.consul.LockOpts(&api.LockOptions{Key: "seals/" + name, LockTryOnce: true})
	if err != nil {
		return err
	}
	lost, err := l.Lock(ctx.Done())
	if err != nil {
		return err
	}
	if lost == nil {
		return errSealed
	}
	go func() {
		<-lost
		if err := s.Unlock(name); err != nil {
			log.Print(err)
		}
	}()
	s.mu.Lock()
	s.locks[name] = l
	s.mu.Unlock()
	return nil
}

// Unlock gives it back.
func (s *SealStorage) Unlock(name string) error {
	s.mu.Lock()
	l := s.locks[name]
	delete(s.locks, name)
	s.mu.Unlock()
	if l == nil {
		return nil
	}
	return l.Unlock()
}

// Impress is a use of it.
func (s *SealStorage) Impress(ctx context.Context, db *sql.DB, name string) (err error) {
	if err := s.Lock(ctx, name); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, s.Unlock(name)) }()
	_, err = db.ExecContext(ctx, "UPDATE wax SET pressed = true WHERE name = $1", name) // want: unfenced
	return err
}
