package records

import (
	"strings"
	"testing"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/remarks"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

const tokens = `
library: test
family: test
packages: {t: [t]}
calls:
  - func: (*t.Lock).Revision
    token: {of: receiver, ordered: true, reason: grows}
  - func: (*t.Lock).ID
    token: {of: receiver, reason: random}
  - func: t.Rand
    origin: {kind: random}
  - func: t.Now
    origin: {kind: clock}
  - func: t.Counter
    origin: {kind: process}
`

// newJudge judges writes under a lock with a handle, an owner value and, if
// row is not nil, a lease row.
func newJudge(t *testing.T, row *meaning.Row) (*judge, *term.Pool) {
	t.Helper()
	lib, err := catalog.Load("test.yaml", []byte(tokens))
	if err != nil {
		t.Fatal(err)
	}
	p := term.NewPool()
	e := &engine.Engine{Pool: p, Reader: meaning.NewReader(catalog.Builtin(), p)}
	for _, c := range lib.Calls {
		c.Library = lib
		e.Reader.Register(c.Func[0], []*catalog.Call{c})
	}
	acquire := p.Call("(*t.Lock).Lock", "a:1:1", p.Global("handle"))
	return &judge{e: e, owners: remarks.NewOwners(e), st: &summary.Site{Lock: summary.Acquired{Call: acquire}, Term: acquire}, lock: meaning.Meaning{
		Role: meaning.Acquire, Family: "redis", Kind: lock.Lease, Handle: p.Global("handle"), Value: p.Global("me"), Key: p.Const("string", "lock:x"), Row: row,
	}}, p
}

func TestConditions(t *testing.T) {
	row := &meaning.Row{Resource: "sql:lease", Sets: []meaning.Setting{{Column: "holder"}}, Expiry: "until"}
	j, p := newJudge(t, row)
	handle := p.Global("handle")
	revision, id := p.Call("(*t.Lock).Revision", "a:2:1", handle), p.Call("(*t.Lock).ID", "a:3:1", handle)
	other := p.Call("(*t.Lock).Revision", "a:4:1", p.Global("another"))
	me, unknown := p.Global("me"), p.Global("x")
	guard := func(op string, v *term.T, stored bool) meaning.Guard {
		return meaning.Guard{Column: "last_token", Op: op, Value: v, Stored: stored, Moves: !stored}
	}
	text := guard("<", revision, true)
	text.AsText = true
	mine := meaning.Guard{Column: "holder", Op: "=", Value: me}
	open := meaning.Guard{Column: "state", Op: "=", Value: p.Const("string", "open")}
	for _, c := range []struct {
		name   string
		change meaning.Change
		cond   lock.Condition
		fault  string // part of fault, or of what was compared
	}{
		{"less", meaning.Change{Guards: []meaning.Guard{guard("<", revision, true)}}, lock.Token, ""},
		{"less or equal", meaning.Change{Guards: []meaning.Guard{guard("<=", revision, true)}}, lock.Token, ""},
		{"unstored", meaning.Change{Guards: []meaning.Guard{guard("<", revision, false)}}, lock.None, "never stored"},
		{"reversed", meaning.Change{Guards: []meaning.Guard{guard(">", revision, true)}}, lock.None, "wrong way"},
		{"different", meaning.Change{Guards: []meaning.Guard{guard("<>", revision, true)}}, lock.None, "does not keep"},
		{"equal", meaning.Change{Guards: []meaning.Guard{guard("=", revision, true)}}, lock.None, "equality"},
		{"as text", meaning.Change{Guards: []meaning.Guard{text}}, lock.None, "as text"},
		{"another lock's", meaning.Change{Guards: []meaning.Guard{guard("<", other, true)}}, lock.None, ""},
		{"beyond limits", meaning.Change{Guards: []meaning.Guard{guard("<", p.Unknown("limit"), true)}}, lock.Unknown, ""},
		{"random", meaning.Change{Guards: []meaning.Guard{guard("<", p.Call("t.Rand", "a:5:1"), true)}}, lock.None, "t.Rand"},
		{"clock", meaning.Change{Guards: []meaning.Guard{guard("<", p.Call("t.Now", "a:6:1"), true)}}, lock.None, "t.Now"},
		{"counter", meaning.Change{Guards: []meaning.Guard{guard("<", p.Call("t.Counter", "a:7:1"), true)}}, lock.None, "t.Counter"},
		{"lock id", meaning.Change{Guards: []meaning.Guard{guard("<", id, true)}}, lock.None, "random"},
		{"owner by order", meaning.Change{Guards: []meaning.Guard{guard("<", me, true)}}, lock.None, "owner value"},
		{"or", meaning.Change{Guards: []meaning.Guard{{Op: "or", Alts: []meaning.Guard{guard("<", revision, true), open}}}}, lock.None, "OR"},
		{"or business", meaning.Change{Guards: []meaning.Guard{{Op: "or", Alts: []meaning.Guard{open, open}}}}, lock.None, ""},
		{"and", meaning.Change{Guards: []meaning.Guard{guard("<", revision, true), open}}, lock.Token, ""},
		{"owner of the row", meaning.Change{Resource: "sql:lease", Guards: []meaning.Guard{mine}}, lock.Owner, ""},
		{"owner elsewhere", meaning.Change{Resource: "sql:data", Guards: []meaning.Guard{mine}}, lock.None, "nobody sets"},
		{"owner in a sub-select", meaning.Change{Resource: "sql:data", Guards: []meaning.Guard{{Op: "exists", Alts: []meaning.Guard{{Column: "holder", Table: "lease", Op: "=", Value: me}}}}}, lock.Owner, ""},
		{"owner of the key", meaning.Change{Store: "redis", Guards: []meaning.Guard{{Table: "lock:x", Op: "=", Value: me}}}, lock.Owner, ""},
		{"owner of another key", meaning.Change{Store: "redis", Guards: []meaning.Guard{{Table: "lock:y", Op: "=", Value: me}}}, lock.None, "nobody sets"},
		{"version", meaning.Change{Guards: []meaning.Guard{{Column: "version", Op: "=", Value: unknown}}}, lock.Version, ""},
		{"key", meaning.Change{Guards: []meaning.Guard{{Column: "id", Op: "=", Value: unknown}}}, lock.None, ""},
		{"state that moves", meaning.Change{Guards: []meaning.Guard{{Column: "state", Op: "=", Value: p.Const("string", "new"), Moves: true}}}, lock.Version, ""},
		{"null that is filled", meaning.Change{Guards: []meaning.Guard{{Column: "paid", Op: "is null", Moves: true}}}, lock.Version, ""},
		{"null that stays", meaning.Change{Guards: []meaning.Guard{{Column: "paid", Op: "is null"}}}, lock.None, ""},
		{"create once", meaning.Change{Guards: []meaning.Guard{{Op: "absent"}}}, lock.Unique, ""},
		{"ignored", meaning.Change{Ignored: true, Guards: []meaning.Guard{guard("<", revision, true)}}, lock.None, "without it"},
		{"token in the name", meaning.Change{Guards: []meaning.Guard{{Op: "named", Value: p.Op("+", p.Const("string", "data."), revision)}}}, lock.Token, ""},
		{"id in the name", meaning.Change{Guards: []meaning.Guard{{Op: "named", Value: p.Op("+", p.Const("string", "data."), id)}}}, lock.None, ""},
		{"out of sight", meaning.Change{Unknown: lock.ReasonSQL}, lock.Unknown, ""},
		{"nothing", meaning.Change{}, lock.None, ""},
	} {
		r := j.change(&c.change)
		if said := r.fault + r.compared; r.cond != c.cond || (said == "") != (c.fault == "") || !strings.Contains(said, c.fault) {
			t.Errorf("%s: %s %q, want %s %q", c.name, r.cond, said, c.cond, c.fault)
		}
	}
}

func TestMemory(t *testing.T) {
	j, p := newJudge(t, nil)
	revision := p.Call("(*t.Lock).Revision", "a:2:1", p.Global("handle"))
	padded := p.Op("format", p.Const("string", "%020d"), revision)
	for _, c := range []struct {
		name  string
		m     summary.Memory
		cond  lock.Condition
		fault string
	}{
		{"token", summary.Memory{Token: revision, Op: "<", Stored: true}, lock.Token, ""},
		{"unstored", summary.Memory{Token: revision, Op: "<="}, lock.None, "never stored"},
		{"early", summary.Memory{Token: revision, Op: "<", Stored: true, Early: true}, lock.None, "before it is compared"},
		{"reversed", summary.Memory{Token: revision, Op: ">", Stored: true}, lock.None, "wrong way"},
		{"idle", summary.Memory{Token: revision, Op: "idle", Stored: true}, lock.None, "all the same"},
		{"text", summary.Memory{Token: revision, Op: "<", Stored: true, Text: true}, lock.None, "as text"},
		{"padded text", summary.Memory{Token: padded, Op: "<", Stored: true, Text: true}, lock.Token, ""},
		{"random", summary.Memory{Token: p.Call("t.Rand", "a:3:1"), Op: "<", Stored: true}, lock.None, "t.Rand"},
		{"no token", summary.Memory{}, lock.None, ""},
	} {
		r := j.memory(&c.m)
		if said := r.fault + r.compared; r.cond != c.cond || (said == "") != (c.fault == "") || !strings.Contains(said, c.fault) {
			t.Errorf("%s: %s %q, want %s %q", c.name, r.cond, said, c.cond, c.fault)
		}
	}
}

func TestVerdict(t *testing.T) {
	no, yes := false, true
	write := func(c lock.Condition) lock.Write { return lock.Write{Condition: c} }
	answered := func(c lock.Condition, looked *bool) lock.Write { return lock.Write{Condition: c, Checked: looked} }
	for _, c := range []struct {
		name   string
		writes []lock.Write
		unseen []lock.Reason
		want   lock.Verdict
	}{
		{"no write", nil, nil, lock.NoVisibleWrite},
		{"own record only", []lock.Write{{Condition: lock.None, Own: true}}, nil, lock.NoVisibleWrite},
		{"all guarded", []lock.Write{write(lock.Token), write(lock.Unique), answered(lock.Version, &yes)}, nil, lock.Fenced},
		{"one unguarded", []lock.Write{write(lock.Token), write(lock.None)}, []lock.Reason{lock.ReasonRPC}, lock.Unfenced},
		{"refusal dropped", []lock.Write{answered(lock.Token, &no)}, nil, lock.Unfenced},
		{"dropped where it does not matter", []lock.Write{answered(lock.Unique, &no), answered(lock.Transaction, &no)}, nil, lock.Fenced},
		{"one unknown", []lock.Write{write(lock.Token), write(lock.Unknown)}, nil, lock.Unverified},
		{"something unseen", []lock.Write{write(lock.Token)}, []lock.Reason{lock.ReasonInterface}, lock.Unverified},
		{"nothing but unseen", nil, []lock.Reason{lock.ReasonCallback}, lock.Unverified},
	} {
		if got := verdict(&lock.Use{Writes: c.writes, Unseen: c.unseen}, false); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
