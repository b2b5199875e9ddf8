package command

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fencevet/fencevet/analyzers"
	"github.com/fencevet/fencevet/passes/config"
	"github.com/fencevet/fencevet/passes/lock"
)

// choices are what flags say in place of the configuration file or besides it.
type choices struct {
	file    string // none: no file; empty: the one that is found
	level   lock.Level
	levels  map[string]lock.Level
	on, off map[string]bool // checks
	exclude []config.Exclusion
	models  []string
	also    []string
	tests   *bool
}

// newChoices adds the flags that every analysis has.
func newChoices(f *flags) *choices {
	c := &choices{levels: make(map[string]lock.Level), on: make(map[string]bool), off: make(map[string]bool)}
	f.Func("config", "", func(s string) error {
		c.file = s
		return nonEmpty(s, "a file, or none")
	})
	for _, name := range analyzers.Names() {
		f.BoolFunc(name, "", func(s string) error {
			on, err := strconv.ParseBool(s)
			if err != nil {
				return errors.New("want true or false")
			}
			delete(c.on, name)
			delete(c.off, name)
			if on {
				c.on[name] = true
			} else {
				c.off[name] = true
			}
			return nil
		})
		f.Func(name+".level", "", func(s string) (err error) {
			c.levels[name], err = level(s)
			return err
		})
	}
	f.Func("exclude", "", c.addExclusion)
	f.Func("model", "", func(s string) error {
		c.models = append(c.models, s)
		return nonEmpty(s, "a model file")
	})
	f.Func("also", "", func(s string) error {
		c.also = append(c.also, s)
		return nonEmpty(s, "an import path, or a pattern of paths")
	})
	f.BoolFunc("tests", "", func(s string) error {
		tests, err := strconv.ParseBool(s)
		c.tests = &tests
		return err
	})
	return c
}

// levelFlag adds the flag that only those have who do not show everything.
func (c *choices) levelFlag(f *flags) {
	f.Func("level", "", func(s string) (err error) {
		c.level, err = level(s)
		return err
	})
}

func level(s string) (lock.Level, error) {
	switch l := lock.Level(s); l {
	case lock.Note, lock.Warning, lock.Error:
		return l, nil
	}
	return "", errors.New("want note, warning or error")
}

func nonEmpty(s, want string) error {
	if s == "" {
		return errors.New("want " + want)
	}
	return nil
}

// addExclusion reads [check[,check]:]path=reason.
func (c *choices) addExclusion(s string) error {
	path, reason, ok := strings.Cut(s, "=")
	var x config.Exclusion
	if list, rest, some := strings.Cut(path, ":"); some {
		x.Checks, path = strings.Split(list, ","), rest
	}
	x.Path, x.Reason = path, strings.TrimSpace(reason)
	if !ok || x.Reason == "" || path == "" || !config.ValidPath(path) {
		return errors.New("want path=reason or check,check:path=reason, with a path such as internal/legacy/**")
	}
	for _, name := range x.Checks {
		if err := analyzers.Known(name); err != nil {
			return err
		}
	}
	c.exclude = append(c.exclude, x)
	return nil
}

// config reads the configuration file and puts what flags say on top.
func (c *choices) config(env *environment) (*config.Config, error) {
	cfg, err := c.read(env.dir)
	if err != nil {
		return nil, faults(env, err)
	}
	for _, file := range c.models {
		if !filepath.IsAbs(file) {
			file = filepath.Join(env.dir, file)
		}
		if err := cfg.AddModel(file); err != nil {
			return nil, faults(env, err)
		}
	}
	if c.level != "" {
		// A level that is said now is meant for all checks.
		cfg.Level, cfg.Levels = c.level, nil
	}
	if len(c.levels) > 0 {
		cfg.Levels = merge(cfg.Levels, c.levels)
	}
	cfg.Checks = merge(cfg.Checks, nil)
	if len(c.on) > 0 { // as under go vet: these alone
		for _, name := range analyzers.Names() {
			cfg.Checks[name] = c.on[name]
		}
	}
	for name := range c.off {
		cfg.Checks[name] = false
	}
	cfg.Exclude = append(cfg.Exclude, c.exclude...)
	cfg.Also = append(cfg.Also, c.also...)
	if c.tests != nil {
		cfg.Tests = *c.tests
	}
	return cfg, nil
}

// all is the configuration of those who show findings of all levels.
func (c *choices) all(env *environment) (*config.Config, error) {
	cfg, err := c.config(env)
	if err == nil {
		cfg.Level, cfg.Levels = lock.Note, nil
	}
	return cfg, err
}

func (c *choices) read(dir string) (*config.Config, error) {
	file := c.file
	switch {
	case file == "none":
		return &config.Config{}, nil
	case file == "":
		found, err := config.Find(dir)
		if err != nil || found == "" {
			return &config.Config{}, err
		}
		file = found
	case !filepath.IsAbs(file):
		file = filepath.Join(dir, file)
	}
	return config.Read(file, analyzers.Names())
}

func merge[V any](a, b map[string]V) map[string]V {
	m := make(map[string]V, len(a)+len(b))
	maps.Copy(m, a)
	maps.Copy(m, b)
	return m
}

// faults tells the faults of files, with places that can be opened from where the
// command runs.
func faults(env *environment, err error) error {
	return &exitError{exitUsage, "wrong configuration\n\t" + strings.ReplaceAll(relative(env, err.Error()), "\n", "\n\t")}
}

// relative shortens the paths of files below the directory at the start of lines.
func relative(env *environment, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, env.dir+string(filepath.Separator)); ok {
			line = rest
		}
		fmt.Fprint(&b, line)
	}
	return b.String()
}
