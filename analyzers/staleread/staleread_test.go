package staleread

import (
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/recordtest"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestCheck(t *testing.T) {
	use := func(role lock.Role, kind string) lock.Use {
		c := lock.Call{Frame: recordtest.At("/m/a.go", 20), Call: "(*sql.DB).ExecContext", Kind: kind, Other: recordtest.At("/m/a.go", 8)}
		c.Text = "sql:accounts"
		return lock.Use{Role: role, Key: "account:%s", Acquire: recordtest.At("/m/a.go", 10), Remarks: []lock.Call{c}}
	}
	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "found", Use: use(lock.RoleUse, lock.ReadBefore), Want: []string{`a.go:20 warning: ExecContext writes back to table accounts what comes of a read (a.go:8) before lock "account:%s" is taken (a.go:10)`}},
		{Name: "wrapper", Use: use(lock.RoleWrapper, lock.ReadBefore)},
		{Name: "of another check", Use: use(lock.RoleUse, lock.ReadReplica)},
	})
}
