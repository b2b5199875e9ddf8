package failover

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports locks that a failover forgets.
var Check = &check.Check{
	Name:    "failover",
	Doc:     check.Manual(doc, "failover"),
	Default: true,
	Run:     run,
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

func run(u *lock.Use, report func(lock.Finding)) {
	if u.Verdict != lock.Unfenced || u.Store != "sentinel" && u.Store != "cluster" || u.Role == lock.RoleWrapper {
		return
	}
	report(lock.Finding{
		At:    u.Acquire.Position,
		Level: lock.Note,
		Message: fmt.Sprintf("two holders after a failover: %s lives in Redis (%s), whose replicas follow the primary with a delay, so a promoted one may not know the lock, and the writes under it carry no token; let the resource refuse older tokens",
			check.Lock(u), u.Store),
	})
}
