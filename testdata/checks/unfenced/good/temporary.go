package good

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/bsm/redislock"
)

// Sort needs room on the disk for what it sorts, under names that nobody else has: nothing
// of that is left, whoever holds the lock by then.
func Sort(ctx context.Context, locks *redislock.Client, db *sql.DB, crate string) (n int, err error) {
	l, err := locks.Obtain(ctx, "sort:"+crate, time.Minute, nil) // verdict: no-visible-write
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, l.Release(context.WithoutCancel(ctx))) }()
	dir, err := os.MkdirTemp("", "sort-")
	if err != nil {
		return 0, err
	}
	f, err := os.Create(filepath.Join(dir, "shells"))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if err := json.NewEncoder(f).Encode(crate); err != nil {
		return 0, err
	}
	if err := os.WriteFile(filepath.Join(dir, "count"), []byte(crate), 0o600); err != nil {
		return 0, err
	}
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM shells WHERE crate = $1", crate).Scan(&n)
	return n, err
}
