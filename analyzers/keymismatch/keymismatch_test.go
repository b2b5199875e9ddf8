package keymismatch

import (
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/recordtest"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestCheck(t *testing.T) {
	use := func(kind string) lock.Use {
		at := recordtest.At("/m/a.go", 20)
		at.Callee = "(*redis.Script).Run"
		return lock.Use{
			Key: "lock:k", Acquire: recordtest.At("/m/a.go", 10),
			Slips: []lock.Slip{{Frame: at, Kind: kind, Detail: "k", Other: recordtest.At("/m/a.go", 10)}},
		}
	}
	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "other key", Use: use(lock.SlipOtherKey), Want: []string{`a.go:20 error: Run works on key "k", but what was taken (a.go:10) is lock "lock:k"`}},
		{Name: "another check's", Use: use(lock.SlipLeft)},
	})
}
