package catalog

import (
	"strings"
	"testing"
)

// head is a valid start of a file, of five lines.
const head = `library: x
packages:
  p: [example.org/p, example.org/p/v2]
locks: true
calls:
`

func TestLoadErrors(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"empty", "", []string{"f.yaml:1:1: empty file"}},
		{"not yaml", "library: [", []string{"f.yaml:1:1: not YAML: did not find expected node content"}},
		{"tab", "library: x\n\tcalls: []", []string{"f.yaml:2:1: not YAML: found a tab character that violates indentation"}},
		{"list at the top", "- a", []string{"f.yaml:1:1: want a mapping (key: value), not a list"}},
		{"no library", "packages: {p: a}\ncalls:\n  - {func: p.F, pure: true}", []string{"f.yaml:1:1: library is missing"}},
		{"nothing said", "library: x", []string{"f.yaml:1:1: the file says nothing"}},
		{"unknown top key", "library: x\ncall:\n  - 1", []string{"f.yaml:1:1: the file says nothing", `f.yaml:2:1: unknown key "call" (did you mean calls?): want one of library, `}},
		{"unknown role", head + "  - {func: p.F, aquire: {kind: lease}}", []string{"6:5: entry without a meaning", `6:17: unknown key "aquire" (did you mean acquire?): want one of func, param,`}},
		{"unknown key in a role", head + "  - func: p.F\n    acquire: {kind: lease, tll: arg 0}", []string{`7:28: unknown key "tll"`}},
		{"repeated key", head + "  - {func: p.F, pure: true, pure: true}", []string{`6:29: key "pure" stands here twice`}},
		{"wrong type: list", head + "  - {func: p.F, same: [arg 0]}", []string{"6:5: entry without a meaning", "6:23: want a reference, not a list"}},
		{"wrong type: scalar", head + "  - {func: p.F, write: sql}", []string{"6:24: want a mapping (key: value), not a single value"}},
		{"wrong type: bool", head + "  - {func: p.F, pure: yes}", []string{"6:5: entry without a meaning", `6:23: "yes" is neither true nor false`}},
		{"empty value", head + "  - {func: p.F, same: }", []string{"6:5: entry without a meaning", "6:23: empty value: want a reference"}},
		{"empty role", head + "  - {func: p.F, write: {}}", []string{"6:24: empty mapping: want one of store"}},
		{"bad reference", head + "  - {func: p.F, same: argument 0}", []string{"6:5: entry without a meaning", `6:23: bad reference "argument 0"`}},
		{"bad path", head + "  - {func: p.F, same: arg 0..x.}", []string{"6:5: entry without a meaning", "6:23: bad reference"}},
		{"bad handle", "library: x\npackages: {p: a}\nhandles: {pool: (p.T).M, conn: q.T, tx: [p.A, p.A]}\ncalls:\n  - {func: p.F, pure: true}", []string{`3:17: bad type name "(p.T).M"`, `3:32: unknown package alias "q"`, "3:41: type p.A has an entry at"}},
		{"word in a call", head + "  - {func: p.F, same: word 1}", []string{`6:23: "word 1" cannot be used in a call`}},
		{"argument in a command", "library: x\ncommands:\n  - {name: SET, write: {store: redis, resource: arg 1}}", []string{`3:49: "arg 1" cannot be used in a Redis command`}},
		{"receiver in SQL", "library: x\nsql:\n  - {name: f, release: {key: receiver}}", []string{`3:30: "receiver" cannot be used in an SQL function`}},
		{"receiver of a function", head + "  - {func: p.F, release: {handle: receiver}}", []string{"6:12: p.F has no receiver"}},
		{"bad function name", head + "  - {func: [p.F, F, (p.T.F], pure: true}", []string{`6:18: bad function name "F"`, `6:21: bad function name "(p.T.F"`}},
		{"unknown alias", head + "  - {func: (*q.T).M, pure: true}", []string{`6:12: unknown package alias "q": add it to packages (known: p)`}},
		{"pair of a function", head + "  - {func: p.F, pair: {is: take}, pure: true}", []string{"6:23: a pair restricts an entry by param"}},
		{"half of a pair", head + "  - {param: p.T, pair: {take: [Lock]}, pure: true}", []string{"6:24: a pair restricts an entry by param"}},
		{"no function", head + "  - {pure: true}", []string{"6:5: entry without func"}},
		{"func and param", head + "  - {func: p.F, param: p.T, pure: true}", []string{"6:5: func, field and param exclude each other"}},
		{"bad param", head + "  - {param: T, pure: true}", []string{`6:13: bad type name "T": want pkg.T`}},
		{"bad field", head + "  - {field: p.T, pure: true}", []string{`6:13: bad field name "p.T": want pkg.T.Field`}},
		{"no meaning", head + "  - {func: p.F}", []string{"6:5: entry without a meaning"}},
		{"bad enum", head + "  - {func: p.F, acquire: {kind: leese}}", []string{`6:33: "leese" is not known here: want one of lease, session, election, advisory`}},
		{"bad runs", head + "  - {func: p.F, runs: {func: arg 0, how: soon}}", []string{`6:42: "soon" is not known here: want one of now, go, later`}},
		{"bad clock", head + "  - {func: p.F, clock: stop}", []string{`6:24: "stop" is not known here`}},
		{"bad reject", head + "  - {func: p.F, write: {store: sql, reject: maybe}}", []string{`6:45: "maybe" is not known here`}},
		{"bad condition", head + "  - {func: p.F, write: {store: sql, conditions: [{at: arg 0, kind: etag}]}}", []string{`6:68: "etag" is not known here`}},
		{"bad duration", head + "  - {func: p.F, new: {ttl-default: 8}}", []string{`6:36: bad duration "8"`}},
		{"negative duration", head + "  - {func: p.F, new: {ttl-default: -8s}}", []string{`6:36: bad duration "-8s"`}},
		{"bad fraction", head + "  - {func: p.F, renew: {interval: 3/1}}", []string{`6:35: bad interval "3/1"`}},
		{"acquire without kind", head + "  - {func: p.F, acquire: {key: arg 0}}", []string{"6:26: acquire needs kind"}},
		{"runs without func", head + "  - {func: p.F, runs: {how: now}}", []string{"6:23: runs needs func"}},
		{"incomplete condition", head + "  - {func: p.F, when: {at: arg 0}, pure: true}", []string{"6:23: condition needs at, and is or not"}},
		{"twice", head + "  - {func: (*p.T).M, pure: true}\n  - {func: [p.F, (p.T).M], pure: true}", []string{"7:18: (p.T).M has an entry at f.yaml:6:12 already"}},
		{"command twice", "library: x\ncommands:\n  - {name: GET, pure: true}\n  - {name: GET, pure: true}", []string{"4:5: command GET has an entry at f.yaml:3:5 already"}},
		{"command in lower case", "library: x\ncommands:\n  - {name: get, pure: true}", []string{"3:5: command needs a name in upper case"}},
		{"SQL function without meaning", "library: x\nsql:\n  - {name: f}", []string{"3:5: SQL function f without a meaning"}},
		{"bad import path", "library: x\npackages: {p: [a b, c, c]}\ncalls:\n  - {func: p.F, pure: true}", []string{`2:16: bad import path "a b"`, `2:24: import path "c" is listed twice`}},
		{"alias of YAML", "library: &l x\nfamily: *l\ncalls: []", []string{"1:1: the file says nothing", "2:9: YAML aliases are not supported", "3:8: empty list"}},
		{"several", head + "  - {func: q.F, same: arg}\n  - {acquire: {kind: x}}", []string{`6:5: entry without a meaning`, `6:12: unknown package alias "q"`, `6:23: bad reference "arg"`, "7:5: entry without func", `7:22: "x" is not known here`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Load("f.yaml", []byte(tc.text))
			if err == nil {
				t.Fatal("no error")
			}
			got := strings.Split(err.Error(), "\n")
			if len(got) != len(tc.want) {
				t.Fatalf("got %d errors, want %d:\n%v", len(got), len(tc.want), err)
			}
			for i, w := range tc.want {
				if !strings.HasPrefix(got[i], "f.yaml:"+strings.TrimPrefix(w, "f.yaml:")) {
					t.Errorf("got  %s\nwant %s", got[i], w)
				}
			}
		})
	}
}

