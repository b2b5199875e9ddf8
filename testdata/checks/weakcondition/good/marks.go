package good

import (
	"context"
	"sync"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// A panel keeps notes, each under the greatest token that has written it.
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

// pin moves the mark of a card that is there as well as that of a new one.
func (b *panel) pin(name, text string, token int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, ok := b.notes[name]
	if !ok {
		n = &card{}
		b.notes[name] = n
	}
	if n.fence > token {
		return errStale
	}
	n.text, n.fence = text, token
	return nil
}

// entitle has nothing to move where the mark is the token.
func (b *panel) entitle(title string, token int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if token < b.fence {
		return errStale
	}
	b.title = title
	if token > b.fence {
		b.fence = token
	}
	return nil
}

// replace puts a new card in the place of the old one, one after the other.
func (b *panel) replace(texts map[string]string, token int64) (refused error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, text := range texts {
		if old, ok := b.notes[name]; ok && old.fence > token {
			refused = errStale
			continue
		}
		b.notes[name] = &card{text: text, fence: token}
	}
	return refused
}

func Pin(ctx context.Context, session *concurrency.Session, b *panel, name, text string) error {
	return withToken(ctx, session, "/locks/panel/"+name, func(token int64) error { // verdict: fenced
		return b.pin(name, text, token)
	})
}

func Entitle(ctx context.Context, session *concurrency.Session, b *panel, title string) error {
	return withToken(ctx, session, "/locks/panel", func(token int64) error { // verdict: fenced
		return b.entitle(title, token)
	})
}

func Replace(ctx context.Context, session *concurrency.Session, b *panel, texts map[string]string) error {
	return withToken(ctx, session, "/locks/panel", func(token int64) error { // verdict: fenced
		return b.replace(texts, token)
	})
}
