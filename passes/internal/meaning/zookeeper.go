package meaning

import (
	"strings"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// requests reads a ZooKeeper transaction, all of whose requests are carried out or
// none: what one asks for guards what the others write. A check of the node that the
// lock is asks whether it is still held, for a new holder has another.
func (r *Reader) requests(lib *catalog.Library, w *catalog.Write, call *term.T) []Meaning {
	ops := r.Get(w.Conditions[0].At, call, nil)
	if ops == nil || ops.Kind != term.List {
		return []Meaning{r.change(lib, w, call, nil)}
	}
	var guards []Guard
	var writes []*Change
	for _, op := range ops.Args {
		kind := op.Type[strings.LastIndexByte(op.Type, '.')+1:]
		if op.Kind != term.Struct || !strings.HasSuffix(kind, "Request") {
			return []Meaning{r.change(lib, w, call, nil)}
		}
		path, version := r.Pool.Field(op, "Path"), r.Pool.Field(op, "Version")
		c := &Change{Store: w.Store, Operation: w.Op + " " + strings.TrimSuffix(kind, "Request"), Resource: place(w.Store, path), Key: path, Reject: w.Reject, Call: call}
		unasked := constText(version) == "-1"
		switch kind {
		case "CheckVersionRequest":
			if r.sequential(path) {
				guards = append(guards, Guard{Op: "owner", Value: path, Text: "the lock's own node"})
			} else if !unasked {
				guards = append(guards, Guard{Op: "version", Value: version, Item: path, Text: "check"})
			}
			continue
		case "CreateRequest":
			if constText(r.Pool.Field(op, "Flags")) != "2" { // a sequential node is always another one
				guards = append(guards, Guard{Op: "absent", Text: "create"})
			}
		default:
			if !unasked {
				guards = append(guards, Guard{Op: "version", Value: version, Text: "version"})
			}
		}
		if data := r.Pool.Field(op, "Data"); kind != "DeleteRequest" {
			c.Value, c.Sets = data, []Setting{{Value: data}}
		}
		writes = append(writes, c)
	}
	r.asksOthers(guards, keysOf(writes), true)
	var ms []Meaning
	for _, c := range writes {
		c.Guards = guards
		m := r.base(lib, Write)
		m.Write = c
		ms = append(ms, m)
	}
	return ms
}

// sequential reports whether a path is what the creation of a node returned whose name
// no other holder gets.
func (r *Reader) sequential(path *term.T) bool {
	e := r.Entry(path)
	return e != nil && e.Acquire != nil && e.Token != nil
}
