package engine

import (
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// Evidence decides whether a general command (SET NX) is a lock. It also serves
// caches, markers and rate limits, so one strong sign is required (the result
// guards what follows and the key is deleted or renewed later, in the section
// or by other code that is named like a lock; the owner value is compared) or
// two weak ones (names; a time to live with a retry loop).
type Evidence struct {
	e         *Engine
	signs     map[*summary.Site]*summary.Signs
	wraps     map[*summary.Site]bool        // sites on the way of a use that is a lock
	taken     map[lock.Position]bool        // library calls that take a lock for some use
	freed     map[FreedKey]bool             // keys that something deletes or renews
	others    map[FreedKey]bool             // those of them that were not taken by who does it
	checked   map[FreedKey]bool             // with a comparison of the owner
	keys      map[held]bool                 // keys of known locks
	named     map[FreedKey]bool             // them as patterns, whatever their package
	deleted   map[tableOf]bool              // what something deletes from, or ends a record of
	replacing map[string][]meaning.Meaning  // what Replacing has found, by package
	all       *writings                     // of the program, as asked for
	rows      map[string]*meaning.Row       // records that are known locks, by what they are in
	written   map[tableOf][]*meaning.Change // how code of a package changes a resource
}

// A FreedKey is a key, in a store of a family, that something in a package deletes or renews.
type FreedKey struct{ Pkg, Family, Key string }

// held is the key of a known lock, in its store.
type held struct {
	family string
	key    *term.T
}

// Locks reports whether a key is that of a known lock.
func (ev *Evidence) Locks(family string, key *term.T) bool {
	return ev.keys[held{family, ev.e.Pool.Like(key)}]
}

// Named reports whether a key is a text that is made like that of a known lock, be it of
// other values.
func (ev *Evidence) Named(family string, key *term.T) bool {
	return key.Kind == term.Op && ev.named[FreedKey{Family: family, Key: key.Pattern()}]
}

func newEvidence(e *Engine) *Evidence {
	ev := &Evidence{
		e: e, signs: make(map[*summary.Site]*summary.Signs), wraps: make(map[*summary.Site]bool), taken: make(map[lock.Position]bool),
		freed: make(map[FreedKey]bool), others: make(map[FreedKey]bool), checked: make(map[FreedKey]bool), keys: make(map[held]bool), named: make(map[FreedKey]bool), deleted: make(map[tableOf]bool),
		rows: make(map[string]*meaning.Row), written: make(map[tableOf][]*meaning.Change), replacing: make(map[string][]meaning.Meaning),
	}
	own := make(map[lock.Position]bool)  // where a family gives back what it took itself
	sets := make(map[lock.Position]bool) // where the taking of a key goes on with its time to live
	e.EachSummary(func(f *Family, fn *ssa.Function, s *summary.Summary) {
		for _, st := range s.Sites {
			if m, ok := e.Acquire(st.Lock.Call); ok && st.Direct && m.Raw && m.TTL.Source == "none" && st.Wrapper {
				for _, x := range st.Effects {
					if len(x.Via) == 0 && x.Reach != summary.ByGoroutine && e.Prolongs(x, m) {
						sets[x.At.Position] = true
					}
				}
			}
		}
		for _, list := range s.Steps {
			for _, x := range list {
				if x.Call != nil && e.Frees(x) && f.owns(x) {
					own[summary.Way(x)[0].Position] = true
				}
			}
		}
	})
	e.EachSummary(func(f *Family, fn *ssa.Function, s *summary.Summary) {
		for _, list := range s.Steps {
			for _, x := range list {
				if x.Call == nil {
					continue
				}
				for _, m := range e.Reader.Of(x.Call) {
					if m.Role == meaning.Write {
						ev.deletion(code.PackagePath(fn), m.Write)
					}
					if (m.Role == meaning.Release || m.Role == meaning.Renew && !sets[x.At.Position]) && m.Key != nil {
						for _, k := range KeysOf(m.Key) {
							if name := KeyName(k); name != "" {
								key := FreedKey{code.PackagePath(fn), m.Family, name}
								ev.freed[key] = true
								ev.others[key] = ev.others[key] || !slices.ContainsFunc(summary.Way(x), func(at lock.Frame) bool { return own[at.Position] })
								ev.checked[key] = ev.checked[key] || m.Checked
							}
						}
					}
				}
			}
		}
	})
	e.EachSummary(func(f *Family, fn *ssa.Function, s *summary.Summary) {
		loops := LoopBlocks(fn)
		for _, st := range s.Sites {
			m, ok := e.Acquire(st.Lock.Call)
			if !ok {
				continue
			}
			g := &summary.Signs{Guarded: st.Guarded, Answer: st.Wrapper && st.HeldOut && !inverted(st.Region), Released: !st.Lent && f.frees(s, st), Lent: st.Lent, Name: namedLock(fn, m.Key) || Leads(st), Retry: loops[st.At.Block()]}
			if st.Direct {
				g.Intrinsic = m.Evidence
				g.TTL = m.TTL.Source != "none" || f.expires(s, m)
			}
			switch direct := len(st.Lock.Chain) == 0; {
			case !m.Raw || m.Row == nil:
			case m.Row.Beat != "":
				g.Intrinsic = ev.reclaimed(f, s, st, m)
			case direct && m.Row.Stands:
				g.Intrinsic = ev.standing(f, s, st, m)
			case direct:
				g.Intrinsic = ev.kept(s, st, m)
			}
			if m.Raw && m.Kind == lock.Session && g.Name && f.readsBack(s, st) {
				g.Intrinsic = append(g.Intrinsic, "it is read who holds it")
			}
			if name := KeyName(m.Key); name != "" {
				key := FreedKey{code.PackagePath(fn), m.Family, name}
				g.Elsewhere, g.Owner = ev.freed[key], ev.checked[key]
			}
			g.Compares = f.comparesOwner(s, m)
			g.Refuses = st.Wrapper && f.refusesByError(st, m)
			g.Owner = g.Owner || g.Compares || st.Direct && e.comparesBeside(fn, m)
			ev.signs[st] = g
		}
	})
	e.EachSummary(func(f *Family, fn *ssa.Function, s *summary.Summary) {
		for _, st := range s.Sites {
			m, ok := e.Acquire(st.Lock.Call)
			if !ok || st.Wrapper && m.Raw && !ev.stands(st) || m.Raw && len(ev.Listed(st)) == 0 || ev.marker(st, m) || ev.e.news(st, m) || m.Raw && m.Key != nil && e.Reader.Ticket(m.Key) {
				continue
			}
			ev.taken[st.Lock.Origin] = true
			ev.wraps[st] = true
			for _, c := range st.Lock.Chain {
				ev.wraps[c] = true
			}
			if m.Row != nil && m.Row.Table() != "" && !strings.Contains(m.Row.Table(), "%") {
				ev.rows[m.Row.Resource] = m.Row
			}
			if m.Key != nil && m.Row == nil { // a record of the program's own may hold data as well
				ev.keys[held{m.Family, e.Pool.Like(m.Key)}] = true
				ev.named[FreedKey{Family: m.Family, Key: m.Key.Pattern()}] = true
			}
		}
	})
	return ev
}

// frees reports whether the section ends in a release, here or by a goroutine that
// it leaves the lock to. What is deleted only where the work has failed or was refused,
// so that it is tried again, marks the work as done.
func (f *Family) frees(s *summary.Summary, st *summary.Site) bool {
	if len(st.Release) == 0 || st.Region == nil || st.Deferred || !st.HeldOut {
		return len(st.Release) > 0
	}
	return slices.ContainsFunc(st.Region.Stops, func(in ssa.Instruction) bool { return !code.Failing(in.Block()) && !f.unanswered(s, st, in) }) ||
		slices.ContainsFunc(st.Region.Held, func(in ssa.Instruction) bool {
			_, async := in.(*ssa.Go)
			return async && f.ReleaseIndex(s.Steps[in], st.Match) >= 0
		})
}

// unanswered reports whether a release is what comes of work that was not confirmed: a
// flag of its answer is false, or a select stopped waiting for one. Where more work
// comes before it, the branch says nothing of that.
func (f *Family) unanswered(s *summary.Summary, st *summary.Site, in ssa.Instruction) bool {
	b := in.Block()
	p := b.Idom()
	if p == nil || len(b.Preds) != 1 || !st.At.Block().Dominates(p) {
		return false
	}
	for _, earlier := range b.Instrs {
		if earlier == in {
			break
		}
		if len(s.Steps[earlier]) > 0 {
			return false
		}
	}
	if code.Selected(p, b, func(c ssa.Value) bool {
		return f.Get(c).Any(func(x *term.T) bool {
			return x.Kind == term.Call && (f.Timer(x) || strings.HasSuffix(x.Name, ").Done"))
		})
	}) != nil {
		return true
	}
	br, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If)
	if !ok || p.Succs[1] != b {
		return false
	}
	if fact := st.Region.Fact(br.Cond); fact.Definite() {
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

// readsBack reports whether a function reads what it has just tried to put there, as one
// does who wants to know whose it is now.
func (f *Family) readsBack(s *summary.Summary, st *summary.Site) bool {
	records := f.Engine.RecordsOf(st.Lock.Call)
	for in, list := range s.Steps {
		if in != ssa.Instruction(st.At) && st.At.Block().Dominates(in.Block()) && slices.ContainsFunc(list, func(x summary.Effect) bool {
			return x.Call != nil && f.Engine.Reads(x.Call, records)
		}) {
			return true
		}
	}
	return false
}

// comparesOwner reports whether a function that stores an owner value with a key
// compares that value later, be it that of another key by mistake.
func (f *Family) comparesOwner(s *summary.Summary, m meaning.Meaning) bool {
	if !m.Raw || m.Value == nil || m.Value.Kind == term.Const {
		return false
	}
	return slices.ContainsFunc(s.Effects, func(x summary.Effect) bool {
		return x.Call != nil && x.Open == summary.Closed && slices.ContainsFunc(f.Engine.Reader.Of(x.Call), func(r meaning.Meaning) bool {
			return r.Role == meaning.Release && r.Checked && r.Family == m.Family && f.Engine.Pool.Alike(r.Value, m.Value)
		})
	})
}

// expires reports whether a function gives the key that it sets a time to live by
// a command of its own.
func (f *Family) expires(s *summary.Summary, m meaning.Meaning) bool {
	return slices.ContainsFunc(s.Effects, func(x summary.Effect) bool { return f.Engine.Prolongs(x, m) })
}

// stands reports whether a wrapper shows by itself that it is about locks: it
// may have no callers here.
func (ev *Evidence) stands(st *summary.Site) bool {
	g := ev.total(st)
	return g.Name || len(g.Intrinsic) > 0 || !g.Lent && (g.Released && (g.Guarded && !ev.mayBeData(st) || g.Owner) || g.Guarded && g.Compares)
}

// mayBeData reports whether what an acquire puts in place may as well be data: objects are
// written once, used and deleted like any file. Then a name has to tell, or the owner.
func (ev *Evidence) mayBeData(st *summary.Site) bool {
	m, ok := ev.e.Acquire(st.Lock.Call)
	return ok && m.Family == "object-store" && !slices.ContainsFunc(append(slices.Clip(st.Lock.Chain), st), func(c *summary.Site) bool {
		// Methods that acquire and release something are about no file.
		return c.Func != nil && meaning.Named(c.Func.Name(), "acquire", "seize", "obtain") && len(ev.e.Halves(c.Func)) > 0
	})
}

// KeyName names a key within its package: the pattern, or for a key that is
// only handed around the name it goes by ("key" in l.key and in a parameter).
// It is empty for a key that nothing is known of.
func KeyName(k *term.T) string {
	if k == nil {
		return ""
	}
	switch k.Kind {
	case term.Param, term.Field, term.Global, term.Const, term.Op:
		s := k.Pattern()
		return s[strings.LastIndexByte(s, '.')+1:]
	case term.Join:
		return KeyName(k.Args[0])
	}
	return ""
}

// KeysOf lists the keys of a command that may have several.
func KeysOf(t *term.T) []*term.T {
	if t.Kind == term.List {
		return t.Args
	}
	return t.Alts()
}

// EachFunction visits every function in order.
func (e *Engine) EachFunction(visit func(*Family, *ssa.Function)) {
	for _, f := range e.Order {
		for _, fn := range f.Members {
			e.Try(fn, func() { visit(f, fn) })
		}
	}
}

// EachSummary visits every function that has a summary, in order.
func (e *Engine) EachSummary(visit func(*Family, *ssa.Function, *summary.Summary)) {
	for _, f := range e.Order {
		for _, fn := range f.Members {
			if s := f.Sums[fn]; s != nil {
				e.Try(fn, func() { visit(f, fn, s) })
			}
		}
	}
}

// EachUse visits every recorded lock, in order.
func (e *Engine) EachUse(visit func(*Family, summary.Recorded)) {
	for _, f := range e.Order {
		for _, r := range e.Recorded[f] {
			e.Try(r.Site.Func, func() { visit(f, r) })
		}
	}
}

// EachIn is EachSummary for the functions of a package.
func (e *Engine) EachIn(pkg string, visit func(*Family, *ssa.Function, *summary.Summary)) {
	for _, f := range e.Index.InPackage(pkg) {
		for _, fn := range f.Members {
			if s := f.Sums[fn]; s != nil {
				e.Try(fn, func() { visit(f, fn, s) })
			}
		}
	}
}

// IsLock reports whether what st takes is a lock at all.
func (ev *Evidence) IsLock(st *summary.Site, m meaning.Meaning) bool { return ev.wraps[st] }

// owns reports whether an effect gives back what the family itself took by a wrapper:
// that says nothing of the key of others.
func (f *Family) owns(x summary.Effect) bool {
	return slices.ContainsFunc(f.Members, func(fn *ssa.Function) bool {
		return f.Sums[fn] != nil && slices.ContainsFunc(f.Sums[fn].Sites, func(st *summary.Site) bool {
			return !st.Direct && !st.Wrapper && x.Reach != summary.ByGoroutine && st.Match != nil && st.Match(x)
		})
	})
}

// ownRelease reports whether the family of a site gives its lock back on some way.
func (e *Engine) ownRelease(st *summary.Site) bool {
	f := e.Families[code.Root(st.Func)]
	return f != nil && st.Match != nil && slices.ContainsFunc(f.Members, func(fn *ssa.Function) bool {
		return f.Sums[fn] != nil && slices.ContainsFunc(f.Sums[fn].Effects, st.Match)
	})
}

// marker reports whether a lock function is used, at st, for a key that nobody
// ever frees: it serves as a marker there. Where the owner that was stored is compared
// later, it was another key that was meant to be freed; and where the result is asked, and
// the key comes from a function that makes keys of locks, whoever frees it is out of sight.
func (ev *Evidence) marker(st *summary.Site, m meaning.Meaning) bool {
	g := ev.signs[st]
	if st.Wrapper && ev.dropped(st, m) {
		return true
	}
	if !m.Raw || m.Row != nil || st.Direct || st.Wrapper || st.Closed || len(st.Release) > 0 && (g == nil || g.Released) || m.Key == nil || m.Key.Kind == term.Unknown || g != nil && g.Compares && !ev.e.ownRelease(st) {
		return false
	}
	if g != nil && g.Guarded && keyedAsLock(st) || ev.unasked(st, m) {
		return false
	}
	return !ev.others[FreedKey{code.PackagePath(st.Func), m.Family, KeyName(m.Key)}]
}

// keyedAsLock reports whether the call that takes a lock is given a text by a function that
// is named after keys of locks.
func keyedAsLock(st *summary.Site) bool {
	return slices.ContainsFunc(st.At.Common().Args, func(a ssa.Value) bool {
		c, ok := a.(*ssa.Call)
		if !ok || !code.IsBasic(a.Type()) {
			return false
		}
		callee := c.Call.StaticCallee()
		return callee != nil && NamesLock(callee.Name()) && meaning.Named(callee.Name(), "key", "keys")
	})
}

// dropped reports whether a function that tells its callers that they were first takes a
// lock by a wrapper and keeps nothing to give it back by: not the handle, no method beside
// it that releases, no key that anything frees. "Claim this request" is a record that
// expires. A function that is named like a lock has callers that may know better.
func (ev *Evidence) dropped(st *summary.Site, m meaning.Meaning) bool {
	if !m.Raw || m.Row != nil || st.Direct || st.Returned || st.Lent || len(st.Release) > 0 || UnknownKey(m.Key) {
		return false
	}
	if g := ev.signs[st]; g == nil || g.Name || g.Compares || g.Elsewhere || len(ev.e.Halves(st.Func)) > 0 {
		return false
	}
	s := ev.e.Summary(st.Func)
	return s != nil && !slices.ContainsFunc(s.Sets, func(x summary.Set) bool {
		return x.Value.Any(func(t *term.T) bool { return t == st.Term || m.Handle != nil && t == m.Handle })
	})
}

// total is what the sites on the way of a lock show together.
func (ev *Evidence) total(st *summary.Site) summary.Signs {
	return ev.along(append(slices.Clip(st.Lock.Chain), st))
}

// inverted reports whether whoever took the key is answered no. "Was it there
// already?" is what a marker is asked, not a lock.
func inverted(region *world.Region) bool {
	return slices.ContainsFunc(region.Returns, func(ret *ssa.Return) bool {
		return slices.ContainsFunc(ret.Results, func(v ssa.Value) bool { return isBool(v.Type()) && region.Fact(v).Same(world.False) })
	})
}

func (ev *Evidence) along(chain []*summary.Site) summary.Signs {
	var t summary.Signs
	t.Refuses = len(chain) > 0
	for _, c := range chain {
		g := ev.signs[c]
		if g == nil {
			g = c.Told
		}
		t.Refuses = t.Refuses && g != nil && g.Refuses
		if g != nil {
			t.Guarded = t.Guarded || g.Guarded
			t.Answer = t.Answer || g.Answer
			t.Released = t.Released || g.Released
			t.Lent = t.Lent || g.Lent
			t.Elsewhere = t.Elsewhere || g.Elsewhere
			t.Owner = t.Owner || g.Owner
			t.Compares = t.Compares || g.Compares
			t.Name = t.Name || g.Name
			t.TTL = t.TTL || g.TTL
			t.Retry = t.Retry || g.Retry
			t.Intrinsic = append(t.Intrinsic, g.Intrinsic...)
		}
	}
	return t
}

// Listed returns the signs that make a raw command a lock, or nothing.
func (ev *Evidence) Listed(st *summary.Site) []string {
	g := ev.total(st)
	m, ok := ev.e.Acquire(st.Lock.Call)
	if ok && m.Row != nil {
		if len(g.Intrinsic) == 0 {
			return givenBack(m, g)
		}
		return g.Intrinsic
	}
	var strong, weak []string
	strong = append(strong, g.Intrinsic...)
	switch {
	case g.Guarded && (g.Released && !g.Lent && !ev.mayBeData(st) || (g.Released || g.Elsewhere || g.Lent) && g.Name):
		strong = append(strong, "result guards the section", "same key deleted or renewed later")
	case g.Answer && g.Elsewhere && g.Name:
		strong = append(strong, "result is the function's answer", "same key deleted or renewed later")
	case g.Released && (g.Name || g.Owner):
		// Nobody asks whether it was taken, which is a fault of the lock's.
		strong = append(strong, "same key deleted or renewed later")
	case ok && ev.unasked(st, m):
		strong = append(strong, "nobody asks whether it was taken")
	}
	if g.Owner && g.Name || g.Guarded && g.Compares {
		strong = append(strong, "owner value is compared")
	}
	if g.Name {
		weak = append(weak, "named like a lock")
	}
	if g.TTL && g.Retry {
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
	root := code.Root(fn)
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
		if n := code.NamedOf(root.Signature.Results().At(i).Type()); n != nil {
			names = append(names, n.Obj().Name())
		}
	}
	if key != nil {
		names = append(names, key.Pattern())
	}
	return slices.ContainsFunc(names, NamesLock)
}

var lockWords = []string{"lock", "locks", "locker", "locked", "locking", "mutex", "mutexes", "lease", "leader", "leadership", "elect", "election", "semaphore", "unlock", "trylock", "dlock", "distlock", "redlock", "redislock", "exclusive"}

// NamesLock reports whether one of a name's words is about locks.
func NamesLock(s string) bool { return meaning.Named(s, lockWords...) }

// ReleaseName reports whether a function is named after giving something back.
func ReleaseName(name string) bool {
	return meaning.Named(name, "unlock", "release", "free", "revoke", "relinquish", "resign", "giveup", "yield", "surrender")
}
