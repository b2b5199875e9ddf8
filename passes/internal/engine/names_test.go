package engine

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
)

func TestFrames(t *testing.T) {
	e := load(t, `import "database/sql"

type wide struct{ *sql.DB }
type base struct{}
func (*base) Lock() *base { return nil }
type derived struct{ base }
type locker interface{ Lock() *base }
type list[T any] struct{}
func (*list[T]) add(T) {}

func f(db *sql.DB, w wide, d derived, l locker, run func(int)) {
	db.Ping()
	w.Ping()
	d.Lock().Lock()
	l.Lock()
	run(nested(1))
	db.
		QueryRow("SELECT 1").
		Err()
	new(list[int]).add(2)
	defer func() { g() }()
}
func nested(n int) int { return n }
func g() {}
`)
	f, fn := member(t, e, "f")
	var got []string
	for _, m := range append([]*ssa.Function{fn}, fn.AnonFuncs...) {
		for _, b := range m.Blocks {
			for _, in := range b.Instrs {
				if c, ok := in.(ssa.CallInstruction); ok {
					frame := f.Frame(c, "")
					got = append(got, fmt.Sprintf("%d:%d %s in %s", frame.Line, frame.Column, frame.Callee, frame.Function))
				}
			}
		}
	}
	want := []string{
		"13:2 (*sql.DB).Ping in f",
		"14:2 (p.wide).Ping in f",
		"15:2 (*p.derived).Lock in f",
		"15:2 (*p.base).Lock in f",
		"16:2 (p.locker).Lock in f",
		"17:6 p.nested in f",
		"17:2  in f",
		"19:3 (*sql.DB).QueryRow in f", // the chain begins on another line
		"20:3 (*sql.Row).Err in f",
		"21:2 (*p.list[int]).add in f",
		"22:22 p.f$1 in f",
		"22:17 p.g in f",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func TestStandard(t *testing.T) {
	out, err := exec.Command("go", "list", "std").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		if !Standard(path) {
			t.Errorf("%s is Go's own", path)
		}
	}
	for _, path := range []string{"corp/ledger", "ledger", "example.org/sync"} {
		if Standard(path) {
			t.Errorf("%s is not Go's own", path)
		}
	}
}
