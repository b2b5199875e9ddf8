package engine

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/world"
)

// A failure is heard of if it makes a difference: control goes on in another way
// than after a success, and does more there than to write a log line; or the
// outcome itself goes to code out of sight.
//
// Both ways are followed until the next turn of the loop waits. A time that is
// compared in the same function counts as a deadline of its own: whoever keeps
// one notices the loss without looking at the outcome.

// outcomes is what the results of a call tell in one of the worlds.
type outcomes struct {
	is    func(v ssa.Value) bool // v is a result of the call, or read from one
	fails bool                   // the error is not nil
	lost  bool                   // other results tell the loss
}

// Value implements world.Oracle.
func (o outcomes) Value(v ssa.Value) (world.Fact, bool) {
	if _, tuple := v.Type().(*types.Tuple); tuple || !o.is(v) {
		return world.Fact{}, false
	}
	switch {
	case isError(v.Type()) && o.fails:
		return world.NotNil, true
	case isError(v.Type()):
		return world.Nil, true
	case o.lost:
		f := failure(v.Type())
		return f, f.Definite()
	}
	f := world.Success(v.Type())
	return f, f.Definite()
}

// Stored implements world.Oracle.
func (outcomes) Stored(ssa.Instruction, ssa.Value) (world.Fact, bool) { return world.Fact{}, false }

// failure is the fact that tells, by a result's type, that a lease is lost.
func failure(t types.Type) world.Fact {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return world.False
		case u.Info()&types.IsInteger != 0:
			return world.Parse("0")
		}
	case *types.Interface, *types.Pointer, *types.Chan, *types.Map, *types.Slice:
		return world.Nil
	}
	return world.Varying
}

// unheard says what becomes of a failure of the renewal in, where it makes no
// difference; it is empty otherwise.
func (f *family) unheard(in ssa.CallInstruction) string {
	call, ok := in.(*ssa.Call)
	if !ok {
		return "its result is lost" // go, defer
	}
	if f.closes(call) {
		return ""
	}
	is := f.tellers(in)
	fn := in.Parent()
	results := f.resultsOf(fn, is)
	if len(results) == 0 {
		return "its result is dropped"
	}
	if f.keepsTime(fn) || slices.ContainsFunc(results, func(v ssa.Value) bool { return f.leaves(v, 0) }) {
		return ""
	}
	well := f.follow(call, outcomes{is: is}, false)
	told := false
	for _, v := range results {
		told = told || !isError(v.Type()) && failure(v.Type()).Definite()
	}
	if f.differs(f.follow(call, outcomes{is: is, fails: true, lost: true}, true), well) {
		return ""
	}
	if told && f.differs(f.follow(call, outcomes{is: is, lost: true}, true), well) {
		return ""
	}
	return "a failure is only logged, and the work goes on"
}

// closes reports whether a renewal is the last deed of the section that it runs in: it
// leaves the lock behind for a while, so that nobody does again what was done. There is
// nothing to stop where it fails.
func (f *family) closes(call *ssa.Call) bool {
	s := f.sums[call.Parent()]
	if s == nil {
		return false
	}
	for _, st := range s.sites {
		if st.region == nil || st.at.Block() == call.Block() || len(st.release) > 0 || !slices.Contains(st.region.Held, ssa.Instruction(call)) {
			continue
		}
		acts := func(in ssa.Instruction) bool {
			c, ok := in.(ssa.CallInstruction)
			return ok && len(s.steps[c]) > 0 && !f.quietCall(c.Common())
		}
		after := false
		for _, in := range st.region.Held {
			if in != ssa.Instruction(call) && acts(in) && in.Block() != st.at.Block() && followed(call, in, st.at.Block()) {
				after = true
			}
		}
		if !after && slices.ContainsFunc(st.region.Held, func(in ssa.Instruction) bool { return acts(in) && before(in, call) }) {
			return true
		}
	}
	return false
}

// followed reports whether control can get from x to y without passing the block end.
func followed(x, y ssa.Instruction, end *ssa.BasicBlock) bool {
	if x.Block() == y.Block() && before(x, y) {
		return true
	}
	return slices.ContainsFunc(x.Block().Succs, func(b *ssa.BasicBlock) bool { return b != end && canReach(b, y.Block(), end) })
}

