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

func passAsked(list []Asked, bind *term.Binding) []Asked {
	if len(list) == 0 {
		return nil
	}
	out := make([]Asked, len(list))
	for i, a := range list {
		out[i] = Asked{Read: bind.Put(a.Read), Op: a.Op, Incoming: bind.Put(a.Incoming)}
	}
	return out
}

// asked adds to the ruling on an unconditional write what was asked before it.
// A row that was read under a row lock stays as it was until the transaction
// ends; anything else can change between the question and the write.
func (j *judge) asked(x Effect, c *meaning.Change, r ruling) ruling {
	if x.Batch == Watched && r.cond == lock.Version {
		for _, a := range x.Asked {
			if h := j.heldRow(a, j.stores(x, c, a)); h.cond != lock.Transaction {
				return h
			}
		}
	}
	if r.cond == lock.Version && slices.ContainsFunc(c.Guards, func(g meaning.Guard) bool { return g.Value != nil && j.kept(g.Value, c) }) {
		return ruling{cond: lock.Transaction, note: "what is compared was read under a row lock of the same transaction"}
	}
	if r.cond != lock.None || r.fault != "" || r.compared != "" {
		return r
	}
	var held *ruling
	for _, a := range x.Asked {
		if j.kept(a.Read, c) {
			h := j.heldRow(a, j.stores(x, c, a))
			if h.cond != lock.Transaction {
				return h // the token itself was compared
			}
			held = &h
		}
	}
	if held != nil {
		return *held
	}
	for _, a := range x.Asked {
		if j.aboutLock(a, c) {
			r.fault = "what was read is compared in Go first and written second: the lock can change hands in between"
			return r
		}
	}
	return r
}

// within reports whether a read goes through a transaction, or through the part of
// it that it has its reading methods from.
func (j *judge) within(read, tx *term.T) bool {
	return j.e.pool.Alike(read, tx) || read.Kind == term.Field && j.e.pool.Alike(read.Args[0], tx)
}

// heldRow rules on a write after a comparison of what stays as it is until the
// transaction ends. A comparison of the token is as good as the same one in the
// statement; any other makes the write conditional on what was read.
func (j *judge) heldRow(a Asked, stored bool) ruling {
	const note = "compared under a row lock of the same transaction"
	held := ruling{cond: lock.Transaction, note: note, own: true}
	if a.Incoming == nil {
		return held
	}
	column := columnOf(j.e.reader, a.Read)
	if tok, ok := j.token(a.Incoming); !j.isOwnerValue(a.Incoming) && (!ok || tok.Origin == "" && !tok.Ordered) {
		if fenceName(column) && (a.Incoming.Kind == term.Const || a.Incoming.Kind == term.Global) {
			return ruling{cond: lock.None, fault: "what is compared with " + column + " is no token: it is the same for every holder"}
		}
		return held
	}
	g := meaning.Guard{Column: column, Op: a.Op, Value: a.Incoming, Stored: stored}
	r := j.compare(g, &meaning.Change{})
	r.own = true
	if r.cond == lock.Token {
		r.note = note
	}
	return r
}

// stores reports whether a write, or another of the same batch, stores what was
// compared where it was read from.
func (j *judge) stores(x Effect, c *meaning.Change, a Asked) bool {
	v := a.Incoming
	if v == nil {
		return false
	}
	column := columnOf(j.e.reader, a.Read)
	if slices.ContainsFunc(c.Sets, func(s meaning.Setting) bool {
		return j.e.pool.Alike(s.Value, v) && (column == "" || s.Column == "" || strings.EqualFold(s.Column, column))
	}) {
		return true
	}
	return x.Batch == Watched && slices.ContainsFunc(j.st.effects, func(o Effect) bool {
		return o.Batch == Watched && o.At.Position == x.At.Position && o.Call != nil && o.Call.Any(func(t *term.T) bool { return j.e.pool.Alike(t, v) })
	})
}

// columnOf names what was read: a field, an element by name, a column.
func columnOf(r *meaning.Reader, t *term.T) string {
	switch t.Kind {
	case term.Field:
		return t.Name
	case term.Elem:
		if len(t.Args) == 2 {
			name, _ := t.Args[1].Str()
			return name
		}
	case term.Out:
		for _, q := range r.Queries(t) {
			if t.Index < len(q.Columns) {
				return q.Columns[t.Index]
			}
		}
	}
	return ""
}

// kept reports whether a value was read under a row lock that the transaction of c
// holds, from the table that c changes.
func (j *judge) kept(t *term.T, c *meaning.Change) bool {
	return slices.ContainsFunc(j.e.reader.Queries(t), func(q meaning.Meaning) bool {
		return q.Keeps && q.On != nil && j.e.handleKind(c.Call, c.On) == "tx" && j.within(q.On, c.On) && overlap(q.Store, c.Resource)
	})
}

// aboutLock reports whether a question before the change c is whether the lock, or
// the version of what c changes, is still the same; other questions are business,
// and so is the version of something else.
func (j *judge) aboutLock(a Asked, c *meaning.Change) bool {
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
	name := columnOf(j.e.reader, a.Read)
	if !versionColumn(name) && !fenceName(name) {
		return false
	}
	if a.Incoming != nil && a.Incoming.Kind == term.Const && !fenceName(name) {
		return false // how far something has come, not who came last
	}
	queries := j.e.reader.Queries(a.Read)
	return len(queries) == 0 || slices.ContainsFunc(queries, func(q meaning.Meaning) bool { return q.Store == "" || overlap(q.Store, c.Resource) })
}

// overlap reports whether a query reads the table that a write changes.
func overlap(store, resource string) bool {
	kind, tables, ok := strings.Cut(store, ":")
	return ok && slices.ContainsFunc(strings.Split(tables, ","), func(t string) bool { return kind+":"+t == resource })
}
