package remarks

import (
	"go/token"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// Clocks finds decisions about leases that are made on the time of day. Those of
// a use are noted there; the others are returned.
func Clocks(e *engine.Engine, uses []*lock.Use) []lock.Remark {
	var loose []lock.Remark
	c := &clocks{e: e}
	e.EachFunction(func(f *engine.Family, fn *ssa.Function) {
		found := make(map[ssa.Instruction]bool)
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				why, ok := c.decision(f, in)
				if !ok {
					continue
				}
				if found[in] = true; furtherPart(in, found) {
					continue
				}
				call := lock.Call{Frame: f.Frame(in, why), Kind: "wall", Here: true}
				call.Call = call.Callee
				if in, ok := in.(*ssa.Call); ok {
					call.Fix = c.keepMonotonic(in)
				}
				if u := nearest(uses, fn); u != nil {
					u.Clocks = append(u.Clocks, call)
				} else {
					loose = append(loose, lock.Remark{Call: call, Package: code.PackagePath(fn)})
				}
			}
		}
	})
	sentClocks(e)
	slices.SortStableFunc(loose, func(a, b lock.Remark) int { return a.Compare(b.Position) })
	return loose
}

// furtherPart reports whether a comparison is asked for only where an earlier one has come out, both
// being of one condition: they are one decision.
func furtherPart(in ssa.Instruction, earlier map[ssa.Instruction]bool) bool {
	b := in.Block()
	if len(b.Preds) != 1 || b.Comment != "cond.true" && b.Comment != "cond.false" && b.Comment != "binop.rhs" {
		return false
	}
	br, ok := b.Preds[0].Instrs[len(b.Preds[0].Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	first, ok := br.Cond.(ssa.Instruction)
	return ok && earlier[first]
}

// sentClocks finds leases that are records of a database and are taken over by the
// clock of whoever asks: the statement is sent this host's time, or stores the end by
// it and compares that with the database's. It stands at the statement, or where the time
// is put into a filter.
func sentClocks(e *engine.Engine) {
	e.EachUse(func(f *engine.Family, r summary.Recorded) {
		st := r.Site
		if slices.ContainsFunc(st.Lock.Chain, func(c *summary.Site) bool {
			if c.Func == nil {
				return true
			}
			why, _ := sentClock(e, c.Lock.Call)
			return why != ""
		}) {
			return // told in the wrapper, or that is out of sight
		}
		if why, value := sentClock(e, st.Lock.Call); why != "" {
			at := f.Frame(st.At, why)
			if in := comparedIn(f, value); in != nil {
				at = f.Frame(in, why)
			}
			r.Use.Clocks = append(r.Use.Clocks, lock.Call{Frame: at, Call: st.Lock.At.Callee, Kind: "sent", Here: true})
		}
		for _, call := range sweptBy(f, st) {
			call.Call = call.Callee
			r.Use.Clocks = append(r.Use.Clocks, call)
		}
	})
}

// sweptBy lists the statements by which a function that inserts the record of a lease
// takes away one whose time is over, by the time of this host.
//
// Only there: what tidies elsewhere may leave a margin, and times are not reckoned with.
func sweptBy(f *engine.Family, st *summary.Site) []lock.Call {
	e := f.Engine
	a, ok := e.Acquire(st.Lock.Call)
	if !ok || !st.Direct || a.Row == nil || !a.Row.Stands || a.Row.Expiry == "" {
		return nil
	}
	var out []lock.Call
	for _, b := range st.Func.Blocks {
		for _, in := range b.Instrs {
			c, ok := in.(ssa.CallInstruction)
			if !ok || len(f.Entries(c.Common())) == 0 || !code.Before(in, st.At) {
				continue
			}
			for _, m := range e.Reader.Of(f.CallTerm(c.Common(), in.Pos())) {
				if m.Role != meaning.Write || !hasClock(m.Write) || m.Write.Resource != a.Row.Resource || !m.Write.Deletes() {
					continue
				}
				if slices.ContainsFunc(m.Write.Compared(a.Row.Expiry), func(v *term.T) bool { return ofThisHost(e, v) }) {
					why := "the statement compares " + a.Row.Expiry + " with the time of this host"
					out = append(out, lock.Call{Frame: f.Frame(in, why), Kind: "swept", Here: true})
				}
			}
		}
	}
	return out
}

// hasClock reports whether a write goes to a database that has a clock of its own.
func hasClock(c *meaning.Change) bool { return c.Store == "sql" || c.Store == "mongo" }

// ofThisHost reports whether a value is read from the clock of this host.
func ofThisHost(e *engine.Engine, v *term.T) bool {
	tok, ok := e.Reader.Token(v)
	return ok && tok.Origin == "clock"
}

// comparedIn is the store that puts a value into a filter of documents, under an operator
// of order; nil where that is elsewhere, or the value goes with a statement.
func comparedIn(f *engine.Family, value *term.T) ssa.Instruction {
	if value == nil {
		return nil
	}
	orders := func(v ssa.Value) bool {
		k, ok := v.(*ssa.Const)
		return ok && k.Value != nil && slices.Contains([]string{`"$lt"`, `"$lte"`, `"$gt"`, `"$gte"`}, k.Value.ExactString())
	}
	for _, fn := range f.Members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				switch in := in.(type) {
				case *ssa.MapUpdate:
					if orders(in.Key) && f.Get(in.Value) == value {
						return in
					}
				case *ssa.Store: // of the value of a pair
					fa, ok := in.Addr.(*ssa.FieldAddr)
					if !ok || f.Get(in.Val) != value {
						continue
					}
					for _, r := range *fa.X.Referrers() {
						key, ok := r.(*ssa.FieldAddr)
						if ok && slices.ContainsFunc(*key.Referrers(), func(r ssa.Instruction) bool {
							st, ok := r.(*ssa.Store)
							return ok && orders(st.Val)
						}) {
							return in
						}
					}
				}
			}
		}
	}
	return nil
}

