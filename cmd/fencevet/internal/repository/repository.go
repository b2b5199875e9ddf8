// Package repository tells what surrounds a module: the root of its repository,
// and who owns its files.
package repository

import (
	"os"
	"path/filepath"
)

// Root returns the root of the repository that dir is in, or dir itself where
// there is none.
func Root(dir string) string {
	for root := dir; ; {
		// A worktree and a submodule have a file of that name.
		if _, err := os.Stat(filepath.Join(root, ".git")); err == nil {
			return root
		}
		parent := filepath.Dir(root)
		if parent == root {
			return dir
		}
		root = parent
	}
}
