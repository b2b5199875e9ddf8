package catalog

import (
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestPlain writes all built-in libraries from their structs and reads them again.
func TestPlain(t *testing.T) {
	for _, lib := range loadAll(t) {
		text, err := yaml.Marshal(Plain(lib))
		if err != nil {
			t.Fatal(err)
		}
		again, err := Load("again.yaml", text)
		if err != nil {
			t.Errorf("%s: %v", lib.Library, err)
			continue
		}
		if want, got := Plain(lib), Plain(again); !reflect.DeepEqual(want, got) {
			t.Errorf("%s: got %v, want %v", lib.Library, got, want)
		}
	}
}

func TestRoles(t *testing.T) {
	lib, err := Load("x.yaml", []byte(head+`  - func: (p.C).Create
    when: {at: arg 2, is: ["3", "1"]}
    acquire: {kind: session, key: arg 0, success: [{at: result 0, is: "true"}, {at: result 1, is: any}]}
    token: {ordered: true, reason: counts}
    pure: true
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range lib.Calls[0].Roles() {
		got = append(got, r.Name+": "+r.Text)
	}
	want := []string{
		"acquire: kind session, key arg 0, success [at result 0, is true; at result 1, is any], when arg 2, is [3; 1]",
		"token: ordered, reason counts, when arg 2, is [3; 1]",
		"pure: when arg 2, is [3; 1]",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if from := lib.From(); from != "x.yaml" || lib.Builtin() {
		t.Errorf("from %q", from)
	}
	if lib := Builtin().Libraries()[0]; !lib.Builtin() {
		t.Errorf("%s is not built in, but from %q", lib.Library, lib.From())
	}
}
