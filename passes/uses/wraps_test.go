package uses

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestWraps(t *testing.T) {
	for _, test := range []struct {
		name  string
		files []string
		want  bool
	}{
		{"a library of locks", []string{`import "github.com/bsm/redislock"`}, true},
		{"a client, and a name", []string{`import "database/sql"; func TryLock(db *sql.DB) {}`}, true},
		{"a client, and a statement", []string{`import "database/sql"; const take = "SELECT pg_advisory_lock($1)"`}, true},
		{"a client alone", []string{`import "database/sql"; func Find(db *sql.DB) {}`}, false},
		{"in another file", []string{`import "fmt"`, `import "github.com/bsm/redislock"`}, true},
		{"a name alone", []string{`type Mutex struct{}`}, false},
		{"a driver", []string{`import "database/sql"; func tryLock(db *sql.DB) {}`, `import "database/sql"; func init() { sql.Register("mine", nil) }`}, false},
		{"a driver in C", []string{`import "database/sql"; func tryLock(db *sql.DB) {}`, `import "C"`}, false},
		{"not Go", []string{`import (`}, false},
	} {
		dir := t.TempDir()
		var files []string
		for i, text := range test.files {
			name := filepath.Join(dir, fmt.Sprintf("f%d.go", i))
			if err := os.WriteFile(name, []byte("package p\n"+text), 0o666); err != nil {
				t.Fatal(err)
			}
			files = append(files, name)
		}
		if got := Wraps(files); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
