package good

import (
	"context"
	"errors"
	"os/exec"
	"time"

	"github.com/go-redsync/redsync/v4"
)

// Probe may take as long as the caller says, and five seconds where nothing is said.
type Probe struct {
	Volume string
	Limit  time.Duration
}

// Run holds the volume for eight seconds.
func (p Probe) Run(ctx context.Context, rs *redsync.Redsync) (err error) {
	m := rs.NewMutex("volume:" + p.Volume)
	if err := m.LockContext(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() {
		_, e := m.UnlockContext(context.WithoutCancel(ctx))
		err = errors.Join(err, e)
	}()
	if p.Limit == 0 {
		p.Limit = 5 * time.Second
	}
	bounded, cancel := context.WithTimeout(ctx, p.Limit)
	defer cancel()
	return exec.CommandContext(bounded, "probe", p.Volume).Run()
}
