//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestSignal stops the command while it waits for the go command, which must not
// go on by itself. Both hold a pipe open, so its end says that both are gone.
func TestSignal(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		dir := t.TempDir()
		pipe := filepath.Join(dir, "pipe")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		script := "#!/bin/sh\nexec 3>" + pipe + "\necho started >&3\nexec sleep 20\n"
		if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		var stderr strings.Builder
		cmd := exec.Command(self, "./...")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), asCommand+"=1", "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		started, err := os.Open(pipe) // waits for the other end
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, started); err != nil {
			t.Error(err)
		}
		started.Close()
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(stderr.String(), "interrupted") {
			t.Errorf("%v: exit code %d, %s", signal, code, stderr.String())
		}
	}
}
