package world

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// prelude declares a lock in three usual shapes, and calls that mark places.
const prelude = `package p
import "errors"
import "time"
var _ = time.Now
var ErrHeld = errors.New("held")
type handle struct{}
func lock() (bool, error)       { return false, nil }
func obtain() (*handle, error)  { return nil, nil }
func scan(p *bool) error        { return nil }
func unlock()                   {}
func mark(string)               {}
func other() error              { return nil }
func cond() bool                { return false }
func given() *handle            { return nil }
var _ = errors.Is
type failure struct{ code int }
func (failure) Error() string   { return "" }
func busy(err error) bool       { var f failure; return errors.As(err, &f) && f.code == 1 || inner(err) }
func inner(err error) bool      { return errors.Is(err, ErrHeld) }
func fine(err error) bool       { return err == nil }
func vague(err error) bool      { return err == ErrHeld || cond() }
`

func TestExplore(t *testing.T) {
	tests := []struct {
		name, body string
		held       string // marks that run while the lock is held
		after      string // marks that run after its release
		returns    int    // ways out with the lock held
	}{
		{"error and bool", `
	ok, err := lock()
	if err != nil { mark("failed"); return err }
	if !ok { mark("busy"); return nil }
	mark("work")
	unlock()
	mark("done")
	return nil`, "work", "done", 0},
		{"one branch for both", `
	if ok, err := lock(); err != nil || !ok { mark("no"); return err }
	mark("work")
	return nil`, "work", "", 1},
		{"a ticker never ends", `
	ok, err := lock()
	if err != nil || !ok { return err }
	for range time.NewTicker(1).C {
		mark("turn")
		if cond() { return nil }
	}
	mark("after")
	return nil`, "turn", "", 1},
		{"busy made an error", `
	ok, err := lock()
	if err == nil && !ok { err = ErrHeld }
	if err != nil { mark("no"); return err }
	mark("work")
	return nil`, "work", "", 1},
		{"sentinel first", `
	h, err := obtain()
	if errors.Is(err, ErrHeld) { mark("busy"); return nil }
	if err != nil { mark("failed"); return err }
	_ = h
	mark("work")
	return nil`, "work", "", 1},
		{"asked by a function", `
	h, err := obtain()
	if busy(err) { mark("busy"); return nil }
	if !fine(err) { mark("failed"); return err }
	_ = h
	mark("work")
	return nil`, "work", "", 1},
		{"asked by one that cannot be told", `
	h, err := obtain()
	if vague(err) { mark("busy"); return nil }
	_ = h
	mark("work")
	return nil`, "busy work", "", 2},
		{"handle not nil", `
	h, _ := obtain()
	if h == nil { mark("busy"); return nil }
	mark("work")
	return nil`, "work", "", 1},
		{"retry loop", `
	held := false
	for i := 0; i < 3 && !held; i++ {
		var err error
		held, err = lock()
		if err != nil { mark("failed"); return err }
		mark("tried")
	}
	if !held { mark("busy"); return nil }
	mark("work")
	return nil`, "tried work", "", 1},
		{"only where it is shared, in a loop", `
	for cond() {
		if shared {
			if ok, err := lock(); err != nil || !ok { mark("busy"); continue }
		}
		mark("work")
		if !shared { mark("alone") } else { unlock() }
	}
	return nil`, "work", "", 0},
		{"a number is asked twice", `
	if tries > 1 {
		if ok, err := lock(); err != nil || !ok { return err }
	}
	mark("work")
	if tries > 1 { unlock(); mark("done"); return nil }
	mark("alone")
	return nil`, "work", "done", 0},
		{"another number", `
	if tries > 1 {
		if ok, err := lock(); err != nil || !ok { return err }
	}
	mark("work")
	if tries > 2 { unlock(); mark("done"); return nil }
	mark("other")
	return nil`, "other work", "done", 1},
		{"released on one way only", `
	if ok, _ := lock(); !ok { return nil }
	if cond() { mark("early"); return nil }
	mark("work")
	unlock()
	return nil`, "early work", "", 1},
		{"taken again in a loop", `
	for cond() {
		if ok, _ := lock(); !ok { mark("busy"); continue }
		mark("work")
		unlock()
		mark("between")
	}
	return nil`, "work", "between", 0},
		{"the first turn that has it", `
	leads := false
	for cond() {
		ok, err := lock()
		if err != nil { return err }
		switch {
		case !ok:
			leads = false
		case !leads:
			mark("begin")
			leads = true
		default:
			mark("stay")
		}
	}
	if leads { mark("end") }
	return nil`, "begin end stay", "", 1},
		{"one of two ways to have it, in a loop", `
	for cond() {
		var h *handle
		if cond() {
			var err error
			if h, err = obtain(); err != nil { mark("failed"); continue }
		} else {
			h = given()
		}
		if h != nil {
			mark("work")
			unlock()
			continue
		}
		mark("without")
	}
	return nil`, "work", "without", 0},
		{"asked at the head of the loop", `
	had := false
	for !had {
		ok, err := lock()
		if err != nil { return err }
		had = ok
	}
	if !had { mark("never") }
	mark("work")
	return nil`, "work", "", 1},
		{"another error does not decide", `
	if ok, _ := lock(); !ok { return nil }
	if err := other(); err != nil { mark("other"); return err }
	mark("work")
	return nil`, "other work", "", 2},
		{"outcome in a variable that is filled", `
	var got bool
	if err := scan(&got); err != nil { mark("failed"); return err }
	if !got { mark("busy"); return nil }
	mark("work")
	return nil`, "work", "", 1},
		{"named result, captured", `
	var err error
	defer func() { if err != nil { other() } }()
	_, err = lock()
	if err != nil { mark("failed"); return err }
	mark("work")
	return err`, "work", "", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fn := build(t, "func f(shared bool, tries int) error {"+test.body+"\n}")
			start := find(t, fn)
			region := Explore(start, success{start}, func(in ssa.Instruction) Verb {
				if callee(in) == "unlock" {
					return Stop
				}
				return Go
			})
			if got := marks(region.Held); got != test.held {
				t.Errorf("held: %q, want %q", got, test.held)
			}
			if got := marks(region.After); got != test.after {
				t.Errorf("after: %q, want %q", got, test.after)
			}
			if got := len(region.Returns); got != test.returns {
				t.Errorf("held at %d returns, want %d", got, test.returns)
			}
		})
	}
}

