package meaning

import (
	"strings"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// CheckSession is the text of a guard that asks for the session which is its Value.
const CheckSession = "check-session"

// operations reads a Consul transaction: its checks guard all its writes.
func (r *Reader) operations(lib *catalog.Library, w *catalog.Write, call *term.T) []Meaning {
	ops := r.Get(w.Conditions[0].At, call, nil)
	if ops.Kind != term.List || len(ops.Args) == 0 {
		// Nobody sends a transaction in which nothing is: it is filled out of sight.
		m := r.change(lib, w, call, nil)
		m.Write.Unknown = lock.ReasonLimit
		return []Meaning{m}
	}
	var guards, taken []Guard
	var writes []*Change
	for _, op := range ops.Args {
		if op.Kind == term.Struct && len(op.Names) > 0 && op.Names[0] == "KV" {
			op = r.Pool.Field(op, "KV")
		}
		verb := constText(r.Pool.Field(op, "Verb"))
		key := r.Pool.Field(op, "Key")
		c := &Change{Store: "consul", Operation: verb, Resource: place("consul", key), Key: key, Reject: w.Reject, Call: call}
		c.Sets = []Setting{{Value: r.Pool.Field(op, "Value")}}
		switch verb {
		case CheckSession:
			guards = append(guards, Guard{Op: "owner", Value: r.Pool.Field(op, "Session"), Text: verb})
		case "check-index":
			guards = append(guards, Guard{Op: "version", Value: r.Pool.Field(op, "Index"), Item: key, Text: verb})
		case "check-not-exists":
			guards = append(guards, Guard{Op: "absent", Text: verb})
		case "cas", "delete-cas":
			c.Guards = []Guard{{Op: "version", Value: r.Pool.Field(op, "Index"), Text: verb}}
			if verb == "cas" && c.Guards[0].Value.IsZero() {
				c.Guards = []Guard{{Op: "absent", Text: verb}}
			}
			writes = append(writes, c)
		case "set", "delete", "delete-tree":
			writes = append(writes, c)
		case "lock": // refused while the key is another session's
			taken = append(taken, Guard{Op: "owner", Value: r.Pool.Field(op, "Session"), Text: verb})
		case "get", "get-tree", "get-or-empty", "unlock":
		default:
			c.Operation, c.Unknown = "Txn", lock.ReasonLimit
			writes = append(writes, c)
		}
	}
	r.asksOthers(guards, keysOf(writes), true)
	var ms []Meaning
	for _, c := range writes {
		c.Operation = "Txn " + strings.TrimPrefix(c.Operation, "Txn")
		c.Guards = append(append(c.Guards, guards...), taken...)
		m := r.base(lib, Write)
		m.Write = c
		ms = append(ms, m)
	}
	if len(writes) == 0 && len(guards) > 0 {
		m := r.base(lib, Check)
		m.Write = &Change{Store: "consul", Operation: "Txn", Resource: "consul", Guards: guards, Reject: w.Reject, Call: call}
		ms = append(ms, m)
	}
	return ms
}
