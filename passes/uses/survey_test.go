package uses

import (
	"fmt"
	"go/types"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/engine"
)

// TestSurvey analyses far more packages than any test should: whatever the patterns
// in FENCEVET_SURVEY match in the directory FENCEVET_SURVEY_DIR, and all of it, not
// only what passes the gate. It fails where the analysis panics, and tells what is
// slow. From the directory of a large module:
//
//	FENCEVET_SURVEY="std cmd" go test ./passes/uses -run TestSurvey -v -timeout 2h
//	FENCEVET_SURVEY=deps FENCEVET_SURVEY_DIR=/path/to/module go test ...
//
// The pattern deps stands for all packages of the module and what they import.
func TestSurvey(t *testing.T) {
	patterns := strings.Fields(os.Getenv("FENCEVET_SURVEY"))
	if len(patterns) == 0 {
		t.Skip("FENCEVET_SURVEY is not set")
	}
	dir := os.Getenv("FENCEVET_SURVEY_DIR")
	var paths []string
	listed, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps, Dir: dir}, unless(patterns, "deps", "./...")...)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(patterns, "deps") {
		packages.Visit(listed, nil, func(p *packages.Package) { paths = append(paths, p.PkgPath) })
	} else {
		for _, p := range listed {
			paths = append(paths, p.PkgPath)
		}
	}
	slices.Sort(paths)
	s := &survey{t: t}
	for chunk := range slices.Chunk(paths, 60) {
		const mode = packages.LoadSyntax | packages.NeedModule
		pkgs, err := packages.Load(&packages.Config{Mode: mode, Dir: dir}, chunk...)
		if err != nil {
			t.Fatal(err)
		}
		s.chunk(pkgs)
		t.Logf("%d packages of %d, %d more left out for their errors; %d functions have facts; %d panics", s.packages, len(paths), s.broken, s.facts, s.panics)
	}
}

func unless(list []string, what, instead string) []string {
	if slices.Contains(list, what) {
		return []string{instead}
	}
	return list
}

type survey struct {
	t                               *testing.T
	packages, broken, facts, panics int
}

// chunk analyses packages one by one, as a vet tool does, and then together.
func (s *survey) chunk(pkgs []*packages.Package) {
	var all []engine.Unit
	for _, p := range pkgs {
		if p.IllTyped || len(p.Syntax) == 0 {
			s.broken++
			continue
		}
		s.packages++
		unit := engine.Unit{Files: p.Syntax, Types: p.Types, Info: p.TypesInfo}
		all = append(all, unit)
		s.guard(p.PkgPath, func() {
			e := engine.New(p.Fset, catalog.Builtin(), []engine.Unit{unit})
			e.Import(func(*types.Func) *engine.Fact { return nil })
			result(e)
			for _, f := range e.Facts() {
				s.facts++
				_ = f.Fact.String() // decodes it
			}
		})
	}
	if len(all) > 0 {
		s.guard(fmt.Sprintf("%s and %d more together", all[0].Types.Path(), len(all)-1), func() {
			result(engine.New(pkgs[0].Fset, catalog.Builtin(), all))
		})
	}
}

func (s *survey) guard(what string, run func()) {
	start := time.Now()
	defer func() {
		if r := recover(); r != nil {
			s.panics++
			s.t.Errorf("%s: %v\n%s", what, r, debug.Stack())
		}
		if d := time.Since(start); d > 10*time.Second {
			s.t.Logf("%s takes %.1f s", what, d.Seconds())
		}
	}()
	run()
}
