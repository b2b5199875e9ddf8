package remarks

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/lock"
)

// A length of time can be right and be counted wrongly: in milliseconds where seconds
// are asked for, or twice, by a factor of a second on what is a duration already.

// longNanos is the least length that a lease can have been meant to have: a duration
// of less is a bare number.
const longNanos = 1_000_000

// scales notes the lengths of time among the arguments of a call that makes, takes or
// renews a lease.
func (k *keeping) scales(f *engine.Family, in ssa.CallInstruction, list []summary.Effect) {
	for _, e := range f.Entries(in.Common()) {
		if o := e.Option; o != nil && !o.TTL.IsZero() {
			k.bareArgument(f, in)
			k.counted(f, in, code.Operand(in.Common(), o.TTL), o.TTLUnit)
		}
		if n := e.New; n != nil && !n.TTL.IsZero() {
			k.bareArgument(f, in)
			k.counted(f, in, code.Operand(in.Common(), n.TTL), n.TTLUnit)
		}
	}
	for _, x := range list {
		if x.Call == nil || x.Open != summary.Closed {
			continue
		}
		// A wrapper is given the number, and hands it on as it is.
		for _, m := range k.e.Reader.Of(x.Call) {
			if m.Role != meaning.Acquire && m.Role != meaning.Renew || m.Span == nil {
				continue
			}
			for _, v := range f.Inputs(in.Common()) {
				if f.Get(v).Number() == m.Span {
					k.counted(f, in, v, m.Unit)
				}
			}
		}
	}
}

// counted notes a number that counts in another unit than the one that is asked for.
func (k *keeping) counted(f *engine.Family, in ssa.CallInstruction, v ssa.Value, unit string) {
	asked, name := unitOf(unit)
	if v == nil || asked == 0 || code.IsDuration(v.Type()) {
		return
	}
	has := k.unit(f, v, 0)
	if manySeconds(f, v) {
		has = 1
	}
	if has == 0 || has == asked {
		return
	}
	frame := f.Frame(in, name+", and is given "+unitName(has))
	k.found.add(f, in.Parent(), lock.Call{Frame: frame, Call: frame.Callee, Kind: lock.DurationScale, Share: asked / has})
}

// manySeconds reports whether a number is a constant that is a whole number of seconds
// in nanoseconds, such as the compiler makes of a constant duration. As what a library
// counts it would be eleven days at the least, or an age.
func manySeconds(f *engine.Family, v ssa.Value) bool {
	v = f.Single(v)
	if i, ok := v.(*ssa.MakeInterface); ok {
		v = f.Single(i.X)
	}
	n, ok := code.ConstInt(v)
	return ok && n >= 1e9 && n%1e9 == 0
}

// unitOf is a unit of the catalogue in nanoseconds, and its name.
func unitOf(unit string) (nanos float64, name string) {
	switch unit {
	case "s":
		return 1e9, "seconds"
	case "ms":
		return 1e6, "milliseconds"
	}
	return 0, ""
}

func unitName(nanos float64) string {
	switch nanos {
	case 1:
		return "nanoseconds"
	case 1e3:
		return "microseconds"
	case 1e6:
		return "milliseconds"
	case 1e9:
		return "seconds"
	case 60e9:
		return "minutes"
	case 3600e9:
		return "hours"
	}
	return "another unit"
}