// resultsOf lists the values that tell the outcome of the call and are looked at.
func (f *family) resultsOf(fn *ssa.Function, is func(ssa.Value) bool) []ssa.Value {
	var out []ssa.Value
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			v, ok := in.(ssa.Value)
			if !ok || v.Referrers() == nil || !is(v) {
				continue
			}
			if _, tuple := v.Type().(*types.Tuple); tuple {
				continue
			}
			if _, basic := v.Type().Underlying().(*types.Basic); !basic && !isError(v.Type()) {
				continue // a command object: what is read from it tells
			}
			if slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool { _, debug := r.(*ssa.DebugRef); return !debug }) {
				out = append(out, v)
			}
		}
	}
	return out
}

// follow explores what happens after start. The way after a success ends at
// whatever waits next, that after a failure only at what every turn waits for:
// waiting before another try is part of handling the failure.
func (f *family) follow(start ssa.Instruction, o world.Oracle, failed bool) *world.Region {
	return world.Explore(start, o, func(in ssa.Instruction) world.Verb {
		if f.waits(in) && (!failed || in.Block().Dominates(start.Block())) {
			return world.Kill
		}
		return world.Go
	})
}

func (f *family) waits(in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.Select:
		return in.Blocking
	case *ssa.UnOp:
		return in.Op == token.ARROW
	case *ssa.Call:
		callee := in.Call.StaticCallee()
		return callee != nil && callee.Pkg != nil && callee.Pkg.Pkg.Path() == "time" && callee.Name() == "Sleep"
	}
	return false
}

// differs reports whether one of two ways does something that the other does
// not and that is more than a log line.
func (f *family) differs(bad, well *world.Region) bool {
	in := make(map[ssa.Instruction]int)
	for _, x := range bad.Held {
		in[x] |= 1
	}
	for _, x := range well.Held {
		in[x] |= 2
	}
	for x, ways := range in {
		if ways != 3 && f.tellsSomebody(x) {
			return true
		}
		if ways != 3 {
			continue
		}
		switch x := x.(type) {
		case *ssa.Return:
			if slices.ContainsFunc(x.Results, func(v ssa.Value) bool { return bad.Fact(v) != well.Fact(v) }) {
				return true
			}
		case *ssa.Phi:
			if bad.Fact(x) != well.Fact(x) && f.leaves(x, 0) {
				return true
			}
		}
	}
	return false
}

// tellsSomebody reports whether an instruction can let other code know.
func (f *family) tellsSomebody(in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.Send, *ssa.MapUpdate, *ssa.Panic:
		return true
	case *ssa.Store:
		a, local := in.Addr.(*ssa.Alloc)
		if ia, ok := in.Addr.(*ssa.IndexAddr); ok {
			a, local = ia.X.(*ssa.Alloc)
		}
		return !local || a.Heap && a.Comment != "varargs" && a.Comment != "slicelit"
	case *ssa.Select:
		return slices.ContainsFunc(in.States, func(s *ssa.SelectState) bool { return s.Dir == types.SendOnly })
	case *ssa.BinOp:
		return in.Op == token.ADD && isNumber(in.Type()) // counts failures
	case *ssa.Return:
		fn := in.Parent()
		return fn.Signature.Results().Len() > 0 || f.cleansUp(fn) || f.worksIn(fn)
	case ssa.CallInstruction:
		if c := in.Common(); methodOf(c) == "Now" {
			return true // the time of the latest success is kept
		}
		return !f.quietCall(in.Common())
	}
	return false
}

// cleansUp reports whether a function defers something that others notice.
func (f *family) cleansUp(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if d, ok := in.(*ssa.Defer); ok && !f.quietCall(d.Common()) {
				return true
			}
		}
	}
	return false
}

// worksIn reports whether a function does the work itself: its end is the end
// of the work.
func (f *family) worksIn(fn *ssa.Function) bool {
	s := f.sums[fn]
	return s != nil && f.works(s.Effects, meaning.Meaning{})
}

// keepsTime reports whether a function compares times: a deadline of its own.
func (f *family) keepsTime(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if c, ok := in.(*ssa.Call); ok && !c.Call.IsInvoke() && c.Call.StaticCallee() != nil {
				if e := f.e.reader.Entry(f.callTerm(c.Common(), c.Pos())); e != nil && e.Clock == "compare" {
					return true
				}
			}
		}
	}
	return false
}