// sentClock says which time of this host decides about a record that a call takes, and
// which value is compared; it is empty for none. Only databases that have a clock of their
// own count.
func sentClock(e *engine.Engine, call *term.T) (why string, value *term.T) {
	a, ok := e.Acquire(call)
	if !ok || a.Row == nil || a.Row.Expiry == "" {
		return "", nil
	}
	ours := func(v *term.T) bool { return ofThisHost(e, v) }
	for _, m := range e.Reader.Of(call) {
		if m.Role != meaning.Write || !hasClock(m.Write) || m.Write.Resource != a.Row.Resource {
			continue
		}
		compared := m.Write.Compared(a.Row.Expiry)
		if i := slices.IndexFunc(compared, ours); i >= 0 {
			if m.Write.Store == "mongo" {
				value = compared[i]
			}
			return "the statement compares " + a.Row.Expiry + " with the time of this host", value
		} else if len(compared) == 0 {
			continue
		}
		if slices.ContainsFunc(a.Row.Sets, func(s meaning.Setting) bool { return s.Column == a.Row.Expiry && ours(s.Value) }) {
			return "the statement stores a time of this host in " + a.Row.Expiry + ", and compares it with the database's", nil
		}
	}
	return "", nil
}

// nearest is the use that a decision in fn is about: one of the function, one of
// its receiver's type, or the only one of the package.
func nearest(uses []*lock.Use, fn *ssa.Function) *lock.Use {
	var sameType, samePackage *lock.Use
	count := 0
	name, pkg := code.Shown(fn), code.PackagePath(fn)
	recv, _, method := strings.Cut(name, ").")
	for _, u := range uses {
		if u.Package != pkg {
			continue
		}
		if u.Acquire.Function == name {
			return u
		}
		if method && sameType == nil && strings.HasPrefix(u.Acquire.Function, recv+").") {
			sameType = u
		}
		samePackage = u
		count++
	}
	switch {
	case sameType != nil:
		return sameType
	case count == 1:
		return samePackage
	}
	return nil
}

// clocks answers what there is to ask about one instruction. What it needs to
// know of the whole program is gathered when the first comparison of times asks.
type clocks struct {
	e       *engine.Engine
	read    *engine.Readings
	leasing *leasing
}

func (c *clocks) readings() *engine.Readings {
	if c.read == nil {
		c.read = c.e.Readings()
		c.leasing = newLeasing(c.e, c.read)
	}
	return c.read
}

// decision reports whether an instruction compares the present with the time of
// a lease, at least one of them without a monotonic reading, and its outcome
// decides something. why says how the reading was lost.
func (c *clocks) decision(f *engine.Family, in ssa.Instruction) (why string, ok bool) {
	switch in := in.(type) {
	case *ssa.Call:
		common := in.Common()
		// Terms are made only for the few calls that may be meant.
		if common.IsInvoke() || !slices.ContainsFunc(f.Entries(common), func(e *catalog.Call) bool { return e.Clock == "compare" }) {
			return "", false
		}
		e := f.Engine.Reader.Entry(f.CallTerm(common, in.Pos()))
		if e == nil || e.Clock != "compare" {
			return "", false
		}
		r := c.readings()
		present := len(common.Args) == 1 // Since, Until
		for _, a := range common.Args {
			present = present || r.Now(a)
			if why == "" {
				why = lost(r, a)
			}
		}
		if why == "" || !present {
			return "", false
		}
		return why, (slices.ContainsFunc(common.Args, c.leasing.of) || c.tooOld(in)) && c.decides(in)
	case *ssa.BinOp:
		if !isOrder(in.Op) || !code.IsNumber(in.X.Type()) {
			return "", false
		}
		r := c.readings()
		by := ticks(r, in.X)
		if by == "" {
			by = ticks(r, in.Y)
		}
		if by == "" {
			return "", false
		}
		old := func(diff, bound ssa.Value) bool {
			sub, ok := diff.(*ssa.BinOp)
			return ok && sub.Op == token.SUB && c.leasing.aged(sub.Y, bound, tickOf[by])
		}
		return by + " leaves no monotonic reading", (c.leasing.of(in.X) || c.leasing.of(in.Y) || old(in.X, in.Y) || old(in.Y, in.X)) && c.decides(in)
	}
	return "", false
}

