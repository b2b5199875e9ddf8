package audit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/aymanbagabas/go-udiff"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/atomicfile"
	"github.com/fencevet/fencevet/passes/directive"
)

// Files are the source files of an inventory as they were when it was made, and
// with what the audit has written since. A file that somebody else has changed
// meanwhile is left alone.
type Files struct {
	root  string
	known map[string]*known
}

type known struct {
	text  []byte
	moved []int // lines, as analysed, from which on all has moved down by one
}

// OpenFiles reads the files in which locks are taken.
func OpenFiles(root string, locks []inventory.Lock) *Files {
	f := &Files{root: root, known: make(map[string]*known)}
	for _, l := range locks {
		name := l.Acquire.File
		if f.known[name] == nil {
			text, err := os.ReadFile(f.path(name))
			if err != nil {
				continue // told when somebody wants to write there
			}
			f.known[name] = &known{text: text}
		}
	}
	return f
}

func (f *Files) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(f.root, filepath.FromSlash(name))
}

// inside reports whether a file lies below the root, links followed: what a line
// directive or a link names outside is not for the audit to write to.
func (f *Files) inside(name string) bool {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return false
	}
	root, err := filepath.EvalSymlinks(f.root)
	if err != nil {
		return false
	}
	file, err := filepath.EvalSymlinks(f.path(name))
	if err != nil {
		return true // and cannot be read either, which is said
	}
	rel, err := filepath.Rel(root, file)
	return err == nil && filepath.IsLocal(rel)
}

// An Edit is a change of a file that was not made yet.
type Edit struct {
	File   string // as the inventory has it
	before []byte
	after  []byte
	moved  int
}

// Propose makes the edit that puts d where l is taken.
func (f *Files) Propose(l *inventory.Lock, d directive.Directive) (*Edit, error) {
	if !f.inside(l.Acquire.File) {
		return nil, fmt.Errorf("%s is no file of this module", l.Acquire.File)
	}
	k := f.known[l.Acquire.File]
	if k == nil {
		return nil, fmt.Errorf("cannot read %s", l.Acquire.File)
	}
	at := spot{line: k.now(l.Acquire.Line), column: l.Acquire.Column}
	if old := l.Decision; old != nil && old.File == l.Acquire.File {
		at.replace = k.now(old.Line)
	}
	after, moved, err := insert(k.text, at, d)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.Acquire.File, err)
	}
	if moved > 0 {
		moved = k.then(moved)
	}
	return &Edit{File: l.Acquire.File, before: k.text, after: after, moved: moved}, nil
}

// Diff shows what an edit changes in the file, which goes by the given name.
func (e *Edit) Diff(name string) string {
	return udiff.Unified(name, name, string(e.before), string(e.after))
}

// Write makes an edit, unless somebody else has changed the file.
func (f *Files) Write(e *Edit) error {
	name := f.path(e.File)
	now, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	k := f.known[e.File]
	if !bytes.Equal(now, e.before) || !bytes.Equal(k.text, e.before) {
		return fmt.Errorf("%s has changed since it was analysed: nothing is written; run fencevet audit again", e.File)
	}
	if err := atomicfile.Write(name, e.after); err != nil {
		return err
	}
	k.text = e.after
	// gofmt may put an empty line of a comment before a directive.
	for range bytes.Count(e.after, []byte("\n")) - bytes.Count(e.before, []byte("\n")) {
		k.moved = append(k.moved, e.moved)
	}
	return nil
}

// Line is where an analysed line is after what was written.
func (f *Files) Line(file string, line int) int {
	if k := f.known[file]; k != nil {
		return k.now(line)
	}
	return line
}

// now is where an analysed line is.
func (k *known) now(line int) int {
	by := 0
	for _, m := range k.moved {
		if m <= line {
			by++
		}
	}
	return line + by
}

// then undoes now: the analysed line that is at a line.
func (k *known) then(line int) int {
	was := line
	for was > 1 && k.now(was) > line {
		was--
	}
	return was
}
