package acquire

import (
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/recordtest"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestCheck(t *testing.T) {
	use := func(kind string) lock.Use {
		return lock.Use{
			Key: "k", Acquire: recordtest.At("/m/a.go", 10), Call: "(*redis.Client).SetNX",
			Slips: []lock.Slip{{Frame: recordtest.At("/m/a.go", 20), Kind: kind, Other: recordtest.At("/m/a.go", 15)}},
		}
	}
	meant := use(lock.SlipUnasked)
	meant.Slips[0].Detail = lock.Meant
	saving := meant
	saving.Writes = []lock.Write{{Operation: "SET", Resource: "redis:table", Condition: lock.None, Cache: true}}
	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "meant", Use: meant, Want: []string{"a.go:20 warning: leaves out the release and does the work at a.go:15 all the same"}},
		{Name: "meant, and no more than work is saved", Use: saving, Want: []string{"a.go:20 note: unless the lock only saves work"}},
		{Name: "unasked", Use: use(lock.SlipUnasked), Want: []string{`a.go:20 error: the work at a.go:15 is done whether or not SetNX has taken lock "k"`}},
		{Name: "refused", Use: use(lock.SlipRefused), Want: []string{"a.go:20 error: neither a lock nor an error"}},
		{Name: "open", Use: use(lock.SlipOpen), Want: []string{"a.go:20 error: although SetNX failed (a.go:15)"}},
		{Name: "forever", Use: use(lock.SlipForever), Want: []string{"a.go:20 warning: without an expiry"}},
		{Name: "two commands", Use: use(lock.SlipTwoCalls), Want: []string{"a.go:20 warning: only a second command (a.go:15)"}},
		{Name: "another check's", Use: use(lock.SlipLeft)},
	})
}
