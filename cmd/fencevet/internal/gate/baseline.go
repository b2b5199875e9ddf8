package gate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/atomicfile"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/fields"
)

// The baseline is text, one line per lock and finding, so that a change of it can
// be reviewed, and sorted, so that git merges two changes of it. A line is a kind
// and its fields.
const (
	kindVersion  = "fencevet-baseline" // first line that is no comment
	kindTool     = "tool"
	kindPackages = "packages" // one pattern a line
	kindTests    = "tests"
	kindUnread   = "unread"
	kindLock     = "lock"
	kindFinding  = "finding"

	version = "v1"
)

const preamble = `# The distributed locks of this module as they were accepted, for fencevet gate.
# Written by fencevet gate -write-baseline; lines may stand in any order, and twice.
`

// A BaselineError says what is wrong with a baseline file, and where.
type BaselineError struct {
	File    string
	Line    int // 0 for the whole file
	Message string
}

func (e *BaselineError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Message
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
}

// WriteTo writes s as a baseline.
func (s *Snapshot) WriteTo(w io.Writer) (int64, error) {
	var lines []string
	add := func(parts ...string) { lines = append(lines, fields.Join(parts...)) }
	for _, p := range s.Patterns {
		add(kindPackages, p)
	}
	if s.Tests {
		add(kindTests)
	}
	for _, p := range s.Unread {
		add(kindUnread, p)
	}
	for _, l := range s.Locks {
		add(append([]string{kindLock, l.Package, l.Function, l.Key, l.Call, l.Library, l.ID, l.Role, l.Verdict, l.Class}, l.Writes...)...)
	}
	for _, f := range s.Findings {
		add(kindFinding, f.Folder, f.Check, f.Level, f.Text, f.Lock, strconv.Itoa(f.Number))
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)

	var b bytes.Buffer
	fmt.Fprintf(&b, "%s%s %s\n%s %s\n", preamble, kindVersion, version, kindTool, fields.Join(s.Tool))
	for _, line := range lines {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.WriteTo(w)
}

// ReadBaseline reads what WriteTo has written. The name is for errors, which are
// *BaselineError.
func ReadBaseline(name string, text []byte) (*Snapshot, error) {
	r := &reader{file: name, snapshot: new(Snapshot), locks: make(map[string]*Lock), findings: make(map[Finding]bool)}
	for line := range strings.Lines(string(text)) {
		r.line++
		if err := r.read(strings.TrimRight(line, "\r\n")); err != nil {
			return nil, &BaselineError{name, r.line, err.Error()}
		}
	}
	if !r.versioned {
		return nil, &BaselineError{name, 0, fmt.Sprintf("no baseline: it lacks the line %q", kindVersion+" "+version)}
	}
	return r.snapshot, nil
}

// anew says how to get out of a baseline that cannot be read.
func anew(name string) string {
	return "write it anew: fencevet gate -write-baseline=" + name
}

type reader struct {
	file      string
	line      int
	versioned bool
	snapshot  *Snapshot
	locks     map[string]*Lock
	findings  map[Finding]bool
}

func (r *reader) read(line string) error {
	for _, marker := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
		if strings.HasPrefix(line, marker) {
			return fmt.Errorf("merge conflict: keep the lines of both sides and remove the marks, or %s (git does the former by itself with the line %q in .gitattributes)",
				anew(r.file), filepath.Base(r.file)+" merge=union")
		}
	}
	if line == "" || strings.HasPrefix(line, "#") {
		return nil
	}
	parts, err := fields.Split(line)
	if err != nil {
		return fmt.Errorf("%w; %s", err, anew(r.file))
	}
	kind, rest := parts[0], parts[1:]
	if !r.versioned {
		if kind != kindVersion || len(rest) != 1 {
			return fmt.Errorf("no baseline: want the line %q first", kindVersion+" "+version)
		}
		r.versioned = true
	}
	switch {
	case kind == kindVersion && len(rest) == 1:
		if rest[0] != version {
			return fmt.Errorf("the baseline has version %s, and this fencevet reads %s: %s, after a look at what fencevet inventory lists", rest[0], version, anew(r.file))
		}
	case kind == kindTool && len(rest) == 1:
		r.snapshot.Tool = max(r.snapshot.Tool, rest[0])
	case kind == kindPackages && len(rest) == 1:
		r.snapshot.Patterns = once(r.snapshot.Patterns, rest[0])
	case kind == kindTests && len(rest) == 0:
		r.snapshot.Tests = true
	case kind == kindUnread && len(rest) == 1:
		r.snapshot.Unread = once(r.snapshot.Unread, rest[0])
	case kind == kindLock && len(rest) >= 9:
		r.lock(&Lock{
			Package: rest[0], Function: rest[1], Key: rest[2], Call: rest[3], Library: rest[4],
			ID: rest[5], Role: rest[6], Verdict: rest[7], Class: rest[8], Writes: rest[9:],
		})
	case kind == kindFinding && len(rest) == 6:
		n, err := strconv.Atoi(rest[5])
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no number of a finding; %s", rest[5], anew(r.file))
		}
		f := Finding{Folder: rest[0], Check: rest[1], Level: rest[2], Text: rest[3], Lock: rest[4], Number: n}
		if !r.findings[f] {
			r.findings[f] = true
			r.snapshot.Findings = append(r.snapshot.Findings, &f)
		}
	default:
		return fmt.Errorf("a line of kind %q with %d fields is unknown; %s", kind, len(rest), anew(r.file))
	}
	return nil
}

// lock adds a lock. Where two branches have written it differently and git has
// kept both, the stricter one is in force: no merge makes a gate forget a fence.
func (r *reader) lock(l *Lock) {
	was := r.locks[l.ID]
	switch {
	case was == nil:
		r.locks[l.ID] = l
		r.snapshot.Locks = append(r.snapshot.Locks, l)
	case l.strictness() > was.strictness():
		*was = *l
	}
}

func (l *Lock) strictness() int {
	switch {
	case l.fenced():
		return 2
	case l.undecided():
		return 0
	}
	return 1
}

func once(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// WriteBaseline replaces the file in one step. It does not replace a file that is
// something else.
func WriteBaseline(file string, s *Snapshot) error {
	switch old, err := os.ReadFile(file); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case len(old) > 0 && !bytes.Contains(old, []byte(kindVersion+" ")):
		return fmt.Errorf("%s is no baseline, and is not replaced: give another file, or remove it", file)
	}
	var b bytes.Buffer
	if _, err := s.WriteTo(&b); err != nil {
		return err
	}
	return atomicfile.Write(file, b.Bytes())
}
