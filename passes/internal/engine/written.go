package engine

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// A text may be written piece by piece into a strings.Builder or bytes.Buffer.

// written is the text that has been written into a local builder by the call c, which
// reads it; a piece of a statement that is written on some ways, or more than once, is not known. It is nil
// where the builder is not the function's own, or goes where others may write to it.
func (f *Family) written(c *ssa.CallCommon) *term.T {
	if c.IsInvoke() || len(c.Args) == 0 {
		return nil
	}
	a, ok := c.Args[0].(*ssa.Alloc)
	if !ok {
		return nil
	}
	at := instructionOf(a, c)
	if at == nil || at.Parent() != a.Parent() {
		return nil
	}
	type piece struct {
		in   ssa.Instruction
		text *term.T
	}
	var pieces []piece
	add := func(in ssa.Instruction, text *term.T) { pieces = append(pieces, piece{in, text}) }
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Call:
			callee := r.Call.StaticCallee()
			switch {
			case ssa.Instruction(r) == at:
			case callee == nil || r.Call.Args[0] != ssa.Value(a):
				return nil
			default:
				name := code.FuncName(callee)
				switch name[strings.LastIndexByte(name, '.')+1:] {
				case "WriteString", "Write":
					add(r, f.Get(r.Call.Args[1]))
				case "WriteByte", "WriteRune":
					t := f.Engine.Pool.Unknown("part")
					if n, ok := code.ConstInt(r.Call.Args[1]); ok {
						t = f.Engine.Pool.Const("string", string(rune(n)))
					}
					add(r, t)
				case "String", "Len", "Cap", "Grow", "Bytes":
				default:
					return nil // Reset, or something that reads from it
				}
			}
		case *ssa.MakeInterface:
			for _, u := range *r.Referrers() {
				call, ok := u.(*ssa.Call)
				if !ok || call.Call.StaticCallee() == nil || call.Call.Args[0] != ssa.Value(r) {
					return nil
				}
				text := f.printed(call)
				if text == nil {
					return nil
				}
				add(call, text)
			}
		default:
			return nil
		}
	}
	slices.SortStableFunc(pieces, func(x, y piece) int {
		return cmp.Or(cmp.Compare(x.in.Block().Index, y.in.Block().Index),
			cmp.Compare(slices.Index(x.in.Block().Instrs, x.in), slices.Index(y.in.Block().Instrs, y.in)))
	})
	p := f.Engine.Pool
	var text *term.T
	for _, x := range pieces {
		if !mayPrecede(x.in, at) {
			continue
		}
		if !code.Before(x.in, at) || mayPrecede(x.in, x.in) {
			if text == nil || !text.Any(func(t *term.T) bool { return t.Kind == term.Const && strings.Contains(t.Name, " ") }) {
				return nil // a key, of which it matters more that it is the same each time
			}
			x.text = p.Unknown("part")
		}
		if text == nil {
			text = x.text
			continue
		}
		text = p.Op("+", text, x.text)
	}
	return text
}

// replaced is a text of which a part is replaced. Of a statement of which it is not known what
// is replaced nothing is known; keys that are made of one another in this way are not the same.
func (f *Family) replaced(fn string, args []*term.T) *term.T {
	text, known := args[0].Str()
	before, old := args[1].Str()
	after, now := args[2].Str()
	switch {
	case known && old && now && times(args) != 0:
		return f.Engine.Pool.Const("string", strings.Replace(text, before, after, times(args)))
	case known && old && before != "" && times(args) < 0 && strings.Contains(text, " "):
		return f.filledIn(strings.Split(text, before), args[2])
	case old && strings.TrimSpace(before) == "":
		return args[0]
	case known && strings.Contains(text, " "):
		return f.Engine.Pool.Unknown("part")
	}
	if old {
		return f.Engine.Pool.Built(fn+" "+before, args[0], args[2])
	}
	return f.Engine.Pool.Built(fn, args[:3]...)
}

// times is how often something is replaced: all of it where that is less than zero; zero
// where it is not known.
func times(args []*term.T) int {
	if len(args) < 4 {
		return -1
	}
	n, _ := args[3].Int()
	return int(n)
}

// filledIn is a text with a value between its parts.
func (f *Family) filledIn(parts []string, value *term.T) *term.T {
	p := f.Engine.Pool
	text := p.Const("string", parts[0])
	for _, s := range parts[1:] {
		text = p.Op("+", text, value, p.Const("string", s))
	}
	return text
}

// trimmed is a text without what a function takes off its ends; a statement of which it is
// not known what that is may be any.
func (f *Family) trimmed(fn string, args []*term.T) *term.T {
	var out []*term.T
	for _, a := range args[0].Alts() {
		text, known := a.Str()
		off, told := args[1].Str()
		switch {
		case !known || !strings.Contains(text, " "):
			out = append(out, a)
		case !told:
			out = append(out, f.Engine.Pool.Unknown("part"))
		default:
			out = append(out, f.Engine.Pool.Const("string", trims[fn](text, off)))
		}
	}
	return f.Engine.Pool.Join(out...)
}

var trims = map[string]func(text, off string) string{
	"strings.TrimSuffix": strings.TrimSuffix, "strings.TrimPrefix": strings.TrimPrefix,
	"strings.Trim": strings.Trim, "strings.TrimLeft": strings.TrimLeft, "strings.TrimRight": strings.TrimRight,
}

// printed is what a function of fmt writes, or nil for other functions.
func (f *Family) printed(call *ssa.Call) *term.T {
	p := f.Engine.Pool
	args := call.Call.Args
	switch code.FuncName(call.Call.StaticCallee()) {
	case "fmt.Fprintf":
		values := f.Get(args[2])
		if s, ok := f.Get(args[1]).Str(); ok && values.Kind != term.List {
			return p.Const("string", s)
		}
		return p.Op("format", append([]*term.T{f.Get(args[1])}, values.Args...)...)
	case "fmt.Fprint", "io.WriteString":
		if t := f.Get(args[1]); t.Kind != term.List {
			return t
		} else if len(t.Args) == 1 {
			return t.Args[0]
		}
		return p.Unknown("part")
	}
	return nil
}
