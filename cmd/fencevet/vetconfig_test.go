package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/identity"
)

// TestVetConfiguration changes the configuration of a module, and nothing else:
// go vet, which keeps results, must not replay those from before.
func TestVetConfiguration(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command and vets a module several times")
	}
	archive, err := txtar.ParseFile("testdata/config.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir, tool := unpack(t, archive), build(t)
	found := regexp.MustCompile(`(?m)^\S*?(\w+\.go):\d+:\d+: .*\[(\w+)\]$`)
	vet := func(args ...string) (places, output string) {
		cmd := exec.Command("go", append([]string{"vet", "-vettool=" + tool}, append(args, "./...")...)...)
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput()
		var list []string
		for _, m := range found.FindAllStringSubmatch(string(out), -1) {
			list = append(list, m[1]+" "+m[2])
		}
		slices.Sort(list)
		return strings.Join(list, ", "), string(out)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(what, want string, args ...string) {
		t.Helper()
		if got, out := vet(args...); got != want {
			t.Errorf("%s: got %q, want %q:\n%s", what, got, want, out)
		}
	}
	t.Setenv(identity.Variable, "")
	expect("the file as it is", "stock.go unfenced")
	expect("a check switched off by a flag", "", "-unfenced=false")
	write(".fencevet.yaml", "checks: {unfenced: false}\nmodels: [{file: models/corplock.yaml}]\n")
	expect("a check switched off by the file", "")
	expect("and on by a flag", "legacy.go unfenced, stock.go unfenced", "-unfenced")
	write(".fencevet.yaml", "models: [{file: models/corplock.yaml}]\n")
	expect("no exclusion", "legacy.go unfenced, stock.go unfenced")
	write("models/corplock.yaml", "library: corplock\npackages: {corplock: example.org/corp/lock}\ncalls: [{func: (corplock.Client).Unlock, pure: true}]\n")
	expect("another model", "")
	write(".fencevet.yaml", "levl: note\n")
	if _, out := vet(); strings.Count(out, `.fencevet.yaml:1:1: unknown key "levl" (did you mean level?)`) != 3 { // for each package
		t.Errorf("a faulty file: %s", out)
	}
	write(".fencevet.yaml", string(archive.Files[0].Data))
	write("models/corplock.yaml", string(archive.Files[2].Data))
	t.Setenv(identity.Variable, "none")
	expect("no file", "")
	t.Setenv(identity.Variable, "")
	expect("the file again", "stock.go unfenced")
	if _, out := vet("-config=other.yaml"); !strings.Contains(out, "set "+identity.Variable+"=FILE") {
		t.Errorf("-config: %s", out)
	}
}
