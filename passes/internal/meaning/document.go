package meaning

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// documents reads the conditional write of a lease record as what it is: an
// object, key or item that says who holds and until when, replaced only if nobody
// else replaced it first. A create-once of such a record counts too.
//
// Imprecision: a record that is read, changed in place and written back is not
// seen to have the fields; and where the condition comes from a field, the write
// is taken for the renewal of a lease that is held, though an elector may keep
// there what it saw of another holder's record.
func (r *Reader) documents(w *catalog.Write, ms []Meaning) []Meaning {
	if unconditional(w, ms) {
		return slices.DeleteFunc(ms, func(m Meaning) bool { return m.Role == Acquire && m.Raw && m.Row == nil })
	}
	for _, w := range ms {
		if w.Role == Write && w.Write.Store == "k8s" {
			if m, ok := r.annotation(w); ok {
				return append([]Meaning{m}, ms...)
			}
			if m, ok := r.leaseObject(w); ok {
				return append([]Meaning{m}, ms...)
			}
		}
		if w.Role != Write || w.Write.Value == nil {
			continue
		}
		rec, ok := leaseRecord(w.Write.Value)
		if !ok {
			continue
		}
		guard := condition(w.Write)
		if guard == nil {
			continue
		}
		i := slices.IndexFunc(ms, func(m Meaning) bool { return m.Role == Acquire })
		m := Meaning{Role: Acquire, Library: w.Library, Family: w.Family, Kind: lock.Lease, Try: true}
		if i >= 0 {
			if !ms[i].Raw {
				return ms // a lock by itself
			}
			m = ms[i]
			ms = slices.Delete(slices.Clone(ms), i, i+1)
		}
		if m.Key == nil {
			m.Key = w.Write.Key
		}
		m.Aged = nil
		m.Raw, m.Value, m.TTL, m.Record = false, rec.holder, rec.lifetime, rec.typ
		m.Evidence = []string{"the stored record names a holder and an expiry", "written on a condition"}
		if ofField(guard.Value) || ofHolder(guard.Value) {
			m = Meaning{Role: Renew, Library: w.Library, Family: w.Family, Key: m.Key, Checked: true, Record: rec.typ}
		}
		return append([]Meaning{m}, ms...)
	}
	return ms
}

// Annotations is the field of an object of Kubernetes in which programs keep records of
// their own, and Annotation the type of a term that says what is put there: under a key a
// value, or none.
const (
	Annotations = "Annotations"
	Annotation  = "annotation"
)

// annotation reads the update of an object of Kubernetes that says in an annotation who
// holds it and until when: the version of the object keeps others from doing so at the same
// time. One that takes an annotation away may give a lock back.
func (r *Reader) annotation(w Meaning) (Meaning, bool) {
	args := Args(w.Write.Call)
	if len(args) < 2 || w.Write.Operation != "Update" {
		return Meaning{}, false
	}
	note := r.Pool.Field(args[1], Annotations)
	guard := condition(w.Write)
	if note.Kind != term.Struct || note.Type != Annotation || guard == nil || guard.Op != "version" {
		return Meaning{}, false
	}
	m := Meaning{Role: Acquire, Library: w.Library, Family: w.Family, Kind: lock.Lease, Try: true, Key: r.Pool.Field(note, "key")}
	value := r.Pool.Field(note, "value")
	if value.Kind == term.Nil {
		m.Role, m.Kind, m.Try, m.Raw, m.Checked = Release, "", false, true, true
		return m, true
	}
	rec, ok := leaseRecord(value)
	if !ok {
		return Meaning{}, false
	}
	m.Value, m.TTL, m.Record = rec.holder, rec.lifetime, rec.typ
	m.Evidence = []string{"an annotation names a holder and an expiry", "written on a condition"}
	return m, true
}

// unconditional reports whether a write that can carry conditions carries none in
// view: whoever comes later overwrites, so it takes no lock.
func unconditional(w *catalog.Write, ms []Meaning) bool {
	return w != nil && len(w.Conditions) > 0 && !slices.ContainsFunc(ms, func(m Meaning) bool {
		return m.Role == Write && slices.ContainsFunc(m.Write.Guards, func(g Guard) bool { return g.Text != "options out of sight" })
	})
}

