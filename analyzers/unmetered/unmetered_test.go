package unmetered

import (
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/recordtest"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestCheck(t *testing.T) {
	use := func(renewal string, m lock.Metrics, c lock.Condition) lock.Use {
		w := lock.Write{Frame: recordtest.At("/m/a.go", 20), Operation: "UPDATE", Resource: "sql:stock", Condition: c}
		return lock.Use{Role: lock.RoleUse, Key: "stock", Renewal: renewal, Metrics: m, Acquire: recordtest.At("/m/a.go", 10), Writes: []lock.Write{w}}
	}
	all := lock.Metrics{Rejections: true, RenewalLatency: true, LeaseLoss: true}
	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "refusals", Use: use("none", lock.Metrics{}, lock.Token), Want: []string{"a.go:10 note: UPDATE of table stock is guarded, and no metric moves"}},
		{Name: "counted", Use: use("none", all, lock.Token)},
		{Name: "nothing to refuse", Use: use("library", lock.Metrics{}, lock.None)},
		{Name: "renewal", Use: use("goroutine", lock.Metrics{}, lock.None), Want: []string{"a.go:10 note: neither how long that takes nor how often it fails"}},
		{Name: "loss only", Use: use("explicit", lock.Metrics{LeaseLoss: true}, lock.None), Want: []string{"a.go:10 note: how long that takes is not measured"}},
		{Name: "latency only", Use: use("explicit", lock.Metrics{RenewalLatency: true}, lock.None), Want: []string{"a.go:10 note: how often it fails is not counted"}},
		{Name: "all of it", Use: use("goroutine", all, lock.Token)},
	})
}
