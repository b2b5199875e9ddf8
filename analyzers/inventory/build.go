package inventory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fencevet/fencevet/analyzers/internal/suggest"
	"github.com/fencevet/fencevet/passes/lock"
)

// Options is what an inventory says beside its locks.
type Options struct {
	Root       string // directory that paths are relative to
	Directory  string // of Root within its repository
	Tool       Tool
	Modules    []string
	Incomplete []Incomplete
	Today      string                     // as 2027-06-30: which decisions are over
	Owners     func(file string) []string // of a file by its path in the inventory; nil: nobody is known to own any
}

// Build makes the inventory of uses and of what the checks found in them.
func Build(uses []*lock.Use, findings []lock.Finding, opts Options) *Inventory {
	b := &builder{root: opts.Root, today: opts.Today, owners: opts.Owners, ids: make(map[*lock.Use]string)}
	uses = slices.Clone(uses)
	slices.SortStableFunc(uses, func(a, b *lock.Use) int { return a.Acquire.Compare(b.Acquire.Position) })

	inv := &Inventory{
		Schema:     Schema,
		Tool:       opts.Tool,
		Modules:    slices.Sorted(slices.Values(opts.Modules)),
		Directory:  opts.Directory,
		Locks:      []Lock{},
		Findings:   []Finding{},
		Incomplete: append([]Incomplete{}, opts.Incomplete...),
	}
	if inv.Modules == nil {
		inv.Modules = []string{}
	}
	slices.SortStableFunc(inv.Incomplete, func(a, b Incomplete) int { return strings.Compare(a.Package, b.Package) })

	ordinals := make(map[string]int)
	for _, u := range uses {
		b.ids[u] = fingerprint(u, ordinals)
		l := b.lock(u)
		inv.Locks = append(inv.Locks, l)
	}
	inv.Summary = Summarize(inv.Locks)
	for _, f := range findings {
		inv.Findings = append(inv.Findings, b.finding(f))
	}
	return inv
}

// fingerprint identifies a use over edits elsewhere in its file: it holds no line
// number. The ordinal tells apart what is equal in everything else.
func fingerprint(u *lock.Use, ordinals map[string]int) string {
	same := strings.Join([]string{u.Package, u.Acquire.Function, u.Call, u.Key}, "\x00")
	ordinal := ordinals[same]
	ordinals[same]++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", same, ordinal))
	return hex.EncodeToString(sum[:8])
}

// Summarize counts the uses among locks.
func Summarize(locks []Lock) Summary {
	var s Summary
	for _, l := range locks {
		s.count(l)
	}
	return s
}

func (s *Summary) count(l Lock) {
	if l.Role == string(lock.RoleWrapper) {
		return
	}
	s.Locks++
	switch lock.Verdict(l.Verdict) {
	case lock.Fenced:
		s.Fenced++
	case lock.Unfenced:
		s.Unfenced++
	case lock.Unverified:
		s.Unverified++
	case lock.NoVisibleWrite:
		s.NoVisibleWrite++
	}
	switch lock.Class(l.Class) {
	case lock.Correctness:
		s.Correctness++
	case lock.Efficiency:
		s.Efficiency++
	default:
		s.Undecided++
	}
}

type builder struct {
	root   string
	today  string
	owners func(file string) []string
	ids    map[*lock.Use]string
}

// path makes a file name relative to the root. What lies outside stays absolute.
func (b *builder) path(file string) string {
	if file == "" {
		return ""
	}
	if rel, err := filepath.Rel(b.root, file); err == nil && filepath.IsLocal(rel) {
		file = rel
	}
	return filepath.ToSlash(file)
}

