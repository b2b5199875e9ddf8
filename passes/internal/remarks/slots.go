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

// slots notes commands of a lock that name keys of different slots, sent to a
// cluster.
func (k *keeping) slots(f *engine.Family, fn *ssa.Function, in ssa.CallInstruction) {
	call := f.CallTerm(in.Common(), in.Pos())
	pair := apart(k.e.Reader.Keys(call))
	if pair == nil || !k.clustered(in, call) {
		return
	}
	if slices.ContainsFunc(k.e.Recorded[f], func(r summary.Recorded) bool { return r.Site.At != in && k.takes(f, r.Site.At, pair) }) {
		return // the acquire names the same two: nobody gets here before it is put right
	}
	held := slices.ContainsFunc(k.e.Recorded[f], func(r summary.Recorded) bool { return r.Site.Region != nil && code.Reaches(r.Site.Region, in) })
	if !held && !slices.ContainsFunc(k.e.Reader.Of(call), locking) {
		return
	}
	frame := f.Frame(in, strconv.Quote(pair[0].Pattern())+" and "+strconv.Quote(pair[1].Pattern()))
	k.found.add(f, fn, lock.Call{Frame: frame, Call: frame.Callee, Kind: lock.SlotsApart})
}

// slotsGiven notes such a command where it takes a lock with keys that its function is
// given, and a caller gives it keys of different slots.
func (k *keeping) slotsGiven(r summary.Recorded) {
	if r.Site.Direct {
		return
	}
	g, in := k.e.Index.CallOf(r.Site.Lock.Call)
	pair := apart(k.e.Reader.Keys(r.Site.Lock.Call))
	if in == nil || pair == nil || apart(k.e.Reader.Keys(g.CallTerm(in.Common(), in.Pos()))) != nil || !k.clustered(in, r.Site.Lock.Call) {
		return
	}
	frame := g.Frame(in, strconv.Quote(pair[0].Pattern())+" and "+strconv.Quote(pair[1].Pattern()))
	k.found.of(r.Use, lock.Call{Frame: frame, Call: frame.Callee, Kind: lock.SlotsApart})
}

// takes reports whether a lock is taken by a command that names these two keys as well,
// and is told so itself.
func (k *keeping) takes(f *engine.Family, at ssa.CallInstruction, pair []*term.T) bool {
	call := f.CallTerm(at.Common(), at.Pos())
	return slices.Equal(apart(k.e.Reader.Keys(call)), pair) && k.clustered(at, call)
}

// locking reports whether a command is for locks: it takes, keeps or frees one, or
// writes under a comparison.
func locking(m meaning.Meaning) bool {
	switch m.Role {
	case meaning.Acquire, meaning.Renew, meaning.Release:
		return m.Checked || m.Role == meaning.Acquire
	case meaning.Write:
		return len(m.Write.Guards) > 0
	}
	return false
}

// clustered reports whether a command goes to a client for a cluster: its
// constructor is in view, or its type tells.
func (k *keeping) clustered(in ssa.CallInstruction, call *term.T) bool {
	for _, v := range in.Common().Args {
		if i, ok := v.(*ssa.MakeInterface); ok {
			v = i.X
		}
		if load, ok := v.(*ssa.UnOp); ok {
			if fa, ok := load.X.(*ssa.FieldAddr); ok && isPointerTo(fa.X.Type(), "ClusterClient") {
				return true // of a promoted method: the receiver is what the client embeds
			}
		}
		if isPointerTo(v.Type(), "ClusterClient") {
			return true
		}
	}
	return call.Any(func(t *term.T) bool {
		entry := k.e.Reader.Entry(t)
		return entry != nil && entry.New != nil && entry.New.Store == "cluster"
	})
}

func isPointerTo(t types.Type, name string) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && n.Obj().Name() == name
}

// apart returns two keys that hash to different slots, or nil. Where one of the
// keys is not known well enough, none is.
func apart(keys []*term.T) []*term.T {
	for _, key := range keys {
		if !hashed(key) {
			return nil
		}
	}
	for i := range keys {
		if j := keys[0]; tag(j) != tag(keys[i]) || tag(j) == "" && j != keys[i] {
			return []*term.T{j, keys[i]}
		}
	}
	return nil
}

// hashed reports whether a key is known well enough to say what is hashed: it
// begins with a literal, or a tag stands in its text. A value at the beginning
// may bring a tag along.
func hashed(key *term.T) bool {
	if key.Kind != term.Const && key.Kind != term.Op {
		return false
	}
	p := key.Pattern()
	return p != "" && (p[0] != '%' || tag(key) != "")
}

// tag is what a cluster hashes in place of the whole key: what stands between the
// first braces. A value in there is told by its verb only, so that two tags count as
// the same where their values may differ.
func tag(key *term.T) string {
	_, rest, ok := strings.Cut(key.Pattern(), "{")
	text, _, closed := strings.Cut(rest, "}")
	if !ok || !closed {
		return ""
	}
	return text
}
