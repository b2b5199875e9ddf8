package atomicfile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/smalldisk"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.json")
	for _, text := range []string{"first", "second, and longer", "3"} {
		if err := Write(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestKeeps demands that a file which cannot be replaced stays as it was.
func TestKeeps(t *testing.T) {
	dir := t.TempDir()
	if err := Write(filepath.Join(dir, "nowhere", "a"), []byte("x")); err == nil {
		t.Error("written into a directory that does not exist")
	}
	// A directory of that name cannot be written to.
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "d"), []byte("x")); err == nil {
		t.Error("written over a directory")
	}
	file := filepath.Join(dir, "a")
	if err := os.WriteFile(file, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := Write(file, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestDiskFull demands that a disk that fills up costs neither the old contents nor
// space.
func TestDiskFull(t *testing.T) {
	dir := smalldisk.Mount(t, 64<<10)
	file := filepath.Join(dir, "baseline.json")
	if err := Write(file, []byte("old")); err != nil {
		t.Fatal(err)
	}
	err := Write(file, make([]byte, 1<<20))
	if err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("got error %v, want one that names the file", err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "old" {
		t.Errorf("got %q, %v", got, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestTogether demands one of the texts, whole, of many writers at once.
func TestTogether(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			if err := Write(file, bytes.Repeat([]byte{'a' + byte(i)}, 1<<16)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	got, err := os.ReadFile(file)
	if err != nil || len(got) != 1<<16 || len(bytes.Trim(got, string(got[:1]))) != 0 {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

func TestLink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	if err := Write(link, []byte("text")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if got, _ := os.ReadFile(target); string(got) != "text" {
		t.Errorf("got %q", got)
	}
}

func TestDevice(t *testing.T) {
	if _, err := os.Stat(os.DevNull); err != nil {
		t.Skip(err)
	}
	if err := Write(os.DevNull, []byte("text")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s was replaced: %v, %v", os.DevNull, info, err)
	}
}
