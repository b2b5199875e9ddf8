// Package audit walks somebody through the locks that nobody has decided on: it
// shows what is known of each, asks what only people know, and writes down the
// answer, in the source or in a file of notes.
package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/text"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
	"github.com/fencevet/fencevet/passes/directive"
	"github.com/fencevet/fencevet/passes/lock"
)

// A Session is one run of the audit.
type Session struct {
	Inventory *inventory.Inventory // with the lines of source
	Files     *Files
	Notes     *Notes
	Style     text.Style
	In        io.Reader
	Out       io.Writer
	Echo      bool   // In is no terminal, which would show what is typed
	DryRun    bool   // show what would be written, and write nothing
	Again     bool   // ask about locks with notes too
	Today     string // as 2027-06-30

	prompt   *prompt
	accepted map[string]bool // IDs of locks whose risk was accepted just now
}

// Run asks about one lock after the other until all are decided or somebody
// leaves, which is no error.
func (s *Session) Run(ctx context.Context) error {
	s.prompt = newPrompt(s.In, s.Out, s.Echo)
	s.accepted = make(map[string]bool)
	locks := s.open()
	if n := len(locks); n > 0 {
		fmt.Fprintf(s.Out, "%s to decide on, the most dangerous first. q leaves at any time, and nothing is lost.\n", view.Count(n, "lock"))
	}
	for i, l := range locks {
		fmt.Fprintf(s.Out, "\n--- %d of %d ---\n\n", i+1, len(locks))
		err := s.decide(ctx, l)
		if errors.Is(err, errLeft) {
			break
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Undecided returns the locks that need a decision and have none, the most
// dangerous first: what the resource accepts from a stale holder before what
// nobody can see, and where a wrong value is feared before where work is done
// twice.
func Undecided(inv *inventory.Inventory) []*inventory.Lock {
	var all []*inventory.Lock
	for i := range inv.Locks {
		if l := &inv.Locks[i]; l.Role == string(lock.RoleUse) && l.Class == string(lock.Undecided) {
			all = append(all, l)
		}
	}
	slices.SortStableFunc(all, func(a, b *inventory.Lock) int { return cmp.Compare(safety(a), safety(b)) })
	return all
}

// dangers are verdicts with what the lock seems to be for, the worst first.
var dangers = []struct {
	verdict lock.Verdict
	class   lock.Class
}{
	{lock.Unfenced, lock.Correctness},
	{lock.Unfenced, lock.Unclear},
	{lock.Unverified, lock.Correctness},
	{lock.Unverified, lock.Unclear},
	{lock.Unfenced, lock.Efficiency},
	{lock.Unverified, lock.Efficiency},
}

// safety is greater the less can go wrong.
func safety(l *inventory.Lock) int {
	for i, d := range dangers {
		if l.Verdict == string(d.verdict) && l.Suggestion.Class == string(d.class) {
			return i
		}
	}
	return len(dangers)
}

// open returns the locks to ask about: those that were skipped before come last,
// those with an answer not at all.
func (s *Session) open() []*inventory.Lock {
	var fresh, skipped []*inventory.Lock
	for _, l := range Undecided(s.Inventory) {
		switch n := s.Notes.About(l.ID); {
		case n == nil, n.Kind == Accepted, s.Again: // the source no longer says so
			fresh = append(fresh, l)
		case n.Kind == Skipped:
			skipped = append(skipped, l)
		}
	}
	return append(fresh, skipped...)
}

const consequences = `What happens to a write that comes after the lock was lost, with an older token or none?
  1  it does no harm: the work is done again or twice, and that is accepted
  2  it overwrites what the next holder wrote: this is to be fixed
  3  it is refused, by something that fencevet does not see
  4  nobody here knows
  s  skip this lock for now
  q  leave`

// decide shows a lock, asks about it, and writes down the answer.
func (s *Session) decide(ctx context.Context, l *inventory.Lock) error {
	if err := text.Story(s.Out, s.Inventory, *l, s.Style); err != nil {
		return err
	}
	fmt.Fprintln(s.Out)
	note := Note{Lock: l.ID, Place: l.Package + "." + l.Acquire.Function}
	if old := s.Notes.About(l.ID); old != nil && old.Text != "" {
		fmt.Fprintf(s.Out, "Noted before (%s): %s\n\n", old.Kind, view.Printable(old.Text))
	}
	var err error
	if note.Protects, err = s.prompt.ask(ctx, "What does it protect?", protects(l)); err != nil {
		return err
	}
	answer, err := s.prompt.choose(ctx, consequences, "1", "2", "3", "4", "s")
	if err != nil {
		return err
	}
	switch answer {
	case "1":
		return s.accept(ctx, l, note)
	case "2":
		return s.fix(ctx, l, note)
	case "3":
		note.Kind = ToTeach
		note.Text, err = s.prompt.ask(ctx, "Which function makes the write that is refused? //fencevet:conditional above it tells fencevet; this is noted.", writer(l))
	case "4":
		note.Kind = ToAsk
		note.Text, err = s.prompt.ask(ctx, "What is to be found out?", "what happens to a late write to "+note.Protects)
	default:
		note.Kind = Skipped
		return s.note(note)
	}
	if err != nil {
		return err
	}
	if note.Owner, err = s.owner(ctx, l); err != nil {
		return err
	}
	return s.note(note)
}

// accept writes down an accepted risk. If it is not written after all, the words
// are kept for the next time.
func (s *Session) accept(ctx context.Context, l *inventory.Lock, note Note) error {
	for {
		reason, err := s.prompt.ask(ctx, "Why is that acceptable? The reason goes into the source.", "")
		if err != nil {
			return err
		}
		if note.Owner, err = s.owner(ctx, l); err != nil {
			return err
		}
		day, err := s.prompt.ask(ctx, "Until when does that hold? A day such as 2027-06-30, or nothing for no end.", "")
		if err != nil {
			return err
		}
		d, err := compose(directive.Efficiency, note.Owner, day, reason)
		if err == nil && day != "" && day < s.Today {
			err = fmt.Errorf("%s is over", day)
		}
		if err != nil {
			fmt.Fprintf(s.Out, "That cannot be written: %s.\n", view.Printable(err.Error()))
			continue
		}
		note.Kind, note.Text = Accepted, until(d.Reason, day)
		written, left := s.write(ctx, l, d)
		s.accepted[l.ID] = written
		if !written {
			note.Kind, note.Text = Skipped, "not written: "+d.String()
		}
		return errors.Join(s.note(note), left)
	}
}

// fix notes what is to be done. The demand for a fence may go into the source as
// well, where go vet repeats it until it is met.
func (s *Session) fix(ctx context.Context, l *inventory.Lock, note Note) (err error) {
	note.Kind = ToFix
	fallback := ""
	if todo := view.Tell(*l, nil).Todo; len(todo) > 0 {
		fallback = todo[0]
	}
	if note.Text, err = s.prompt.ask(ctx, "What is to be done?", fallback); err != nil {
		return err
	}
	if note.Owner, err = s.owner(ctx, l); err != nil {
		return err
	}
	// Whoever leaves from here on has said what is to be done.
	if err := s.note(note); err != nil {
		return err
	}
	answer, err := s.prompt.choose(ctx, "Write //fencevet:correctness into the source too, so that it is an error until it is fixed? y or n", "y", "n")
	if err != nil || answer == "n" {
		return err
	}
	d, err := compose(directive.Correctness, note.Owner, "", note.Protects)
	if err != nil {
		d, err = compose(directive.Correctness, note.Owner, "", "")
	}
	if err != nil {
		return err
	}
	_, err = s.write(ctx, l, d)
	return err
}

// owner asks who decides, until the answer is a name that a directive can hold.
func (s *Session) owner(ctx context.Context, l *inventory.Lock) (string, error) {
	for {
		owner, err := s.prompt.ask(ctx, "Who decides? A name or team in one word, or nothing.", strings.Join(l.Owners, ","))
		if err != nil {
			return "", err
		}
		if !strings.Contains(owner, " ") {
			return owner, nil
		}
		fmt.Fprintln(s.Out, "In one word, please, such as alice or @example/billing.")
	}
}

// write shows what a directive changes, and makes the change if that is wanted.
func (s *Session) write(ctx context.Context, l *inventory.Lock, d directive.Directive) (bool, error) {
	edit, err := s.Files.Propose(l, d)
	if err != nil {
		s.failed(err)
		return false, nil
	}
	fmt.Fprintln(s.Out)
	name := edit.File
	if s.Style.Path != nil {
		name = s.Style.Path(name)
	}
	for line := range strings.Lines(edit.Diff(name)) {
		fmt.Fprintln(s.Out, s.Style.Diff(line))
	}
	if s.DryRun {
		fmt.Fprintln(s.Out, "Not written: this is a dry run.")
		return true, nil
	}
	answer, err := s.prompt.choose(ctx, "Write that? y or n", "y", "n")
	if err != nil || answer == "n" {
		return false, err
	}
	if err := s.Files.Write(edit); err != nil {
		s.failed(err)
		return false, nil
	}
	fmt.Fprintf(s.Out, "Written to %s.\n", view.Printable(name))
	return true, nil
}

// failed tells why nothing was written. The audit goes on: the other locks may be
// in other files.
func (s *Session) failed(err error) {
	fmt.Fprintf(s.Out, "Nothing is written: %s.\n", view.Printable(err.Error()))
}

func (s *Session) note(n Note) error {
	s.Notes.Put(n)
	if s.DryRun {
		return nil
	}
	return s.Notes.Save()
}

// protects is what the section writes.
func protects(l *inventory.Lock) string {
	var names []string
	for _, r := range view.Resources(*l) {
		if r.Name != "-" && !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	return strings.Join(names, ", ")
}

// writer is a function that makes a write which nothing guards.
func writer(l *inventory.Lock) string {
	for _, w := range l.Writes {
		if !lock.Condition(w.Condition).Holds() {
			return w.Function
		}
	}
	return ""
}
