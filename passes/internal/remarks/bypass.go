package remarks

import (
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// bypasses notes, at the locks whose writes are changes of something named, a
// function that changes the same without the lock and without a condition. It
// asks for the whole program: a package sees few of those who write a table.
func (k *keeping) bypasses() {
	locked := make(map[lock.Position]bool)
	guarded := make(map[string]bool) // resources
	for _, u := range k.found.uses {
		for _, w := range u.Writes {
			locked[w.Position] = true
			guarded[w.Resource] = guarded[w.Resource] || shaped(&w)
		}
	}
	if len(guarded) == 0 {
		return
	}
	for _, list := range k.e.Recorded {
		for _, r := range list {
			for _, x := range r.Site.Effects {
				if x.Batch == summary.Alone {
					continue
				}
				for _, at := range x.Via { // where it is queued, on the way to where it is sent
					locked[at.Position] = true
				}
			}
		}
	}
	plain := make(map[string][]plainWrite)
	for _, c := range k.e.Index.Calls() {
		if !slices.ContainsFunc(c.Family.Entries(c.Call.Common()), (*catalog.Call).Acts) || strings.HasSuffix(k.e.Position(c.Call.Pos()).File, "_test.go") {
			continue
		}
		at := c.Family.Frame(c.Call, "")
		if locked[at.Position] {
			continue
		}
		for _, m := range k.e.Reader.Of(c.Term()) {
			if m.Role == meaning.Write && guarded[m.Write.Resource] && unasked(m.Write.Guards) {
				plain[m.Write.Resource] = append(plain[m.Write.Resource], plainWrite{at, m.Write})
			}
		}
	}
	k.e.EachUse(func(_ *engine.Family, r summary.Recorded) { k.bypassed(r, plain) })
}

// A plainWrite is a write outside of any lock in view.
type plainWrite struct {
	at     lock.Frame
	change *meaning.Change
}

// bypassed notes the first write of each resource that goes round the lock of r.
func (k *keeping) bypassed(r summary.Recorded, plain map[string][]plainWrite) {
	seen := make(map[string]bool)
	for _, x := range r.Site.Effects {
		if x.Call == nil || x.Open != summary.Closed {
			continue
		}
		for _, m := range k.e.Reader.Of(x.Call) {
			if m.Role != meaning.Write || seen[m.Write.Resource] || !slices.ContainsFunc(r.Use.Writes, func(w lock.Write) bool {
				return w.Position == x.At.Position && w.Resource == m.Write.Resource && shaped(&w)
			}) {
				continue
			}
			for _, p := range plain[m.Write.Resource] {
				if !sameChange(p.change, m.Write) {
					continue
				}
				seen[m.Write.Resource] = true
				frame := framed(p.at, m.Write.Resource)
				k.found.of(r.Use, lock.Call{Frame: frame, Call: frame.Callee, Kind: lock.Bypassed})
				break
			}
		}
	}
}

// shaped reports whether a write is one that another function's can be held
// against: it changes something that has a name in the source.
func shaped(w *lock.Write) bool {
	store, name, _ := strings.Cut(w.Resource, ":")
	if w.Own || w.After || w.Cache || name == "" || strings.Trim(name, "%sdvq:/") == "" {
		return false
	}
	switch store {
	case "sql":
		return w.Operation == "UPDATE"
	case "redis", "etcd", "consul", "zookeeper", "s3", "gcs", "azure", "mongo", "dynamodb":
		return (w.Condition == lock.Token || w.Condition == lock.Owner || w.Condition == lock.None) && !slices.Contains(memberwise, w.Operation)
	}
	return false
}

// memberwise are the commands of Redis that add, move or remove members of what is under
// a key, or count: two of them need not be about the same member, and none undoes what
// another did.
var memberwise = []string{
	"SADD", "SREM", "SMOVE", "SPOP", "ZADD", "ZREM", "ZINCRBY", "ZREMRANGEBYSCORE", "ZREMRANGEBYRANK", "ZPOPMIN", "ZPOPMAX", "LPUSH", "RPUSH", "LPOP", "RPOP",
	"LREM", "LTRIM", "XADD", "XACK", "XDEL", "XTRIM", "PFADD", "INCR", "INCRBY", "INCRBYFLOAT", "DECR", "DECRBY", "HINCRBY", "HINCRBYFLOAT", "PUBLISH",
}

// unasked reports whether nothing but the name of what is changed stands in a
// write's conditions.
func unasked(guards []meaning.Guard) bool {
	return !slices.ContainsFunc(guards, func(g meaning.Guard) bool { return g.Op != "=" && !lists(g) || g.Moves || g.Stored })
}

// lists reports whether a condition names several records by a list of values. One that
// has constants in it may be of states.
func lists(g meaning.Guard) bool {
	return g.Op == "in" && len(g.Alts) == 0 && g.Value != nil && g.Value.Kind != term.Const &&
		!slices.ContainsFunc(g.Value.Args, func(a *term.T) bool { return a.Kind == term.Const })
}

// sameChange reports whether two writes do the same to what they change. Where a store
// replaces all that is under a key at once, it is of no account by which call.
func sameChange(a, b *meaning.Change) bool {
	if slices.Contains([]string{"etcd", "consul", "zookeeper", "s3", "gcs", "azure"}, a.Store) {
		deletes := func(c *meaning.Change) bool { return strings.Contains(strings.ToLower(c.Operation), "delete") }
		return deletes(a) == deletes(b)
	}
	return a.Operation == b.Operation && sameColumns(a.Sets, b.Sets)
}

// sameColumns reports whether two statements set a column in common, or one of them
// does not tell which it sets. Where both count on, neither undoes the other.
func sameColumns(a, b []meaning.Setting) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	return slices.ContainsFunc(a, func(x meaning.Setting) bool {
		return slices.ContainsFunc(b, func(y meaning.Setting) bool { return x.Column == y.Column && !(x.Counts() && y.Counts()) })
	})
}
