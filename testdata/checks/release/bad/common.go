// Package bad gives locks back on some ways only, or in a way that frees somebody else's. What the sections do is
// behind an interface, so that only the release is wrong.
package bad

import (
	"context"
	"errors"
)

var (
	errBusy = errors.New("held elsewhere")
	errLate = errors.New("nothing to do")
)

// Job is implemented outside of this module.
type Job interface {
	Due(ctx context.Context) (bool, error)
	Run(ctx context.Context) error
}
