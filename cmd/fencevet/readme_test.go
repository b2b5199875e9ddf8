package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/command"
)

var shown = regexp.MustCompile("(?s)<!-- output: fencevet ([^\n]*) -->\n```\n(.*?)```\n")

// TestReadme holds the output that the README shows against the real one.
func TestReadme(t *testing.T) {
	t.Setenv("COLUMNS", "100")
	const file = "../../README.md"
	readme, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	examples := 0
	now := shown.ReplaceAllFunc(readme, func(block []byte) []byte {
		examples++
		m := shown.FindSubmatch(block)
		var stdout, stderr bytes.Buffer
		if code := command.Run(t.Context(), strings.Fields(string(m[1])), strings.NewReader(""), &stdout, &stderr, root); code == 1 || code == 2 {
			t.Errorf("fencevet %s exits with %d: %s", m[1], code, stderr.String())
		}
		return bytes.Replace(block, append([]byte("```\n"), m[2]...), append([]byte("```\n"), stdout.Bytes()...), 1)
	})
	if examples == 0 {
		t.Error("the README shows no output")
	}
	if bytes.Equal(now, readme) {
		return
	}
	if *update {
		if err := os.WriteFile(file, now, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("output differs (go test ./cmd/fencevet -update accepts it):\n%s", difference(readme, now))
}
