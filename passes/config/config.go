// Package config reads what a project decides about fencevet: the file
// .fencevet.yaml in the root of its module.
//
// It is shared by everything that runs the checks (the command, go vet, plugins of
// other linters), and needs nothing but the file.
package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/strict"
	"github.com/fencevet/fencevet/passes/lock"
	"github.com/fencevet/fencevet/passes/models"
	"github.com/fencevet/fencevet/passes/spell"
)

// Name is what the file is called.
const Name = ".fencevet.yaml"

// A Config is the content of the file. Every key has a flag of the command.
type Config struct {
	Level   lock.Level            `yaml:"level" enum:"note|warning|error" doc:"findings of this level and above are reported; warning is the default (flag -level)"`
	Checks  map[string]bool       `yaml:"checks" doc:"checks that are on or off, by name, where not as by default (flag -CHECK=false)"`
	Levels  map[string]lock.Level `yaml:"levels" enum:"note|warning|error" doc:"the same as level for single checks, by name (flag -CHECK.level)"`
	Exclude []Exclusion           `yaml:"exclude" doc:"where findings do not count; they stay in the inventory with the reason (flag -exclude)"`
	Models  []Model               `yaml:"models" doc:"what functions of libraries and of the project mean, in place and in files; they count before the built-in ones (flag -model)"`
	Also    []string              `yaml:"also" doc:"packages of required modules that are read from source too, as patterns; the command alone (flag -also)"`
	Tests   bool                  `yaml:"tests" doc:"test files are read too; the command alone (flag -tests)"`

	File string `yaml:"-"` // absolute; empty: there is none
	hash []byte
}

// An Exclusion says where findings do not count.
type Exclusion struct {
	Path   string   `yaml:"path" need:"always" doc:"files, relative to this one: internal/legacy/** means all below that folder"`
	Checks []string `yaml:"checks" doc:"the checks whose findings do not count; all if left out"`
	Reason string   `yaml:"reason" need:"always" doc:"why"`
}

// A Model is a catalogue file, or what one would say.
type Model struct {
	Library *models.Library
	File    string // absolute; empty where it is written in place

	node *yaml.Node
}

// Find returns the configuration file for a directory: the one in it or in those
// above, up to the root of the module. It returns the empty string if there is none.
func Find(dir string) (string, error) {
	for {
		file := filepath.Join(dir, Name)
		info, err := os.Stat(file)
		switch {
		case err == nil && info.IsDir():
			return "", fmt.Errorf("%s is a folder: it must be a file", file)
		case err == nil:
			return file, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return "", nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", nil
		}
		dir = parent
	}
}

// InRoot returns the configuration file in the root of the module that a directory
// belongs to, and the empty string if there is none.
func InRoot(dir string) (string, error) {
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return Find(dir)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", nil
		}
		dir = parent
	}
}

// Read reads a file. checks are the names of all checks.
func Read(file string, checks []string) (*Config, error) {
	data, err := readFile(file)
	if err != nil {
		return nil, err
	}
	c, err := Parse(file, data, checks)
	if err != nil {
		return nil, err
	}
	c.File = file
	return c, nil
}

// readFile reads a file of a size that people write by hand.
func readFile(file string) ([]byte, error) {
	const most = 4 << 20
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", file)
	case info.Size() > most:
		return nil, fmt.Errorf("%s has more than %d bytes", file, most)
	}
	return os.ReadFile(file)
}

// Parse reads the content of a file. Model files that it names are found from
// where it lies. All faults are told together, as models.Errors.
func Parse(name string, data []byte, checks []string) (*Config, error) {
	c := &Config{}
	hash := sha256.New()
	hash.Write(data)
	if len(strings.TrimSpace(string(data))) == 0 {
		c.hash = hash.Sum(nil)
		return c, nil // nothing is decided
	}
	d := &strict.Decoder{Name: name, Custom: map[reflect.Type]func(*strict.Decoder, *yaml.Node, reflect.Value){
		reflect.TypeFor[Model](): readModel,
	}}
	root := d.Document(data, strings.Join(strict.Keys(reflect.TypeFor[Config]()), ", "))
	if root == nil {
		return nil, d.Err()
	}
	d.Value(root, c)
	c.check(d, root, checks)
	var faults strict.Errors
	errors.As(d.Err(), &faults)
	for i := range c.Models {
		m := &c.Models[i]
		content, err := m.load(name)
		var more strict.Errors
		switch {
		case errors.As(err, &more):
			faults = append(faults, more...)
		case err != nil:
			faults = append(faults, &strict.Error{Pos: d.Pos(m.node), Msg: err.Error() + ": correct the name, which is relative to this file"})
		}
		fmt.Fprintf(hash, "%d\n%s", len(content), content)
	}
	if len(faults) > 0 {
		return nil, faults
	}
	c.hash = hash.Sum(nil)
	if _, err := c.Catalog(); err != nil {
		return nil, err
	}
	return c, nil
}

// readModel notes the node of a model: either a file, or what one would say.
func readModel(d *strict.Decoder, n *yaml.Node, v reflect.Value) {
	m := v.Addr().Interface().(*Model)
	m.node = n
	file := strict.Child(n, "file")
	switch {
	case n.Kind != yaml.MappingNode:
		d.Errorf(n, "want file: NAME, or a model (library, packages, calls)")
		m.node = nil
	case file != nil && len(n.Content) > 2:
		d.Errorf(n, "file excludes other keys: what is said in place belongs to another model")
		m.node = nil
	case file != nil:
		var ok bool
		if m.File, ok = d.Scalar(file, "the name of a file"); !ok {
			m.node = nil
		}
	}
}

