package view

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/passes/lock"
)

// A Story is all that is known of one lock, in the order in which a reader asks:
// what it is, how the program gets from the acquire to each write, what is
// compared there, how long it may take, and what to do.
type Story struct {
	Lock     inventory.Lock
	Meaning  string // of the verdict
	Facts    []Fact
	Acquire  []Stop // from the use down to the library call
	Section  string // the lease's life against the section's length
	Slow     []Stop
	Token    string
	Writes   []Path
	Todo     []string
	Zero     string // what zero rejections would mean; empty unless fenced
	Findings []inventory.Finding
}

// A Fact is one line of a list.
type Fact struct{ Name, Value string }

// A Stop is a place on a way.
type Stop struct {
	File     string
	Line     int
	Function string // that the place is in
	Text     string // what happens there
}

// A Path leads from the section to a write.
type Path struct {
	Stops     []Stop // the last is the write
	Write     inventory.Write
	Guarded   bool
	Condition string // what the resource compares, in words
}

// Tell tells the story of l, with what was found about it.
func Tell(l inventory.Lock, findings []inventory.Finding) *Story {
	s := &Story{
		Lock: l, Meaning: meaning(l), Facts: facts(l), Section: section(l), Token: tokenSentence(l),
		Todo: todo(l), Zero: ZeroRejections(l), Findings: findings,
	}
	s.Acquire = append(s.Acquire, Stop{l.Acquire.File, l.Acquire.Line, l.Acquire.Function, l.Acquire.Call + " takes the lock"})
	for i, v := range l.Via {
		text := "calls down to the library"
		if i == len(l.Via)-1 {
			text = "takes it from " + l.Library
		}
		s.Acquire = append(s.Acquire, Stop{v.File, v.Line, v.Function, text})
	}
	for _, c := range l.Section.Slow {
		text := c.Call + ": " + c.Kind
		if c.LimitSeconds > 0 {
			text += ", given up after " + seconds(c.LimitSeconds)
		}
		s.Slow = append(s.Slow, Stop{File: c.File, Line: c.Line, Text: text})
	}
	for _, w := range l.Writes {
		s.Writes = append(s.Writes, pathTo(w))
	}
	return s
}

func pathTo(w inventory.Write) Path {
	p := Path{Write: w, Guarded: lock.Condition(w.Condition).Holds(), Condition: conditionWords[lock.Condition(w.Condition)]}
	if w.Condition == string(lock.None) && w.Note != "" {
		p.Condition = "a late write is accepted" // and the note says why
	}
	for _, step := range w.Trail {
		text := step.Text
		if text == "" {
			text = "by way of " + cmp.Or(step.Function, "this")
		}
		if step.Call != "" {
			text = "calls " + step.Call
		}
		p.Stops = append(p.Stops, Stop{step.File, step.Line, step.Function, text})
	}
	text := w.Call
	if w.Operation != "" || w.Resource != "" {
		text = strings.TrimSpace(w.Operation + " " + w.Resource + ", by " + w.Call)
	}
	p.Stops = append(p.Stops, Stop{w.File, w.Line, w.Function, text})
	return p
}

var conditionWords = map[lock.Condition]string{
	lock.None:        "nothing is compared: a late write is accepted",
	lock.Token:       "a fencing token is compared and stored: an older holder is refused",
	lock.Owner:       "the present owner is compared in the same store: whoever lost the lock is refused",
	lock.Version:     "a version that was read in the section is compared: who read an old one is refused",
	lock.Unique:      "it can be created once only: the second one is refused",
	lock.Transaction: "it is part of the session or transaction that owns the lock, and fails with it",
	lock.Unknown:     "what is compared is out of sight",
}

func meaning(l inventory.Lock) string {
	if IsWrapper(l) {
		return "It is taken for callers. What it guards is decided in their sections: each call in view is a lock of its own here."
	}
	switch lock.Verdict(l.Verdict) {
	case lock.Fenced:
		return "Every write in view is refused once the lock is lost, or is safe without it."
	case lock.Unfenced:
		return "The resource accepts at least one write of a holder that has lost the lock."
	case lock.Unverified:
		reasons := make([]string, len(l.Unseen))
		for i, r := range l.Unseen {
			reasons[i] = unseenWords(lock.Reason(r))
		}
		if len(reasons) == 0 {
			reasons = []string{"something"}
		}
		return "Nobody can tell from the source: " + strings.Join(reasons, ", and ") + "."
	}
	return "The section changes nothing that fencevet knows of."
}

func unseenWords(r lock.Reason) string {
	if text := reasonWords[r]; text != "" {
		return text
	}
	return string(r) + " is out of sight"
}

var reasonWords = map[lock.Reason]string{
	lock.ReasonRPC:       "a remote service is called, and what it compares is out of sight",
	lock.ReasonInterface: "an interface is called whose implementation is out of sight",
	lock.ReasonCallback:  "a function value is called whose body is out of sight",
	lock.ReasonReflect:   "a function is called by reflection",
	lock.ReasonGoroutine: "work goes on in a goroutine",
	lock.ReasonCgo:       "C code is called",
	lock.ReasonNoSource:  "a function is called whose source is out of sight",
	lock.ReasonSQL:       "a statement is put together at run time",
	lock.ReasonProcedure: "a stored procedure is called",
	lock.ReasonSHA:       "a script is called by its hash",
	lock.ReasonClaim:     "only the winner of a claim comes to the write, and whether an old winner can come late is out of sight",
	lock.ReasonLimit:     "the code is larger than fencevet follows",
}

