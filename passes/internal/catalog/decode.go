package catalog

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// An Error is one fault in a catalogue file.
type Error struct {
	Pos  string // file:line:col
	Name string // the function, field or type at fault, where it is a single one
	Msg  string // what is wrong, and what to do
}

func (e *Error) Error() string { return e.Pos + ": " + e.Msg }

// Errors are all faults of a file, in file order.
type Errors []*Error

func (l Errors) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// decoder fills model structs from YAML nodes by reflection. yaml.v3's own
// decoder cannot be used: its strict mode stops naming columns and knows
// nothing of references, enumerations and durations.
type decoder struct {
	name  string
	bases []Base // reference bases allowed in the entry being read
	what  string // that entry, for messages
	errs  []positioned
}

type positioned struct {
	line, col int
	msg       string
}

func (d *decoder) errorf(n *yaml.Node, format string, args ...any) {
	d.errs = append(d.errs, positioned{n.Line, n.Column, fmt.Sprintf(format, args...)})
}

func (d *decoder) pos(n *yaml.Node) string {
	return fmt.Sprintf("%s:%d:%d", d.name, n.Line, n.Column)
}

// err returns the collected faults in file order, or nil.
func (d *decoder) err() error {
	if len(d.errs) == 0 {
		return nil
	}
	slices.SortStableFunc(d.errs, func(a, b positioned) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.col, b.col))
	})
	var l Errors
	for _, e := range d.errs {
		l = append(l, &Error{Pos: fmt.Sprintf("%s:%d:%d", d.name, e.line, e.col), Msg: e.msg})
	}
	return l
}

var (
	refType     = reflect.TypeFor[Ref]()
	wordType    = reflect.TypeFor[Word]()
	libraryType = reflect.TypeFor[Library]()
)

// value decodes n into v, whose struct tag (if it is a field) is tag.
func (d *decoder) value(n *yaml.Node, v reflect.Value, tag reflect.StructTag) {
	if n.Kind == yaml.AliasNode {
		d.errorf(n, "YAML aliases are not supported: write the value out")
		return
	}
	switch v.Type() {
	case refType:
		if s, ok := d.scalar(n, "a reference"); ok {
			r, err := ParseRef(s)
			if err != nil {
				d.errorf(n, "%v", err)
				return
			}
			d.ref(n, r)
			v.Set(reflect.ValueOf(r))
		}
		return
	case wordType:
		if s, ok := d.scalar(n, "a command word or a reference"); ok {
			w := Word{Literal: s}
			if r, err := ParseRef(s); err == nil {
				w = Word{Ref: r}
				d.ref(n, r)
			}
			v.Set(reflect.ValueOf(w))
		}
		return
	}
	switch v.Kind() {
	case reflect.String:
		if s, ok := d.scalar(n, "a string"); ok {
			d.text(n, s, tag)
			v.SetString(s)
		}
	case reflect.Bool:
		if s, ok := d.scalar(n, "true or false"); ok {
			if s != "true" && s != "false" {
				d.errorf(n, "%q is neither true nor false", s)
				return
			}
			v.SetBool(s == "true")
		}
	case reflect.Slice:
		items := []*yaml.Node{n} // a list of one may be written without brackets
		if n.Kind == yaml.SequenceNode {
			items = n.Content
			if len(items) == 0 {
				d.errorf(n, "empty list: remove the key or add a value")
			}
		}
		for _, item := range items {
			e := reflect.New(v.Type().Elem()).Elem()
			d.value(item, e, tag)
			v.Set(reflect.Append(v, e))
		}
	case reflect.Pointer:
		e := reflect.New(v.Type().Elem())
		d.value(n, e.Elem(), "")
		v.Set(e)
	case reflect.Map:
		d.mapping(n, v)
	case reflect.Struct:
		d.structure(n, v)
	default:
		panic("catalog: model has a field of a kind that the decoder does not know: " + v.Type().String())
	}
}

