package engine

import (
	"go/types"
	"path/filepath"
	"slices"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/comments"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// A Fact is the summary of a function for other packages, where only its
// object is known: a driver such as go vet analyses one package at a time and
// hands on what was found by facts.
//
// It is one flat encoding (see codec) rather than a tree of structs, since a
// driver reads the facts of all functions of every imported package, of which
// the importing one calls a few: those alone are decoded. The encoding has no
// maps and no order but that of the source, and places are told by import path
// and base name, so two checkouts give the same bytes.
//
// A function without a fact is not known. One that was read and does nothing
// that matters has the empty fact if its callers would suspect it otherwise.
type Fact struct {
	Code []byte
	Said *comments.Said // what a directive on the declaration says
}

// AFact marks the type as a fact.
func (*Fact) AFact() {}

// Empty reports whether the function does nothing that callers must answer for.
func (f *Fact) Empty() bool { return len(f.Code) <= 1 && f.Said == nil }

// Nothing returns the fact of a function that does nothing.
func Nothing() *Fact { return &Fact{Code: []byte{factVersion}} }

// String says shortly what callers are told, for people and tests.
func (f *Fact) String() string {
	if f.Empty() {
		return "nothing"
	}
	e := &Engine{Pool: term.NewPool()}
	sum, _ := decode(e, f, "~") // the function's own package
	if sum == nil {
		return "unreadable"
	}
	return sum.String()
}

// A FuncFact is the fact of one function.
type FuncFact struct {
	Func *types.Func
	Fact *Fact
}

// Facts returns the facts of the functions that other packages can call, in
// source order. What the families do is found out before.
func (e *Engine) Facts() []FuncFact {
	var out []FuncFact
	told := make(map[*types.Func]bool)
	for _, f := range e.Order {
		if s := f.Sums[f.Root]; s != nil && f.callable() {
			fn := f.Root.Object().(*types.Func)
			fact := e.fact(s, f.Root.Pkg.Pkg.Path(), Suspect(f.Root.Signature))
			if said := e.said(fn); said != nil {
				if fact == nil {
					fact = &Fact{}
				}
				fact.Said, told[fn] = e.portableSaid(said), true
			}
			if fact != nil {
				out = append(out, FuncFact{fn, fact})
			}
		}
	}
	// Methods of interfaces have no bodies, nor have functions in assembly.
	for _, s := range e.sources {
		for _, f := range s.Funcs {
			if !told[f.Func] && f.Func.Exported() {
				out = append(out, FuncFact{f.Func, &Fact{Said: e.portableSaid(f.Said)}})
			}
		}
	}
	return out
}

// portableSaid is what is said of a function without what tells one checkout from
// another.
func (e *Engine) portableSaid(said *comments.Said) *comments.Said {
	p := *said
	if p.Decision != nil {
		d := *p.Decision
		d.Position = e.Place(d.Position)
		p.Decision = &d
	}
	return &p
}

// fact is what callers in other packages need of the summary of a function of
// the package at path, or nil.
func (e *Engine) fact(s *summary.Summary, path string, suspect bool) *Fact {
	s = e.portable(s)
	if len(s.Effects)+len(s.Holds)+len(s.Sections) == 0 {
		if len(s.Sets) > 0 || slices.ContainsFunc(s.Results, func(t *term.T) bool { return t != nil }) {
			if fact := encode(e, s, path); len(fact.Code) <= maxResults {
				return fact
			}
		}
		if suspect {
			return Nothing()
		}
		return nil
	}
	for n := len(s.Effects); ; n /= 2 {
		if fact := encode(e, first(s, n), path); len(fact.Code) <= maxFact {
			return fact
		} else if n == 0 {
			return encode(e, &summary.Summary{Effects: []summary.Effect{limit}}, path)
		}
	}
}

// Bounds of a fact: its bytes, those of one that tells results only, and the
// effects of a function value in it.
const (
	maxFact         = 16 << 10
	maxResults      = 1 << 10
	maxInnerEffects = 40
)

// limit is the effect that stands for those that do not fit.
var limit = summary.Effect{Why: lock.ReasonLimit}

// Suspect reports whether a call of a function out of sight counts as unseen:
// it looks as if it left the process, or takes functions that it may run.
func Suspect(sig *types.Signature) bool { return code.Worldly(sig) || takesFuncs(sig) }

func takesFuncs(sig *types.Signature) bool {
	for p := range sig.Params().Variables() {
		t := p.Type()
		if s, ok := t.(*types.Slice); ok {
			t = s.Elem()
		}
		if _, ok := t.Underlying().(*types.Signature); ok {
			return true
		}
	}
	return false
}

// portable is a summary without what callers elsewhere have no use for.
func (e *Engine) portable(s *summary.Summary) *summary.Summary {
	p := &summary.Summary{Effects: s.Effects, Holds: s.Holds, Sections: s.Sections, Sets: s.Sets, Results: make([]*term.T, len(s.Results))}
	for i, t := range s.Results {
		if e.tells(t) {
			p.Results[i] = t
		}
	}
	return p
}

// tells reports whether a result says more than that the function returned it.
func (e *Engine) tells(t *term.T) bool {
	return !t.IsZero() && t.Any(func(x *term.T) bool {
		switch x.Kind {
		case term.Param, term.Closure, term.Func:
			return true
		case term.Const:
			return !x.IsZero()
		case term.Call:
			return e.Reader.Entry(x) != nil
		}
		return false
	})
}

// Place names a position by import path and base name.
func (e *Engine) Place(p lock.Position) lock.Position {
	if p.Pos.IsValid() {
		p.File, p.Pos = e.fileName(p.File), 0
	}
	return p
}

func (e *Engine) fileName(file string) string {
	if name, ok := e.files[file]; ok {
		return name
	}
	return filepath.Base(file)
}

// own reports whether an effect of this package is part of locking, as far as
// it can be told without the caller.
func (ev *Evidence) own(x summary.Effect) bool {
	if x.Own || x.Call == nil || x.Open != summary.Closed {
		return x.Own
	}
	for _, m := range ev.e.Reader.Of(x.Call) {
		switch m.Role {
		case meaning.Acquire, meaning.Release, meaning.Renew:
			if m.Role == meaning.Acquire && ev.taken[x.At.Position] {
				return true
			}
			if m.Key != nil && !m.Key.Open() && slices.ContainsFunc(KeysOf(m.Key), func(k *term.T) bool { return ev.keys[held{m.Family, ev.e.Pool.Like(k)}] }) {
				return true
			}
		}
	}
	return false
}

// first is s with no more than n of its effects.
func first(s *summary.Summary, n int) *summary.Summary {
	if len(s.Effects) <= n {
		return s
	}
	short := *s
	short.Effects = append(slices.Clip(s.Effects[:n]), limit)
	return &short
}
