package config

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/fencevet/fencevet/passes/lock"
	"github.com/fencevet/fencevet/passes/models"
)

var update = flag.Bool("update", false, "rewrite the schema")

var checks = []string{"unfenced", "longsection", "units"}

const full = `# What a project decides.
level: note
checks: {longsection: false, units: true}
levels:
  unfenced: error
exclude:
  - path: internal/legacy/**
    reason: goes away in autumn
  - {path: "**/*_gen.go", checks: [units, longsection], reason: generated}
models:
  - library: corplock
    packages: {lock: [example.org/corp/lock]}
    calls:
      - func: (lock.Client).Lock
        acquire: {kind: lease, handle: receiver, key: arg 1}
  - file: models/more.yaml
also: [example.org/corp/...]
tests: true
`

const more = `library: more
packages: {more: example.org/more}
calls:
  - func: more.Save
    write: {store: more}
`

// dir makes a folder with files, given as names and contents.
func dir(t *testing.T, files ...string) string {
	t.Helper()
	root := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(root, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestRead(t *testing.T) {
	root := dir(t, Name, full, "models/more.yaml", more)
	file := filepath.Join(root, Name)
	c, err := Read(file, checks)
	if err != nil {
		t.Fatal(err)
	}
	if c.File != file || c.Level != lock.Note || c.Levels["unfenced"] != lock.Error || c.Checks["longsection"] || !c.Checks["units"] || !c.Tests {
		t.Errorf("got %+v", c)
	}
	if !reflect.DeepEqual(c.Also, []string{"example.org/corp/..."}) || len(c.Exclude) != 2 || len(c.Models) != 2 {
		t.Errorf("got %+v", c)
	}
	cat, err := c.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	if locks, known := cat.Relevant("example.org/corp/lock"); !locks || !known {
		t.Error("a library that takes locks is not known to")
	}
	if locks, known := cat.Relevant("example.org/more"); locks || !known || !cat.Acts("example.org/more") {
		t.Error("the model file is not in force")
	}
	for path, want := range map[string]string{
		"internal/legacy/a/b.go": "goes away in autumn",
		"internal/legacy.go":     "",
		"a/b/c_gen.go":           "generated",
		"x_gen.go":               "generated",
		"../x_gen.go":            "",
	} {
		reason := ""
		if s := c.Excluded(lock.Finding{Check: "units", At: lock.Position{File: filepath.Join(root, path)}}, "/"); s != nil {
			reason = s.Reason
		}
		if reason != want {
			t.Errorf("%s: excluded by %q, want %q", path, reason, want)
		}
	}
	if c.Excluded(lock.Finding{Check: "unfenced", At: lock.Position{File: filepath.Join(root, "x_gen.go")}}, "/") != nil {
		t.Error("an exclusion of some checks excludes others")
	}
}

func TestHash(t *testing.T) {
	root := dir(t, Name, full, "models/more.yaml", more)
	hash := func() string {
		c, err := Read(filepath.Join(root, Name), checks)
		if err != nil {
			t.Fatal(err)
		}
		return c.Hash()
	}
	first := hash()
	if first == "" || hash() != first {
		t.Errorf("two hashes of one content: %q", first)
	}
	for _, change := range [][2]string{{"models/more.yaml", more + "# more\n"}, {Name, full + "# more\n"}} {
		if err := os.WriteFile(filepath.Join(root, change[0]), []byte(change[1]), 0o666); err != nil {
			t.Fatal(err)
		}
		if now := hash(); now == first {
			t.Errorf("a change of %s does not show", change[0])
		} else {
			first = now
		}
	}
}

func TestFind(t *testing.T) {
	root := dir(t, Name, "", "go.mod", "module x", "a/b/c.go", "", "a/b/x/"+Name, "", "a/nested/go.mod", "module y", "a/nested/d/e.go", "", "odd/go.mod", "module z", "odd/"+Name+"/x", "")
	for from, want := range map[string]string{".": Name, "a/b": Name, "a/b/x": "a/b/x/" + Name, "a/nested/d": "", "a/nested": ""} {
		got, err := Find(filepath.Join(root, from))
		if want != "" {
			want = filepath.Join(root, want)
		}
		if err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", from, got, err, want)
		}
	}
	for from, want := range map[string]string{"a/b/x": Name, "a/nested/d": ""} {
		if got, err := InRoot(filepath.Join(root, from)); err != nil || got != "" && got != filepath.Join(root, want) || (got == "") != (want == "") {
			t.Errorf("%s: got %q in the root, %v", from, got, err)
		}
	}
	if _, err := Find(filepath.Join(root, "odd")); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder of that name: %v", err)
	}
}

