package unfenced

import (
	"strings"
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/recordtest"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestCheck(t *testing.T) {
	here := recordtest.At("/m/stock/stock.go", 10)
	write := func(file string, line int) lock.Write {
		return lock.Write{Frame: recordtest.At(file, line), Operation: "UPDATE", Resource: "sql:stock", Condition: lock.None}
	}
	with := func(w lock.Write, change func(*lock.Write)) lock.Write {
		change(&w)
		return w
	}
	use := func(writes ...lock.Write) lock.Use {
		return lock.Use{Role: lock.RoleUse, Verdict: lock.Unfenced, Key: "stock:%d", Acquire: here, Writes: writes}
	}
	near, far := write("/m/stock/repo.go", 20), write("/m/repo/repo.go", 5)
	ordered := true
	offered := use(near)
	offered.Token = lock.TokenInfo{Source: "mutex.Header().Revision", Ordered: &ordered}
	skips := use(near)
	skips.Skips = true
	skips.Key = ""
	wrapper := use(near)
	wrapper.Role = lock.RoleWrapper
	unverified := use(near)
	unverified.Verdict = lock.Unverified
	demanded := func(u lock.Use, verdict lock.Verdict, unseen ...lock.Reason) lock.Use {
		u.Verdict, u.Unseen = verdict, unseen
		u.Decision = &lock.Decision{Position: lock.Position{File: "/m/stock/stock.go", Line: 9}, Kind: lock.Correctness}
		return u
	}

	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "at the write in the same package", Use: use(near), Want: []string{`repo.go:20 error: UPDATE is accepted after lock "stock:%d" (acquired at stock.go:10) was lost`}},
		{Name: "at the acquire otherwise", Use: use(far), Want: []string{"stock.go:10 error: two holders can both write table stock"}},
		{Name: "once per use, at the near write", Use: use(far, near), Want: []string{"repo.go:20 error: and 1 more write are"}},
		{Name: "names the token that is there", Use: offered, Want: []string{"repo.go:20 error: pass mutex.Header().Revision on"}},
		{Name: "names the version where no token is compared", Use: use(with(near, func(w *lock.Write) { w.Resource = "k8s:pod" })), Want: []string{"repo.go:20 error: two holders can both write Kubernetes object pod: UPDATE is accepted after lock \"stock:%d\" (acquired at stock.go:10) was lost; send the resourceVersion that was read"}},
		{Name: "a note where work is saved", Use: skips, Want: []string{"repo.go:20 note: two holders"}},
		{Name: "a note where nothing is lost", Use: use(with(near, func(w *lock.Write) { w.Operation = "INCR" })), Want: []string{"repo.go:20 note: two holders"}},
		{Name: "names what matters", Use: use(with(near, func(w *lock.Write) { w.Operation = "DEL" }), far), Want: []string{"stock.go:10 error: UPDATE and 1 more write are"}},
		{Name: "own record", Use: use(with(near, func(w *lock.Write) { w.Own = true }))},
		{Name: "after the release", Use: use(with(near, func(w *lock.Write) { w.After = true }))},
		{Name: "compared in vain", Use: use(with(near, func(w *lock.Write) { w.Fault = "wrong way round" }))},
		{Name: "unordered", Use: use(with(near, func(w *lock.Write) { w.Compared = "random" }))},
		{Name: "guarded", Use: use(with(near, func(w *lock.Write) { w.Condition = lock.Version }))},
		{Name: "wrapper", Use: wrapper},
		{Name: "unverified", Use: unverified},
		{Name: "demanded, unverified", Use: demanded(use(), lock.Unverified, lock.ReasonInterface, lock.ReasonRPC), Want: []string{`stock.go:10 error: lock "stock:%d" is declared to need a fence, but what it guards is out of sight (interface, rpc)`}},
		{Name: "demanded, without a write", Use: demanded(use(), lock.NoVisibleWrite), Want: []string{"stock.go:10 error: but no write is seen"}},
		{Name: "demanded, fenced", Use: demanded(use(), lock.Fenced)},
	})
}

func TestRelated(t *testing.T) {
	u := lock.Use{
		Role: lock.RoleUse, Verdict: lock.Unfenced, Acquire: recordtest.At("/m/a/a.go", 1),
		Writes: []lock.Write{
			{Frame: recordtest.At("/m/a/a.go", 2), Condition: lock.None},
			{Frame: recordtest.At("/m/b/b.go", 3), Condition: lock.None, Operation: "PUT", Resource: "s3:x"},
		},
	}
	f := Check.Find([]*lock.Use{&u})[0]
	var got []string
	for _, r := range f.Related {
		got = append(got, r.Text)
	}
	if want := "the lock acquired here|PUT of object x without a token"; strings.Join(got, "|") != want {
		t.Errorf("related: got %q, want %q", got, want)
	}
}
