package catalog

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite builtin_gen.go from the data files")

const generated = "builtin_gen.go"

// TestGenerated fails when builtin_gen.go is not what the data files say.
func TestGenerated(t *testing.T) {
	want, err := compile(loadAll(t))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(generated, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(generated)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale: run go generate in passes/internal/catalog", generated)
	}
}

// loadAll loads every data file from source.
func loadAll(t testing.TB) []*Library {
	t.Helper()
	names, err := fs.Glob(Files, "data/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var libs []*Library
	for _, name := range names {
		data, err := Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lib, err := Load(name, data)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		libs = append(libs, lib)
	}
	if t.Failed() {
		t.FailNow()
	}
	return libs
}

// compile prints libraries as Go literals.
func compile(libs []*Library) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("// Code generated from data/*.yaml by go generate. DO NOT EDIT.\n\npackage catalog\n\nvar builtin = []source{\n")
	for _, lib := range libs {
		b.WriteString("{\nlib: ")
		literal(&b, reflect.ValueOf(lib))
		b.WriteString(",\npackages: []alias{\n")
		for _, a := range sortedKeys(lib.Packages) {
			fmt.Fprintf(&b, "{%q, %#v},\n", a, lib.Packages[a])
		}
		b.WriteString("},\n},\n")
	}
	b.WriteString("}\n\n// builtinPaths is sorted.\nvar builtinPaths = []imported{\n")
	paths := pathsOf(libs)
	for _, p := range sortedKeys(paths) {
		fmt.Fprintf(&b, "{%q, %t, %t},\n", p, paths[p].lock, paths[p].acts)
	}
	b.WriteString("}\n")
	return format.Source(b.Bytes())
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// literal prints v, leaving out zero fields, the package table and the back
// references.
func literal(b *bytes.Buffer, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		b.WriteByte('&')
		literal(b, v.Elem())
	case reflect.Struct:
		b.WriteString(typeText(v.Type()) + "{")
		for f, fv := range v.Fields() {
			if fv.IsZero() || f.Name == "Packages" || f.Name == "places" || f.Type == reflect.TypeFor[*Library]() {
				continue
			}
			b.WriteString(f.Name + ": ")
			literal(b, fv)
			b.WriteString(", ")
			if v.Type() == libraryType {
				b.WriteByte('\n')
			}
		}
		b.WriteByte('}')
	case reflect.Slice:
		b.WriteString(typeText(v.Type()) + "{")
		for i := range v.Len() {
			if v.Type().Elem().Kind() == reflect.Pointer {
				b.WriteByte('\n')
			}
			literal(b, v.Index(i))
			b.WriteString(", ")
		}
		if v.Len() > 0 && v.Type().Elem().Kind() == reflect.Pointer {
			b.WriteByte('\n')
		}
		b.WriteByte('}')
	case reflect.String:
		b.WriteString(strconv.Quote(v.String()))
	case reflect.Int:
		fmt.Fprint(b, v.Int())
	default: // bool, Base
		fmt.Fprint(b, v.Interface())
	}
}

func typeText(t reflect.Type) string {
	return strings.ReplaceAll(t.String(), "catalog.", "")
}
