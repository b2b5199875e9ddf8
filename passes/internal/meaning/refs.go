package meaning

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// isMethod reports whether a function's name is a method's, "(T).M": its call
// terms have the receiver first.
func isMethod(fn string) bool { return strings.HasPrefix(fn, "(") }

// Args returns a call's arguments without the receiver.
func Args(call *term.T) []*term.T {
	if isMethod(call.Name) && len(call.Args) > 0 {
		return call.Args[1:]
	}
	return call.Args
}

// Receiver returns a method call's receiver, or nil.
func Receiver(call *term.T) *term.T {
	if call != nil && call.Kind == term.Call && isMethod(call.Name) && len(call.Args) > 0 {
		return call.Args[0]
	}
	return nil
}

// Get returns the value that ref names in call; words are those of a Redis
// command. It is nil when there is no such value. A spread reference gives a List.
func (r *Reader) Get(ref catalog.Ref, call *term.T, words []*term.T) *term.T {
	var t *term.T
	switch ref.Base {
	case catalog.NoBase:
		return nil
	case catalog.Receiver:
		t = Receiver(call)
	case catalog.Result:
		t = call
		if ref.Index > 0 {
			t = r.Pool.Result(call, ref.Index)
		}
	case catalog.Arg:
		t = r.pick(flatten(Args(call), ref.Index), ref)
	case catalog.NameOf, catalog.TypeOf:
		t = r.generated(ref, call.Name)
	case catalog.WordAt:
		if ref.Option != "" {
			t = optionWord(words, ref.Option)
		} else {
			t = r.pick(words, ref)
		}
	}
	for _, f := range ref.Path {
		if t == nil {
			return nil
		}
		t = r.field(t, f)
	}
	return t
}

// generated is what a generated name says of the program: SetLastToken of the column
// last_token.
func (r *Reader) generated(ref catalog.Ref, fn string) *term.T {
	says := strings.TrimPrefix(methodName(fn), ref.Option)
	if ref.Base == catalog.TypeOf {
		recv, _, _ := strings.Cut(fn, ").")
		says = strings.TrimSuffix(recv[strings.LastIndexByte(recv, '.')+1:], ref.Option)
	}
	if says == "" {
		return nil
	}
	return r.Pool.Const("string", columnName(says))
}

// field is a field of t, which may be an object whose constructor is known to
// set it.
func (r *Reader) field(t *term.T, name string) *term.T {
	if e := r.Entry(t); e != nil && e.New != nil {
		for _, f := range e.New.Fields {
			if f.Name == name {
				return r.Get(f.Is, t, nil)
			}
		}
	}
	return r.Pool.Field(t, name)
}

func (r *Reader) pick(list []*term.T, ref catalog.Ref) *term.T {
	if ref.Index >= len(list) {
		return nil
	}
	if ref.Spread {
		return r.Pool.List(list[ref.Index:]...)
	}
	return list[ref.Index]
}

// flatten lists arguments with the variadic ones, which come last as one
// List, in their places. Only a reference at or past the list reaches into it.
func flatten(args []*term.T, index int) []*term.T {
	if n := len(args); n > 0 && index >= n-1 && args[n-1].Kind == term.List {
		return append(args[:n-1:n-1], args[n-1].Args...)
	}
	return args
}

func optionWord(words []*term.T, option string) *term.T {
	for i, w := range words {
		if i > 0 && i+1 < len(words) && strings.EqualFold(constText(w), option) {
			return words[i+1]
		}
	}
	return nil
}

// handle returns the value that stands for the lock: the first result unless
// the entry says otherwise. A raw command has none, its key stands for it.
func (r *Reader) handle(a *catalog.Acquire, call *term.T, words []*term.T) *term.T {
	if a.Handle.IsZero() {
		if a.Raw {
			return nil
		}
		return call
	}
	return r.Get(a.Handle, call, words)
}

// props are what constructors and options say about a lock.
type props struct {
	key, value, ttl, every, tries, parent, section *term.T
	unit, fallback, least, most                    string
	unsure                                         bool // options out of sight may say more
}

// options reads option values: calls of option functions, or a struct or
// chain that an Option entry describes.
func (r *Reader) options(p *props, list *term.T) {
	if list == nil {
		return
	}
	items := list.Alts()
	if list.Kind == term.List {
		items = list.Args
	}
	for _, o := range items {
		switch {
		case o.Kind == term.List, o.Kind == term.Join && list.Kind == term.List:
			r.options(p, o)
			continue
		case o.Kind == term.Op && (o.Name == "append" || o.Name == "slice"):
			r.options(p, r.Pool.List(o.Args...))
			continue
		case o.Kind == term.Unknown, o.Kind == term.Param:
			p.unsure = true // an option out of sight may say it
			continue
		}
		e := r.Entry(o)
		if e == nil || e.Option == nil {
			continue
		}
		if t := r.Get(e.Option.TTL, o, nil); t != nil {
			p.ttl, p.unit = t, e.Option.TTLUnit
		}
		if t := r.Get(e.Option.Every, o, nil); t != nil {
			p.every = t
		}
		if t := r.Get(e.Option.Tries, o, nil); t != nil {
			p.tries = t
		}
		if t := r.Get(e.Option.Key, o, nil); t != nil && p.key == nil {
			p.key = t
		}
		if t := r.Get(e.Option.Value, o, nil); t != nil && p.value == nil {
			p.value = t
		}
		if recv := Receiver(o); recv != nil {
			r.options(p, recv)
		}
	}
}

