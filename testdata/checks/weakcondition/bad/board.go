package bad

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
}

// Place remembers the round of who came first, and never a later one.
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
	sq.piece = piece
	return nil
}

// Play is told its round by the election.
func Play(ctx context.Context, election *concurrency.Election, board *Board[string, rune]) (err error) {
	if err := election.Campaign(ctx, "white"); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, election.Resign(context.WithoutCancel(ctx))) }()
	return board.Place(election.Rev(), "e4", 'P') // want: weakcondition
}
