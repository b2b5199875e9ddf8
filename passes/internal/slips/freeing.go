package slips

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// blind reports whether a release of a lease asks for no owner, or for one that
// every holder is; rows looks at those of lease records. A lock that never expires
// cannot be somebody else's, and one that ends with its session is not there to be
// freed by a client that has lost it, unless the key stays for the next holder.
func (t *taking) blind(x summary.Effect) bool {
	r, ok := t.f.Engine.Release(x)
	return ok && r.Raw && (!r.Checked && !t.conditional(x) || same(r)) && t.m.Row == nil && x.Batch != summary.Watched && (t.m.Kind == lock.Lease || t.m.Stays) && !t.forever()
}

// conditional reports whether a general command that frees the key does so on a condition
// of its own, such as the revision that the key has: that is its owner compared. A handle
// that is kept in a field has none: conditions are put on it for one request.
func (t *taking) conditional(x summary.Effect) bool {
	kept := meaning.Receiver(x.Call)
	return slices.ContainsFunc(t.f.Engine.Reader.Of(x.Call), func(m meaning.Meaning) bool {
		return m.Role == meaning.Write && (m.Write.Unknown != "" || slices.ContainsFunc(m.Write.Guards, func(g meaning.Guard) bool {
			return g.Text != "builder" || kept == nil || kept.Kind != term.Field
		}))
	})
}

// same reports whether a release compares the owner with what every holder of the key is
// called: a constant, or a text of what the key is made of as well. A field that its
// constructor leaves alone is none: taking the lock sets it.
func same(r meaning.Meaning) bool {
	if !r.Checked || r.Value == nil {
		return false
	}
	return r.Value.Kind == term.Const && r.Value.Type != "zero" || r.Value.Kind == term.Op && ofKey(r.Value, r.Key)
}

// ofKey reports whether a text is made of constants and of arguments that the key is made
// of too. What is read or called for may be another each time.
func ofKey(value, key *term.T) bool {
	if value.Kind == term.Const {
		return true
	}
	if value.Kind == term.Param {
		return key != nil && key.Any(func(t *term.T) bool { return t == value })
	}
	return value.Kind == term.Op && !slices.ContainsFunc(value.Args, func(a *term.T) bool { return !ofKey(a, key) })
}

// forever reports whether the lock never expires by itself, nor by a second command, be it
// one of the wrapper that takes it, and is taken from nobody.
func (t *taking) forever() bool {
	if t.m.TTL.Source != "none" || t.u.Renewal != "none" || t.takenOver() {
		return false
	}
	return !slices.ContainsFunc(append([]*summary.Site{t.st}, t.st.Lock.Chain...), func(st *summary.Site) bool {
		m, ok := t.f.Engine.Acquire(st.Lock.Call)
		return ok && slices.ContainsFunc(st.Effects, func(x summary.Effect) bool { return t.f.Engine.Prolongs(x, m) })
	})
}

// takenOver reports whether code of the package replaces the lock's record where it still is
// the one that was read: who has not been heard of for a while loses it.
func (t *taking) takenOver() bool {
	if engine.UnknownKey(t.m.Key) || t.m.Row != nil {
		return false
	}
	e, name := t.f.Engine, ""
	if k := t.m.Key.Kind; k == term.Field || k == term.Param {
		name = engine.KeyName(t.m.Key)
	}
	return slices.ContainsFunc(e.Evidence.Replacing(code.PackagePath(t.st.Func)), func(m meaning.Meaning) bool {
		return m.Family == t.m.Family &&
			(e.Pool.Alike(m.Write.Key, t.m.Key) || name != "" && m.Write.Key.Kind == t.m.Key.Kind && engine.KeyName(m.Write.Key) == name)
	})
}

