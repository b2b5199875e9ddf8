// Package revision brings another revision of the user's git repository onto the
// disk, without touching the files or the index that the user works on.
//
// It runs the user's git rather than a library: that one knows the user's
// configuration, partial clones and object formats.
package revision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Revision is a commit that the repository has.
type Revision struct {
	Name   string // as the user gave it
	Commit string
	Tree   string // hash of its files: the same for commits with the same files
	// Note says what the user should know about the choice of the commit.
	Note string

	top string // directory of the user's files
	sub string // directory that was asked for, relative to top
}

// ErrShallow says that the history which is needed was not fetched.
var ErrShallow = errors.New("shallow clone")

// Resolve finds where the history at dir has left that of the revision: their
// merge base. What has happened there since is no change of the user's.
func Resolve(ctx context.Context, dir, name string) (*Revision, error) {
	top, err := git(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	r := &Revision{Name: name, top: filepath.FromSlash(top)}
	here, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	if r.sub, err = filepath.Rel(r.top, here); err != nil {
		return nil, err
	}
	shallow, err := git(ctx, dir, "rev-parse", "--is-shallow-repository")
	if err != nil {
		return nil, err
	}
	tip, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && shallow == "true":
		return nil, fmt.Errorf("%w: it lacks revision %s: fetch it first, with %s, or with fetch-depth: 0 in GitHub's checkout action", ErrShallow, name, fetch(name))
	case err != nil:
		return nil, fmt.Errorf("the repository has no revision %s: give a branch, tag or commit, or fetch it first, with %s", name, fetch(name))
	}
	r.Commit, err = git(ctx, dir, "merge-base", tip, "HEAD")
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && shallow == "true":
		r.Commit = tip
		r.Note = fmt.Sprintf("shallow clone: compared with %s itself, as where this branch has left it is not known (git fetch --unshallow fetches that)", name)
	case err != nil:
		r.Commit = tip
		r.Note = fmt.Sprintf("compared with %s itself, which shares no history with HEAD", name)
	}
	r.Tree, err = git(ctx, dir, "rev-parse", "--verify", r.Commit+"^{tree}")
	return r, err
}

// fetch is the command that fetches a revision.
func fetch(name string) string {
	remote, branch, ok := strings.Cut(name, "/")
	if !ok {
		remote, branch = "origin", name
	}
	return fmt.Sprintf("git fetch --depth=1 %s %s", remote, tracked(remote, branch))
}

// tracked names a branch so that fetching it makes the name remote/branch, which a
// clone of a single branch would not.
func tracked(remote, branch string) string {
	return fmt.Sprintf("+refs/heads/%s:refs/remotes/%s/%[1]s", branch, remote)
}

// Dir is the directory that was asked for, relative to the repository.
func (r *Revision) Dir() string { return filepath.ToSlash(r.sub) }

// Short is the revision for a reader.
func (r *Revision) Short() string {
	short := r.Commit[:min(len(r.Commit), 10)]
	if strings.HasPrefix(r.Commit, r.Name) {
		return short
	}
	return r.Name + " at " + short
}

// Checkout writes the revision's files to a directory of their own, and returns
// the one in it that corresponds to the user's. The caller must call remove, also
// when ctx has ended.
func (r *Revision) Checkout(ctx context.Context) (dir string, remove func() error, err error) {
	tree, err := os.MkdirTemp("", "fencevet-base-*")
	if err != nil {
		return "", nil, err
	}
	if tree, err = filepath.EvalSymlinks(tree); err != nil {
		return "", nil, err
	}
	remove = func() error { return r.remove(context.WithoutCancel(ctx), tree) }
	// The user's hooks are not meant for it.
	if _, err := git(ctx, r.top, "-c", "core.hooksPath="+os.DevNull, "worktree", "add", "--quiet", "--detach", tree, r.Commit); err != nil {
		return "", nil, errors.Join(err, remove())
	}
	return filepath.Join(tree, r.sub), remove, nil
}

// remove removes a worktree, whatever state an interrupt has left it in.
func (r *Revision) remove(ctx context.Context, tree string) error {
	// Forced twice, as git locks a worktree until it is complete.
	if _, err := git(ctx, r.top, "worktree", "remove", "--force", "--force", tree); err == nil {
		return nil
	}
	// git does not know it yet, or not in full. Its record of it has the name of
	// the directory, which nothing else has; "git worktree prune" would remove
	// records of worktrees that are not ours.
	common, err := git(ctx, r.top, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return errors.Join(err, os.RemoveAll(tree))
	}
	return errors.Join(os.RemoveAll(tree), os.RemoveAll(filepath.Join(common, "worktrees", filepath.Base(tree))))
}

// git runs git in dir and returns what it prints, or its complaint as the error.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = environment()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second // for a system without interrupts
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		if text := strings.TrimSpace(stderr.String()); text != "" {
			return "", fmt.Errorf("git %s: %s", verb(args), text)
		}
		return "", fmt.Errorf("git %s: %w", verb(args), err)
	}
	return strings.TrimSpace(stdout.String()), nil
}

// verb is git's subcommand.
func verb(args []string) string {
	if args[0] == "-c" {
		args = args[2:]
	}
	return args[0]
}

// environment is without what a hook of git sets for its own repository: with its
// index, a worktree would overwrite the one that the user is about to commit.
func environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR":
			return true
		}
		return false
	})
	return append(env, "LC_ALL=C", "GIT_LFS_SKIP_SMUDGE=1", "GIT_OPTIONAL_LOCKS=0")
}
