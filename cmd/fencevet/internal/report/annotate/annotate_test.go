package annotate

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/reporttest"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

func TestGitHub(t *testing.T) {
	inv := reporttest.Sample()
	inv.Directory = "services/a,b:c"
	var b bytes.Buffer
	if err := GitHub(&b, &view.Report{Inventory: inv}); err != nil {
		t.Fatal(err)
	}
	want := "::error file=services/a%2Cb%3Ac/stock/repo.go,line=5,col=3,title=fencevet unfenced::two holders can both write table stock (acquired at stock.go:31)%0Aservices/a,b:c/stock/stock.go:31: lock acquired here\n" +
		"::warning file=services/a%2Cb%3Ac/lock/clock.go,line=8,col=2,title=fencevet wallclock::loose\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// TestGitHubHostile demands one line for each finding, which begins with its own
// command.
func TestGitHubHostile(t *testing.T) {
	var b bytes.Buffer
	if err := GitHub(&b, &view.Report{Inventory: reporttest.Hostile()}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "::error file=") {
		t.Errorf("%d lines: %q", len(lines), lines)
	}
	properties, _, _ := strings.Cut(strings.TrimPrefix(lines[0], "::error "), "::")
	if n := strings.Count(properties, ","); n != 3 {
		t.Errorf("%d commas in the properties %s", n, properties)
	}
}

func TestGitLab(t *testing.T) {
	inv := reporttest.Sample()
	inv.Directory = "shop"
	var b bytes.Buffer
	if err := GitLab(&b, &view.Report{Inventory: inv}); err != nil {
		t.Fatal(err)
	}
	var issues []issue
	if err := json.Unmarshal(b.Bytes(), &issues); err != nil || len(issues) != 2 {
		t.Fatalf("%d issues, %v", len(issues), err)
	}
	if i := issues[0]; i.Location.Path != "shop/stock/repo.go" || i.Location.Lines.Begin != 5 || i.Severity != "critical" || i.Check != "fencevet/unfenced" || i.Fingerprint == issues[1].Fingerprint {
		t.Errorf("%+v", issues)
	}
	b.Reset()
	if err := GitLab(&b, &view.Report{Inventory: &inventory.Inventory{}}); err != nil || b.String() != "[]\n" {
		t.Errorf("nothing found: %q, %v", b.String(), err)
	}
}
