// Package cache keeps results of earlier runs in files.
//
// Nothing depends on it but time: whatever goes wrong with a file, it is as if
// there were none. Runs may share a directory, since a file is there as a whole
// or not at all, and tells by a checksum that it is what was put there.
package cache

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Cache is a directory of results. The zero value keeps nothing.
type Cache struct {
	dir  string
	most int64 // bytes
}

// Env names the environment variable that tells where the cache is; "off" means
// nowhere.
const Env = "FENCEVETCACHE"

// most is how many bytes a cache keeps; what was used least recently goes first.
const most = 100 << 20

// Default is the cache that the environment asks for.
func Default() Cache {
	c, err := Named(os.Getenv(Env))
	if err != nil {
		return Cache{}
	}
	return c
}

// Named is the cache in a directory, which need not exist; off is none, and the
// empty name stands for one in the user's cache directory.
func Named(dir string) (Cache, error) {
	switch {
	case dir == "off":
		return Cache{}, nil
	case dir == "":
		user, err := os.UserCacheDir()
		if err != nil {
			return Cache{}, err
		}
		dir = filepath.Join(user, "fencevet")
	case !filepath.IsAbs(dir):
		// It would be another one wherever a command is started.
		return Cache{}, errors.New("want an absolute directory, or off")
	}
	return Cache{dir, most}, nil
}

// A Key names a result by all that it was made from.
type Key [sha256.Size]byte

const suffix = ".result"

func (c Cache) file(k Key) string { return filepath.Join(c.dir, hex.EncodeToString(k[:])+suffix) }

// Get returns the result under a key, or nil.
func (c Cache) Get(k Key) []byte {
	if c.dir == "" {
		return nil
	}
	file := c.file(k)
	text, err := os.ReadFile(file)
	if err != nil || len(text) < sha256.Size {
		return nil
	}
	sum, data := text[:sha256.Size], text[sha256.Size:]
	if want := sha256.Sum256(data); !bytes.Equal(sum, want[:]) {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(file, now, now) // it is in use: see prune
	return data
}

// Put keeps a result under a key.
func (c Cache) Put(k Key, data []byte) {
	if c.dir == "" || os.MkdirAll(c.dir, 0o777) != nil {
		return
	}
	f, err := os.CreateTemp(c.dir, "new-*"+suffix)
	if err != nil {
		return
	}
	sum := sha256.Sum256(data)
	_, err = f.Write(append(sum[:], data...))
	if err := cmp.Or(err, f.Close()); err != nil || os.Rename(f.Name(), c.file(k)) != nil {
		_ = os.Remove(f.Name())
		return
	}
	c.prune()
}

// prune removes what was used least recently until the rest is small enough, and
// with it what a run left behind that was killed.
func (c Cache) prune() {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	var kept []os.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), suffix) {
			kept = append(kept, info)
		}
	}
	slices.SortFunc(kept, func(a, b os.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	var size int64
	for _, info := range kept {
		if size += info.Size(); size > c.most {
			_ = os.Remove(filepath.Join(c.dir, info.Name()))
		}
	}
}
