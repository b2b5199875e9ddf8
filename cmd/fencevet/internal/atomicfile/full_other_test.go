//go:build !linux

package atomicfile

import "testing"

func full(t *testing.T, size int) string {
	t.Skip("cannot mount a small file system here")
	return ""
}
