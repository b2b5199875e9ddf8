package engine

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
)

// A method of an interface that takes no context may compute something, or be all that
// a lock was taken for. It makes nothing doubtful that is seen, but where no write is,
// it is not known that there is none.

// maxOutside bounds the functions in which such a call is looked for.
const maxOutside = 50

// GoesOut reports whether the section of st calls a method out of sight that does
// nothing but to succeed or fail.
func (e *Engine) GoesOut(st *summary.Site) bool {
	o := outlook{e, make(map[*ssa.Function]bool)}
	if st.Region != nil {
		return slices.ContainsFunc(st.Region.Held, o.call)
	}
	return slices.ContainsFunc(st.At.Common().Args, func(a ssa.Value) bool {
		mc, ok := a.(*ssa.MakeClosure)
		return ok && o.function(mc.Fn.(*ssa.Function))
	})
}

// GoesOn reports whether a section goes on in what the function returns: the lock is left to
// a goroutine, which gives it back some time, and the caller gets an object to work with
// until then.
func GoesOn(st *summary.Site) bool {
	if !st.HeldOut || len(st.Freed) == 0 || slices.ContainsFunc(st.Freed, func(x summary.Effect) bool { return x.Reach != summary.ByGoroutine }) {
		return false
	}
	for v := range st.Func.Signature.Results().Variables() {
		if !code.IsError(v.Type()) && !code.IsContext(v.Type()) && types.NewMethodSet(v.Type()).Len() > 0 {
			return true
		}
	}
	return false
}

// outlook looks for calls that leave what is in view.
type outlook struct {
	e    *Engine
	seen map[*ssa.Function]bool
}

func (o outlook) function(fn *ssa.Function) bool {
	if o.seen[fn] || len(o.seen) == maxOutside {
		return false
	}
	o.seen[fn] = true
	return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool { return slices.ContainsFunc(b.Instrs, o.call) })
}

// call reports whether an instruction is, or leads to, such a call.
func (o outlook) call(in ssa.Instruction) bool {
	call, ok := in.(*ssa.Call)
	if !ok {
		return false
	}
	c := call.Common()
	if !c.IsInvoke() {
		fn := code.Origin(c.StaticCallee())
		if fn != nil && o.e.Families[code.Root(fn)] == nil && passesOn(fn) {
			return true
		}
		return fn != nil && o.e.Families[code.Root(fn)] != nil && o.function(fn)
	}
	if serves(c) {
		return true
	}
	pkg := c.Method.Pkg()
	if works(c.Method) && len(o.e.Implementations.Of(c)) == 0 {
		return true
	}
	if pkg == nil || Standard(pkg.Path()) || !code.IsError(call.Type()) || len(o.e.register(o.e.Implementations.method(c))) > 0 || slices.Contains(quiet, strings.ToLower(c.Method.Name())) {
		return false
	}
	return len(o.e.Implementations.Of(c)) == 0
}

// serves reports whether a call hands a request to the handler behind a middleware.
func serves(c *ssa.CallCommon) bool {
	return c.Method.FullName() == "(net/http.Handler).ServeHTTP"
}

// works reports whether a method that takes and answers nothing does something by its name:
// the job behind a wrapper.
func works(m *types.Func) bool {
	sig := m.Signature()
	return sig.Params().Len() == 0 && sig.Results().Len() == 0 && meaning.Named(m.Name(), "run", "execute", "perform", "process", "work")
}

// passesOn reports whether a function out of sight is the Next of a web framework's
// context: it runs the handlers that were registered after the one that calls it.
func passesOn(fn *ssa.Function) bool {
	recv := fn.Signature.Recv()
	if recv == nil || fn.Name() != "Next" || fn.Signature.Params().Len() > 0 {
		return false
	}
	n := code.NamedOf(recv.Type())
	return n != nil && (n.Obj().Name() == "Context" || n.Obj().Name() == "Ctx" || n.Obj().Name() == "DefaultCtx")
}
