// Package parsers reads the statements of the test of sqlread with the grammars
// of PostgreSQL and MySQL, and writes down what these say. It is a module of its
// own: the parsers are heavy, one of them is the server's own as WebAssembly, and
// fencevet does not need them. The test of sqlread compares with what is written
// down, so it runs everywhere; this one says whether that is still true.
package parsers

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite ../parsed.json")

// Parsed is what both grammars say of a statement; nil if they refuse it.
type Parsed struct {
	SQL      string
	Postgres *Facts `json:",omitempty"`
	MySQL    *Facts `json:",omitempty"`
}

// Facts are what a statement does.
type Facts struct {
	Verb     string
	Table    string   `json:",omitempty"` // that is written
	Set      []string `json:",omitempty"` // columns that an update assigns
	Insert   []string `json:",omitempty"` // columns that an insert stores
	Conflict string   `json:",omitempty"` // nothing, update
	Where    []string `json:",omitempty"` // conjuncts: "token <", "id is null", "or"; "?" for others
	Locks    bool     `json:",omitempty"` // FOR UPDATE
	Params   int      `json:",omitempty"`
}

func TestParsed(t *testing.T) {
	text, err := os.ReadFile("../dialects.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []Parsed
	for _, sql := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		all = append(all, Parsed{sql, postgres(sql), mysql(sql)})
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, p := range all {
		if err := e.Encode(p); err != nil {
			t.Fatal(err)
		}
	}
	const file = "../parsed.json"
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(file); err != nil || !bytes.Equal(old, b.Bytes()) {
		t.Errorf("%s is not what the parsers say now: run this test with -update", file)
	}
}
