package records

import (
	"slices"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// claimed adds to the ruling on an unconditional write what was claimed before it.
//
// In one transaction the rows that were claimed stay as they are until it ends: all
// that it writes lands with the claim or not at all. Outside of one, a winner whose
// lease is over may write long after: nobody wins the same claim after him only
// where its state is left for good. And a claim is worth something to writes that
// are about the thing that was claimed.
func (j *judge) claimed(x summary.Effect, c *meaning.Change, r ruling) ruling {
	if r.cond != lock.None || r.fault != "" || r.compared != "" {
		return r
	}
	for _, w := range x.Won {
		for _, m := range j.e.Reader.Of(w.Call) {
			switch m.Role {
			case meaning.Write:
				r = better(r, j.behind(w, m.Write, c))
			case meaning.Check:
				if asked := j.change(m.Write); r.cond == lock.None && (asked.cond == lock.Owner || asked.cond == lock.Token || asked.fault != "") {
					r.fault = twoRequests
				}
			}
		}
	}
	if r.cond == lock.None && r.fault == "" && c.On != nil && j.e.HandleKind(c.Call, c.On) == "tx" {
		return better(r, j.undone(x, c))
	}
	return r
}

// undone rules on a write before a conditional one of the same transaction: where that is
// refused, the transaction is not committed, and the first write is undone.
func (j *judge) undone(x summary.Effect, c *meaning.Change) ruling {
	none := ruling{cond: lock.None}
	runs, here := j.e.RunsHere(j.st.Func, c.On)
	if runs && !here {
		return none // each call of that function begins another one
	}
	before := true
	for _, y := range j.st.Effects {
		switch {
		case y.Call == nil || y.Open != summary.Closed:
			continue
		case y.Call == x.Call && y.At.Position == x.At.Position:
			before = false
			continue
		case before:
			continue
		case j.e.Commits(y, c.On):
			return none
		}
		for _, m := range j.e.Reader.Of(y.Call) {
			if m.Role != meaning.Write || m.Write.On == nil || !j.oneHandle(m.Write.On, c.On) || m.Write.Ignored {
				continue
			}
			won := j.change(m.Write)
			if won.cond != lock.Token && won.cond != lock.Owner || y.Checked != 1 && m.Write.Reject != "error" || y.Skipped {
				continue
			}
			if runs && len(y.Lost) > 0 && y.Lost[len(y.Lost)-1].Same(world.NotNil) || !runs && j.keepsFromCommit(y, c.On) {
				return ruling{cond: won.cond, note: "in one transaction with the conditional write of " + m.Write.Resource, claimed: true}
			}
		}
	}
	return none
}

// keepsFromCommit reports whether a transaction is committed only after a conditional write
// was accepted.
func (j *judge) keepsFromCommit(y summary.Effect, on *term.T) bool {
	found := false
	for _, z := range j.st.Effects {
		if !j.e.Commits(z, on) {
			continue
		}
		if found = slices.ContainsFunc(z.Won, func(w summary.Claim) bool { return w.Call == y.Call && !w.Over }); !found {
			return false
		}
	}
	return found
}

// oneHandle reports whether two statements run on the same. The more a statement is given,
// the less is left of how its handle was made.
func (j *judge) oneHandle(x, y *term.T) bool {
	return j.e.Pool.Alike(x, y) || x.SameButCut(y)
}

// twoRequests is the fault of a condition that is asked for on its own.
const twoRequests = "whether the lock is held still is asked in one request, and the write is another one: the lock can change hands in between"

// behind rules on a write that follows a claim.
func (j *judge) behind(w summary.Claim, claim, c *meaning.Change) ruling {
	none := ruling{cond: lock.None}
	if _, acquires := j.e.Acquire(w.Call); acquires || claim.Ignored {
		return none // another lock
	}
	won := j.change(claim)
	same := !w.Over && claim.On != nil && j.e.HandleKind(c.Call, c.On) == "tx" && j.oneHandle(claim.On, c.On)
	switch won.cond {
	case lock.Token, lock.Owner:
		// Compared with this lock's own: the transaction is that of its holder.
		if same {
			return ruling{cond: won.cond, note: "in one transaction with the conditional write of " + claim.Resource, claimed: true}
		}
		return none
	case lock.Version, lock.Unique:
	default:
		return none
	}
	ids := identities(claim)
	about := slices.ContainsFunc(ids, func(id *term.T) bool { return j.holds(c.Call, id) })
	locked := slices.ContainsFunc(ids, func(id *term.T) bool { return j.holds(j.lock.Key, id) })
	found := locked || slices.ContainsFunc(ids, func(id *term.T) bool {
		return slices.ContainsFunc(operands(j.lock.Key), func(k *term.T) bool { return j.holds(id, k) })
	})
	switch {
	case !about && !found:
		return none
	case same && (about || locked):
		return ruling{cond: won.cond, note: "in one transaction with the conditional write of " + claim.Resource, claimed: true}
	case (about || locked) && j.latches(claim):
		return ruling{cond: lock.Unique, note: "for the one winner of a claim of " + claim.Resource + " only", claimed: true}
	case w.Again && !same && !slices.ContainsFunc(ids, isEach) && !j.latches(claim):
		return none // the loser reads again, and gets through after all
	}
	return ruling{cond: lock.Unknown, why: lock.ReasonClaim, note: "only whoever wins the claim of " + claim.Resource + " comes here, but an old winner may come late"}
}

// holds reports whether part is in t.
func (j *judge) holds(t, part *term.T) bool {
	return t.Any(func(x *term.T) bool { return j.e.Pool.Alike(x, part) })
}

// isEach reports whether a value is another one in each turn of a loop: the loser of
// one goes on to the next.
func isEach(t *term.T) bool {
	return t.Any(func(x *term.T) bool { return x.Kind == term.Elem || x.Kind == term.Out })
}

// identities lists what tells the record that a claim is of.
func identities(c *meaning.Change) []*term.T {
	var ids []*term.T
	add := func(t *term.T) {
		if t != nil && t.Kind != term.Const && t.Kind != term.Nil && t.Kind != term.Unknown {
			ids = append(ids, t)
		}
	}
	var look func([]meaning.Guard)
	look = func(list []meaning.Guard) {
		for _, g := range list {
			if g.Op == "and" {
				look(g.Alts)
			}
			if g.Op == "=" && !g.Moves && !g.Stored && !versionColumn(g.Column) {
				add(g.Value)
			}
		}
	}
	look(c.Guards)
	if c.Store != "sql" {
		add(c.Key)
	}
	if c.Operation == "INSERT" || c.Operation == "UPSERT" {
		for _, s := range c.Sets {
			if meaning.Named(s.Column, "id", "key", "name", "uuid", "uid", "code", "hash") {
				add(s.Value)
			}
		}
	}
	return ids
}

// operands lists what a key is put together from, beside constants.
func operands(key *term.T) []*term.T {
	if key == nil || key.Kind == term.Const || key.Kind == term.Unknown {
		return nil
	}
	if key.Kind != term.Op && key.Kind != term.List {
		return []*term.T{key}
	}
	var out []*term.T
	for _, a := range key.Args {
		out = append(out, operands(a)...)
	}
	return out
}

// latches reports whether a claim can be won once and never again: it moves a
// record from one known state to another, or creates it, and nothing in the module
// puts it back. Package by package that is not known, and neither is what other
// programs do to the same table.
func (j *judge) latches(claim *meaning.Change) bool {
	if !j.e.Whole() || claim.Resource == claim.Store {
		return false
	}
	if claim.Operation == "INSERT" {
		return !j.e.Evidence.Undone(claim, "", "")
	}
	return slices.ContainsFunc(claim.Guards, func(g meaning.Guard) bool {
		return g.Op == "=" && g.Moves && g.Value != nil && g.Value.Kind == term.Const && !g.Value.IsZero() && !versionColumn(g.Column) &&
			!j.e.Evidence.Undone(claim, g.Column, g.Value.Name)
	})
}

// fresh reports whether what a write asks to be absent is named by something that was made
// on the spot.
func (j *judge) fresh(g meaning.Guard, c *meaning.Change) bool {
	return namedBy(g, c, j.e.Reader.Ticket)
}

// namedBy reports whether what a write asks to be absent is named by something of a kind.
func namedBy(g meaning.Guard, c *meaning.Change, kind func(*term.T) bool) bool {
	if c.Store != "sql" && (c.Key != nil && kind(c.Key) || g.Value != nil && kind(g.Value)) {
		return true
	}
	return slices.ContainsFunc(c.Sets, func(s meaning.Setting) bool {
		return s.Value != nil && s.Column != "" && (s.Column == g.Column || slices.Contains(g.Unique, s.Column)) && kind(s.Value)
	})
}
