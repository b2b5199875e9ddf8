package earlyrelease

import (
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/recordtest"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestCheck(t *testing.T) {
	use := func(kind, detail string) lock.Use {
		at := recordtest.At("/m/a.go", 20)
		at.Callee = "(*sql.DB).ExecContext"
		return lock.Use{
			Key: "k", Acquire: recordtest.At("/m/a.go", 10),
			Slips: []lock.Slip{{Frame: at, Kind: kind, Detail: detail, Other: recordtest.At("/m/a.go", 15)}},
		}
	}
	reading := use(lock.SlipAfter, "commit")
	reading.Reads = true

	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "after", Use: use(lock.SlipAfter, ""), Want: []string{`a.go:20 error: lock "k" was released at a.go:15, and ExecContext writes`}},
		{Name: "commit", Use: use(lock.SlipAfter, "commit"), Want: []string{`a.go:20 warning: lock "k" was released at a.go:15, and ExecContext makes visible only here`}},
		{Name: "commit of what was read", Use: reading, Want: []string{"a.go:20 error: commit before the release"}},
		{Name: "goroutine", Use: use(lock.SlipOutlives, ""), Want: []string{"a.go:20 warning: the goroutine started here works (a.go:15)"}},
		{Name: "election", Use: use(lock.SlipOutlives, "ReleaseOnCancel"), Want: []string{"a.go:20 note: with ReleaseOnCancel"}},
		{Name: "another check's", Use: use(lock.SlipLeft, "")},
	})
}
