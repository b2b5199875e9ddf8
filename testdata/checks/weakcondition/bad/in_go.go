package bad

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// board is a resource of the program itself; its methods show what can be wrong with a comparison.
type board struct {
	mu    sync.Mutex
	last  int64
	label string
	text  string
}

func (b *board) writeUnstored(text string, token int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if token < b.last {
		return errStale
	}
	b.text = text
	return nil
}

func (b *board) writeReversed(text string, token int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last < token {
		return errStale
	}
	b.last, b.text = token, text
	return nil
}

func (b *board) writeEqual(text string, token int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last != 0 && b.last != token {
		return errStale
	}
	b.last, b.text = token, text
	return nil
}

// writeText compares numbers as text: "9" is greater than "10".
func (b *board) writeText(text, token string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if token < b.label {
		return errStale
	}
	b.label, b.text = token, text
	return nil
}

// writeAnyway notices and writes.
func (b *board) writeAnyway(text string, token int64) (stale bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	stale = token < b.last
	b.last, b.text = token, text
	return stale
}

// write is right; its answer must be read.
func (b *board) write(text string, token int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if token < b.last {
		return errStale
	}
	b.last, b.text = token, text
	return nil
}

func PostUnstored(ctx context.Context, session *concurrency.Session, b *board, text string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/board")
	if err := mutex.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	return b.writeUnstored(text, mutex.Header().Revision) // want: weakcondition
}

func PostReversed(ctx context.Context, session *concurrency.Session, b *board, text string) error {
	return withToken(ctx, session, "/locks/board", func(token int64) error { // verdict: unfenced
		return b.writeReversed(text, token) // want: weakcondition
	})
}

// PostEqual: whoever writes first owns the board for ever; every later holder is refused.
func PostEqual(ctx context.Context, session *concurrency.Session, b *board, text string) error {
	return withToken(ctx, session, "/locks/board", func(token int64) error { // verdict: unfenced
		return b.writeEqual(text, token) // want: weakcondition
	})
}

func PostText(ctx context.Context, session *concurrency.Session, b *board, text string) error {
	return withToken(ctx, session, "/locks/board", func(token int64) error { // verdict: unfenced
		return b.writeText(text, strconv.FormatInt(token, 10)) // want: weakcondition
	})
}

func PostAnyway(ctx context.Context, session *concurrency.Session, b *board, text string) error {
	return withToken(ctx, session, "/locks/board", func(token int64) error { // verdict: unfenced
		if b.writeAnyway(text, token) { // want: weakcondition
			return errStale
		}
		return nil
	})
}

func PostUnanswered(ctx context.Context, session *concurrency.Session, b *board, text string) error {
	return withToken(ctx, session, "/locks/board", func(token int64) error { // verdict: unfenced
		_ = b.write(text, token) // want: weakcondition
		return nil
	})
}
