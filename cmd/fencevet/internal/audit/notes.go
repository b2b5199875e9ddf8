package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/atomicfile"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/fields"
)

// Kinds of notes: what somebody has answered about a lock.
const (
	Accepted = "accepted" // the risk, in the source
	ToFix    = "fix"
	ToTeach  = "teach" // fencevet, which does not see what refuses the write
	ToAsk    = "ask"   // somebody who knows
	Skipped  = "skip"
)

// A Note is what is remembered of one lock.
type Note struct {
	Kind     string
	Lock     string // ID
	Place    string // package and function, for who reads the file
	Protects string
	Owner    string // who decides
	Text     string // reason, or what is to be done, or what was not written
}

// Notes are kept in a file, from one audit to the next.
type Notes struct {
	file string
	all  []Note
}

const notesHead = "fencevet-audit v1"

const notesPreamble = `# What was said about the locks of this module, for fencevet audit, which asks about
# the others only. Remove a line to be asked again. One line per lock: kind, lock, place,
# what it protects, who decides, and the reason or what is to be done.
`

// OpenNotes reads the notes in a file, which need not be there.
func OpenNotes(file string) (*Notes, error) {
	n := &Notes{file: file}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return n, nil
	}
	if err != nil {
		return nil, err
	}
	n.all, err = parseNotes(file, text)
	return n, err
}

func parseNotes(file string, text []byte) ([]Note, error) {
	var all []Note
	headed := false
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimRight(line, "\r\n")
		fail := func(what string) ([]Note, error) {
			return nil, fmt.Errorf("%s:%d: %s; repair or remove the line, or the file", file, number, what)
		}
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case !headed && line != notesHead:
			return fail(fmt.Sprintf("no notes of an audit: want the line %q first", notesHead))
		case line == notesHead:
			headed = true
			continue
		}
		parts, err := fields.Split(line)
		if err != nil {
			return fail(err.Error())
		}
		if len(parts) != 6 || !slices.Contains([]string{Accepted, ToFix, ToTeach, ToAsk, Skipped}, parts[0]) {
			return fail(fmt.Sprintf("no note: %q with %d fields", parts[0], len(parts)))
		}
		all = put(all, Note{parts[0], parts[1], parts[2], parts[3], parts[4], parts[5]})
	}
	return all, nil
}

// put adds a note in the place of an older one about the same lock.
func put(all []Note, n Note) []Note {
	i := slices.IndexFunc(all, func(old Note) bool { return old.Lock == n.Lock })
	if i < 0 {
		return append(all, n)
	}
	all[i] = n
	return all
}

func formatNotes(all []Note) []byte {
	var lines []string
	for _, n := range all {
		lines = append(lines, fields.Join(n.Kind, n.Lock, n.Place, n.Protects, n.Owner, n.Text))
	}
	slices.Sort(lines)
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s%s\n", notesPreamble, notesHead)
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	return b.Bytes()
}

// Put adds a note.
func (n *Notes) Put(note Note) { n.all = put(n.all, note) }

// Save writes the file.
func (n *Notes) Save() error { return atomicfile.Write(n.file, formatNotes(n.all)) }

// About returns what is noted about a lock; nil if nothing is.
func (n *Notes) About(id string) *Note {
	i := slices.IndexFunc(n.all, func(note Note) bool { return note.Lock == id })
	if i < 0 {
		return nil
	}
	return &n.all[i]
}
