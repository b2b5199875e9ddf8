package inventory

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"testing"

	"github.com/invopop/jsonschema"
)

var update = flag.Bool("update", false, "rewrite the published schema")

// TestSchema holds the published schema against the types. Objects are open: new
// keys may be added.
func TestSchema(t *testing.T) {
	const file = "../../docs/inventory.schema.json"
	r := &jsonschema.Reflector{AllowAdditionalProperties: true}
	if err := r.AddGoComments("github.com/fencevet/fencevet/analyzers/inventory", "."); err != nil {
		t.Fatal(err)
	}
	schema := r.ReflectFromType(reflect.TypeFor[Inventory]())
	schema.ID = ""
	schema.Title = Schema
	allowNull(schema)
	got, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("docs/inventory.schema.json is not of these types: go test ./analyzers/inventory -update writes it")
	}
}

// allowNull lets the keys be null that are pointers in Go.
func allowNull(schema *jsonschema.Schema) {
	for _, p := range [][2]string{{"Lock", "decision"}, {"Token", "ordered"}, {"Write", "checked"}, {"Finding", "suppressed"}} {
		properties := schema.Definitions[p[0]].Properties
		value, _ := properties.Get(p[1])
		properties.Set(p[1], &jsonschema.Schema{
			AnyOf:       []*jsonschema.Schema{{Ref: value.Ref, Type: value.Type}, {Type: "null"}},
			Description: value.Description,
		})
	}
}
