package audit

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/analyzers/inventory"
)

func TestUndecided(t *testing.T) {
	inv := &inventory.Inventory{}
	for _, l := range []struct{ id, role, class, verdict, suggestion string }{
		{"nothing", "use", "undecided", "no-visible-write", "correctness"},
		{"cron", "use", "undecided", "unfenced", "efficiency"},
		{"hidden", "use", "undecided", "unverified", "correctness"},
		{"wrapper", "wrapper", "undecided", "unfenced", "correctness"},
		{"unclear", "use", "undecided", "unfenced", "unclear"},
		{"decided", "use", "efficiency", "unfenced", "correctness"},
		{"fenced", "use", "correctness", "fenced", "correctness"},
		{"worst", "use", "undecided", "unfenced", "correctness"},
		{"as bad", "use", "undecided", "unfenced", "correctness"},
	} {
		inv.Locks = append(inv.Locks, inventory.Lock{
			ID: l.id, Role: l.role, Class: l.class, Verdict: l.verdict, Suggestion: inventory.Suggestion{Class: l.suggestion},
		})
	}
	var got []string
	for _, l := range Undecided(inv) {
		got = append(got, l.ID)
	}
	if want := []string{"worst", "as bad", "unclear", "hidden", "cron", "nothing"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// session is one about two undecided locks.
func session(t *testing.T) (s *Session, source, notes string) {
	t.Helper()
	root, source := module(t, twoLocks)
	inv := &inventory.Inventory{Locks: locks(4, 8)}
	for i := range inv.Locks {
		l := &inv.Locks[i]
		l.Role, l.Class, l.Verdict, l.Key = "use", "undecided", "unfenced", "key "+l.ID
		l.Package, l.Acquire.Function = "example.org/p", l.ID
	}
	notes = filepath.Join(root, "notes")
	n, err := OpenNotes(notes)
	if err != nil {
		t.Fatal(err)
	}
	return &Session{Inventory: inv, Files: OpenFiles(root, inv.Locks), Notes: n, Out: io.Discard, Today: "2027-01-01"}, source, notes
}

// TestLeave leaves in the middle: what was answered before is there.
func TestLeave(t *testing.T) {
	const answers = "1\n1\nmay run twice\nops\n2027-06-30\n"
	for name, in := range map[string]func(cancel func()) io.Reader{
		"q":       func(func()) io.Reader { return strings.NewReader("a table\n4\nask them\nops\n" + "\nq\n") },
		"the end": func(func()) io.Reader { return strings.NewReader("a table\n4\nask them\nops\n\n") },
		"interrupt": func(cancel func()) io.Reader {
			return io.MultiReader(strings.NewReader("a table\n4\nask them\nops\n\n"), interrupt(cancel))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, source, notes := session(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s.In = in(cancel)
			if err := s.Run(ctx); err != nil {
				t.Fatal(err)
			}
			if got := contents(t, source); got != twoLocks {
				t.Errorf("the source has changed:\n%s", got)
			}
			if got := contents(t, notes); !strings.HasSuffix(got, "\nask a example.org/p.a \"a table\" ops \"ask them\"\n") {
				t.Errorf("notes:\n%s", got)
			}
			summary := string(s.Summary())
			if !strings.Contains(summary, "### To find out (1)") || !strings.Contains(summary, "### Not decided (1)") {
				t.Errorf("summary:\n%s", summary)
			}
			// Somebody who wants to is asked about the first again.
			all, _, _ := session(t)
			all.Notes, all.Again, all.In = mustOpen(t, notes), true, strings.NewReader("")
			var out bytes.Buffer
			all.Out = &out
			if err := all.Run(t.Context()); err != nil || !strings.Contains(out.String(), "2 locks to decide on") || !strings.Contains(out.String(), "Noted before (ask): ask them") {
				t.Errorf("%v:\n%s", err, out.String())
			}
			// The next time goes on with the second.
			again, _, _ := session(t)
			again.Files, again.Notes = s.Files, mustOpen(t, notes)
			again.In = strings.NewReader(answers + "y\n")
			out.Reset()
			again.Out = &out
			if err := again.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := strings.Replace(twoLocks, "g() {\n", "g() {\n\t"+accepted.String()+"\n", 1)
			if got := contents(t, source); got != want || !strings.Contains(out.String(), "1 lock to decide on") {
				t.Errorf("source:\n%s\n%s", got, out.String())
			}
		})
	}
}

// interrupt is an input that an interrupt comes before.
type interrupt func()

func (i interrupt) Read([]byte) (int, error) {
	i()
	select {} // nobody types any more
}

func mustOpen(t *testing.T, file string) *Notes {
	t.Helper()
	n, err := OpenNotes(file)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestUnwritten keeps what was said when the diff is refused, or somebody leaves
// in front of it.
func TestUnwritten(t *testing.T) {
	for _, end := range []string{"n\nq\n", "q\n", ""} {
		s, source, notes := session(t)
		s.In = strings.NewReader("a table\n1\nmay run twice\nops\n2027-06-30\n" + end)
		if err := s.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := contents(t, source); got != twoLocks {
			t.Errorf("the source has changed:\n%s", got)
		}
		if got := contents(t, notes); !strings.Contains(got, "skip a example.org/p.a \"a table\" ops \"not written: "+accepted.String()) {
			t.Errorf("notes:\n%s", got)
		}
	}
}

func TestDryRun(t *testing.T) {
	s, source, notes := session(t)
	s.DryRun = true
	var out bytes.Buffer
	s.Out = &out
	s.In = strings.NewReader("a table\n1\nmay run twice\nops\n\n" + "\n2\nmend it\nops\ny\n")
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, source); got != twoLocks {
		t.Errorf("the source has changed:\n%s", got)
	}
	if _, err := os.Stat(notes); err == nil {
		t.Error("notes were written")
	}
	if n := strings.Count(out.String(), "+    //fencevet:"); n != 2 {
		t.Errorf("%d diffs shown:\n%s", n, out.String())
	}
	if summary := string(s.Summary()); !strings.Contains(summary, "### Accepted (1)") || !strings.Contains(summary, "### To fix (1)") {
		t.Errorf("summary:\n%s", summary)
	}
}

func TestBadAnswers(t *testing.T) {
	s, source, _ := session(t)
	var out bytes.Buffer
	s.Out = &out
	s.In = strings.NewReader("a table\nyes\n1\n\nops\n\n" + "may run twice\nthe ops team\nops\n2020-01-01\n" + "may run twice\nops\n2027-06-30\nmaybe\ny\nq\n")
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Please answer one of 1, 2, 3, 4, s", "without a reason", "In one word, please", "2020-01-01 is over", "Please answer one of y, n", "Written to p/p.go",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	if !strings.Contains(contents(t, source), accepted.String()) {
		t.Error("not written")
	}
}

func TestNotes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes")
	n := mustOpen(t, file)
	n.Put(Note{ToFix, "b", "p.g", "a table", "ops", "mend it"})
	n.Put(Note{Skipped, "a", "p.f", "", "", ""})
	n.Put(Note{Kind: Accepted, Lock: "a", Text: "\"quoted\"\nand \x1b[31m"})
	if err := n.Save(); err != nil {
		t.Fatal(err)
	}
	again := mustOpen(t, file)
	if !reflect.DeepEqual(again.About("a"), n.About("a")) || !reflect.DeepEqual(again.About("b"), n.About("b")) || again.About("c") != nil {
		t.Errorf("got %+v, want %+v", again, n)
	}
	for text, want := range map[string]string{
		"nothing":                             "n:1: no notes of an audit",
		notesHead + "\nfix a b\n":             "n:2: no note: \"fix\" with 3 fields",
		notesHead + "\nfixed a b c d e\n":     "n:2: no note: \"fixed\" with 6 fields",
		"# x\n" + notesHead + "\n<<<<<<< a\n": "n:3: no note",
		notesHead + "\nfix \"a\n":             "n:2: a quote is not closed",
	} {
		if _, err := parseNotes("n", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func FuzzNotes(f *testing.F) {
	f.Add(string(formatNotes([]Note{{ToFix, "b", "p.g", "a table", "ops", "mend it"}, {Skipped, "a", "", "", "", "\xff\n"}})))
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parseNotes("n", []byte(text))
		if err != nil {
			return
		}
		once := formatNotes(all)
		again, err := parseNotes("n", once)
		if err != nil || !bytes.Equal(formatNotes(again), once) {
			t.Errorf("%q is written as %q: %v", text, once, err)
		}
	})
}
