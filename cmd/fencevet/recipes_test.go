package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/fencevet/fencevet/analyzers"
	"github.com/fencevet/fencevet/plugin"
)

// recipe tries a configuration file of another program as far as that goes without
// the program: it is read strictly, and its commands run.
func (p *place) recipe(t *testing.T, file string, text []byte) error {
	switch name := filepath.ToSlash(file); {
	case strings.Contains(name, "/.github/workflows/"):
		return p.workflow(t, text)
	case strings.HasSuffix(name, "/.golangci.yml"):
		return linter(text)
	case strings.HasSuffix(name, "/nogo.json"):
		return nogo(text)
	case strings.HasSuffix(name, "/.gitlab-ci.yml"):
		return p.gitlab(t, text)
	case strings.HasSuffix(name, "/.pre-commit-config.yaml"):
		return p.hooks(t, text)
	}
	return nil
}

func strictly(text []byte, into any) error {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	return d.Decode(into)
}

// A workflow of GitHub Actions, with the keys that are used here.
type workflow struct {
	Name        string
	On          map[string]struct{ Branches []string }
	Permissions map[string]string
	Jobs        map[string]struct {
		RunsOn string `yaml:"runs-on"`
		Steps  []actionStep
	}
}

type actionStep struct {
	Name, ID, If, Uses, Run, Shell string
	Dir                            string `yaml:"working-directory"`
	With, Env                      map[string]string
}

// An action that is made of steps.
type action struct {
	Name, Description string
	Inputs            map[string]struct{ Description, Default string }
	Outputs           map[string]struct{ Description, Value string }
	Runs              struct {
		Using string
		Steps []actionStep
	}
}

const ownAction = "fencevet/fencevet/.github/actions/fencevet"

// others are actions of others, with what they are given.
var others = map[string][]string{
	"actions/checkout":                  {"fetch-depth"},
	"actions/setup-go":                  {"go-version-file"},
	"github/codeql-action/upload-sarif": {"sarif_file", "category"},
}

// A runner is what GitHub has around steps.
type runner struct {
	*place
	temp   string
	values map[string]string // of expressions
	failed bool
}

func (p *place) workflow(t *testing.T, text []byte) error {
	var w workflow
	if err := strictly(text, &w); err != nil {
		return err
	}
	for name, job := range w.Jobs {
		temp := t.TempDir()
		// What the recipe calls and is not here notes how it was called.
		bin := filepath.Join(temp, "bin")
		if err := os.Mkdir(bin, 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(bin, "gh"), []byte("#!/bin/sh\necho \"$@\" >> \"$RUNNER_TEMP/gh\"\n"), 0o777); err != nil {
			return err
		}
		r := &runner{place: p, temp: temp, values: map[string]string{
			"github.base_ref": "main", "github.token": "secret", "github.event.pull_request.number": "7",
		}}
		if err := r.steps(t, job.Steps); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if asked, _ := os.ReadFile(filepath.Join(temp, "gh")); slices.ContainsFunc(job.Steps, func(s actionStep) bool { return strings.HasPrefix(s.Run, "gh ") }) && !bytes.HasPrefix(asked, []byte("pr comment 7 ")) {
			return fmt.Errorf("%s: gh is asked %q", name, asked)
		}
	}
	return nil
}

var expression = regexp.MustCompile(`\$\{\{ *([\w.-]+) *\}\}`)

func (r *runner) expand(text string) (string, error) {
	var err error
	return expression.ReplaceAllStringFunc(text, func(e string) string {
		value, ok := r.values[expression.FindStringSubmatch(e)[1]]
		if !ok {
			err = errors.Join(err, fmt.Errorf("nothing has set %s", e))
		}
		return value
	}), err
}

