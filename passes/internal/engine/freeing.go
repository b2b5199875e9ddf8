package engine

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// A statement that frees a lock without asking whose it is (DEL of the key,
// DELETE of the row by its name) takes it from whoever holds it by then.

// perhaps marks effects of blocks that lie on some ways through fn only.
func perhaps(fn *ssa.Function, lists map[*ssa.BasicBlock][]Effect) {
	for b, list := range lists {
		if len(list) == 0 || onEveryWay(fn, b) {
			continue
		}
		for i := range list {
			list[i].Perhaps = true
		}
	}
}

func onEveryWay(fn *ssa.Function, b *ssa.BasicBlock) bool {
	for _, r := range fn.Blocks {
		if _, ok := r.Instrs[len(r.Instrs)-1].(*ssa.Return); ok && !b.Dominates(r) {
			return false
		}
	}
	return true
}

// blind reports whether a release of a lease asks for no owner, or for one that
// every holder is; rows looks at those of lease records. A lock that never expires
// cannot be somebody else's, and one that ends with its session is not there to be
// freed by a client that has lost it, unless the key stays for the next holder.
func (t *taking) blind(x Effect) bool {
	r, ok := t.f.e.release(x)
	return ok && r.Raw && (!r.Checked || same(r)) && t.m.Row == nil && x.Batch != Watched && (t.m.Kind == lock.Lease || t.m.Stays) && !t.forever()
}

// same reports whether a release compares the owner with a constant.
func same(r meaning.Meaning) bool {
	return r.Checked && r.Value != nil && r.Value.Kind == term.Const
}

// forever reports whether the lock never expires by itself.
func (t *taking) forever() bool {
	return t.m.TTL.Source == "none" && t.u.Renewal == "none"
}

// unheld finds releases on ways on which the lock was not taken: deferred before
// the acquire, or run after a refusal. Most libraries refuse that; it matters
// where nothing compares the owner, or the library says so.
func (e *Engine) unheld(t *taking) []lock.Slip {
	if t.st.region == nil || !t.st.guarded {
		return nil
	}
	sum := t.f.sums[t.st.fn]
	var out []lock.Slip
	check := func(in ssa.CallInstruction) {
		list := sum.steps[in]
		i := t.f.releaseIndex(list, t.st.match)
		if i < 0 || list[i].Perhaps {
			return
		}
		r, ok := e.release(list[i])
		if ok && (r.Strict && len(list[i].Via) == 0 || t.blind(list[i])) {
			out = append(out, lock.Slip{Frame: e.about(list[i], r.Raw), Kind: lock.SlipUnheld, Other: t.u.Acquire})
		}
	}
	for _, d := range t.early() {
		check(d)
	}
	for _, in := range t.denied(false).Held {
		if c, ok := in.(ssa.CallInstruction); ok {
			if _, async := in.(*ssa.Go); !async {
				check(c)
			}
		}
	}
	return out
}

// foreign finds releases in the function of the acquire that ask for no owner.
// What a wrapper frees after a failure it has only just taken.
func (e *Engine) foreign(t *taking) []lock.Slip {
	var out []lock.Slip
	for _, r := range t.releasing() {
		if !t.blind(r.x) || t.st.heldOut && !t.st.deferred && failing(r.in.Block()) {
			continue
		}
		out = append(out, t.freed(r.x))
	}
	return out
}

func (t *taking) freed(x Effect) lock.Slip {
	kind := lock.SlipForeign
	if r, ok := t.f.e.release(x); ok && same(r) {
		kind = lock.SlipConstant
	}
	for _, a := range x.Asked {
		for _, q := range t.f.e.reader.Queries(a.Read) {
			if a.Op == "=" && q.Family == t.m.Family {
				kind = lock.SlipSteps
			}
		}
	}
	return lock.Slip{Frame: t.f.e.about(x, true), Kind: kind, Other: t.u.Acquire}
}

