package cache

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/smalldisk"
)

func key(n int) Key { return Key{byte(n), byte(n >> 8)} }

func open(t *testing.T) Cache {
	t.Helper()
	c, err := Named(filepath.Join(t.TempDir(), "new", "dir"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func files(t *testing.T, c Cache) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(c.dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestKeeps(t *testing.T) {
	c := open(t)
	if c.Get(key(1)) != nil {
		t.Error("something in a cache that does not exist")
	}
	c.Put(key(1), []byte("one"))
	c.Put(key(2), []byte("two"))
	c.Put(key(1), []byte("one"))
	if got := c.Get(key(1)); string(got) != "one" {
		t.Errorf("got %q", got)
	}
	if n := len(files(t, c)); n != 2 {
		t.Errorf("%d files, want 2", n)
	}
}

func TestOff(t *testing.T) {
	t.Setenv(Env, "off")
	c := Default()
	c.Put(key(1), []byte("one"))
	if c.Get(key(1)) != nil {
		t.Error("kept although off")
	}
	if _, err := Named("relative"); err == nil {
		t.Error("a relative directory is accepted")
	}
	t.Setenv(Env, "relative")
	if Default() != (Cache{}) {
		t.Error("a relative directory is used")
	}
}

// TestCorrupt breaks a file in every way that a full disk or a crash may.
func TestCorrupt(t *testing.T) {
	c := open(t)
	c.Put(key(1), []byte("the whole result"))
	whole, err := os.ReadFile(c.file(key(1)))
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if err := os.WriteFile(c.file(key(1)), whole[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		if got := c.Get(key(1)); got != nil {
			t.Fatalf("the first %d bytes are taken for %q", n, got)
		}
		bent := bytes.Clone(whole)
		bent[n] ^= 1
		if err := os.WriteFile(c.file(key(1)), bent, 0o666); err != nil {
			t.Fatal(err)
		}
		if got := c.Get(key(1)); got != nil {
			t.Fatalf("with another byte %d it is taken for %q", n, got)
		}
	}
	c.Put(key(1), []byte("again"))
	if got := c.Get(key(1)); string(got) != "again" {
		t.Errorf("got %q", got)
	}
}

func TestNotWritable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := Named(filepath.Join(file, "below")) // cannot be made, whoever asks
	if err != nil {
		t.Fatal(err)
	}
	c.Put(key(1), []byte("one"))
	if c.Get(key(1)) != nil {
		t.Error("kept below a file")
	}
}

// TestDiskFull demands that a result that finds no room leaves the others, and nothing of
// itself.
func TestDiskFull(t *testing.T) {
	c, err := Named(smalldisk.Mount(t, 64<<10))
	if err != nil {
		t.Fatal(err)
	}
	c.Put(key(1), []byte("one"))
	c.Put(key(2), make([]byte, 1<<20))
	if got := c.Get(key(1)); string(got) != "one" {
		t.Errorf("got %q", got)
	}
	if c.Get(key(2)) != nil || len(files(t, c)) != 1 {
		t.Errorf("left behind: %v", files(t, c))
	}
}

func TestTogether(t *testing.T) {
	c := open(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 50 {
				want := fmt.Sprintf("result %d", n)
				if got := c.Get(key(n)); got != nil && string(got) != want {
					t.Errorf("run %d: %q under %d", i, got, n)
				}
				c.Put(key(n), []byte(want))
			}
		})
	}
	wg.Wait()
	if n := len(files(t, c)); n != 50 {
		t.Errorf("%d files, want 50", n)
	}
}

func TestPrune(t *testing.T) {
	c := open(t)
	c.most = 300
	data := make([]byte, 100-32) // a file has 100 bytes
	long := time.Now().Add(-time.Hour)
	for n := range 3 {
		c.Put(key(n), data)
		if err := os.Chtimes(c.file(key(n)), long, long.Add(time.Duration(n)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(c.dir, "mine.txt"), data, 0o666); err != nil {
		t.Fatal(err)
	}
	c.Get(key(0)) // in use
	c.Put(key(3), data)
	for n, want := range []bool{true, false, true, true} {
		if got := c.Get(key(n)) != nil; got != want {
			t.Errorf("result %d is kept: %v, want %v", n, got, want)
		}
	}
	if n := len(files(t, c)); n != 4 {
		t.Errorf("%d files, want 3 and one that is not the cache's", n)
	}
}
