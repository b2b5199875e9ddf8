package engine

import (
	"bytes"
	"encoding/gob"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

func emptyEngine() *Engine {
	pool := term.NewPool()
	e := &Engine{Pool: pool, Reader: meaning.NewReader(catalog.Builtin(), pool)}
	e.Evidence = &Evidence{e: e, signs: make(map[*summary.Site]*summary.Signs)}
	return e
}

func fullSummary(e *Engine) *summary.Summary {
	s := &summary.Summary{}
	f := &filler{pool: e.Pool}
	for _, part := range []any{&s.Effects, &s.Holds, &s.Sections, &s.Results} {
		f.fill(reflect.ValueOf(part).Elem())
	}
	return s
}

// TestRoundTrip fills every field of a summary: one that is added to it and
// left out of the codec comes back empty.
func TestRoundTrip(t *testing.T) {
	e := emptyEngine()
	for _, lib := range catalog.Builtin().Libraries() {
		for _, c := range lib.Calls {
			if slices.Contains(c.Func, "(*sql.DB).ExecContext") {
				e.Reader.Register("(*database/sql.DB).ExecContext", []*catalog.Call{c})
			}
		}
	}
	s := fullSummary(e)
	fact := encode(e, s, "example.org/a")

	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(fact); err != nil {
		t.Fatal(err)
	}
	back := new(Fact)
	if err := gob.NewDecoder(&b).Decode(back); err != nil {
		t.Fatal(err)
	}
	got, _ := decode(e, back, "example.org/a") // with the same pool, terms are the same
	if !reflect.DeepEqual(got, s) {
		t.Errorf("got  %+v\nwant %+v", got, s)
	}
	for range 10 {
		if again := encode(e, s, "example.org/a"); !bytes.Equal(again.Code, fact.Code) {
			t.Fatal("the same summary has other bytes")
		}
	}
	other := emptyEngine()
	moved, _ := decode(other, fact, "example.org/a")
	if again := encode(other, moved, "example.org/a"); !bytes.Equal(again.Code, fact.Code) {
		t.Error("what was read is written otherwise")
	}
	if entry := other.Reader.Entry(moved.Effects[0].Call); entry == nil || entry.Write == nil {
		t.Error("the reader does not know what the called function means")
	}
}

func TestTermsRoundTrip(t *testing.T) {
	e := emptyEngine()
	p := e.Pool
	x := p.Param("a.F", 0, "x")
	call := p.Call("a.G", "example.org/a/a.go:3:7", x, p.Nil())
	carried := p.Elem(x, p.Key("a.K", p.Const("zero", "")))
	all := []*term.T{
		p.Unknown("why"), p.Const("duration", "8000000000"), p.Const("string", "\x00 and \x01 \x00. example.org/a\x00/"), p.Const("string", "example.org/a"), p.Const("string", "\x01example.org/a"),
		p.Nil(), x, p.Global("a.V"), p.Func("a.F"), p.Closure("a.F$1", x, p.Const("int", "1")), call, p.Call("make", "odd:place"), p.Call("make", ":0:0"),
		p.Result(call, 1), p.Out(call, 0), p.Field(x, "key"), p.Elem(x, nil), p.Elem(x, p.Const("int", "0")),
		p.Struct("a.T", "example.org/a/a.go:9:1", []string{"b", "a"}, []*term.T{x, call}), p.List(), p.List(x, x), p.Op("+", x, call), p.Join(x, call),
		p.Carried(carried, p.Field(carried, "conn"), call), p.RequestContext(x),
	}
	fact := encode(e, &summary.Summary{Results: all}, "example.org/a")
	got, _ := decode(e, fact, "example.org/a")
	if got == nil || len(got.Results) != len(all) {
		t.Fatalf("got %+v", got)
	}
	for i := range all {
		if got.Results[i] != all[i] {
			t.Errorf("%s comes back as %s", all[i].Text(), got.Results[i].Text())
		}
	}
	// What is below x came back to a pool that had met x first.
	if label := got.Results[6].Label; label != "x" {
		t.Errorf("the label is %q", label)
	}
}

// TestForeignBytes reads what no encoder wrote: it may be refused, and must not
// bring the tool down.
func TestForeignBytes(t *testing.T) {
	e := emptyEngine()
	code := encode(e, fullSummary(e), "example.org/a").Code
	for i := range code {
		decode(emptyEngine(), &Fact{Code: code[:i]}, "example.org/a")
		for _, b := range []byte{0, 1, 0x7f, 0xff} {
			bent := bytes.Clone(code)
			bent[i] = b
			_ = (&Fact{Code: bent}).String()
		}
	}
	if s, _ := decode(e, &Fact{Code: code[:len(code)/2]}, "example.org/a"); s != nil {
		t.Error("half a fact is taken for one")
	}
	bent := bytes.Clone(code)
	bent[0]++
	if s, _ := decode(e, &Fact{Code: bent}, "example.org/a"); s != nil {
		t.Error("a fact of another version is read")
	}
}

func TestFactString(t *testing.T) {
	e := emptyEngine()
	p := e.Pool
	call := p.Call("(*example.org/a.Mutex).Lock", "a/a.go:1:1", p.Param("a.F", 0, "m"))
	s := &summary.Summary{
		Effects: []summary.Effect{{Call: call}, {Why: lock.ReasonSQL}},
		Holds:   []summary.Hold{{Lock: summary.Acquired{Call: call}}},
		Results: []*term.T{nil, p.Param("a.F", 0, "m")},
	}
	got := encode(e, s, "example.org/a").String()
	for _, want := range []string{"holds (*~.Mutex).Lock(...)", "unseen: dynamic-sql", "result 1 is m"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if got := Nothing().String(); got != "nothing" {
		t.Errorf("the empty fact is %q", got)
	}
}

// TestBounds makes summaries that do not fit into a fact.
func TestBounds(t *testing.T) {
	e := emptyEngine()
	p := e.Pool
	call := func(i int) *term.T {
		return p.Call("a.F", "a/a.go:"+strconv.Itoa(i)+":1", p.Const("string", strings.Repeat(strconv.Itoa(i), 100)))
	}
	many := &summary.Summary{}
	for i := range maxEffects {
		many.Effects = append(many.Effects, summary.Effect{Call: call(i), At: lock.Frame{Position: lock.Position{File: "a.go", Line: i}}})
	}
	fact := e.fact(many, "example.org/a", true)
	got, _ := decode(e, fact, "example.org/a")
	n := len(got.Effects)
	if len(fact.Code) > maxFact || n < 10 || got.Effects[n-1].Why != lock.ReasonLimit {
		t.Errorf("%d bytes, %d effects, the last is %+v", len(fact.Code), n, got.Effects[n-1])
	}

	held := &summary.Summary{Holds: []summary.Hold{{Lock: summary.Acquired{Call: call(1)}}}}
	for range 8 {
		held.Results = append(held.Results, p.Call("a.G", strconv.Itoa(len(held.Results)), p.Const("string", strings.Repeat(strconv.Itoa(len(held.Results)), maxFact))))
	}
	got, _ = decode(e, e.fact(held, "example.org/a", true), "example.org/a")
	if len(got.Effects) != 1 || got.Effects[0].Why != lock.ReasonLimit {
		t.Errorf("what does not fit at all is %v", got)
	}

	held.Holds = nil
	if f := e.fact(held, "example.org/a", false); f != nil {
		t.Errorf("results alone take %d bytes", len(f.Code))
	}
	if f := e.fact(held, "example.org/a", true); f == nil || !f.Empty() {
		t.Errorf("a function without effects has %v", f)
	}
}

// BenchmarkFact writes and reads the fact of a summary that has everything.
func BenchmarkFact(b *testing.B) {
	e := emptyEngine()
	s := fullSummary(e)
	fact := encode(e, s, "example.org/a")
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			encode(e, s, "example.org/a")
		}
		b.ReportMetric(float64(len(fact.Code)), "B/fact")
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			decode(e, fact, "example.org/a")
		}
	})
}

