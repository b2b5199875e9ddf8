package engine

import (
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// Evidence decides whether a general command (SET NX) is a lock. It also serves
// caches, markers and rate limits, so one strong sign is required (the result
// guards what follows and the key is deleted or renewed later, in the section
// or by other code that is named like a lock; the owner value is compared) or
// two weak ones (names; a time to live with a retry loop).
type evidence struct {
	e       *Engine
	signs   map[*site]*signs
	wraps   map[*site]bool               // sites on the way of a use that is a lock
	taken   map[lock.Position]bool       // library calls that take a lock for some use
	freed   map[freed]bool               // keys that something deletes or renews
	others  map[freed]bool               // those of them that were not taken by who does it
	checked map[freed]bool               // with a comparison of the owner
	keys    map[held]bool                // keys of known locks
	deleted map[tableOf]bool             // what something deletes from, or ends a record of
	changes map[string][]*meaning.Change // of resources, as asked for
	rows    map[string]*meaning.Row      // records that are known locks, by what they are in
}

type freed struct{ pkg, family, key string }

// held is the key of a known lock, in its store.
type held struct {
	family string
	key    *term.T
}

// signs are what one site shows. A lock that goes through wrappers is judged
// by the signs of all sites on its own way, not by those of other callers of
// the same wrapper: the project's own Redis client serves caches as well.
type signs struct {
	guarded   bool // the result decides what follows
	answer    bool // the result is the function's own answer
	released  bool // released in the section that it opens
	lent      bool // kept by a goroutine until the caller ends that: it may as well say who is there
	elsewhere bool // the same key is deleted or renewed by other code of the package
	owner     bool // with a comparison of the owner value
	compares  bool // the function itself compares the owner value, maybe under another key
	name      bool
	ttl       bool
	retry     bool
	intrinsic []string
}

// locks reports whether a key is that of a known lock.
func (ev *evidence) locks(family string, key *term.T) bool {
	return ev.keys[held{family, ev.e.pool.Like(key)}]
}

func newEvidence(e *Engine) *evidence {
	ev := &evidence{
		e: e, signs: make(map[*site]*signs), wraps: make(map[*site]bool), taken: make(map[lock.Position]bool),
		freed: make(map[freed]bool), others: make(map[freed]bool), checked: make(map[freed]bool), keys: make(map[held]bool), deleted: make(map[tableOf]bool),
		rows: make(map[string]*meaning.Row),
	}
	own := make(map[lock.Position]bool)  // where a family gives back what it took itself
	sets := make(map[lock.Position]bool) // where the taking of a key goes on with its time to live
	e.each(func(f *family, fn *ssa.Function, s *Summary) {
		for _, st := range s.sites {
			if m, ok := e.acquire(st.lock.Call); ok && st.direct && m.Raw && m.TTL.Source == "none" && st.wrapper {
				for _, x := range st.effects {
					if len(x.Via) == 0 && x.Reach != ByGoroutine && e.prolongs(x, m) {
						sets[x.At.Position] = true
					}
				}
			}
		}
		for _, list := range s.steps {
			for _, x := range list {
				if x.Call != nil && e.frees(x) && f.owns(x) {
					own[way(x)[0].Position] = true
				}
			}
		}
	})
	e.each(func(f *family, fn *ssa.Function, s *Summary) {
		for _, list := range s.steps {
			for _, x := range list {
				if x.Call == nil {
					continue
				}
				mine := slices.ContainsFunc(way(x), func(at lock.Frame) bool { return own[at.Position] })
				for _, m := range e.reader.Of(x.Call) {
					if m.Role == meaning.Write {
						ev.deletion(pkgOf(fn), m.Write)
					}
					if (m.Role == meaning.Release || m.Role == meaning.Renew && !sets[x.At.Position]) && m.Key != nil {
						for _, k := range keysOf(m.Key) {
							if name := keyName(k); name != "" {
								key := freed{pkgOf(fn), m.Family, name}
								ev.freed[key] = true
								ev.others[key] = ev.others[key] || !mine
								ev.checked[key] = ev.checked[key] || m.Checked
							}
						}
					}
				}
			}
		}
	})
	e.each(func(f *family, fn *ssa.Function, s *Summary) {
		loops := loopBlocks(fn)
		for _, st := range s.sites {
			m, ok := e.acquire(st.lock.Call)
			if !ok {
				continue
			}
			g := &signs{guarded: st.guarded, answer: st.wrapper && st.heldOut && !inverted(st.region), released: !st.lent && f.frees(s, st), lent: st.lent, name: namedLock(fn, m.Key), retry: loops[st.at.Block()]}
			if st.direct {
				g.intrinsic = m.Evidence
				g.ttl = m.TTL.Source != "none" || f.expires(s, m)
			}
			if m.Raw && m.Row != nil && len(st.lock.chain) == 0 {
				g.intrinsic = ev.standing(f, s, st, m)
			}
			if name := keyName(m.Key); name != "" {
				key := freed{pkgOf(fn), m.Family, name}
				g.elsewhere, g.owner = ev.freed[key], ev.checked[key]
			}
			g.compares = f.comparesOwner(s, m)
			g.owner = g.owner || g.compares || st.direct && e.comparesBeside(fn, m)
			ev.signs[st] = g
		}
	})
	e.each(func(f *family, fn *ssa.Function, s *Summary) {
		for _, st := range s.sites {
			m, ok := e.acquire(st.lock.Call)
			if !ok || st.wrapper && m.Raw && !ev.stands(st) || m.Raw && len(ev.listed(st)) == 0 || ev.marker(st, m) || m.Raw && m.Key != nil && e.reader.Ticket(m.Key) {
				continue
			}
			ev.taken[st.lock.Origin] = true
			ev.wraps[st] = true
			for _, c := range st.lock.chain {
				ev.wraps[c] = true
			}
			if m.Row != nil && m.Row.Table() != "" && !strings.Contains(m.Row.Table(), "%") {
				ev.rows[m.Row.Resource] = m.Row
			}
			if m.Key != nil && m.Row == nil { // a record of the program's own may hold data as well
				ev.keys[held{m.Family, e.pool.Like(m.Key)}] = true
			}
		}
	})
	return ev
}

// frees reports whether the section ends in a release, here or by a goroutine that
// it leaves the lock to. What is deleted only where the work has failed or was refused,
// so that it is tried again, marks the work as done.
func (f *family) frees(s *Summary, st *site) bool {
	if len(st.release) == 0 || st.region == nil || st.deferred || !st.heldOut {
		return len(st.release) > 0
	}
	return slices.ContainsFunc(st.region.Stops, func(in ssa.Instruction) bool { return !failing(in.Block()) && !f.unanswered(s, st, in) }) ||
		slices.ContainsFunc(st.region.Held, func(in ssa.Instruction) bool {
			_, async := in.(*ssa.Go)
			return async && f.releaseIndex(s.steps[in], st.match) >= 0
		})
}

// unanswered reports whether a release is what comes of work that was not confirmed: a
// flag of its answer is false, or a select stopped waiting for one. Where more work
// comes before it, the branch says nothing of that.
func (f *family) unanswered(s *Summary, st *site, in ssa.Instruction) bool {
	b := in.Block()
	p := b.Idom()
	if p == nil || len(b.Preds) != 1 || !st.at.Block().Dominates(p) {
		return false
	}
	for _, earlier := range b.Instrs {
		if earlier == in {
			break
		}
		if len(s.steps[earlier]) > 0 {
			return false
		}
	}
	if selected(p, b, func(c ssa.Value) bool {
		return f.get(c).Any(func(x *term.T) bool {
			return x.Kind == term.Call && (f.timer(x) || strings.HasSuffix(x.Name, ").Done"))
		})
	}) != nil {
		return true
	}
	br, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If)
	if !ok || p.Succs[1] != b {
		return false
	}
	if fact := st.region.Fact(br.Cond); fact.Definite() {
		return false // what the acquire itself answered
	}
	switch x := br.Cond.(type) {
	case *ssa.Call, *ssa.Extract, *ssa.Field:
		return true
	case *ssa.UnOp:
		return x.Op == token.MUL || x.Op == token.ARROW
	}
	return false
}

