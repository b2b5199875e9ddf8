package inventory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Read reads an inventory from its JSON. The name of its file is for errors,
// which tell the line and column.
//
// Reading is strict about the version of the schema and about every value that
// has a meaning here. Keys that are not known are passed over: a later fencevet
// may add some.
func Read(data []byte, name string) (*Inventory, error) {
	fail := func(offset int, format string, args ...any) error {
		line, column := lineColumn(data, offset)
		return fmt.Errorf("%s:%d:%d: %s", name, line, column, fmt.Sprintf(format, args...))
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fail(0, "the file is empty: write it with fencevet inventory -format=json=FILE")
	}
	// The version decides how the rest is read, so it is looked at first.
	var head struct {
		Schema any `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, decodeError(err, len(data), fail)
	}
	switch head.Schema {
	case Schema:
	case nil:
		return nil, fail(0, "no inventory: it has no key schema with the value %q", Schema)
	default:
		return nil, fail(locate(data, path{"schema"}), "schema is %v, and this fencevet reads %q: write the file again with this fencevet, or use the one that wrote it", quoted(head.Schema), Schema)
	}
	inv := new(Inventory)
	if err := json.Unmarshal(data, inv); err != nil {
		return nil, decodeError(err, len(data), fail)
	}
	if bad := inv.check(); bad != nil {
		return nil, fail(locate(data, bad.path), "%s", bad.Error())
	}
	return inv, nil
}

func quoted(v any) string {
	if s, ok := v.(string); ok {
		return strconv.Quote(s)
	}
	return fmt.Sprint(v)
}

func decodeError(err error, size int, fail func(int, string, ...any) error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fail(min(int(syntax.Offset), size)-1, "no JSON: %s", syntax)
	}
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		at := ""
		if mismatch.Field != "" {
			at = mismatch.Field + ": "
		}
		return fail(int(mismatch.Offset)-1, "%swant %s, got %s", at, kindName(mismatch.Type), mismatch.Value)
	}
	return fail(0, "no JSON: %s", err)
}

// kindName says in JSON's words what a Go type is written as.
func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int:
		return "an integer"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "an array"
	}
	return "an object"
}

// A path leads to a value in a JSON document: keys and indices.
type path []any

func (p path) String() string {
	var b strings.Builder
	for _, step := range p {
		switch step := step.(type) {
		case string:
			b.WriteString("." + step)
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		}
	}
	return strings.TrimPrefix(b.String(), ".")
}

// A badValue is well-formed JSON that no inventory holds.
type badValue struct {
	path path
	text string
}

func (b *badValue) Error() string { return b.path.String() + ": " + b.text }

// check compares inv with what the tags of its types allow and with itself, and
// gives arrays that are missing or null their empty form.
func (inv *Inventory) check() *badValue {
	if bad := checkValue(reflect.ValueOf(inv).Elem(), "", nil); bad != nil {
		return bad
	}
	ids := make(map[string]bool)
	for i, l := range inv.Locks {
		if ids[l.ID] {
			return &badValue{path{"locks", i, "id"}, "a second lock with the id " + l.ID}
		}
		ids[l.ID] = true
	}
	for i, f := range inv.Findings {
		if f.Lock != "" && !ids[f.Lock] {
			return &badValue{path{"findings", i, "lock"}, "no lock has this id"}
		}
	}
	for i, s := range inv.Source {
		if i > 0 && inv.Source[i-1].File >= s.File {
			return &badValue{path{"source", i, "file"}, "the files are not in order"}
		}
		for j, l := range s.Lines {
			if j > 0 && s.Lines[j-1].Line >= l.Line {
				return &badValue{path{"source", i, "lines", j, "line"}, "the lines are not in order"}
			}
		}
	}
	if inv.Summary != Summarize(inv.Locks) {
		return &badValue{path{"summary"}, "the counts are not those of the locks"}
	}
	return nil
}

// checkValue checks v against the tag of the field that holds it, and what it
// consists of against their own.
func checkValue(v reflect.Value, tag string, at path) *badValue {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return checkValue(v.Elem(), tag, at)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			key, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			if options == "omitempty" && v.Field(i).IsZero() {
				continue
			}
			if bad := checkValue(v.Field(i), field.Tag.Get("jsonschema"), append(slices.Clip(at), key)); bad != nil {
				return bad
			}
		}
	case reflect.Slice:
		if v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			if bad := checkValue(v.Index(i), "", append(slices.Clip(at), i)); bad != nil {
				return bad
			}
		}
	case reflect.String:
		return rulesOf(tag).text(v.String(), at)
	case reflect.Int:
		return rulesOf(tag).number(float64(v.Int()), at)
	case reflect.Float64:
		return rulesOf(tag).number(v.Float(), at)
	}
	return nil
}

// rules are what a field's tag demands: the same that the published schema says.
type rules struct {
	enum    []string
	pattern *regexp.Regexp
	minimum float64
}

var known sync.Map // tag to *rules

func rulesOf(tag string) *rules {
	if r, ok := known.Load(tag); ok {
		return r.(*rules)
	}
	r := &rules{minimum: math.Inf(-1)}
	for rule := range strings.SplitSeq(tag, ",") {
		switch name, value, _ := strings.Cut(rule, "="); name {
		case "enum":
			r.enum = append(r.enum, value)
		case "pattern":
			r.pattern = regexp.MustCompile(value)
		case "minimum":
			r.minimum, _ = strconv.ParseFloat(value, 64)
		}
	}
	known.Store(tag, r)
	return r
}

func (r *rules) text(s string, at path) *badValue {
	switch {
	case r.enum != nil && !slices.Contains(r.enum, s):
		return &badValue{at, fmt.Sprintf("%q is none of %s", s, strings.Join(r.enum, ", "))}
	case r.pattern != nil && !r.pattern.MatchString(s):
		return &badValue{at, fmt.Sprintf("%q does not match %s", s, r.pattern)}
	}
	return nil
}

func (r *rules) number(n float64, at path) *badValue {
	if n < r.minimum {
		return &badValue{at, fmt.Sprintf("%v is less than %v", n, r.minimum)}
	}
	return nil
}

// locate returns the offset of the value that p leads to in well-formed JSON, or
// that of the last value on the way if the document leaves it out.
func locate(data []byte, p path) int {
	dec := json.NewDecoder(bytes.NewReader(data))
	at := skip(data, 0)
	for _, step := range p {
		opening, err := dec.Token()
		if err != nil || !enter(dec, opening, step) {
			return at
		}
		at = skip(data, int(dec.InputOffset()))
	}
	return at
}

// enter advances dec to before the member of an object or array that step names.
func enter(dec *json.Decoder, opening json.Token, step any) bool {
	var passed json.RawMessage
	for n := 0; dec.More(); n++ {
		var member any = n
		if opening == json.Delim('{') {
			key, err := dec.Token()
			if err != nil {
				return false
			}
			member = key
		}
		key, isKey := member.(string)
		wanted, _ := step.(string)
		if member == step || isKey && strings.EqualFold(key, wanted) {
			return true
		}
		if dec.Decode(&passed) != nil {
			return false
		}
	}
	return false
}

// skip passes over what stands between two values.
func skip(data []byte, offset int) int {
	for offset < len(data)-1 && bytes.IndexByte([]byte(" \t\r\n:,"), data[offset]) >= 0 {
		offset++
	}
	return offset
}

func lineColumn(data []byte, offset int) (line, column int) {
	before := data[:min(max(offset, 0), len(data))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - (bytes.LastIndexByte(before, '\n') + 1) + 1
}
