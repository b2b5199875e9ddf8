package meaning

import (
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/sqlread"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// Words that the names of the database's own functions are made of, as far as these take and
// give back leases. Names in statements have lost their capitals: acquirelock has no words
// any more, so that a name has to be made of such words alone.
var (
	takingWords = []string{"acquire", "obtain", "take", "try", "claim", "grab", "get"}
	givingWords = []string{"release", "free", "drop", "return", "give", "back", "up", "un"}
	leasedWords = []string{"lock", "lease", "mutex", "leadership", "leader"}
	besideWords = []string{"row", "named", "job", "task", "app", "global", "exclusive", "distributed"} // which one
)

// storedLease reads a call of a function of the database's owner that takes a lease, or gives one
// back: SELECT acquire_lock($1, $2), given a name, and how long or for whom. Its text is out of
// sight as a rule, so that the name and the arguments only suggest it (Raw): that it is a lock takes
// an answer which decides, and a function that gives the same name back.
func (r *Reader) storedLease(lib *catalog.Library, f sqlread.Call, params, conn *term.T) (Meaning, bool) {
	takes, gives := madeOf(f.Name, takingWords), madeOf(f.Name, givingWords)
	if len(f.Args) == 0 || takes == gives || takes && len(f.Args) < 2 {
		return Meaning{}, false
	}
	args := make([]*term.T, len(f.Args))
	for i, a := range f.Args {
		if args[i] = r.sqlTerm(a, params); a.Kind == "literal" && strings.Trim(a.Text, "0123456789") == "" {
			args[i] = r.Pool.Const("int", a.Text)
		}
	}
	if gives {
		m := r.base(lib, Release)
		m.Key, m.On, m.Raw = args[0], conn, true
		if len(args) > 1 {
			m.Value, m.Checked, m.Counts = args[1], true, true
		}
		return m, true
	}
	m := r.base(lib, Acquire)
	m.Library = "lease function"
	m.Kind, m.Raw, m.Try, m.Judged = lock.Lease, true, true, true
	m.Key, m.On, m.TTL = args[0], conn, lock.TTL{Source: "unknown"}
	switch i := slices.IndexFunc(args[1:], lasting) + 1; {
	case i == 0 && len(args) == 2: // what the caller gives a wrapper need not be named for what it is
		m.lasts(args[1], true)
	case i > 0:
		m.lasts(args[i], !strings.Contains(f.Args[i].Text, "milli"))
		if len(args) == 3 { // the holder is what is neither the name nor the time
			m.Value = args[3-i]
		}
	}
	return m, true
}

// madeOf reports whether the name of a function is made of words that say what it does and of
// those that say to what, each at least once.
func madeOf(name string, does []string) bool {
	rest := strings.ReplaceAll(strings.ToLower(name), "_", "")
	var done, leased bool
	for rest != "" {
		word := prefixIn(rest, does)
		if word != "" {
			done = true
		} else if word = prefixIn(rest, leasedWords); word != "" {
			leased = true
		} else if word = prefixIn(rest, besideWords); word == "" {
			return false
		}
		rest = rest[len(word):]
	}
	return done && leased
}

// prefixIn is the longest of the words that a text begins with, or nothing.
func prefixIn(text string, words []string) string {
	longest := ""
	for _, w := range words {
		if len(w) > len(longest) && strings.HasPrefix(text, w) {
			longest = w
		}
	}
	return longest
}

// lasting reports whether a value says how long something lasts: it comes of a duration, or is a
// number or a text with a name for one.
func lasting(t *term.T) bool {
	named := func(name string) bool {
		return Named(name, "ttl", "timeout", "duration", "seconds", "secs", "millis", "expiry", "lifetime", "interval", "lasting", "lease")
	}
	return t.Any(func(x *term.T) bool {
		switch x.Kind {
		case term.Call:
			return strings.HasPrefix(x.Name, "(time.Duration).")
		case term.Const:
			_, whole := x.Int()
			return x.Type == "duration" || whole && x == t
		case term.Param:
			return named(x.Label)
		case term.Field, term.Global:
			return named(x.Name[strings.LastIndexByte(x.Name, '.')+1:])
		case term.Op:
			return x.Name == "sql:interval" || x.Name == "sql:make_interval"
		}
		return false
	})
}
