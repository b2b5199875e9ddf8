package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/fencevet/fencevet/analyzers"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/self"
)

// isVettool reports whether go vet asks: for the flags, for the identity of the
// binary, or for the analysis of the package that a .cfg file describes.
func isVettool(args []string) bool {
	if len(args) == 0 {
		return false
	}
	if strings.HasSuffix(args[len(args)-1], ".cfg") {
		return true
	}
	for _, arg := range args {
		name := strings.TrimLeft(arg, "-")
		if name != arg && (name == "flags" || strings.HasPrefix(name, "V=")) {
			return true
		}
	}
	return false
}

// vettool answers go vet.
func vettool() {
	if slices.Contains(os.Args[1:], "-V=full") {
		identify()
		return
	}
	all := analyzers.All()
	// The level is a flag of every analyzer (-unfenced.level); one flag for all
	// is what people want to type.
	flag.Func("level", "report findings of this level and above: note, warning or error (default warning)", func(level string) error {
		for _, a := range all {
			if err := a.Flags.Set("level", level); err != nil {
				return err
			}
		}
		return nil
	})
	unitchecker.Main(all...)
}

// identify answers which build this is, in the form that the go command reads. The
// answer of unitchecker is the same but for a hash of the whole file.
func identify() {
	id, err := self.ID()
	if err != nil {
		fmt.Fprintf(os.Stderr, "fencevet: which build this is: %v\n", err)
		os.Exit(1)
	}
	fmt.Printf("%s version devel fencevet buildID=%s\n", filepath.Base(os.Args[0]), id)
}
