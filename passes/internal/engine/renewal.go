package engine

import (
	"github.com/fencevet/fencevet/passes/internal/meaning"
)

// renewal says how the lease of a use is kept alive: by its library, by a
// goroutine, by calls in the section ("explicit"), or not at all. A goroutine
// may have been started by the wrapper that took the lock.
func (e *Engine) renewal(st *site, m meaning.Meaning) string {
	if m.Renewal == "library" {
		return "library"
	}
	here, aside := e.renews(st.effects, m)
	for _, c := range st.lock.chain {
		if own, ok := e.acquire(c.lock.Call); ok {
			_, there := e.renews(c.effects, own)
			aside = aside || there
		}
	}
	switch {
	case aside:
		return "goroutine"
	case here:
		return "explicit"
	}
	return "none"
}

// renews reports whether effects renew a lock in line, and whether they do so
// in a goroutine. A general command (EXPIRE) renews the lock if it has its key.
func (e *Engine) renews(list []Effect, m meaning.Meaning) (here, aside bool) {
	for _, x := range list {
		if x.Call == nil || x.Open != Closed {
			continue
		}
		ms := e.reader.Of(x.Call)
		if r, ok := e.renewsRow(x.Call); ok && m.Row != nil && r.Row.Resource == m.Row.Resource {
			r.Raw = false // of this very record, by what it is in
			ms = []meaning.Meaning{r}
		}
		if r, ok := e.restores(m, ms); ok {
			ms = []meaning.Meaning{r}
		}
		for _, r := range ms {
			switch {
			case r.Role != meaning.Renew || r.Family != m.Family:
			case r.Raw && (r.Key == nil || m.Key == nil || !e.pool.Alike(r.Key, m.Key) && r.Key.Pattern() != m.Key.Pattern()):
			case x.Reach == ByGoroutine:
				aside = true
			default:
				here = true
			}
		}
	}
	return here, aside
}
