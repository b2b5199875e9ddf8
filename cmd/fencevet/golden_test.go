package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
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
// commands, fencevet or cat; what comes before the first is a comment.
func TestGolden(t *testing.T) {
	t.Setenv("COLUMNS", "100")
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
			got := session(t, archive.Comment, dir)
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

func unpack(t *testing.T, archive *txtar.Archive) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// session runs the commands of a script again and returns the script with what
// they print now.
func session(t *testing.T, script []byte, dir string) []byte {
	var out bytes.Buffer
	head, _, _ := strings.Cut(string(script), "$ ")
	out.WriteString(head)
	for line := range strings.Lines(string(script)) {
		if file, ok := strings.CutPrefix(line, "$ cat "); ok {
			out.WriteString(line)
			text, err := os.ReadFile(filepath.Join(dir, strings.TrimSpace(file)))
			if err != nil {
				t.Error(err)
			}
			out.WriteString(fix(string(text), dir) + "\n")
			continue
		}
		text, ok := strings.CutPrefix(line, "$ fencevet")
		if !ok {
			continue // output of the last time
		}
		out.WriteString(line)
		var printed bytes.Buffer
		code := command.Run(t.Context(), strings.Fields(text), &printed, &printed, dir)
		out.WriteString(fix(printed.String(), dir))
		if code != 0 {
			fmt.Fprintf(&out, "[exit %d]\n", code)
		}
		out.WriteByte('\n')
	}
	return out.Bytes()
}

var version = regexp.MustCompile(`\(devel\)|v\d+\.\d+\.\d+[-.+\w]*`)

// fix replaces what differs from one machine or build to the next.
func fix(text, dir string) string {
	text = strings.ReplaceAll(text, dir, "$DIR")
	text = strings.ReplaceAll(text, runtime.Version(), "$GO")
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "fencevet ") || strings.Contains(line, `"version": "`) {
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
