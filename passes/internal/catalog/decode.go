package catalog

import (
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/fencevet/fencevet/passes/internal/strict"
)

// An Error is one fault in a catalogue file, Errors are all of them.
type (
	Error  = strict.Error
	Errors = strict.Errors
)

// A decoder reads catalogue files. What it adds to a strict.Decoder are references
// to the values of a call.
type decoder struct {
	strict.Decoder
	bases []Base // reference bases allowed in the entry being read
	what  string // that entry, for messages
}

var (
	refType     = reflect.TypeFor[Ref]()
	wordType    = reflect.TypeFor[Word]()
	libraryType = reflect.TypeFor[Library]()
)

func custom(d *decoder) map[reflect.Type]func(*strict.Decoder, *yaml.Node, reflect.Value) {
	return map[reflect.Type]func(*strict.Decoder, *yaml.Node, reflect.Value){
		refType: func(_ *strict.Decoder, n *yaml.Node, v reflect.Value) {
			if s, ok := d.Scalar(n, "a reference"); ok {
				r, err := ParseRef(s)
				if err != nil {
					d.Errorf(n, "%v", err)
					return
				}
				d.ref(n, r)
				v.Set(reflect.ValueOf(r))
			}
		},
		wordType: func(_ *strict.Decoder, n *yaml.Node, v reflect.Value) {
			if s, ok := d.Scalar(n, "a command word or a reference"); ok {
				w := Word{Literal: s}
				if r, err := ParseRef(s); err == nil {
					w = Word{Ref: r}
					d.ref(n, r)
				}
				v.Set(reflect.ValueOf(w))
			}
		},
	}
}

// ref checks that a reference can mean something in the entry at hand.
func (d *decoder) ref(n *yaml.Node, r Ref) {
	if len(d.bases) > 0 && !slices.Contains(d.bases, r.Base) {
		d.Errorf(n, "%q cannot be used in %s", r, d.what)
	}
}

// enter notes the entry that is read, and where it stands.
func (d *decoder) enter(_ *strict.Decoder, n *yaml.Node, v reflect.Value) {
	switch e := v.Addr().Interface().(type) {
	case *Library:
		d.bases, d.what = nil, ""
	case *Call:
		d.bases, d.what = []Base{Arg, Receiver, Result, NameOf, TypeOf}, "a call: words belong to the Redis command table"
		e.Pos = d.Pos(n)
	case *Command:
		d.bases, d.what = []Base{WordAt, Result}, "a Redis command: want word N, word OPTION or result N"
		e.Pos = d.Pos(n)
	case *SQLFunc:
		d.bases, d.what = []Base{Arg, Result}, "an SQL function: want arg N or result N"
		e.Pos = d.Pos(n)
	}
}
