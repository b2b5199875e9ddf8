package fields

import (
	"slices"
	"strings"
	"testing"
)

func TestFields(t *testing.T) {
	for _, test := range []struct {
		fields []string
		line   string
	}{
		{[]string{"lock", "(*T).F", "a:%s"}, "lock (*T).F a:%s"},
		{[]string{"", "a b", "#x", `"`}, `"" "a b" "#x" "\""`},
		{[]string{"a\nb\tc", "\x1b[31m", "\xff", "\u202e", "\u00a0", "ä"}, `"a\nb\tc" "\x1b[31m" "\xff" "\u202e" "\u00a0" ä`},
	} {
		if got := Join(test.fields...); got != test.line {
			t.Errorf("%q is written as %s, want %s", test.fields, got, test.line)
		}
		if got, err := Split(test.line); err != nil || !slices.Equal(got, test.fields) {
			t.Errorf("%s is read as %q, %v", test.line, got, err)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("lock (*T).F \"a b\"")
	f.Add("\"\\xff\" x")
	f.Fuzz(func(t *testing.T, line string) {
		all, err := Split(line)
		if err != nil {
			return
		}
		again, err := Split(Join(all...))
		if err != nil || !slices.Equal(again, all) {
			t.Errorf("%q is read as %q, then as %q, %v", line, all, again, err)
		}
		if strings.Contains(Join(all...), "\n") {
			t.Errorf("%q breaks the line", all)
		}
	})
}
