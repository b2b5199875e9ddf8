package good

import (
	"context"
	"errors"
	"sync"

	"go.etcd.io/etcd/client/v3/concurrency"
)

type square[V any] struct {
	round int64
	piece V
}

// Board is the resource itself; nothing in its names speaks of tokens.
type Board[K comparable, V any] struct {
	mu      sync.Mutex
	squares map[K]*square[V]
	best    int64
}

// Place remembers the round of who came last.
func (b *Board[K, V]) Place(round int64, at K, piece V) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	sq, ok := b.squares[at]
	if !ok {
		b.squares[at] = &square[V]{round: round, piece: piece}
		return nil
	}
	if round < sq.round {
		return errStale
	}
	sq.round, sq.piece = round, piece
	return nil
}

// Score keeps the best of all scores, which is no token of anybody.
func (b *Board[K, V]) Score(points int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if points <= b.best {
		return false
	}
	b.best = points
	return true
}

// Play is told its round by the election.
func Play(ctx context.Context, election *concurrency.Election, board *Board[string, rune]) (err error) {
	if err := election.Campaign(ctx, "white"); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, election.Resign(context.WithoutCancel(ctx))) }()
	board.Score(31)
	return board.Place(election.Rev(), "e4", 'P')
}
