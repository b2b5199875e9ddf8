package good

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"time"

	"github.com/bsm/redislock"
)

// Journal is a logger of the program's own: it writes a file and throws old ones
// away, and none of that is what a lock is taken for.
type Journal struct{ file *os.File }

func (j *Journal) Infof(format string, args ...any) {
	if _, err := fmt.Fprintf(j.file, format+"\n", args...); err != nil {
		os.Remove(j.file.Name())
	}
}

func Told(ctx context.Context, locks *redislock.Client, j *Journal, name string) error {
	l, err := locks.Obtain(ctx, "told:"+name, time.Minute, nil) // verdict: no-visible-write
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	j.Infof("%s is told", name)
	return nil
}

// Instrumented sets what the database measures; that is nobody's data.
func Instrumented(ctx context.Context, locks *redislock.Client, db *sql.DB) error {
	l, err := locks.Obtain(ctx, "instrument", time.Minute, nil) // verdict: no-visible-write
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	_, err = db.ExecContext(ctx, "UPDATE performance_schema.setup_instruments SET ENABLED = 'YES' WHERE NAME = 'wait/lock/metadata/sql/mdl'")
	return err
}
