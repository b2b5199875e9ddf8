package command

import (
	"slices"
	"testing"
)

func TestRebase(t *testing.T) {
	for _, test := range []struct {
		patterns []string
		from, to string
		want     []string
	}{
		{nil, "/m", "/m", []string{"./..."}},
		{nil, "/m/a", "/m", []string{"./a/..."}},
		{[]string{"./a/..."}, "/m", "/m/a", []string{"./..."}},
		{[]string{"./a"}, "/m", "/m/a", []string{"."}},
		{[]string{"./..."}, "/m", "/m/a", []string{"../..."}},
		{[]string{"../b/...", ".", "./..."}, "/m/a", "/m", []string{"./a", "./a/...", "./b/..."}},
		{[]string{"example.org/m/...", "all", "./x", "./x"}, "/m", "/m/a", []string{"../x", "all", "example.org/m/..."}},
	} {
		got, err := rebase(test.patterns, test.from, test.to)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%v from %s to %s: got %v, %v, want %v", test.patterns, test.from, test.to, got, err, test.want)
		}
	}
}
