package wallclock

import (
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/recordtest"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestCheck(t *testing.T) {
	use := func(kind string) lock.Use {
		clock := recordtest.At("/m/a.go", 20)
		clock.Text = "UTC dropped the monotonic reading"
		return lock.Use{Key: "job", Acquire: recordtest.At("/m/a.go", 10), Clocks: []lock.Call{{Frame: clock, Call: "(*sql.DB).ExecContext", Kind: kind}}}
	}
	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "sent", Use: use("sent"), Want: []string{`a.go:20 warning: ExecContext takes lock "job", and UTC dropped`}},
		{Name: "wall", Use: use("wall"), Want: []string{`a.go:20 warning: decides about lock "job" by the time of day: UTC dropped`}},
		{Name: "monotonic", Use: use("monotonic")},
	})
}
