package term

import (
	"slices"
	"strings"
)

// When is with where x is not zero, else without.
func (p *Pool) When(x, with, without *T) *T {
	if with == without {
		return with
	}
	return p.Op(opWhen, x, with, without)
}

// There is whether x is something, as a context tells of a value that it may carry.
func (p *Pool) There(x *T) *T { return p.Op(opThere, x) }

// Asked is the value of which There tells; ok is false for other terms.
func (t *T) Asked() (x *T, ok bool) {
	if t.Kind != Op || t.Name != opThere {
		return nil, false
	}
	return t.Args[0], true
}

// Extends reports whether t is a chain of method calls that begins with root.
func Extends(t, root *T) bool {
	for t.Kind == Call && strings.HasPrefix(t.Name, "(") && len(t.Args) > 0 {
		if t = t.Args[0]; t == root {
			return true
		}
	}
	return false
}

// Grows reports whether t is the text or the list root with more behind it, or a struct of
// which that is so of some fields.
func Grows(t, root *T) bool {
	switch {
	case t == root:
		return false
	case t.Kind == Const && root.Kind == Const && t.Type == "string" && root.Type == "string":
		return root.Name != "" && strings.HasPrefix(t.Name, root.Name)
	case t.Kind == List && root.Kind == List:
		return len(root.Args) < len(t.Args) && slices.Equal(t.Args[:len(root.Args)], root.Args)
	case t.Kind == Op && (t.Name == "+" || t.Name == opAppend) && len(t.Args) == 2:
		return t.Args[0] == root || Grows(t.Args[0], root)
	case t.Kind == Struct && root.Kind == Struct && t.Type == root.Type && !t.IsMap():
		// A builder of the project's own, by value.
		return !slices.ContainsFunc(root.Names, func(name string) bool {
			i := slices.Index(t.Names, name)
			return i < 0 || t.Args[i] != root.Args[slices.Index(root.Names, name)] && !Grows(t.Args[i], root.Args[slices.Index(root.Names, name)])
		})
	}
	return false
}

// Cases takes a When apart; ok is false for other terms.
func (t *T) Cases() (x, with, without *T, ok bool) {
	if t.Kind != Op || t.Name != opWhen {
		return nil, nil, nil, false
	}
	return t.Args[0], t.Args[1], t.Args[2], true
}
