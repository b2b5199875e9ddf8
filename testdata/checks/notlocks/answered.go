package notlocks

import (
	"context"
	"time"
)

// Invites can be answered once. What was answered is remembered until the invite ends, by a
// key that nobody gives back.
type Invites struct {
	keeper *Keeper
	seats  map[string]int
}

func (i *Invites) answer(ctx context.Context, guest string) (seat int, first bool) {
	seat, invited := i.seats[guest]
	if !invited {
		return 0, false
	}
	mark, err := i.keeper.Acquire(ctx, keyed("answered", guest), 72*time.Hour)
	if err != nil || !mark.Taken() {
		return 0, false
	}
	return seat, true
}

// Seat tells a guest where to sit, once.
func (i *Invites) Seat(ctx context.Context, guest string, tell func(ctx context.Context, seat int) error) error {
	seat, first := i.answer(ctx, guest)
	if !first {
		return nil
	}
	return tell(ctx, seat)
}

// Post delivers what was not delivered yet. Marks go only where the whole bag has to be
// delivered again.
func (i *Invites) Post(ctx context.Context, bag []string, deliver func(ctx context.Context, letters []string) error) (err error) {
	var marks []*Lock
	defer func() {
		if err == nil {
			return
		}
		for _, m := range marks {
			if e := m.Release(context.WithoutCancel(ctx)); e != nil {
				println(e.Error())
			}
		}
	}()
	var fresh []string
	for _, letter := range bag {
		mark, err := i.keeper.Acquire(ctx, keyed("letter", letter), 24*time.Hour)
		if err != nil {
			return err
		}
		if !mark.Taken() {
			continue
		}
		marks = append(marks, mark)
		fresh = append(fresh, letter)
	}
	return deliver(ctx, fresh)
}
