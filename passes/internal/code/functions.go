package code

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Origin is the generic function of an instance, or fn itself.
func Origin(fn *ssa.Function) *ssa.Function {
	if fn == nil {
		return nil
	}
	if o := fn.Origin(); o != nil {
		return o
	}
	return fn
}

// Shown is a function's name as people write it: (*Service).Reserve.
func Shown(fn *ssa.Function) string {
	root := fn
	for root.Parent() != nil {
		root = root.Parent()
	}
	if root.Pkg == nil {
		return root.Name()
	}
	return root.RelString(root.Pkg.Pkg)
}

// FuncName names a function: (*pkg.T).M, pkg.F, pkg.F$1.
func FuncName(fn *ssa.Function) string {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return fn.String()
}

// PackagePath is the import path of the package that a function is in; empty where it is in none.
func PackagePath(fn *ssa.Function) string {
	fn = Root(fn)
	if fn.Pkg == nil {
		return ""
	}
	return fn.Pkg.Pkg.Path()
}

// Root is the named function that fn is, or is inside of.
func Root(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// Declared is the function or method that a call names, or nil.
func Declared(c *ssa.CallCommon) *types.Func {
	if c.IsInvoke() {
		return c.Method
	}
	if fn := c.StaticCallee(); fn != nil {
		if obj, ok := Origin(fn).Object().(*types.Func); ok {
			return obj.Origin()
		}
	}
	return nil
}

// ReceiverOf is the type whose method a function is, or is inside of; nil for
// others.
func ReceiverOf(fn *ssa.Function) *types.TypeName {
	if recv := Root(fn).Signature.Recv(); recv != nil {
		if n := NamedOf(recv.Type()); n != nil {
			return n.Obj()
		}
	}
	return nil
}

// ReceiverType is the type in a method's name: "path.T" in "(*path.T).M".
func ReceiverType(name string) string {
	recv, ok := strings.CutPrefix(name, "(")
	if !ok {
		return ""
	}
	return strings.TrimPrefix(recv[:strings.LastIndex(recv, ")")], "*")
}
