package meaning

import (
	"testing"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/term"
)

const objects = `
library: objects
family: test
packages: {o: [o]}
calls:
  - func: (*o.Leases).Get
    query: {store: k8s, resource: arg 1}
  - func: (*o.Leases).Update
    write: {store: k8s, op: Update, resource: arg 1, conditions: {at: arg 1.ResourceVersion, kind: version}}
  - func: (*o.Leases).Create
    write: {store: k8s, op: Create, resource: arg 1, conditions: {kind: unique, compare: absent}}
`

func TestLeaseObjects(t *testing.T) {
	lib, err := catalog.Load("objects.yaml", []byte(objects))
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
	read := w.call("(*o.Leases).Get", w.v("leases"), w.v("ctx"), w.str("pier"))
	spec := func(kv ...any) *term.T { return w.mapping(LeaseSpec, kv...) }
	update := func(spec *term.T) *term.T {
		return w.call("(*o.Leases).Update", w.v("leases"), w.v("ctx"), w.p.With(read, Spec, spec))
	}
	for _, test := range []struct {
		name string
		call *term.T
		want string
	}{
		{"taken", update(spec(HolderIdentity, w.v("me"))), "acquire pier"},
		{"taken for a while", update(spec(HolderIdentity, w.v("me"), "RenewTime", w.v("now"))), "acquire pier"},
		{"renewed", update(spec("RenewTime", w.v("now"))), "renew pier"},
		{"given back", update(spec(HolderIdentity, w.p.Nil())), "release pier"},
		{"taken, field by field", update(w.p.With(w.p.With(w.p.Field(read, Spec), HolderIdentity, w.v("me")), "RenewTime", w.v("now"))), "acquire pier"},
		{"another kind of object", update(w.mapping("o.CertificateSpec", "RenewTime", w.v("now"))), ""},
		{"something else", update(spec("LeaseTransitions", w.v("n"))), ""},
		{"made", w.call("(*o.Leases).Create", w.v("leases"), w.v("ctx"), w.mapping("o.Lease", Spec, spec(HolderIdentity, w.v("me")), "Name", w.str("pier"))), "acquire pier"},
	} {
		got := ""
		for _, m := range w.Of(test.call) {
			if word := map[Role]string{Acquire: "acquire", Renew: "renew", Release: "release"}[m.Role]; word != "" && m.Role != Write {
				got = word + " " + m.Key.Place()
			}
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
