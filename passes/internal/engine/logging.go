package engine

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
)

// QuietCall reports whether a call tells people at the most: a log line, a
// metric, a text. It goes by names; a function of the project itself that
// handles a failure is seldom called Warnf.
func (f *Family) QuietCall(c *ssa.CallCommon) bool {
	name := code.MethodOf(c)
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return b.Name() != "close" && b.Name() != "panic"
	}
	l := strings.ToLower(name)
	for _, w := range []string{"fatal", "panic", "exit"} {
		if strings.HasPrefix(l, w) {
			return false
		}
	}
	for _, w := range []string{"log", "print", "debug", "info", "warn", "error", "trace", "notice", "verbose"} {
		if strings.HasPrefix(l, w) {
			return true
		}
	}
	path := ""
	switch {
	case c.IsInvoke():
		if p := c.Method.Pkg(); p != nil {
			path = p.Path()
		}
	case c.StaticCallee() != nil:
		if obj, ok := code.Origin(c.StaticCallee()).Object().(*types.Func); ok && obj.Pkg() != nil {
			path = obj.Pkg().Path()
		}
		if path == "sync/atomic" {
			return strings.HasPrefix(name, "Load")
		}
		if e := f.Engine.Reader.Entry(f.CallTerm(c, c.Pos())); e != nil {
			return !e.Ends && !slices.ContainsFunc(f.Engine.Reader.Of(f.CallTerm(c, c.Pos())), func(m meaning.Meaning) bool {
				return m.Role == meaning.Release || m.Role == meaning.Write || m.Role == meaning.Acquire
			}) && e.Runs == nil
		}
	default:
		return false
	}
	switch path {
	case "fmt", "errors", "time", "strconv", "strings", "sync", "math/rand", "math/rand/v2", "context", "log/slog":
		return true
	}
	last := path[strings.LastIndexByte(path, '/')+1:]
	if strings.Contains(last, "log") || last == "zap" || strings.Contains(path, "/zap/") || strings.Contains(path, "prometheus") || strings.Contains(path, "metric") || strings.Contains(path, "opentelemetry") {
		return true
	}
	return slices.Contains([]string{"inc", "observe", "withlabelvalues", "with", "withfield", "withfields", "witherror", "v"}, l)
}

// Leaves reports whether an outcome goes where it cannot be followed: it is
// returned, stored, sent, or given to a function that does not just log it.
func (f *Family) Leaves(v ssa.Value, depth int) bool {
	if v.Referrers() == nil || depth > 8 {
		return true
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Return, *ssa.Send, *ssa.MapUpdate:
			return true
		case *ssa.Store:
			if r.Val != v {
				continue
			}
			if ia, ok := r.Addr.(*ssa.IndexAddr); ok {
				// An argument of a variadic function.
				if a, ok := ia.X.(*ssa.Alloc); ok && f.Leaves(a, depth+1) {
					return true
				}
				continue
			}
			if a, ok := r.Addr.(*ssa.Alloc); !ok || a.Heap && f.Leaves(a, depth+1) {
				return true
			}
		case *ssa.Phi, *ssa.BinOp, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.Slice, *ssa.ChangeType, *ssa.Convert:
			if f.Leaves(r.(ssa.Value), depth+1) {
				return true
			}
		case *ssa.UnOp:
			if r.Op == token.MUL && f.Leaves(r, depth+1) {
				return true
			}
		case *ssa.MakeClosure:
			return true
		case *ssa.Call:
			switch c := r.Common(); {
			case !f.QuietCall(c):
				return true
			case code.Formats(c):
				if f.Leaves(r, depth+1) {
					return true
				}
			}
		case *ssa.Go, *ssa.Defer:
			return true
		}
	}
	return false
}
