// Package atomicfile writes files that appear whole or not at all.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write puts data into the named file by way of another beside it, so that
// nobody ever sees a part of it: not after a crash, nor when the disk is full.
// What is no regular file (a pipe, a terminal) is written to as it is. An error
// names the file, not the other one, of which the user knows nothing.
func Write(name string, data []byte) (err error) {
	defer func(name string) {
		if p, ok := errors.AsType[*fs.PathError](err); ok {
			err = fmt.Errorf("cannot write %s: %w", name, p.Err)
		}
	}(name)
	// A link is followed, rather than replaced by a file.
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	mode := os.FileMode(0o666)
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			return os.WriteFile(name, data, mode)
		}
		mode = info.Mode().Perm()
	}
	if err := replace(name, data, mode); err != nil {
		// What is beside the file is nobody's business.
		if inner, ok := errors.AsType[*os.PathError](err); ok {
			err = inner.Err
		}
		return &os.PathError{Op: "write", Path: name, Err: err}
	}
	return nil
}

// replace goes by way of a name at random: the numbers of processes repeat across
// containers that share a volume.
func replace(name string, data []byte, mode os.FileMode) error {
	part := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%s.part", filepath.Base(name), rand.Text()))
	if err := writePart(part, data, mode); err != nil {
		os.Remove(part)
		return err
	}
	if err := os.Rename(part, name); err != nil {
		os.Remove(part)
		return err
	}
	return nil
}

func writePart(name string, data []byte, mode os.FileMode) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