func facts(l inventory.Lock) []Fact {
	all := []Fact{
		{"id", l.ID},
		{"library", l.Library + " (" + l.Kind + ")"},
		{"package", l.Package},
		{"key", l.Key},
		{"lease", TTL(l)},
		{"release", strings.Join(l.Release, ", ")},
		{"owners", strings.Join(l.Owners, ", ")},
		{"class", classSentence(l)},
		{"decision", Decision(l)},
		{"evidence", strings.Join(l.Evidence, "; ")},
		{"unseen", strings.Join(l.Unseen, ", ")},
		{"measured", measured(l.Metrics)},
	}
	kept := all[:0]
	for _, f := range all {
		if f.Value != "" {
			kept = append(kept, f)
		}
	}
	return kept
}

func classSentence(l inventory.Lock) string {
	if IsWrapper(l) {
		return ""
	}
	text := Class(l)
	if l.Class == string(lock.Undecided) && len(l.Suggestion.Reasons) > 0 {
		text += ": " + strings.Join(l.Suggestion.Reasons, "; ")
	}
	return text
}

// Decision says what the source has decided about l; empty if nothing.
func Decision(l inventory.Lock) string {
	d := l.Decision
	if d == nil {
		return ""
	}
	text := d.Kind
	if d.Owner != "" {
		text += ", by " + d.Owner
	}
	if d.Until != "" {
		text += ", until " + d.Until
		if d.Expired {
			text += " (over)"
		}
	}
	if d.Reason != "" {
		text += ": " + d.Reason
	}
	if d.File != "" {
		text += " (" + Place(d.File, d.Line) + ")"
	}
	return text
}

func measured(m inventory.Metrics) string {
	var all []string
	for _, x := range []struct {
		yes  bool
		name string
	}{{m.Rejections, "refused writes"}, {m.RenewalLatency, "latency of renewals"}, {m.LeaseLoss, "lost leases"}} {
		if x.yes {
			all = append(all, x.name)
		}
	}
	return strings.Join(all, ", ")
}

// section sets the life of the lease against the length of the section.
func section(l inventory.Lock) string {
	if IsWrapper(l) {
		return ""
	}
	var life string
	known := l.TTL.Seconds > 0 && !isRenewed(l)
	switch ttl := duration(l.TTL.Text); {
	case l.Kind == string(lock.Advisory):
		life = "The lock lives as long as its database session or transaction"
	case isRenewed(l) && ttl != "":
		life = fmt.Sprintf("The lease lives %s and is renewed (%s)", ttl, l.Renewal)
	case isRenewed(l):
		life = fmt.Sprintf("The lease is renewed (%s)", l.Renewal)
	case l.TTL.Source == "none":
		life = "The lock has no time to live"
	case ttl != "":
		life = fmt.Sprintf("The lease lives %s and is not renewed", ttl)
	default:
		life = "How long the lease lives is not known here"
	}
	s := l.Section
	var length string
	switch {
	case !s.Bounded && s.Why != "":
		length = "the section has no bound: " + s.Why
	case !s.Bounded:
		length = "the section has no bound that fencevet sees"
	case s.AtLeastSeconds > 0:
		length = fmt.Sprintf("the section sleeps and waits for %s on its longest way", seconds(s.AtLeastSeconds))
		if known && s.AtLeastSeconds >= l.TTL.Seconds {
			length += ", which is longer than the lease"
		}
	default:
		length = "nothing in the section is known to take long"
	}
	text := life + "; " + length + "."
	if s.DeadlineSeconds > 0 {
		text += fmt.Sprintf(" What takes long is given up after %s.", seconds(s.DeadlineSeconds))
	}
	if l.TTL.Source != "none" || isRenewed(l) {
		text += " A pause of the process (garbage collection, a stopped container, a moved machine) is not counted: it has no limit."
	}
	return text
}

func seconds(s float64) string {
	return duration(time.Duration(s * float64(time.Second)).String())
}

// tokenSentence says what could be compared, and what becomes of it on the way
// to the writes.
func tokenSentence(l inventory.Lock) string {
	if IsWrapper(l) {
		return ""
	}
	var text string
	ordered := l.Token.Ordered != nil && *l.Token.Ordered
	switch {
	case !hasToken(l):
		text = "The program takes no token with this lock"
	case ordered:
		text = "The token is " + l.Token.Source + ", which is ordered"
	default:
		text = "The value that comes with the lock is " + l.Token.Source + ", which is not ordered: it cannot tell an older holder from a newer one"
	}
	if hasToken(l) && l.Token.Reason != "" {
		text += " (" + l.Token.Reason + ")"
	}
	text += "."
	if !ordered {
		return text
	}
	compared, bent, dropped := reached(l)
	if dropped > 0 && compared+bent == 0 {
		return text + " It is dropped on the way: no write below compares it."
	}
	if compared > 0 {
		text += fmt.Sprintf(" It is compared by %s.", Count(compared, "write"))
	}
	if bent > 0 {
		text += fmt.Sprintf(" What %s of it cannot hold, as is said below.", verb(bent, "makes"))
	}
	if dropped > 0 {
		text += fmt.Sprintf(" It is dropped on the way to %s.", Count(dropped, "write"))
	}
	return text
}

// reached counts the writes that compare a token, those that do something with it
// which cannot hold (their notes say what), and those that it does not get to.
func reached(l inventory.Lock) (compared, bent, dropped int) {
	for _, w := range l.Writes {
		switch c := lock.Condition(w.Condition); {
		case c == lock.Token:
			compared++
		case c == lock.None && w.Note != "":
			bent++
		case c == lock.None:
			dropped++
		}
	}
	return compared, bent, dropped
}

// verb makes "1 write makes" and "2 writes make".
func verb(n int, singular string) string {
	if n == 1 {
		return Count(n, "write") + " " + singular
	}
	return Count(n, "write") + " " + strings.TrimSuffix(singular, "s")
}
