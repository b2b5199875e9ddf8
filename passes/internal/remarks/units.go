package remarks

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// manyNanos is the least number that turns a count of something into
// nanoseconds: microseconds have a thousand of them.
const manyNanos = 1000

// units notes a time to live that is none: a point in time, or a whole number whose
// unit was left out.
func (k *keeping) units(f *engine.Family, r summary.Recorded) {
	st, ttl := r.Site, r.Use.TTL
	if text := k.cut(r); text != "" {
		at := r.Use.Acquire
		k.found.of(r.Use, lock.Call{Frame: framed(at, text), Call: at.Callee, Kind: lock.DurationCut})
		return
	}
	if len(st.Lock.Via) > 0 {
		return
	}
	note := func(kind, text string) {
		at := k.given(f, r)
		k.found.of(r.Use, lock.Call{Frame: framed(at, text), Call: at.Callee, Kind: kind})
	}
	switch {
	case !strings.HasPrefix(r.Lock.Unit, "unix") && k.instant(r.Lock.Span, 0):
		note(lock.DurationInstant, ttl.Text)
	case ttl.Source == "constant" && ttl.Seconds > 0 && ttl.Seconds < 0.001:
		note(lock.DurationTiny, ttl.Text)
	case !k.bareArgument(f, st.At):
		k.bareCount(f, st.At, r.Lock.Span)
	}
}

// wholes are the methods that count a duration in a unit, and the seconds of one.
var wholes = map[string]float64{"Seconds": 1, "Minutes": 60, "Hours": 3600}

// cut says how a time to live is less than one of the whole units that it is counted
// in, so that none of it is left; it is empty for others.
func (k *keeping) cut(r summary.Recorded) string {
	taken := r.Site // where the command is
	if len(r.Site.Lock.Chain) > 0 {
		taken = r.Site.Lock.Chain[0]
	}
	m, ok := k.e.Acquire(taken.Lock.Call)
	length := meaning.Seconds(r.Lock.Span)
	if !ok || m.Span == nil || length <= 0 || taken.Func == nil || !taken.Direct {
		return ""
	}
	f := k.e.Families[code.Root(taken.Func)]
	if f == nil {
		return ""
	}
	for _, b := range taken.Func.Blocks {
		for _, in := range b.Instrs {
			whole, ok := in.(*ssa.Convert)
			if !ok || !isInteger(whole.Type()) {
				continue
			}
			count, ok := whole.X.(*ssa.Call)
			if !ok || code.Operand(count.Common(), refReceiver) == nil || !code.IsDuration(code.Operand(count.Common(), refReceiver).Type()) {
				continue
			}
			if unit := wholes[code.MethodOf(count.Common())]; length < unit && f.Get(whole) == m.Span && givenTo(whole, taken.At, 0) {
				return meaning.Length(r.Lock.Span) + " in whole " + strings.ToLower(code.MethodOf(count.Common()))
			}
		}
	}
	return ""
}

// givenTo reports whether a value is an argument of a call, be it as a text or one of
// a list.
func givenTo(v ssa.Value, call ssa.CallInstruction, depth int) bool {
	if depth > 6 || v.Referrers() == nil {
		return false
	}
	return slices.ContainsFunc(*v.Referrers(), func(in ssa.Instruction) bool {
		if in == ssa.Instruction(call) {
			return true
		}
		switch in := in.(type) {
		case *ssa.Store:
			at, ok := in.Addr.(*ssa.IndexAddr)
			return ok && in.Val == v && givenTo(at.X, call, depth+1)
		case *ssa.MakeInterface, *ssa.Convert, *ssa.Slice:
			return givenTo(in.(ssa.Value), call, depth+1)
		case *ssa.Call:
			fn := in.Call.StaticCallee()
			return fn != nil && fn.Pkg != nil && fn.Pkg.Pkg.Path() == "strconv" && givenTo(in, call, depth+1)
		}
		return false
	})
}

