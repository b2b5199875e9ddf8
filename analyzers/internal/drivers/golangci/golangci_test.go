// Package golangci holds what golangci-lint reports with the plugin against what go vet
// does. It is built from the modules that it consists of, which takes minutes the first
// time: go test gives each package ten.
package golangci

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/checktest"
	"github.com/fencevet/fencevet/analyzers/internal/drivers"
)

const top = "../../../.."

func TestGolangciLint(t *testing.T) {
	if testing.Short() {
		t.Skip("builds golangci-lint")
	}
	corpus := filepath.Join(top, "testdata")
	golangci := drivers.Build(t, filepath.Join(top, "plugin", "golangci-lint"), "golangci-lint")
	fencevet := drivers.Build(t, filepath.Join(top, "cmd", "fencevet"), "fencevet")
	checktest.Load(t, corpus, "./...") // builds what both read

	want := drivers.Findings(drivers.Run(t, corpus, 1, "go", "vet", "-vettool="+fencevet, "./..."))
	if len(want) == 0 {
		t.Fatal("go vet finds nothing")
	}
	t.Setenv("GOLANGCI_LINT_CACHE", t.TempDir())
	drivers.Compare(t, "golangci-lint", want, drivers.Findings(drivers.Run(t, corpus, 1, golangci, "run", "-c", configuration(t), "./...")))
}

// configuration has golangci-lint run fencevet alone and show all that it finds.
func configuration(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), ".golangci.yml")
	if err := os.WriteFile(file, []byte(`version: "2"
linters:
  default: none
  enable: [fencevet]
  settings:
    custom:
      fencevet:
        type: module
        settings:
          level: warning
issues:
  max-issues-per-linter: 0
  max-same-issues: 0
  uniq-by-line: false
output:
  formats:
    text:
      print-issued-lines: false
run:
  relative-path-mode: wd
  timeout: 10m
`), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}
