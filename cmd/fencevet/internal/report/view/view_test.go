package view

import (
	"testing"

	"github.com/fencevet/fencevet/analyzers/inventory"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"stock:%d":          "stock:%d",
		"zażółć 錠":          "zażółć 錠",
		"\x1b[31mred":       `\u001b[31mred`,
		"a\nb":              "a b",
		"\u202egnp.exe":     `\u202egnp.exe`,
		"bad \xff utf8":     "bad \ufffd utf8",
		"\U000e0041 tagged": `\U000e0041 tagged`,
	} {
		if got := Printable(text); got != want {
			t.Errorf("Printable(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]string{"8s": "8s", "1m0s": "1m", "1h0m0s": "1h", "1h30m0s": "1h30m", "10m0s": "10m", "1m30s": "1m30s", "ttl": "ttl", "": ""} {
		if got := duration(text); got != want {
			t.Errorf("duration(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestSentence(t *testing.T) {
	for _, test := range []struct {
		summary inventory.Summary
		want    string
	}{
		{inventory.Summary{}, "no distributed locks found"},
		{inventory.Summary{Locks: 1, Fenced: 1}, "1 lock: 1 fenced"},
		{inventory.Summary{Locks: 12, Fenced: 3, Unfenced: 4, Unverified: 4, NoVisibleWrite: 1}, "12 locks: 3 fenced, 4 unfenced, 4 unverified, 1 without visible write"},
	} {
		if got := Sentence(&inventory.Inventory{Summary: test.summary}); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
