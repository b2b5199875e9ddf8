package code

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// MethodOf is a called function's own name, or that of the variable that holds it.
func MethodOf(c *ssa.CallCommon) string {
	switch {
	case c.IsInvoke():
		return c.Method.Name()
	case c.StaticCallee() != nil:
		return Origin(c.StaticCallee()).Name()
	}
	if u, ok := c.Value.(*ssa.UnOp); ok {
		switch x := u.X.(type) {
		case *ssa.Global:
			return x.Name()
		case *ssa.FieldAddr:
			return FieldName(x.X.Type(), x.Field)
		}
	}
	return c.Value.Name()
}

// CalleeName names what a call calls, by declaration.
func CalleeName(c *ssa.CallCommon) string {
	switch {
	case c.IsInvoke():
		return term.ShortName(c.Method.FullName())
	case c.StaticCallee() != nil:
		fn := Origin(c.StaticCallee())
		if obj, ok := fn.Object().(*types.Func); ok && obj.Pkg() != nil && obj.Signature().Recv() == nil {
			return obj.Pkg().Name() + "." + obj.Name()
		}
		return term.ShortName(FuncName(fn))
	}
	return ""
}

// Operand returns the value that ref names in a call, or nil.
func Operand(c *ssa.CallCommon, ref catalog.Ref) ssa.Value {
	switch ref.Base {
	case catalog.Receiver:
		if c.IsInvoke() {
			return c.Value
		}
		if c.Signature().Recv() != nil && len(c.Args) > 0 {
			return c.Args[0]
		}
	case catalog.Arg:
		i := ref.Index
		if !c.IsInvoke() && c.Signature().Recv() != nil {
			i++
		}
		if i < len(c.Args) {
			return c.Args[i]
		}
	}
	return nil
}

// OperandsOf lists what a call is given.
func OperandsOf(c *ssa.CallCommon) []ssa.Value {
	list := c.Args
	if c.IsInvoke() {
		list = append([]ssa.Value{c.Value}, list...)
	}
	return list
}

// MakerOf is the call that a context is a result of, or nil.
func MakerOf(v ssa.Value) *ssa.Call {
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	c, _ := v.(*ssa.Call)
	return c
}

// IsCancel reports whether a call may be of a function that cancels: it returns nothing.
func IsCancel(c *ssa.CallCommon) bool { return c.Signature().Results().Len() == 0 }

// Logs reports whether a call is of a logger, the project's own ones included: a
// function that is told anything at all and answers nothing, and whose name is a
// level or a way to print. That it writes a file is no work of the section's.
// Fatal and Panic are left to those who ask where a function ends.
func Logs(c *ssa.CallCommon) bool {
	sig := c.Signature()
	if !sig.Variadic() || sig.Results().Len() > 0 {
		return false
	}
	last := sig.Params().At(sig.Params().Len() - 1).Type().(*types.Slice)
	if i, ok := last.Elem().Underlying().(*types.Interface); !ok || !i.Empty() {
		return false
	}
	return LogVerb(MethodOf(c))
}

// LogVerb reports whether a function is named as those of loggers are: after a level, or a way to print.
func LogVerb(name string) bool {
	l := strings.ToLower(name)
	for _, verb := range []string{"trace", "debug", "info", "notice", "warn", "err", "print", "log"} {
		if strings.HasPrefix(l, verb) {
			return true
		}
	}
	return false
}

// Formats reports whether a call only gives its argument another form.
func Formats(c *ssa.CallCommon) bool {
	callee := c.StaticCallee()
	if callee == nil || callee.Pkg == nil {
		return c.IsInvoke() && c.Method.Name() == "Error"
	}
	switch callee.Pkg.Pkg.Path() {
	case "errors", "github.com/pkg/errors":
		return !slices.Contains([]string{"Is", "As"}, callee.Name())
	case "fmt":
		return callee.Name() == "Errorf" || strings.HasPrefix(callee.Name(), "Sprint")
	}
	return false
}
