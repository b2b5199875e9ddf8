package code

import (
	"go/constant"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// IsConstant reports whether a value is written in the source.
func IsConstant(v ssa.Value) bool { _, ok := v.(*ssa.Const); return ok }

// ConstInt is the value of a constant integer.
func ConstInt(v ssa.Value) (int64, bool) {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return 0, false
	}
	n, exact := constant.Int64Val(c.Value)
	return n, exact
}

// FieldRead reports whether v was read from a field, and from which. Of an atomic number
// or pointer that is a field, Load reads it.
func FieldRead(v ssa.Value) (x ssa.Value, field int, ok bool) {
	switch v := v.(type) {
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.FieldAddr); ok && v.Op == token.MUL {
			return a.X, a.Field, true
		}
	case *ssa.Field:
		return v.X, v.Field, true
	case *ssa.Call:
		if strings.HasPrefix(CalleeName(v.Common()), "(*atomic.") && MethodOf(v.Common()) == "Load" {
			if a, ok := v.Call.Args[0].(*ssa.FieldAddr); ok {
				return a.X, a.Field, true
			}
		}
	}
	return nil, 0, false
}