// ranges notes a lease that is made with a time to live which its backend refuses, or
// replaces by another: at the call that makes it, or at that of a wrapper which makes
// it as long as it is told to.
func (k *keeping) ranges(f *engine.Family, in ssa.CallInstruction) {
	limited := slices.ContainsFunc(f.Entries(in.Common()), func(e *catalog.Call) bool { return e.New != nil && e.New.TTLLeast != "" })
	makes := k.makes(in)
	if !limited && !makes {
		return
	}
	call := f.CallTerm(in.Common(), in.Pos())
	text := k.beyond(call)
	if made, ok := in.(*ssa.Call); ok && makes {
		for i := range in.Common().Signature().Results().Len() {
			for _, v := range engine.ResultOf(made, i) {
				f.Get(v).Any(func(t *term.T) bool {
					if _, span, ok := k.e.Reader.Lives(t); ok && slices.ContainsFunc(call.Args, func(a *term.T) bool { return a.Any(func(x *term.T) bool { return x == span }) }) {
						text = k.beyond(t)
					}
					return text != ""
				})
			}
		}
	}
	if text != "" {
		frame := f.Frame(in, text)
		k.found.add(f, in.Parent(), lock.Call{Frame: frame, Call: frame.Callee, Kind: lock.DurationRange})
	}
}

// makes reports whether a function returns a lease which lives as long as its
// caller says.
func (k *keeping) makes(in ssa.CallInstruction) bool {
	callee := in.Common().StaticCallee()
	if callee == nil {
		return false
	}
	sum := k.e.Summary(code.Origin(callee))
	return sum != nil && slices.ContainsFunc(sum.Results, func(t *term.T) bool {
		return t != nil && t.Any(func(x *term.T) bool {
			_, span, ok := k.e.Reader.Lives(x)
			return ok && span != nil && span.Open()
		})
	})
}

// beyond says how the time to live of a lease that a call makes is out of range; it
// is empty where it is not, or not known.
func (k *keeping) beyond(call *term.T) string {
	switch ttl, _, ok := k.e.Reader.Lives(call); {
	case !ok || ttl.Source != "constant":
		return ""
	case ttl.Seconds > 0 && ttl.Seconds < ttl.Least:
		return ttl.Text + " is less than the " + seconds(ttl.Least) + " that it accepts"
	case ttl.Most > 0 && ttl.Seconds > ttl.Most:
		return ttl.Text + " is more than the " + seconds(ttl.Most) + " that it accepts"
	}
	return ""
}

// given is the call in view that the time to live is an argument of: where the
// lock or its session is made, or else the acquire.
func (k *keeping) given(f *engine.Family, r summary.Recorded) lock.Frame {
	if span := r.Lock.Span; span != nil {
		for _, made := range []*term.T{r.Lock.Handle, r.Lock.Parent} {
			if in := f.CallOf(made); in != nil && f.CallTerm(in.Common(), in.Pos()).Any(func(t *term.T) bool { return t == span }) {
				return f.Frame(in, "")
			}
		}
	}
	return r.Site.Lock.At
}

func seconds(s float64) string { return strconv.Itoa(int(s)) + "s" }

// instant reports whether a time to live is computed from the present by
// additions only.
func (k *keeping) instant(t *term.T, depth int) bool {
	if t == nil || depth > 6 {
		return false
	}
	switch t.Kind {
	case term.Call:
		e := k.e.Reader.Entry(t)
		return e != nil && e.Origin != nil && e.Origin.Kind == "clock" && e.Clock == "now"
	case term.Op:
		return t.Name == "+" && slices.ContainsFunc(t.Args, func(a *term.T) bool { return k.instant(a, depth+1) })
	}
	return false
}

// bareArgument notes a duration among the arguments of a call that is a whole
// number in disguise, as in time.Duration(seconds), or a product of two durations.
func (k *keeping) bareArgument(f *engine.Family, in ssa.CallInstruction) bool {
	return slices.ContainsFunc(in.Common().Args, func(a ssa.Value) bool { return code.IsDuration(a.Type()) && k.disguised(f, in, a) })
}

// bareCount notes the same of the duration that a number counts, which a script or a
// command is told as the time to live.
func (k *keeping) bareCount(f *engine.Family, in ssa.CallInstruction, span *term.T) {
	for _, v := range f.Inputs(in.Common()) {
		if span != nil && f.Get(v).Number() == span {
			if d := countedFrom(f, v, 0); d != nil && k.disguised(f, in, d) {
				return
			}
		}
	}
}