func (b *builder) lock(u *lock.Use) Lock {
	suggestion := suggest.For(u)
	l := Lock{
		ID:      b.ids[u],
		Role:    string(u.Role),
		Kind:    string(u.Kind),
		Library: u.Library,
		Package: u.Package,
		Owners:  []string{},
		Acquire: Acquire{
			File: b.path(u.Acquire.File), Line: u.Acquire.Line, Column: u.Acquire.Column,
			Function: u.Acquire.Function, Call: u.Call,
		},
		Evidence:   append([]string{}, u.Evidence...),
		Key:        u.Key,
		TTL:        TTL{Text: u.TTL.Text, Seconds: u.TTL.Seconds, Source: u.TTL.Source},
		Renewal:    u.Renewal,
		Release:    append([]string{}, u.Release...),
		Token:      Token{Source: u.Token.Source, Ordered: u.Token.Ordered, Reason: u.Token.Reason},
		Writes:     []Write{},
		Unseen:     []string{},
		Verdict:    string(u.Verdict),
		Class:      string(b.class(u)),
		Decision:   b.decision(u.Decision),
		Suggestion: Suggestion{Class: string(suggestion.Class), Reasons: append([]string{}, suggestion.Reasons...)},
		Metrics:    Metrics(u.Metrics),
		Section: Section{
			Bounded: u.Section.Bounded, AtLeastSeconds: u.Section.AtLeast, Why: u.Section.Why,
			DeadlineSeconds: u.Section.Deadline, Slow: []Slow{},
		},
	}
	if b.owners != nil {
		l.Owners = append(l.Owners, b.owners(l.Acquire.File)...)
	}
	l.Via = b.steps(u.Via)
	for _, c := range u.Section.Longest {
		slow := Slow{File: b.path(c.File), Line: c.Line, Call: c.Call, Kind: c.Kind, LimitSeconds: c.Limit}
		if !slices.ContainsFunc(l.Section.Slow, func(s Slow) bool { // reached on another way
			return s.File == slow.File && s.Line == slow.Line && s.Call == slow.Call && s.Kind == slow.Kind
		}) {
			l.Section.Slow = append(l.Section.Slow, slow)
		}
	}
	writes := slices.Clone(u.Writes)
	slices.SortStableFunc(writes, func(a, b lock.Write) int { return a.Compare(b.Position) })
	for _, w := range writes {
		if w.Own {
			continue // the lock's own record protects nothing
		}
		l.Writes = append(l.Writes, b.write(w))
	}
	for _, r := range u.Unseen {
		l.Unseen = append(l.Unseen, string(r))
	}
	slices.Sort(l.Unseen)
	l.Unseen = slices.Compact(l.Unseen)
	return l
}

// steps leaves out what has no place.
func (b *builder) steps(way []lock.Frame) []Step {
	steps := []Step{}
	for _, f := range way {
		if f.IsValid() {
			steps = append(steps, Step{File: b.path(f.File), Line: f.Line, Function: f.Function, Call: f.Callee, Text: f.Text})
		}
	}
	return steps
}

// class is what is known of the lock's purpose: a fence was built for
// correctness; anything else is as the source decides, or awaits a decision.
func (b *builder) class(u *lock.Use) lock.Class {
	switch d := u.Decision; {
	case u.Verdict == lock.Fenced:
		return lock.Correctness
	case d != nil && !d.Expired(b.today):
		return d.Kind
	}
	return lock.Undecided
}

func (b *builder) decision(d *lock.Decision) *Decision {
	if d == nil {
		return nil
	}
	return &Decision{
		Kind: string(d.Kind), Reason: d.Reason, Owner: d.Owner, Until: d.Until,
		File: b.path(d.File), Line: d.Line, Expired: d.Expired(b.today),
	}
}

func (b *builder) write(w lock.Write) Write {
	note := w.Note
	for _, text := range []string{w.Fault, afterNote(w), comparedNote(w)} {
		if text != "" {
			note = strings.TrimPrefix(note+"; "+text, "; ")
		}
	}
	return Write{
		File: b.path(w.File), Line: w.Line, Function: w.Function, Call: w.Call,
		Operation: w.Operation, Resource: w.Resource,
		Condition: string(w.Condition), Reached: w.Reached, Checked: w.Checked, Note: note,
		Trail: b.steps(w.Trail),
	}
}

func afterNote(w lock.Write) string {
	if w.After {
		return "after the release"
	}
	return ""
}

func comparedNote(w lock.Write) string {
	if w.Compared != "" {
		return "compared as token: " + w.Compared
	}
	return ""
}

func (b *builder) finding(f lock.Finding) Finding {
	out := Finding{
		Check: f.Check, Level: string(f.Level),
		File: b.path(f.At.File), Line: f.At.Line, Column: f.At.Column,
		Message: f.Message, Lock: b.ids[f.Use], Related: []Related{},
	}
	if s := f.Suppressed; s != nil {
		out.Suppressed = &Suppression{By: s.By, Reason: s.Reason, Owner: s.Owner, File: b.path(s.File), Line: s.Line}
	}
	for _, r := range f.Related {
		out.Related = append(out.Related, Related{File: b.path(r.File), Line: r.Line, Message: r.Text})
	}
	return out
}
