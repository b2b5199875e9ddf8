package plugin

import (
	"go/token"
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
		map[string]any{"level": "note", "enable": []any{"units"}, "disable": []any{"poolconn", "unfenced"}},
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
	for _, test := range []struct {
		settings any
		want     string
	}{
		{map[string]any{"levle": "note"}, `unknown field "levle"`},
		{map[string]any{"level": "loud"}, "level: want note, warning or error"},
		{map[string]any{"level": 3}, "cannot unmarshal number"},
		{map[string]any{"disable": []any{"fenced"}}, `disable: no check "fenced"`},
		{map[string]any{"disable": "units"}, "cannot unmarshal string"},
		{[]any{"units"}, "cannot unmarshal array"},
	} {
		if _, err := make(test.settings); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %s", test.settings, err, test.want)
		}
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
