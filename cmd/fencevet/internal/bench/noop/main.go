// Command noop is a vettool that does nothing: what go vet and unitchecker cost
// by themselves.
package main

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
)

type fact struct{}

func (*fact) AFact() {}

func main() {
	unitchecker.Main(&analysis.Analyzer{
		Name: "noop", Doc: "does nothing", FactTypes: []analysis.Fact{new(fact)},
		Run: func(*analysis.Pass) (any, error) { return nil, nil },
	})
}
