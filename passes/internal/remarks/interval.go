package remarks

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// tooSeldom is the share of the time to live above which an interval leaves no
// room for a second try.
const tooSeldom = 0.34

// interval notes a renewal in a loop whose period is more than a third of the
// time to live. Both must be constant, or computed from the same value.
func (k *keeping) interval(f *engine.Family, in ssa.CallInstruction, m meaning.Meaning) {
	period := period(f, in)
	if period == nil {
		return
	}
	if at := f.CallOf(period); at != nil {
		k.bareArgument(f, at)
	}
	length := meaning.Args(period)[0]
	share := 0.0
	for _, r := range k.e.Recorded[f] {
		if r.Lock.Family == m.Family {
			share = k.share(length, r.Lock)
		}
	}
	at := f.CallOf(period)
	if at == nil {
		at = in
	}
	if m.Role == meaning.Renew {
		// What was acquired counts until the first renewal, what that gives afterwards.
		switch own := k.share(length, m); {
		case share == 0:
			share = max(own, k.shareOfUses(in, period, m))
		case own > share:
			if share <= tooSeldom {
				at = in // the period suits what was acquired
			}
			share = own
		}
	}
	if share <= tooSeldom {
		return
	}
	frame := f.Frame(at, meaning.Length(length))
	k.found.add(f, in.Parent(), lock.Call{Frame: frame, Call: frame.Callee, Kind: lock.RenewSeldom, Share: share})
}

// pace notes a library that is told to renew in the background, at an interval that is
// more than a third of the time to live: where it is told the one, or else the other.
func (k *keeping) pace(f *engine.Family, r summary.Recorded) {
	if r.Lock.Every == nil || len(r.Site.Lock.Via) > 0 || r.Lock.Renewal != "library" {
		return
	}
	share := k.share(r.Lock.Every, r.Lock)
	if share <= tooSeldom {
		return
	}
	var at ssa.CallInstruction
	for _, made := range []*term.T{r.Lock.Handle, r.Lock.Parent} {
		made.Any(func(t *term.T) bool {
			e := k.e.Reader.Entry(t)
			if e == nil || e.Option == nil {
				return false
			}
			told := k.e.Reader.Get(e.Option.Every, t, nil) != nil
			if in := f.CallOf(t); in != nil && (told || at == nil && k.e.Reader.Get(e.Option.TTL, t, nil) != nil) {
				at = in
				return told
			}
			return false
		})
	}
	if at == nil || k.paced[k.e.CallSite(at.Common().Pos())] {
		return // of an object that is made elsewhere, or told for another lock of it
	}
	k.paced[k.e.CallSite(at.Common().Pos())] = true
	frame := f.Frame(at, meaning.Length(r.Lock.Every))
	k.found.of(r.Use, lock.Call{Frame: frame, Call: frame.Callee, Kind: lock.RenewSeldom, Share: share})
}

// selfPaced notes a renewal whose library paces itself by a time to live that it is told,
// where that is more than the session has which owns the lock.
func (k *keeping) selfPaced(f *engine.Family, in ssa.CallInstruction, m meaning.Meaning, interval string) {
	num, den, _ := strings.Cut(interval, "/")
	a, _ := strconv.ParseFloat(num, 64)
	b, err := strconv.ParseFloat(den, 64)
	if err != nil {
		return
	}
	frame := f.Frame(in, "")
	share := 0.0
	judge := func(m, of meaning.Meaning) {
		if m.Role != meaning.Renew || of.Family != m.Family || of.TTL.Seconds <= 0 || m.TTL.Seconds <= of.TTL.Seconds ||
			of.Parent != nil && m.Handle != nil && !k.e.Pool.Alike(of.Parent, m.Handle) {
			return
		}
		if n := m.TTL.Seconds / of.TTL.Seconds * a / b; n > share {
			share, frame.Text = n, strconv.FormatFloat(m.TTL.Seconds*a/b, 'f', -1, 64)+"s"
		}
	}
	for _, r := range k.e.Recorded[f] {
		judge(m, r.Lock)
	}
	for _, g := range k.e.Index.Around(frame.Position) {
		for _, r := range k.e.Recorded[g] {
			for _, x := range r.Site.Effects {
				if x.Call != nil && x.Open == summary.Closed && x.At.Position == frame.Position {
					for _, n := range k.e.Reader.Of(x.Call) {
						judge(n, r.Lock)
					}
				}
			}
		}
	}
	if share > 0 {
		k.found.add(f, in.Parent(), lock.Call{Frame: frame, Call: frame.Callee, Kind: lock.RenewSeldom, Share: share})
	}
}

