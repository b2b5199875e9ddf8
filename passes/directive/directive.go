// Package directive reads the comments by which a program speaks to fencevet:
//
//	//fencevet:efficiency [owner=NAME] [until=2027-06-30] reason
//	//fencevet:correctness [owner=NAME] [reason]
//	//fencevet:ignore check[,check] [owner=NAME] [until=2027-06-30] reason
//	//fencevet:acquire|release|token|conditional [key=value ...] [remark]
//
// The first two decide what a lock is for, the third silences checks, the others
// say what a function of the project means (see [Settings]). As with all such
// comments of Go no space may follow the slashes, and gofmt leaves them alone.
// What follows another " //" in the same comment is not part of it.
package directive

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fencevet/fencevet/passes/spell"
)

// Prefix is what every directive starts with.
const Prefix = "//fencevet:"

// Kind is the word after the prefix.
type Kind string

const (
	Efficiency  Kind = "efficiency"  // the lock saves work; its risk is accepted
	Correctness Kind = "correctness" // the lock needs a fence
	Ignore      Kind = "ignore"      // checks that have nothing to report here
	Acquire     Kind = "acquire"     // the function takes a lock
	Release     Kind = "release"     // the function gives it back
	Token       Kind = "token"       // the function returns the lock's fencing token
	Conditional Kind = "conditional" // the function writes under a condition
)

// Kinds are all kinds.
var Kinds = []Kind{Efficiency, Correctness, Ignore, Acquire, Release, Token, Conditional}

// Decides reports whether the directive says what a lock is for.
func (k Kind) Decides() bool { return k == Efficiency || k == Correctness }

// Models reports whether the directive says what a function means.
func (k Kind) Models() bool { return Settings[k] != nil }

// Settings are the settings of the kinds that say what a function means. A value
// of the function is told by the name of its parameter or result, or as argN,
// resultN (result: the first) or receiver, each with an optional path of fields:
// opts.Key. A setting that is left out means what stands behind it.
var Settings = map[Kind][]Setting{
	Acquire: {
		{Name: "kind", Words: []string{"lease", "session", "election", "advisory"}, Doc: "what ends the lock when its holder does not: lease (the default), session, election or advisory"},
		{Name: "handle", Doc: "the value that stands for the held lock; default: the first result unless that tells success (an error or bool), else the receiver"},
		{Name: "key", Doc: "what is locked"},
		{Name: "ttl", Doc: "how long the lease lives: a value, or a duration such as 30s"},
		{Name: "token", Doc: "the result that is an ordered fencing token"},
		{Name: "owner", Doc: "the value that names the owner"},
		{Name: "release", Doc: "the result that is a function which gives the lock back"},
		{Name: "runs", Doc: "the function that runs while the lock is held"},
		{Name: "try", Words: truth, Doc: "true: does not wait for the holder"},
		{Name: "renewed", Words: truth, Doc: "true: renewed in the background"},
	},
	Release: {
		{Name: "handle", Doc: "the value that stands for the held lock; default: the receiver, else the first argument that is no context"},
		{Name: "key", Doc: "what is locked, where no value stands for the lock"},
		{Name: "owner", Doc: "the value that names the owner"},
		{Name: "checked", Words: truth, Doc: "false: gives the lock back whoever holds it; true is the default"},
	},
	Token: {
		{Name: "of", Doc: "the value that stands for the held lock; default: the receiver"},
	},
	Conditional: {
		{Name: "token", Doc: "the fencing token that the resource compares and keeps"},
		{Name: "version", Doc: "the version, ETag or revision that the resource compares"},
		{Name: "owner", Doc: "the value by which the resource knows the lock's owner"},
		{Name: "unique", Words: truth, Doc: "true: only creates what is not there"},
		{Name: "resource", Doc: "the value that names what is written"},
		{Name: "store", Doc: "where it is kept, in a word: sql, redis, http"},
	},
}

// A Setting is one key that a directive accepts.
type Setting struct {
	Name  string
	Words []string // accepted values; none: the name of a value, or as Doc says
	Doc   string
}

var truth = []string{"true", "false"}

// A Directive is one comment, read.
type Directive struct {
	Kind   Kind
	Checks []string // Ignore
	Owner  string   // of the decision
	Until  string   // the last day that it holds: 2027-06-30
	Reason string
	Values []Value // settings of kinds that say what a function means, in order
}

// A Value is one setting of a directive.
type Value struct{ Name, Text string }

// Get returns a setting of d, and the empty string where there is none.
func (d *Directive) Get(name string) string {
	for _, v := range d.Values {
		if v.Name == name {
			return v.Text
		}
	}
	return ""
}

// Is reports whether the text of a comment is a directive, or looks like one that
// was meant to be: with a space too many, or in capitals.
func Is(comment string) bool {
	text, ok := strings.CutPrefix(comment, "//")
	if !ok {
		return false
	}
	const name = "fencevet:"
	text = strings.TrimLeft(text, " \t")
	return len(text) >= len(name) && strings.EqualFold(text[:len(name)], name) && (strings.HasPrefix(comment, Prefix) || known(text[len(name):]))
}

// known reports whether text starts with the name of a kind, so that prose about
// fencevet is not taken for a directive.
func known(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	return slices.Contains(Kinds, Kind(word))
}

