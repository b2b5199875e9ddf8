package longsection

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports critical sections that can outlast the lease.
var Check = &check.Check{
	Name:    "longsection",
	Doc:     check.Manual(doc, "longsection"),
	Default: true,
	Run:     run,
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

func run(u *lock.Use, report func(lock.Finding)) {
	// A leader and a renewed lease are meant to outlive one TTL; a wrapper does
	// not know how long its callers stay.
	if u.Leader || u.Role == lock.RoleWrapper || u.Renewal == "library" || u.Renewal == "goroutine" {
		return
	}
	if u.TTL.Seconds <= 0 {
		return
	}
	ttl := u.TTL.Text
	if ttl == "" {
		ttl = seconds(u.TTL.Seconds)
	}
	var span string
	switch {
	case u.Section.AtLeast >= u.TTL.Seconds:
		span = fmt.Sprintf("takes at least %s", seconds(u.Section.AtLeast))
	case !u.Section.Bounded && endless(u):
		span = "has no bound"
	case u.Section.Deadline >= u.TTL.Seconds && endless(u):
		span = fmt.Sprintf("may take up to %s", seconds(u.Section.Deadline))
	default:
		return
	}
	if u.Section.Why != "" {
		span += " (" + u.Section.Why + ")"
	}
	f := lock.Finding{
		At:    u.Acquire.Position,
		Level: lock.Warning,
		Message: fmt.Sprintf("a second holder starts before the first is done: %s lives %s and is not renewed, but its section %s; bound the work with a deadline below the lease, renew it, or hand the work out %s",
			check.Lock(u), ttl, span, queue(u)),
	}
	for _, c := range u.Section.Longest {
		f.Related = append(f.Related, check.Frame(c.Position, "%s: %s", c.Kind, c.Call))
	}
	report(f)
}

// endless reports whether the section holds what may take any time: a remote
// call in a loop, another program. A single sleep has its length.
func endless(u *lock.Use) bool {
	for _, c := range u.Section.Longest {
		if c.Kind != "sleep" {
			return true
		}
	}
	return false
}

// queue names what hands out work one piece at a time, for the resource at hand:
// a message that comes back when its worker dies needs no lock.
func queue(u *lock.Use) string {
	for i := range u.Writes {
		store, _, _ := strings.Cut(u.Writes[i].Resource, ":")
		switch store {
		case "sql":
			return "row by row (SELECT ... FOR UPDATE SKIP LOCKED)"
		case "redis":
			return "from a Redis stream with a consumer group (XAUTOCLAIM takes over what a dead worker held)"
		case "s3", "dynamodb":
			return "from a queue with a visibility timeout (SQS)"
		case "gcs":
			return "from a queue with an acknowledgement deadline (Pub/Sub)"
		}
	}
	return "from a queue with a visibility timeout (SQS, or SKIP LOCKED in a database)"
}

func seconds(s float64) string { return strconv.FormatFloat(s, 'f', -1, 64) + "s" }