// TestComes tells what the loser comes to in the turn of the loop in which it has tried from
// what it does in another.
func TestComes(t *testing.T) {
	fn := build(t, `func f() {
	for {
		if cond() {
			if _, err := obtain(); err != nil { mark("failed"); continue }
			mark("work")
		}
		mark("turn")
	}
}`)
	start := find(t, fn)
	for _, test := range []struct {
		outcome Oracle
		mark    string
		comes   bool
	}{
		{success{start}, "work", true},
		{success{start}, "turn", true},
		{failure{start}, "failed", true},
		{failure{start}, "turn", false},
	} {
		region := Explore(start, test.outcome, func(ssa.Instruction) Verb { return Go })
		for _, in := range region.Held {
			if marks([]ssa.Instruction{in}) == test.mark && region.Comes(in.Block(), fn.Blocks[0].Succs[0]) != test.comes {
				t.Errorf("%T comes to %q in the same turn: %v", test.outcome, test.mark, !test.comes)
			}
		}
	}
}

// failure is the world in which the call at start has ended with an error.
type failure struct{ start ssa.CallInstruction }

func (f failure) Value(v ssa.Value) (Fact, bool) {
	if x, ok := v.(*ssa.Extract); ok && x.Tuple == f.start.(ssa.Value) && isError(x.Type()) {
		return NotNil, true
	}
	return Fact{}, false
}

func (f failure) Stored(ssa.Instruction, ssa.Value) (Fact, bool) { return Fact{}, false }

// success is the world in which the call at start took the lock.
type success struct{ start ssa.CallInstruction }

func (s success) Value(v ssa.Value) (Fact, bool) {
	if x, ok := v.(*ssa.Extract); ok && x.Tuple == s.start.(ssa.Value) {
		return Success(v.Type()), true
	}
	if v == s.start.(ssa.Value) {
		return Success(v.Type()), true
	}
	return Fact{}, false
}

func (s success) Stored(in ssa.Instruction, addr ssa.Value) (Fact, bool) {
	if in == s.start.(ssa.Instruction) && callee(in) == "scan" {
		return True, true
	}
	return Fact{}, false
}

func build(t *testing.T, source string) *ssa.Function {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", prelude+source, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, _, err := ssautil.BuildPackage(&types.Config{Importer: importer.Default()}, fset, types.NewPackage("p", ""), []*ast.File{file}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return pkg.Func("f")
}

// find returns the call that takes the lock.
func find(t *testing.T, fn *ssa.Function) ssa.CallInstruction {
	t.Helper()
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch callee(in) {
			case "lock", "obtain", "scan":
				return in.(ssa.CallInstruction)
			}
		}
	}
	t.Fatal("no acquire")
	return nil
}

func callee(in ssa.Instruction) string {
	c, ok := in.(ssa.CallInstruction)
	if !ok || c.Common().StaticCallee() == nil {
		return ""
	}
	return c.Common().StaticCallee().Name()
}

func marks(list []ssa.Instruction) string {
	var out []string
	for _, in := range list {
		if callee(in) == "mark" {
			arg := in.(*ssa.Call).Call.Args[0].(*ssa.Const)
			out = append(out, strings.Trim(arg.Value.ExactString(), `"`))
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

func TestFactText(t *testing.T) {
	for _, text := range []string{"nil", "not nil", "true", "false", "1", `"OK"`} {
		if got := Parse(text).String(); got != text {
			t.Errorf("%s came back as %s", text, got)
		}
	}
	if Parse("").Definite() {
		t.Error("the empty text says something")
	}
}
