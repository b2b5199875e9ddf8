package slips

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// A section may read, or compute, and leave it to goroutines to store what came of it. What
// they are given is then what the lock was taken for, and not news of it: that is told by
// what goes from the one to the other, and by the names of both.

// prepared reports whether all that a section does itself is to make what x stores.
func (t *taking) prepared(b body, x summary.Effect) bool {
	if name := verbOf(x); !meaning.Named(name, storing...) || meaning.Named(name, besides...) || meaning.Named(last(code.ReceiverType(x.Call.Name)), besides...) {
		return false
	}
	made := false
	for _, y := range t.st.Effects {
		if y.Reach == summary.ByGoroutine || y.Own || !t.guarded(y) && (y.Open == summary.Closed || y.Tells || t.f.Engine.Hidden(y) == "") {
			continue
		}
		if y.Open == summary.Closed || y.Call == nil || !meaning.Named(verbOf(y), reading...) {
			return false
		}
		made = made || slices.ContainsFunc(b.held, func(in ssa.Instruction) bool {
			call, ok := in.(*ssa.Call)
			return ok && b.f.Frame(call, "").Position == y.At.Position && slices.ContainsFunc(engine.ResultOf(call, 0), func(v ssa.Value) bool {
				of := b.f.Get(v)
				return x.Call.Any(func(z *term.T) bool { return z == of })
			})
		})
	}
	return made
}

// verbOf names what an open call calls: a method, or the variable or field that a function is in.
func verbOf(x summary.Effect) string {
	fn := x.Call
	if x.Open == summary.Value {
		fn = x.Call.Args[0]
	}
	if fn.Kind == term.Param {
		return fn.Label
	}
	return last(fn.Name)
}

func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

var (
	storing = []string{"set", "save", "store", "write", "put", "update", "apply", "insert", "upsert", "delete", "remove", "replace", "assign", "import", "persist"}
	reading = []string{"get", "load", "fetch", "find", "list", "read", "query", "compute", "calculate", "plan", "build", "prepare", "collect", "select", "render", "generate", "lookup", "scan", "resolve", "derive", "estimate"}
	besides = []string{"cache", "audit", "log", "history", "metric", "metrics", "stats", "index", "search", "notification", "event", "events"}
)
