// Package identity tells go vet what its cache depends on: the binary, and the
// configuration that it finds.
//
// go vet replays what a tool printed for a package until the package, the flags or
// the tool's answer to -V=full changes. So the answer has to change with the
// content of every configuration file that a run from the same directory can use.
package identity

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/fencevet/fencevet/analyzers"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/self"
	"github.com/fencevet/fencevet/passes/config"
)

// Variable names the configuration file in place of the one that is found; none
// means none.
const Variable = "FENCEVET_CONFIG"

// File returns the configuration file for packages in a directory, or the empty
// string. It is that in the root of their module: one in between would not be seen
// by whoever asks for the identity in the root.
func File(dir string) (string, error) {
	switch file := os.Getenv(Variable); {
	case file == "":
		return config.InRoot(dir)
	case file == "none":
		return "", nil
	case !filepath.IsAbs(file):
		// The tool is started in the directory of each package.
		return "", fmt.Errorf("%s=%s is relative: want an absolute path, such as $PWD/%[2]s", Variable, file)
	default:
		return file, nil
	}
}

// Full is the answer to -V=full, in the form that the go command reads.
func Full() (string, error) {
	build, err := self.ID()
	if err != nil {
		return "", fmt.Errorf("which build this is: %w", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	content, err := Configuration(dir)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s version devel fencevet buildID=%x", filepath.Base(os.Args[0]), sha256.Sum256([]byte(build+" "+content))), nil
}

// Configuration identifies what go vet, run in a directory, can find of
// configuration: one file, or under go.work that of each module.
func Configuration(dir string) (string, error) {
	dirs := []string{dir}
	if os.Getenv(Variable) == "" {
		modules, err := workspace(dir)
		if err != nil {
			return "", err
		}
		dirs = append(dirs, modules...)
	}
	var b strings.Builder
	seen := make(map[string]bool)
	for _, dir := range dirs {
		file, err := File(dir)
		if err != nil {
			return "", err
		}
		if seen[file] {
			continue
		}
		seen[file] = file != ""
		cfg := &config.Config{}
		if file != "" {
			// A file with faults has no hash; the runs on packages tell them, and
			// their results are not kept.
			if read, err := config.Read(file, analyzers.Names()); err == nil {
				cfg = read
			}
		}
		// Not the name: the same content is the same on another machine.
		fmt.Fprintln(&b, cfg.Hash())
	}
	return b.String(), nil
}

// workspace lists the modules of the go.work file in force, if there is one.
func workspace(dir string) ([]string, error) {
	file := os.Getenv("GOWORK")
	switch file {
	case "off":
		return nil, nil
	case "":
		for ; ; dir = filepath.Dir(dir) {
			file = filepath.Join(dir, "go.work")
			if _, err := os.Stat(file); err == nil {
				break
			} else if dir == filepath.Dir(dir) {
				return nil, nil
			}
		}
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	work, err := modfile.ParseWork(file, data, nil)
	if err != nil {
		return nil, nil // the go command says what is wrong with it
	}
	var dirs []string
	for _, use := range work.Use {
		path := filepath.FromSlash(use.Path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(file), path)
		}
		dirs = append(dirs, path)
	}
	return dirs, nil
}
