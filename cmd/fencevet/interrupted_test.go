package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/command"
)

// TestInterrupted interrupts the command at moments all over the time that it takes to
// write a baseline and a report. Both are there as a whole or as they were, and nothing
// lies beside them.
func TestInterrupted(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/trees/shop.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := unpack(t, archive)
	out := t.TempDir()
	baseline, page := filepath.Join(out, "baseline.json"), filepath.Join(out, "locks.json")
	write := func(ctx context.Context) (exits [2]int, errors string) {
		var stderr bytes.Buffer
		exits[0] = command.Run(ctx, []string{"gate", "-write-baseline", baseline}, nil, &bytes.Buffer{}, &stderr, dir)
		exits[1] = command.Run(ctx, []string{"inventory", "-format=json=" + page}, nil, &bytes.Buffer{}, &stderr, dir)
		return exits, stderr.String()
	}
	start := time.Now()
	if exits, text := write(t.Context()); exits != [2]int{} {
		t.Fatalf("exits %v: %s", exits, text)
	}
	whole := time.Since(start)
	const moments = 15
	for i := range moments {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			old := []byte("{\"old\": true}")
			put(t, baseline, old)
			put(t, page, old)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(whole*time.Duration(i)/moments, cancel)
			exits, text := write(ctx)
			for j, file := range []string{baseline, page} {
				got := read(t, file)
				if exits[j] != 0 && !bytes.Equal(got, old) {
					t.Errorf("exit %d, and %s was changed: %s", exits[j], filepath.Base(file), text)
				}
				if exits[j] == 0 && bytes.Equal(got, old) || !json.Valid(got) {
					t.Errorf("exit %d, and %s is %q: %s", exits[j], filepath.Base(file), got, text)
				}
			}
			if entries, err := os.ReadDir(out); err != nil || len(entries) != 2 {
				t.Errorf("beside the files lie %v, %v", entries, err)
			}
		})
	}
}
