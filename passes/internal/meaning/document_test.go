package meaning

import (
	"strings"
	"testing"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/term"
)

const store = `
library: store
family: test
packages: {t: [t]}
calls:
  - func: (*t.Store).Put
    acquire: {kind: lease, key: arg 0.Key, raw: true, try: true}
    write: {store: s3, op: Put, resource: arg 0.Key, value: arg 0.Body, conditions: [{at: arg 0.IfMatch, kind: version}, {at: arg 0.IfNoneMatch, kind: unique, is: "*"}, {at: arg 0.Condition, kind: expression}]}
  - func: (*t.Store).Get
    query: {store: s3, resource: arg 0}
`

func TestLeaseDocuments(t *testing.T) {
	lib, err := catalog.Load("store.yaml", []byte(store))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	for _, c := range lib.Calls {
		c.Library = lib
		for _, fn := range c.Func {
			w.Register(fn, []*catalog.Call{c})
		}
	}
	lease := w.mapping("p.lease", "Owner", w.v("me"), "Expires", w.v("until"))
	put := func(body *term.T, kv ...any) *term.T {
		return w.call("(*t.Store).Put", w.v("s"), w.mapping("t.Input", append([]any{"Key", w.str("k"), "Body", body}, kv...)...))
	}
	got := w.p.Field(w.call("(*t.Store).Get", w.v("s"), w.str("k")), "ETag")
	held := w.p.Field(w.p.Param("p.renew", 0, "l"), "etag")
	holder := w.call("(e.Builder).Equal", w.call("e.Name", w.str("owner")), w.v("me"))
	over := w.call("(e.Builder).Less", w.call("e.Name", w.str("expires")), w.v("now"))

	tests := []struct {
		name string
		call *term.T
		want string
	}{
		{"taken over", put(lease, "IfMatch", got), "acquire of p.lease"},
		{"created once", put(lease, "IfNoneMatch", w.str("*")), "acquire of p.lease"},
		{"renewed by what is held", put(lease, "IfMatch", held), "renew of p.lease"},
		{"renewed or created", put(lease, "IfMatch", w.p.Join(held, got)), "acquire of p.lease"},
		{"renewed by its holder", put(lease, "Condition", holder), "renew of p.lease"},
		{"taken over when over", put(lease, "Condition", w.call("e.Or", holder, over)), "acquire of p.lease"},
		{"without a condition", put(lease), ""},
		{"without a holder", put(w.mapping("p.token", "ID", w.v("id"), "Expires", w.v("until")), "IfMatch", got), "raw acquire"},
		{"without an end", put(w.mapping("p.file", "Owner", w.v("me"), "Size", w.v("n")), "IfMatch", got), "raw acquire"},
		{"out of sight", put(w.v("body"), "IfMatch", got), "raw acquire"},
	}
	for _, test := range tests {
		var got []string
		for _, m := range w.Of(test.call) {
			text := map[Role]string{Acquire: "acquire", Renew: "renew"}[m.Role]
			switch {
			case m.Role == Write:
				continue
			case m.Raw:
				text = "raw " + text
			case m.Record != "":
				text += " of " + m.Record
			}
			got = append(got, text)
		}
		if strings.Join(got, ", ") != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestLeaseLife(t *testing.T) {
	w := newWorld(t)
	rec, ok := leaseRecord(w.mapping("p.lease", "HolderID", w.v("me"), "LeaseTTL", w.p.Const("duration", "30000000000")))
	if !ok || rec.lifetime.Seconds != 30 || rec.holder != w.v("me") {
		t.Errorf("%+v, %t: want one of 30 s", rec, ok)
	}
	if rec, _ := leaseRecord(w.mapping("p.lease", "Owner", w.v("me"), "Until", w.v("until"))); rec.lifetime.Source != "unknown" {
		t.Errorf("%+v: the end says nothing of the length", rec.lifetime)
	}
}

func TestWords(t *testing.T) {
	for name, want := range map[string]string{
		"lockedUntil": "locked until", "LockedUntil": "locked until", "locked_until": "locked until", "lock:job:42": "lock job",
		"LeaseTTL": "lease ttl", "TTLDeadline": "ttl deadline", "DBLock": "db lock", "ownerIDs": "owner ids", "UUIDv4": "uuidv", "": "",
	} {
		if got := strings.Join(Words(name), " "); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
