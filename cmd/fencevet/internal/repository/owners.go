package repository

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hmarr/codeowners"
)

// places are where the file may be, in the order in which forges look.
var places = []string{".github/CODEOWNERS", ".gitlab/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"}

// An Owners is a CODEOWNERS file. A nil one knows of no owner.
type Owners struct {
	rules codeowners.Ruleset
}

// FindOwners reads the CODEOWNERS of the repository with the given root. There
// may be none. Lines that cannot be read own nothing, and each has a warning.
func FindOwners(root string) (o *Owners, warnings []string) {
	for _, place := range places {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(place)))
		if err != nil {
			continue
		}
		o, warnings = parse(text)
		for i := range warnings {
			warnings[i] = place + ":" + warnings[i]
		}
		return o, warnings
	}
	return nil, nil
}

// parse reads line by line: one that a forge would pass over must not take the
// others with it. Sections are GitLab's: their owners own what names none.
func parse(text []byte) (o *Owners, warnings []string) {
	o = new(Owners)
	var section []codeowners.Owner
	n := 0
	for line := range bytes.Lines(text) {
		n++
		heading, isHeading := cutHeading(string(line))
		if isHeading {
			line = []byte("* " + heading)
		}
		rules, err := codeowners.ParseFile(bytes.NewReader(line), codeowners.WithOwnerMatchers(matchers))
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("%d: %s", n, strings.TrimPrefix(err.Error(), "line 1: ")))
			continue
		}
		for _, r := range rules {
			switch {
			case isHeading:
				section = r.Owners
				continue
			case r.RawPattern() == "/":
				continue // matches no file, and the library cannot match it
			case len(r.Owners) == 0:
				r.Owners = section
			}
			o.rules = append(o.rules, r)
		}
	}
	return o, warnings
}

// matchers know GitLab's groups within groups beside what GitHub has.
var matchers = append(slices.Clone(codeowners.DefaultOwnerMatchers), codeowners.OwnerMatchFunc(nested))

func nested(s string) (codeowners.Owner, error) {
	name, ok := strings.CutPrefix(s, "@")
	if !ok || strings.Count(name, "/") < 2 {
		return codeowners.Owner{}, codeowners.ErrNoMatch
	}
	return codeowners.Owner{Value: name, Type: codeowners.TeamOwner}, nil
}

// cutHeading returns the owners behind the heading of a section:
// "^[Payments][2] @money" has @money.
func cutHeading(line string) (owners string, ok bool) {
	line = strings.TrimPrefix(strings.TrimSpace(line), "^")
	if !strings.HasPrefix(line, "[") {
		return "", false
	}
	for strings.HasPrefix(line, "[") {
		_, rest, closed := strings.Cut(line, "]")
		if !closed {
			return "", false
		}
		line = rest
	}
	return line, true
}

// Of returns the owners of a file by its slash-separated path from the root: the
// last line that matches decides.
func (o *Owners) Of(file string) []string {
	if o == nil {
		return nil
	}
	rule, err := o.rules.Match(file)
	if err != nil || rule == nil {
		return nil
	}
	var all []string
	for _, owner := range rule.Owners {
		all = append(all, owner.String())
	}
	return all
}