// constructed reads what the constructor of a lock object says.
func (r *Reader) constructed(p *props, t *term.T, depth int) {
	if t == nil || depth > 4 {
		return
	}
	for _, a := range t.Alts() {
		e := r.Entry(a)
		if e == nil {
			continue
		}
		if e.Option != nil { // a chained setter: the object is its receiver
			r.options(p, a)
			r.constructed(p, Receiver(a), depth+1)
			continue
		}
		if e.New == nil {
			continue
		}
		if k := r.Get(e.New.Key, a, nil); k != nil && p.key == nil {
			p.key = k
		}
		if v := r.Get(e.New.Value, a, nil); v != nil && p.value == nil {
			p.value = v
		}
		if p.ttl == nil {
			if d := r.Get(e.New.TTL, a, nil); d != nil {
				p.ttl, p.unit = d, e.New.TTLUnit
			}
			r.options(p, r.Get(e.New.Options, a, nil))
		}
		if p.fallback == "" {
			p.fallback = e.New.TTLDefault
		}
		if p.every == nil && e.New.Every != "" && !p.unsure {
			p.every = r.Pool.Const("duration", strconv.FormatFloat(parsed(e.New.Every)*1e9, 'f', 0, 64))
		}
		if p.least == "" {
			p.least, p.most = e.New.TTLLeast, e.New.TTLMost
		}
		if s := r.Get(e.New.Section, a, nil); s != nil && p.section == nil {
			p.section = s
		}
		parent := r.Get(e.New.Parent, a, nil)
		if p.parent == nil {
			p.parent = parent
		}
		r.constructed(p, parent, depth+1)
	}
}

// Constructed tells the key and the session or client that a constructor in the catalogue
// was given for a lock object; ok is false where it was made by no such.
func (r *Reader) Constructed(t *term.T) (key, parent *term.T, ok bool) {
	for t.Kind == term.Result {
		t = t.Args[0]
	}
	if e := r.Entry(t); e == nil || e.New == nil {
		return nil, nil, false
	}
	var p props
	r.constructed(&p, t, 0)
	return p.key, p.parent, true
}

// Sets tells the time to live that a call gives the lock object which it is made on, be it
// that it says nothing of that: then ok is false.
func (r *Reader) Sets(call *term.T) (ttl lock.TTL, ok bool) {
	var p props
	r.options(&p, call)
	return p.lease(false), p.ttl != nil
}

// Lives says how long a lease lives, with the limits of its backend, that a call
// makes by itself; ok is false where it makes none, or the backend has no limits.
func (r *Reader) Lives(call *term.T) (ttl lock.TTL, span *term.T, ok bool) {
	e := r.Entry(call)
	if e == nil || e.New == nil || e.New.TTLLeast == "" {
		return lock.TTL{}, nil, false
	}
	p := props{ttl: r.Get(e.New.TTL, call, nil), unit: e.New.TTLUnit, fallback: e.New.TTLDefault, least: e.New.TTLLeast, most: e.New.TTLMost}
	r.options(&p, r.Get(e.New.Options, call, nil))
	return p.lease(false), p.ttl, true
}

// lease renders the TTL.
func (p *props) lease(none bool) lock.TTL {
	if p.ttl == nil || p.ttl.IsZero() && p.fallback != "" {
		switch {
		case p.ttl == nil && p.unsure:
			return lock.TTL{Source: "unknown"}
		case p.fallback != "":
			d, _ := time.ParseDuration(p.fallback)
			return lock.TTL{Text: p.fallback, Seconds: d.Seconds(), Source: "default"}
		case none || p.ttl == nil:
			return lock.TTL{Source: "none"}
		}
	}
	if p.ttl.IsZero() {
		return lock.TTL{Source: "none"}
	}
	s := seconds(p.ttl, p.unit)
	if s < 0 {
		return lock.TTL{Source: "none"} // the life that the key has is kept, and a new one has no end
	}
	if s != 0 {
		return lock.TTL{Text: duration(s), Seconds: s, Source: "constant", Least: parsed(p.least), Most: parsed(p.most)}
	}
	t := lock.TTL{Text: p.ttl.Text(), Source: "unknown"}
	if p.ttl.Kind == term.Join {
		t.Text = eitherText(p.ttl, p.unit)
	}
	for t0 := p.ttl; t0 != nil; {
		switch t0.Kind {
		case term.Param:
			t.Source = "parameter"
		case term.Field, term.Elem:
			t.Source = "config"
			if t0.Args[0].Kind == term.Param || t0.Args[0].Kind == term.Field {
				t0 = t0.Args[0]
				continue
			}
		case term.Global, term.Call, term.Result:
			t.Source = "config"
		case term.Join:
			t0 = t0.Args[max(slices.IndexFunc(t0.Args, func(a *term.T) bool { return a.Kind != term.Const }), 0)]
			continue
		case term.Op:
			t0 = t0.Args[0]
			continue
		}
		break
	}
	return t
}