// comparesOwner reports whether a function that stores an owner value with a key
// compares that value later, be it that of another key by mistake.
func (f *family) comparesOwner(s *Summary, m meaning.Meaning) bool {
	if !m.Raw || m.Value == nil || m.Value.Kind == term.Const {
		return false
	}
	return slices.ContainsFunc(s.Effects, func(x Effect) bool {
		return x.Call != nil && x.Open == Closed && slices.ContainsFunc(f.e.reader.Of(x.Call), func(r meaning.Meaning) bool {
			return r.Role == meaning.Release && r.Checked && r.Family == m.Family && f.e.pool.Alike(r.Value, m.Value)
		})
	})
}

// expires reports whether a function gives the key that it sets a time to live by
// a command of its own.
func (f *family) expires(s *Summary, m meaning.Meaning) bool {
	return slices.ContainsFunc(s.Effects, func(x Effect) bool { return f.e.prolongs(x, m) })
}

// stands reports whether a wrapper shows by itself that it is about locks: it
// may have no callers here.
func (ev *evidence) stands(st *site) bool {
	g := ev.total(st)
	return g.name || len(g.intrinsic) > 0 || (g.guarded || g.owner) && g.released && !g.lent
}

// keyName names a key within its package: the pattern, or for a key that is
// only handed around the name it goes by ("key" in l.key and in a parameter).
// It is empty for a key that nothing is known of.
func keyName(k *term.T) string {
	if k == nil {
		return ""
	}
	switch k.Kind {
	case term.Param, term.Field, term.Global, term.Const, term.Op:
		s := k.Pattern()
		return s[strings.LastIndexByte(s, '.')+1:]
	case term.Join:
		return keyName(k.Args[0])
	}
	return ""
}

