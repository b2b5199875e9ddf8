package engine

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// timed finds work that a section leaves to a timer, which nobody can stop: it runs
// when the lock is long free. It counts where it writes what the section writes, or
// works with the very object that the section works with.
func (t *taking) timed(b body, in ssa.Instruction) (lock.Slip, bool) {
	call, ok := in.(*ssa.Call)
	if !ok || calleeName(call.Common()) != "time.AfterFunc" || len(call.Call.Args) != 2 {
		return lock.Slip{}, false
	}
	if slices.ContainsFunc(*call.Referrers(), func(r ssa.Instruction) bool { _, debug := r.(*ssa.DebugRef); return !debug }) {
		return lock.Slip{}, false // it may be stopped
	}
	at := b.f.frame(call, "")
	list, _ := b.f.apply(b.f.get(call.Call.Args[1]), nil, at, ByGoroutine)
	var ctxs []ssa.Value
	if mc, ok := call.Call.Args[1].(*ssa.MakeClosure); ok {
		ctxs = slices.DeleteFunc(captured(b.f, mc), func(v ssa.Value) bool { return !isContext(v.Type()) })
	}
	for _, x := range list {
		if x.Call == nil || x.Memory != nil || t.tidies(x) {
			continue
		}
		ended := b.run != nil && slices.ContainsFunc(ctxs, b.bound) || slices.ContainsFunc(ctxs, b.f.ends)
		if ended && !detached(x) {
			continue
		}
		if x.Open == Closed && t.guarded(x) && t.mainly(x) || x.Open == Dynamic && !x.Tells && t.together(x) {
			return lock.Slip{Frame: at, Kind: lock.SlipOutlives, Detail: lock.ByTimer, Other: x.At}, true
		}
	}
	return lock.Slip{}, false
}

// detached reports whether an effect runs on a context that its section's end does not
// end.
func detached(x Effect) bool {
	return x.Call.Any(func(y *term.T) bool {
		return y.Kind == term.Call && (y.Name == "context.WithoutCancel" || y.Name == "context.Background" || y.Name == "context.TODO")
	})
}

// together reports whether the section itself calls a method of the object that an open
// call is made on.
func (t *taking) together(x Effect) bool {
	recv := meaning.Receiver(x.Call)
	return recv != nil && slices.ContainsFunc(t.st.effects, func(y Effect) bool {
		if y.Open != Dynamic || y.Call == nil || y.Reach == ByGoroutine {
			return false
		}
		own := meaning.Receiver(y.Call)
		return own != nil && (own == recv || own.Kind == term.Field && recv.Kind == term.Field && own.Text() == recv.Text())
	})
}

// tidies reports whether an effect only takes away what is not needed any more, or
// tells somebody: a cache is often cleared a second time some while after.
func (t *taking) tidies(x Effect) bool {
	name := x.Call.Name[strings.LastIndexByte(x.Call.Name, '.')+1:]
	if meaning.Named(name, "delete", "del", "remove", "evict", "invalidate", "purge", "clear", "clean", "cleanup", "close", "stop", "cancel", "expire", "release", "unlock", "notify", "emit", "report", "log") {
		return true
	}
	return x.Open == Closed && !slices.ContainsFunc(t.f.e.reader.Of(x.Call), func(m meaning.Meaning) bool {
		return m.Role == meaning.Write && !m.Write.Cache && !slices.Contains([]string{"DEL", "UNLINK", "DELETE"}, m.Write.Operation)
	})
}
