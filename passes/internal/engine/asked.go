package engine

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// ask adds to the writes of fn what is asked before them.
func (f *Family) ask(fn *ssa.Function, s *summary.Summary) {
	var writes []ssa.Instruction
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if slices.ContainsFunc(s.Steps[in], f.isWrite) {
				writes = append(writes, in)
			}
		}
	}
	if len(writes) == 0 {
		return
	}
	for _, b := range fn.Blocks {
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		yes, ok := f.question(br.Cond)
		if !ok {
			continue
		}
		for _, in := range writes {
			through, around := code.CanReach(b.Succs[0], in.Block(), b), code.CanReach(b.Succs[1], in.Block(), b)
			if through == around {
				continue
			}
			a := yes
			if around {
				a.Op = denied(a.Op)
			}
			steps := s.Steps[in]
			for i := range steps {
				if f.isWrite(steps[i]) {
					steps[i].Asked = append(steps[i].Asked[:len(steps[i].Asked):len(steps[i].Asked)], a)
				}
			}
		}
	}
}

func (f *Family) isWrite(x summary.Effect) bool {
	return x.Call != nil && x.Open == summary.Closed && slices.ContainsFunc(f.Engine.Reader.Of(x.Call), func(m meaning.Meaning) bool { return m.Role == meaning.Write })
}

// question reads a branch's condition as a comparison of something that was
// read from a resource.
func (f *Family) question(v ssa.Value) (summary.Asked, bool) {
	if n, ok := v.(*ssa.UnOp); ok && n.Op == token.NOT {
		a, ok := f.question(n.X)
		a.Op = denied(a.Op)
		return a, ok
	}
	bin, ok := v.(*ssa.BinOp)
	if !ok {
		t := f.Get(v)
		return summary.Asked{Read: t, Op: "true"}, f.Engine.Reader.Reads(t)
	}
	if !isOrdered(bin.X.Type()) {
		return summary.Asked{}, false
	}
	x, y, op := f.Get(bin.X), f.Get(bin.Y), bin.Op
	if !f.Engine.Reader.Reads(x) {
		x, y, op = y, x, flip(op)
	}
	if !f.Engine.Reader.Reads(x) {
		return summary.Asked{}, false
	}
	return summary.Asked{Read: x, Op: sqlOp(op), Incoming: y}, true
}

func sqlOp(op token.Token) string {
	switch op {
	case token.EQL:
		return "="
	case token.NEQ:
		return "<>"
	}
	return op.String()
}

var denials = map[string]string{"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "true": "false", "false": "true"}

func denied(op string) string { return denials[op] }

func passAsked(list []summary.Asked, bind *term.Binding) []summary.Asked {
	if len(list) == 0 {
		return nil
	}
	out := make([]summary.Asked, len(list))
	for i, a := range list {
		out[i] = summary.Asked{Read: bind.Put(a.Read), Op: a.Op, Incoming: bind.Put(a.Incoming)}
	}
	return out
}

// Overlap reports whether a query reads the table that a write changes.
func Overlap(store, resource string) bool {
	kind, tables, ok := strings.Cut(store, ":")
	return ok && slices.ContainsFunc(strings.Split(tables, ","), func(t string) bool { return kind+":"+t == resource })
}
