package summary

import "testing"

func TestWithin(t *testing.T) {
	tests := []struct{ t, u, want Turns }{
		{Turns{}, Turns{}, Turns{Once, 1}},
		{Turns{Counted, 3}, Turns{Counted, 4}, Turns{Counted, 12}},
		{Turns{Counted, 3}, Turns{Endless, 0}, Turns{Endless, 3}},
		{Turns{Counted, MaxTimes}, Turns{Each, 2}, Turns{Each, MaxTimes}},
	}
	for _, test := range tests {
		if got := test.t.Within(test.u); got != test.want {
			t.Errorf("%v within %v: %v, want %v", test.t, test.u, got, test.want)
		}
	}
}
