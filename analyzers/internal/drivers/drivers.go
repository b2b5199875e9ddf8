// Package drivers holds what different drivers of the checks report on the same
// programs against each other.
package drivers

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/checktest"
)

// A Finding is what all drivers show of one.
type Finding struct {
	At, Message, Check string
}

func (f Finding) String() string { return fmt.Sprintf("%s: %s [%s]", f.At, f.Message, f.Check) }

// The plugin puts related places into the message, as "(stock.go:12: why)".
var shown = regexp.MustCompile(`(?m)^(\S+\.go:\d+:\d+): (.*?)(?: \(\S+\.go:\d+: [^\n]*\))? \[([a-z]+)\](?: \(fencevet\))?$`)

// Findings reads the output of a driver.
func Findings(out string) []Finding {
	var found []Finding
	for _, m := range shown.FindAllStringSubmatch(out, -1) {
		found = append(found, Finding{m[1], m[2], m[3]})
	}
	return sorted(found)
}

func sorted(found []Finding) []Finding {
	slices.SortFunc(found, func(a, b Finding) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(found)
}

// Compare fails where a driver does not find what it should, and counts that.
func Compare(t *testing.T, name string, want, found []Finding) (missed, added int) {
	t.Helper()
	for _, f := range without(want, found) {
		t.Errorf("%s misses %s", name, f)
		missed++
	}
	for _, f := range without(found, want) {
		t.Errorf("%s alone reports %s", name, f)
		added++
	}
	return missed, added
}

func without(all, some []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(all), func(f Finding) bool { return slices.Contains(some, f) })
}

// Build builds the command in dir and returns where it is.
func Build(t *testing.T, dir, name string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), name)
	checktest.Building(t, func(ctx context.Context) error {
		// Without symbols linking takes half the time.
		cmd := checktest.Command(ctx, dir, "go", "build", "-ldflags=-s -w", "-o", bin, ".")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", cmd, err, out)
		}
		return nil
	})
	return bin
}

// Run runs a program in dir, which has to end with an exit code, and returns what
// it prints on both streams.
func Run(t *testing.T, dir string, code int, name string, args ...string) string {
	t.Helper()
	out, err := checktest.Output(t, dir, name, args...)
	ended := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		ended, err = exit.ExitCode(), nil
	}
	if err != nil || ended != code {
		t.Fatalf("%s %s: %v, exit code %d, want %d\n%s", name, strings.Join(args, " "), err, ended, code, out)
	}
	return string(out)
}