// eitherText names a time to live that is one of several: the default of a setting, and what is set.
// One of no length is none, and says nothing of the others.
func eitherText(ttl *term.T, unit string) string {
	var texts []string
	for _, a := range ttl.Args {
		text := a.Text()
		if text == "" || a.IsZero() {
			return ttl.Text()
		}
		if s := seconds(a, unit); s > 0 {
			text = duration(s)
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " or ")
}

// parsed is a duration of the catalogue in seconds, 0 when it says none.
func parsed(s string) float64 {
	d, _ := time.ParseDuration(s)
	return d.Seconds()
}

func duration(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Nanosecond).String()
}

// seconds evaluates a constant duration; an integer that is not a
// time.Duration counts in unit. It is 0 when the value is not known.
func seconds(t *term.T, unit string) float64 {
	if t == nil {
		return 0
	}
	switch t.Kind {
	case term.Const:
		n, err := strconv.ParseFloat(t.Name, 64)
		if err != nil || t.Type == "string" && unit == "" {
			if d, err := time.ParseDuration(t.Name); err == nil {
				return d.Seconds()
			}
			return 0
		}
		if t.Type == "duration" {
			unit = "ns"
		}
		if per := perSecond(unit); per != 0 {
			return n / per
		}
	case term.Join:
		s := seconds(t.Args[0], unit)
		for _, a := range t.Args[1:] {
			if seconds(a, unit) != s {
				return 0
			}
		}
		return s
	case term.Op:
		if len(t.Args) != 2 {
			return 0
		}
		x, y := t.Args[0], t.Args[1]
		if n := y; t.Name == "*" && n.Kind == term.Const && n.Type == "duration" && x.Kind == term.Const {
			x, y = y, x // time.Duration(n) * time.Second
		}
		switch a, b := seconds(x, unit), seconds(y, unit); {
		case a == 0 || b == 0:
		case t.Name == "*" && x.Kind == term.Const && x.Type == "duration":
			n, _ := strconv.ParseFloat(y.Name, 64)
			return a * n
		case t.Name == "+":
			return a + b
		case t.Name == "-":
			return max(a-b, 0)
		case t.Name == "/" && y.Kind == term.Const:
			n, _ := strconv.ParseFloat(y.Name, 64)
			switch {
			case n == 0:
			case y.Type == "duration" && n >= 1e3 && unit != "" && unit != "ns":
				if per := perSecond(unit); per != 0 {
					return a / (n / 1e9) / per // how many of these: ttl / time.Second
				}
			default:
				return a / n
			}
		}
	}
	return 0
}

// spans is how long a wait is: a constant, or the longest of several. A table of waits
// is listed as well, for a loop goes through it.
func spans(t *term.T, unit string) (longest float64, table []float64) {
	if t == nil {
		return 0, nil
	}
	if s := seconds(t, unit); s > 0 {
		return s, nil
	}
	list := t.Alts()
	inTable := t.Kind == term.Elem && t.Args[0].Kind == term.List
	if inTable {
		list = t.Args[0].Args
	}
	for _, x := range list {
		s := seconds(x, unit)
		if s <= 0 && !x.IsZero() {
			return 0, nil
		}
		longest = max(longest, s)
		table = append(table, s)
	}
	if !inTable {
		table = nil
	}
	return longest, table
}

// perSecond is how many of a unit make a second; 0 for points in time.
func perSecond(unit string) float64 {
	switch unit {
	case "", "ns":
		return 1e9
	case "us":
		return 1e6
	case "ms":
		return 1e3
	case "s":
		return 1
	}
	return 0
}

// Seconds evaluates a constant time.Duration; 0 when it is not known.
func Seconds(t *term.T) float64 { return seconds(t, "ns") }

// Length renders a length of time for people: 90s rather than its nanoseconds.
func Length(t *term.T) string {
	if s := Seconds(t); s > 0 {
		return time.Duration(s * float64(time.Second)).String()
	}
	return t.Text()
}
