package term

import (
	"strings"
	"unicode"
)

// ShortName writes package names for the import paths in the full name of a
// function or type: (*redis.Client).Get for
// (*github.com/redis/go-redis/v9.Client).Get. A path does not tell the name of
// its package for certain; major versions, and the dashes that no name has, are
// left out.
func ShortName(s string) string {
	var b strings.Builder
	for s != "" {
		n := strings.IndexFunc(s, func(r rune) bool { return !inPath(r) })
		if n < 0 {
			n = len(s)
		}
		if n == 0 {
			n = strings.IndexFunc(s, inPath)
			if n < 0 {
				n = len(s)
			}
			b.WriteString(s[:n])
		} else {
			b.WriteString(shorten(s[:n]))
		}
		s = s[n:]
	}
	return b.String()
}

func inPath(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("/._-~$", r)
}

// shorten writes path.Name as package.Name.
func shorten(s string) string {
	dir, last, ok := cutLast(s, "/")
	if !ok {
		return s
	}
	pkg, name, _ := strings.Cut(last, ".")
	if isMajor(pkg) && dir != "" {
		_, pkg, _ = cutLast("/"+dir, "/")
		pkg, _, _ = strings.Cut(pkg, ".")
	}
	// gopkg.in/redsync.v1, github.com/nats-io/nats.go
	if version, rest, ok := strings.Cut(name, "."); ok && (isMajor(version) || version == "go") {
		name = rest
	}
	pkg = strings.TrimSuffix(strings.TrimPrefix(pkg, "go-"), "-go")
	_, pkg, _ = cutLast("-"+pkg, "-")
	if name == "" {
		return pkg
	}
	return pkg + "." + name
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}

// isMajor reports whether an element of a path is a major version: v2.
func isMajor(s string) bool {
	digits, ok := strings.CutPrefix(s, "v")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}
