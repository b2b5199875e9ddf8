package records

import (
	"slices"
	"testing"

	"github.com/fencevet/fencevet/passes/internal/remarks"
	"github.com/fencevet/fencevet/passes/internal/slips"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/lock"
)

const helped = `
import ("context"; "database/sql")

func Work(ctx context.Context, conn *sql.Conn) error {
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock(7)"); err != nil {
		return err
	}
	defer conn.ExecContext(ctx, "SELECT pg_advisory_unlock(7)")
	return help(ctx, conn)
}

func help(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, "UPDATE stock SET n = 1")
	return err
}
`

// TestFault breaks the engine's view of one function. The lock around its call is
// still found, and what it guards is out of sight.
func TestFault(t *testing.T) {
	e := load(t, helped)
	_, fn := member(t, e, "help")
	fn.Blocks = append(fn.Blocks, nil)
	faults := e.Guard()
	uses, _ := Of(e)
	if len(uses) != 1 || uses[0].Verdict != lock.Unverified || !slices.Contains(uses[0].Unseen, lock.ReasonLimit) {
		t.Errorf("found %+v", uses)
	}
	if got := faults(); len(got) == 0 || got[0].Package != "p" || got[0].At.Line == 0 {
		t.Errorf("faults: %+v", got)
	}

	e = load(t, helped)
	_, fn = member(t, e, "help")
	fn.Blocks = append(fn.Blocks, nil)
	defer func() {
		if recover() == nil {
			t.Error("a fault goes unnoticed where nobody asks for it")
		}
	}()
	Of(e)
}

// TestSelfApplication gives a function itself to call.
func TestSelfApplication(t *testing.T) {
	e := load(t, `
import ("context"; "database/sql")

type self func(ctx context.Context, f self) error

func again(ctx context.Context, f self) error { return f(ctx, f) }

func Work(ctx context.Context, conn *sql.Conn) error {
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock(7)"); err != nil {
		return err
	}
	defer conn.ExecContext(ctx, "SELECT pg_advisory_unlock(7)")
	return again(ctx, again)
}
`)
	uses, _ := Of(e)
	if len(uses) != 1 || uses[0].Verdict != lock.Unverified || !slices.Contains(uses[0].Unseen, lock.ReasonLimit) {
		t.Errorf("found %+v", uses)
	}
}

// TestFaultAsking lets what is asked of functions fail once they are summarised: the lock
// is listed, nothing is said of what it guards, and other functions are as they were.
func TestFaultAsking(t *testing.T) {
	e := load(t, helped+`
func Other(ctx context.Context, conn *sql.Conn) error {
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock(8)"); err != nil {
		return err
	}
	defer conn.ExecContext(ctx, "SELECT pg_advisory_unlock(8)")
	return help(ctx, conn)
}
`)
	faults := e.Guard()
	e.Solve()
	f, fn := member(t, e, "Work")
	for _, st := range f.Sums[fn].Sites {
		st.Effects = append(st.Effects, summary.Effect{Chosen: []summary.Choice{{}}}) // no value
	}
	found := uses(e)
	slips.Find(e)
	remarks.Find(e, found)
	if len(found) != 2 || found[0].Verdict != lock.Unverified || !slices.Equal(found[0].Unseen, []lock.Reason{lock.ReasonLimit}) || found[1].Verdict == lock.Unverified {
		t.Errorf("found %+v", found)
	}
	if got := faults(); len(got) != 1 || got[0].Function != "Work" {
		t.Errorf("faults: %+v", got)
	}
}
