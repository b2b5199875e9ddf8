// Package throne takes a lock for its callers, who do not learn when it is lost.
package throne

import (
	"context"
	"errors"

	"github.com/hashicorp/consul/api"
)

// ErrTaken is returned where somebody else has it.
var ErrTaken = errors.New("somebody else has it")

// Throne is a seat for one.
type Throne struct {
	lock *api.Lock
}

// Ascend waits for the seat.
func (t *Throne) Ascend(ctx context.Context) error {
	lost, err := t.lock.Lock(ctx.Done()) // want: renewal // linked
	if err != nil {
		return err
	}
	if lost == nil {
		return ErrTaken
	}
	return nil
}

// Abdicate leaves it.
func (t *Throne) Abdicate() error { return t.lock.Unlock() }
