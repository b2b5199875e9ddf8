package meaning

import (
	"os"
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// carried reads one condition carrier; ok is false when it is not set.
func (r *Reader) carried(k *catalog.Carrier, call *term.T, words []*term.T) (Guard, bool) {
	switch k.Kind {
	case "body":
		return r.body(r.Get(k.At, call, words))
	case "script":
		v := r.Get(k.At, call, words)
		return Guard{Op: "other", Value: v, Text: "a script of the store"}, v.Any(func(t *term.T) bool { return strings.Contains(t.Pattern(), `"script"`) })
	}
	g := Guard{Op: "version", Text: k.Kind}
	if !k.At.IsZero() {
		v := r.Get(k.At, call, words)
		if k.Compare == "index" && v.IsZero() {
			return Guard{Op: "absent", Text: k.Kind}, r.isSet(k.At, call, words)
		}
		maybe := false
		if v != nil && v.Kind == term.Join {
			set := slices.DeleteFunc(slices.Clone(v.Args), (*term.T).IsZero)
			some := len(set) < len(v.Args)
			// Where nothing stands for "not there yet", that is a condition as well.
			maybe = some && k.Compare != "index"
			if some && len(set) == 1 {
				v = set[0]
			}
		}
		if v.IsZero() || k.Is != "" && v.Kind == term.Const && !strings.EqualFold(v.Name, k.Is) && !hasFlag(v, k.Is) {
			return g, false
		}
		if len(k.At.Path) > 0 && !r.isSet(k.At, call, words) || k.Is != "" && v.Kind != term.Const {
			return Guard{Op: "other", Value: v, Text: "options out of sight"}, true
		}
		g.Value, g.Maybe = v, maybe
	}
	switch k.Kind {
	case "unique":
		g.Op = "absent"
	case "name":
		g.Op = "named"
	case "owner":
		g.Op = "owner"
	case "expression", "filter", "builder", "selected", "options":
		g.Op = "other"
	case "version":
		if anyVersion(g.Value) {
			return Guard{Op: "other", Text: "any version will do"}, len(g.Value.Alts()) > 1
		}
		switch k.Compare {
		case "absent":
			g.Op = "absent"
		case "present":
			g.Op = "present"
		case "less":
			g.Op, g.Stored = "<", true
		}
	case "token":
		g.Op, g.Stored, g.Column = "<", true, "fencing_token"
	}
	return g, true
}

// headerGuard reads a header that makes a request conditional; any other is
// "sent", and what it is for is out of sight.
func headerGuard(name string, value *term.T) Guard {
	g := Guard{Op: "sent", Value: value, Text: name}
	switch l := strings.ToLower(name); {
	case l == "if-match" && anyVersion(value):
		if len(value.Alts()) > 1 {
			return Guard{Op: "other", Text: "any version will do"}
		} // else it refuses nothing that a stale holder sends
	case l == "if-match", l == "if-unmodified-since", l == "x-goog-if-generation-match":
		g.Op = "version"
	case l == "if-none-match" && constText(value) == "*":
		g.Op = "absent"
	}
	return g
}

// anyVersion reports whether what is demanded of a version may be that there is one.
func anyVersion(value *term.T) bool {
	return slices.ContainsFunc(value.Alts(), func(a *term.T) bool { return constText(a) == "*" })
}

// isSet reports whether an option field is known to be set: its struct is in
// sight, or is itself what was read from the resource, versions and all.
func (r *Reader) isSet(at catalog.Ref, call *term.T, words []*term.T) bool {
	if v := r.Get(at, call, words); v != nil && v.Kind == term.Unknown {
		return false
	}
	at.Path = at.Path[:len(at.Path)-1]
	options := r.Get(at, call, words)
	for _, a := range options.Alts() {
		if a.Kind != term.Struct && a.Kind != term.Nil && !r.Reads(a) {
			return false
		}
	}
	return true
}

// hasFlag reports whether a constant has the bits that "&NAME" stands for.
// Their values are those of the platform that fencevet runs on.
func hasFlag(t *term.T, name string) bool {
	n, ok := t.Int()
	return ok && name == "&O_EXCL" && n&int64(os.O_EXCL) != 0
}
