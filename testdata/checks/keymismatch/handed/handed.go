// Package handed tells the functions that lock, extend and unlock what to do it to.
package handed

import (
	"context"
	"database/sql"
	"errors"
	"strconv"

	"example.org/locks/checks/keymismatch/handed/doors"
)

var errLocked = errors.New("somebody is at the door")

// A Door has a number, and a name that is painted on it.
type Door struct {
	Number int
	Name   string
}

// House has doors.
type House struct {
	doors *doors.Doors
	db    *sql.DB
}

func (h *House) paint(ctx context.Context, door int, colour string) error {
	_, err := h.db.ExecContext(ctx, "UPDATE doors SET colour = $1 WHERE number = $2", colour, door) // want: unfenced
	return err
}

// Paint locks by number and unlocks by name.
func (h *House) Paint(ctx context.Context, d Door, colour string) (err error) {
	owner, ok, err := h.doors.Lock(ctx, strconv.Itoa(d.Number)) // verdict: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errLocked
	}
	defer func() {
		err = errors.Join(err, h.doors.Unlock(context.WithoutCancel(ctx), "door "+d.Name, owner)) // want: keymismatch
	}()
	return h.paint(ctx, d.Number, colour)
}

// Oil extends the lock of another door.
func (h *House) Oil(ctx context.Context, d Door) (err error) {
	owner, ok, err := h.doors.Lock(ctx, "oil:"+d.Name) // verdict: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errLocked
	}
	defer func() { err = errors.Join(err, h.doors.Unlock(context.WithoutCancel(ctx), "oil:"+d.Name, owner)) }()
	if err := h.paint(ctx, d.Number, "grey"); err != nil {
		return err
	}
	if err := h.doors.Extend(ctx, "oiled:"+d.Name, owner); err != nil { // want: keymismatch
		return err
	}
	return h.paint(ctx, d.Number, "white")
}

// Close takes the same name in other words.
func (h *House) Close(ctx context.Context, d Door) (err error) {
	owner, ok, err := h.doors.Lock(ctx, "close:"+d.Name) // verdict: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errLocked
	}
	name := d.Name
	defer func() { err = errors.Join(err, h.doors.Unlock(context.WithoutCancel(ctx), "close:"+name, owner)) }()
	return h.paint(ctx, d.Number, "black")
}
