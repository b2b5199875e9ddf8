package engine

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// maxImplementations bounds the implementations that an interface call is
// resolved to; an interface with more of them is out of sight.
const maxImplementations = 40

// implementations resolves interface calls to the types that are declared in
// the units. Test doubles are left out by name: they protect nothing.
type implementations struct {
	e     *Engine
	types []*types.Named
	local map[*types.Package]bool
	memo  map[*types.Func][]*ssa.Function
}

func newImplementations(e *Engine) *implementations {
	im := &implementations{e: e, local: make(map[*types.Package]bool), memo: make(map[*types.Func][]*ssa.Function)}
	for _, p := range e.pkgs {
		im.local[p.Pkg] = true
		scope := p.Pkg.Scope()
		if isDouble(p.Pkg.Name()) {
			continue
		}
		for _, name := range scope.Names() {
			tn, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || tn.IsAlias() || isDouble(name) {
				continue
			}
			if n, ok := tn.Type().(*types.Named); ok && n.TypeParams().Len() == 0 && !types.IsInterface(n) {
				im.types = append(im.types, n)
			}
		}
	}
	return im
}

func isDouble(name string) bool {
	l := strings.ToLower(name)
	for _, w := range []string{"mock", "fake", "stub", "noop", "dummy"} {
		if strings.HasPrefix(l, w) || strings.HasSuffix(l, w) || strings.HasSuffix(l, w+"s") {
			return true
		}
	}
	return false
}

// of lists the methods that an interface call can reach in the units.
func (im *implementations) of(c *ssa.CallCommon) []*ssa.Function {
	m := c.Method
	if list, ok := im.memo[m]; ok {
		return list
	}
	im.memo[m] = nil
	iface, ok := c.Value.Type().Underlying().(*types.Interface)
	if !ok || !im.resolvable(c) {
		return nil
	}
	var list []*ssa.Function
	for _, n := range im.types {
		var recv types.Type = n
		if !types.Implements(n, iface) {
			recv = types.NewPointer(n)
			if !types.Implements(recv, iface) {
				continue
			}
		}
		obj, _, _ := types.LookupFieldOrMethod(recv, true, m.Pkg(), m.Name())
		fn, ok := obj.(*types.Func)
		if !ok {
			continue
		}
		if target := im.e.prog.FuncValue(fn); target != nil && len(target.Blocks) > 0 && !slices.Contains(list, target) {
			list = append(list, target)
		}
	}
	if len(list) > maxImplementations {
		list = nil
	}
	im.memo[m] = list
	return list
}

// resolvable reports whether an interface is the module's own, so that its
// implementations are likely to be in sight.
func (im *implementations) resolvable(c *ssa.CallCommon) bool {
	if c.Method.Pkg() == nil {
		return false
	}
	path := c.Method.Pkg().Path()
	return im.local[c.Method.Pkg()] || path == "sync"
}

// complete reports whether every implementation is in sight.
func (im *implementations) complete(c *ssa.CallCommon) bool { return im.local[c.Method.Pkg()] }
