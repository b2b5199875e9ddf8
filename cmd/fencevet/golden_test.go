package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/command"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// TestGolden runs the commands in front of each archive in testdata, in a
// directory that holds the archive's files, and compares what they print (both
// streams) and their exit codes. Lines that start with a dollar sign are
// commands; what comes before the first, and lines with // in front of others,
// are comments. $DIR stands for the directory. Commands are
//
//	fencevet ARGS [<FILE]   what is tested
//	git ARGS
//	use NAME                copies the archive's files below @NAME over those at hand
//	rm FILE, cat FILE
func TestGolden(t *testing.T) {
	t.Setenv("COLUMNS", "100")
	ownCache(t)
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := unpack(t, archive)
			got := session(t, archive, dir)
			if bytes.Equal(got, archive.Comment) {
				return
			}
			if *update {
				archive.Comment = got
				if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("output differs (go test ./cmd/fencevet -update accepts it):\n%s", difference(archive.Comment, got))
		})
	}
}

// ownCache keeps what fencevet caches from the user's directory, and leaves the go
// command its own.
func ownCache(t *testing.T) {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(out)))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
}

func unpack(t *testing.T, archive *txtar.Archive) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if !strings.HasPrefix(f.Name, "@") {
			put(t, filepath.Join(dir, filepath.FromSlash(f.Name)), f.Data)
		}
	}
	return dir
}

func put(t *testing.T, name string, data []byte) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// session runs the commands of an archive again and returns them with what they
// print now.
func session(t *testing.T, archive *txtar.Archive, dir string) []byte {
	var out bytes.Buffer
	started := false
	remarks := "" // on the next command, or else output of the last time
	for line := range strings.Lines(string(archive.Comment)) {
		text, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			switch {
			case !started:
				out.WriteString(line)
			case strings.HasPrefix(line, "// "):
				remarks += line
			default:
				remarks = ""
			}
			continue
		}
		out.WriteString(remarks)
		remarks, started = "", true
		out.WriteString(line)
		var printed bytes.Buffer
		code := step(t, archive, strings.Fields(strings.ReplaceAll(text, "$DIR", dir)), &printed, dir)
		out.WriteString(fix(printed.String(), dir))
		if code != 0 {
			fmt.Fprintf(&out, "[exit %d]\n", code)
		}
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// step runs one command.
func step(t *testing.T, archive *txtar.Archive, words []string, printed *bytes.Buffer, dir string) (code int) {
	name, args := words[0], words[1:]
	switch name {
	case "fencevet":
		stdin := new(bytes.Reader)
		if n := len(args); n > 0 && strings.HasPrefix(args[n-1], "<") {
			data, err := os.ReadFile(filepath.Join(dir, args[n-1][1:]))
			if err != nil {
				t.Fatal(err)
			}
			stdin, args = bytes.NewReader(data), args[:n-1]
		}
		return command.Run(t.Context(), args, stdin, printed, printed, dir)
	case "git":
		git := exec.Command("git", args...)
		git.Dir = dir
		git.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=A. Tester", "GIT_AUTHOR_EMAIL=tester@example.org", "GIT_COMMITTER_NAME=A. Tester", "GIT_COMMITTER_EMAIL=tester@example.org")
		git.Stdout, git.Stderr = printed, printed
		if err := git.Run(); err != nil && git.ProcessState == nil {
			t.Fatal(err)
		}
		return git.ProcessState.ExitCode()
	case "use":
		for _, f := range archive.Files {
			if rest, ok := strings.CutPrefix(f.Name, "@"+args[0]+"/"); ok {
				put(t, filepath.Join(dir, filepath.FromSlash(rest)), f.Data)
			}
		}
	case "rm":
		if err := os.RemoveAll(filepath.Join(dir, args[0])); err != nil {
			t.Fatal(err)
		}
	case "cat":
		data, err := os.ReadFile(filepath.Join(dir, args[0]))
		if err != nil {
			t.Fatal(err)
		}
		printed.Write(data)
	default:
		t.Fatalf("no command %s", name)
	}
	return 0
}

var commit = regexp.MustCompile(` at [0-9a-f]{10}\b`)

var version = regexp.MustCompile(`\(devel\)|v\d+\.\d+\.\d+[-.+\w]*`)

// fix replaces what differs from one machine or build to the next.
func fix(text, dir string) string {
	text = strings.ReplaceAll(text, dir, "$DIR")
	text = strings.ReplaceAll(text, runtime.Version(), "$GO")
	text = commit.ReplaceAllString(text, " at $$COMMIT")
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "fencevet ") || strings.HasPrefix(line, "tool ") || strings.Contains(line, `"version": "`) {
			line = version.ReplaceAllString(line, "$$VERSION")
		}
		b.WriteString(line)
	}
	return b.String()
}

// difference shows the first lines that differ.
func difference(want, got []byte) string {
	w, g := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			const around = 12
			return fmt.Sprintf("line %d\nwant:\n%s\ngot:\n%s", i+1,
				strings.Join(w[i:min(len(w), i+around)], "\n"), strings.Join(g[i:min(len(g), i+around)], "\n"))
		}
	}
	return fmt.Sprintf("want %d lines, got %d", len(w), len(g))
}