func TestFaults(t *testing.T) {
	root := dir(t, "bad.yaml", "library: bad\ncalls:\n  - {func: b.F, pure: true}\n", "good.yaml", more)
	for _, test := range []struct {
		text string
		want []string
	}{
		{"level: loud", []string{`c.yaml:1:8: "loud" is not known here: want one of note, warning, error`}},
		{"levels: {units: loud}", []string{`c.yaml:1:17: "loud" is not known here`}},
		{"levl: note", []string{`c.yaml:1:1: unknown key "levl" (did you mean level?): want one of level, checks, levels, exclude, models, also, tests`}},
		{"level: note\nlevel: error", []string{`c.yaml:2:1: key "level" stands here twice`}},
		{"level: [note]", []string{"c.yaml:1:8: want a string, not a list"}},
		{"tests: yes", []string{`c.yaml:1:8: "yes" is neither true nor false`}},
		{"checks: [unfenced]", []string{"c.yaml:1:9: want a mapping (key: value), not a list"}},
		{"checks: {unfencd: false}", []string{`c.yaml:1:10: no check "unfencd" (did you mean unfenced?): fencevet explain lists them`}},
		{"exclude: [{reason: x}]", []string{"c.yaml:1:11: exclusion without a path"}},
		{"exclude: [{path: x}]", []string{"c.yaml:1:11: exclusion without a reason"}},
		{"exclude: [{path: 'a[', reason: x}, {path: /a, reason: x, checks: unit}]", []string{`c.yaml:1:18: bad path "a["`, `c.yaml:1:43: bad path "/a"`, `c.yaml:1:66: no check "unit" (did you mean units?)`}},
		{"also: [./a]", []string{`c.yaml:1:8: bad pattern "./a": want import paths`}},
		{"models: [good.yaml]", []string{"c.yaml:1:10: want file: NAME, or a model"}},
		{"models: [{file: good.yaml, library: x}]", []string{"c.yaml:1:10: file excludes other keys"}},
		{"models: [{file: none.yaml}]", []string{"c.yaml:1:10: stat ", "none.yaml: no such file or directory: correct the name, which is relative"}},
		{"models: [{file: .}]", []string{"is no file"}},
		{"models: [{file: bad.yaml}]\nlevel: loud", []string{`c.yaml:2:8: "loud"`, `bad.yaml:3:12: unknown package alias "b"`}},
		{"models: [{library: x, call: y}]", []string{`c.yaml:1:23: unknown key "call" (did you mean calls?)`}},
		{"models: [{file: good.yaml}, {file: good.yaml}]", []string{"good.yaml:4:5: more.Save has an entry at"}},
		{"[", []string{"c.yaml:1:1: not YAML"}},
		{"- a", []string{"c.yaml:1:1: want a mapping"}},
	} {
		_, err := Parse(filepath.Join(root, "c.yaml"), []byte(test.text), checks)
		if err == nil {
			t.Errorf("%q is accepted", test.text)
			continue
		}
		text := strings.ReplaceAll(err.Error(), root+string(filepath.Separator), "")
		for _, want := range test.want {
			if !strings.Contains(text, want) {
				t.Errorf("%q: got %s, want %s", test.text, text, want)
			}
		}
	}
	if c, err := Parse("c.yaml", []byte(" \n"), checks); err != nil || c.Hash() == "" {
		t.Errorf("an empty file: %+v, %v", c, err)
	}
}

// TestSchema holds the published schema against the types.
func TestSchema(t *testing.T) {
	const file = "../../docs/fencevet.schema.json"
	want, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is stale (%v): go test ./passes/config -update", file, err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text string) error {
		var v any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
	if err := valid(full); err != nil {
		t.Error(err)
	}
	for _, text := range []string{
		"levl: note", "level: loud", "levels: {units: loud}", "checks: [units]", "tests: maybe", "also: 3",
		"exclude: [{pth: x}]", "exclude: [{path: x}]", "models: [{file: a, library: b}]", "models: [{library: x, calls: [{func: x.F, same: argument 1}]}]",
	} {
		if valid(text) == nil {
			t.Errorf("the schema accepts %s", text)
		}
	}
	// The built-in files have every part of the format.
	for _, lib := range models.Builtin().Libraries() {
		model, err := yaml.Marshal(map[string]any{"models": []any{models.Plain(lib)}})
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(string(model)); err != nil {
			t.Errorf("%s: %v", lib.Library, err)
		}
	}
}

// TestDocumented reads the example of the documentation, which has every key.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	root := dir(t, "models/corplock.yaml", more)
	if _, err := Parse(filepath.Join(root, Name), []byte(example), append(checks, "unmetered", "onceguard")); err != nil {
		t.Error(err)
	}
	for f := range reflect.TypeFor[Config]().Fields() {
		if key := f.Tag.Get("yaml"); key != "" && key != "-" && !strings.Contains(example, "\n"+key+":") && !strings.HasPrefix(example, key+":") {
			t.Errorf("the example lacks %s", key)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(full))
	f.Add([]byte("exclude: [{path: 'a[', reason: x}]\nmodels: [{library: x}, {file: y}]"))
	f.Add([]byte("checks: &a {<<: *a}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("f.yaml", data, checks)
		if (c == nil) == (err == nil) {
			t.Errorf("config %v with error %v", c, err)
		}
	})
}
