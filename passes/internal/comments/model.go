package comments

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"
	"time"

	"github.com/fencevet/fencevet/passes/directive"
	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/spell"
)

// resolve puts positions (arg1, result0) in place of the names of parameters and
// results, and the defaults that follow from the signature. What it returns has
// a meaning without the function.
func resolve(d directive.Directive, fn *types.Func) (string, error) {
	v := &values{sig: fn.Signature(), name: fn.Name()}
	full := directive.Directive{Kind: d.Kind, Values: []directive.Value{{Name: "library", Text: fn.Pkg().Name()}}}
	set := func(name, text string) {
		if text != "" {
			full.Values = append(full.Values, directive.Value{Name: name, Text: text})
		}
	}
	for _, x := range d.Values {
		text, err := v.value(d.Kind, x)
		if err != nil {
			return "", err
		}
		set(x.Name, text)
	}
	none := func(name string) bool { return d.Get(name) == "" }
	switch d.Kind {
	case directive.Acquire:
		if none("handle") {
			set("handle", v.held(&full))
		}
		if none("handle") && none("key") && full.Get("handle") == "" && full.Get("runs") == "" {
			return "", fmt.Errorf("nothing stands for the lock that %s takes: say key= or handle=", fn.Name())
		}
	case directive.Release:
		if none("handle") {
			set("handle", v.given(!none("key")))
		}
		if none("key") && full.Get("handle") == "" {
			return "", fmt.Errorf("nothing stands for the lock that %s gives back: say key= or handle=", fn.Name())
		}
		if r := v.result(); r != "" && d.Get("checked") != "false" {
			set("told", r)
		}
	case directive.Token:
		if v.sig.Results().Len() == 0 {
			return "", fmt.Errorf("%s has no result that could be a token", fn.Name())
		}
		if none("of") {
			set("of", v.given(false))
		}
	case directive.Conditional:
		if none("token") && none("version") && none("owner") && d.Get("unique") != "true" {
			return "", fmt.Errorf("which condition? Say token=, version=, owner= or unique=true")
		}
		set("reject", v.refusal())
		if none("store") {
			set("store", v.owner())
		}
	}
	return full.String(), nil
}

// values finds values of a function.
type values struct {
	sig  *types.Signature
	name string
}

// value is a setting with its position in place of a name.
func (v *values) value(kind directive.Kind, x directive.Value) (string, error) {
	for _, s := range directive.Settings[kind] {
		if s.Name == x.Name && s.Words != nil {
			return x.Text, nil
		}
	}
	if x.Name == "store" {
		return x.Text, nil
	}
	if x.Name == "ttl" && x.Text[0] >= '0' && x.Text[0] <= '9' {
		if d, err := time.ParseDuration(x.Text); err != nil || d <= 0 {
			return "", fmt.Errorf("bad duration ttl=%s: want one such as 30s, or the name of a parameter", x.Text)
		}
		return x.Text, nil
	}
	base, path, _ := strings.Cut(x.Text, ".")
	at, t, err := v.find(base)
	if err != nil {
		return "", fmt.Errorf("%s=%s: %w", x.Name, x.Text, err)
	}
	if path == "" {
		return at, nil
	}
	for _, field := range strings.Split(path, ".") {
		if s, ok := t.Underlying().(*types.Pointer); ok {
			t = s.Elem()
		}
		if types.IsInterface(t) {
			return "", fmt.Errorf("%s=%s: %s is an interface, which has no fields", x.Name, x.Text, t)
		}
		obj, _, _ := types.LookupFieldOrMethod(t, true, nil, field)
		if f, ok := obj.(*types.Var); ok {
			t = f.Type()
		} else if !hasField(t, field) {
			return "", fmt.Errorf("%s=%s: %s has no field %s", x.Name, x.Text, t, field)
		}
	}
	return at + "." + path, nil
}

// hasField looks for a field of the package itself, exported or not.
func hasField(t types.Type, name string) bool {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if f.Name() == name {
			return true
		}
	}
	return false
}

// find returns the position and type of a value.
func (v *values) find(name string) (string, types.Type, error) {
	if name == "receiver" {
		if v.sig.Recv() == nil {
			return "", nil, fmt.Errorf("%s is no method", v.name)
		}
		return name, v.sig.Recv().Type(), nil
	}
	var known []string
	for _, list := range []struct {
		kind string
		vars *types.Tuple
	}{{"arg", v.sig.Params()}, {"result", v.sig.Results()}} {
		for i := range list.vars.Len() {
			x := list.vars.At(i)
			if at := list.kind + strconv.Itoa(i); name == at || name == x.Name() || name == "result" && at == "result0" {
				return at, x.Type(), nil
			}
			if x.Name() != "" && x.Name() != "_" {
				known = append(known, x.Name())
			} else {
				known = append(known, list.kind+strconv.Itoa(i))
			}
		}
	}
	if r := v.sig.Recv(); r != nil {
		if r.Name() == name {
			return "receiver", r.Type(), nil
		}
		known = append(known, "receiver")
	}
	return "", nil, fmt.Errorf("%s has no parameter or result of that name%s: it has %s", v.name, spell.Meant(name, known), strings.Join(known, ", "))
}

