package catalog

import (
	"go/types"
	"slices"
	"strings"
	"unicode"
)

// paired leaves out the entries that are about the halves of a lock service where
// the method is none, and all others where it is.
func paired(list []*Call, fn *types.Func) []*Call {
	if !slices.ContainsFunc(list, func(c *Call) bool { return c.Pair != nil }) {
		return list
	}
	var plain []*Call
	for _, c := range list {
		if c.Pair == nil {
			plain = append(plain, c)
		} else if c.Pair.holds(fn) {
			return []*Call{c}
		}
	}
	return plain
}

// holds reports whether a method is the half that the entry is about of a client
// that has the other half as well.
func (p *Pair) holds(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	if recv == nil {
		return false
	}
	mine, other := p.Take, p.Free
	if p.Is == "free" {
		mine, other = other, mine
	}
	if !slices.Contains(mine, fn.Name()) {
		return false
	}
	for _, name := range other {
		obj, _, _ := types.LookupFieldOrMethod(recv.Type(), true, fn.Pkg(), name)
		partner, ok := obj.(*types.Func)
		if !ok {
			continue
		}
		take := fn
		if p.Is == "free" {
			take = partner
		}
		return p.leases(take.Signature())
	}
	return false
}

// leases reports whether a request says how long it is for, and who makes it.
func (p *Pair) leases(sig *types.Signature) bool {
	if sig.Params().Len() < 2 {
		return false
	}
	until, whose := false, false
	fieldsOf(sig.Params().At(1).Type(), 2, func(name string) {
		until = until || hasWord(name, p.Until)
		whose = whose || hasWord(name, p.Whose)
	})
	return until && whose
}

// fieldsOf visits the exported fields of a struct, and of the structs in them.
func fieldsOf(t types.Type, depth int, visit func(name string)) {
	st, ok := element(t).Underlying().(*types.Struct)
	if !ok || depth == 0 {
		return
	}
	for f := range st.Fields() {
		if f.Exported() {
			visit(f.Name())
			fieldsOf(f.Type(), depth-1, visit)
		}
	}
}

// hasWord reports whether a name in mixed case has one of the words.
func hasWord(name string, words []string) bool {
	start := 0
	for i, r := range name {
		if i > start && unicode.IsUpper(r) && !unicode.IsUpper(rune(name[i-1])) {
			if slices.Contains(words, strings.ToLower(name[start:i])) {
				return true
			}
			start = i
		}
	}
	return slices.Contains(words, strings.ToLower(name[start:]))
}
