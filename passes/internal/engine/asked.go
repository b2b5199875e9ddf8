package engine

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// Asked is a comparison in Go on the way to a write: something that was read
// from a resource decides whether the write is sent. Only comparisons in the
// function that writes are seen, not those in a function it asks.
type Asked struct {
	Read     *term.T // what was read
	Op       string  // Read Op Incoming lets control through; "true" and "false" have no Incoming
	Incoming *term.T
}

// ask adds to the writes of fn what is asked before them.
func (f *family) ask(fn *ssa.Function, s *Summary) {
	var writes []ssa.Instruction
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if slices.ContainsFunc(s.steps[in], f.isWrite) {
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
			through, around := canReach(b.Succs[0], in.Block(), b), canReach(b.Succs[1], in.Block(), b)
			if through == around {
				continue
			}
			a := yes
			if around {
				a.Op = denied(a.Op)
			}
			steps := s.steps[in]
			for i := range steps {
				if f.isWrite(steps[i]) {
					steps[i].Asked = append(steps[i].Asked[:len(steps[i].Asked):len(steps[i].Asked)], a)
				}
			}
		}
	}
}

func (f *family) isWrite(x Effect) bool {
	return x.Call != nil && x.Open == Closed && slices.ContainsFunc(f.e.reader.Of(x.Call), func(m meaning.Meaning) bool { return m.Role == meaning.Write })
}

// question reads a branch's condition as a comparison of something that was
// read from a resource.
func (f *family) question(v ssa.Value) (Asked, bool) {
	if n, ok := v.(*ssa.UnOp); ok && n.Op == token.NOT {
		a, ok := f.question(n.X)
		a.Op = denied(a.Op)
		return a, ok
	}
	bin, ok := v.(*ssa.BinOp)
	if !ok {
		t := f.get(v)
		return Asked{Read: t, Op: "true"}, f.e.reader.Reads(t)
	}
	if !isOrdered(bin.X.Type()) {
		return Asked{}, false
	}
	x, y, op := f.get(bin.X), f.get(bin.Y), bin.Op
	if !f.e.reader.Reads(x) {
		x, y, op = y, x, flip(op)
	}
	if !f.e.reader.Reads(x) {
		return Asked{}, false
	}
	return Asked{Read: x, Op: sqlOp(op), Incoming: y}, true
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

func (f *family) passAsked(list []Asked, bind func(*term.T) *term.T) []Asked {
	if len(list) == 0 {
		return nil
	}
	out := make([]Asked, len(list))
	for i, a := range list {
		out[i] = Asked{Read: f.subst(a.Read, bind), Op: a.Op, Incoming: f.subst(a.Incoming, bind)}
	}
	return out
}

// asked adds to the ruling on an unconditional write what was asked before it.
// A row that was read under a row lock stays as it was until the transaction
// ends; anything else can change between the question and the write.
func (j *judge) asked(x Effect, c *meaning.Change, r ruling) ruling {
	if r.cond != lock.None || r.fault != "" || r.compared != "" {
		return r
	}
	for _, a := range x.Asked {
		for _, q := range j.e.reader.Queries(a.Read) {
			if q.Keeps && q.On != nil && j.e.handleKind(c.Call, c.On) == "tx" && j.e.pool.Alike(q.On, c.On) && overlap(q.Store, c.Resource) {
				return ruling{cond: lock.Transaction, note: "compared under a row lock of the same transaction"}
			}
		}
	}
	for _, a := range x.Asked {
		if j.aboutLock(a) {
			r.fault = "what was read is compared in Go first and written second: the lock can change hands in between"
			return r
		}
	}
	return r
}

// aboutLock reports whether a question is whether the lock, or the version of
// what it protects, is still the same; other questions are business.
func (j *judge) aboutLock(a Asked) bool {
	ours := func(t *term.T) bool {
		if j.isOwnerValue(t) {
			return true
		}
		tok, ok := j.token(t)
		return ok && tok.Origin == "" && (tok.Handle != nil || tok.Ordered)
	}
	if a.Incoming != nil && ours(a.Incoming) || a.Read.Any(func(t *term.T) bool { return t != a.Read && ours(t) }) {
		return true
	}
	name := ""
	switch t := a.Read; t.Kind {
	case term.Field:
		name = t.Name
	case term.Elem:
		if len(t.Args) == 2 {
			name, _ = t.Args[1].Str()
		}
	case term.Out:
		for _, q := range j.e.reader.Queries(t) {
			if t.Index < len(q.Columns) {
				name = q.Columns[t.Index]
			}
		}
	}
	return versionColumn(name) || fenceName(name)
}

// overlap reports whether a query reads the table that a write changes.
func overlap(store, resource string) bool {
	kind, tables, ok := strings.Cut(store, ":")
	return ok && slices.ContainsFunc(strings.Split(tables, ","), func(t string) bool { return kind+":"+t == resource })
}
