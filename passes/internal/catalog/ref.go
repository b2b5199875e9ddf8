package catalog

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Base says what a Ref starts from.
type Base uint8

const (
	NoBase   Base = iota // the zero Ref: nothing
	Arg                  // arg N: zero-based, receiver not counted
	Receiver             // receiver
	Result               // result N
	WordAt               // word N, or word OPTION: a word of a Redis command
	NameOf               // name Prefix: what the method's name says after a prefix
	TypeOf               // type Suffix: what the name of the receiver's type says before a suffix
)

// A Ref names a value of a call: "arg 1", "arg 2...", "receiver",
// "result 0", "word 1", "word EX", each with an optional field path: "arg 1.Mode".
// What a generated name says is "name Set" and "type Client", as columns are spelled.
type Ref struct {
	Base   Base
	Index  int
	Spread bool     // from Index to the last: "arg 2..."
	Option string   // word OPTION, name Prefix, type Suffix
	Path   []string // fields
}

// IsZero reports whether r names nothing.
func (r Ref) IsZero() bool { return r.Base == NoBase }

func (r Ref) String() string {
	var s string
	switch r.Base {
	case NoBase:
		return ""
	case Receiver:
		s = "receiver"
	case Arg:
		s = "arg " + strconv.Itoa(r.Index)
	case Result:
		s = "result " + strconv.Itoa(r.Index)
	case WordAt:
		s = "word " + strconv.Itoa(r.Index)
		if r.Option != "" {
			s = "word " + r.Option
		}
	case NameOf:
		s = strings.TrimSpace("name " + r.Option)
	case TypeOf:
		s = strings.TrimSpace("type " + r.Option)
	}
	if r.Spread {
		s += "..."
	}
	for _, p := range r.Path {
		s += "." + p
	}
	return s
}

// ParseRef reads the text form of a Ref.
func ParseRef(s string) (Ref, error) {
	bad := func() (Ref, error) {
		return Ref{}, fmt.Errorf("bad reference %q: want arg N, arg N..., receiver, result N or word N, each with an optional .Field path, or name Prefix or type Suffix", s)
	}
	kind, rest, _ := strings.Cut(strings.TrimSpace(s), " ")
	var r Ref
	if k, path, ok := strings.Cut(kind, "."); ok && k == "receiver" {
		kind, rest = k, "."+path
	}
	switch kind {
	case "receiver":
		r.Base = Receiver
	case "arg":
		r.Base = Arg
	case "result":
		r.Base = Result
	case "word":
		r.Base = WordAt
	case "name", "type":
		r.Base, r.Option = NameOf, strings.TrimSpace(rest)
		if kind == "type" {
			r.Base = TypeOf
		}
		if r.Option != "" && !isName(r.Option) {
			return bad()
		}
		return r, nil
	default:
		return bad()
	}
	rest = strings.TrimSpace(rest)
	if r.Base != Receiver {
		n := 0
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		switch {
		case n > 0:
			i, err := strconv.Atoi(rest[:n])
			if err != nil || i > 99 {
				return bad()
			}
			r.Index, rest = i, rest[n:]
		case r.Base == WordAt:
			for n < len(rest) && rest[n] >= 'A' && rest[n] <= 'Z' {
				n++
			}
			if n == 0 {
				return bad()
			}
			r.Option, rest = rest[:n], rest[n:]
		default:
			return bad()
		}
		if after, ok := strings.CutPrefix(rest, "..."); ok {
			r.Spread, rest = true, after
		}
	}
	if rest == "" {
		return r, nil
	}
	after, ok := strings.CutPrefix(rest, ".")
	if !ok {
		return bad()
	}
	r.Path = strings.Split(after, ".")
	for _, p := range r.Path {
		if p == "" || strings.ContainsAny(p, " \t()") {
			return bad()
		}
	}
	return r, nil
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (r *Ref) UnmarshalYAML(n *yaml.Node) error {
	p, err := ParseRef(n.Value)
	if err != nil {
		return err
	}
	*r = p
	return nil
}

// A Word is one word of a Redis command: a literal or a reference.
type Word struct {
	Literal string
	Ref     Ref
}

// UnmarshalYAML implements yaml.Unmarshaler: what parses as a reference is one.
func (w *Word) UnmarshalYAML(n *yaml.Node) error {
	if r, err := ParseRef(n.Value); err == nil {
		w.Ref = r
		return nil
	}
	w.Literal = n.Value
	return nil
}