// shareOfUses is the greatest share that a period has of the time to live of a lock
// whose section runs the renewal in another function. Both are as that section knows
// them: what they come from may be arguments.
func (k *keeping) shareOfUses(in ssa.CallInstruction, period *term.T, m meaning.Meaning) float64 {
	at := k.e.Families[code.Origin(code.Root(in.Parent()))].Frame(in, "").Position
	share := 0.0
	for _, g := range k.e.Index.Around(at) {
		for _, r := range k.e.Recorded[g] {
			if r.Lock.Family != m.Family || !slices.ContainsFunc(r.Site.Effects, func(x summary.Effect) bool { return x.At.Position == at }) {
				continue
			}
			for _, x := range r.Site.Effects {
				if x.Call != nil && x.Call.Site == period.Site && len(meaning.Args(x.Call)) > 0 {
					share = max(share, k.share(meaning.Args(x.Call)[0], r.Lock))
				}
			}
		}
	}
	return share
}

// period is the call that makes the ticker, or waits, in the innermost loop
// around in; nil where there is none, or more than one.
func period(f *engine.Family, in ssa.CallInstruction) *term.T {
	var inner *summary.Loop
	for _, l := range f.Sums[in.Parent()].Loops {
		if l.Body[in.Block()] && (inner == nil || len(l.Body) < len(inner.Body)) {
			inner = l
		}
	}
	if inner == nil {
		return nil
	}
	var found []*term.T
	timer := func(c ssa.Value) {
		t := f.Get(c)
		if t.Kind == term.Field {
			t = t.Args[0]
		}
		if t.Kind == term.Call && f.Timer(t) {
			found = append(found, t)
		}
	}
	for b := range inner.Body {
		for _, x := range b.Instrs {
			switch x := x.(type) {
			case *ssa.Select:
				for _, s := range x.States {
					timer(s.Chan)
				}
			case *ssa.UnOp:
				if x.Op.String() == "<-" {
					timer(x.X)
				}
			case *ssa.Call:
				if callee := x.Call.StaticCallee(); callee != nil && callee.String() == "time.Sleep" {
					found = append(found, f.CallTerm(x.Common(), x.Pos()))
				}
			}
		}
	}
	if len(found) != 1 || len(meaning.Args(found[0])) == 0 {
		return nil
	}
	return found[0]
}

// share is an interval's part of the time to live of a lock; 0 when not known.
func (k *keeping) share(interval *term.T, m meaning.Meaning) float64 {
	span := m.Span
	if m.Row != nil {
		for _, s := range m.Row.Sets {
			if s.Column == m.Row.Expiry {
				span = s.Value
			}
		}
	}
	if factor, base := scaled(interval); base != nil {
		if whole := k.multiple(span, base); whole > 0 {
			return factor / whole
		}
	}
	return k.byDefault(interval, span, m.TTL.Seconds)
}

// byDefault is the part that a length of time is of a time to live where both are
// constants, or made of fields that are set to constants where an object is made: by one
// literal, or by all that there are. Options may set others; of several the least counts.
// It is 0 where nothing is known.
func (k *keeping) byDefault(interval, span *term.T, ttl float64) float64 {
	lives := map[ssa.Value]float64{nil: ttl}
	if ttl == 0 {
		if span == nil {
			return 0
		}
		lives = k.lengths(span)
	}
	least := 0.0
	for at, e := range k.lengths(interval) {
		for by, l := range lives {
			if (at == by || at == nil || by == nil) && l > 0 && (least == 0 || e/l < least) {
				least = e / l
			}
		}
	}
	return least
}

// lengths lists in seconds how long a time is, by the object in whose fields is set what
// it is made of; nil stands for any.
func (k *keeping) lengths(t *term.T) map[ssa.Value]float64 {
	if s := meaning.Seconds(t); s > 0 {
		return map[ssa.Value]float64{nil: s}
	}
	if t.Kind == term.Op && len(t.Args) == 2 && (t.Name == "+" || t.Name == "-") {
		return together(k.lengths(t.Args[0]), k.lengths(t.Args[1]), t.Name == "-")
	}
	factor, base := scaled(t)
	if base == nil || factor == 0 {
		return nil
	}
	out := make(map[ssa.Value]float64)
	for at, s := range k.defaults(base) {
		out[at] = factor * s
	}
	return out
}

