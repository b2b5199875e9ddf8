package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
	"golang.org/x/tools/txtar"
)

const (
	root   = "../.."
	corpus = "../../testdata"
)

// TestDocs does what the README and the pages in docs say. Their code blocks are
// what a reader would copy, so each has a language, and none goes untried:
//
//	console   lines after "$ " are run by the shell, in order; what they print is compared, and rewritten with -update. A line
//	          of three dots stands for any lines.
//	yaml, json, go, starlark
//	          are parsed; those with a file comment before them are also written to
//	          the directory of the page, for the commands that follow
//	diff, text  are for the eye
//
// HTML comments, which a reader does not see, steer that:
//
//	<!-- in: shop -->    from here on the directory is a copy of testdata/shop
//	<!-- in: own -->     it is a module of the reader's own, on a machine that has Go
//	                     and nothing else, and this version of fencevet is released
//	<!-- in: clone -->   it is the repository, as before the first of these comments
//	<!-- file: NAME -->  the next block is that file
func TestDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command and runs what the documentation shows")
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Dir(build(t))
	for _, page := range append([]string{filepath.Join(root, "README.md")}, pages...) {
		t.Run(filepath.Base(page), func(t *testing.T) {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			places := map[string]*place{"clone": newPlace(t, bin, "clone")}
			p := places["clone"]
			now := part.ReplaceAllFunc(text, func(b []byte) []byte {
				m := where.FindSubmatch(b)
				if m == nil {
					return p.try(t, b)
				}
				kind := string(m[1])
				if places[kind] == nil {
					places[kind] = newPlace(t, bin, kind)
				}
				p = places[kind]
				return b
			})
			if bytes.Equal(now, text) {
				return
			}
			if *update {
				if err := os.WriteFile(page, now, 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("output differs (go test ./cmd/fencevet -run TestDocs -update accepts it):\n%s", difference(text, now))
		})
	}
}

var (
	block = regexp.MustCompile("(?ms)^(?:<!-- file: (\\S+) -->\n)?```([a-z]*)\n(.*?)^```$")
	where = regexp.MustCompile(`(?m)^<!-- in: (\w+) -->$`)
	part  = regexp.MustCompile(block.String() + "|" + where.String())
)

// A place is where the commands of a page run.
type place struct {
	dir   string
	env   []string
	clone bool // dir is the repository
}

func newPlace(t *testing.T, bin, kind string) *place {
	home := t.TempDir()
	p := &place{env: append(os.Environ(), "HOME="+home, "COLUMNS=100", "TERM=dumb", "NO_COLOR=1",
		"GIT_AUTHOR_NAME=me", "GIT_AUTHOR_EMAIL=me@example.org", "GIT_COMMITTER_NAME=me", "GIT_COMMITTER_EMAIL=me@example.org", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GOMODCACHE="+goenv(t, "GOMODCACHE"), "GOCACHE="+goenv(t, "GOCACHE"))}
	var err error
	switch kind {
	case "clone":
		p.clone = true
		p.dir, err = filepath.Abs(root)
	case "shop":
		module := resolved(t)
		p.dir = filepath.Join(module, "shop")
		for _, name := range []string{"go.mod", "go.sum"} {
			copyFile(t, filepath.Join(root, "testdata", name), filepath.Join(module, name))
		}
		err = os.CopyFS(p.dir, os.DirFS(filepath.Join(root, "testdata", "shop")))
	case "own":
		archive, e := txtar.ParseFile("testdata/findings.txtar")
		if e != nil {
			t.Fatal(e)
		}
		p.dir = unpack(t, archive)
		p.env = append(p.env, "GOPATH=", "GOMODCACHE=", "GOFLAGS=-modcacherw -trimpath", "GOSUMDB=off",
			"GOPROXY="+release(t)+",file://"+filepath.ToSlash(goenv(t, "GOMODCACHE"))+"/cache/download")
		bin = filepath.Join(home, "go", "bin")
	default:
		t.Fatalf("no place %q", kind)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.env = append(p.env, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return p
}

// try does what a code block says and returns it with what happens now.
func (p *place) try(t *testing.T, b []byte) []byte {
	m := block.FindSubmatchIndex(b)
	file, language, text := "", string(b[m[4]:m[5]]), b[m[6]:m[7]]
	if m[2] >= 0 {
		if p.clone {
			t.Fatalf("the repository is not to be written to:\n%s", b)
		}
		file = filepath.Join(p.dir, filepath.FromSlash(string(b[m[2]:m[3]])))
	}
	var err error
	switch language {
	case "console":
		return slices.Concat(b[:m[6]], p.session(t, text), b[m[7]:])
	case "yaml":
		d := yaml.NewDecoder(bytes.NewReader(text))
		for err == nil {
			err = d.Decode(new(any))
		}
		if err == io.EOF {
			err = nil
		}
	case "json":
		if !json.Valid(text) {
			err = errors.New("no JSON")
		}
	case "go":
		err = source(text)
	case "starlark":
		err = labels(text)
	case "diff", "text":
	default:
		err = fmt.Errorf("no language %q", language)
	}
	if err != nil {
		t.Errorf("%v in\n%s", err, b)
	}
	if file != "" {
		if err := p.recipe(t, file, text); err != nil {
			t.Errorf("%v in\n%s", err, b)
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// session runs the commands of a console block again.
func (p *place) session(t *testing.T, text []byte) []byte {
	var out bytes.Buffer
	_, rest, found := bytes.Cut(text, []byte("$ "))
	if !found {
		t.Errorf("no command in\n%s", text)
	}
	for _, step := range bytes.Split(rest, []byte("\n$ ")) {
		command, printed := step, []byte(nil)
		for at := 0; ; {
			end := bytes.IndexByte(step[at:], '\n')
			if end < 0 {
				break
			}
			at += end + 1
			if command, printed = step[:at-1], step[at:]; !bytes.HasSuffix(command, []byte(`\`)) {
				break
			}
		}
		fmt.Fprintf(&out, "$ %s\n", command)
		if len(printed) > 0 && printed[len(printed)-1] != '\n' {
			printed = append(slices.Clone(printed), '\n')
		}
		now := p.run(t, string(command))
		if like(string(printed), now) {
			now = string(printed)
		}
		out.WriteString(now)
	}
	return out.Bytes()
}

// run runs a command and returns what it prints on both streams, and its exit code
// if that is not 0.
func (p *place) run(t *testing.T, command string) string {
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Env = p.dir, p.env
	out, err := cmd.CombinedOutput()
	text := fix(string(out), p.dir)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		text += fmt.Sprintf("[exit %d]\n", exit.ExitCode())
	} else if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return text
}

// like reports whether text is what a pattern with lines of three dots says. They
// do not stand for a failure, which is no finding.
func like(pattern, text string) bool {
	if !strings.Contains("\n"+pattern, "\n...\n") {
		return false
	}
	if code := failure.FindString(text); code != "" && !strings.Contains(pattern, code) {
		return false
	}
	quoted := regexp.QuoteMeta("\n" + pattern)
	dots := regexp.QuoteMeta("...") + "\n"
	quoted = strings.ReplaceAll(quoted, "\n"+dots, "\n(?s:.*\n)?")
	return regexp.MustCompile("^" + quoted + "$").MatchString("\n" + text)
}

// source reads a Go file, declarations or statements.
func source(text []byte) error {
	_, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
	if err == nil {
		return nil
	}
	for _, frame := range []string{"package p\n%s", "package p\nfunc _() {\n%s\n}"} {
		if _, err = parser.ParseFile(token.NewFileSet(), "", fmt.Sprintf(frame, text), 0); err == nil {
			return nil
		}
	}
	return err
}

var failure = regexp.MustCompile(`(?m)^\[exit (?:[^3]|3.+)\]$`)

// labels reads what a BUILD file takes from fencevet: packages that exist.
func labels(text []byte) error {
	found := regexp.MustCompile(`@com_github_fencevet_fencevet//([\w/]*)`).FindAllSubmatch(text, -1)
	for _, m := range found {
		if files, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(string(m[1])), "*.go")); len(files) == 0 {
			return fmt.Errorf("no package %s", m[1])
		}
	}
	return nil
}

// released is the version that this one is taken for.
var released = module.Version{Path: "github.com/fencevet/fencevet", Version: "v0.1.0"}

// release puts this version of fencevet where the go command finds it, as a proxy
// in the file system, and returns its address.
func release(t *testing.T) string {
	proxy, v := t.TempDir(), released
	dir := filepath.Join(proxy, filepath.FromSlash(v.Path), "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	if err := zip.CreateFromDir(&archive, v, root); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"list":              []byte(v.Version + "\n"),
		v.Version + ".info": []byte(`{"Version": "` + v.Version + `"}`),
		v.Version + ".mod":  mod,
		v.Version + ".zip":  archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return "file://" + filepath.ToSlash(proxy)
}

func resolved(t *testing.T) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func goenv(t *testing.T, name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func copyFile(t *testing.T, from, to string) {
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestLinks follows the links from page to page, and to files.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllSubmatch(block.ReplaceAll(text, nil), -1) {
			file, anchor, _ := strings.Cut(string(m[1]), "#")
			if strings.Contains(file, "://") {
				continue
			}
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(file))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", filepath.Base(page), err)
			} else if anchor != "" && !slices.Contains(anchors(t, target), anchor) {
				t.Errorf("%s: %s has no heading %s", filepath.Base(page), file, anchor)
			}
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	dropped = regexp.MustCompile("[^\\w\\s-]")
)

// anchors lists what a forge calls the headings of a page.
func anchors(t *testing.T, page string) []string {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range heading.FindAllSubmatch(block.ReplaceAll(text, nil), -1) {
		name := dropped.ReplaceAllString(strings.ToLower(string(m[1])), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

func TestLike(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		want          bool
	}{
		{"a\nb\n", "a\nb\n", false}, // without dots bytes are compared
		{"a\n...\nd\n", "a\nb\nc\nd\n", true},
		{"a\n...\nd\n", "a\nd\n", true},
		{"a\n...\nd\n", "a\nb\n", false},
		{"...\nd\n", "a\nd\n", true},
		{"a\n...\n", "a\nb\n", true},
		{"a...\n", "ab\n", false},
		{"a\n...\n", "a\n[exit 3]\n", true},
		{"a\n...\n", "a\n[exit 1]\n", false},
		{"a\n...\n[exit 1]\n", "a\nb\n[exit 1]\n", true},
	} {
		if got := like(test.pattern, test.text); got != test.want {
			t.Errorf("like(%q, %q) = %v", test.pattern, test.text, got)
		}
	}
}
