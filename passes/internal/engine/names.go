package engine

import "strings"

// short drops the directory of a function's import path.
func short(name string) string {
	open := ""
	for len(name) > 0 && (name[0] == '(' || name[0] == '*') {
		open += name[:1]
		name = name[1:]
	}
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	// v9.Client: the package's name is the element before its version.
	return open + name
}
