package gate

import (
	"regexp"
	"strings"
	"sync"
)

// What two locks can have in common.
type traits uint

const (
	inPackage traits = 1 << iota
	inFunction
	sameCall
	sameKey
	sameLibrary
	sameID
	sameVerdict // and class
	sameWrites
	sameShape // key and writes but for what stands in front of a dot

	inPlace   = inPackage | inFunction | sameCall | sameKey
	sameFacts = sameVerdict | sameWrites
)

// A rule pairs locks that have everything in common which it names.
type rule struct {
	same traits
	// fenced restricts a rule to locks that were fenced. Such a rule is too weak
	// to excuse a new lock, but strong enough to ask where a fence has gone.
	fenced bool
}

// rules are tried in order, each on the locks that those before it left over. The
// earlier rules let names differ one by one, the later ones let them differ
// together while what is written and the verdict stay the same, for a rename
// changes nothing else. Within what the names leave open, locks with the same
// facts go together first: two locks of one function that changed places are no
// change.
var rules = []rule{
	{same: inPlace | sameID | sameFacts},
	{same: inPlace | sameFacts},
	{same: inPlace | sameVerdict | sameShape},
	{same: inPlace | sameVerdict | sameID},
	{same: inPlace | sameVerdict},
	{same: inPlace | sameID},
	{same: inPlace},
	// The function has another name, or its package has, or both.
	{same: inPackage | sameCall | sameKey | sameFacts},
	{same: inFunction | sameCall | sameKey | sameFacts},
	{same: inPackage | sameCall | sameKey},
	{same: inFunction | sameCall | sameKey},
	{same: sameCall | sameKey | sameFacts},
	// The callee has: a wrapper was renamed, moved or put in between.
	{same: inPackage | inFunction | sameKey | sameFacts},
	{same: inFunction | sameLibrary | sameKey | sameFacts},
	{same: sameLibrary | sameKey | sameFacts},
	// The expression of the key has: a variable or field was renamed.
	{same: inPackage | inFunction | sameCall | sameFacts},
	{same: inPackage | inFunction | sameLibrary | sameFacts},
	{same: inPackage | inFunction | sameCall | sameVerdict},
	{same: inPackage | sameCall | sameFacts},
	{same: inFunction | sameCall | sameFacts},
	{same: sameCall | sameKey},
	// A receiver has, its type or the variable, and with it function, key and resource.
	{same: inPackage | sameCall | sameVerdict | sameShape},
	{same: sameCall | sameVerdict | sameShape},
	{same: sameLibrary | sameFacts},
	{same: inPackage | inFunction, fenced: true},
	{same: inPackage | sameKey, fenced: true},
	{same: sameLibrary | sameKey, fenced: true},
}

// A pair is one lock then and now.
type pair struct{ base, head *Lock }

// moved reports whether anything that names the lock's place has changed.
func (p pair) moved() bool { return p.base.identity(inPlace) != p.head.identity(inPlace) }

// match pairs the locks of two snapshots: a lock that was moved or renamed with
// itself. What remains is gone, or new. No lock is in two pairs.
func match(base, head []*Lock) (pairs []pair, gone, fresh []*Lock) {
	gone, fresh = base, head
	for _, r := range rules {
		waiting := make(map[string][]*Lock)
		for _, l := range gone {
			if !r.fenced || l.fenced() {
				id := l.identity(r.same)
				waiting[id] = append(waiting[id], l)
			}
		}
		if len(waiting) == 0 {
			continue
		}
		taken := make(map[*Lock]bool)
		var left []*Lock
		for _, l := range fresh {
			id := l.identity(r.same)
			if candidates := waiting[id]; len(candidates) > 0 {
				pairs = append(pairs, pair{candidates[0], l})
				taken[candidates[0]] = true
				waiting[id] = candidates[1:]
				continue
			}
			left = append(left, l)
		}
		fresh = left
		left = nil
		for _, l := range gone {
			if !taken[l] {
				left = append(left, l)
			}
		}
		gone = left
	}
	return pairs, gone, fresh
}

// qualifier is what stands in front of a dot: a receiver, a package.
var qualifier = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[\pL_]\w*\.`) })

// identity is the text that two locks share if they have those traits in common.
// A wrapper is never taken for a use.
func (l *Lock) identity(same traits) string {
	parts := []string{l.Role}
	add := func(t traits, text ...string) {
		if same&t != 0 {
			parts = append(parts, text...)
		}
	}
	writes := strings.Join(l.Writes, "\x01")
	add(inPackage, l.Package)
	add(inFunction, l.Function)
	add(sameCall, l.Call)
	add(sameKey, l.Key)
	add(sameLibrary, l.Library)
	add(sameID, l.ID)
	add(sameVerdict, l.Verdict, l.Class)
	add(sameWrites, writes)
	if same&sameShape != 0 {
		parts = append(parts, qualifier().ReplaceAllString(l.Key+"\x01"+writes, ""))
	}
	return strings.Join(parts, "\x00")
}

// matchFindings pairs the findings of two snapshots whose locks are paired: those
// of the same check on the same lock with the same text, then with another text
// (which names what was renamed), then with the same text on another lock.
func matchFindings(base, head []*Finding, locks []pair) (pairs map[*Finding]*Finding, gone []*Finding) {
	now := make(map[string]string)
	for _, p := range locks {
		now[p.base.ID] = p.head.ID
	}
	subject := func(f *Finding, id string) string {
		if f.Lock == "" {
			return "folder " + f.Folder
		}
		return "lock " + id
	}
	pairs = make(map[*Finding]*Finding) // from head to base
	gone = base
	for _, id := range []func(f *Finding, lock string) string{
		func(f *Finding, lock string) string { return subject(f, lock) + "\x00" + f.Text },
		func(f *Finding, lock string) string { return subject(f, lock) },
		func(f *Finding, _ string) string { return "text " + f.Text },
	} {
		waiting := make(map[string][]*Finding)
		for _, f := range gone {
			was := f.Check + "\x00" + id(f, now[f.Lock])
			waiting[was] = append(waiting[was], f)
		}
		taken := make(map[*Finding]bool)
		for _, f := range head {
			if pairs[f] != nil {
				continue
			}
			is := f.Check + "\x00" + id(f, f.Lock)
			if candidates := waiting[is]; len(candidates) > 0 {
				pairs[f] = candidates[0]
				taken[candidates[0]] = true
				waiting[is] = candidates[1:]
			}
		}
		var left []*Finding
		for _, f := range gone {
			if !taken[f] {
				left = append(left, f)
			}
		}
		gone = left
	}
	return pairs, gone
}
