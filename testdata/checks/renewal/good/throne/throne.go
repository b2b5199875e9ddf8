// Package throne takes a lock for its callers, who are told when it is lost.
package throne

import (
	"context"
	"errors"
	"log"

	"github.com/hashicorp/consul/api"
)

// ErrTaken is returned where somebody else has it.
var ErrTaken = errors.New("somebody else has it")

// Throne is a seat for one.
type Throne struct {
	lock *api.Lock
	lost <-chan struct{}
}

// Ascend keeps the channel for Lost.
func (t *Throne) Ascend(ctx context.Context) error {
	lost, err := t.lock.Lock(ctx.Done())
	if err != nil {
		return err
	}
	if lost == nil {
		return ErrTaken
	}
	t.lost = lost
	return nil
}

// Lost tells when the seat is.
func (t *Throne) Lost() <-chan struct{} { return t.lost }

// Abdicate leaves it.
func (t *Throne) Abdicate() error { return t.lock.Unlock() }

// Regency ends what it is given when the seat is lost, by way of another function.
func (t *Throne) Regency(ctx context.Context, stop context.CancelFunc) error {
	lost, err := t.lock.Lock(ctx.Done())
	if err != nil {
		return err
	}
	if lost == nil {
		return ErrTaken
	}
	go watch(lost, stop)
	return nil
}

func watch(lost <-chan struct{}, stop context.CancelFunc) {
	<-lost
	log.Print("the regent has to go")
	stop()
}
