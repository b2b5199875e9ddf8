package gate

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func sample() *Snapshot {
	return &Snapshot{
		Tool: "v0.3.0", Patterns: []string{"./cmd/...", "./internal/..."}, Tests: true,
		Unread: []string{"example.org/shop/gen [example.org/shop/gen.test]", "example.org/shop/gen"},
		Locks: []*Lock{
			{
				ID: "01", Role: "use", Library: "redsync", Package: "example.org/shop/stock", Function: "(*Service).Reserve",
				Call: "(*redsync.Mutex).LockContext", Key: "stock:%s", Verdict: "unfenced", Class: "undecided",
				Writes: []string{"redis:cache none", "sql:stock none"},
			},
			{ID: "02", Role: "use", Verdict: "fenced", Class: "correctness", Key: "a \"key\"\nof \x1b[31m \xff two # lines", Writes: []string{}},
		},
		Findings: []*Finding{
			{Check: "release", Level: "error", Lock: "01", Folder: "stock", Text: "the lock is stuck", Number: 1},
			{Check: "release", Level: "error", Lock: "01", Folder: "stock", Text: "the lock is stuck", Number: 2},
		},
	}
}

func text(s *Snapshot) string {
	var b bytes.Buffer
	s.WriteTo(&b)
	return b.String()
}

func TestBaseline(t *testing.T) {
	want := sample()
	got, err := ReadBaseline("b", []byte(text(want)))
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got.Locks, func(a, b *Lock) int { return strings.Compare(a.ID, b.ID) })
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %s\nwant %s", text(got), text(want))
	}
	crlf := strings.ReplaceAll(text(want), "\n", "\r\n")
	if got, err := ReadBaseline("b", []byte(crlf)); err != nil || text(got) != text(want) {
		t.Errorf("as git writes it on Windows: %v, %v", got, err)
	}
}

// TestUnion merges two changes of a baseline as git does with merge=union.
func TestUnion(t *testing.T) {
	const fenced, unfenced = "use fenced correctness", "use unfenced undecided"
	ours := text(sample())
	theirs := strings.Replace(strings.ReplaceAll(ours, unfenced, fenced), "v0.3.0", "v0.4.0", 1)
	for _, merged := range []string{ours + theirs, theirs + ours} {
		got, err := ReadBaseline("b", []byte(merged))
		if err != nil {
			t.Fatal(err)
		}
		want, err := ReadBaseline("b", []byte(theirs))
		if err != nil {
			t.Fatal(err)
		}
		// A lock that one side knows as fenced stays so, and nothing counts twice.
		if text(got) != text(want) {
			t.Errorf("got %s\nwant %s", text(got), text(want))
		}
	}
}

func TestBadBaseline(t *testing.T) {
	const head = "# a comment\nfencevet-baseline v1\n"
	for _, test := range []struct{ text, want string }{
		{"", `b: no baseline: it lacks the line "fencevet-baseline v1"`},
		{"{}", `b:1: no baseline: want the line "fencevet-baseline v1" first`},
		{"lock a b", `b:1: no baseline: want the line`},
		{"# c\nfencevet-baseline v2\nfoo", "b:2: the baseline has version v2, and this fencevet reads v1: write it anew: fencevet gate -write-baseline=b, after a look"},
		{head + "<<<<<<< HEAD\n", "b:3: merge conflict: keep the lines of both sides and remove the marks, or write it anew: fencevet gate -write-baseline=b (git does the former"},
		{"<<<<<<< HEAD\n" + head, "b:1: merge conflict"},
		{head + "tests\n=======\n", "b:4: merge conflict"},
		{head + ">>>>>>> origin/main\n", "b:3: merge conflict"},
		{head + "||||||| 1234567\n", "b:3: merge conflict"},
		{head + "lock a b c\n", `b:3: a line of kind "lock" with 3 fields is unknown`},
		{head + "locks\n", `b:3: a line of kind "locks" with 0 fields is unknown`},
		{head + "finding a b c d e many\n", `b:3: "many" is no number of a finding`},
		{head + "finding a b c d e 0\n", `b:3: "0" is no number of a finding`},
		{head + "unread \"a\n", "b:3: a quote is not closed"},
		{head + "unread \"a\"b\n", "b:3: no space after a quote"},
		{head + "unread  a\n", "b:3: an empty field"},
	} {
		if _, err := ReadBaseline("b", []byte(test.text)); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q: got %v, want %s", test.text, err, test.want)
		}
	}
}

func FuzzReadBaseline(f *testing.F) {
	f.Add(text(sample()))
	f.Add("fencevet-baseline v1\nlock a b c d e f g h i \"j\\n\" k\nfinding . a b \"c d\" \"\" 7\n")
	f.Add("fencevet-baseline v1\n=======\n")
	f.Fuzz(func(t *testing.T, input string) {
		s, err := ReadBaseline("b", []byte(input))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "b:") {
				t.Errorf("error without a place: %v", err)
			}
			return
		}
		once := text(s)
		again, err := ReadBaseline("b", []byte(once))
		if err != nil {
			t.Fatalf("%v in\n%s", err, once)
		}
		if twice := text(again); twice != once {
			t.Errorf("written as\n%s\nthen as\n%s", once, twice)
		}
	})
}

func TestWriteBaseline(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "b")
	for range 2 {
		if err := WriteBaseline(file, sample()); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != text(sample()) {
		t.Errorf("%v: %s", err, got)
	}
	if err := WriteBaseline(filepath.Join(dir, "nowhere", "b"), sample()); err == nil {
		t.Error("wrote to a directory that is not there")
	}
	if err := WriteBaseline(dir, sample()); err == nil {
		t.Error("replaced a directory")
	}
	other := filepath.Join(t.TempDir(), "go.mod")
	if err := os.WriteFile(other, []byte("module m\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := WriteBaseline(other, sample()); err == nil || !strings.Contains(err.Error(), "is no baseline") {
		t.Errorf("replaced a file that is no baseline: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}