// held is what stands for a lock that the function takes.
func (v *values) held(d *directive.Directive) string {
	if v.sig.Results().Len() > 0 {
		t := v.sig.Results().At(0).Type()
		_, basic := t.Underlying().(*types.Basic)
		_, function := t.Underlying().(*types.Signature)
		if !basic && !function && !isError(t) && !strings.HasPrefix(d.Get("token"), "result0") {
			return "result0"
		}
	}
	return v.receiver()
}

// given is what stands for a lock that the function is told.
func (v *values) given(keyed bool) string {
	if r := v.receiver(); r != "" || keyed {
		return r
	}
	for i := range v.sig.Params().Len() {
		if t := v.sig.Params().At(i).Type(); t.String() != "context.Context" {
			return "arg" + strconv.Itoa(i)
		}
	}
	return ""
}

func (v *values) receiver() string {
	if v.sig.Recv() == nil {
		return ""
	}
	return "receiver"
}

// owner names what the function writes, where nothing else does.
func (v *values) owner() string {
	if r := v.sig.Recv(); r != nil {
		t := r.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if n, ok := types.Unalias(t).(*types.Named); ok {
			return n.Obj().Name()
		}
	}
	return v.name
}

// result is where the function says that it failed.
func (v *values) result() string {
	if v.sig.Results().Len() == 0 {
		return ""
	}
	return "result" + strconv.Itoa(v.sig.Results().Len()-1)
}

// refusal is how the function says that the resource refused.
func (v *values) refusal() string {
	n := v.sig.Results().Len()
	for i := range n {
		if b, ok := v.sig.Results().At(i).Type().Underlying().(*types.Basic); ok && b.Info()&types.IsBoolean != 0 {
			return "bool"
		}
	}
	if n > 0 && isError(v.sig.Results().At(n-1).Type()) {
		return "error"
	}
	return "none"
}

func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// Entry is the catalogue entry that resolve has written; nil where the text makes
// no sense.
func Entry(model, at string) *catalog.Call {
	d, ok := parse(model)
	if !ok {
		return nil
	}
	c := &catalog.Call{
		Pos: at, Declared: model,
		Library: &catalog.Library{Library: d["library"], Family: "declared " + d["library"], Locks: true},
	}
	ref := func(name string) catalog.Ref {
		r, _ := catalog.ParseRef(spaced(d[name]))
		return r
	}
	yes := func(name string) bool { return d[name] == "true" }
	switch d["directive"] {
	case string(directive.Acquire):
		a := &catalog.Acquire{
			Kind: "lease", Handle: ref("handle"), Key: ref("key"), TTL: ref("ttl"), Value: ref("owner"),
			Release: ref("release"), Section: ref("runs"), Try: yes("try"),
		}
		if d["kind"] != "" {
			a.Kind = d["kind"]
		}
		if yes("renewed") {
			a.Renewal = "library"
		}
		if _, err := time.ParseDuration(d["ttl"]); err == nil {
			a.TTLDefault = d["ttl"]
		}
		a.TTLNone = a.Kind != "lease"
		c.Acquire = a
		if at := ref("token"); !at.IsZero() {
			c.Token = &catalog.Token{Of: a.Handle, At: at, Ordered: true, Reason: declaredToken}
		}
	case string(directive.Release):
		c.Release = &catalog.Release{Handle: ref("handle"), Key: ref("key"), Value: ref("owner"), Checked: d["checked"] != "false", Result: ref("told")}
	case string(directive.Token):
		c.Token = &catalog.Token{Of: ref("of"), Ordered: true, Reason: declaredToken}
	case string(directive.Conditional):
		w := &catalog.Write{Store: d["store"], Reject: d["reject"]}
		if r := ref("resource"); !r.IsZero() {
			w.Resource = []catalog.Ref{r}
		}
		add := func(name string, k catalog.Carrier) {
			if k.At = ref(name); !k.At.IsZero() || yes(name) {
				w.Conditions = append(w.Conditions, &k)
			}
		}
		add("token", catalog.Carrier{Kind: "token"})
		add("version", catalog.Carrier{Kind: "version", Compare: "equal"})
		add("owner", catalog.Carrier{Kind: "owner"})
		add("unique", catalog.Carrier{Kind: "unique"})
		c.Write = w
	}
	return c
}

const declaredToken = "declared to be a fencing token where the function is declared"

// parse reads what resolve has written: library, told and reject are its own
// additions.
func parse(model string) (map[string]string, bool) {
	words := strings.Fields(strings.TrimPrefix(model, directive.Prefix))
	if len(words) == 0 || !directive.Kind(words[0]).Models() {
		return nil, false
	}
	d := map[string]string{"directive": words[0]}
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w, "=")
		d[key] = value
	}
	return d, true
}

// spaced writes arg1.Key as the catalogue does: arg 1.Key.
func spaced(ref string) string {
	for _, kind := range []string{"arg", "result"} {
		if n, ok := strings.CutPrefix(ref, kind); ok {
			return kind + " " + n
		}
	}
	return ref
}