// together adds two lengths of time, or takes the second from the first, as far as both
// are of one object.
func together(x, y map[ssa.Value]float64, less bool) map[ssa.Value]float64 {
	out := make(map[ssa.Value]float64)
	for a, s := range x {
		for b, t := range y {
			at := a
			if at == nil {
				at = b
			}
			if less {
				t = -t
			}
			if s+t > 0 && (a == b || a == nil || b == nil) {
				out[at] = s + t
			}
		}
	}
	return out
}

// defaults lists the constant lengths in seconds that a field is set to, by the object
// that is made with them. One that is set to several is left out.
func (k *keeping) defaults(t *term.T) map[ssa.Value]float64 {
	if t.Kind != term.Field {
		return nil
	}
	owner := k.e.TypeOf(t.Args[0])
	if owner == nil || !isDurationField(owner, t.Name) {
		return nil
	}
	fields := code.Deref(owner).Underlying().(*types.Struct)
	out := make(map[ssa.Value]float64)
	several := make(map[ssa.Value]bool)
	for i := range fields.NumFields() {
		if fields.Field(i).Name() != t.Name {
			continue
		}
		at, ok := code.SlotOf(owner, i)
		if !ok {
			return nil
		}
		for _, v := range k.e.Readings().Named[at] {
			a, ok := v.(*ssa.FieldAddr)
			if !ok {
				continue
			}
			for _, r := range *a.Referrers() {
				st, ok := r.(*ssa.Store)
				if !ok || st.Addr != ssa.Value(a) {
					continue
				}
				if n, ok := code.ConstInt(st.Val); ok && n >= longNanos {
					in := within(a.X)
					s := float64(n) / 1e9
					several[in] = several[in] || out[in] != 0 && out[in] != s
					out[in] = s
				}
			}
		}
	}
	for in := range several {
		if several[in] {
			delete(out, in)
		}
	}
	return out
}

// within is the object that a struct is a part of, or that itself.
func within(v ssa.Value) ssa.Value {
	for {
		a, ok := v.(*ssa.FieldAddr)
		if !ok {
			return v
		}
		v = a.X
	}
}

// isDurationField reports whether a field of a struct is a duration.
func isDurationField(owner types.Type, name string) bool {
	fields, ok := code.Deref(owner).Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range fields.Fields() {
		if f.Name() == name {
			return code.IsDuration(f.Type())
		}
	}
	return false
}

// scaled reads a duration as a factor and what it multiplies; the latter is nil
// for a constant, whose factor is in seconds.
func scaled(t *term.T) (factor float64, base *term.T) {
	if s := meaning.Seconds(t); s > 0 {
		return s, nil
	}
	if t.Kind == term.Op && len(t.Args) == 2 {
		x, y := t.Args[0], t.Args[1]
		switch t.Name {
		case "*":
			if y.Kind == term.Const {
				x, y = y, x
			}
			if n := number(x); n > 0 {
				f, b := scaled(y)
				return n * f, b
			}
		case "/":
			if n := number(y); n > 0 {
				f, b := scaled(x)
				return f / n, b
			}
		case "+", "-":
			f, b := scaled(x)
			g, c := scaled(y)
			if b == nil || b != c || f == 0 || g == 0 {
				return 0, nil
			}
			if t.Name == "-" {
				g = -g
			}
			return max(f+g, 0), b
		}
		return 0, nil
	}
	switch t.Kind {
	case term.Param, term.Field, term.Global, term.Call:
		return 1, t
	}
	return 0, nil
}

// number is the value of a constant factor; one that is a duration counts in
// seconds.
func number(t *term.T) float64 {
	if t.Kind != term.Const {
		return 0
	}
	if t.Type == "duration" {
		if n, _ := strconv.ParseFloat(t.Name, 64); n < 1000 {
			return n // an untyped factor of a duration has its type
		}
		return meaning.Seconds(t)
	}
	n, _ := strconv.ParseFloat(t.Name, 64)
	return n
}

// multiple is how often base goes into a time to live that is computed from it,
// in Go or in the text of a statement; 0 when that is not known.
func (k *keeping) multiple(span, base *term.T) float64 {
	switch {
	case span == nil:
		return 0
	case k.e.Pool.Alike(span, base):
		return 1
	case span.Kind == term.Op && (span.Name == "*" || span.Name == "/"):
		f, b := scaled(span)
		if b != nil && k.e.Pool.Alike(b, base) {
			return f
		}
		return 0
	case span.Kind == term.Op && (span.Name == "+" || span.Name == "-"):
		return 0
	}
	found := 0.0
	for _, a := range span.Args {
		if n := k.multiple(a, base); n > 0 {
			if found > 0 {
				return 0
			}
			found = n
		}
	}
	return found
}