// countedFrom is the duration that a number is the length of, in whatever unit and be it
// as a text; nil for other values.
func countedFrom(f *engine.Family, v ssa.Value, depth int) ssa.Value {
	if depth > engine.MaxLooks {
		return nil
	}
	if code.IsDuration(v.Type()) {
		return v
	}
	switch x := f.Single(v).(type) {
	case *ssa.MakeInterface:
		return countedFrom(f, x.X, depth+1)
	case *ssa.Convert:
		return countedFrom(f, x.X, depth+1)
	case *ssa.ChangeType:
		return countedFrom(f, x.X, depth+1)
	case *ssa.BinOp:
		if _, ok := code.ConstInt(x.Y); ok {
			return countedFrom(f, x.X, depth+1)
		}
	case *ssa.Call:
		builtin, _ := x.Call.Value.(*ssa.Builtin)
		fn := x.Call.StaticCallee()
		switch {
		case builtin != nil && (builtin.Name() == "max" || builtin.Name() == "min"),
			fn != nil && fn.Pkg != nil && (fn.Pkg.Pkg.Path() == "strconv" || fn.Pkg.Pkg.Path() == "math"):
			return countedFrom(f, x.Call.Args[0], depth+1)
		}
		if recv := code.Operand(x.Common(), refReceiver); recv != nil && code.IsDuration(recv.Type()) {
			return recv
		}
	}
	return nil
}

// disguised notes that a duration which a call is given is a number without a unit, or
// has its unit twice.
func (k *keeping) disguised(f *engine.Family, in ssa.CallInstruction, d ssa.Value) bool {
	kind := lock.DurationBare
	number, at := k.bare(d)
	if at == nil {
		by := k.squared(d)
		if by == nil {
			return false
		}
		kind, number, at = lock.DurationSquared, by, by
	}
	frame := f.Frame(in, "")
	if g := k.e.Readings().Family(number); g != nil {
		frame.Text = g.Get(number).Text()
	}
	if at.Parent() != in.Parent() {
		frame.Position = k.e.Position(at.Pos())
	}
	k.found.add(f, in.Parent(), lock.Call{Frame: frame, Call: frame.Callee, Kind: kind})
	return true
}

// bare finds the number without a unit that a duration is, and the conversion
// of it; nil otherwise. A product is left alone: one of its factors is the unit.
func (k *keeping) bare(v ssa.Value) (number, conversion ssa.Value) {
	k.e.Readings().Walk(v, func(x ssa.Value) bool {
		var from ssa.Value
		switch x := x.(type) {
		case *ssa.BinOp:
			return x.Op != token.MUL
		case *ssa.Convert:
			from = x.X
		case *ssa.ChangeType: // of an int64
			from = x.X
		}
		if from != nil && code.IsDuration(x.Type()) && isInteger(from.Type()) {
			if k.unitless(from) {
				number, conversion = from, x
			}
			return false
		}
		return conversion == nil
	}, nil)
	return number, conversion
}

// isInteger reports whether a type is one of Go's own for whole numbers. A type
// that the program declares may stand for a length of time as it is.
func isInteger(t types.Type) bool {
	b, ok := types.Unalias(t).(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// unitless reports whether a number counts something other than nanoseconds, as
// far as its sources show: a parameter, a field or a variable, without a duration,
// a difference of times or a large factor on its way, and without a name that
// says nanoseconds. A number that another function computes may be anything.
func (k *keeping) unitless(v ssa.Value) bool {
	plain, other := false, false
	name := func(s string) {
		plain = true
		other = other || meaning.Named(s, "nano", "nanos", "nanosecond", "nanoseconds", "ns", "duration", "dur", "jitter") || strings.HasSuffix(s, "Ns")
	}
	k.e.Readings().Walk(v, func(x ssa.Value) bool {
		if code.IsDuration(x.Type()) {
			other = true
			return false
		}
		if s, i, ok := code.FieldRead(x); ok {
			name(code.FieldName(s.Type(), i))
			return false
		}
		switch x := x.(type) {
		case *ssa.BinOp:
			for _, a := range []ssa.Value{x.X, x.Y} {
				n, ok := code.ConstInt(a)
				other = other || ok && x.Op == token.MUL && n >= manyNanos
			}
			other = other || x.Op == token.SUB || x.Op == token.SHL
		case *ssa.Call:
			// Seconds of a duration are as bare as any; of other results
			// nothing is known.
			recv := code.Operand(x.Common(), refReceiver)
			if recv == nil || !code.IsDuration(recv.Type()) || code.MethodOf(x.Common()) == "Nanoseconds" {
				other = true
			} else {
				plain = true
			}
			return false
		case *ssa.Extract:
			other = true
		case *ssa.Parameter:
			name(x.Name())
		case *ssa.UnOp:
			if g, ok := x.X.(*ssa.Global); ok {
				name(g.Name())
			}
		}
		return !other
	}, func(ssa.Value, string) { other = true })
	return plain && !other
}

var refReceiver = catalog.Ref{Base: catalog.Receiver}
