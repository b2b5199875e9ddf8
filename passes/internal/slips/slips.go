package slips

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// A taking is one lock use while slips are looked for.
type taking struct {
	f  *engine.Family
	st *summary.Site
	m  meaning.Meaning
	u  *lock.Use

	dead *deadReleases // of all packages
}

// Find fills in the slips of all uses: what goes wrong in taking and giving back. What
// several uses share, because they go through one wrapper, belongs to the one that is
// nearest to it; of what is wrong with one statement that frees, the worst is told.
func Find(e *engine.Engine) {
	var takings []*taking
	dead := &deadReleases{e, make(map[string][]deadRelease)}
	e.EachUse(func(f *engine.Family, r summary.Recorded) {
		takings = append(takings, &taking{f, r.Site, r.Lock, r.Use, dead})
	})
	type found struct {
		lock.Slip
		by   *taking
		rank int
	}
	var all []found
	for i, look := range []func(*engine.Engine, *taking) []lock.Slip{
		unheld, foreign, strangers, anew, rows,
		leaves, several, stacks, forgets, handsBack, parted, givesUp, abandons, forsakes, contexts, spent, handedOut, unaware,
		asks, expires, late, outlives, mismatches, misses, believes,
	} {
		for _, t := range takings {
			e.Try(t.st.Func, func() {
				for _, slip := range look(e, t) {
					if slip.IsValid() {
						all = append(all, found{slip, t, i})
					}
				}
			})
		}
	}
	distance := func(f found) int {
		far := 2 * len(f.by.u.Via)
		if filepath.Dir(f.File) != filepath.Dir(f.by.u.Acquire.File) {
			far += 2 * summary.MaxVia
		}
		if !engine.NamesLock(f.by.u.Acquire.Function) {
			far++ // a client's command, say, beside the function that locks
		}
		return far
	}
	slices.SortStableFunc(all, func(a, b found) int {
		return cmp.Or(a.Compare(b.Position), cmp.Compare(topic(a.Kind), topic(b.Kind)), cmp.Compare(gravity(a.Kind), gravity(b.Kind)),
			cmp.Compare(distance(a), distance(b)), cmp.Compare(apart(a.Position, a.by.u.Acquire.Position), apart(b.Position, b.by.u.Acquire.Position)), a.by.u.Acquire.Compare(b.by.u.Acquire.Position), cmp.Compare(a.rank, b.rank))
	})
	var first found
	for i, f := range all {
		if i > 0 && f.Compare(first.Position) == 0 && topic(f.Kind) == topic(first.Kind) {
			if f.by != first.by && f.Kind == lock.SlipForeign {
				f.by.share(f.Slip)
			}
			continue
		}
		first = f
		f.by.u.Slips = append(f.by.u.Slips, f.Slip)
	}
}

// apart is how many lines lie between two places of a file; of two files it is more than any.
func apart(p, q lock.Position) int {
	if p.File != q.File {
		return math.MaxInt
	}
	return max(p.Line-q.Line, q.Line-p.Line)
}

// share notes at the acquire that its lock is freed by a statement which is told
// at another use of the same wrapper.
func (t *taking) share(s lock.Slip) {
	if t.u.Role == lock.RoleUse && !slices.ContainsFunc(t.u.Slips, func(x lock.Slip) bool { return x.Kind == lock.SlipShared }) {
		s.Frame.Text = "frees the lock whoever holds it"
		t.u.Slips = append(t.u.Slips, lock.Slip{Frame: t.u.Acquire, Kind: lock.SlipShared, Other: s.Frame})
	}
}

// freeing kinds of slips are about one statement that frees; the worst first.
var freeingKinds = []string{lock.SlipUnheld, lock.SlipSteps, lock.SlipForeign, lock.SlipTerm}

func gravity(kind string) int { return slices.Index(freeingKinds, kind) }

// topic is what a slip is about: one remark on a place is enough.
func topic(kind string) string {
	if gravity(kind) >= 0 {
		return lock.SlipForeign
	}
	return kind
}

