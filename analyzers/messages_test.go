package analyzers_test

import (
	"os"
	"testing"

	"github.com/fencevet/fencevet/analyzers"
	"github.com/fencevet/fencevet/analyzers/internal/checktest"
)

// TestMessages holds the wording of all checks against one text, to be read as a
// whole: the symptom, the place, the remedy.
func TestMessages(t *testing.T) {
	const golden = "testdata/messages.txt"
	got := checktest.Load(t, corpus, "./...").Messages(analyzers.Checks())
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("messages differ from %s (go test ./analyzers -update accepts them):\n%s", golden, got)
	}
}
