package checktest

import (
	"reflect"
	"testing"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		source string
		want   Line
	}{
		{`x := 1`, Line{}},
		{`x := 1 // we want: nothing`, Line{Want: []string{"nothing"}}}, // loose on purpose: a typo must not hide a want
		{`f() // want: unfenced`, Line{Want: []string{"unfenced"}}},
		{`f() // want: unfenced, longsection`, Line{Want: []string{"unfenced", "longsection"}}},
		{`f() // verdict: no-visible-write`, Line{Verdict: []string{"no-visible-write"}}},
		{`f() // verdict: unfenced // want: poolconn`, Line{Want: []string{"poolconn"}, Verdict: []string{"unfenced"}}},
		{`f() // verdict: fenced, unfenced`, Line{Verdict: []string{"fenced", "unfenced"}}},
		{`f() // gap: FN unfenced the map is not followed`, Line{Missed: []string{"unfenced"}}},
		{`f() // gap: FP lock is a cache // gap: FN verdict x`, Line{Missed: []string{"verdict"}, Wrong: []string{"lock"}}},
		{`const s = "gap: x"`, Line{}},
		{`f() // want: unfenced // linked`, Line{Want: []string{"unfenced"}, Linked: true}},
		{`f() // linked // verdict: fenced`, Line{Verdict: []string{"fenced"}, Linked: true}},
		{`f() // linked lists`, Line{}},
		{`f() // alone: weakcondition // verdict: unfenced`, Line{Alone: []string{"weakcondition"}, Verdict: []string{"unfenced"}}},
		{`f() // lock: order:%d 15s`, Line{Lock: "order:%d 15s"}},
		{`f() // verdict: fenced // lock: order:%d // linked`, Line{Verdict: []string{"fenced"}, Lock: "order:%d -", Linked: true}},
		{`f() // a lock: it ends when its holder does`, Line{}},
	} {
		got, err := Parse(test.source)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("Parse(%q) = %+v, %v; want %+v", test.source, got, err, test.want)
		}
	}
	for _, source := range []string{
		`f() // verdict: safe`,
		`f() // gap: FN unfenced`,
		`f() // gap: unfenced is not found yet`,
	} {
		if got, err := Parse(source); err == nil {
			t.Errorf("Parse(%q) = %+v; want an error", source, got)
		}
	}
}

func TestCompare(t *testing.T) {
	found := func(check string) []Item { return []Item{{Name: check, Text: "why"}} }
	taken := func(verdict string) []Item { return []Item{{Name: verdict, Verdict: true, Text: "why"}} }
	quiet := []Item{{Name: "unfenced", Quiet: true}}

	for _, test := range []struct {
		source   string
		reported []Item
		want     []string
	}{
		{"", nil, nil},
		{"", found("unfenced"), []string{"unexpected: unfenced: why"}},
		{"", quiet, nil},
		{"// want: unfenced", nil, []string{"missing: unfenced"}},
		{"// want: unfenced", found("unfenced"), nil},
		{"// want: unfenced", quiet, nil},
		{"// want: unfenced", taken("unfenced"), []string{"missing: unfenced", "unexpected: unfenced: why"}},
		{"// gap: FN unfenced x", nil, nil},
		{"// gap: FN unfenced x", found("unfenced"), []string{"gap closed: unfenced is found; drop the gap and want it"}},
		{"// gap: FP unfenced x", found("unfenced"), nil},
		{"// gap: FP unfenced x", nil, []string{"gap closed: unfenced is no longer found; drop the gap"}},

		{"", taken("fenced"), []string{"unexpected: fenced: why"}}, // a lock that nobody labelled
		{"// verdict: fenced", nil, []string{"missing: lock with verdict fenced"}},
		{"// verdict: fenced", taken("fenced"), nil},
		{"// verdict: fenced", taken("unfenced"), []string{"missing: lock with verdict fenced", "unexpected: unfenced: why"}},
		{"// verdict: unfenced", found("unfenced"), []string{"missing: lock with verdict unfenced", "unexpected: unfenced: why"}},
		{"// verdict: fenced // gap: FN verdict x", taken("unfenced"), nil},
		{"// verdict: fenced // gap: FN verdict x", taken("fenced"), []string{"gap closed: verdict is found; drop the gap and want it"}},
		{"// verdict: fenced // gap: FN lock x", nil, nil},
		{"// verdict: fenced // gap: FN lock x", taken("fenced"), []string{"gap closed: lock is found; drop the gap and want it"}},
		{"// gap: FP lock x", taken("unverified"), nil},
		{"// verdict: fenced // lock: a 1s", []Item{{Name: "fenced", Verdict: true, Lock: "a 1s"}}, nil},
		{"// verdict: fenced // lock: a 1s", []Item{{Name: "fenced", Verdict: true, Lock: "b -"}}, []string{"not lock a 1s but b -"}},
		{"// gap: FP lock x", nil, []string{"gap closed: lock is no longer found; drop the gap"}},
	} {
		line, err := Parse(test.source)
		if err != nil {
			t.Fatal(err)
		}
		if got := line.Compare(test.reported); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q with %v: got %q, want %q", test.source, test.reported, got, test.want)
		}
	}
}

func TestUnlinked(t *testing.T) {
	line, err := Parse("// want: unfenced // verdict: unfenced // linked")
	if err != nil || !line.Linked {
		t.Fatalf("%+v, %v", line, err)
	}
	for _, test := range []struct {
		reported []Item
		want     int
	}{
		{nil, 0},
		{[]Item{{Name: "unverified", Verdict: true}}, 0},
		{[]Item{{Name: "unfenced", Verdict: true}}, 1},
		{[]Item{{Name: "unverified", Verdict: true}, {Name: "unfenced"}}, 1},
	} {
		if got := line.Unlinked(test.reported); len(got) != test.want {
			t.Errorf("%+v: %q", test.reported, got)
		}
	}
}
