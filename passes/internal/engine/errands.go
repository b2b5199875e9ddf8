package engine

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A method of an interface that takes no context may compute something, or be all that
// a lock was taken for. It makes nothing doubtful that is seen, but where no write is,
// it is not known that there is none.

// maxErrand bounds the calls through which such a method is looked for.
const maxErrand = 3

// sendsOut reports whether the section of st calls a method out of sight that does
// nothing but to succeed or fail.
func (e *Engine) sendsOut(st *site) bool {
	if st.region != nil {
		return slices.ContainsFunc(st.region.Held, func(in ssa.Instruction) bool { return e.errandOf(in, 0) })
	}
	for _, a := range st.at.Common().Args {
		if mc, ok := a.(*ssa.MakeClosure); ok && e.sendsOutOf(mc.Fn.(*ssa.Function), 0) {
			return true
		}
	}
	return false
}

func (e *Engine) sendsOutOf(fn *ssa.Function, depth int) bool {
	for _, b := range fn.Blocks {
		if slices.ContainsFunc(b.Instrs, func(in ssa.Instruction) bool { return e.errandOf(in, depth) }) {
			return true
		}
	}
	return false
}

// errandOf reports whether an instruction is, or leads to, such a call.
func (e *Engine) errandOf(in ssa.Instruction, depth int) bool {
	call, ok := in.(*ssa.Call)
	if !ok || depth > maxErrand {
		return false
	}
	c := call.Common()
	if !c.IsInvoke() {
		fn := origin(c.StaticCallee())
		return fn != nil && e.families[rootOf(fn)] != nil && e.sendsOutOf(fn, depth+1)
	}
	pkg := c.Method.Pkg()
	if pkg == nil || Standard(pkg.Path()) || !isError(call.Type()) || len(e.register(c.Method)) > 0 || slices.Contains(quiet, strings.ToLower(c.Method.Name())) {
		return false
	}
	return len(e.impls.of(c)) == 0
}
