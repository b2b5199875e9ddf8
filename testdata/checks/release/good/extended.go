package good

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"time"
)

// Presses print one issue each.
type Presses struct{ db *sql.DB }

// hold takes the issue, or makes what it has of it last longer.
func (p *Presses) hold(ctx context.Context, issue, press string) (bool, error) {
	var by string
	err := p.db.QueryRowContext(ctx, `INSERT INTO issue_leases (issue, press, ends_at) VALUES ($1, $2, now() + $3 * interval '1 second')
ON CONFLICT (issue) DO UPDATE SET press = EXCLUDED.press, ends_at = EXCLUDED.ends_at
WHERE issue_leases.ends_at < now() OR issue_leases.press = EXCLUDED.press RETURNING press`, issue, press, 120).Scan(&by)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// Print holds on to the issue while it counts the pages. That is no second lock, which the
// returns below would have to give back.
func (p *Presses) Print(ctx context.Context, issue, press string) error {
	ok, err := p.hold(ctx, issue, press) // verdict: unfenced
	if err != nil || !ok {
		return err
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(30 * time.Second):
				if _, err := p.hold(ctx, issue, press); err != nil { // doubt: it is the same lock as above // verdict: unfenced
					log.Printf("hold %s: %v", issue, err)
				}
			}
		}
	}()
	var pages int
	err = p.db.QueryRowContext(ctx, "SELECT count(*) FROM pages WHERE issue = $1", issue).Scan(&pages)
	close(stop)
	<-done
	if err != nil {
		return err
	}
	if _, err := p.db.ExecContext(ctx, "UPDATE issues SET pages = $2 WHERE id = $1", issue, pages); err != nil { // want: unfenced
		return err
	}
	_, err = p.db.ExecContext(ctx, "DELETE FROM issue_leases WHERE issue = $1 AND press = $2", issue, press)
	return err
}
