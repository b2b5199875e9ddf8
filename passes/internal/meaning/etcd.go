package meaning

import (
	"slices"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// KeyAbsent is evidence that a key must not be there, whoever put it there.
const KeyAbsent = "key absent"

// IsOwner is the text of a guard that asks a lock object, its Value, whether it is held.
const IsOwner = "IsOwner"

// isTxn reports whether a call commits a chain with an If.
func (r *Reader) isTxn(call *term.T) bool {
	for t := Receiver(call); t != nil; t = Receiver(t) {
		if e := r.Entry(t); e == nil || e.Part == nil {
			return false
		} else if e.Part.Kind == "if" || e.Part.Kind == "then" {
			return true
		}
	}
	return false
}

// txn reads an etcd transaction: the compares of If guard every operation of
// Then. "Key absent" with a leased Put of that key is a lock; without a lease
// it is create-once.
func (r *Reader) txn(e *catalog.Call, call *term.T) []Meaning {
	lib := e.Library
	var cmps, ops, others []*term.T
	cmpsUnseen, opsUnseen, varies := false, false, false
	var client *term.T
	for t := Receiver(call); t != nil; t = Receiver(t) {
		e := r.Entry(t)
		if e == nil || e.Part == nil {
			client = t
			break
		}
		args := r.Get(e.Part.Args, t, nil)
		switch e.Part.Kind {
		case "if":
			sure := surely(args)
			cmps, cmpsUnseen = append(cmps, sure...), cmpsUnseen || partly(args) || len(sure) < len(collect(nil, args))
			// Compared in one way or another: a store with optimistic
			// concurrency of the project's own, whose callers decide.
			varies = varies || args.Any(func(t *term.T) bool { return t.Kind == term.Join })
		case "then":
			ops, opsUnseen = collect(ops, args), opsUnseen || partly(args)
		case "else":
			others = collect(others, args)
		}
	}
	var guards []Guard
	var absent *term.T
	for _, c := range cmps {
		g := r.compareOp(c)
		if g.Op == "absent" && absent == nil {
			absent = g.Value
		}
		guards = append(guards, g)
	}
	if cmpsUnseen {
		guards = append(guards, Guard{Op: "other", Text: "compare out of sight"})
	}
	for _, op := range ops {
		if args := Args(op); methodName(op.Name) == "OpPut" && len(args) > 1 {
			for i := range guards {
				if guards[i].Column == "Value "+args[0].Pattern() {
					r.settle(&guards[i], args[1])
				}
			}
		}
	}
	var keys []*term.T
	for _, op := range ops {
		if args := Args(op); len(args) > 0 {
			keys = append(keys, args[0])
		}
	}
	r.asksOthers(guards, keys, !opsUnseen)
	var ms []Meaning
	for _, op := range others { // what is done where the compares do not hold
		name := methodName(op.Name)
		if args := Args(op); (name == "OpPut" || name == "OpDelete") && len(args) > 0 {
			m := r.base(lib, Write)
			m.Write = &Change{Store: "etcd", Operation: name[2:], Resource: place("etcd", args[0]), Key: args[0], On: client, Reject: "succeeded", Leased: r.leaseOf(op) != nil, Call: call}
			for _, v := range args[1:] {
				m.Write.Sets = append(m.Write.Sets, Setting{Value: v})
			}
			ms = append(ms, m)
		}
	}
	for _, op := range ops {
		name := methodName(op.Name)
		if name != "OpPut" && name != "OpDelete" {
			continue
		}
		args := Args(op)
		if len(args) == 0 {
			continue
		}
		key := args[0]
		lease := r.leaseOf(op)
		if name == "OpPut" && absent != nil && !varies && lease != nil && r.Pool.Alike(absent, key) && !r.Ticket(key) {
			m := r.base(lib, Acquire)
			m.Kind, m.Key, m.Parent, m.Try, m.Counts = lock.Session, key, lease, true, true
			m.TTL = r.grant(lease)
			m.Stays = true // a client that has lost its lease can still delete the key, which the next holder has by then
			if e.Acquire != nil {
				m.Success = e.Acquire.Success
			}
			m.Evidence = []string{KeyAbsent, "bound to a lease"}
			ms = append(ms, m)
		}
		if h := ownKey(key); name == "OpDelete" && h != nil && len(guards) == 1 && guards[0].Op == "owner" && r.Pool.Alike(h, guards[0].Value) {
			// The mutex is given back by a transaction: whoever lost it deletes nothing.
			m := r.base(lib, Release)
			m.Handle, m.Checked = h, true
			ms = append(ms, m)
			continue
		}
		c := &Change{Store: "etcd", Operation: name[2:], Resource: place("etcd", key), Key: key, On: client, Guards: guards, Reject: "succeeded", Leased: lease != nil, Call: call}
		for _, v := range args[1:] {
			c.Sets = append(c.Sets, Setting{Value: v})
		}
		if name == "OpPut" && len(args) > 1 {
			c.Value = args[1]
		}
		m := r.base(lib, Write)
		m.Write = c
		ms = append(ms, m)
	}
	if len(ops) == 0 && opsUnseen {
		m := r.base(lib, Write)
		m.Write = &Change{Store: "etcd", Operation: "TXN", Resource: "etcd", On: client, Guards: guards, Reject: "succeeded", Call: call}
		ms = append(ms, m)
	}
	if len(ms) == 0 && !opsUnseen && len(guards) > 0 {
		m := r.base(lib, Check)
		m.Write = &Change{Store: "etcd", Operation: "TXN", Resource: "etcd", On: client, Guards: guards, Reject: "succeeded", Call: call}
		ms = append(ms, m)
	}
	return ms
}

// Ticket reports whether nobody else can come to the same key, since a part of it was
// made on the spot: a ticket in a queue, a member of a group.
func (r *Reader) Ticket(key *term.T) bool {
	return key.Any(func(t *term.T) bool {
		if t.Kind != term.Call {
			return false
		}
		e := r.Entry(t)
		return e != nil && e.Origin != nil && e.Origin.Kind == "random" && e.Origin.Out.IsZero()
	})
}

// ownKey is the mutex or election whose own key a value is, or nil.
func ownKey(key *term.T) *term.T {
	if key.Kind == term.Call && methodName(key.Name) == "Key" && len(Args(key)) == 0 {
		return Receiver(key)
	}
	return nil
}

// collect lists the calls that make the elements of a list: given as such,
// handed on as a slice, or appended one by one.
func collect(out []*term.T, t *term.T) []*term.T {
	switch {
	case t == nil:
	case t.Kind == term.Call:
		out = append(out, t)
	case t.Kind == term.List, t.Kind == term.Op && t.Name == "append", t.Kind == term.Join:
		for _, a := range t.Args {
			out = collect(out, a)
		}
	}
	return out
}

// surely is what collect finds on every way: a compare that is appended only where a flag
// says so is left out elsewhere. Of one or the other both count.
func surely(t *term.T) []*term.T {
	var out []*term.T
	switch {
	case t == nil:
	case t.Kind == term.Call:
		out = append(out, t)
	case t.Kind == term.List, t.Kind == term.Op && t.Name == "append":
		for _, a := range t.Args {
			out = append(out, surely(a)...)
		}
	case t.Kind == term.Join:
		all := make([]*term.T, 0, len(t.Args))
		for i, a := range t.Args {
			list := surely(a)
			if len(list) == 0 {
				return nil
			}
			if all = append(all, list...); i == 0 {
				out = slices.Clone(list)
			} else {
				out = slices.DeleteFunc(out, func(c *term.T) bool { return !slices.Contains(list, c) })
			}
		}
		if len(out) == 0 {
			return all
		}
	}
	return out
}

// partly reports whether some elements of a list are out of sight.
func partly(t *term.T) bool {
	switch {
	case t == nil || t.Kind == term.Call || t.Kind == term.Nil || t.Kind == term.Const:
		return false
	case t.Kind == term.Unknown && t.Name == "loop":
		return false // the list itself, before the last append
	case t.Kind == term.List, t.Kind == term.Op && t.Name == "append", t.Kind == term.Join:
		return slices.ContainsFunc(t.Args, partly)
	}
	return true
}

// compareOp reads one compare: Compare(CreateRevision(key), "=", 0) or the
// ownership test of a mutex.
func (r *Reader) compareOp(c *term.T) Guard {
	g := Guard{Op: "other", Text: c.Text()}
	if methodName(c.Name) == "IsOwner" {
		return Guard{Op: "owner", Value: Receiver(c), Text: IsOwner}
	}
	args := Args(c)
	switch {
	case methodName(c.Name) == "KeyExists" && len(args) == 1:
		return Guard{Op: "present", Value: args[0], Text: "key present"}
	case methodName(c.Name) == "KeyMissing" && len(args) == 1:
		return Guard{Op: "absent", Value: args[0], Text: "key absent"}
	}
	if methodName(c.Name) != "Compare" || len(args) < 3 || args[0].Kind != term.Call || len(Args(args[0])) == 0 {
		return g
	}
	what, op, v := methodName(args[0].Name), constText(args[1]), args[2]
	key := Args(args[0])[0]
	g.Column, g.Value = what+" "+key.Pattern(), v
	n, isInt := v.Int()
	switch {
	case (what == "CreateRevision" || what == "ModRevision" || what == "Version") && op == "=" && isInt && n == 0:
		return Guard{Op: "absent", Value: key, Text: "key absent"}
	case (what == "CreateRevision" || what == "ModRevision" || what == "Version") && (op == ">" || op == "!=") && isInt && n == 0:
		return Guard{Op: "present", Value: key, Text: "key present"}
	case what == "CreateRevision" && op == "=":
		// The key that a lock or leader created: while it stands, nobody else holds.
		g.Op = "owner"
	case (what == "ModRevision" || what == "Version" || what == "LeaseValue") && op == "=":
		g.Op, g.Item = "version", key
	case op == "<" && (what == "CreateRevision" || what == "Version" || what == "ModRevision" && ownKey(key) != nil),
		op == "!=" && what != "Value" && ownKey(key) != nil:
		// A key that is gone has zero for all of them, and passes.
		g.Op, g.Value = "gone", key
	case what == "ModRevision" && op == "<":
		g.Op, g.Stored = "<", true // every write moves it
	case what == "Value" && op == "=":
		g.Op = "="
	case what == "Value":
		g.Op, g.AsText = op, true // byte order: "9" > "10"
	}
	return g
}

// leaseOf returns the lease that an operation binds its key to.
func (r *Reader) leaseOf(op *term.T) *term.T {
	var lease *term.T
	op.Any(func(t *term.T) bool {
		if e := r.Entry(t); e != nil && e.Option != nil && !e.Option.Lease.IsZero() {
			lease = r.Get(e.Option.Lease, t, nil)
		}
		return lease != nil
	})
	return lease
}

// grant returns the TTL that a lease was granted with.
func (r *Reader) grant(lease *term.T) lock.TTL {
	ttl := lock.TTL{Source: "unknown"}
	lease.Any(func(t *term.T) bool {
		if e := r.Entry(t); e != nil && e.New != nil && !e.New.TTL.IsZero() {
			p := props{ttl: r.Get(e.New.TTL, t, nil), unit: e.New.TTLUnit}
			ttl = p.lease(false)
			return true
		}
		return false
	})
	return ttl
}