// load reads the model. config is the file that names it.
func (m *Model) load(config string) (content []byte, err error) {
	switch {
	case m.node == nil:
		return nil, nil // a fault is told already
	case m.File == "":
		m.Library, err = catalog.Decode(config, m.node)
	default:
		if !filepath.IsAbs(m.File) {
			m.File = filepath.Join(filepath.Dir(config), filepath.FromSlash(m.File))
		}
		if content, err = readFile(m.File); err != nil {
			return nil, err
		}
		m.Library, err = catalog.Load(m.File, content)
	}
	if err != nil {
		return nil, err
	}
	complete(m.Library)
	return content, nil
}

// complete fills in what a project need not say of its libraries.
func complete(lib *models.Library) {
	lib.Family = cmp.Or(lib.Family, lib.Library)
	lib.Locks = lib.Locks || slices.ContainsFunc(lib.Calls, func(c *models.Call) bool { return c.Acquire != nil })
}

// check finds faults that the types do not show.
func (c *Config) check(d *strict.Decoder, root *yaml.Node, checks []string) {
	known := func(n *yaml.Node, name string) {
		if !slices.Contains(checks, name) {
			d.Errorf(n, "no check %q%s: fencevet explain lists them", name, spell.Meant(name, checks))
		}
	}
	for _, key := range []string{"checks", "levels"} {
		if n := strict.Child(root, key); n != nil && n.Kind == yaml.MappingNode {
			for i := 0; i < len(n.Content); i += 2 {
				known(n.Content[i], n.Content[i].Value)
			}
		}
	}
	excluded := strict.Child(root, "exclude")
	for i, x := range c.Exclude {
		n := strict.Nth(excluded, i)
		if n.Kind != yaml.MappingNode {
			continue
		}
		switch {
		case x.Path == "" && strict.Child(n, "path") == nil:
			d.Errorf(n, "exclusion without a path: say which files, such as internal/legacy/**")
		case x.Path != "" && !ValidPath(x.Path):
			d.Errorf(strict.Child(n, "path"), "bad path %q: want a pattern with slashes, such as internal/legacy/** or **/*_gen.go", x.Path)
		}
		if x.Reason == "" && strict.Child(n, "reason") == nil {
			d.Errorf(n, "exclusion without a reason: write down why, for those who read this after you")
		}
		for j, name := range x.Checks {
			known(strict.Nth(strict.Child(n, "checks"), j), name)
		}
	}
	for i, pattern := range c.Also {
		if strings.HasPrefix(pattern, ".") || strings.ContainsAny(pattern, " \t") {
			d.Errorf(strict.Nth(strict.Child(root, "also"), i), "bad pattern %q: want import paths of required modules, such as example.org/corp/...", pattern)
		}
	}
}

// ValidPath reports whether the path of an exclusion can match anything.
func ValidPath(path string) bool {
	return doublestar.ValidatePattern(path) && !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "./") && !strings.Contains(path, `\`)
}

// Catalog returns the catalogue with the models on top; nil if there are none.
func (c *Config) Catalog() (*models.Catalog, error) {
	var libs []*models.Library
	for _, m := range c.Models {
		if m.Library != nil {
			libs = append(libs, m.Library)
		}
	}
	if len(libs) == 0 {
		return nil, nil
	}
	return models.Builtin().With(libs...)
}

// AddModel adds a model file, told by its absolute path, unless it is one of c's.
func (c *Config) AddModel(file string) error {
	if slices.ContainsFunc(c.Models, func(m Model) bool { return m.File == file }) {
		return nil
	}
	m := Model{File: file, node: &yaml.Node{}}
	content, err := m.load(file)
	if err != nil {
		return err
	}
	c.Models = append(c.Models, m)
	sum := sha256.Sum256(append(slices.Clone(c.hash), content...))
	c.hash = sum[:]
	_, err = c.Catalog()
	return err
}

// Excluded says why a finding at a place does not count, or returns nil. root is
// where paths start if c is of no file.
func (c *Config) Excluded(f lock.Finding, root string) *lock.Suppression {
	if len(c.Exclude) == 0 {
		return nil
	}
	if c.File != "" {
		root = filepath.Dir(c.File)
	}
	path, err := filepath.Rel(root, f.At.File)
	if err != nil || !filepath.IsLocal(path) {
		return nil
	}
	for _, x := range c.Exclude {
		if len(x.Checks) > 0 && !slices.Contains(x.Checks, f.Check) {
			continue
		}
		if ok, err := doublestar.Match(x.Path, filepath.ToSlash(path)); ok && err == nil {
			return &lock.Suppression{By: "config", Reason: x.Reason}
		}
	}
	return nil
}

// Hash identifies the content of the configuration, models included. It is empty
// if there is none.
func (c *Config) Hash() string { return hex.EncodeToString(c.hash) }

// Schema is the JSON Schema of the file.
func Schema() ([]byte, error) {
	return strict.Schema(reflect.TypeFor[Config](), "https://raw.githubusercontent.com/fencevet/fencevet/main/docs/fencevet.schema.json", strict.Shapes{
		reflect.TypeFor[Model]():        {OneOf: []reflect.Type{reflect.TypeFor[modelFile](), reflect.TypeFor[catalog.Library]()}},
		reflect.TypeFor[catalog.Ref]():  {Pattern: `^((receiver|(arg|result|word) [0-9]+(\.\.\.)?|word [A-Z]+(\.\.\.)?)(\.[^ \t().]+)*|(name|type)( [A-Za-z]+)?)$`},
		reflect.TypeFor[catalog.Word](): {},
	})
}

// modelFile is the other form of a Model.
type modelFile struct {
	File string `yaml:"file" need:"always" doc:"a model file, relative to this one"`
}
