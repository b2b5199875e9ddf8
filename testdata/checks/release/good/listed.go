package good

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

// Stock counts what lies on shelves, each of which has a lock of its own.
type Stock struct {
	rs  *redsync.Redsync
	rdb *redis.Client
	db  *sql.DB
}

func (s *Stock) hold(ctx context.Context, shelf string) (exists bool, release func(), err error) {
	mu := s.rs.NewMutex("shelf:"+shelf, redsync.WithExpiry(time.Minute))
	if err = mu.LockContext(ctx); err != nil {
		return
	}
	release = func() {
		_, _ = mu.Unlock()
	}
	n, err := s.rdb.Exists(ctx, "shelf-of:"+shelf).Result()
	if err != nil {
		release()
		return
	}
	return n > 0, release, nil
}

// Recount holds all shelves of a row, which are given back together at the end,
// whichever way that comes.
func (s *Stock) Recount(ctx context.Context, row string, shelves []string) (total int64, err error) {
	var held []func()
	defer func() {
		for _, release := range held {
			release()
		}
	}()

	exists, release, err := s.hold(ctx, "row:"+row) // note: longsection // verdict: unfenced
	if err != nil {
		return
	}
	held = append(held, release)
	if !exists {
		return
	}
	name, err := s.name(ctx, row) // note: longsection // verdict: unfenced
	if err != nil {
		return
	}
	for _, shelf := range shelves {
		exists, release, lockErr := s.hold(ctx, shelf) // verdict: unfenced
		if lockErr != nil {
			return 0, lockErr
		}
		held = append(held, release)
		if exists {
			n, countErr := s.rdb.LLen(ctx, "on:"+shelf).Result()
			if countErr != nil {
				return 0, countErr
			}
			total += n
		}
	}
	_, err = s.db.ExecContext(ctx, "UPDATE rows SET total = $2 WHERE name = $1", name, total) // want: unfenced
	return
}

// A label is what stands on a row; whoever reads it has it until it is put back.
type label struct {
	text    string
	putBack func()
}

func (s *Stock) label(ctx context.Context, row string) (*label, error) {
	_, release, err := s.hold(ctx, "label:"+row)
	if err != nil {
		return nil, err
	}
	text, err := s.rdb.Get(ctx, "shelf-of:"+row).Result()
	if err != nil {
		release()
		return nil, err
	}
	return &label{text, release}, nil
}

type labels []*label

func (l labels) putBack() {
	for _, one := range l {
		if one.putBack != nil {
			one.putBack()
		}
	}
}

func (s *Stock) name(ctx context.Context, row string) (string, error) {
	var read labels
	defer read.putBack()
	for _, side := range []string{"left", "right"} {
		one, err := s.label(ctx, row+"/"+side)
		if err != nil {
			return "", err
		}
		read = append(read, one)
	}
	return read[0].text + read[1].text, nil
}

// holdAll holds several shelves for its caller.
func (s *Stock) holdAll(ctx context.Context, shelves []string) (unlock func(), err error) {
	held := make([]*redsync.Mutex, 0, len(shelves))
	unlock = func() {
		for _, mu := range held {
			_, _ = mu.Unlock()
		}
	}
	for _, shelf := range shelves {
		mu := s.rs.NewMutex("shelf:"+shelf, redsync.WithExpiry(time.Minute))
		for {
			err = mu.LockContext(ctx)
			var taken *redsync.ErrTaken
			if errors.As(err, &taken) {
				time.Sleep(10 * time.Millisecond)
				continue
			}
			if err != nil {
				unlock()
				return nil, err
			}
			held = append(held, mu)
			break
		}
	}
	return
}

// Clear empties them.
func (s *Stock) Clear(ctx context.Context, shelves []string) error {
	unlock, err := s.holdAll(ctx, shelves) // note: longsection // verdict: unfenced
	if err != nil {
		return err
	}
	defer unlock()

	if err = s.empty(ctx, shelves); err != nil {
		return err
	}
	if err = s.dust(ctx, shelves); err != nil {
		return err
	}
	return nil
}

func (s *Stock) empty(ctx context.Context, shelves []string) error {
	for _, shelf := range shelves {
		exists, release, err := s.hold(ctx, "tag:"+shelf) // verdict: unfenced
		if err != nil {
			return err
		}
		if !exists {
			if err = s.rdb.Set(ctx, "on:"+shelf, "nothing", 0).Err(); err != nil { // want: unfenced
				release()
				return err
			}
		}
		release()
	}
	return nil
}

func (s *Stock) dust(ctx context.Context, shelves []string) error {
	for _, shelf := range shelves {
		if err := s.rdb.HSet(ctx, "dusted", shelf, time.Now().Unix()).Err(); err != nil {
			return err
		}
	}
	return nil
}