// unit is what a number counts that was made of a duration, in nanoseconds; 0 where
// that does not show.
func (k *keeping) unit(f *engine.Family, v ssa.Value, depth int) float64 {
	if v == nil || depth > engine.MaxLooks {
		return 0
	}
	switch x := f.Single(v).(type) {
	case *ssa.MakeInterface:
		return k.unit(f, x.X, depth+1)
	case *ssa.ChangeType: // to an int64
		return k.converted(f, x.X, depth)
	case *ssa.Convert:
		return k.converted(f, x.X, depth)
	case *ssa.BinOp:
		a, b := k.unit(f, x.X, depth+1), k.unit(f, x.Y, depth+1)
		n, ok := code.ConstInt(x.Y)
		switch step := ok && slices.Contains([]int64{60, 1000, 3600, 1e6, 1e9}, n); {
		case a == 0 || b != 0 && a != b:
			return 0
		case x.Op == token.MUL && step:
			return a / float64(n)
		case x.Op == token.QUO && step:
			return a * float64(n)
		case x.Op == token.ADD || x.Op == token.SUB || x.Op == token.QUO && ok || x.Op == token.MUL && ok:
			return a
		}
	case *ssa.Call:
		switch name := code.CalleeName(x.Common()); name {
		case "(time.Duration).Nanoseconds":
			return 1
		case "(time.Duration).Microseconds":
			return 1e3
		case "(time.Duration).Milliseconds":
			return 1e6
		case "(time.Duration).Seconds":
			return 1e9
		case "(time.Duration).Minutes":
			return 60e9
		case "(time.Duration).Hours":
			return 3600e9
		default:
			if name == "strconv.Itoa" || name == "strconv.FormatInt" {
				return k.unit(f, x.Call.Args[0], depth+1)
			}
			if b, ok := x.Call.Value.(*ssa.Builtin); strings.HasPrefix(name, "math.") || ok && (b.Name() == "max" || b.Name() == "min") {
				return k.unit(f, x.Call.Args[0], depth+1)
			}
		}
	}
	return 0
}

// converted is what a number counts that a value becomes.
func (k *keeping) converted(f *engine.Family, v ssa.Value, depth int) float64 {
	if !code.IsDuration(v.Type()) {
		return k.unit(f, v, depth+1)
	}
	if by, ok := v.(*ssa.BinOp); ok && by.Op == token.QUO {
		if n, ok := code.ConstInt(by.Y); ok && n >= manyNanos {
			return float64(n) // how many of these
		}
	}
	if k.lengthy(v) {
		return 1
	}
	return 0
}

// numbered reports whether a duration is made of a number.
func numbered(v ssa.Value) bool {
	switch x := v.(type) {
	case *ssa.Convert:
		return code.IsDuration(x.Type()) && !code.IsDuration(x.X.Type())
	case *ssa.ChangeType:
		return code.IsDuration(x.Type()) && !code.IsDuration(x.X.Type())
	}
	return false
}

// squared finds the product of two durations that a length of time is.
func (k *keeping) squared(v ssa.Value) *ssa.BinOp {
	var found *ssa.BinOp
	k.e.Readings().Walk(v, func(x ssa.Value) bool {
		by, ok := x.(*ssa.BinOp)
		if !ok || by.Op != token.MUL || !code.IsDuration(by.Type()) {
			return found == nil && !numbered(x)
		}
		if k.isUnit(by.X) && k.lengthy(by.Y) || k.isUnit(by.Y) && k.lengthy(by.X) {
			found = by
		}
		return false
	}, nil)
	return found
}

// isUnit reports whether a factor is a constant that turns a number into a duration.
func (k *keeping) isUnit(v ssa.Value) bool {
	n, ok := code.ConstInt(v)
	return ok && n >= manyNanos
}

// lengthy reports whether a duration is one by all that it may come from in view, and
// not a bare number under that type: a constant of some length, a product with a unit,
// a difference of times.
func (k *keeping) lengthy(v ssa.Value) bool {
	long, doubt := false, false
	factor := make(map[ssa.Value]bool)
	k.e.Readings().Walk(v, func(x ssa.Value) bool {
		if factor[x] {
			return false
		}
		if numbered(x) {
			doubt = true
			return false
		}
		switch x := x.(type) {
		case *ssa.Const:
			n, ok := code.ConstInt(x)
			long = long || ok && n >= longNanos
			doubt = doubt || ok && n > 0 && n < longNanos
		case *ssa.BinOp:
			if x.Op == token.MUL && (k.isUnit(x.X) || k.isUnit(x.Y)) {
				long = true
				return false
			}
			if x.Op == token.QUO || x.Op == token.MUL {
				for _, a := range []ssa.Value{x.X, x.Y} {
					_, ok := code.ConstInt(a)
					factor[a] = ok
				}
			}
		case *ssa.Call:
			if name := code.CalleeName(x.Common()); name == "time.Until" || name == "time.Since" || name == "(time.Time).Sub" {
				long = true
				return false
			}
		case *ssa.Extract:
			if c, ok := x.Tuple.(*ssa.Call); ok && code.CalleeName(c.Common()) == "time.ParseDuration" {
				long = true
				return false
			}
		}
		return !doubt
	}, func(ssa.Value, string) { doubt = true })
	return long && !doubt
}