func keysOf(t *term.T) []*term.T {
	if t.Kind == term.List {
		return t.Args
	}
	return t.Alts()
}

func pkgOf(fn *ssa.Function) string {
	fn = rootOf(fn)
	if fn.Pkg == nil {
		return ""
	}
	return fn.Pkg.Pkg.Path()
}

// functions visits every function in order.
func (e *Engine) functions(visit func(*family, *ssa.Function)) {
	for _, f := range e.order {
		for _, fn := range f.members {
			visit(f, fn)
		}
	}
}

// each visits every function that has a summary, in order.
func (e *Engine) each(visit func(*family, *ssa.Function, *Summary)) {
	for _, f := range e.order {
		for _, fn := range f.members {
			if s := f.sums[fn]; s != nil {
				visit(f, fn, s)
			}
		}
	}
}

// eachIn visits those of a package.
func (e *Engine) eachIn(pkg string, visit func(*family, *ssa.Function, *Summary)) {
	for _, f := range e.index.inPackage(pkg) {
		for _, fn := range f.members {
			if s := f.sums[fn]; s != nil {
				visit(f, fn, s)
			}
		}
	}
}

// isLock reports whether what st takes is a lock at all.
func (ev *evidence) isLock(st *site, m meaning.Meaning) bool { return ev.wraps[st] }

// owns reports whether an effect gives back what the family itself took by a wrapper:
// that says nothing of the key of others.
func (f *family) owns(x Effect) bool {
	return slices.ContainsFunc(f.members, func(fn *ssa.Function) bool {
		return f.sums[fn] != nil && slices.ContainsFunc(f.sums[fn].sites, func(st *site) bool {
			return !st.direct && !st.wrapper && x.Reach != ByGoroutine && st.match != nil && st.match(x)
		})
	})
}

// ownRelease reports whether the family of a site gives its lock back on some way.
func (e *Engine) ownRelease(st *site) bool {
	f := e.families[rootOf(st.fn)]
	return f != nil && st.match != nil && slices.ContainsFunc(f.members, func(fn *ssa.Function) bool {
		return f.sums[fn] != nil && slices.ContainsFunc(f.sums[fn].Effects, st.match)
	})
}

