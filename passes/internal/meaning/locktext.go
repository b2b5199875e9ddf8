package meaning

import (
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/luaread"
	"github.com/fencevet/fencevet/passes/internal/sqlread"
)

// LockText reports whether a text is a statement that takes or releases a lock:
// it may be handed to a function that only sends it.
func (r *Reader) LockText(text string) bool {
	if len(text) < 12 || len(text) > maxStatement {
		return false
	}
	l := strings.ToLower(text)
	if strings.Contains(l, "lock") {
		for _, st := range sqlread.Read(text) {
			for _, f := range st.Functions {
				if fn := r.Catalog.SQLFunc(f.Name); fn != nil && (fn.Acquire != nil || fn.Release != nil) {
					return true
				}
			}
		}
	}
	if strings.Contains(l, "redis.") {
		s := luaread.Read(text)
		_, _, _, takes := s.Acquires()
		_, _, frees := s.CompareAndDelete()
		_, _, renews := s.CompareAndExpire()
		if takes || frees || renews {
			return true
		}
	}
	// A lease row is taken when its expiry has passed, or stands until it is taken away.
	has := func(w string) bool { return strings.Contains(l, w) }
	if has("insert") && (has("conflict") || has("ignore") || slices.ContainsFunc(lockWords, has)) || has("where") && has("<") && has("update") {
		for _, st := range sqlread.Read(text) {
			for _, w := range st.Writes {
				if c := r.sqlChange(w, nil, nil, "", nil); r.expiring(c) != nil || mayPass(c) || stands(c) != nil {
					return true
				}
			}
		}
	}
	return false
}

// mayPass reports whether a statement changes a column of a certain record, if that is below
// something: the end of a lease, where that is a time of the caller's clock.
func mayPass(c *Change) bool {
	found, below := false, false
	var look func(gs []Guard)
	look = func(gs []Guard) {
		for _, g := range gs {
			found = found || g.Op == "=" && g.Column != ""
			below = below || (g.Op == "<" || g.Op == "<=") && slices.ContainsFunc(c.Sets, func(s Setting) bool { return s.Column == g.Column })
			look(g.Alts)
		}
	}
	look(c.Guards)
	return found && below
}

// maxStatement bounds the texts that are read as a statement on suspicion.
const maxStatement = 8192
