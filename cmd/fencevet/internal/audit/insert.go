package audit

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"strings"

	"github.com/fencevet/fencevet/passes/directive"
)

// A spot is where a directive goes: above the statement that takes a lock, or in
// the place of one that has expired.
type spot struct {
	line, column int // of the call that takes the lock
	replace      int // line of the directive to replace; 0: none
}

var (
	errMoved     = errors.New("the lock is not where it was: the file has changed since it was analysed; run fencevet audit again")
	errGenerated = errors.New("the file is generated: put the directive on a function that it calls, or into what generates it")
)

// insert puts a directive into the source of a file, and returns the line at
// which all that follows has moved down by one; 0 if nothing has.
func insert(src []byte, at spot, d directive.Directive) (out []byte, moved int, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, 0, errMoved
	}
	if ast.IsGenerated(file) {
		return nil, 0, errGenerated
	}
	f := fset.File(file.Pos())
	text := d.String()
	if at.replace > 0 {
		c := directiveAt(file, f, at.replace)
		if c == nil {
			return nil, 0, errMoved
		}
		from, to := f.Offset(c.Pos()), f.Offset(c.Pos())+len(c.Text)
		return tidy(src, splice(src, from, to, text)), 0, nil
	}
	line, head := statement(file, f, at)
	if line == 0 {
		return nil, 0, errMoved
	}
	// Above an else would be inside of the branch before it.
	if head > 0 {
		if end := bytes.IndexByte(src[head:], '\n'); end >= 0 && len(bytes.TrimSpace(src[head:head+end])) == 0 {
			return tidy(src, splice(src, head, head, " "+text)), 0, nil
		}
	}
	start := f.Offset(f.LineStart(line))
	end := "\n"
	if bytes.HasSuffix(src[:start], []byte("\r\n")) {
		end = "\r\n"
	}
	return tidy(src, splice(src, start, start, indentation(src[start:])+text+end)), line, nil
}

func splice(src []byte, from, to int, text string) []byte {
	out := make([]byte, 0, len(src)+len(text))
	out = append(out, src[:from]...)
	out = append(out, text...)
	return append(out, src[to:]...)
}

// indentation is the space in front of a line.
func indentation(line []byte) string {
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// tidy formats what was inserted, unless the file was not formatted before:
// then the rest of it is not ours to change.
func tidy(before, after []byte) []byte {
	if was, err := format.Source(before); err != nil || !bytes.Equal(was, before) {
		return after
	}
	if formatted, err := format.Source(after); err == nil {
		return formatted
	}
	return after
}

// directiveAt returns the directive on a line.
func directiveAt(file *ast.File, f *token.File, line int) *ast.Comment {
	for _, g := range file.Comments {
		for _, c := range g.List {
			if f.Line(c.Pos()) == line && directive.Is(c.Text) {
				return c
			}
		}
	}
	return nil
}

// statement returns the first line of the innermost statement, or declaration of
// a variable, around the call that takes the lock; 0 if there is no call. For the
// head of an else it returns where the head ends as well.
func statement(file *ast.File, f *token.File, at spot) (line, head int) {
	call := false
	elses := make(map[ast.Node]bool) // and what stands in their heads
	around := func(n ast.Node) bool {
		from, to := f.Position(n.Pos()), f.Position(n.End())
		after := at.line > from.Line || at.line == from.Line && at.column >= from.Column
		before := at.line < to.Line || at.line == to.Line && at.column <= to.Column
		return after && before
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || !around(n) {
			return false
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			call = true
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		case ast.Stmt, *ast.ValueSpec:
			if line = f.Line(n.Pos()); !elses[n] {
				head = 0
			}
			if n, ok := n.(*ast.IfStmt); ok {
				elses[n.Else] = true
				if elses[n] {
					elses[n.Init] = true
					head = f.Offset(n.Body.Lbrace) + 1
				}
			}
		}
		return true
	})
	if !call {
		return 0, 0
	}
	return line, head
}

// compose makes a directive of what was answered, and makes sure that it is read
// as it was meant.
func compose(kind directive.Kind, owner, until, reason string) (directive.Directive, error) {
	d := directive.Directive{Kind: kind, Owner: owner, Until: until, Reason: strings.TrimSpace(reason)}
	read, err := directive.Parse(d.String())
	switch {
	case err != nil:
		return d, err
	case read.Owner != owner:
		return d, fmt.Errorf("a name is one word: %q", owner)
	case read.Reason != d.Reason:
		return d, fmt.Errorf("a reason must not start with owner= or until=, nor hold \" //\": %q", d.Reason)
	}
	return d, nil
}