// unheld finds releases on ways on which the lock was not taken: deferred before
// the acquire, or run after a refusal. Most libraries refuse that; it matters
// where nothing compares the owner, or the library says so.
func unheld(e *engine.Engine, t *taking) []lock.Slip {
	if t.st.Region == nil || !t.st.Guarded {
		return nil
	}
	sum := t.f.Sums[t.st.Func]
	var out []lock.Slip
	check := func(in ssa.CallInstruction) {
		list := sum.Steps[in]
		i := t.f.ReleaseIndex(list, t.st.Match)
		if i < 0 || list[i].Perhaps {
			return
		}
		r, ok := e.Release(list[i])
		if ok && (r.Strict && len(list[i].Via) == 0 || t.blind(list[i])) {
			// It is the call that is wrong here, whatever is called may be right for others.
			out = append(out, lock.Slip{Frame: summary.Way(list[i])[0], Kind: lock.SlipUnheld, Other: t.u.Acquire})
		}
	}
	for _, d := range t.early() {
		check(d)
	}
	for _, in := range t.denied(false).Held {
		if c, ok := in.(ssa.CallInstruction); ok {
			if _, async := in.(*ssa.Go); !async && !t.pastRefusal(in.Block()) {
				check(c)
			}
		}
	}
	return out
}

// pastRefusal reports whether control gets to b because the acquire's error was asked for
// a certain one, and was not that. The one that is asked for mostly says that the lock is
// taken.
func (t *taking) pastRefusal(b *ssa.BasicBlock) bool {
	for ; b.Idom() != nil; b = b.Idom() {
		br, ok := b.Idom().Instrs[len(b.Idom().Instrs)-1].(*ssa.If)
		if !ok || len(b.Preds) != 1 {
			continue
		}
		cond, ok := br.Cond.(*ssa.BinOp)
		if !ok || !code.IsError(cond.X.Type()) || code.IsConstant(cond.Y) {
			continue
		}
		other := 1
		if cond.Op == token.NEQ {
			other = 0
		}
		if b.Idom().Succs[other] == b && t.tends(cond.X) {
			return true
		}
	}
	return false
}

// foreign finds releases in the function of the acquire that ask for no owner.
// What a wrapper frees after a failure it has only just taken.
func foreign(e *engine.Engine, t *taking) []lock.Slip {
	var out []lock.Slip
	for _, r := range t.releasing() {
		if !t.blind(r.x) || t.st.HeldOut && !t.st.Deferred && code.Failing(r.in.Block()) {
			continue
		}
		out = append(out, t.freed(r.x))
	}
	return out
}

func (t *taking) freed(x summary.Effect) lock.Slip {
	kind := lock.SlipForeign
	r, ok := t.f.Engine.Release(x)
	if ok && same(r) {
		kind = lock.SlipConstant
	}
	keys := []*term.T{t.m.Key}
	if r.Key != nil {
		keys = append(keys, engine.KeysOf(r.Key)...)
	}
	for _, a := range x.Asked {
		if asksOwner(a, t.f.Engine.Reader.Queries(a.Read), t.m.Family, keys) {
			kind = lock.SlipSteps
		}
	}
	return lock.Slip{Frame: about(t.f.Engine, x, true), Kind: kind, Other: t.u.Acquire}
}

// asksOwner reports whether a comparison of what was read asks, before a release, for the
// owner of a lock that goes by keys. What another key holds says nothing of him, nor does
// whether there is anything.
func asksOwner(a summary.Asked, read []meaning.Meaning, family string, keys []*term.T) bool {
	return a.Op == "=" && !a.Incoming.IsZero() && slices.ContainsFunc(read, func(q meaning.Meaning) bool {
		return q.Family == family && (q.Key == nil || slices.ContainsFunc(keys, func(k *term.T) bool {
			return k == nil || k == q.Key || k.Pattern() == q.Key.Pattern()
		}))
	})
}

// strangers finds the deletes of the lock's key in other functions of its
// package: the Unlock beside a Lock, which no section in view connects. Without
// a handle it is names that tell: of the key, and of the functions and types.
func strangers(e *engine.Engine, t *taking) []lock.Slip {
	if !t.m.Raw && !t.m.Stays || t.m.Key == nil || t.forever() || !t.st.Direct && !t.st.Wrapper {
		return nil
	}
	names := names(t.f, t.m.Key)
	mine := make(map[lock.Position]bool)
	for _, r := range t.releasing() {
		for _, frame := range summary.Way(r.x) {
			mine[frame.Position] = true
		}
	}
	var out []lock.Slip
	e.EachIn(code.PackagePath(t.st.Func), func(f *engine.Family, fn *ssa.Function, s *summary.Summary) {
		if watched(f, fn) {
			return // judged with the whole of the transaction
		}
		close := f == t.f
		if !close && !(engine.ReleaseName(code.Root(fn).Name()) && kin(fn, t.st.Func)) {
			return
		}
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if in == ssa.Instruction(t.st.At) {
					continue
				}
				for _, x := range s.Steps[in] {
					if mine[x.At.Position] || !t.blind(x) || about(e, x, true).Position != summary.Way(x)[0].Position {
						continue
					}
					r, _ := e.Release(x)
					if r.Family != t.m.Family || t.st.HeldOut && close && code.Failing(b) {
						continue
					}
					if slices.ContainsFunc(engine.KeysOf(r.Key), func(k *term.T) bool {
						return e.Pool.Alike(k, t.m.Key) || !close && slices.Contains(names, engine.KeyName(k))
					}) {
						out = append(out, t.freed(x))
					}
				}
			}
		}
	})
	return out
}

