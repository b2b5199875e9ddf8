package term

import "testing"

// TestObjects: values with defaults, fields that are set, and functions that set
// them, before and after it is known what they are made of.
func TestObjects(t *testing.T) {
	p := NewPool()
	x, ttl := p.Param("f", 0, "x"), p.Const("duration", "5")
	opts := p.Param("f", 1, "opts")
	zero := p.Struct("T", "a:1:1", nil, nil)
	five := p.Struct("T", "a:1:1", []string{"ttl"}, []*T{ttl})
	bind := func(v, o *T) func(*T) *T {
		return func(t *T) *T { return []*T{v, o}[t.Index] }
	}

	def := p.Or(p.Field(x, "ttl"), p.Const("duration", "30"))
	if got := p.Subst(def, bind(zero, nil)).Name; got != "30" {
		t.Errorf("the default of a zero value is %s", got)
	}
	if got := p.Subst(def, bind(five, nil)).Name; got != "5" {
		t.Errorf("what is given is %s", got)
	}
	if len(def.Alts()) != 2 {
		t.Errorf("%s has %d alternatives", def.Text(), len(def.Alts()))
	}

	set := p.With(x, "ttl", ttl)
	if p.Field(set, "ttl") != ttl || p.Field(set, "key") != p.Field(x, "key") {
		t.Errorf("fields of %s", set.Text())
	}
	if got := p.Subst(set, bind(zero, nil)); got != five {
		t.Errorf("a struct with a field set is %v", got)
	}

	asked := 0
	p.Apply = func(fns *T, index int, x *T) *T {
		if asked++; fns.Kind != List {
			return nil
		}
		return p.With(x, "ttl", ttl)
	}
	run := p.Applied(opts, 1, x)
	if run.Kind != Op || asked != 1 {
		t.Errorf("functions that are not known make %v", run)
	}
	if got := p.Subst(run, bind(zero, p.List(p.Func("g")))); got != five {
		t.Errorf("after them it is %v", got)
	}
}

// TestFit: a term that is cut is still told apart by the calls in it.
func TestFit(t *testing.T) {
	p := NewPool()
	chain := func(site string) *T {
		x := p.Call("make", site, p.Param("f", 0, "x"))
		for range 5 {
			x = p.Field(p.Call("next", site, x), "f")
		}
		return x
	}
	a, b := chain("a:1:1"), chain("b:1:1")
	if a.depth <= maxArgDepth {
		t.Fatalf("%v is not too deep", a)
	}
	if p.Fit(a) == p.Fit(b) || p.Fit(a).depth > maxArgDepth {
		t.Errorf("%v and %v", p.Fit(a), p.Fit(b))
	}
	small := p.Call("f", "a:1:1", p.Const("int", "1"))
	if p.Fit(small) != small {
		t.Error("a small term is cut")
	}
}
