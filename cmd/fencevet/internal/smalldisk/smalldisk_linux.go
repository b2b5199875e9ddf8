// Package smalldisk makes file systems that are soon full, for tests.
package smalldisk

import (
	"fmt"
	"syscall"
	"testing"
)

// Mount makes a file system that holds so many bytes. Only root may.
func Mount(t *testing.T, size int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		t.Skip("cannot mount a small file system: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}
