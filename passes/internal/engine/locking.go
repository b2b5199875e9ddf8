package engine

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// PartOfLocking reports whether a call in the section of a lock is part of locking: this lock's
// or another's acquire, renewal or release is no write of a protected resource.
func (e *Engine) PartOfLocking(st *summary.Site, lock meaning.Meaning, x summary.Effect, ms []meaning.Meaning) bool {
	if x.Own {
		return true
	}
	for _, m := range ms {
		switch m.Role {
		case meaning.Acquire:
			if !m.Raw || e.Evidence.taken[x.At.Position] || m.Key != nil && e.Evidence.Locks(m.Family, m.Key) {
				return true
			}
		case meaning.Release, meaning.Renew:
			if !m.Raw {
				return true
			}
			if m.Role == meaning.Release && lock.Row == nil && st.Match != nil && st.Match(x) {
				return true // it gives back this very lock
			}
			if !m.General(ms) && (m.Record != "" || !stores(ms)) {
				return true // a comparison of the owner before a delete or expiry has no other use
			}
			if st.Wrapper && m.Role == meaning.Release && m.Family == lock.Family && KeyName(m.Key) == "" {
				return true // keys that it collected, of which some were taken and some not
			}
			for _, k := range KeysOf(m.Key) {
				if e.Evidence.Locks(m.Family, k) || e.Evidence.Named(m.Family, k) || lock.Key != nil && (e.Pool.Alike(k, lock.Key) || k.Pattern() == lock.Key.Pattern()) {
					return true
				}
			}
		}
	}
	if st.Wrapper && notes(lock, ms) {
		return true
	}
	_, again := e.restores(lock, ms)
	return again || ownRecord(lock, ms) || e.tends(ms)
}

// bookkeeping marks what a method that is named after nothing but locking, and takes locks of a
// library, writes in the store of these: a lock that is made of several, such as one for readers
// and writers, keeps count of its holders there. It is no write of whoever takes that lock. Nor
// is a key that such a method of a lock made by hand deletes, be it that of another's claim.
func (e *Engine) bookkeeping(fn *ssa.Function, s *summary.Summary) {
	if fn.Signature.Recv() == nil || !locksOnly(fn.Name()) {
		return
	}
	stores := make(map[string]bool)
	for _, st := range s.Sites {
		if m, ok := e.Acquire(st.Lock.Call); ok && st.Direct && !m.Raw {
			stores[m.Family] = true
		}
	}
	for i, x := range s.Effects {
		if r, ok := e.Release(x); ok && r.Raw && r.Key != nil && NamesLock(fn.Name()) {
			s.Effects[i].Own = true
		}
		if len(stores) > 0 && x.Call != nil && x.Open == summary.Closed {
			s.Effects[i].Own = s.Effects[i].Own || slices.ContainsFunc(e.Reader.Of(x.Call), func(m meaning.Meaning) bool { return m.Role == meaning.Write && stores[m.Write.Store] })
		}
	}
}

// locksOnly reports whether a name says that something is locked or unlocked, and nothing of what.
func locksOnly(name string) bool {
	words := meaning.Words(name)
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool {
		kind := strings.TrimSuffix(strings.TrimSuffix(w, "lock"), "un")
		return !slices.Contains([]string{"", "r", "w", "rw", "try", "read", "write", "acquire", "release", "shared", "exclusive", "context", "ctx"}, kind)
	})
}

// notes reports whether a call only keeps a record that is named after locks, in the store
// where a key was taken: what a function that takes it for its callers notes down there, such
// as an index of the keys that are taken, is part of taking it.
func notes(lock meaning.Meaning, ms []meaning.Meaning) bool {
	if !lock.Raw || lock.Row != nil {
		return false
	}
	noted := false
	for _, m := range ms {
		switch m.Role {
		case meaning.Write:
			if m.Family != lock.Family || m.Write.Key == nil || !NamesLock(m.Write.Key.Pattern()) {
				return false
			}
			noted = true
		case meaning.Renew:
		default:
			return false
		}
	}
	return noted
}

// stores reports whether a call stores a value: one on a condition that renews a
// lease where the value is a lease's record, and writes data where it is not.
func stores(ms []meaning.Meaning) bool {
	return slices.ContainsFunc(ms, func(m meaning.Meaning) bool { return m.Role == meaning.Write && m.Write.Value != nil })
}

// Idle reports whether nothing but locking happens in a section.
func (e *Engine) Idle(st *summary.Site) bool {
	for _, x := range st.Effects {
		if x.Signal != "" && x.Why == "" {
			continue
		}
		if x.Open != summary.Closed || x.Memory != nil || x.Call == nil {
			return false
		}
		for _, m := range e.Reader.Of(x.Call) {
			switch m.Role {
			case meaning.Acquire, meaning.Release, meaning.Renew, meaning.Loss:
			default:
				return false
			}
		}
	}
	return true
}

// Hidden says what an open call may hide, or nothing.
func (e *Engine) Hidden(x summary.Effect) lock.Reason {
	if x.Open == summary.Dynamic {
		return x.Why
	}
	fn := x.Call.Args[0]
	name := ""
	switch fn.Kind {
	case term.Param:
		name = fn.Label
	case term.Field:
		name = fn.Name
	case term.Global:
		name = fn.Name[strings.LastIndexByte(fn.Name, '.')+1:]
	case term.Call, term.Result, term.Out:
		// What a catalogued call returns (a cancel function) is known.
		c := fn
		for c.Kind != term.Call && len(c.Args) > 0 {
			c = c.Args[0]
		}
		if e.Reader.Entry(c) != nil || strings.HasPrefix(strings.TrimPrefix(c.Name, "golang.org/x/net/"), "context.") {
			return ""
		}
	}
	l := strings.ToLower(name)
	if len(x.Call.Args) == 1 {
		for _, q := range quiet {
			if len(q) > 1 && (strings.HasSuffix(l, q) || strings.HasPrefix(l, q)) {
				return ""
			}
		}
	}
	for _, q := range quiet {
		if l == q {
			return ""
		}
	}
	return lock.ReasonCallback
}

// quiet are names of functions that only tell or stop something.
var quiet = []string{"v", "error", "info", "warn", "debug", "warning", "errorw", "infow", "fatalf", "lost", "cancel", "stop", "unlock", "release", "close", "done", "log", "logf", "debugf", "infof", "warnf", "errorf", "printf", "notify", "after", "before", "now", "clock"}

// Brakes reports whether a key is named after a limit of rates.
func Brakes(name string) bool {
	return meaning.Named(name, "ratelimit", "ratelimits", "ratelimiter", "rate", "throttle", "throttling", "attempt", "attempts")
}
