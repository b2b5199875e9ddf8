package engine

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMap demands that the map in doc.go shows each file once, and no others.
func TestMap(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	shown := make(map[string]int)
	for _, name := range regexp.MustCompile(`\b\w+\.go\b`).FindAllString(string(doc), -1) {
		shown[name]++
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if !strings.HasSuffix(name, "_test.go") && name != "doc.go" && shown[name] != 1 {
			t.Errorf("%s stands %d times in the map of doc.go", name, shown[name])
		}
		delete(shown, name)
	}
	for name := range shown {
		t.Errorf("doc.go shows %s, which is not there", name)
	}
}
