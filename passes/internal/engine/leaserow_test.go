package engine

import (
	"testing"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
)

func TestTendsRow(t *testing.T) {
	p := term.NewPool()
	now, later, null := p.Op("sql:now"), p.Op("sql:+", p.Op("sql:now"), p.Const("string", "1m")), p.Const("string", "NULL")
	row := &meaning.Row{Resource: "sql:l", Expiry: "until", Sets: []meaning.Setting{{Column: "until", Value: later}, {Column: "holder", Value: p.Global("me")}}}
	set := func(kv ...any) []meaning.Setting {
		var out []meaning.Setting
		for i := 0; i < len(kv); i += 2 {
			out = append(out, meaning.Setting{Column: kv[i].(string), Value: kv[i+1].(*term.T)})
		}
		return out
	}
	for _, c := range []struct {
		name string
		sets []meaning.Setting
		want rowPart
	}{
		{"expire", set("until", now), RowFree},
		{"free", set("holder", null), RowFree},
		{"extend", set("until", later), rowExtend},
		{"extend by the caller's clock", set("until", p.Global("t")), rowExtend},
		{"free and store", set("holder", null, "result", p.Global("r")), rowData},
		{"extend and store", set("until", later, "progress", p.Global("n")), rowData},
		{"store", set("result", p.Global("r")), rowData},
		{"requeue", set("holder", null, "state", p.Const("string", "queued")), RowFree},
	} {
		if got := TendsRow(&meaning.Change{Operation: "UPDATE", Sets: c.sets}, row); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	if got := TendsRow(&meaning.Change{Operation: "DELETE"}, row); got != RowFree {
		t.Errorf("delete: %d", got)
	}
}
