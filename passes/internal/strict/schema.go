package strict

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Shapes say how types look in a file that are more than their kind.
type Shapes map[reflect.Type]Shape

// A Shape is a string, or one of several structs.
type Shape struct {
	Pattern string // of a string
	OneOf   []reflect.Type
}

// object is a JSON Schema, or a part of one. Its keys are sorted when it is written.
type object map[string]any

// Schema returns the JSON Schema of files that are read into t.
func Schema(t reflect.Type, id string, shapes Shapes) ([]byte, error) {
	s := schema{shapes: shapes, defs: object{}}
	root := object{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": id}
	for k, v := range s.structure(t) {
		root[k] = v
	}
	root["$defs"] = s.defs
	text, err := json.MarshalIndent(root, "", "  ")
	return append(text, '\n'), err
}

type schema struct {
	shapes Shapes
	defs   object // structs by name
}

func (s *schema) of(t reflect.Type, tag reflect.StructTag) object {
	if shape, ok := s.shapes[t]; ok {
		if shape.OneOf == nil {
			o := object{"type": "string"}
			if shape.Pattern != "" {
				o["pattern"] = shape.Pattern
			}
			return o
		}
		var list []object
		for _, t := range shape.OneOf {
			list = append(list, s.ref(t))
		}
		return object{"oneOf": list}
	}
	switch t.Kind() {
	case reflect.String:
		o := object{"type": "string", "minLength": 1}
		if enum := tag.Get("enum"); enum != "" {
			o = object{"enum": strings.Split(enum, "|")}
		}
		return o
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Pointer:
		return s.of(t.Elem(), "")
	case reflect.Slice: // a list of one may be written without brackets
		item := s.of(t.Elem(), tag)
		return object{"anyOf": []object{item, {"type": "array", "items": item, "minItems": 1}}}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": s.of(t.Elem(), tag)}
	case reflect.Struct:
		return s.ref(t)
	}
	panic("strict: no schema for " + t.String())
}

// ref refers to the definition of a struct.
func (s *schema) ref(t reflect.Type) object {
	if _, ok := s.defs[t.Name()]; !ok {
		s.defs[t.Name()] = object{} // it may hold itself
		s.defs[t.Name()] = s.structure(t)
	}
	return object{"$ref": "#/$defs/" + t.Name()}
}

func (s *schema) structure(t reflect.Type) object {
	properties, required := object{}, []string{}
	for f := range t.Fields() {
		key := Key(f)
		if key == "" || !f.IsExported() {
			continue
		}
		o := s.of(f.Type, f.Tag)
		if doc := f.Tag.Get("doc"); doc != "" {
			o["description"] = doc
		}
		properties[key] = o
		if f.Tag.Get("need") != "" {
			required = append(required, key)
		}
	}
	o := object{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}