// watched reports whether a closure runs inside a transaction that fails where a key
// has changed.
func watched(f *engine.Family, fn *ssa.Function) bool {
	for ; fn.Parent() != nil; fn = fn.Parent() {
		mc := f.Made[fn]
		if mc == nil {
			continue
		}
		for _, r := range *mc.Referrers() {
			c, ok := r.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if e := f.Engine.Reader.Entry(f.CallTerm(c.Common(), c.Pos())); e != nil && e.Runs != nil && !e.Runs.Watch.IsZero() {
				return true
			}
		}
	}
	return false
}

// names lists what a key goes by: its own name, and those of the fields that it
// is kept in, be it among others.
func names(f *engine.Family, key *term.T) []string {
	var out []string
	if name := engine.KeyName(key); name != "" {
		out = append(out, name)
	}
	for _, p := range f.Places {
		if fa, ok := p.Addr.(*ssa.FieldAddr); ok && listed(f.Get(p.Val), key) {
			out = append(out, code.FieldName(fa.X.Type(), fa.Field))
		}
	}
	return out
}

// listed reports whether a value is a key, or a list that it was put in.
func listed(v, key *term.T) bool {
	return v == key || (v.Kind == term.List || v.Kind == term.Op && v.Name == "append" || v.Kind == term.Join) && slices.ContainsFunc(v.Args, func(a *term.T) bool { return listed(a, key) })
}

// kin reports whether two functions belong to the same lock: they have the
// same receiver type, one returns the other's, or one is named like a lock.
func kin(release, acquire *ssa.Function) bool {
	r := code.ReceiverOf(release)
	if r == nil {
		return code.ReceiverOf(acquire) == nil && engine.NamesLock(code.Root(release).Name())
	}
	if r == code.ReceiverOf(acquire) {
		return true
	}
	results := code.Root(acquire).Signature.Results()
	for i := range results.Len() {
		if n := code.NamedOf(results.At(i).Type()); n != nil && n.Obj() == r {
			return true
		}
	}
	return false
}

// about is the place where a release is to be judged: the innermost call in a
// function that is about the lock, for a project's own client deletes whatever
// it is told to.
func about(e *engine.Engine, x summary.Effect, general bool) lock.Frame {
	if !general {
		return x.At
	}
	frames := summary.Way(x)
	if x.Batch != summary.Alone {
		frames = x.Via // the sending is all right
	}
	for i := len(frames) - 1; i > 0; i-- {
		name := frames[i].Function
		if name == frames[0].Function || engine.NamesLock(name) || engine.ReleaseName(name[strings.LastIndexByte(name, '.')+1:]) {
			return frames[i]
		}
	}
	return frames[0]
}

// rows finds statements that free a lease row without naming its holder, or that
// name the holder but not the term although the row keeps one. A statement whose
// condition is more than that is left alone.
func rows(e *engine.Engine, t *taking) []lock.Slip {
	row := t.m.Row
	if row == nil || t.forever() && !t.m.Raw {
		return nil
	}
	var out []lock.Slip
	look := func(ms []meaning.Meaning, root *ssa.Function, at lock.Frame) {
		for _, m := range ms {
			if m.Role != meaning.Write || m.Write.Resource != row.Resource || m.Write.Unknown != "" || engine.TendsRow(m.Write, row) != engine.RowFree || otherItem(ms, row) {
				continue
			}
			switch owner, term := ownerOf(e, m.Write, row, t.m.Key); {
			case owner == 0 && root != nil && byOthers(e, root):
			case owner == 0:
				out = append(out, lock.Slip{Frame: at, Kind: lock.SlipForeign, Detail: row.Table(), Other: t.u.Acquire})
			case owner > 0 && term != "":
				out = append(out, lock.Slip{Frame: at, Kind: lock.SlipTerm, Detail: term, Other: t.u.Acquire})
			}
		}
	}
	switch {
	case t.st.Direct:
		for _, c := range e.Index.CallsIn(code.PackagePath(t.st.Func)) {
			if !forced(c.Family.Root.Name()) {
				look(e.Reader.Of(c.Term()), c.Family.Root, c.Family.Frame(c.Call, ""))
			}
		}
	case len(t.st.Lock.Chain) == 0:
		// What the record is in shows here only: a collection that a constructor has chosen.
		for _, r := range t.releasing() {
			look(e.Reader.Of(r.x.Call), nil, about(e, r.x, true))
		}
	}
	return out
}

