package command

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/analyzers"
)

func TestCandidates(t *testing.T) {
	for _, test := range []struct {
		words string // the last is completed
		want  string
	}{
		{"inv", "inventory"},
		{"-C dir inv", "inventory"},
		{"-lev", "-level"},
		{"-level wa", "warning"},
		{"-level=", "-level=error -level=note -level=warning"},
		{"--level=n", "--level=note"},
		{"inventory -format js", "json"},
		{"inventory -format=js", "-format=json"},
		{"inventory -te", "-tests"},
		{"inventory -tests -forma", "-format"},
		{"inventory -format=h", "-format=html"},
		{"-format h", ""}, // findings have no such format
		{"gate -format ", "github markdown text"},
		{"inventory -by ow", "owner"},
		{"inventory ", ""}, // packages
		{"inventory inv", ""},
		{"explain unf", "unfenced"},
		{"explain unfenced ", ""},
		{"help vers", "version"},
		{"completion ", "bash fish zsh"},
		{"./... ", ""},
		{"./... inv", ""},
		{"-nonsense inv", "inventory"},
		{"-C ", ""},
	} {
		if got := strings.Join(candidates(strings.Split(test.words, " ")), " "); got != test.want {
			t.Errorf("%q becomes %q, want %q", test.words, got, test.want)
		}
	}
	if got := candidates(nil); !slices.Contains(got, "inventory") {
		t.Errorf("nothing becomes %q", got)
	}
}

// TestUsage holds what the usage texts say of flags and exit codes against the
// flags there are.
func TestUsage(t *testing.T) {
	check := func(name, usage string, set *flag.FlagSet) {
		documented, used := make(map[string]bool), make(map[string]bool)
		for line := range strings.Lines(usage) {
			if rest, ok := strings.CutPrefix(line, "\t-"); ok {
				documented[strings.Fields(rest)[0]] = true
			}
			if len(strings.TrimSuffix(line, "\n")) > 90 {
				t.Errorf("%s: too long: %s", name, line)
			}
		}
		set.VisitAll(func(f *flag.Flag) {
			shown := f.Name
			if check, rest, _ := strings.Cut(f.Name, "."); analyzers.Known(check) == nil {
				shown = "CHECK=false"
				if rest != "" {
					shown = "CHECK." + rest
				}
			}
			if !documented[shown] && shown != "C" && shown != forTests {
				t.Errorf("%s: the usage lacks -%s", name, shown)
			}
			used[shown] = true
		})
		for flag := range documented {
			if !used[flag] {
				t.Errorf("%s: the usage has -%s, which does not exist", name, flag)
			}
		}
		for _, part := range []string{"Usage:\n\n\tfencevet", "Exit status: 0 "} {
			if !strings.Contains(usage, part) {
				t.Errorf("%s: the usage lacks %q", name, part)
			}
		}
	}
	check("fencevet", findingsUsage, described())
	for _, c := range subcommands {
		check(c.name, c.usage, described(c.name))
		if !strings.Contains(findingsUsage, "\n\tfencevet "+c.name) && !strings.Contains(findingsUsage, "] "+c.name) {
			t.Errorf("fencevet -h does not mention %s", c.name)
		}
	}
}

// TestScripts has the shells that are there read the scripts, and bash complete.
func TestScripts(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "bin")
	if err := os.Mkdir(bin, 0o777); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "fencevet"), "../..").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for shell, script := range shells {
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("no %s here", shell)
			continue
		}
		cmd := exec.Command(path, "-n")
		cmd.Stdin = strings.NewReader(script)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", shell, err, out)
		}
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		return
	}
	for _, test := range []struct{ line, words, want string }{
		{"fencevet inv", "fencevet inv", "inventory"},
		{"fencevet explain weak", "fencevet explain weak", "weakcondition"},
		{"fencevet inventory -format js", "fencevet inventory -format js", "json"},
		// Bash takes the equals sign for a word.
		{"fencevet -level=wa", "fencevet -level = wa", "warning"},
		{"fencevet -level=", "fencevet -level =", "error note warning"},
		{"fencevet inventory ", "fencevet inventory ''", ""},
	} {
		cmd := exec.Command(bash, "-c", shells["bash"]+`
COMP_LINE=$1 COMP_POINT=${#1}
eval "COMP_WORDS=($2)"
COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
_fencevet
echo "${COMPREPLY[*]}"`, "bash", test.line, test.words)
		cmd.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if got := strings.Join(strings.Fields(string(out)), " "); err != nil || got != test.want {
			t.Errorf("%q is completed to %q, want %q (%v)", test.line, got, test.want, err)
		}
	}
}
