package bad

import (
	"context"
	"errors"
	"path"

	"github.com/hashicorp/consul/api"
)

// A Boat is rowed by one crew at a time.
type Boat struct{ Name string }

// Boathouse locks its boats under a folder of its own.
type Boathouse struct {
	kv      *api.KV
	folder  string
	session string
}

// Row takes the boat in the folder, and frees one that is not there.
func (h *Boathouse) Row(ctx context.Context, b Boat, row func(context.Context, string) error) (err error) {
	q := (&api.WriteOptions{}).WithContext(ctx)
	ok, _, err := h.kv.Acquire(&api.KVPair{Key: path.Join(h.folder, b.Name), Session: h.session}, q) // verdict: unverified
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() {
		q := (&api.WriteOptions{}).WithContext(context.WithoutCancel(ctx))
		freed, _, e := h.kv.Release(&api.KVPair{Key: b.Name, Session: h.session}, q) // want: keymismatch
		if e == nil && !freed {
			e = errors.New("not freed")
		}
		err = errors.Join(err, e)
	}()
	return row(ctx, b.Name)
}
