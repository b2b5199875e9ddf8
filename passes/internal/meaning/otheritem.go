package meaning

import (
	"slices"

	"github.com/fencevet/fencevet/passes/internal/term"
)

// A transaction may ask for the version of one thing and write another. As all is refused
// where one is, that is as good as a condition on what is written, if the transaction writes
// what it asks for as well: that moves the version.

// asksOthers leaves Item in those guards of a transaction that ask for the version of what
// none of its writes changes; keys is what these are of, all of them where seen is true.
func (r *Reader) asksOthers(guards []Guard, keys []*term.T, seen bool) {
	for i, g := range guards {
		if g.Item != nil && g.Op == "version" && (!seen || slices.ContainsFunc(keys, func(k *term.T) bool { return r.Pool.Alike(k, g.Item) })) {
			guards[i].Item = nil
		}
	}
}

func keysOf(writes []*Change) []*term.T {
	var out []*term.T
	for _, c := range writes {
		if c.Key != nil {
			out = append(out, c.Key)
		}
	}
	return out
}
