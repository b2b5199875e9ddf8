package sarif

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	reader "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/reporttest"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

func written(t *testing.T, inv *inventory.Inventory) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, &view.Report{Inventory: inv}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// schema is the official schema. It is not ours to copy, so it is read from the
// source of a library that carries it.
var schema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3").Output()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(strings.TrimSpace(string(dir)), "pkg", "report", "v210", "sarif", "schema.go")
	source, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var text string
	ast.Inspect(source, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, err = strconv.Unquote(lit.Value)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	const name = "sarif-2.1.0.json"
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(name, doc); err != nil {
		return nil, err
	}
	return c.Compile(name)
})

// validate checks a file against the official schema, and whether a reader that
// others wrote knows all of it.
func validate(t *testing.T, data []byte) error {
	t.Helper()
	schema, err := schema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	if err := schema.Validate(doc); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	return dec.Decode(new(reader.Report))
}

func TestSchema(t *testing.T) {
	for name, inv := range map[string]*inventory.Inventory{
		"empty": {}, "sample": reporttest.Sample(), "hostile": reporttest.Hostile(), "many": reporttest.Many(20),
	} {
		if err := validate(t, written(t, inv)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := string(written(t, reporttest.Sample()))
	for _, change := range [][2]string{
		{`"level": "error"`, `"level": "fatal"`}, {`"startLine": 5`, `"startLine": 0`}, {`"results"`, `"result"`}, {`"kind": "inSource"`, `"kind": "inside"`},
		{`"text": "lock acquired here"`, `"txt": "lock acquired here"`},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if bad == good {
			t.Fatalf("no %s in\n%s", change[0], good)
		}
		if validate(t, []byte(bad)) == nil {
			t.Errorf("%s passes", change[1])
		}
	}
}

func TestResults(t *testing.T) {
	inv := reporttest.Sample()
	inv.Directory = "services/shop"
	var out log
	if err := json.Unmarshal(written(t, inv), &out); err != nil {
		t.Fatal(err)
	}
	results := out.Runs[0].Results
	if len(results) != 3 {
		t.Fatalf("%d results", len(results))
	}
	unfenced, suppressed, loose := results[0], results[1], results[2]
	var way []string
	for _, l := range unfenced.CodeFlows[0].ThreadFlows[0].Locations {
		way = append(way, l.Location.Physical.Artifact.URI+": "+l.Location.Message.Text)
	}
	want := []string{
		"services/shop/stock/stock.go: (*redsync.Mutex).LockContext takes the lock",
		"services/shop/stock/stock.go: calls (*Repo).Save",
		"services/shop/stock/repo.go: UPDATE sql:stock, by (*sql.DB).ExecContext",
	}
	if strings.Join(way, "\n") != strings.Join(want, "\n") || len(unfenced.CodeFlows) != 1 {
		t.Errorf("code flow:\n%s\nwant\n%s", strings.Join(way, "\n"), strings.Join(want, "\n"))
	}
	if unfenced.Message.Text != "two holders can both write table stock (acquired at stock.go:31)" || unfenced.Locations[0].Logical[0].FullyQualifiedName != "(*Repo).Save" {
		t.Errorf("%+v", unfenced)
	}
	if s := suppressed.Suppressions; len(s) != 1 || s[0].Justification != "prices are computed again" {
		t.Errorf("suppressions: %+v", s)
	}
	if len(unfenced.Suppressions) > 0 || loose.CodeFlows != nil || loose.RuleID != "wallclock" {
		t.Errorf("%+v", loose)
	}
	for _, r := range out.Runs[0].Tool.Driver.Rules {
		if r.Help.Text == "" || !strings.Contains(r.Help.Markdown, "\n\n") {
			t.Errorf("%s has no help", r.ID)
		}
	}
}

// TestFingerprints demands that lines which come and go leave them alone.
func TestFingerprints(t *testing.T) {
	prints := func(inv *inventory.Inventory) []string {
		var out log
		if err := json.Unmarshal(written(t, inv), &out); err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, r := range out.Runs[0].Results {
			all = append(all, r.Fingerprints["fencevet/v1"])
		}
		return all
	}
	first, moved := reporttest.Sample(), reporttest.Sample()
	moved.Findings[0].Line, moved.Findings[0].Message = 77, strings.ReplaceAll(moved.Findings[0].Message, ":31", ":88")
	a, b := prints(first), prints(moved)
	if strings.Join(a, " ") != strings.Join(b, " ") {
		t.Errorf("%q before, %q after", a, b)
	}
	if a[0] == a[1] || a[1] == a[2] {
		t.Errorf("not unique: %q", a)
	}
	first.Findings = append(first.Findings, first.Findings[0])
	if a := prints(first); a[3] == a[0] {
		t.Error("two alike share a fingerprint")
	}
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"stock:%d":                "stock:%d",
		"[here](http://x)":        "[here] (http://x)",
		"{0} and {name}":          "{{0}} and {name}",
		"a\x1b[2Jb\u202ec":        `a\u001b[2Jb\u202ec`,
		"slice[1] (of something)": "slice[1] (of something)",
	} {
		if got := plain(text).Text; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