// A freeing is a call in the function of the acquire that releases the lock.
type freeing struct {
	in ssa.CallInstruction
	x  summary.Effect
}

// releasing lists the calls that may release the lock: where the section ends,
// in a defer (also one before the acquire) or in another goroutine.
func (t *taking) releasing() []freeing {
	var out []freeing
	if t.st.Region == nil {
		return nil
	}
	sum := t.f.Sums[t.st.Func]
	add := func(in ssa.Instruction) {
		list := sum.Steps[in]
		if i := t.f.ReleaseIndex(list, t.st.Match); i >= 0 {
			out = append(out, freeing{in.(ssa.CallInstruction), list[i]})
		}
	}
	for _, in := range t.st.Region.Stops {
		add(in)
	}
	for _, in := range t.st.Region.Held {
		switch in.(type) {
		case *ssa.Defer, *ssa.Go:
			add(in)
		}
	}
	for _, d := range t.early() {
		add(d)
	}
	return out
}

// early lists the releases that were deferred before the acquire.
func (t *taking) early() []*ssa.Defer {
	var out []*ssa.Defer
	for _, b := range t.st.Func.Blocks {
		for _, in := range b.Instrs {
			d, ok := in.(*ssa.Defer)
			if ok && code.Before(d, t.st.At) && t.f.ReleaseIndex(t.f.Sums[t.st.Func].Steps[d], t.st.Match) >= 0 {
				out = append(out, d)
			}
		}
	}
	return out
}

// fails reports whether a return tells an error; known is false where it cannot
// be seen, or the function returns none.
func fails(st *summary.Site, ret *ssa.Return) (failed, known bool) {
	n := len(ret.Results)
	if n == 0 || !code.IsError(ret.Results[n-1].Type()) {
		return false, false
	}
	switch fact := st.Region.Fact(ret.Results[n-1]); {
	case fact.IsNil():
		return false, true
	case fact.Definite(), code.Failing(ret.Block()):
		return true, true
	}
	return false, false
}

// handed reports whether the lock leaves the function on other ways than its
// results: it is stored in an object, sent, or given to code out of sight, and
// so may be released there. Where before is not nil, only what is done on the way to
// it counts.
func (t *taking) handed(before *ssa.BasicBlock) bool { return t.given(before, nil) }

// given is handed where the function gathers what it takes in local lists and maps: what
// is put in one of those stays here.
func (t *taking) given(before *ssa.BasicBlock, local map[ssa.Value]bool) bool {
	counts := func(in ssa.Instruction) bool {
		return before == nil || in.Block() == before || code.CanReach(in.Block(), before, nil)
	}
	ours := func(x *term.T) bool {
		return x.Any(func(y *term.T) bool {
			return y == t.st.Term || y == t.st.Lock.Call || t.m.Handle != nil && y == t.m.Handle && y.Kind == term.Call
		})
	}
	for _, p := range t.f.Places {
		if at, ok := p.Addr.(ssa.Instruction); ours(t.f.Get(p.Val)) && (!ok || counts(at)) && !local[p.Addr] {
			return true
		}
	}
	for _, in := range t.st.Region.Held {
		if !counts(in) {
			continue
		}
		switch in := in.(type) {
		case *ssa.Send:
			if ours(t.f.Get(in.X)) {
				return true
			}
		case *ssa.Go:
			if t.f.ReleaseIndex(t.f.Sums[t.st.Func].Steps[in], t.st.Match) >= 0 {
				return true
			}
		case *ssa.Call:
			call := t.f.CallTerm(in.Common(), in.Pos())
			if t.f.Engine.Reader.Entry(call) != nil || in.Common().StaticCallee() != nil && t.f.Engine.Summary(in.Common().StaticCallee()) != nil {
				continue
			}
			if _, builtin := in.Common().Value.(*ssa.Builtin); !builtin && slices.ContainsFunc(meaning.Args(call), ours) {
				return true
			}
		}
	}
	return false
}
