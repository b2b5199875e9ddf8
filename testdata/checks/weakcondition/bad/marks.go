package bad

import (
	"context"
	"sync"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// A panel keeps notes, each under the greatest token that has written it; its methods move that mark on some ways only.
type panel struct {
	mu    sync.Mutex
	notes map[string]*card
	fence int64
	title string
}

type card struct {
	text  string
	fence int64
}

// pin sets the mark when the card is made, and never after.
func (b *panel) pin(name, text string, token int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, ok := b.notes[name]
	if !ok {
		n = &card{fence: token}
		b.notes[name] = n
	}
	if n.fence > token {
		return errStale
	}
	n.text = text
	return nil
}

// entitle sets the mark where there is none yet.
func (b *panel) entitle(title string, token int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if token < b.fence {
		return errStale
	}
	if b.fence == 0 {
		b.fence = token
	}
	b.title = title
	return nil
}

// replace moves the mark for a short title alone.
func (b *panel) replace(title string, token int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if token < b.fence {
		return errStale
	}
	b.title = title
	if len(title) > 80 {
		return nil
	}
	b.fence = token
	return nil
}

func Pin(ctx context.Context, session *concurrency.Session, b *panel, name, text string) error {
	return withToken(ctx, session, "/locks/panel/"+name, func(token int64) error { // verdict: unfenced
		return b.pin(name, text, token) // want: weakcondition
	})
}

func Entitle(ctx context.Context, session *concurrency.Session, b *panel, title string) error {
	return withToken(ctx, session, "/locks/panel", func(token int64) error { // verdict: unfenced
		return b.entitle(title, token) // want: weakcondition
	})
}

func Replace(ctx context.Context, session *concurrency.Session, b *panel, title string) error {
	return withToken(ctx, session, "/locks/panel", func(token int64) error { // verdict: unfenced
		return b.replace(title, token) // want: weakcondition
	})
}
