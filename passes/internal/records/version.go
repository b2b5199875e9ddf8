package records

import (
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// A version tells two writers apart where it is that of what is written, and where each
// write moves it.

// versionOf rules on a version that was read of something else than what is written, or
// may have been. Whatever comes from several reads may be of either, and a transaction may
// check one thing and write another.
func (j *judge) versionOf(g meaning.Guard, c *meaning.Change) (ruling, bool) {
	v, kind := g.Value, c.Store
	if g.Text != "version" || v == nil || v.Kind == term.Join || c.Key == nil || !slices.Contains(single, kind) {
		return ruling{}, false
	}
	var read *term.T
	v.Any(func(t *term.T) bool {
		e := j.e.Reader.Entry(t)
		if e == nil || e.Query == nil || e.Query.Store != kind || len(e.Query.Resource) == 0 {
			return false
		}
		read = j.e.Reader.Get(e.Query.Resource[len(e.Query.Resource)-1], t, nil)
		return true
	})
	from, known := read.Str()
	to, same := c.Key.Str()
	switch {
	case read == nil || !known && !same:
	case known && same && from != to:
		return ruling{cond: lock.None, fault: "the version is that of " + from + ", which this write does not change"}, true
	case known != same && (read.Kind == term.Param || c.Key.Kind == term.Param):
		return ruling{cond: lock.Unknown, note: "whether the version is that of what is written is out of sight"}, true
	}
	return ruling{}, false
}

// single has the stores of which a version is that of one object.
var single = []string{"s3", "zookeeper", "nats", "consul"}

// moving rules on the comparison of a version: of a row it tells two writers apart only if
// somebody moves it, a trigger perhaps that is out of sight.
func (j *judge) moving(g meaning.Guard, c *meaning.Change) ruling {
	version := ruling{cond: lock.Version}
	if c.Store == "dynamodb" && g.Stays { // which has no triggers
		return ruling{cond: lock.None, fault: staysAsItWas}
	}
	if c.Store != "sql" && c.Store != "mongo" || c.Deletes() || len(c.Sets) == 0 {
		return version
	}
	for _, s := range c.Sets {
		switch {
		case s.Column == g.Column && s.Value != nil && j.e.Pool.Alike(s.Value, g.Value):
			return ruling{cond: lock.None, fault: staysAsItWas}
		case s.Column == g.Column, s.Column == "":
			return version
		}
	}
	switch {
	case c.Store == "sql" && c.Operation != "UPDATE":
		return version
	case j.e.Moves(c.Resource, g.Column):
		return ruling{cond: lock.None, fault: staysAsItWas}
	}
	return ruling{cond: lock.Unknown, note: "no statement in view moves " + g.Column}
}

const staysAsItWas = "the write leaves the version as it was, so that of two which have read the same both are let in"

func versionColumn(c string) bool {
	l := strings.ToLower(c)
	for _, w := range []string{"version", "revision", "etag", "resource_version", "generation", "lock_version", "seq"} {
		if l == w || strings.HasSuffix(l, "_"+w) {
			return true
		}
	}
	return false
}