// marker reports whether a lock function is used, at st, for a key that nobody
// ever frees: it serves as a marker there. Where the owner that was stored is compared
// later, it was another key that was meant to be freed.
func (ev *evidence) marker(st *site, m meaning.Meaning) bool {
	g := ev.signs[st]
	if !m.Raw || m.Row != nil || st.direct || st.wrapper || st.closed || len(st.release) > 0 && (g == nil || g.released) || m.Key == nil || m.Key.Kind == term.Unknown || g != nil && g.compares && !ev.e.ownRelease(st) {
		return false
	}
	return !ev.others[freed{pkgOf(st.fn), m.Family, keyName(m.Key)}]
}

// total is what the sites on the way of a lock show together.
func (ev *evidence) total(st *site) signs { return ev.along(append(slices.Clip(st.lock.chain), st)) }

// inverted reports whether whoever took the key is answered no. "Was it there
// already?" is what a marker is asked, not a lock.
func inverted(region *world.Region) bool {
	return slices.ContainsFunc(region.Returns, func(ret *ssa.Return) bool {
		return slices.ContainsFunc(ret.Results, func(v ssa.Value) bool { return isBool(v.Type()) && region.Fact(v).Same(world.False) })
	})
}

func (ev *evidence) along(chain []*site) signs {
	var t signs
	for _, c := range chain {
		g := ev.signs[c]
		if g == nil {
			g = c.told
		}
		if g != nil {
			t.guarded = t.guarded || g.guarded
			t.answer = t.answer || g.answer
			t.released = t.released || g.released
			t.lent = t.lent || g.lent
			t.elsewhere = t.elsewhere || g.elsewhere
			t.owner = t.owner || g.owner
			t.compares = t.compares || g.compares
			t.name = t.name || g.name
			t.ttl = t.ttl || g.ttl
			t.retry = t.retry || g.retry
			t.intrinsic = append(t.intrinsic, g.intrinsic...)
		}
	}
	return t
}

// listed returns the signs that make a raw command a lock, or nothing.
func (ev *evidence) listed(st *site) []string {
	g := ev.total(st)
	if m, ok := ev.e.acquire(st.lock.Call); ok && m.Row != nil {
		return g.intrinsic
	}
	var strong, weak []string
	strong = append(strong, g.intrinsic...)
	switch {
	case g.guarded && (g.released && !g.lent || (g.released || g.elsewhere || g.lent) && g.name):
		strong = append(strong, "result guards the section", "same key deleted or renewed later")
	case g.answer && g.elsewhere && g.name:
		strong = append(strong, "result is the function's answer", "same key deleted or renewed later")
	case g.released && (g.name || g.owner):
		// Nobody asks whether it was taken, which is a fault of the lock's.
		strong = append(strong, "same key deleted or renewed later")
	}
	if g.owner && g.name {
		strong = append(strong, "owner value is compared")
	}
	if g.name {
		weak = append(weak, "named like a lock")
	}
	if g.ttl && g.retry {
		weak = append(weak, "time to live and a retry loop")
	}
	if len(strong) > 0 || len(weak) >= 2 {
		return append(strong, weak...)
	}
	return nil
}

// namedLock reports whether the key, the function, its type, package or file is
// named like a lock.
func namedLock(fn *ssa.Function, key *term.T) bool {
	root := rootOf(fn)
	names := []string{root.Name()}
	if recv := root.Signature.Recv(); recv != nil {
		t := recv.Type().String()
		names = append(names, t[strings.LastIndexByte(t, '.')+1:])
	}
	if root.Pkg != nil {
		names = append(names, root.Pkg.Pkg.Name())
		file := root.Prog.Fset.Position(root.Pos()).Filename
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".go"))
	}
	for i := range root.Signature.Results().Len() {
		if n := namedOf(root.Signature.Results().At(i).Type()); n != nil {
			names = append(names, n.Obj().Name())
		}
	}
	if key != nil {
		names = append(names, key.Pattern())
	}
	return slices.ContainsFunc(names, NamesLock)
}

var lockWords = []string{"lock", "locks", "locker", "locked", "locking", "mutex", "mutexes", "lease", "leader", "leadership", "election", "semaphore", "unlock", "trylock", "dlock", "distlock", "redlock", "redislock", "exclusive"}

// NamesLock reports whether one of a name's words is about locks.
func NamesLock(s string) bool { return meaning.Named(s, lockWords...) }
