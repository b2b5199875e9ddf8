package spell

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"unfenced", "longsection", "release", "units", "owner"}
	for word, want := range map[string]string{
		"unfenced":    "unfenced",
		"unfencd":     "unfenced",
		"unfneced":    "unfenced",
		"longsektion": "longsection",
		"realease":    "release",
		"unit":        "units",
		"own":         "",
		"xyz":         "",
		"":            "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
	if got := Meant("unit", known); got != " (did you mean units?)" {
		t.Errorf("got %q", got)
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"ab", "xy", 2},
	} {
		if got := distance(test.a, test.b, 99); got != test.want {
			t.Errorf("%q, %q: got %d, want %d", test.a, test.b, got, test.want)
		}
	}
}
