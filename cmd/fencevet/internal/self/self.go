// Package self tells one build of this program from any other.
package self

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"os"
	"strings"
	"sync"
)

// ID names this build: it differs from that of a program made from other source or
// in another way. A version would not do, which is the same for all that a
// developer builds. The Go linker leaves such a name in the file, where it is found
// without reading all of it: a vet tool starts once for every package.
var ID = sync.OnceValues(func() (string, error) {
	name, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return identify(f)
})

// head is how far into a file the linker's name of it is looked for.
const head = 64 << 10

func identify(r io.Reader) (string, error) {
	h := sha256.New()
	start, err := io.ReadAll(io.LimitReader(r, head))
	if err != nil {
		return "", err
	}
	if id := linked(start); id != "" {
		io.WriteString(h, id)
		return hex.EncodeToString(h.Sum(nil)), nil
	}
	// Whoever made it took the name away.
	h.Write(start)
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// linked finds the build ID in the first bytes of an executable: a note in an ELF
// file, and a text at the start of the code in others. An ID that was set by hand
// says nothing of the content, and is none.
func linked(start []byte) string {
	id := note(start)
	if id == "" {
		_, rest, _ := bytes.Cut(start, []byte("\xff Go build ID: \""))
		text, _, _ := bytes.Cut(rest, []byte("\""))
		id = string(text)
	}
	// action/.../content, each a hash of 20 letters.
	if parts := strings.Split(id, "/"); len(parts) < 2 || len(parts[0]) != 20 || len(parts[len(parts)-1]) != 20 {
		return ""
	}
	return id
}

func note(start []byte) string {
	const kind = 4
	name := []byte("Go\x00\x00")
	for at := 0; ; at += len(name) {
		i := bytes.Index(start[at:], name)
		if i < 0 {
			return ""
		}
		at += i
		if at < 12 {
			continue
		}
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			size := int(order.Uint32(start[at-8:]))
			from := at + len(name)
			if order.Uint32(start[at-12:]) == 4 && order.Uint32(start[at-4:]) == kind && size < 1<<10 && from+size <= len(start) {
				return string(start[from : from+size])
			}
		}
	}
}
