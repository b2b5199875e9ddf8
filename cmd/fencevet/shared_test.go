package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// cacheDir names the variable that makes a process of these tests a cache for the
// go command.
const cacheDir = "FENCEVET_TEST_CACHE"

// TestSharedCache has two machines vet the same module with one cache between
// them, by the protocol that the go command calls GOCACHEPROG. The second gets what
// the first has found out.
func TestSharedCache(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command and vets a module")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	archive, err := txtar.ParseFile("testdata/vet/cache.txtar")
	if err != nil {
		t.Fatal(err)
	}
	module, tool, shared := unpack(t, archive), build(t), t.TempDir()
	// The go command keeps its index of a folder only if no file was just written.
	err = filepath.WalkDir(module, func(name string, _ fs.DirEntry, err error) error {
		hour := time.Now().Add(-time.Hour)
		return errors.Join(err, os.Chtimes(name, hour, hour))
	})
	if err != nil {
		t.Fatal(err)
	}
	vet := func() (found string, stored int) {
		t.Helper()
		before := entries(t, shared)
		cmd := exec.Command("go", "vet", "-vettool="+tool, "./...")
		cmd.Dir = module
		cmd.Env = append(os.Environ(), "GOCACHEPROG="+self, cacheDir+"="+shared, "GOCACHE="+t.TempDir())
		out, err := cmd.CombinedOutput()
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
			t.Fatalf("%v\n%s", err, out)
		}
		for line := range strings.Lines(string(out)) {
			if strings.HasSuffix(line, "[acquire]\n") {
				found += line
			}
		}
		return found, entries(t, shared) - before
	}
	found, stored := vet()
	if found == "" || stored < 10 {
		t.Fatalf("the first machine finds %q and stores %d results", found, stored)
	}
	again, more := vet()
	if again != found || more > 0 {
		t.Errorf("the second machine finds %q and stores %d results, the first %q", again, more, found)
	}
}

func entries(t *testing.T, dir string) int {
	files, err := filepath.Glob(filepath.Join(dir, "*.action"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// A question of the go command, and the answer.
type question struct {
	ID       int64
	Command  string
	ActionID []byte
	OutputID []byte
	BodySize int64
}

type answer struct {
	ID            int64
	KnownCommands []string `json:",omitempty"`
	Miss          bool     `json:",omitempty"`
	OutputID      []byte   `json:",omitempty"`
	Size          int64    `json:",omitempty"`
	DiskPath      string   `json:",omitempty"`
}

// serve keeps results in a directory: what an action has put out under the name of
// the action, and the output itself.
func serve(dir string, r io.Reader, w io.Writer) error {
	in, out := json.NewDecoder(bufio.NewReader(r)), json.NewEncoder(w)
	if err := out.Encode(answer{KnownCommands: []string{"get", "put", "close"}}); err != nil {
		return err
	}
	for {
		var q question
		if err := in.Decode(&q); err != nil {
			return err
		}
		a := answer{ID: q.ID}
		action := filepath.Join(dir, fmt.Sprintf("%x.action", sha256.Sum256(q.ActionID)))
		switch q.Command {
		case "get":
			stored, err := os.ReadFile(action)
			if err != nil {
				a.Miss = true
			} else if err := json.Unmarshal(stored, &a); err != nil {
				return err
			}
			a.ID = q.ID
		case "put":
			var body []byte
			if q.BodySize > 0 {
				var text string
				if err := in.Decode(&text); err != nil {
					return err
				}
				var err error
				if body, err = base64.StdEncoding.DecodeString(text); err != nil {
					return err
				}
			}
			a.OutputID, a.Size = q.OutputID, q.BodySize
			a.DiskPath = filepath.Join(dir, fmt.Sprintf("%x.output", q.OutputID))
			if err := os.WriteFile(a.DiskPath, body, 0o666); err != nil {
				return err
			}
			stored, err := json.Marshal(a)
			if err != nil {
				return err
			}
			if err := os.WriteFile(action, stored, 0o666); err != nil {
				return err
			}
		}
		if err := out.Encode(a); err != nil || q.Command == "close" {
			return err
		}
	}
}
