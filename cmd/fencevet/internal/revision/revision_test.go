package revision

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repository makes one with a commit per content of the file a/a.txt, and
// returns its directory.
func repository(t *testing.T, contents ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, name := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+name+"_NAME", "A. Tester")
		t.Setenv("GIT_"+name+"_EMAIL", "tester@example.org")
	}
	run(t, dir, "init", "--quiet", "--initial-branch=main")
	for _, content := range contents {
		write(t, filepath.Join(dir, "a", "a.txt"), content)
		run(t, dir, "add", ".")
		run(t, dir, "commit", "--quiet", "--message", content)
	}
	return dir
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// state is all that a checkout must leave alone.
func state(t *testing.T, dir string) string {
	t.Helper()
	return strings.Join([]string{
		run(t, dir, "status", "--porcelain"), run(t, dir, "ls-files", "--stage"), run(t, dir, "rev-parse", "HEAD"),
		run(t, dir, "worktree", "list"), run(t, dir, "branch", "--all"),
	}, "\n--\n")
}

func TestCheckout(t *testing.T) {
	dir := repository(t, "one", "two")
	write(t, filepath.Join(dir, "a", "a.txt"), "staged")
	run(t, dir, "add", ".")
	write(t, filepath.Join(dir, "a", "a.txt"), "dirty")
	// A hook of the user's must not run, and the index that git hands to a hook
	// which runs fencevet must not be written.
	write(t, filepath.Join(dir, ".git", "hooks", "post-checkout"), "#!/bin/sh\ntouch \"$PWD/../hooked\"; exit 1\n")
	if err := os.Chmod(filepath.Join(dir, ".git", "hooks", "post-checkout"), 0o777); err != nil {
		t.Fatal(err)
	}
	before := state(t, dir)
	t.Setenv("GIT_DIR", filepath.Join(dir, ".git"))
	t.Setenv("GIT_INDEX_FILE", filepath.Join(dir, ".git", "index"))

	r, err := Resolve(t.Context(), filepath.Join(dir, "a"), "HEAD~1")
	if err != nil {
		t.Fatal(err)
	}
	if r.Dir() != "a" || r.Note != "" {
		t.Errorf("dir %q, note %q", r.Dir(), r.Note)
	}
	out, remove, err := r.Checkout(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(out, "a.txt")); err != nil || string(text) != "one" {
		t.Errorf("%s: %q, %v", out, text, err)
	}
	if err := remove(); err != nil {
		t.Error(err)
	}
	os.Unsetenv("GIT_DIR")
	os.Unsetenv("GIT_INDEX_FILE")
	if after := state(t, dir); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a", "a.txt")); err != nil || string(text) != "dirty" {
		t.Errorf("the user's file: %q, %v", text, err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Errorf("%s is still there", out)
	}
}

// TestInterrupt ends the context in the middle, and removes what git has not
// finished.
func TestInterrupt(t *testing.T) {
	dir := repository(t, "one", "two")
	before := state(t, dir)
	r, err := Resolve(t.Context(), dir, "HEAD~1")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	out, remove, err := r.Checkout(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	// As git leaves it when it is killed before it has written the files.
	write(t, filepath.Join(dir, ".git", "worktrees", filepath.Base(out), "locked"), "initializing")
	if err := os.Remove(filepath.Join(out, ".git")); err != nil {
		t.Fatal(err)
	}
	if err := remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Errorf("%s is still there", out)
	}
	if after := state(t, dir); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	if _, _, err := r.Checkout(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if after := state(t, dir); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

func TestResolve(t *testing.T) {
	origin := repository(t, "one", "two", "three")
	run(t, origin, "branch", "work", "HEAD~1")
	run(t, origin, "checkout", "--quiet", "--orphan", "island")
	run(t, origin, "commit", "--quiet", "--message", "island")
	run(t, origin, "checkout", "--quiet", "work")
	write(t, filepath.Join(origin, "b.txt"), "b")
	run(t, origin, "add", ".")
	run(t, origin, "commit", "--quiet", "--message", "b")

	shallow := filepath.Join(t.TempDir(), "shallow")
	run(t, origin, "clone", "--quiet", "--depth=1", "--branch=work", "file://"+origin, shallow)

	r, err := Resolve(t.Context(), origin, "main")
	if err != nil {
		t.Fatal(err)
	}
	if want := run(t, origin, "rev-parse", "main~1"); r.Commit != want {
		t.Errorf("compared with %s, and the branch started at %s", r.Commit, want)
	}
	if want := run(t, origin, "rev-parse", "main~1^{tree}"); r.Tree != want {
		t.Errorf("tree %s, want %s", r.Tree, want)
	}
	if r, err := Resolve(t.Context(), origin, "island"); err != nil || !strings.Contains(r.Note, "no history") {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := Resolve(t.Context(), origin, "--output=/tmp/x"); err == nil {
		t.Error("an option was taken for a revision")
	}
	_, err = Resolve(t.Context(), origin, "nowhere")
	if err == nil || errors.Is(err, ErrShallow) || !strings.Contains(err.Error(), "no revision nowhere") {
		t.Errorf("got %v", err)
	}
	if _, err := Resolve(t.Context(), t.TempDir(), "main"); err == nil || !strings.Contains(err.Error(), "not a git repository") {
		t.Errorf("got %v", err)
	}

	_, err = Resolve(t.Context(), shallow, "origin/main")
	const command = "git fetch --depth=1 origin +refs/heads/main:refs/remotes/origin/main"
	if !errors.Is(err, ErrShallow) || !strings.Contains(err.Error(), command) {
		t.Fatalf("got %v", err)
	}
	run(t, shallow, strings.Fields(command)[1:]...)
	r, err = Resolve(t.Context(), shallow, "origin/main")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Note, "git fetch --unshallow") || r.Commit != run(t, origin, "rev-parse", "main") {
		t.Errorf("%+v", r)
	}
}
