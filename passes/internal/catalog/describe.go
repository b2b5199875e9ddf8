package catalog

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/strict"
)

// Plain returns an entry (a Call, Command or SQLFunc) or a part of one as its file
// has it: maps by key, lists and text. What is not said is left out.
func Plain(v any) any { return plain(reflect.ValueOf(v)) }

func plain(v reflect.Value) any {
	switch x := v.Interface().(type) {
	case Ref:
		return x.String()
	case Word:
		if x.Ref.IsZero() {
			return x.Literal
		}
		return x.Ref.String()
	}
	switch v.Kind() {
	case reflect.Pointer:
		return plain(v.Elem())
	case reflect.Struct:
		m := make(map[string]any)
		for f, fv := range v.Fields() {
			if key := strict.Key(f); key != "" && f.IsExported() && !fv.IsZero() {
				m[key] = plain(fv)
			}
		}
		return m
	case reflect.Slice:
		list := []any{}
		for i := range v.Len() {
			list = append(list, plain(v.Index(i)))
		}
		return list
	}
	return v.Interface()
}

// A Role is one thing that an entry says of a call.
type Role struct {
	Name string // acquire
	Text string // kind lease, key arg 1
}

// Roles lists what an entry says, in the order of the format.
func (c *Call) Roles() []Role {
	list := roles(reflect.ValueOf(*c))
	for i := range list {
		for _, m := range c.When {
			list[i].Text += ", when " + strings.TrimPrefix(inline(reflect.ValueOf(*m)), "at ")
		}
		list[i].Text = strings.TrimPrefix(list[i].Text, ", ")
	}
	return list
}

// Roles lists what an entry says, in the order of the format.
func (c *Command) Roles() []Role { return roles(reflect.ValueOf(*c)) }

// Roles lists what an entry says, in the order of the format.
func (f *SQLFunc) Roles() []Role { return roles(reflect.ValueOf(*f)) }

func roles(v reflect.Value) []Role {
	var list []Role
	for f, fv := range v.Fields() {
		switch key := strict.Key(f); key {
		case "", "func", "param", "field", "when", "name", "with":
		default:
			if f.IsExported() && !fv.IsZero() {
				list = append(list, Role{key, inline(fv)})
			}
		}
	}
	return list
}

// inline writes a value on one line, as short as it goes.
func inline(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case Ref:
		return x.String()
	case Word:
		return fmt.Sprint(plain(v))
	case bool:
		return ""
	}
	switch v.Kind() {
	case reflect.Pointer:
		return inline(v.Elem())
	case reflect.Struct:
		var parts []string
		for f, fv := range v.Fields() {
			if key := strict.Key(f); key != "" && f.IsExported() && !fv.IsZero() {
				parts = append(parts, strings.TrimSpace(key+" "+inline(fv)))
			}
		}
		return strings.Join(parts, ", ")
	case reflect.Slice:
		var parts []string
		for i := range v.Len() {
			parts = append(parts, inline(v.Index(i)))
		}
		if len(parts) == 1 {
			return parts[0]
		}
		return "[" + strings.Join(parts, "; ") + "]"
	}
	return fmt.Sprint(v.Interface())
}

// Names are the functions, fields or the parameter type that an entry is for.
func (c *Call) Names() []string { return c.names() }

// From is the file that a library is from: data/redsync.yaml for a built-in one.
func (lib *Library) From() string {
	pos := ""
	switch {
	case len(lib.Calls) > 0:
		pos = lib.Calls[0].Pos
	case len(lib.Commands) > 0:
		pos = lib.Commands[0].Pos
	case len(lib.SQL) > 0:
		pos = lib.SQL[0].Pos
	}
	for range 2 { // line and column
		pos = pos[:max(strings.LastIndexByte(pos, ':'), 0)]
	}
	return pos
}

// Builtin reports whether a library is one of fencevet's own.
func (lib *Library) Builtin() bool { return strings.HasPrefix(lib.From(), "data/") }
