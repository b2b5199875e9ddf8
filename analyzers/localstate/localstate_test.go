package localstate

import (
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/recordtest"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestCheck(t *testing.T) {
	use := func(kind, detail string) lock.Use {
		return lock.Use{
			Key: "k", Acquire: recordtest.At("/m/a.go", 10),
			Slips: []lock.Slip{{Frame: recordtest.At("/m/a.go", 20), Kind: kind, Detail: detail, Other: recordtest.At("/m/a.go", 10)}},
		}
	}
	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "belief", Use: use(lock.SlipBelief, ""), Want: []string{`a.go:20 warning: lock "k" is held because it was taken once (a.go:10)`}},
		{Name: "shared", Use: use(lock.SlipBelief, "shared"), Want: []string{`a.go:20 warning: whoever is done first (a.go:10) gives it back under the other`}},
		{Name: "another check's", Use: use(lock.SlipLeft, "")},
	})
}
