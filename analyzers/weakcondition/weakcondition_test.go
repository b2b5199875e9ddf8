package weakcondition

import (
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/recordtest"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestCheck(t *testing.T) {
	use := func(w lock.Write) lock.Use {
		if !w.IsValid() {
			w.Frame = recordtest.At("/m/a.go", 20)
		}
		w.Operation, w.Resource = "UPDATE", "sql:stock"
		return lock.Use{Role: lock.RoleUse, Acquire: recordtest.At("/m/a.go", 10), Writes: []lock.Write{w}}
	}
	yes, no := true, false
	wrapper := use(lock.Write{Fault: "x"})
	wrapper.Role = lock.RoleWrapper

	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "fault", Use: use(lock.Write{Fault: "the greatest token is not stored"}), Want: []string{"a.go:20 error: still gets through to table stock: the greatest token is not stored"}},
		{Name: "in another package", Use: use(lock.Write{Frame: recordtest.At("/m/b/b.go", 7), Fault: "x"}), Want: []string{"b.go:7 error: stale holder"}},
		{Name: "in another module", Use: use(lock.Write{Frame: recordtest.At("/mod/store@v1.2.0/b.go", 7), Fault: "x"}), Want: []string{"a.go:10 error: stale holder"}},
		{Name: "refusal dropped", Use: use(lock.Write{Condition: lock.Token, Checked: &no}), Want: []string{"a.go:20 warning: nobody looks whether UPDATE of table stock"}},
		{Name: "refusal dropped, which the engine calls a fault", Use: use(lock.Write{Condition: lock.Version, Checked: &no, Fault: "x"}), Want: []string{"a.go:20 warning: nobody looks"}},
		{Name: "refusal swallowed", Use: use(lock.Write{Condition: lock.Token, Checked: &no, Swallowed: true, Fault: "x"}), Want: []string{"a.go:20 warning: where UPDATE of table stock is refused"}},
		{Name: "refusal seen", Use: use(lock.Write{Condition: lock.Token, Checked: &yes})},
		{Name: "out of sight", Use: use(lock.Write{Condition: lock.Token})},
		{Name: "create once", Use: use(lock.Write{Condition: lock.Unique, Checked: &no})},
		{Name: "no condition", Use: use(lock.Write{Condition: lock.None, Checked: &no})},
		{Name: "own record", Use: use(lock.Write{Fault: "x", Own: true})},
		{Name: "wrapper", Use: wrapper},
	})
}
