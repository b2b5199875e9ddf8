package view

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/fencevet/fencevet/analyzers/inventory"
)

// Message is the message of f without the name of its check, which formats of
// findings have a field for.
func Message(f inventory.Finding) string {
	return Printable(strings.TrimSuffix(f.Message, " ["+f.Check+"]"))
}

// FindingsByLock returns the findings by the id of the lock that they are about;
// those of no lock in view are under "".
func FindingsByLock(inv *inventory.Inventory) map[string][]inventory.Finding {
	all := make(map[string][]inventory.Finding)
	for _, f := range inv.Findings {
		all[f.Lock] = append(all[f.Lock], f)
	}
	return all
}

// lineNumber is a line in a message: "stock.go:38".
var lineNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\.go):\d+`) })

// Fingerprints returns for each finding what stays the same when lines above it
// come and go: the lock that it is about and what it says.
func Fingerprints(inv *inventory.Inventory) []string {
	all := make([]string, len(inv.Findings))
	ordinals := make(map[string]int)
	for i, f := range inv.Findings {
		about := f.Lock
		if about == "" {
			about = f.File
		}
		same := strings.Join([]string{f.Check, about, lineNumber().ReplaceAllString(f.Message, "$1")}, "\x00")
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", same, ordinals[same]))
		ordinals[same]++
		all[i] = hex.EncodeToString(sum[:16])
	}
	return all
}