// leaves reports whether an outcome goes where it cannot be followed: it is
// returned, stored, sent, or given to a function that does not just log it.
func (f *family) leaves(v ssa.Value, depth int) bool {
	if v.Referrers() == nil || depth > 8 {
		return true
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Return, *ssa.Send, *ssa.MapUpdate:
			return true
		case *ssa.Store:
			if r.Val != v {
				continue
			}
			if ia, ok := r.Addr.(*ssa.IndexAddr); ok {
				// An argument of a variadic function.
				if a, ok := ia.X.(*ssa.Alloc); ok && f.leaves(a, depth+1) {
					return true
				}
				continue
			}
			if a, ok := r.Addr.(*ssa.Alloc); !ok || a.Heap && f.leaves(a, depth+1) {
				return true
			}
		case *ssa.Phi, *ssa.BinOp, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.Slice, *ssa.ChangeType, *ssa.Convert:
			if f.leaves(r.(ssa.Value), depth+1) {
				return true
			}
		case *ssa.UnOp:
			if r.Op == token.MUL && f.leaves(r, depth+1) {
				return true
			}
		case *ssa.MakeClosure:
			return true
		case *ssa.Call:
			switch c := r.Common(); {
			case !f.quietCall(c):
				return true
			case formats(c):
				if f.leaves(r, depth+1) {
					return true
				}
			}
		case *ssa.Go, *ssa.Defer:
			return true
		}
	}
	return false
}

// formats reports whether a call only gives its argument another form.
func formats(c *ssa.CallCommon) bool {
	callee := c.StaticCallee()
	if callee == nil || callee.Pkg == nil {
		return c.IsInvoke() && c.Method.Name() == "Error"
	}
	switch callee.Pkg.Pkg.Path() {
	case "errors", "github.com/pkg/errors":
		return !slices.Contains([]string{"Is", "As"}, callee.Name())
	case "fmt":
		return callee.Name() == "Errorf" || strings.HasPrefix(callee.Name(), "Sprint")
	}
	return false
}

// quietCall reports whether a call tells people at the most: a log line, a
// metric, a text. It goes by names; a function of the project itself that
// handles a failure is seldom called Warnf.
func (f *family) quietCall(c *ssa.CallCommon) bool {
	name := methodOf(c)
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return b.Name() != "close" && b.Name() != "panic"
	}
	l := strings.ToLower(name)
	for _, w := range []string{"fatal", "panic", "exit"} {
		if strings.HasPrefix(l, w) {
			return false
		}
	}
	for _, w := range []string{"log", "print", "debug", "info", "warn", "error", "trace", "notice", "verbose"} {
		if strings.HasPrefix(l, w) {
			return true
		}
	}
	path := ""
	switch {
	case c.IsInvoke():
		if p := c.Method.Pkg(); p != nil {
			path = p.Path()
		}
	case c.StaticCallee() != nil:
		if obj, ok := origin(c.StaticCallee()).Object().(*types.Func); ok && obj.Pkg() != nil {
			path = obj.Pkg().Path()
		}
		if path == "sync/atomic" {
			return strings.HasPrefix(name, "Load")
		}
		if e := f.e.reader.Entry(f.callTerm(c, c.Pos())); e != nil {
			return !e.Ends && !slices.ContainsFunc(f.e.reader.Of(f.callTerm(c, c.Pos())), func(m meaning.Meaning) bool {
				return m.Role == meaning.Release || m.Role == meaning.Write || m.Role == meaning.Acquire
			}) && e.Runs == nil
		}
	default:
		return false
	}
	switch path {
	case "fmt", "errors", "time", "strconv", "strings", "sync", "math/rand", "math/rand/v2", "context", "log/slog":
		return true
	}
	last := path[strings.LastIndexByte(path, '/')+1:]
	if strings.Contains(last, "log") || last == "zap" || strings.Contains(path, "/zap/") || strings.Contains(path, "prometheus") || strings.Contains(path, "metric") || strings.Contains(path, "opentelemetry") {
		return true
	}
	return slices.Contains([]string{"inc", "observe", "withlabelvalues", "with", "withfield", "withfields", "witherror", "v"}, l)
}
