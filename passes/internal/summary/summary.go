package summary

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// String says shortly what a function does.
func (s *Summary) String() string {
	var parts []string
	say := func(format string, args ...any) {
		if p := fmt.Sprintf(format, args...); !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	for _, h := range s.Holds {
		say("holds %s", h.Lock.Call.Text())
	}
	for _, sec := range s.Sections {
		say("runs under %s", sec.Lock.Call.Text())
		for _, x := range sec.Effects {
			if x.Open == Value {
				say("runs %s", x.Call.Args[0].Text())
			}
		}
	}
	for _, x := range s.Effects {
		switch {
		case x.Memory != nil:
			say("stores in %s", x.Memory.Type)
		case x.Open == Value:
			say("runs %s", x.Call.Args[0].Text())
		case x.Call != nil && x.Open == Dynamic:
			say("%s: %s", x.Why, x.Call.Text())
		case x.Call != nil:
			say("%s", x.Call.Text())
		default:
			say("unseen: %s", x.Why)
		}
	}
	for _, x := range s.Sets {
		say("sets %s", x.Of.Text()+"."+x.Field)
	}
	for i, r := range s.Results {
		if r != nil && r.Kind != term.Unknown {
			say("result %d is %s", i, r.Text())
		}
	}
	return strings.Join(parts, "; ")
}

// A Summary is what callers must know of a function, in terms of its
// parameters.
type Summary struct {
	Effects  []Effect
	Holds    []Hold
	Sections []Section
	Results  []*term.T
	Sets     []Set
	Tests    []Test

	// For the records of this function itself.
	Sites []*Site
	Steps map[ssa.Instruction][]Effect // what each instruction does; nil where nobody asks for that
	Loops []*Loop                      // of the function
}

// Size tells whether a fixpoint is reached: summaries only grow.
func (s *Summary) Size() int {
	if s == nil {
		return -1
	}
	n := len(s.Effects) + 1000*len(s.Holds) + 1000*len(s.Sections) + 100*len(s.Sets) + 10*len(s.Tests)
	for _, r := range s.Results {
		if r != nil && r.Kind != term.Unknown {
			n += 7
		}
	}
	return n
}

// A Set is a store that the callers of a function can see: into a field, or an
// element, of what is reached from a parameter. A lock object keeps its token
// this way, and an option its value. Stores are not ordered: a place holds what
// was there, or anything that is stored there. Without a field or an index it is all that
// is in the map Value, which is copied.
type Set struct {
	Of      *term.T // the object, map or slice
	Field   string  // of an object
	Index   *term.T // of a map or slice
	Value   *term.T
	Perhaps bool // not on every way that leads to success
}

// A Hold is a lock that a function leaves held for its caller.
type Hold struct {
	Lock  Acquired
	Facts []world.Fact // of the results, when the lock was taken
}

// An Acquired is a lock that was taken.
type Acquired struct {
	Call   *term.T    // the library call
	At     lock.Frame // of the library call
	Via    []lock.Frame
	Origin lock.Position // of the library call: identity
	From   []*term.T     // receivers of the calls on the way, innermost first
	Early  []*term.T     // calls that drew tokens before it was taken: without their arguments
	// Decision is what the functions on the way say that the lock is for.
	Decision *lock.Decision
	Chain    []*Site // the sites in the callees, innermost first
}

// A Section is a lock that a function takes and releases around the call of a
// function parameter, or before it.
type Section struct {
	Lock    Acquired
	Effects []Effect
	After   []Effect // after the release
	Release []string
}
