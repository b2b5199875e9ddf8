package engine

import (
	"strings"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// bounds is what is known of a section's length.
type bounds struct {
	least     float64 // seconds, from constants
	unbounded string  // why it can last for any time; empty if nothing says so
	calls     []lock.Call
}

// measure looks for what makes a section long.
func (f *family) measure(st *site, region *world.Region, s *Summary) bounds {
	return f.e.lengthOf(st.effects)
}

func (e *Engine) lengthOf(list []Effect) bounds {
	var b bounds
	for _, x := range list {
		if x.Call == nil || x.Open != Closed || x.Reach == ByGoroutine {
			continue
		}
		for _, m := range e.reader.Of(x.Call) {
			remote := m.Role == meaning.Write || m.Role == meaning.Query || m.Role == meaning.Block && (m.Block.Kind == "remote" || m.Block.Kind == "exec")
			slow := lock.Call{Frame: x.At, Call: short(x.Call.Name), Here: true}
			limit, limited := deadline(x.Call)
			switch {
			case m.Role == meaning.Block && m.Block.Kind == "sleep" && m.Secs > 0:
				b.least += m.Secs
				slow.Kind = "sleep"
				b.calls = append(b.calls, slow)
				if x.Loop && b.unbounded == "" {
					slow.Kind = "sleep in a loop"
				}
			case m.Role == meaning.Block && m.Block.Page && x.Loop:
				if !limited || limit == 0 {
					b.unbounded = "pages through a listing of unknown length"
					slow.Kind = "page"
					b.calls = append(b.calls, slow)
				}
			case m.Role == meaning.Block && m.Block.Kind == "exec" && !limited:
				b.unbounded = "waits for another program"
				slow.Kind = "exec"
				b.calls = append(b.calls, slow)
			case remote && x.Loop && !limited:
				if b.unbounded == "" {
					b.unbounded = "loop with remote calls"
				}
				slow.Kind = "remote call in a loop"
				b.calls = append(b.calls, slow)
			}
		}
	}
	return b
}

// deadline reports whether the context that a call is given has a deadline,
// and how far away that is, in seconds, where it is constant.
func deadline(call *term.T) (float64, bool) {
	for _, a := range meaning.Args(call) {
		if secs, ok := deadlineOf(a); ok {
			return secs, true
		}
		break // the context comes first
	}
	return 0, false
}

func deadlineOf(ctx *term.T) (float64, bool) {
	var secs float64
	found := ctx.Any(func(t *term.T) bool {
		if t.Kind == term.Call && (t.Name == "context.WithTimeout" || t.Name == "context.WithDeadline" || strings.HasPrefix(t.Name, "context.WithTimeoutCause")) {
			if len(t.Args) > 1 {
				secs = meaning.Seconds(t.Args[1])
			}
			return true
		}
		return false
	})
	return secs, found
}

// short drops the directory of a function's import path.
func short(name string) string {
	open := ""
	for len(name) > 0 && (name[0] == '(' || name[0] == '*') {
		open += name[:1]
		name = name[1:]
	}
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	// v9.Client: the package's name is the element before its version.
	return open + name
}