// strangers finds the deletes of the lock's key in other functions of its
// package: the Unlock beside a Lock, which no section in view connects. Without
// a handle it is names that tell: of the key, and of the functions and types.
func (e *Engine) strangers(t *taking) []lock.Slip {
	if !t.m.Raw && !t.m.Stays || t.m.Key == nil || t.forever() || !t.st.direct && !t.st.wrapper {
		return nil
	}
	names := t.f.names(t.m.Key)
	mine := make(map[lock.Position]bool)
	for _, r := range t.releasing() {
		for _, frame := range way(r.x) {
			mine[frame.Position] = true
		}
	}
	var out []lock.Slip
	e.eachIn(pkgOf(t.st.fn), func(f *family, fn *ssa.Function, s *Summary) {
		if f.watched(fn) {
			return // judged with the whole of the transaction
		}
		close := f == t.f
		if !close && !(releaseName(rootOf(fn).Name()) && kin(fn, t.st.fn)) {
			return
		}
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if in == ssa.Instruction(t.st.at) {
					continue
				}
				for _, x := range s.steps[in] {
					if mine[x.At.Position] || !t.blind(x) || e.about(x, true).Position != way(x)[0].Position {
						continue
					}
					r, _ := e.release(x)
					if r.Family != t.m.Family || t.st.heldOut && close && failing(b) {
						continue
					}
					if slices.ContainsFunc(keysOf(r.Key), func(k *term.T) bool {
						return e.pool.Alike(k, t.m.Key) || !close && slices.Contains(names, keyName(k))
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
func (f *family) watched(fn *ssa.Function) bool {
	for ; fn.Parent() != nil; fn = fn.Parent() {
		mc := f.made[fn]
		if mc == nil {
			continue
		}
		for _, r := range *mc.Referrers() {
			c, ok := r.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if e := f.e.reader.Entry(f.callTerm(c.Common(), c.Pos())); e != nil && e.Runs != nil && !e.Runs.Watch.IsZero() {
				return true
			}
		}
	}
	return false
}

// names lists what a key goes by: its own name, and those of the fields that it
// is kept in.
func (f *family) names(key *term.T) []string {
	var out []string
	if name := keyName(key); name != "" {
		out = append(out, name)
	}
	for _, p := range f.places {
		if fa, ok := p.addr.(*ssa.FieldAddr); ok && f.get(p.val) == key {
			out = append(out, fieldName(fa.X.Type(), fa.Field))
		}
	}
	return out
}

// kin reports whether two functions belong to the same lock: they have the
// same receiver type, one returns the other's, or one is named like a lock.
func kin(release, acquire *ssa.Function) bool {
	r := receiverOf(release)
	if r == nil {
		return receiverOf(acquire) == nil && NamesLock(rootOf(release).Name())
	}
	if r == receiverOf(acquire) {
		return true
	}
	results := rootOf(acquire).Signature.Results()
	for i := range results.Len() {
		if n := namedOf(results.At(i).Type()); n != nil && n.Obj() == r {
			return true
		}
	}
	return false
}

// about is the place where a release is to be judged: the innermost call in a
// function that is about the lock, for a project's own client deletes whatever
// it is told to.
func (e *Engine) about(x Effect, general bool) lock.Frame {
	if !general {
		return x.At
	}
	frames := way(x)
	if x.Batch != Alone {
		frames = x.Via // the sending is all right
	}
	for i := len(frames) - 1; i > 0; i-- {
		name := frames[i].Function
		if name == frames[0].Function || NamesLock(name) || releaseName(name[strings.LastIndexByte(name, '.')+1:]) {
			return frames[i]
		}
	}
	return frames[0]
}

// releaseName reports whether a function is named after giving something back.
func releaseName(name string) bool {
	return meaning.Named(name, "unlock", "release", "free", "revoke", "relinquish", "resign", "giveup", "yield", "surrender")
}

// rows finds statements that free a lease row without naming its holder, or that
// name the holder but not the term although the row keeps one. A statement whose
// condition is more than that is left alone.
func (e *Engine) rows(t *taking) []lock.Slip {
	row := t.m.Row
	if row == nil || !t.st.direct || t.forever() && !t.m.Raw {
		return nil
	}
	key := t.m.Key
	var out []lock.Slip
	for _, c := range e.index.callsIn(pkgOf(t.st.fn)) {
		if forced(c.f.root.Name()) {
			continue
		}
		for _, m := range e.reader.Of(c.term()) {
			if m.Role != meaning.Write || m.Write.Resource != row.Resource || m.Write.Unknown != "" || tendsRow(m.Write, row) != rowFree {
				continue
			}
			switch owner, term := e.ownerOf(m.Write, row, key); {
			case owner == 0:
				out = append(out, lock.Slip{Frame: c.f.frame(c.in, ""), Kind: lock.SlipForeign, Detail: row.Table(), Other: t.u.Acquire})
			case owner > 0 && term != "":
				out = append(out, lock.Slip{Frame: c.f.frame(c.in, ""), Kind: lock.SlipTerm, Detail: term, Other: t.u.Acquire})
			}
		}
	}
	return out
}

// settled is the family, ready to tell values although nothing asked for its
// summary.
func (f *family) settled() *family {
	if f.values == nil {
		f.reset()
	}
	return f
}

// forced reports whether a function is named after breaking locks on purpose.
func forced(name string) bool {
	return meaning.Named(name, "force", "forced", "steal", "break", "admin", "reset", "purge", "cleanup", "clean", "expire", "expired", "truncate")
}

// ownerOf counts the conditions of a release on what the acquire stored in the
// lease row besides its key; -1 when there are others. A record that was inserted
// and is found by what the insert did not store, has been given an id by the
// database: that is nobody else's. term is a column that tells terms apart and is
// not among them.
func (e *Engine) ownerOf(c *meaning.Change, row *meaning.Row, key *term.T) (owner int, term string) {
	asked := make(map[string]bool)
	stored := func(col string) bool {
		return slices.ContainsFunc(row.Sets, func(s meaning.Setting) bool { return s.Column == col })
	}
	for _, g := range c.Guards {
		if g.Op != "=" || g.Column == row.Expiry || row.Stands && !stored(g.Column) {
			return -1, ""
		}
		asked[g.Column] = true
	}
	for _, s := range row.Sets {
		switch {
		case asked[s.Column]:
			if !row.Stands || !e.pool.Alike(s.Value, key) {
				owner++
			}
		case s.Column == row.Token, s.Column != row.Expiry && perGrant(s.Value):
			term = s.Column
		}
	}
	for _, s := range row.Sets {
		if asked[s.Column] && (s.Column == row.Token || perGrant(s.Value)) {
			term = ""
		}
	}
	return owner, term
}

// perGrant reports whether a stored value is another one for every grant.
func perGrant(v *term.T) bool {
	return v != nil && v.Kind == term.Op && (v.Name == "sql:now" || v.Name == "sql:+" || v.Name == "sql:nextval" || v.Name == "sql:gen_random_uuid" || v.Name == "sql:current_timestamp")
}
