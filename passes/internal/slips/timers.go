package slips

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// timed finds work that a section leaves to a timer, which nobody can stop: it runs
// when the lock is long free. It counts where it writes what the section writes, or
// works with the very object that the section works with.
func (t *taking) timed(b body, in ssa.Instruction) (lock.Slip, bool) {
	call, ok := in.(*ssa.Call)
	if !ok || code.CalleeName(call.Common()) != "time.AfterFunc" || len(call.Call.Args) != 2 {
		return lock.Slip{}, false
	}
	if slices.ContainsFunc(*call.Referrers(), func(r ssa.Instruction) bool { _, debug := r.(*ssa.DebugRef); return !debug }) {
		return lock.Slip{}, false // it may be stopped
	}
	at := b.f.Frame(call, "")
	list, _ := b.f.Apply(b.f.Get(call.Call.Args[1]), nil, at, summary.ByGoroutine)
	var ctxs []ssa.Value
	if mc, ok := call.Call.Args[1].(*ssa.MakeClosure); ok {
		ctxs = slices.DeleteFunc(captured(b.f, mc), func(v ssa.Value) bool { return !code.IsContext(v.Type()) })
	}
	for _, x := range list {
		if x.Call == nil || x.Memory != nil || t.tidies(x) {
			continue
		}
		ended := b.run != nil && slices.ContainsFunc(ctxs, b.bound) || slices.ContainsFunc(ctxs, func(ctx ssa.Value) bool { return ends(b.f, ctx) })
		if ended && !detached(x) {
			continue
		}
		if x.Open == summary.Closed && t.guarded(x) && t.mainly(x) || x.Open == summary.Dynamic && !x.Tells && t.together(x) {
			return lock.Slip{Frame: at, Kind: lock.SlipOutlives, Detail: lock.ByTimer, Other: x.At}, true
		}
	}
	return lock.Slip{}, false
}

// detached reports whether an effect runs on a context that its section's end does not
// end.
func detached(x summary.Effect) bool {
	return x.Call.Any(func(y *term.T) bool {
		return y.Kind == term.Call && (y.Name == "context.WithoutCancel" || y.Name == "context.Background" || y.Name == "context.TODO")
	})
}

// together reports whether the section itself calls a method of the object that an open
// call is made on.
func (t *taking) together(x summary.Effect) bool {
	recv := meaning.Receiver(x.Call)
	return recv != nil && slices.ContainsFunc(t.st.Effects, func(y summary.Effect) bool {
		if y.Open != summary.Dynamic || y.Call == nil || y.Reach == summary.ByGoroutine {
			return false
		}
		own := meaning.Receiver(y.Call)
		return own != nil && (own == recv || own.Kind == term.Field && recv.Kind == term.Field && own.Text() == recv.Text())
	})
}

// tidies reports whether an effect only takes away what is not needed any more, or
// tells somebody: a cache is often cleared a second time some while after.
func (t *taking) tidies(x summary.Effect) bool {
	name := x.Call.Name[strings.LastIndexByte(x.Call.Name, '.')+1:]
	if meaning.Named(name, "delete", "del", "remove", "evict", "invalidate", "purge", "clear", "clean", "cleanup", "close", "stop", "cancel", "expire", "release", "unlock", "notify", "emit", "report", "log") {
		return true
	}
	return x.Open == summary.Closed && !slices.ContainsFunc(t.f.Engine.Reader.Of(x.Call), func(m meaning.Meaning) bool {
		return m.Role == meaning.Write && !m.Write.Cache && !slices.Contains([]string{"DEL", "UNLINK", "DELETE"}, m.Write.Operation)
	})
}