// otherItem reports whether an item is found by another key than the lease's, as its text goes:
// a table may keep data under the plain names, and locks under names that are made of them.
func otherItem(ms []meaning.Meaning, row *meaning.Row) bool {
	return slices.ContainsFunc(ms, func(m meaning.Meaning) bool {
		if m.Role != meaning.Release || m.Key == nil || m.Key.Kind != term.Struct {
			return false
		}
		for i, name := range m.Key.Names {
			for _, s := range row.Sets {
				if s.Column == strings.ToLower(name) && s.Value != nil && s.Value.Pattern() != attribute(m.Key.Args[i]).Pattern() {
					return true
				}
			}
		}
		return false
	})
}

// attribute is the value of one, which says by its type what it is.
func attribute(v *term.T) *term.T {
	for v.Kind == term.Struct && len(v.Args) == 1 {
		v = v.Args[0]
	}
	return v
}

// forced reports whether a function is named after breaking locks on purpose.
func forced(name string) bool {
	return meaning.Named(name, "force", "forced", "steal", "break", "admin", "reset", "purge", "cleanup", "clean", "expire", "expired", "truncate")
}

// byOthers reports whether a function may be there for whoever runs the program, to have the
// lock change hands: it is not named after ending what was begun, and nothing in view calls it.
func byOthers(e *engine.Engine, fn *ssa.Function) bool {
	return token.IsExported(fn.Name()) && !engine.ReleaseName(fn.Name()) && !meaning.Named(fn.Name(), endWords...) && !e.Readings().Used(fn)
}

// endWords are words for the end of something, beside those of releases.
var endWords = []string{"end", "leave", "finish", "complete", "done", "stop", "close", "delete", "remove"}

// ownerOf counts the conditions of a release on what the acquire stored in the
// lease row besides its key; -1 when there are others. A record that was inserted
// and is found by what the insert did not store, has been given an id by the
// database: that is nobody else's. term is a column that tells terms apart and is
// not among them.
func ownerOf(e *engine.Engine, c *meaning.Change, row *meaning.Row, key *term.T) (owner int, term string) {
	asked := make(map[string]bool)
	plain := func(col string) string { return strings.ToLower(strings.ReplaceAll(col, "_", "")) } // as structs and documents have it
	stored := func(col string) bool {
		return slices.ContainsFunc(row.Sets, func(s meaning.Setting) bool { return plain(s.Column) == plain(col) })
	}
	for _, g := range c.Guards {
		if g.Op != "=" || g.Column == row.Expiry || row.Stands && !stored(g.Column) {
			return -1, ""
		}
		asked[plain(g.Column)] = true
	}
	for _, s := range row.Sets {
		switch {
		case asked[plain(s.Column)]:
			if !row.Stands || !e.Pool.Alike(s.Value, key) {
				owner++
			}
		case s.Column == row.Token, s.Column != row.Expiry && perGrant(s.Value):
			term = s.Column
		}
	}
	for _, s := range row.Sets {
		made, _ := e.Reader.Token(s.Value)
		if asked[plain(s.Column)] && (s.Column == row.Token || perGrant(s.Value) || made.Origin == "random") {
			term = ""
		}
	}
	return owner, term
}

// perGrant reports whether a stored value is another one for every grant.
func perGrant(v *term.T) bool {
	return v != nil && v.Kind == term.Op && (v.Name == "sql:now" || v.Name == "sql:+" || v.Name == "sql:nextval" || v.Name == "sql:gen_random_uuid" || v.Name == "sql:current_timestamp")
}
