package load

import (
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// broken returns why pkg cannot be analysed, or the empty string.
func broken(pkg *packages.Package, info *types.Info, dir string) string {
	// What the go command says of a failed build comes first and has no position;
	// what the parser or type checker says of the same fault has one.
	for _, e := range pkg.Errors {
		if pos := position(e.Pos, dir); pos != "" {
			return pos + ": " + firstLine(because(pkg, e.Msg))
		}
	}
	if len(pkg.Errors) > 0 {
		return strings.TrimPrefix(firstLine(pkg.Errors[0].Msg), "pattern "+pkg.ID+": ")
	}
	if pkg.IllTyped && !sound(info) {
		return "uses a type of a package that does not type-check"
	}
	return ""
}

// because replaces the type checker's word on a failed import, which does not
// tell what is wrong with the package, by what the go command says about it.
func because(pkg *packages.Package, message string) string {
	rest, ok := strings.CutPrefix(message, "could not import ")
	if !ok {
		return message
	}
	path, _, _ := strings.Cut(rest, " ")
	if imported := pkg.Imports[path]; imported != nil && len(imported.Errors) > 0 {
		return imported.Errors[0].Msg
	}
	return message
}

// sound reports whether every type is known. A package that imports a broken one
// has no error of its own and mostly does not need what is missing there; only
// where it does would an analysis go astray.
func sound(info *types.Info) bool {
	for _, tv := range info.Types {
		if tv.Type != nil && strings.Contains(tv.Type.String(), "invalid type") {
			return false
		}
	}
	return true
}

// position makes the file:line:column of an error relative to dir.
func position(pos, dir string) string {
	if pos == "" || pos == "-" {
		return ""
	}
	if rel, err := filepath.Rel(dir, pos); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return pos
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