// condition returns what a write depends on, or nil: only a version and
// create-once are certain to be conditions of the record that is written.
func condition(c *Change) *Guard {
	for i, g := range c.Guards {
		switch g.Op {
		case "version", "absent", "owner":
			return &c.Guards[i]
		case "other":
			if g.Text == "expression" {
				return &c.Guards[i]
			}
		}
	}
	return nil
}

// ofField reports whether every way to a value is a field of a parameter.
func ofField(t *term.T) bool {
	alts := t.Alts()
	return len(alts) > 0 && !slices.ContainsFunc(alts, func(a *term.T) bool {
		if a.Kind != term.Field {
			return true
		}
		for a.Kind == term.Field {
			a = a.Args[0]
		}
		return a.Kind != term.Param
	})
}

// ofHolder reports whether an expression demands a certain holder, without an
// alternative: a renewal. DynamoDB's package expression builds such from calls.
func ofHolder(expr *term.T) bool {
	called := func(t *term.T, name string) bool { return t.Kind == term.Call && methodName(t.Name) == name }
	holder := func(t *term.T) bool { s, ok := t.Str(); return ok && NamesHolder(s) }
	return expr.Any(func(t *term.T) bool { return called(t, "Equal") && t.Any(holder) }) &&
		!expr.Any(func(t *term.T) bool { return called(t, "Or") })
}

// A record is what a lease record says.
type record struct {
	typ      string
	holder   *term.T
	lifetime lock.TTL
}

// leaseRecord reports whether a value is a struct with a holder and an expiry.
func leaseRecord(t *term.T) (record, bool) {
	for _, a := range t.Alts() {
		if a.Kind != term.Struct {
			continue
		}
		rec := record{typ: a.Type, lifetime: lock.TTL{Source: "unknown"}}
		valid := false
		for i, name := range a.Names {
			switch {
			case rec.holder == nil && NamesHolder(name):
				rec.holder = a.Args[i]
			case NamesExpiry(name):
				valid = true
				if Named(name, "ttl", "duration") {
					rec.lifetime = (&props{ttl: a.Args[i], unit: "ns"}).lease(false)
				}
			}
		}
		if rec.holder != nil && valid {
			return rec, true
		}
	}
	return record{}, false
}

// NamesHolder reports whether a field's name is that of a lease's holder. A plain
// id is not: sessions and orders have one as well.
func NamesHolder(field string) bool {
	return Named(field, "owner", "holder", "identity", "instance", "node", "leader", "worker", "host", "hostname", "assigned")
}

// NamesExpiry reports whether a field's name tells how long something is valid.
func NamesExpiry(field string) bool {
	return Named(field, "expires", "expire", "expired", "expiry", "expiration", "expiring", "until", "deadline", "ttl", "lease", "valid", "validity")
}

// Named reports whether one of the words of a name is listed.
func Named(name string, list ...string) bool {
	return slices.ContainsFunc(Words(name), func(w string) bool { return slices.Contains(list, w) })
}

// Words splits a name into its words, in lower case: LockedUntil, locked_until, TTLDeadline.
func Words(s string) []string {
	word := make([]rune, 0, len(s))
	var words []string
	flush := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	var prev rune
	for i, r := range s {
		if !unicode.IsLetter(r) || unicode.IsUpper(r) && (unicode.IsLower(prev) || begins(s[i+utf8.RuneLen(r):])) {
			flush()
		}
		if unicode.IsLetter(r) {
			word = append(word, r)
		}
		prev = r
	}
	flush()
	return words
}

// begins reports whether a capital letter that is followed by rest begins a word, though another one
// may stand before it: what follows is more than the plural of IDs, or the v of UUIDv4.
func begins(rest string) bool {
	first, n := utf8.DecodeRuneInString(rest)
	second, _ := utf8.DecodeRuneInString(rest[n:])
	return unicode.IsLower(first) && unicode.IsLower(second)
}