// scalar returns the text of a plain value.
func (d *decoder) scalar(n *yaml.Node, want string) (string, bool) {
	switch {
	case n.Kind != yaml.ScalarNode:
		d.errorf(n, "want %s, not a %s", want, kindName(n))
	case n.Tag == "!!null" || n.Value == "":
		d.errorf(n, "empty value: want %s, or remove the key", want)
	default:
		return n.Value, true
	}
	return "", false
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.SequenceNode:
		return "list"
	case yaml.MappingNode:
		return "mapping"
	case yaml.AliasNode:
		return "YAML alias"
	}
	return "single value"
}

// text checks a string against its field's enum and check tags.
func (d *decoder) text(n *yaml.Node, s string, tag reflect.StructTag) {
	if enum := tag.Get("enum"); enum != "" && !slices.Contains(strings.Split(enum, "|"), s) {
		d.errorf(n, "%q is not known here: want one of %s", s, strings.ReplaceAll(enum, "|", ", "))
	}
	switch tag.Get("check") {
	case "duration":
		if t, err := time.ParseDuration(s); err != nil || t <= 0 {
			d.errorf(n, "bad duration %q: want a positive Go duration such as 8s or 500ms", s)
		}
	case "fraction":
		num, den, ok := strings.Cut(s, "/")
		a, err1 := strconv.Atoi(num)
		b, err2 := strconv.Atoi(den)
		if !ok || err1 != nil || err2 != nil || a <= 0 || b < a {
			d.errorf(n, "bad interval %q: want a fraction of the TTL such as 1/3", s)
		}
	}
}

// ref checks that a reference can mean something in the entry at hand.
func (d *decoder) ref(n *yaml.Node, r Ref) {
	if len(d.bases) > 0 && !slices.Contains(d.bases, r.Base) {
		d.errorf(n, "%q cannot be used in %s", r, d.what)
	}
}

func (d *decoder) mapping(n *yaml.Node, v reflect.Value) {
	v.Set(reflect.MakeMap(v.Type()))
	d.pairs(n, func(key, val *yaml.Node) {
		e := reflect.New(v.Type().Elem()).Elem()
		d.value(val, e, "")
		v.SetMapIndex(reflect.ValueOf(key.Value), e)
	})
}

func (d *decoder) structure(n *yaml.Node, v reflect.Value) {
	switch e := v.Addr().Interface().(type) {
	case *Library:
		d.bases, d.what = nil, ""
	case *Call:
		d.bases, d.what = []Base{Arg, Receiver, Result}, "a call: words belong to the Redis command table"
		e.Pos = d.pos(n)
	case *Command:
		d.bases, d.what = []Base{WordAt, Result}, "a Redis command: want word N, word OPTION or result N"
		e.Pos = d.pos(n)
	case *SQLFunc:
		d.bases, d.what = []Base{Arg, Result}, "an SQL function: want arg N or result N"
		e.Pos = d.pos(n)
	}
	d.pairs(n, func(key, val *yaml.Node) {
		f, ok := fieldOf(v.Type(), key.Value)
		if !ok {
			d.errorf(key, "unknown key %q%s", key.Value, suggest(v.Type()))
			return
		}
		d.value(val, v.FieldByIndex(f.Index), f.Tag)
	})
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 && v.Type() != libraryType {
		d.errorf(n, "empty mapping%s", suggest(v.Type()))
	}
}

// pairs calls f for every key of a mapping, refusing repeated ones.
func (d *decoder) pairs(n *yaml.Node, f func(key, val *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		d.errorf(n, "want a mapping (key: value), not a %s", kindName(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, val := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode:
			d.errorf(key, "a key must be a single word")
		case seen[key.Value]:
			d.errorf(key, "key %q stands here twice: remove one", key.Value)
		default:
			seen[key.Value] = true
			f(key, val)
		}
	}
}

// keyOf returns the YAML key of a model field, "" if it has none.
func keyOf(f reflect.StructField) string {
	if key := f.Tag.Get("yaml"); key != "-" {
		return key
	}
	return ""
}

func fieldOf(t reflect.Type, key string) (reflect.StructField, bool) {
	for f := range t.Fields() {
		if k := keyOf(f); k != "" && k == key {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

func suggest(t reflect.Type) string {
	var keys []string
	for f := range t.Fields() {
		if k := keyOf(f); k != "" {
			keys = append(keys, k)
		}
	}
	return ": want one of " + strings.Join(keys, ", ")
}
