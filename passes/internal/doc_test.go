package internal

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMap demands that the map in a package's doc.go, where it has one, shows each file
// once, and no others.
func TestMap(t *testing.T) {
	docs, err := filepath.Glob("*/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	maps := 0
	for _, name := range docs {
		doc, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(doc), "# Where things are") {
			continue
		}
		maps++
		shown := make(map[string]int)
		for _, name := range regexp.MustCompile(`\b\w+\.go\b`).FindAllString(string(doc), -1) {
			shown[name]++
		}
		files, err := filepath.Glob(filepath.Join(filepath.Dir(name), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			base := filepath.Base(file)
			if !strings.HasSuffix(base, "_test.go") && base != "doc.go" && shown[base] != 1 {
				t.Errorf("%s stands %d times in the map of %s", base, shown[base], name)
			}
			delete(shown, base)
		}
		for base := range shown {
			t.Errorf("%s shows %s, which is not there", name, base)
		}
	}
	if maps == 0 {
		t.Error("no package has a map")
	}
}