func (r *runner) steps(t *testing.T, steps []actionStep) error {
	for _, s := range steps {
		if r.failed && s.If != "always()" {
			continue
		}
		with := make(map[string]string)
		for key, text := range s.With {
			value, err := r.expand(text)
			if err != nil {
				return err
			}
			with[key] = value
		}
		name, version, _ := strings.Cut(s.Uses, "@")
		switch {
		case s.Run != "":
			if err := r.shell(t, s); err != nil {
				return err
			}
		case name == ownAction:
			if err := r.action(t, s.ID, with); err != nil {
				return err
			}
		case others[name] != nil && strings.HasPrefix(version, "v"):
			if name == "actions/checkout" && with["fetch-depth"] == "0" {
				r.run(t, "git update-ref refs/remotes/origin/main main")
			}
			for key, value := range with {
				if !slices.Contains(others[name], key) {
					return fmt.Errorf("%s takes no %s", name, key)
				}
				if strings.HasSuffix(key, "file") && !filepath.IsAbs(value) {
					value = filepath.Join(r.dir, value)
				}
				if _, err := os.Stat(value); strings.HasSuffix(key, "file") && err != nil {
					return err
				}
			}
		default:
			return fmt.Errorf("a step uses %q, which this test does not know", s.Uses)
		}
	}
	return nil
}

// action runs the action of this repository.
func (r *runner) action(t *testing.T, id string, with map[string]string) error {
	text, err := os.ReadFile(filepath.Join(root, ".github", "actions", "fencevet", "action.yml"))
	if err != nil {
		return err
	}
	var a action
	if err := strictly(text, &a); err != nil {
		return err
	}
	if a.Name == "" || a.Description == "" || a.Runs.Using != "composite" {
		return fmt.Errorf("%s is no composite action", ownAction)
	}
	inner := &runner{place: r.place, temp: r.temp, values: make(map[string]string)}
	for name, input := range a.Inputs {
		inner.values["inputs."+name] = input.Default
	}
	for name, value := range with {
		if _, ok := a.Inputs[name]; !ok {
			return fmt.Errorf("%s takes no %s", ownAction, name)
		}
		inner.values["inputs."+name] = value
	}
	if err := inner.steps(t, a.Runs.Steps); err != nil {
		return err
	}
	r.failed = r.failed || inner.failed
	for name, output := range a.Outputs {
		if r.values["steps."+id+".outputs."+name], err = inner.expand(output.Value); err != nil {
			return err
		}
	}
	return nil
}

// shell runs a step's commands as GitHub does, and takes what they leave in files.
func (r *runner) shell(t *testing.T, s actionStep) error {
	if strings.Contains(s.Run, "${{") {
		return fmt.Errorf("%s: an expression in a script is run as code: hand it over in env", s.Name)
	}
	env := append(slices.Clone(r.env), "RUNNER_TEMP="+r.temp)
	for _, file := range []string{"GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY"} {
		env = append(env, file+"="+filepath.Join(r.temp, file))
	}
	path := filepath.Join(r.temp, "bin") + string(filepath.ListSeparator)
	added, _ := os.ReadFile(filepath.Join(r.temp, "GITHUB_PATH"))
	for dir := range strings.FieldsSeq(string(added)) {
		path += dir + string(filepath.ListSeparator)
	}
	for _, v := range r.env {
		if old, ok := strings.CutPrefix(v, "PATH="); ok {
			env = append(env, "PATH="+path+old)
		}
	}
	for name, text := range s.Env {
		value, err := r.expand(text)
		if err != nil {
			return err
		}
		env = append(env, name+"="+value)
	}
	dir, err := r.expand(s.Dir)
	if err != nil {
		return err
	}
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
	cmd.Dir, cmd.Env = filepath.Join(r.dir, dir), env
	out, err := cmd.CombinedOutput()
	switch exit, failed := errors.AsType[*exec.ExitError](err); {
	case failed && exit.ExitCode() == 3:
		r.failed = true // findings
	case err != nil:
		return fmt.Errorf("%s: %v\n%s", s.Name, err, out)
	}
	t.Logf("%s\n%s", s.Run, out)
	outputs, _ := os.ReadFile(filepath.Join(r.temp, "GITHUB_OUTPUT"))
	for line := range strings.Lines(string(outputs)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && s.ID != "" {
			r.values["steps."+s.ID+".outputs."+name] = value
		}
	}
	return nil
}

