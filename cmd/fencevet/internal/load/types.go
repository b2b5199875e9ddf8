package load

import (
	"context"
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Types returns a lookup of packages among those that patterns match or import,
// directly or not: of all that want is true for. It returns nil for others.
func Types(ctx context.Context, cfg Config, want func(path string) bool) (func(path string) *types.Package, error) {
	patterns := cfg.Patterns
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	roots, err := ask(&packages.Config{Context: ctx, Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps, Dir: cfg.Dir}, patterns...)
	if err != nil {
		return nil, err
	}
	if len(roots) == 0 {
		return nil, fmt.Errorf("%w %s", ErrNoPackages, strings.Join(patterns, " "))
	}
	var paths []string
	var broken error
	packages.Visit(roots, nil, func(pkg *packages.Package) {
		if want(pkg.PkgPath) && len(pkg.Errors) == 0 {
			paths = append(paths, pkg.PkgPath)
		}
	})
	for _, pkg := range roots {
		if len(pkg.Errors) > 0 && broken == nil {
			broken = fmt.Errorf("%s: %s", pkg.PkgPath, firstLine(pkg.Errors[0].Msg))
		}
	}
	if broken != nil && len(paths) == 0 {
		return nil, broken
	}
	found := make(map[string]*types.Package)
	if len(paths) > 0 {
		// From source, as unexported functions have models, too.
		pkgs, err := ask(&packages.Config{Context: ctx, Mode: packages.LoadSyntax, Dir: cfg.Dir}, paths...)
		if err != nil {
			return nil, err
		}
		for _, pkg := range pkgs {
			if pkg.Types != nil && pkg.Types.Complete() {
				found[pkg.PkgPath] = pkg.Types
			}
		}
	}
	return func(path string) *types.Package { return found[path] }, nil
}
