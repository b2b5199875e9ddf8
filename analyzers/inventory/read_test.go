package inventory

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/passes/lock"
)

// written is a document as the command writes it.
func written(t testing.TB) []byte {
	u := use("/m/stock/stock.go", 31, func(u *lock.Use) {
		u.Verdict, u.Renewal, u.TTL.Source = lock.Unfenced, "none", "default"
		u.Writes = []lock.Write{{
			Frame: lock.Frame{Position: lock.Position{File: "/m/stock/repo.go", Line: 5}}, Condition: lock.None, Reached: "call",
			Trail: []lock.Frame{{Position: lock.Position{File: "/m/stock/stock.go", Line: 40}, Callee: "(*Repo).Save"}},
		}}
	})
	inv := Build([]*lock.Use{u}, []lock.Finding{{Check: "unfenced", Level: lock.Error, Use: u}}, Options{Root: "/m", Modules: []string{"example.org/shop"}})
	data, err := json.MarshalIndent(inv, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRead(t *testing.T) {
	data := written(t)
	inv, err := Read(data, "a.json")
	if err != nil {
		t.Fatal(err)
	}
	again, err := json.MarshalIndent(inv, "", "  ")
	if err != nil || !bytes.Equal(again, data) {
		t.Errorf("%v, written again:\n%s\nfirst:\n%s", err, again, data)
	}
	if _, err := Read(bytes.Replace(data, []byte(`"role"`), []byte(`"later": {"x": [1]}, "role"`), 1), "a.json"); err != nil {
		t.Errorf("a key of a later version: %v", err)
	}
}

func TestReadErrors(t *testing.T) {
	good := string(written(t))
	replace := func(from, to string) string {
		if !strings.Contains(good, from) {
			t.Fatalf("no %s in\n%s", from, good)
		}
		return strings.Replace(good, from, to, 1)
	}
	first, _, _ := strings.Cut(good, `"locks"`)
	at := strings.Count(first, "\n") + 1 // line of "locks"
	for _, test := range []struct{ name, data, want string }{
		{"empty", " \n", "a.json:1:1: the file is empty"},
		{"no JSON", "locks: 3", "a.json:1:1: no JSON: invalid character 'l'"},
		{"cut off", good[:len(first)], "no JSON: unexpected end of JSON input"},
		{"more behind", good + "{}", "no JSON: invalid character '{' after top-level value"},
		{"another document", `{"version": "2.1.0"}`, `a.json:1:1: no inventory: it has no key schema`},
		{"array", `[]`, `a.json:1:1: want an object, got array`},
		{"other version", replace(Schema, "fencevet.inventory/v2"), `a.json:2:13: schema is "fencevet.inventory/v2", and this fencevet reads "fencevet.inventory/v1"`},
		{"schema no string", `{"schema": 1}`, `a.json:1:12: schema is 1,`},
		{"wrong type", replace(`"line": 31`, `"line": "31"`), "locks.acquire.line: want an integer, got string"},
		{"fraction", replace(`"line": 31`, `"line": 3.5`), "locks.acquire.line: want an integer, got number 3.5"},
		{"negative", replace(`"line": 31`, `"line": -1`), "locks[0].acquire.line: -1 is less than 0"},
		{"verdict", replace(`"verdict": "unfenced"`, `"verdict": "safe"`), `locks[0].verdict: "safe" is none of fenced, unfenced, unverified, no-visible-write`},
		{"verdict left out", replace(`"verdict": "unfenced",`, ``), `locks[0].verdict: "" is none of`},
		{"condition", replace(`"condition": "none"`, `"condition": "maybe"`), `locks[0].writes[0].condition: "maybe" is none of`},
		{"level", replace(`"level": "error"`, `"level": "fatal"`), `findings[0].level: "fatal" is none of error, warning, note`},
		{"id", replace(`"id": "`, `"id": "javascript:`), `locks[0].id: "javascript:`},
		{"summary", replace(`"unfenced": 1`, `"unfenced": 7`), "summary: the counts are not those of the locks"},
		{"finding of no lock", replace(`"lock": "`, `"lock": "0`), "findings[0].lock: no lock has this id"},
		{"two alike", replace(`"findings"`, `"Locks": [{"id":"00000000"},{"id":"00000000"}], "findings"`), "is none of"},
	} {
		_, err := Read([]byte(test.data), "a.json")
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
	_, err := Read([]byte(replace(`"role": "use"`, `"role": "user"`)), "a.json")
	if n, _ := lineOf(err); n != at+3 {
		t.Errorf("line %d of %v, want %d", n, err, at+3)
	}
}

// lineOf returns the line that an error of Read names.
func lineOf(err error) (int, string) {
	rest, ok := strings.CutPrefix(err.Error(), "a.json:")
	if !ok {
		return 0, ""
	}
	n := 0
	for rest[0] >= '0' && rest[0] <= '9' {
		n = n*10 + int(rest[0]-'0')
		rest = rest[1:]
	}
	return n, rest
}

// FuzzRead demands that what is read can be written, and is then read the same.
func FuzzRead(f *testing.F) {
	f.Add(written(f))
	f.Add([]byte(`{"schema":"fencevet.inventory/v1","summary":{}}`))
	f.Add([]byte(`{"schema":"fencevet.inventory/v1","locks":[{"ID":"00000000","ttl":{"seconds":-1}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		inv, err := Read(data, "a.json")
		if err != nil {
			if n, _ := lineOf(err); n < 1 || n > bytes.Count(data, []byte("\n"))+1 {
				t.Fatalf("line %d in %v", n, err)
			}
			return
		}
		text, err := json.Marshal(inv)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Read(text, "a.json")
		if err != nil || !reflect.DeepEqual(again, inv) {
			t.Fatalf("read again: %v\n%+v\n%+v", err, again, inv)
		}
	})
}

func TestQuote(t *testing.T) {
	inv := &Inventory{
		Locks: []Lock{{
			Acquire: Acquire{File: "a.go", Line: 1},
			Writes:  []Write{{File: "b.go", Line: 9, Trail: []Step{{File: "a.go", Line: 6}}}},
			Section: Section{Slow: []Slow{{File: "gone.go", Line: 1}}},
		}},
		Findings: []Finding{{File: "a.go", Line: 4000}, {File: "", Line: 0}},
	}
	inv.Quote(func(file string) ([]byte, error) {
		switch file {
		case "a.go":
			return []byte("1\r\n2\n3\n4\n5\n6\n7\xff\n8\n" + strings.Repeat("9", 300)), nil
		case "b.go":
			return nil, errors.New("permission denied")
		}
		return nil, errors.New("gone")
	})
	var got strings.Builder
	for _, s := range inv.Source {
		got.WriteString(s.File)
		for _, l := range s.Lines {
			got.WriteString(" " + l.Text[:1])
			if len(l.Text) > 250 {
				t.Errorf("a line of %d bytes", len(l.Text))
			}
		}
	}
	if want := "a.go 1 2 3 4 5 6 7 8 9"; got.String() != want {
		t.Errorf("got %s, want %s", got.String(), want)
	}
	if text := inv.Source[0].Lines[6].Text; text != "7\ufffd" {
		t.Errorf("line 7: %q", text)
	}
}