func TestLoad(t *testing.T) {
	lib, err := Load("f.yaml", []byte(head+`  - func: (*p.T).Lock
    when: {at: arg 0.Mode, is: NX}
    acquire: {kind: lease, key: arg 0, ttl: arg 1.TTL, success: {at: result 0, is: "true"}}
`))
	if err != nil {
		t.Fatal(err)
	}
	c := lib.Calls[0]
	if c.Pos != "f.yaml:6:5" || c.Library != lib {
		t.Errorf("entry at %s of %v", c.Pos, c.Library)
	}
	if got := c.Acquire.TTL.String(); got != "arg 1.TTL" {
		t.Errorf("TTL is %q", got)
	}
	if got := c.When[0].At.String() + " is " + c.When[0].Is[0]; got != "arg 0.Mode is NX" {
		t.Errorf("condition: %s", got)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(head + "  - {func: p.F, acquire: {kind: lease, key: arg 0}}"))
	f.Add([]byte("library: &a [*a]"))
	f.Add([]byte("a: !!binary x\n<<: {b: c}\n"))
	for _, name := range []string{"data/radix.yaml"} {
		data, err := Files.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		lib, err := Load("f.yaml", data)
		if (lib == nil) == (err == nil) {
			t.Errorf("library %v with error %v", lib, err)
		}
	})
}
