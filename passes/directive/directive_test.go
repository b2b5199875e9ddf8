package directive

import (
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		comment string
		want    Directive
		err     string // a part of it
	}{
		{"//fencevet:efficiency the cron job may run twice", Directive{Kind: Efficiency, Reason: "the cron job may run twice"}, ""},
		{"//fencevet:efficiency owner=ops until=2027-06-30 may run twice", Directive{Kind: Efficiency, Owner: "ops", Until: "2027-06-30", Reason: "may run twice"}, ""},
		{"//fencevet:efficiency until=2027-06-30   owner=ops\tmay  run twice // want: x", Directive{Kind: Efficiency, Owner: "ops", Until: "2027-06-30", Reason: "may  run twice"}, ""},
		{"//fencevet:efficiency see https://example.org/a=b", Directive{Kind: Efficiency, Reason: "see https://example.org/a=b"}, ""},
		{"//fencevet:efficiency", Directive{Kind: Efficiency}, "fencevet:efficiency without a reason"},
		{"//fencevet:efficiency owner=ops -", Directive{Kind: Efficiency, Owner: "ops", Reason: "-"}, "without a reason"},
		{"//fencevet:efficiency until=soon x", Directive{Kind: Efficiency}, "bad date until=soon: want a day such as"},
		{"//fencevet:efficiency until=2027-02-30 x", Directive{Kind: Efficiency}, "bad date"},
		{"//fencevet:efficiency owner= x", Directive{Kind: Efficiency}, "owner= without a value"},
		{"//fencevet:efficiency owner=a owner=b x", Directive{Kind: Efficiency, Owner: "a"}, "owner= stands here twice"},
		{"//fencevet:efficiency ownr=a x", Directive{Kind: Efficiency}, `no setting "ownr" (did you mean owner?)`},
		{"//fencevet:correctness", Directive{Kind: Correctness}, ""},
		{"//fencevet:correctness owner=billing money moves", Directive{Kind: Correctness, Owner: "billing", Reason: "money moves"}, ""},
		{"//fencevet:correctness until=2027-06-30 money moves", Directive{Kind: Correctness}, "until= on a demand, which has no end"},
		{"//fencevet:ignore unfenced,longsection tested by hand", Directive{Kind: Ignore, Checks: []string{"unfenced", "longsection"}, Reason: "tested by hand"}, ""},
		{"//fencevet:ignore", Directive{Kind: Ignore}, "without a check"},
		{"//fencevet:ignore unfenced", Directive{Kind: Ignore, Checks: []string{"unfenced"}}, "without a reason"},
		{"//fencevet:ignore unfenced, longsection x", Directive{Kind: Ignore, Checks: []string{"unfenced"}}, "bad list of checks"},
		{"//fencevet:acquire key=name token=result1 ttl=30s our lock service", Directive{Kind: Acquire, Values: []Value{{"key", "name"}, {"token", "result1"}, {"ttl", "30s"}}, Reason: "our lock service"}, ""},
		{"//fencevet:acquire kind=leese", Directive{Kind: Acquire}, "bad value kind=leese (did you mean lease?): want one of lease, session"},
		{"//fencevet:acquire keys=a", Directive{Kind: Acquire}, `no setting "keys" (did you mean key?): want one of kind, handle`},
		{"//fencevet:release", Directive{Kind: Release}, ""},
		{"//fencevet:token", Directive{Kind: Token}, ""},
		{"//fencevet:conditional token=fence", Directive{Kind: Conditional, Values: []Value{{"token", "fence"}}}, ""},
		{"//fencevet:conditional token=a token=b", Directive{Kind: Conditional, Values: []Value{{"token", "a"}}}, "token= stands here twice"},
		{"//fencevet:eficiency x", Directive{Kind: "eficiency"}, `no directive "eficiency" (did you mean efficiency?)`},
		{"//fencevet:", Directive{}, `no directive "": want one of efficiency, `},
		{"// fencevet:ignore unfenced x", Directive{}, "without a space"},
		{"//Fencevet:ignore unfenced x", Directive{}, "in small letters"},
	} {
		if !Is(test.comment) {
			t.Errorf("%q is not taken for a directive", test.comment)
		}
		got, err := Parse(test.comment)
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q: got %+v, want %+v", test.comment, got, test.want)
		}
		switch {
		case err == nil && test.err == "":
		case err == nil || test.err == "" || !strings.Contains(err.Error(), test.err):
			t.Errorf("%q: error %v, want %q", test.comment, err, test.err)
		}
	}
}

func TestIs(t *testing.T) {
	for comment, want := range map[string]bool{
		"//fencevet:nonsense":               true,
		"// fencevet:ignore x":              true,
		"// fencevet: a tool for locks":     false,
		"// FENCEVET:nothing":               false,
		"/*fencevet:ignore unfenced x*/":    false,
		"// see //fencevet:ignore":          false,
		"//nolint:fencevet":                 false,
		"//fencevet is a tool":              false,
		"//fence":                           false,
		"// fencevet:efficiently made":      false,
		"//\tfencevet:efficiency  a reason": true,
	} {
		if got := Is(comment); got != want {
			t.Errorf("Is(%q) = %v", comment, got)
		}
	}
}

// FuzzParse holds Parse to what a reader of source has to bear, and String to
// what Parse reads.
func FuzzParse(f *testing.F) {
	f.Add("//fencevet:efficiency owner=ops until=2027-06-30 reason // more")
	f.Add("//fencevet:ignore unfenced,units reason")
	f.Add("//fencevet:acquire kind=lease key=name token=result1.Fence ttl=30s remark")
	f.Add("// fencevet:correctness")
	f.Add("//fencevet:\t\x00=\xff")
	f.Fuzz(func(t *testing.T, comment string) {
		d, err := Parse(comment)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error that says nothing")
			}
			return
		}
		again, err := Parse(d.String())
		if err != nil || !reflect.DeepEqual(again, d) {
			t.Errorf("%q: %+v is written as %q and read as %+v, %v", comment, d, d.String(), again, err)
		}
	})
}
