package html

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/reporttest"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

func render(t testing.TB, r *view.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestStandsAlone demands that the page loads nothing, whatever is in it.
func TestStandsAlone(t *testing.T) {
	for name, inv := range map[string]*inventory.Inventory{"sample": reporttest.Sample(), "hostile": reporttest.Hostile(), "empty": {}} {
		page := render(t, &view.Report{Inventory: inv, By: view.Dimensions, Trend: view.Compare(reporttest.Sample(), inv, "before.json")})
		for _, bad := range []string{" src=\"", "<link", "url(", "@import", "<img", "<iframe", "\u202e", "\u2028", "\x1b"} {
			if i := strings.Index(page, bad); i >= 0 {
				t.Errorf("%s: %q in the page: %s", name, bad, page[max(0, i-80):min(len(page), i+80)])
			}
		}
		if n := strings.Count(page, "<script"); n != 1 {
			t.Errorf("%s: %d scripts", name, n)
		}
	}
}

// TestEmpty demands that a page about nothing has no empty parts.
func TestEmpty(t *testing.T) {
	page := render(t, &view.Report{Inventory: &inventory.Inventory{}})
	for text, want := range map[string]bool{
		"no distributed locks found": true, "There is none in what was analysed": true, "<table": false, "Manuals": false, "Not analysed": false,
	} {
		if strings.Contains(page, text) != want {
			t.Errorf("%q: want %v", text, want)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	r := &view.Report{Inventory: reporttest.Many(2000)}
	for b.Loop() {
		b.SetBytes(int64(len(render(b, r))))
	}
}
