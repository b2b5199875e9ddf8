package bypass

import (
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/recordtest"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestCheck(t *testing.T) {
	use := func(key, kind string, skips bool) lock.Use {
		c := lock.Call{Frame: recordtest.At("/m/admin.go", 8), Call: "(*sql.DB).ExecContext", Kind: kind}
		c.Text = "sql:stock"
		u := lock.Use{Role: lock.RoleUse, Verdict: lock.Unfenced, Key: key, Skips: skips, Acquire: recordtest.At("/m/a.go", 10), Remarks: []lock.Call{c}}
		u.Acquire.Function = "(*Catalog).Put"
		return u
	}
	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "found", Use: use("stock:%s", lock.Bypassed, false), Want: []string{`admin.go:8 note: changes table stock without lock "stock:%s", under which (*Catalog).Put changes it (a.go:10)`}},
		{Name: "a lock that saves work", Use: use("refresh:%s", lock.Bypassed, true)},
		{Name: "of another check", Use: use("stock:%s", lock.ReadReplica, false)},
	})
}
