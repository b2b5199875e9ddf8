package records

import (
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// asked adds to the ruling on an unconditional write what was asked before it.
// A row that was read under a row lock stays as it was until the transaction
// ends; anything else can change between the question and the write.
func (j *judge) asked(x summary.Effect, c *meaning.Change, r ruling) ruling {
	if x.Batch == summary.Watched && r.cond == lock.Version {
		if h, ok := j.watched(x); ok {
			return h
		}
		if r, ok := j.watchesOther(x, c); ok {
			return r
		}
		if j.readUnwatched(x, c) {
			return ruling{cond: lock.None, fault: "what is stored was made of what had been read before the key was watched, so that what somebody has written in between is lost"}
		}
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
	if j.workedOut(c) {
		return ruling{cond: lock.Transaction, note: "worked out of what was read under a row lock of the same transaction", own: true}
	}
	for _, a := range x.Asked {
		if j.aboutLock(a, c) {
			r.fault = "what was read is compared in Go first and written second: the lock can change hands in between"
			return r
		}
	}
	return r
}

// watched rules on a batch that fails where the lock's own key has changed. The key has to
// be compared after it is watched: it may have changed before. ok is false where there is
// another reason to rule by.
func (j *judge) watched(x summary.Effect) (r ruling, ok bool) {
	key := j.lock.Key
	if key == nil || j.lock.Family != "redis" {
		return ruling{}, false
	}
	own := func(t *term.T) bool { return j.e.Pool.Alike(t, key) }
	compared := slices.ContainsFunc(x.Asked, func(a summary.Asked) bool {
		return a.Op == "=" && a.Incoming != nil && j.isOwnerValue(a.Incoming) && a.Read.Any(own)
	})
	switch watches := slices.ContainsFunc(x.Watched, own); {
	case compared && watches:
		if r, ok := j.sharedOwner(j.lock.Value); ok {
			return r, true
		}
		return ruling{cond: lock.Owner, note: "in a transaction that fails where the lock's key has changed", own: true}, true
	case compared && len(x.Watched) == 0:
		return ruling{cond: lock.Unknown, note: "whether the lock's key is watched is out of sight"}, true
	case watches && len(x.Watched) == 1 && !slices.ContainsFunc(x.Asked, func(a summary.Asked) bool { return a.Read.Any(own) }):
		return ruling{cond: lock.None, fault: "the lock's key is watched, but nobody asks whose it is by then"}, true
	}
	return ruling{}, false
}

// watchesOther rules on a transaction that watches other keys than those it writes. What is
// watched then changes only by somebody else's doing.
func (j *judge) watchesOther(x summary.Effect, c *meaning.Change) (r ruling, ok bool) {
	known := func(t *term.T) bool {
		return t.Kind != term.Unknown && t.Kind != term.Join && t.Kind != term.List && !j.e.Reader.Reads(t)
	}
	if len(x.Watched) == 0 || c.Key == nil || !known(c.Key) {
		return ruling{}, false
	}
	for _, w := range x.Watched {
		if !known(w) || j.lock.Key != nil && j.e.Pool.Alike(w, j.lock.Key) || j.writtenHere(w) {
			return ruling{}, false
		}
	}
	if slices.ContainsFunc(x.Watched, func(w *term.T) bool { return len(words(w)) == 0 || w.Pattern() == c.Key.Pattern() }) || len(words(c.Key)) == 0 {
		return ruling{cond: lock.Unknown, note: "whether the key that is watched is the one that is written is out of sight"}, true
	}
	return ruling{cond: lock.None, fault: "what is watched is another key, which this transaction does not write: it fails for nobody who writes the same"}, true
}

// writtenHere reports whether a call of the section writes what has a key.
func (j *judge) writtenHere(key *term.T) bool {
	return slices.ContainsFunc(j.st.Effects, func(x summary.Effect) bool {
		return x.Call != nil && x.Open == summary.Closed && slices.ContainsFunc(j.e.Reader.Of(x.Call), func(m meaning.Meaning) bool {
			return m.Role == meaning.Write && m.Write.Key != nil && j.e.Pool.Alike(m.Write.Key, key)
		})
	})
}

// readUnwatched reports whether what a transaction stores was made of what had been read
// from the same key before that was watched.
func (j *judge) readUnwatched(x summary.Effect, c *meaning.Change) bool {
	if c.Key == nil {
		return false
	}
	early, late := false, false
	read := func(q *term.T) bool {
		if q.Kind != term.Call || !slices.ContainsFunc(j.e.Reader.Of(q), func(m meaning.Meaning) bool {
			return m.Role == meaning.Query && m.Key != nil && j.e.Pool.Alike(m.Key, c.Key)
		}) {
			return false
		}
		if slices.ContainsFunc(j.st.Effects, func(y summary.Effect) bool { return y.Call != nil && y.Batch != summary.Alone && y.Call.SameCall(q) }) {
			late = true
		} else {
			early = true
		}
		return late
	}
	for _, s := range append(slices.Clip(c.Sets), meaning.Setting{Value: c.Value}) {
		if s.Value != nil && s.Value.Any(read) {
			break
		}
	}
	return early && !late
}

// within reports whether a read goes through a transaction, or through the part of
// it that it has its reading methods from.
func (j *judge) within(read, tx *term.T) bool {
	return j.e.Pool.Alike(read, tx) || read.Kind == term.Field && j.e.Pool.Alike(read.Args[0], tx) || tx.Kind == term.Field && j.e.Pool.Alike(tx.Args[0], read)
}

// heldRow rules on a write after a comparison of what stays as it is until the
// transaction ends. A comparison of the token is as good as the same one in the
// statement; any other makes the write conditional on what was read.
func (j *judge) heldRow(a summary.Asked, stored bool) ruling {
	const note = "compared under a row lock of the same transaction"
	held := ruling{cond: lock.Transaction, note: note, own: true}
	if a.Incoming == nil {
		return held
	}
	column := columnOf(j.e.Reader, a.Read)
	g := meaning.Guard{Column: column, Op: a.Op, Value: a.Incoming, Stored: stored, AsText: a.Incoming.IsText()}
	r, strange := j.foreign(a.Incoming)
	if !strange {
		r, strange = j.anew(g, &meaning.Change{})
	}
	if strange && r.cond == lock.None {
		return r
	}
	if tok, ok := j.token(a.Incoming); !j.isOwnerValue(a.Incoming) && (!ok || tok.Origin == "" && !tok.Ordered) {
		if engine.FenceName(column) && (a.Incoming.Kind == term.Const || a.Incoming.Kind == term.Global) {
			return ruling{cond: lock.None, fault: "what is compared with " + column + " is no token: it is the same for every holder"}
		}
		if engine.FenceName(column) && !j.e.Reader.Reads(a.Incoming) && a.Incoming.Any(func(t *term.T) bool { return t.Kind == term.Param }) {
			return ruling{cond: lock.Unknown, note: "whether what is compared is a token of this lock is out of sight", own: true}
		}
		return held
	}
	r = j.compare(g, &meaning.Change{})
	r.own = true
	if r.cond == lock.Token {
		r.note = note
	}
	return r
}

// stores reports whether a write, or another of the same batch, stores what was
// compared where it was read from.
func (j *judge) stores(x summary.Effect, c *meaning.Change, a summary.Asked) bool {
	v := a.Incoming
	if v == nil {
		return false
	}
	column := columnOf(j.e.Reader, a.Read)
	if slices.ContainsFunc(c.Sets, func(s meaning.Setting) bool {
		return j.e.Pool.Alike(s.Value, v) && (column == "" || s.Column == "" || sameName(s.Column, column))
	}) {
		return true
	}
	return x.Batch == summary.Watched && slices.ContainsFunc(j.st.Effects, func(o summary.Effect) bool {
		return o.Batch == summary.Watched && o.Call != nil && (o.At.Position == x.At.Position || meaning.Receiver(o.Call) == meaning.Receiver(x.Call)) && o.Call.Any(func(t *term.T) bool { return j.e.Pool.Alike(t, v) })
	})
}

// workedOut reports whether all that a write stores comes of reads that are kept until its
// transaction ends: whoever comes late works with what is there by then. What else it stores
// may have been decided long before.
func (j *judge) workedOut(c *meaning.Change) bool {
	saved := savedRecord(c.Call)
	var values []*term.T
	if saved != nil {
		values = append(values, saved)
	}
	for _, s := range c.Sets {
		if s.Value == nil {
			return false // it is not known what
		}
		values = append(values, s.Value)
	}
	found := false
	for _, v := range values {
		if v.Any(func(t *term.T) bool { _, token := j.token(t); return token }) {
			return false // judged by how that is compared
		}
		queries := j.e.Reader.Queries(v)
		for _, q := range queries {
			same := engine.Overlap(q.Store, c.Resource) || c.Resource == c.Store && ofRecord(v, c.Call)
			if !same || !j.keeps(q, v, c) {
				return false
			}
		}
		found = found || len(queries) > 0
		if len(queries) == 0 && v.Kind != term.Const && !(saved != nil && ofItself(v)) {
			return false
		}
	}
	return found
}

// savedRecord is the record that a call, or a link before it, is given to save as it was
// read, but for what was changed in it; nil where it is given none.
func savedRecord(call *term.T) *term.T {
	for link := call; link != nil; link = meaning.Receiver(link) {
		for _, record := range meaning.Args(link) {
			for x, _, _, changed := record.Changed(); changed; x, _, _, changed = x.Changed() {
				record = x
			}
			if record.Kind == term.Out {
				return record
			}
		}
	}
	return nil
}

// ofItself reports whether a field of a record is changed to what is worked out of what it
// was.
func ofItself(v *term.T) bool {
	return v.Any(func(t *term.T) bool { return t.Kind == term.Unknown && t.Name == "loop" })
}

// ofRecord reports whether a value is, or is worked out of, the record that a call is given
// to save: the type of that names the table.
func ofRecord(v, call *term.T) bool {
	record := savedRecord(call)
	return record != nil && v.Any(func(t *term.T) bool { return t == record })
}

// kept reports whether a value was read under a row lock that the transaction of c
// holds, from the table that c changes, or as the record that c saves.
func (j *judge) kept(t *term.T, c *meaning.Change) bool {
	return slices.ContainsFunc(j.e.Reader.Queries(t), func(q meaning.Meaning) bool {
		return (engine.Overlap(q.Store, c.Resource) || saves(c.Call, t)) && j.keeps(q, t, c)
	})
}

// keeps reports whether what a read brings stays as it is until the transaction of c ends. A
// serializable transaction keeps all that it reads.
func (j *judge) keeps(q meaning.Meaning, t *term.T, c *meaning.Change) bool {
	if len(q.Locked) > 0 && !engine.Overlap("sql:"+strings.Join(q.Locked, ","), c.Resource) && !j.e.Serializable(q.On) {
		return false // the rows of another table are locked
	}
	if q.On == nil || !q.Keeps && !j.e.Serializable(q.On) || j.e.HandleKind(c.Call, c.On) != "tx" || !j.within(q.On, c.On) {
		return false
	}
	return !j.overSince(t, c)
}

// saves reports whether a call is given the record that a value was read from.
func saves(call, t *term.T) bool {
	for t.Kind == term.Field {
		t = t.Args[0]
	}
	return t.Kind == term.Out && call != nil && call.Any(func(x *term.T) bool { return x == t })
}

// overSince reports whether the transaction of c's kind in which a value was read is
// committed before c is written: that is in another one, begun by the same call.
func (j *judge) overSince(read *term.T, c *meaning.Change) bool {
	seen, over := false, false
	for _, x := range j.st.Effects {
		switch {
		case x.Call == nil || x.Open != summary.Closed:
		case read.Any(func(t *term.T) bool { return t == x.Call }):
			seen, over = true, false
		case seen && j.e.Commits(x, c.On):
			over = true
		case over && x.Call == c.Call:
			return true
		}
	}
	return false
}

// aboutLock reports whether a question before the change c is whether the lock, or
// the version of what c changes, is still the same; other questions are business,
// and so is the version of something else. Who holds the record that is the lock is asked
// where it is taken.
func (j *judge) aboutLock(a summary.Asked, c *meaning.Change) bool {
	ours := func(t *term.T) bool {
		if j.isOwnerValue(t) {
			return true
		}
		tok, ok := j.token(t)
		return ok && tok.Origin == "" && (tok.Handle != nil || tok.Ordered)
	}
	if held := j.lock.Held; held != "" && a.Read.Any(func(t *term.T) bool { return t.Kind == term.Field && t.Name == held }) {
		return false
	}
	if a.Incoming != nil && ours(a.Incoming) || a.Read.Any(func(t *term.T) bool { return t != a.Read && ours(t) }) {
		return true
	}
	name := columnOf(j.e.Reader, a.Read)
	if !versionColumn(name) && !engine.FenceName(name) {
		return false
	}
	if a.Incoming != nil && a.Incoming.Kind == term.Const && !engine.FenceName(name) {
		return false // how far something has come, not who came last
	}
	queries := j.e.Reader.Queries(a.Read)
	return len(queries) == 0 || slices.ContainsFunc(queries, func(q meaning.Meaning) bool { return q.Store == "" || engine.Overlap(q.Store, c.Resource) })
}

// sameName reports whether two names are one, as a column and as a field in Go.
func sameName(a, b string) bool {
	plain := func(s string) string { return strings.ReplaceAll(s, "_", "") }
	return strings.EqualFold(plain(a), plain(b))
}

// nullable has the fields by which types that may be NULL (sql.NullInt64) have their
// value: what is read there is the column that the whole was read from.
var nullable = []string{"Int64", "Int32", "Int16", "Byte", "Float64", "String", "StringVal", "Time", "V", "Int"}

// columnOf names what was read: a field, an element by name, a column.
func columnOf(r *meaning.Reader, t *term.T) string {
	switch t.Kind {
	case term.Field:
		if slices.Contains(nullable, t.Name) {
			if column := columnOf(r, t.Args[0]); column != "" || t.Args[0].Kind == term.Out {
				return column
			}
		}
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
