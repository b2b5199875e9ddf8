package load

import (
	"cmp"
	"os"
	"path/filepath"

	"golang.org/x/tools/go/packages"
)

// root returns the directory that paths in reports are relative to: that of the
// workspace if there is one, otherwise that of the module.
func root(dir string, pkgs []*packages.Package) string {
	if work := workspace(dir); work != "" {
		return work
	}
	for _, pkg := range pkgs {
		if m := pkg.Module; m != nil && m.Main && m.Dir != "" {
			return m.Dir
		}
	}
	return dir
}

// workspace finds the directory of the go.work file in force as the go command
// does, without asking it, which would take longer than all the rest here.
func workspace(dir string) string {
	switch file := os.Getenv("GOWORK"); file {
	case "":
	case "off":
		return ""
	default:
		return filepath.Dir(file)
	}
	return above(dir, "go.work")
}

// Root is the root of a Program that is loaded in dir, known before it is.
func Root(dir string) string {
	if work := workspace(dir); work != "" {
		return work
	}
	return cmp.Or(above(dir, "go.mod"), dir)
}

// above returns the nearest directory from dir upwards that has a file of that
// name, or the empty string.
func above(dir, name string) string {
	for {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && !info.IsDir() {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}
