package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fencevet/fencevet/analyzers/inventory"
)

// A Dimension is what locks are counted by.
type Dimension string

const (
	ByClass   Dimension = "class"
	ByLibrary Dimension = "library"
	ByPackage Dimension = "package"
	ByOwner   Dimension = "owner"
)

// Dimensions are all of them.
var Dimensions = []Dimension{ByClass, ByLibrary, ByPackage, ByOwner}

// ParseDimensions reads a list as a flag gives it.
func ParseDimensions(list string) ([]Dimension, error) {
	var all []Dimension
	for name := range strings.SplitSeq(list, ",") {
		d := Dimension(name)
		if !slices.Contains(Dimensions, d) {
			return nil, fmt.Errorf("want class, library, package or owner, or several with commas between")
		}
		if !slices.Contains(all, d) {
			all = append(all, d)
		}
	}
	return all, nil
}

// A Number is how many locks there are of one value of a dimension.
type Number struct {
	Name string
	inventory.Summary
}

// Numbers counts the uses by d: classes in the order of the groups, others by
// how many locks they have. A file with two owners counts for both.
func Numbers(inv *inventory.Inventory, d Dimension) []Number {
	locks := make(map[string][]inventory.Lock)
	for _, l := range inv.Locks {
		if IsWrapper(l) {
			continue
		}
		for _, name := range d.of(l) {
			locks[name] = append(locks[name], l)
		}
	}
	var all []Number
	for name, l := range locks {
		all = append(all, Number{name, inventory.Summarize(l)})
	}
	slices.SortFunc(all, func(a, b Number) int {
		if d == ByClass {
			return slices.Index(groupTitles, a.Name) - slices.Index(groupTitles, b.Name)
		}
		return cmp.Or(b.Locks-a.Locks, cmp.Compare(a.Name, b.Name))
	})
	return all
}

// Nobody stands for the owner of what CODEOWNERS gives to none.
const Nobody = "nobody"

func (d Dimension) of(l inventory.Lock) []string {
	switch d {
	case ByClass:
		return []string{groupTitle(l)}
	case ByLibrary:
		return []string{l.Library}
	case ByPackage:
		return []string{l.Package}
	}
	if len(l.Owners) == 0 {
		return []string{Nobody}
	}
	return l.Owners
}
