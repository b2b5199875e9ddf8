package sqlread

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestParsers compares the reader with what the grammars of PostgreSQL and MySQL
// say of the same statements. These are run by the module in testdata/parsers;
// its answers are in testdata/parsed.json.
//
// Where a grammar takes a statement the reader has to find the same verb, table,
// columns and conditions. It may say that it cannot follow, but seldom.
func TestParsers(t *testing.T) {
	data, err := os.ReadFile("testdata/parsed.json")
	if err != nil {
		t.Fatal(err)
	}
	type facts struct {
		Verb, Table, Conflict string
		Set, Insert, Where    []string
		Locks                 bool
		Params                int
	}
	compared, unknown := 0, 0
	for line := range bytes.Lines(data) {
		var p struct {
			SQL             string
			Postgres, MySQL *facts
		}
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		list := Read(p.SQL)
		for grammar, f := range map[string]*facts{"PostgreSQL": p.Postgres, "MySQL": p.MySQL} {
			if f == nil {
				continue
			}
			compared++
			if len(list) != 1 {
				t.Errorf("%s: %d statements", p.SQL, len(list))
				continue
			}
			st := list[0]
			differs := func(what string, got, want any) {
				t.Errorf("%s\n\t%s: %v, %s has %v", p.SQL, what, got, grammar, want)
			}
			if f.Verb != "OTHER" && st.Verb != f.Verb {
				differs("verb", st.Verb, f.Verb)
			}
			if st.Params != f.Params {
				differs("parameters", st.Params, f.Params)
			}
			if f.Verb == "SELECT" {
				if st.ForUpdate != f.Locks {
					differs("rows stay locked", st.ForUpdate, f.Locks)
				}
				if st.Unknown == "" && !sameGuards(st.Where, f.Where) {
					differs("conditions", shown(st.Where), f.Where)
				}
				continue
			}
			if f.Table == "" || len(st.Writes) == 0 {
				if f.Table != "" {
					differs("writes", "none", f.Table)
				}
				continue
			}
			w := st.Writes[len(st.Writes)-1]
			if st.Unknown != "" || w.Unknown != "" {
				unknown++
				continue
			}
			if w.Table != strings.ToLower(f.Table) {
				if p.Postgres != nil && w.Table == p.Postgres.Table {
					continue // MySQL reads another statement; the reader has to choose
				}
				differs("table", w.Table, f.Table)
			}
			if w.Conflict != f.Conflict && f.Verb != "MERGE" {
				differs("conflict", w.Conflict, f.Conflict)
			}
			if got := columns(w.Insert); len(f.Insert) > 0 && f.Verb != "MERGE" && !slices.Equal(got, lower(f.Insert)) {
				differs("inserted", got, f.Insert)
			}
			// What may keep the stored value is no plain assignment to the reader.
			if got := columns(w.Set); len(f.Set) > 0 && len(got) == len(f.Set) && !slices.Equal(got, lower(f.Set)) {
				differs("assigned", got, f.Set)
			}
			if len(w.Set) > len(f.Set) && f.Verb == "UPDATE" {
				differs("assigned", columns(w.Set), f.Set)
			}
			guards := w.Guards
			if chooses.MatchString(p.SQL) && len(guards) > len(f.Where) {
				guards = guards[:len(f.Where)] // the rest is what the assignments ask
			}
			// An INSERT without an update has the conditions of the rows that it takes from.
			if len(w.Set) == len(f.Set) && f.Verb != "MERGE" && (f.Verb != "INSERT" || f.Conflict == "update") && !sameGuards(guards, f.Where) {
				differs("conditions", shown(w.Guards), f.Where)
			}
		}
	}
	if compared < 300 {
		t.Errorf("only %d readings were compared", compared)
	}
	if unknown*20 > compared {
		t.Errorf("%d of %d readings could not be followed", unknown, compared)
	}
	t.Logf("%d readings compared, %d not followed", compared, unknown)
}

// chooses finds assignments that may keep the stored value.
var chooses = regexp.MustCompile(`CASE|GREATEST|IF\(`)

func columns(list []Assign) []string {
	var out []string
	for _, a := range list {
		out = append(out, a.Column)
	}
	return out
}

func lower(list []string) []string {
	out := slices.Clone(list)
	for i := range out {
		out[i] = strings.ToLower(out[i])
	}
	return out
}

func shown(list []Guard) []string {
	var out []string
	for _, g := range list {
		s := strings.TrimSpace(g.Column + " " + g.Op)
		if g.Op == "or" || g.NullOK && g.Op == "<" {
			s = "or" // token IS NULL OR token < ?
		}
		out = append(out, s)
	}
	return out
}

// sameGuards reports whether every conjunct that a grammar tells as a plain
// comparison is among the guards, in its order, and there are no more than that,
// unless some are not plain: those the reader may see through.
func sameGuards(list []Guard, want []string) bool {
	got, plain := shown(list), 0
	for _, w := range want {
		if w == "?" {
			continue
		}
		plain++
		i := slices.Index(got, strings.ToLower(w))
		if i < 0 {
			return false
		}
		got = got[i+1:]
	}
	return plain < len(want) || len(got) == 0 && len(list) == len(want)
}
