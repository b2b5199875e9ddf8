package engine

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/term"
)

// MaxEmbedded bounds the files that are read for the value of a variable, in bytes:
// statements and scripts are short.
const MaxEmbedded = 64 << 10

// embedsOf maps the variables of a unit that a file is embedded in to the name of
// that file. Patterns and variables of type embed.FS, which hold several, are left
// out: what is read from them goes by a name.
func embedsOf(fset *token.FileSet, u Unit) map[string]string {
	var found map[string]string
	for _, f := range u.Files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				doc := v.Doc
				if doc == nil && !g.Lparen.IsValid() {
					doc = g.Doc
				}
				if name := embeddedFile(doc); name != "" && len(v.Names) == 1 {
					if found == nil {
						found = make(map[string]string)
					}
					found[v.Names[0].Name] = filepath.Join(filepath.Dir(fset.File(f.FileStart).Name()), filepath.FromSlash(name))
				}
			}
		}
	}
	return found
}

// embeddedFile returns the file that a directive names, if it names one.
func embeddedFile(doc *ast.CommentGroup) string {
	if doc == nil {
		return ""
	}
	file := ""
	for _, c := range doc.List {
		list, ok := strings.CutPrefix(c.Text, "//go:embed ")
		if !ok {
			continue
		}
		names := strings.Fields(list)
		if file != "" || len(names) != 1 || strings.ContainsAny(names[0], "*?[\"`\\:") {
			return ""
		}
		file = names[0]
	}
	return file
}

// embedded is the text that the compiler puts into a variable; nil if there is
// none, or it cannot be read. Drivers let a pass read the files of Go alone, so the
// file is opened here: a driver that has it elsewhere (a sandbox) leaves the value
// unknown.
func (e *Engine) embedded(g *ssa.Global) *term.T {
	file, ok := e.embeds[g]
	if !ok {
		return nil
	}
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || info.Size() > MaxEmbedded {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil || !utf8.Valid(text) {
		return nil
	}
	return e.Pool.Const("string", string(text))
}
