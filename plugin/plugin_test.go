package plugin

import (
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
)

func TestSettings(t *testing.T) {
	make, err := register.GetPlugin("fencevet")
	if err != nil {
		t.Fatal(err)
	}
	for _, settings := range []any{
		nil,
		map[string]any{},
		map[string]any{
			"level":   "note",
			"checks":  map[string]any{"poolconn": false, "units": true},
			"levels":  map[string]any{"unfenced": "error"},
			"exclude": []any{map[string]any{"path": "legacy/**", "reason": "replaced in spring"}},
			"models": []any{map[string]any{
				"library": "acme", "packages": map[string]any{"acme": []any{"example.org/acme"}},
				"calls": []any{map[string]any{"func": "(*acme.Client).Lock", "acquire": map[string]any{"kind": "lease", "key": "arg 1"}}},
			}},
		},
	} {
		p, err := make(settings)
		if err != nil {
			t.Errorf("%v: %v", settings, err)
			continue
		}
		if p.GetLoadMode() != register.LoadModeTypesInfo {
			t.Errorf("%v: load mode %s", settings, p.GetLoadMode())
		}
		all, err := p.BuildAnalyzers()
		// An analyzer of the linter's name: of any other golangci-lint puts the
		// name before every message.
		if err != nil || len(all) != 1 || all[0].Name != "fencevet" {
			t.Errorf("%v: %v, %v", settings, all, err)
		}
		if err := analysis.Validate(all); err != nil {
			t.Error(err)
		}
	}
	model := filepath.Join(t.TempDir(), "acme.yaml")
	if err := os.WriteFile(model, []byte("library: acme\npackages: {acme: [example.org/acme]}\ncalls:\n  - func: acme.Lock\n    acquire: {kind: lease}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		settings any
		want     string
	}{
		{map[string]any{"levle": "note"}, `levle`},
		{map[string]any{"level": "loud"}, "loud"},
		{map[string]any{"checks": map[string]any{"fenced": true}}, `no check "fenced"`},
		{map[string]any{"checks": map[string]any{"units": "perhaps"}}, "perhaps"},
		{map[string]any{"exclude": []any{map[string]any{"path": "legacy/**"}}}, "without a reason"},
		{map[string]any{"models": []any{map[string]any{"library": "acme", "calls": []any{map[string]any{"fnuc": "x"}}}}}, "fnuc"},
		{map[string]any{"models": []any{map[string]any{"file": model}}}, "write it in place"},
		{map[string]any{"also": []any{"example.org/corp/..."}}, "also: "},
		{map[string]any{"tests": true}, "run.tests"},
		{[]any{"units"}, ""},
	} {
		_, err := make(test.settings)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "settings:") {
			t.Errorf("%v: %v, want %s", test.settings, err, test.want)
		}
		t.Log(err)
	}
}

func TestFolded(t *testing.T) {
	fset := token.NewFileSet()
	f := fset.AddFile("/m/stock.go", -1, 100)
	f.SetLines([]int{0, 10, 20, 30})
	pass := &analysis.Pass{Fset: fset}
	at := func(line int, text string) analysis.RelatedInformation {
		return analysis.RelatedInformation{Pos: f.LineStart(line), Message: text}
	}
	const message = "two holders can write (acquired at stock.go:2, see stock.go:33) [unfenced]"
	for _, test := range []struct {
		related []analysis.RelatedInformation
		want    string
	}{
		{nil, message},
		{[]analysis.RelatedInformation{at(2, "acquired here")}, message},
		{[]analysis.RelatedInformation{at(2, "acquired here"), at(3, "DELETE"), at(4, "INSERT")},
			"two holders can write (acquired at stock.go:2, see stock.go:33) (stock.go:3: DELETE; stock.go:4: INSERT) [unfenced]"},
	} {
		got := folded(pass, analysis.Diagnostic{Category: "unfenced", Message: message, Related: test.related})
		if got.Message != test.want || got.Related != nil {
			t.Errorf("got %q with %v, want %q", got.Message, got.Related, test.want)
		}
	}
}
