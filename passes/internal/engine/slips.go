package engine

import (
	"cmp"
	"go/types"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// A taking is one lock use while slips are looked for.
type taking struct {
	f  *family
	st *site
	m  meaning.Meaning
	u  *lock.Use
}

// slips fills in the slips of all uses: what goes wrong in taking and giving back. What
// several uses share, because they go through one wrapper, belongs to the one that is
// nearest to it; of what is wrong with one statement that frees, the worst is told.
func (e *Engine) slips() {
	var takings []*taking
	for _, f := range e.order {
		for _, r := range e.recorded[f] {
			takings = append(takings, &taking{f, r.st, r.lock, r.use})
		}
	}
	type found struct {
		lock.Slip
		by   *taking
		rank int
	}
	var all []found
	for i, look := range []func(*Engine, *taking) []lock.Slip{
		(*Engine).unheld, (*Engine).foreign, (*Engine).strangers, (*Engine).anew, (*Engine).rows,
		(*Engine).leaves, (*Engine).stacks, (*Engine).forgets, (*Engine).handsBack, (*Engine).givesUp, (*Engine).abandons, (*Engine).forsakes, (*Engine).contexts, (*Engine).unaware,
		(*Engine).asks, (*Engine).expires, (*Engine).late, (*Engine).outlives, (*Engine).mismatches, (*Engine).misses, (*Engine).believes,
	} {
		for _, t := range takings {
			for _, slip := range look(e, t) {
				if slip.IsValid() {
					all = append(all, found{slip, t, i})
				}
			}
		}
	}
	distance := func(f found) int {
		if filepath.Dir(f.File) != filepath.Dir(f.by.u.Acquire.File) {
			return maxVia + len(f.by.u.Via)
		}
		return len(f.by.u.Via)
	}
	slices.SortStableFunc(all, func(a, b found) int {
		return cmp.Or(a.Compare(b.Position), cmp.Compare(topic(a.Kind), topic(b.Kind)), cmp.Compare(gravity(a.Kind), gravity(b.Kind)),
			cmp.Compare(distance(a), distance(b)), a.by.u.Acquire.Compare(b.by.u.Acquire.Position), cmp.Compare(a.rank, b.rank))
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
	x  Effect
}

// releasing lists the calls that may release the lock: where the section ends,
// in a defer (also one before the acquire) or in another goroutine.
func (t *taking) releasing() []freeing {
	var out []freeing
	if t.st.region == nil {
		return nil
	}
	sum := t.f.sums[t.st.fn]
	add := func(in ssa.Instruction) {
		list := sum.steps[in]
		if i := t.f.releaseIndex(list, t.st.match); i >= 0 {
			out = append(out, freeing{in.(ssa.CallInstruction), list[i]})
		}
	}
	for _, in := range t.st.region.Stops {
		add(in)
	}
	for _, in := range t.st.region.Held {
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
	for _, b := range t.st.fn.Blocks {
		for _, in := range b.Instrs {
			d, ok := in.(*ssa.Defer)
			if ok && before(d, t.st.at) && t.f.releaseIndex(t.f.sums[t.st.fn].steps[d], t.st.match) >= 0 {
				out = append(out, d)
			}
		}
	}
	return out
}

// releases returns what an effect's call means as a release, if it is one.
func (e *Engine) release(x Effect) (meaning.Meaning, bool) {
	if x.Call == nil || x.Open != Closed {
		return meaning.Meaning{}, false
	}
	for _, m := range e.reader.Of(x.Call) {
		if m.Role == meaning.Release {
			return m, true
		}
	}
	return meaning.Meaning{}, false
}

// way is the way to an effect: its frames from the outside to the call itself.
func way(x Effect) []lock.Frame { return append(slices.Clip(x.Via), x.At) }

// errorTest reads a branch on an error: which successor is taken when there is
// one.
func errorTest(br *ssa.If) (failing int, ok bool) {
	switch cond := br.Cond.(type) {
	case *ssa.BinOp:
		c, isConst := cond.Y.(*ssa.Const)
		if !isConst || !c.IsNil() || !isError(cond.X.Type()) {
			return 0, false
		}
		if cond.Op.String() == "==" {
			return 1, true
		}
		return 0, true
	case *ssa.Call: // errors.Is(err, ErrX)
		if slices.ContainsFunc(cond.Call.Args, func(a ssa.Value) bool { return isError(a.Type()) }) {
			return 0, true
		}
	}
	return 0, false
}

// failing reports whether control gets to b only after an error.
func failing(b *ssa.BasicBlock) bool {
	found := false
	reasons(b, func(*ssa.If, int) { found = true })
	return found
}

// reasons visits the branches on errors after which control gets to b: one that
// found an error, or several of which one did (err != nil || !ok).
func reasons(b *ssa.BasicBlock, visit func(br *ssa.If, failing int)) {
	for d := b; d != nil; d = d.Idom() {
		var found []*ssa.If
		for _, p := range d.Preds {
			br, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If)
			if !ok || d.Dominates(p) {
				found = nil
				break
			}
			if i, ok := errorTest(br); ok && p.Succs[i] == d {
				found = append(found, br)
			}
		}
		for _, br := range found {
			i, _ := errorTest(br)
			visit(br, i)
		}
	}
}

// fails reports whether a return tells an error; known is false where it cannot
// be seen, or the function returns none.
func fails(st *site, ret *ssa.Return) (failed, known bool) {
	n := len(ret.Results)
	if n == 0 || !isError(ret.Results[n-1].Type()) {
		return false, false
	}
	switch fact := st.region.Fact(ret.Results[n-1]); {
	case fact.IsNil():
		return false, true
	case fact.Definite(), failing(ret.Block()):
		return true, true
	}
	return false, false
}

// handed reports whether the lock leaves the function on other ways than its
// results: it is stored in an object, sent, or given to code out of sight, and
// so may be released there. Where before is not nil, only what is done on the way to
// it counts.
func (t *taking) handed(before *ssa.BasicBlock) bool {
	counts := func(in ssa.Instruction) bool {
		return before == nil || in.Block() == before || canReach(in.Block(), before, nil)
	}
	ours := func(x *term.T) bool {
		return x.Any(func(y *term.T) bool {
			return y == t.st.callTerm || y == t.st.lock.Call || t.m.Handle != nil && y == t.m.Handle && y.Kind == term.Call
		})
	}
	for _, p := range t.f.places {
		if at, ok := p.addr.(ssa.Instruction); ours(t.f.get(p.val)) && (!ok || counts(at)) {
			return true
		}
	}
	for _, in := range t.st.region.Held {
		if !counts(in) {
			continue
		}
		switch in := in.(type) {
		case *ssa.Send:
			if ours(t.f.get(in.X)) {
				return true
			}
		case *ssa.Go:
			if t.f.releaseIndex(t.f.sums[t.st.fn].steps[in], t.st.match) >= 0 {
				return true
			}
		case *ssa.Call:
			call := t.f.callTerm(in.Common(), in.Pos())
			if t.f.e.reader.Entry(call) != nil || in.Common().StaticCallee() != nil && t.f.e.summary(in.Common().StaticCallee()) != nil {
				continue
			}
			if _, builtin := in.Common().Value.(*ssa.Builtin); !builtin && slices.ContainsFunc(meaning.Args(call), ours) {
				return true
			}
		}
	}
	return false
}

// receiverOf is the type whose method a function is, or is inside of; nil for
// others.
func receiverOf(fn *ssa.Function) *types.TypeName {
	if recv := rootOf(fn).Signature.Recv(); recv != nil {
		if n := namedOf(recv.Type()); n != nil {
			return n.Obj()
		}
	}
	return nil
}
