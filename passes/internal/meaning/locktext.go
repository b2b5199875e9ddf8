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
				if c := r.sqlChange(w, nil, nil, "", nil); r.expiring(c) != nil || stands(c) != nil {
					return true
				}
			}
		}
	}
	return false
}

// maxStatement bounds the texts that are read as a statement on suspicion.
const maxStatement = 8192
