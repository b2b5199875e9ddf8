package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/command"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report"
)

// TestRoundTrip reports an inventory in all formats at once, and again from the
// saved JSON. Not a byte may differ.
func TestRoundTrip(t *testing.T) {
	dir, err := filepath.Abs(corpus)
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := command.Run(t.Context(), args, strings.NewReader(""), &stdout, &stderr, dir); code != 0 || stdout.Len() > 0 {
			t.Fatalf("fencevet %s exits with %d: %s%s", strings.Join(args, " "), code, stderr.String(), stdout.String())
		}
	}
	first, second := t.TempDir(), t.TempDir()
	outputs := func(dir string) string {
		var all []string
		for _, f := range report.Inventory {
			all = append(all, f.Name+"="+filepath.Join(dir, f.Name))
		}
		return "-format=" + strings.Join(all, ",")
	}
	run("inventory", "-by=class,library,package,owner", outputs(first), "./shop/...")
	run("convert", filepath.Join(first, "json"), "-by=class,library,package,owner", outputs(second))
	for _, f := range report.Inventory {
		direct, err := os.ReadFile(filepath.Join(first, f.Name))
		if err != nil {
			t.Fatal(err)
		}
		converted, err := os.ReadFile(filepath.Join(second, f.Name))
		if err != nil {
			t.Fatal(err)
		}
		if len(direct) < 100 {
			t.Errorf("%s: %d bytes", f.Name, len(direct))
		}
		if !bytes.Equal(direct, converted) {
			t.Errorf("%s: %s", f.Name, difference(direct, converted))
		}
	}
	// The same without source, which is in the JSON where it is asked for only.
	run("inventory", "-format=json="+filepath.Join(first, "bare"), "./shop/...")
	bare, err := os.ReadFile(filepath.Join(first, "bare"))
	if err != nil || bytes.Contains(bare, []byte(`"source": [`)) {
		t.Errorf("%v, or lines of source that nobody asked for", err)
	}
	validate(t, "bare", bare)
}

// schema is the published one.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("../../docs/inventory.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, name string, data []byte) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if err := schema(t).Validate(doc); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

var printedInventory = regexp.MustCompile(`(?ms)^\{\n  "schema": "fencevet\.inventory.*?^\}$`)

// TestSchema validates the inventories in the goldens, and one of all programs
// in testdata, against the published schema.
func TestSchema(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range printedInventory.FindAll(archive.Comment, -1) {
			found++
			validate(t, file, text)
		}
	}
	if found == 0 {
		t.Error("the goldens show no inventory")
	}
	dir, err := filepath.Abs(corpus)
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if code := command.Run(t.Context(), []string{"inventory", "-format=json"}, strings.NewReader(""), &stdout, &stderr, dir); code != 0 {
		t.Fatalf("exits with %d: %s", code, stderr.String())
	}
	validate(t, "testdata", stdout.Bytes())

	bad := bytes.Replace(stdout.Bytes(), []byte(`"verdict": "unfenced"`), []byte(`"verdict": "safe"`), 1)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(bad))
	if err != nil || schema(t).Validate(doc) == nil {
		t.Errorf("%v, or the schema lets any verdict pass", err)
	}
}
