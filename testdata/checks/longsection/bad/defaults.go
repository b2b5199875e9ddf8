package bad

import (
	"context"
	"errors"
	"os/exec"
	"time"

	"github.com/go-redsync/redsync/v4"
)

// Scan may take as long as the caller says, and two hours where nothing is said.
type Scan struct {
	Volume string
	Limit  time.Duration
}

// Run holds the volume for eight seconds.
func (s Scan) Run(ctx context.Context, rs *redsync.Redsync) (err error) {
	m := rs.NewMutex("volume:" + s.Volume)
	if err := m.LockContext(ctx); err != nil { // want: longsection // verdict: unverified
		return err
	}
	defer func() {
		_, e := m.UnlockContext(context.WithoutCancel(ctx))
		err = errors.Join(err, e)
	}()
	if s.Limit == 0 {
		s.Limit = 2 * time.Hour
	}
	bounded, cancel := context.WithTimeout(ctx, s.Limit)
	defer cancel()
	return exec.CommandContext(bounded, "scan", s.Volume).Run()
}
