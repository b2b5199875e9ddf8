package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/fencevet/fencevet/analyzers"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/identity"
	"github.com/fencevet/fencevet/passes/config"
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
func vettool(args []string) {
	if slices.ContainsFunc(args, func(arg string) bool { return strings.TrimLeft(arg, "-") == "V=full" }) {
		text, err := identity.Full()
		if err != nil {
			fmt.Fprintf(os.Stderr, "fencevet: %v\n", err)
			os.Exit(1)
		}
		fmt.Println(text)
		return
	}
	all := analyzers.With(configuration)
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
	flag.Func("config", "not under go vet: it would replay results from before a change of the file; set "+identity.Variable+"=FILE (or none)", func(string) error {
		return errors.New("go vet would replay results from before a change of the file; set " + identity.Variable + "=FILE (or none), which it asks about")
	})
	unitchecker.Main(all...)
}

// configuration is that of the module in whose directory go vet runs the tool. A
// check that a flag names (-unmetered) is on, whatever the file says.
func configuration() (*config.Config, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	file, err := identity.File(dir)
	if err != nil {
		return nil, err
	}
	cfg := &config.Config{}
	if file != "" {
		if cfg, err = config.Read(file, analyzers.Names()); err != nil {
			return nil, err
		}
	}
	flag.Visit(func(f *flag.Flag) { // only those that were given
		if analyzers.Known(f.Name) == nil && f.Value.String() == "true" {
			if cfg.Checks == nil {
				cfg.Checks = make(map[string]bool)
			}
			cfg.Checks[f.Name] = true
		}
	})
	return cfg, nil
}
