// Package dialects keeps its leases in one of two databases, and has statements put into the
// words of the other one on the way: what they ask for is known on one way only.
package dialects

import (
	"context"
	"database/sql"
	"errors"
	"regexp"
)

var errHeld = errors.New("the lamp is somebody else's")

// A House has lamps, which one keeper at a time trims.
type House struct {
	db   *sql.DB
	lite bool
}

var now = regexp.MustCompile(`(?i)\bnow\(\)`)

// put has the time of the other database in a statement.
func (h *House) put(query string) string {
	if h.lite {
		return now.ReplaceAllString(query, "datetime('now')")
	}
	return query
}

func (h *House) exec(ctx context.Context, query string, args ...any) (int64, error) {
	res, err := h.db.ExecContext(ctx, h.put(query), args...) // want: unfenced
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (h *House) take(ctx context.Context, lamp, keeper string) error {
	const take = "UPDATE lamp_lease SET keeper = ?, ends_at = now() + INTERVAL 30 SECOND WHERE lamp = ? AND ends_at < now()"
	n, err := h.exec(ctx, take, keeper, lamp)
	if err == nil && n == 0 {
		err = errHeld
	}
	return err
}

func (h *House) leave(ctx context.Context, lamp, keeper string) error {
	_, err := h.exec(ctx, "UPDATE lamp_lease SET ends_at = now() WHERE lamp = ? AND keeper = ?", lamp, keeper)
	return err
}

// Trim writes what nothing guards, as far as that is known.
func (h *House) Trim(ctx context.Context, lamp, keeper string, wick int) (err error) {
	if err := h.take(ctx, lamp, keeper); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, h.leave(context.WithoutCancel(ctx), lamp, keeper)) }()
	_, err = h.exec(ctx, "UPDATE lamp SET wick = ? WHERE name = ?", wick, lamp)
	return err
}

// Fill puts oil into a lamp by a statement that asks for nothing, in whatever words.
func (h *House) Fill(ctx context.Context, lamp, keeper string, oil int) (err error) {
	if err := h.take(ctx, lamp, keeper); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, h.leave(context.WithoutCancel(ctx), lamp, keeper)) }()
	_, err = h.exec(ctx, "INSERT INTO fillings (lamp, oil, at) VALUES (?, ?, now())", lamp, oil)
	return err
}
