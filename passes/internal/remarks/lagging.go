package remarks

import (
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// lags is the option by which a handle, a collection say, lets members of the store
// answer that may lag behind, where a write of the section goes to what is called the same.
// It is empty for a handle that was not made so wherever it is set.
func (k *keeping) lags(r summary.Recorded, on *term.T) string {
	option := ""
	makers := k.makers(on)
	for _, made := range makers {
		if option = k.staleBy(made, 0); option == "" {
			return ""
		}
	}
	same := func(handle *term.T) bool {
		return slices.ContainsFunc(k.makers(handle), func(w *term.T) bool {
			return slices.ContainsFunc(makers, func(m *term.T) bool { return m == w || called(m) != "" && called(m) == called(w) })
		})
	}
	if option == "" || !slices.ContainsFunc(r.Site.Effects, func(x summary.Effect) bool {
		return x.Call != nil && x.Open == summary.Closed &&
			slices.ContainsFunc(k.e.Reader.Of(x.Call), func(m meaning.Meaning) bool { return m.Role == meaning.Write }) &&
			slices.ContainsFunc(r.Use.Writes, func(w lock.Write) bool { return w.Position == x.At.Position && !w.Own && !w.After && trusts(w) }) &&
			same(meaning.Receiver(x.Call))
	}) {
		return ""
	}
	return option
}

// staleBy is the option in what a handle is made of by which a copy may answer. Of
// alternatives each must have one: which of them is asked for may be up to the caller, who
// knows why.
func (k *keeping) staleBy(t *term.T, depth int) string {
	if depth > engine.MaxLooks {
		return ""
	}
	if e := k.e.Reader.Entry(t); e != nil && e.Stale {
		return t.Name[strings.LastIndexByte(t.Name, '.')+1:]
	}
	if before := k.e.Pool.Initially(t); before != nil {
		return k.staleBy(before, depth+1) // options out of sight may say otherwise, as any may
	}
	option := ""
	for _, a := range t.Args {
		by := k.staleBy(a, depth+1)
		switch {
		case by == "" && t.Kind == term.Join:
			return ""
		case by != "":
			option = by
		}
	}
	return option
}

// makers lists the calls that make a handle; nothing if one is out of sight.
func (k *keeping) makers(handle *term.T) []*term.T {
	var out []*term.T
	for _, t := range handle.Alts() {
		values := []*term.T{t}
		if t.Kind == term.Field || t.Kind == term.Global {
			values = k.e.Values(t)
		}
		for _, v := range values {
			if v.IsZero() {
				continue
			}
			if v.Kind != term.Call {
				return nil
			}
			out = append(out, v)
		}
	}
	return out
}

// called is the name by which a handle was asked for, where it is constant.
func called(made *term.T) string {
	if args := meaning.Args(made); len(args) > 0 {
		name, _ := args[0].Str()
		return name
	}
	return ""
}
