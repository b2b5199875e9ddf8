// Package strict reads YAML into structs and accepts nothing that it does not
// know: unknown and repeated keys, wrong types, words that are none of those
// accepted. Every fault is told with its place and what to do.
//
// yaml.v3's own decoder cannot be used: its strict mode names no columns, and
// knows nothing of enumerations and durations.
//
// Fields have the tags yaml:"key", enum:"a|b" (accepted words), check:"duration"
// or check:"fraction", and for the schema doc:"text" and need:"always".
package strict

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/fencevet/fencevet/passes/spell"
)

// An Error is one fault in a file.
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

// A Decoder fills structs from the nodes of a file.
type Decoder struct {
	Name string // of the file
	// Custom reads values of types that are more than their kind.
	Custom map[reflect.Type]func(d *Decoder, n *yaml.Node, v reflect.Value)
	// Enter is called for every struct before its fields are read.
	Enter func(d *Decoder, n *yaml.Node, v reflect.Value)

	errs []positioned
}

type positioned struct {
	line, col int
	msg       string
}

// Errorf notes a fault at a node.
func (d *Decoder) Errorf(n *yaml.Node, format string, args ...any) {
	d.errs = append(d.errs, positioned{n.Line, n.Column, fmt.Sprintf(format, args...)})
}

// Pos is the place of a node: file:line:col.
func (d *Decoder) Pos(n *yaml.Node) string {
	return fmt.Sprintf("%s:%d:%d", d.Name, n.Line, n.Column)
}

// Err returns the faults in file order, as Errors, or nil.
func (d *Decoder) Err() error {
	if len(d.errs) == 0 {
		return nil
	}
	slices.SortStableFunc(d.errs, func(a, b positioned) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.col, b.col))
	})
	var l Errors
	for _, e := range d.errs {
		l = append(l, &Error{Pos: fmt.Sprintf("%s:%d:%d", d.Name, e.line, e.col), Msg: e.msg})
	}
	return l
}

// Document returns the top node of a file, or nil after a fault.
func (d *Decoder) Document(data []byte, want string) *yaml.Node {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		line, msg := syntaxError(err)
		d.errs = append(d.errs, positioned{line, 1, "not YAML: " + msg})
		return nil
	}
	if len(doc.Content) == 0 {
		d.errs = append(d.errs, positioned{1, 1, "empty file: want " + want})
		return nil
	}
	return doc.Content[0]
}

var yamlLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:yaml: )?(?:unmarshal errors:\s*)?(?:line (\d+): )?`)
})

// syntaxError takes the line number out of yaml.v3's message.
func syntaxError(err error) (line int, msg string) {
	msg = err.Error()
	m := yamlLine().FindStringSubmatch(msg)
	line, _ = strconv.Atoi(m[1])
	return max(line, 1), strings.TrimSpace(msg[len(m[0]):])
}

// Value decodes n into what v points to.
func (d *Decoder) Value(n *yaml.Node, v any) { d.value(n, reflect.ValueOf(v).Elem(), "") }

// value decodes n into v, whose struct tag (if it is a field) is tag.
func (d *Decoder) value(n *yaml.Node, v reflect.Value, tag reflect.StructTag) {
	if n.Kind == yaml.AliasNode {
		d.Errorf(n, "YAML aliases are not supported: write the value out")
		return
	}
	if read := d.Custom[v.Type()]; read != nil {
		read(d, n, v)
		return
	}
	switch v.Kind() {
	case reflect.String:
		if s, ok := d.Scalar(n, "a string"); ok {
			d.text(n, s, tag)
			v.SetString(s)
		}
	case reflect.Bool:
		if s, ok := d.Scalar(n, "true or false"); ok {
			if s != "true" && s != "false" {
				d.Errorf(n, "%q is neither true nor false", s)
				return
			}
			v.SetBool(s == "true")
		}
	case reflect.Slice:
		items := []*yaml.Node{n} // a list of one may be written without brackets
		if n.Kind == yaml.SequenceNode {
			items = n.Content
			if len(items) == 0 {
				d.Errorf(n, "empty list: remove the key or add a value")
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
		d.mapping(n, v, tag)
	case reflect.Struct:
		d.structure(n, v)
	default:
		panic("strict: a struct has a field of a kind that the decoder does not know: " + v.Type().String())
	}
}

// Scalar returns the text of a plain value.
func (d *Decoder) Scalar(n *yaml.Node, want string) (string, bool) {
	switch {
	case n.Kind != yaml.ScalarNode:
		d.Errorf(n, "want %s, not a %s", want, kindName(n))
	case n.Tag == "!!null" || n.Value == "":
		d.Errorf(n, "empty value: want %s, or remove the key", want)
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
func (d *Decoder) text(n *yaml.Node, s string, tag reflect.StructTag) {
	if enum := tag.Get("enum"); enum != "" && !slices.Contains(strings.Split(enum, "|"), s) {
		d.Errorf(n, "%q is not known here: want one of %s", s, strings.ReplaceAll(enum, "|", ", "))
	}
	switch tag.Get("check") {
	case "duration":
		if t, err := time.ParseDuration(s); err != nil || t <= 0 {
			d.Errorf(n, "bad duration %q: want a positive Go duration such as 8s or 500ms", s)
		}
	case "fraction":
		num, den, ok := strings.Cut(s, "/")
		a, err1 := strconv.Atoi(num)
		b, err2 := strconv.Atoi(den)
		if !ok || err1 != nil || err2 != nil || a <= 0 || b < a {
			d.Errorf(n, "bad interval %q: want a fraction of the TTL such as 1/3", s)
		}
	}
}

func (d *Decoder) mapping(n *yaml.Node, v reflect.Value, tag reflect.StructTag) {
	v.Set(reflect.MakeMap(v.Type()))
	d.pairs(n, func(key, val *yaml.Node) {
		e := reflect.New(v.Type().Elem()).Elem()
		d.value(val, e, tag)
		v.SetMapIndex(reflect.ValueOf(key.Value), e)
	})
}

func (d *Decoder) structure(n *yaml.Node, v reflect.Value) {
	if d.Enter != nil {
		d.Enter(d, n, v)
	}
	d.pairs(n, func(key, val *yaml.Node) {
		f, ok := fieldOf(v.Type(), key.Value)
		if !ok {
			keys := Keys(v.Type())
			d.Errorf(key, "unknown key %q%s: want one of %s", key.Value, spell.Meant(key.Value, keys), strings.Join(keys, ", "))
			return
		}
		d.value(val, v.FieldByIndex(f.Index), f.Tag)
	})
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		d.Errorf(n, "empty mapping: want one of %s", strings.Join(Keys(v.Type()), ", "))
	}
}

// pairs calls f for every key of a mapping, refusing repeated ones.
func (d *Decoder) pairs(n *yaml.Node, f func(key, val *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		d.Errorf(n, "want a mapping (key: value), not a %s", kindName(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, val := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode:
			d.Errorf(key, "a key must be a single word")
		case seen[key.Value]:
			d.Errorf(key, "key %q stands here twice: remove one", key.Value)
		default:
			seen[key.Value] = true
			f(key, val)
		}
	}
}

// Key returns the YAML key of a field, "" if it has none.
func Key(f reflect.StructField) string {
	if key := f.Tag.Get("yaml"); key != "-" {
		return key
	}
	return ""
}

func fieldOf(t reflect.Type, key string) (reflect.StructField, bool) {
	for f := range t.Fields() {
		if k := Key(f); k != "" && k == key {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

// Keys are the keys of a struct, in order.
func Keys(t reflect.Type) []string {
	var keys []string
	for f := range t.Fields() {
		if k := Key(f); k != "" {
			keys = append(keys, k)
		}
	}
	return keys
}

// Child returns the value of a key of a mapping node, nil if there is none.
func Child(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// Nth returns item i of a list node, or the node itself where a single value
// stands for a list of one.
func Nth(n *yaml.Node, i int) *yaml.Node {
	if n != nil && n.Kind == yaml.SequenceNode && i < len(n.Content) {
		return n.Content[i]
	}
	if n == nil {
		return &yaml.Node{Line: 1, Column: 1}
	}
	return n
}
