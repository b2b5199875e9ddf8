package longsection

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/analyzers/internal/suggest"
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
	// not know how long its callers stay, unless it sets them a deadline, or waits too
	// long by itself.
	if u.Leader || u.Role == lock.RoleWrapper && !deadlines(&u.Section) && u.Section.AtLeast < u.TTL.Seconds || u.Renewal != "none" || u.TTL.Source == "none" {
		return
	}
	if u.TTL.Seconds <= 0 {
		outOfSight(u, report)
		return
	}
	span, level := length(&u.Section, u.TTL.Seconds)
	if span == "" {
		return
	}
	if suggest.For(u).Class == lock.Efficiency || suggest.WorksAnyway(u) {
		level = lock.Note // the work is done twice, which is what it comes to
	}
	ttl := u.TTL.Text
	if ttl == "" {
		ttl = seconds(u.TTL.Seconds)
	}
	f := lock.Finding{
		At:    u.Acquire.Position,
		Level: level,
		Message: fmt.Sprintf("a second holder starts before the first is done: %s lives %s and is not renewed, but its section %s; bound the work with a deadline below the lease, renew it, or hand the work out %s",
			check.Lock(u), ttl, span, queue(u)),
	}
	sleeps := u.Section.AtLeast >= u.TTL.Seconds
	for _, c := range u.Section.Longest {
		if (c.Kind == lock.CallSleep) == sleeps && (c.Limit == 0 || c.Limit >= u.TTL.Seconds) {
			f.Related = append(f.Related, check.Frame(c.Position, "%s", called(c)))
		}
	}
	report(f)
}

// deadlines reports whether deadlines that were set for calls out of sight are all that
// makes a section long.
func deadlines(s *lock.Section) bool {
	return s.AtLeast == 0 && !slices.ContainsFunc(s.Longest, func(c lock.Call) bool { return c.Kind != lock.CallGiven })
}

// outOfSight reports a section without an end under a lease whose length the
// source does not tell: however long that is, nothing ends the work before it.
func outOfSight(u *lock.Use, report func(lock.Finding)) {
	s := &u.Section
	if s.Bounded {
		return
	}
	f := lock.Finding{
		At:    u.Acquire.Position,
		Level: lock.Note,
		Message: fmt.Sprintf("a second holder may start before the first is done: how long %s lives is not told here, it is not renewed, and its section has no bound (%s); bound the work with a deadline below the lease, renew it, or hand the work out %s",
			check.Lock(u), s.Why, queue(u)),
	}
	for _, c := range s.Longest {
		if c.Limit == 0 && c.Kind != lock.CallSleep {
			f.Related = append(f.Related, check.Frame(c.Position, "%s", called(c)))
		}
	}
	report(f)
}

// length says how a section can outlast its lease, and how bad that is; it is
// empty where nothing says that the section can.
func length(s *lock.Section, ttl float64) (span string, level lock.Level) {
	because := ""
	if s.Why != "" {
		because = " (" + s.Why + ")"
	}
	if s.AtLeast >= ttl {
		return fmt.Sprintf("sleeps and waits for %s", seconds(s.AtLeast)), lock.Warning
	}
	for _, c := range s.Longest {
		if c.Kind == lock.CallSleep || c.Limit > 0 && c.Limit < ttl || (c.Kind == lock.CallRequest || c.Kind == lock.CallGiven) && c.Limit == ttl {
			continue // a lease as long as one call at its longest was chosen so
		}
		l := weight(c, ttl)
		if check.Rank(l) <= check.Rank(level) {
			continue
		}
		level = l
		if span = "has no bound" + because; c.Limit > 0 {
			span = fmt.Sprintf("may take up to %s (%s)", seconds(c.Limit), c.Kind)
		} else if c.Kind == lock.CallRequest {
			span = "waits for an answer of another service, with no timeout in sight"
		}
	}
	return span, level
}

// Leases below which a loop over a list, whose length nobody knows but which is
// seldom long, is taken to outlast them; and a single request.
const (
	manyRequests = 5 * 60
	manyQueries  = 10
	oneRequest   = 10
)

// weight says how much a call without an end in time matters: with a short lease
// a loop over a list is likely to outlast it, with a long one it is worth knowing.
func weight(c lock.Call, ttl float64) lock.Level {
	switch c.Kind {
	case lock.CallEachRequest:
		if ttl > manyRequests {
			return lock.Note
		}
	case lock.CallEachQuery:
		if ttl > manyQueries {
			return lock.Note
		}
	case lock.CallRequest:
		if c.Limit > 0 {
			return lock.Warning
		}
		if ttl > oneRequest {
			return ""
		}
		return lock.Note
	case lock.CallCopy:
		if ttl > manyRequests {
			return lock.Note
		}
	}
	return lock.Warning
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

// called names a call by its kind, and by its name where it has one: what a select waits
// for has none.
func called(c lock.Call) string {
	if c.Call == "" {
		return c.Kind
	}
	return c.Kind + ": " + c.Call
}