// Parse reads a comment for which Is holds. Where it does not make sense the error
// says what is wrong and what to do, and the Directive has as much as was read.
func Parse(comment string) (Directive, error) {
	var d Directive
	rest, ok := strings.CutPrefix(comment, Prefix)
	if !ok {
		return d, fmt.Errorf("want %s at once after the slashes, in small letters and without a space: otherwise this is a comment like any other", Prefix[2:])
	}
	for _, mark := range []string{" //", "\t//"} {
		rest, _, _ = strings.Cut(rest, mark)
	}
	p := &parser{rest: strings.TrimRight(rest, " \t\r")}
	d.Kind = Kind(p.word())
	switch {
	case d.Kind.Decides(), d.Kind == Ignore:
		if d.Kind == Ignore {
			if err := p.checks(&d); err != nil {
				return d, err
			}
		}
		if err := p.decision(&d); err != nil {
			return d, err
		}
		if d.Kind != Correctness && !says(d.Reason) {
			return d, fmt.Errorf("%s%s without a reason: write down why, for those who read this after you", Prefix[2:], d.Kind)
		}
		return d, nil
	case d.Kind.Models():
		return d, p.model(&d)
	}
	return d, fmt.Errorf("no directive %q%s: want one of %s", d.Kind, spell.Meant(string(d.Kind), words(Kinds)), strings.Join(words(Kinds), ", "))
}

func words(kinds []Kind) []string {
	var list []string
	for _, k := range kinds {
		list = append(list, string(k))
	}
	return list
}

// says reports whether a reason is more than punctuation.
func says(reason string) bool {
	return strings.ContainsFunc(reason, func(r rune) bool { return r > 127 || 'a' <= r|0x20 && r|0x20 <= 'z' })
}

// A parser reads words from the left.
type parser struct{ rest string }

func (p *parser) peek() string {
	word, _, _ := strings.Cut(strings.TrimLeft(strings.ReplaceAll(p.rest, "\t", " "), " "), " ")
	return word
}

func (p *parser) word() string {
	p.rest = strings.TrimLeft(p.rest, " \t")
	n := len(p.peek())
	word := p.rest[:n]
	p.rest = strings.TrimLeft(p.rest[n:], " \t")
	return word
}

func (p *parser) checks(d *Directive) error {
	word := p.word()
	if word == "" {
		return fmt.Errorf("%signore without a check: name the checks that have nothing to report here", Prefix[2:])
	}
	for _, c := range strings.Split(word, ",") {
		if !isWord(c) {
			return fmt.Errorf("bad list of checks %q: want check or check,check without spaces", word)
		}
		d.Checks = append(d.Checks, c)
	}
	return nil
}

// setting returns the next word if it is key=value.
func (p *parser) setting() (key, value string, ok bool) {
	key, value, ok = strings.Cut(p.peek(), "=")
	if !ok || !isWord(key) {
		return "", "", false
	}
	p.word()
	return key, value, true
}

func isWord(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < 'a' || r > 'z' })
}

func (p *parser) decision(d *Directive) error {
	for {
		key, value, ok := p.setting()
		if !ok {
			break
		}
		var to *string
		switch key {
		case "owner":
			to = &d.Owner
		case "until":
			if d.Kind == Correctness {
				return fmt.Errorf("until= on a demand, which has no end: remove it, and the directive once the lock needs no fence")
			}
			to = &d.Until
			if _, err := time.Parse(time.DateOnly, value); err != nil {
				return fmt.Errorf("bad date until=%s: want a day such as until=2027-06-30", value)
			}
		default:
			return fmt.Errorf("%s%s has no setting %q%s: want owner=NAME or until=2027-06-30, then the reason", Prefix[2:], d.Kind, key, spell.Meant(key, []string{"owner", "until"}))
		}
		switch {
		case value == "":
			return fmt.Errorf("%s= without a value: name somebody, or remove it", key)
		case *to != "":
			return fmt.Errorf("%s= stands here twice: remove one", key)
		}
		*to = value
	}
	d.Reason = p.rest
	return nil
}

func (p *parser) model(d *Directive) error {
	settings := Settings[d.Kind]
	var names []string
	for _, s := range settings {
		names = append(names, s.Name)
	}
	for {
		key, value, ok := p.setting()
		if !ok {
			break
		}
		i := slices.Index(names, key)
		switch {
		case i < 0:
			return fmt.Errorf("%s%s has no setting %q%s: want one of %s", Prefix[2:], d.Kind, key, spell.Meant(key, names), strings.Join(names, ", "))
		case value == "":
			return fmt.Errorf("%s= without a value: name one, or remove it", key)
		case d.Get(key) != "":
			return fmt.Errorf("%s= stands here twice: remove one", key)
		case settings[i].Words != nil && !slices.Contains(settings[i].Words, value):
			return fmt.Errorf("bad value %s=%s%s: want one of %s", key, value, spell.Meant(value, settings[i].Words), strings.Join(settings[i].Words, ", "))
		}
		d.Values = append(d.Values, Value{key, value})
	}
	d.Reason = p.rest
	return nil
}

// String is the comment that says d.
func (d Directive) String() string {
	var b strings.Builder
	b.WriteString(Prefix + string(d.Kind))
	add := func(text string) {
		if text != "" {
			b.WriteString(" " + text)
		}
	}
	add(strings.Join(d.Checks, ","))
	if d.Owner != "" {
		add("owner=" + d.Owner)
	}
	if d.Until != "" {
		add("until=" + d.Until)
	}
	for _, v := range d.Values {
		add(v.Name + "=" + v.Text)
	}
	add(d.Reason)
	return b.String()
}
