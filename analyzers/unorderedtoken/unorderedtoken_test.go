package unorderedtoken

import (
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/recordtest"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestCheck(t *testing.T) {
	use := func(compared string) lock.Use {
		return lock.Use{Role: lock.RoleUse, Acquire: recordtest.At("/m/a.go", 10), Writes: []lock.Write{{
			Frame: recordtest.At("/m/a.go", 20), Operation: "UPDATE", Resource: "sql:doc", Compared: compared,
		}}}
	}
	ordered := true
	offered := use("lease id")
	offered.Token = lock.TokenInfo{Source: "mutex.Header().Revision", Ordered: &ordered}

	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "with a reason", Use: use("(*redsync.Mutex).Value: random owner id"), Want: []string{"a.go:20 error: let through by table doc: (*redsync.Mutex).Value is compared as token by UPDATE but does not grow from one holder to the next (random owner id); use a number"}},
		{Name: "without", Use: use("the lock's owner value"), Want: []string{"a.go:20 error: (it says nothing about who came later)"}},
		{Name: "names the token that is there", Use: offered, Want: []string{"a.go:20 error: use mutex.Header().Revision"}},
		{Name: "nothing compared", Use: use("")},
	})
}
