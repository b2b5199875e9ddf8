package engine

import (
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

func (c *codec) summary(s *summary.Summary) {
	list(c, &s.Effects, c.effect)
	list(c, &s.Holds, func(h *summary.Hold) {
		c.acquired(&h.Lock)
		list(c, &h.Facts, c.known)
	})
	list(c, &s.Sections, func(x *summary.Section) {
		c.acquired(&x.Lock)
		list(c, &x.Effects, c.effect)
		list(c, &x.After, c.effect)
		list(c, &x.Release, c.text)
	})
	list(c, &s.Results, c.value)
	list(c, &s.Sets, func(x *summary.Set) {
		c.value(&x.Of)
		c.text(&x.Field)
		c.value(&x.Index)
		c.value(&x.Value)
		flags(c, &x.Perhaps)
		c.bad = c.bad || x.Of == nil || x.Value == nil
	})
	list(c, &s.Tests, func(t *summary.Test) {
		c.asked(&t.Asked)
		list(c, &t.Denied, c.known)
		c.bad = c.bad || t.Read == nil
	})
}

func (c *codec) asked(a *summary.Asked) {
	c.value(&a.Read)
	c.text(&a.Op)
	c.value(&a.Incoming)
}

func (c *codec) effect(x *summary.Effect) {
	if !c.read && c.e.Evidence != nil {
		x = &[]summary.Effect{*x}[0]
		x.Own = c.e.Evidence.own(*x)
	}
	bits(c, &x.Open, &x.Reach, &x.Batch, &x.Turns.Rounds)
	flags(c, &x.Aside, &x.Carried, &x.Emerged, &x.Yields, &x.Tells, &x.Own, &x.Perhaps, &x.Skipped, &x.Silent, &x.Copy, &x.Setup)
	c.value(&x.Call)
	c.frame(&x.At)
	list(c, &x.Via, c.frame)
	// Most effects have little of what follows: what they have is told first.
	told, why, signal, asked := x.Checked != 0 || x.Answer != 0, x.Why != "", x.Signal != "", len(x.Asked) > 0
	chosen := len(x.Chosen) > 0
	won, lost, says, from := len(x.Won) > 0, len(x.Lost) > 0, x.Says != "", len(x.From) > 0
	times, fresh, until, stores, watched := x.Turns.Times != 0, len(x.Fresh) > 0, len(x.Until) > 0, x.Memory != nil, len(x.Watched) > 0
	flags(c, &told, &from, &lost, &asked, &won, &says, &why, &signal, &times, &fresh, &until, &stores, &chosen, &watched)
	if told {
		checked, answer := int(x.Checked), int(x.Answer)
		c.num(&checked)
		c.num(&answer)
		x.Checked, x.Answer = int8(checked), int8(answer)
	}
	if why {
		c.text((*string)(&x.Why))
	}
	if signal {
		c.text(&x.Signal)
	}
	if asked {
		list(c, &x.Asked, c.asked)
	}
	if watched {
		list(c, &x.Watched, c.value)
	}
	if chosen {
		list(c, &x.Chosen, func(ch *summary.Choice) {
			c.value(&ch.Value)
			flags(c, &ch.Zero)
			c.bad = c.bad || ch.Value == nil
		})
	}
	if won {
		list(c, &x.Won, func(w *summary.Claim) {
			c.value(&w.Call)
			flags(c, &w.Again, &w.Over)
			c.bad = c.bad || w.Call == nil
		})
	}
	if lost {
		list(c, &x.Lost, c.known)
	}
	if says {
		c.text(&x.Says)
	}
	if from {
		list(c, &x.From, c.value)
	}
	if times {
		c.num(&x.Turns.Times)
	}
	if fresh {
		list(c, &x.Fresh, c.site)
	}
	if until {
		list(c, &x.Until, c.value)
	}
	if stores {
		if c.read {
			x.Memory = &summary.Memory{}
		}
		m := x.Memory
		c.text(&m.Type)
		c.text(&m.Method)
		list(c, &m.Args, c.value)
		c.value(&m.Token)
		c.text(&m.Op)
		flags(c, &m.Text, &m.Stored, &m.Early, &m.Locked, &m.Told, &m.Bare, &m.Lapses)
	}
	if c.read && x.Open != summary.Closed && x.Call == nil || x.Open == summary.Value && len(x.Call.Args) == 0 {
		c.bad = true
	}
}

func (c *codec) frame(f *lock.Frame) {
	c.position(&f.Position)
	c.text(&f.Function)
	c.text(&f.Callee)
	c.text(&f.Text)
}

func (c *codec) acquired(a *summary.Acquired) {
	c.value(&a.Call)
	c.frame(&a.At)
	list(c, &a.Via, c.frame)
	c.position(&a.Origin)
	list(c, &a.From, c.value)
	list(c, &a.Early, c.value)
	c.decision(&a.Decision)
	var g summary.Signs
	if !c.read {
		g = c.e.Evidence.along(a.Chain)
	}
	flags(c, &g.Guarded, &g.Answer, &g.Released, &g.Lent, &g.Elsewhere, &g.Owner, &g.Compares, &g.Name, &g.TTL, &g.Retry, &g.Refuses)
	list(c, &g.Intrinsic, c.text)
	if c.read {
		a.Chain = []*summary.Site{{Told: &g}}
		c.bad = c.bad || a.Call == nil
	}
}

func (c *codec) decision(d **lock.Decision) {
	decided := *d != nil
	if flags(c, &decided); !decided {
		return
	}
	if c.read {
		*d = &lock.Decision{}
	}
	c.position(&(*d).Position)
	c.text((*string)(&(*d).Kind))
	c.text(&(*d).Reason)
	c.text(&(*d).Owner)
	c.text(&(*d).Until)
}

// known is a fact of a result. One that says nothing is written as nothing.
func (c *codec) known(f *world.Fact) {
	text := ""
	if f.Definite() || f.Tells() {
		text = f.String()
	}
	if c.text(&text); c.read {
		*f = world.Parse(text)
	}
}

// bits packs small numbers, three bits each.
func bits[A, B, C, D ~uint8](c *codec, p *A, q *B, r *C, s *D) {
	n := int(*p) | int(*q)<<3 | int(*r)<<6 | int(*s)<<9
	c.num(&n)
	*p, *q, *r, *s = A(n&7), B(n>>3&7), C(n>>6&7), D(n>>9&7)
}

func flags(c *codec, list ...*bool) {
	n := 0
	for i, b := range list {
		if *b {
			n |= 1 << i
		}
	}
	c.num(&n)
	for i, b := range list {
		*b = n&(1<<i) != 0
	}
}