func (p *place) gitlab(t *testing.T, text []byte) error {
	var jobs map[string]struct {
		Image     string
		Script    []string
		Artifacts struct {
			When    string
			Reports struct{ Codequality string }
		}
	}
	if err := strictly(text, &jobs); err != nil {
		return err
	}
	for name, job := range jobs {
		for _, line := range job.Script {
			t.Logf("%s\n%s", line, p.run(t, line))
		}
		report, err := os.ReadFile(filepath.Join(p.dir, job.Artifacts.Reports.Codequality))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		var found []struct {
			Description, Fingerprint, Severity string
			Location                           struct {
				Path  string
				Lines struct{ Begin int }
			}
		}
		if err := json.Unmarshal(report, &found); err != nil || len(found) == 0 {
			return fmt.Errorf("%s: %d findings, %v", name, len(found), err)
		}
		for _, f := range found {
			if f.Description == "" || f.Fingerprint == "" || f.Severity == "" || f.Location.Path == "" || f.Location.Lines.Begin == 0 {
				return fmt.Errorf("%s: not what GitLab reads: %+v", name, f)
			}
		}
	}
	return nil
}

// linter makes the linter that a configuration of golangci-lint asks for.
func linter(text []byte) error {
	var cfg struct {
		Version string
		Linters struct {
			Enable   []string
			Settings struct {
				Custom map[string]struct {
					Type, Description string
					URL               string `yaml:"original-url"`
					Settings          any
				}
			}
		}
	}
	if err := strictly(text, &cfg); err != nil {
		return err
	}
	own, ok := cfg.Linters.Settings.Custom["fencevet"]
	if !ok || own.Type != "module" || !slices.Contains(cfg.Linters.Enable, "fencevet") {
		return errors.New("no linter fencevet")
	}
	_, err := plugin.New(own.Settings)
	return err
}

// nogo sets the flags of the analyzer as rules_go's nogo does.
func nogo(text []byte) error {
	var cfg map[string]struct {
		Flags   map[string]string `json:"analyzer_flags"`
		Exclude map[string]string `json:"exclude_files"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&cfg); err != nil {
		return err
	}
	a := analyzers.New(nil)
	own, ok := cfg[a.Name]
	if !ok {
		return fmt.Errorf("nothing about %s", a.Name)
	}
	for name, value := range own.Flags {
		if err := a.Flags.Set(name, value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for pattern := range own.Exclude {
		if _, err := regexp.Compile(pattern); err != nil {
			return err
		}
	}
	return nil
}

// hooks runs the hooks of this repository that a pre-commit configuration names.
func (p *place) hooks(t *testing.T, text []byte) error {
	var config struct {
		Repos []struct {
			Repo, Rev string
			Hooks     []struct {
				ID   string
				Args []string
			}
		}
	}
	if err := strictly(text, &config); err != nil {
		return err
	}
	offered, err := os.ReadFile(filepath.Join(root, ".pre-commit-hooks.yaml"))
	if err != nil {
		return err
	}
	var hooks []struct {
		ID, Name, Description, Entry, Language string
		Types                                  []string
		PassFilenames                          bool `yaml:"pass_filenames"`
		RequireSerial                          bool `yaml:"require_serial"`
	}
	if err := strictly(offered, &hooks); err != nil {
		return err
	}
	entries := make(map[string]string)
	for _, h := range hooks {
		// For golang, pre-commit installs the commands of the module.
		if _, err := os.Stat(filepath.Join(root, "cmd", h.Entry)); err != nil || h.Language != "golang" || h.PassFilenames {
			return fmt.Errorf("hook %s: %v", h.ID, err)
		}
		entries[h.ID] = h.Entry
	}
	for _, repo := range config.Repos {
		for _, h := range repo.Hooks {
			if entries[h.ID] == "" {
				return fmt.Errorf("no hook %s: there are %v", h.ID, slices.Sorted(maps.Keys(entries)))
			}
			out := p.run(t, "go tool "+entries[h.ID]+" "+strings.Join(h.Args, " "))
			if strings.Contains(out, "[exit 1]") || strings.Contains(out, "[exit 2]") {
				return fmt.Errorf("hook %s: %s", h.ID, out)
			}
		}
	}
	return nil
}
