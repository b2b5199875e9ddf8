package good

import (
	"context"

	"github.com/hashicorp/consul/api"
)

type Ferry struct{ lock *api.Lock }

// Board puts the error of the context in place of an answer that says nothing.
func (f *Ferry) Board(ctx context.Context) (context.Context, error) {
	left, gone := context.WithCancelCause(ctx)
	lost, err := f.lock.Lock(ctx.Done())
	if err == nil && lost == nil {
		err = ctx.Err()
	}
	if err != nil {
		gone(err)
		return nil, err
	}
	go func() {
		select {
		case <-lost:
			gone(context.Canceled)
		case <-left.Done():
		}
	}()
	return left, nil
}

// Cross is on board while run works.
func (f *Ferry) Cross(ctx context.Context, run func(context.Context) error) error {
	left, err := f.Board(ctx)
	if err != nil {
		return err
	}
	defer f.lock.Unlock()
	return run(left)
}