// filler makes values none of whose fields is zero.
type filler struct {
	pool *term.Pool
	n    int
}

func (f *filler) fill(v reflect.Value) {
	f.n++
	switch x := v.Addr().Interface().(type) {
	case **term.T:
		*x = f.pool.Call("(*database/sql.DB).ExecContext", "a/a.go:"+strconv.Itoa(f.n)+":1", f.pool.Param("a.F", f.n, "p"))
		return
	case *lock.Position:
		*x = lock.Position{File: "example.org/a/a.go", Line: f.n, Column: 1}
		return
	case *world.Fact:
		*x = []world.Fact{world.Nil, world.True, world.NotNil}[f.n%3]
		return
	case *[]*summary.Site:
		g := &summary.Signs{}
		f.fill(reflect.ValueOf(g).Elem())
		*x = []*summary.Site{{Told: g}}
		return
	case *summary.Open:
		*x = summary.Dynamic
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Field(i)
			if !field.CanSet() { // unexported, of this package
				field = reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem()
			}
			f.fill(field)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(v.Index(0))
		f.fill(v.Index(1))
	case reflect.String:
		v.SetString("text " + strconv.Itoa(f.n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8:
		v.SetInt(int64(1 + f.n%50))
	case reflect.Uint8:
		v.SetUint(2)
	default:
		panic(v.Type())
	}
}