// tickOf is what the numbers count that a time is made into.
var tickOf = map[string]time.Duration{"Unix": time.Second, "UnixMilli": time.Millisecond, "UnixMicro": time.Microsecond, "UnixNano": 1}

// tooOld reports whether the duration since a time is held against a part of the life of
// the lock that was taken or renewed then.
func (c *clocks) tooOld(since *ssa.Call) bool {
	if !code.IsDuration(since.Type()) {
		return false
	}
	past := since.Call.Args[len(since.Call.Args)-1]
	return slices.ContainsFunc(*since.Referrers(), func(in ssa.Instruction) bool {
		cmp, ok := in.(*ssa.BinOp)
		if !ok || !isOrder(cmp.Op) {
			return false
		}
		bound := cmp.X
		if bound == ssa.Value(since) {
			bound = cmp.Y
		}
		return c.leasing.aged(past, bound, 1)
	})
}

func isOrder(op token.Token) bool {
	return op == token.LSS || op == token.LEQ || op == token.GTR || op == token.GEQ
}

// decides reports whether a value takes part in a decision: a branch, or how
// long something waits. A result that nobody in view takes decides for callers
// out of sight. Values that are only shown, logged or stored do not decide.
func (c *clocks) decides(v ssa.Value) bool {
	seen := make(map[ssa.Value]bool)
	work := []ssa.Value{v}
	for len(work) > 0 && len(seen) < engine.MaxSources {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[v] || v.Referrers() == nil {
			continue
		}
		seen[v] = true
		for _, in := range *v.Referrers() {
			switch in := in.(type) {
			case *ssa.If:
				return true
			case *ssa.BinOp:
				work = append(work, in)
			case *ssa.UnOp:
				work = append(work, in)
			case *ssa.Phi:
				work = append(work, in)
			case *ssa.Convert:
				work = append(work, in)
			case *ssa.ChangeType:
				work = append(work, in)
			case *ssa.Store:
				if a, ok := in.Addr.(*ssa.Alloc); ok && in.Val == v {
					work = append(work, a) // its loads
				}
			case *ssa.Return:
				taken := c.read.Callers[in.Parent()]
				if len(taken) == 0 {
					return true
				}
				for _, call := range c.read.Taking[in.Parent()] {
					work = append(work, engine.ResultOf(call, slices.Index(in.Results, v))...)
				}
			case *ssa.Call:
				more, waits := c.passed(in, v)
				if waits {
					return true
				}
				work = append(work, more...)
			}
		}
	}
	return false
}

// passed says what becomes of an argument: other forms of it, or a wait.
func (c *clocks) passed(call *ssa.Call, v ssa.Value) (more []ssa.Value, waits bool) {
	common := call.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		if b.Name() == "min" || b.Name() == "max" {
			return []ssa.Value{call}, false
		}
		return nil, false
	}
	if e := c.read.Entry(call); e != nil {
		switch {
		case e.Blocks != nil && code.Operand(common, e.Blocks.For) == v:
			return nil, true
		case !e.Same.IsZero() && code.Operand(common, e.Same) == v:
			return []ssa.Value{call}, false
		case code.MethodOf(common) == "Reset":
			return nil, true // of a timer: the one call with a Duration of that name
		}
		return nil, false
	}
	if callee := code.Origin(common.StaticCallee()); callee != nil && len(callee.Params) == len(common.Args) {
		for i, a := range common.Args {
			if a == v {
				more = append(more, callee.Params[i])
			}
		}
	}
	return more, false
}

// lost says how a time came to carry no monotonic reading; it is empty where it
// carries one or that is not known.
func lost(r *engine.Readings, v ssa.Value) string {
	why := ""
	r.Walk(v, func(x ssa.Value) bool {
		if call := callOf(x); call != nil {
			if e := r.Entry(call); e != nil {
				switch e.Clock {
				case "strip":
					why = code.MethodOf(call.Common()) + " leaves no monotonic reading"
				case "now":
					return false
				}
			}
		}
		return why == ""
	}, func(_ ssa.Value, by string) {
		if why == "" {
			why = "a time that " + by + " brings in has no monotonic reading"
		}
	})
	return why
}

// ticks reports whether a number was made of the clock as it stands
// (time.Now().Unix()), which drops the monotonic reading, and by what.
func ticks(r *engine.Readings, v ssa.Value) (by string) {
	r.Walk(v, func(x ssa.Value) bool {
		if _, _, stored := code.FieldRead(x); stored {
			return false
		}
		call, ok := x.(*ssa.Call)
		if !ok {
			return by == "" && code.IsNumber(x.Type())
		}
		if e := r.Entry(call); e != nil && e.Clock == "strip" && code.IsNumber(call.Type()) {
			if len(call.Call.Args) > 0 && r.Now(call.Call.Args[0]) {
				by = code.MethodOf(call.Common())
			}
			return false
		}
		return by == ""
	}, nil)
	return by
}
