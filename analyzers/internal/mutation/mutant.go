package mutation

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Mutant is one change of one declaration. Lines keep their numbers.
type Mutant struct {
	Kind    string
	Decl    *Decl
	Targets []*Use // these are fenced no more

	at         token.Position
	start, end int // bytes of the file that are replaced
	with       string
	imports    string // path of a package that with refers to as "mutant"
	declares   string // variable that with refers to
}

func (m *Mutant) String() string {
	old := string(m.Decl.File.Source[m.start:m.end])
	return fmt.Sprintf("%s:%d: %s: %s => %s", filepath.Base(m.at.Filename), m.at.Line, m.Kind, shortened(old), shortened(m.with))
}

func shortened(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 90 {
		s = s[:90] + "..."
	}
	return "`" + s + "`"
}

// source is the file with the change.
func (m *Mutant) source() []byte {
	f := m.Decl.File
	var b bytes.Buffer
	name := int(f.Syntax.Name.End() - f.Syntax.FileStart)
	b.Write(f.Source[:name])
	if m.imports != "" {
		fmt.Fprintf(&b, "; import mutant %q", m.imports)
	}
	b.Write(f.Source[name:m.start])
	b.WriteString(m.with)
	lost := bytes.Count(f.Source[m.start:m.end], []byte("\n")) - strings.Count(m.with, "\n")
	b.WriteString(strings.Repeat("\n", max(lost, 0)))
	b.Write(f.Source[m.end:])
	b.WriteString(m.declares)
	return b.Bytes()
}

// Mutants lists the mutants of p that break the fences of uses which Fenced has
// found.
func (p *Program) Mutants() []*Mutant {
	var out []*Mutant
	seen := make(map[*Decl]bool)
	for _, d := range p.decls {
		if seen[d] || len(d.Uses) == 0 {
			continue
		}
		seen[d] = true
		byToken, byOwner := split(d.Uses)
		for _, b := range []breaker{{p: p, d: d, targets: byToken, names: tokenNames, columns: tokenColumns}, {p: p, d: d, targets: byOwner, names: ownerNames, columns: ownerColumns}} {
			if len(b.targets) > 0 {
				b.walk()
				out = append(out, b.out...)
			}
		}
	}
	slices.SortFunc(out, func(a, b *Mutant) int {
		return cmp.Or(strings.Compare(a.at.Filename, b.at.Filename), a.start-b.start, strings.Compare(a.Kind, b.Kind), strings.Compare(a.with, b.with))
	})
	return slices.CompactFunc(out, func(a, b *Mutant) bool {
		same := a.at.Filename == b.at.Filename && a.start == b.start && a.end == b.end && a.with == b.with
		if same {
			b.Targets = append(b.Targets[:len(b.Targets):len(b.Targets)], a.Targets...) // b stays
		}
		return same
	})
}

func split(list []*Use) (byToken, byOwner []*Use) {
	for _, u := range list {
		if u.Owner {
			byOwner = append(byOwner, u)
		} else {
			byToken = append(byToken, u)
		}
	}
	return byToken, byOwner
}

// What tokens and owner values are called in Go, and the columns that keep them.
var (
	tokenNames   = regexp.MustCompile(`^(.*[tT]oken|.*Revision|Rev|Czxid|ModifyIndex|label)$`)
	ownerNames   = regexp.MustCompile(`^(me|owner|holder)$`)
	tokenColumns = `(?:last_)?token`
	ownerColumns = `(?:holder|worker|token)`
)

// A breaker makes the mutants of one declaration.
type breaker struct {
	p       *Program
	d       *Decl
	targets []*Use
	names   *regexp.Regexp
	columns string
	out     []*Mutant
}

func (b *breaker) add(kind string, n ast.Node, with string) *Mutant {
	return b.addBytes(kind, b.offset(n.Pos()), b.offset(n.End()), with)
}

func (b *breaker) addBytes(kind string, start, end int, with string) *Mutant {
	f := b.d.File.Syntax.FileStart
	m := &Mutant{Kind: kind, Decl: b.d, Targets: b.targets, at: b.p.fset.Position(f + token.Pos(start)), start: start, end: end, with: with}
	b.out = append(b.out, m)
	return m
}

func (b *breaker) offset(pos token.Pos) int { return int(pos - b.d.File.Syntax.FileStart) }

func (b *breaker) text(n ast.Node) string {
	return string(b.d.File.Source[b.offset(n.Pos()):b.offset(n.End())])
}

func (b *breaker) typeOf(x ast.Expr) types.Type { return b.d.File.Pkg.TypesInfo.TypeOf(x) }

// walk makes the mutants.
func (b *breaker) walk() {
	var stack []ast.Node
	ast.Inspect(b.d.Node, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		switch n := n.(type) {
		case *ast.DeferStmt:
			b.early(n)
			stack = stack[:len(stack)-1]
			return false
		case *ast.KeyValueExpr:
			b.column(n)
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				b.statement(n)
			}
		case *ast.IfStmt:
			b.unasked(n)
			b.uncompared(n)
		case *ast.BinaryExpr:
			b.reversed(n)
		case *ast.AssignStmt:
			b.unstored(n)
		case *ast.CompositeLit:
			b.incomplete(n)
		case *ast.CallExpr:
			b.unanswered(n)
			b.unconditional(n)
		case ast.Expr:
			if b.isToken(n) && b.flows(n, stack[:len(stack)-1]) {
				b.replaced(n)
			}
		}
		if x, ok := n.(*ast.CallExpr); ok && b.isToken(x) && b.flows(x, stack[:len(stack)-1]) {
			b.replaced(x)
		}
		return true
	})
}
