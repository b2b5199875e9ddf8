package analyzers_test

import (
	"os"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/fencevet/fencevet/analyzers"
	"github.com/fencevet/fencevet/analyzers/internal/checktest"
	"github.com/fencevet/fencevet/analyzers/internal/mutation"
)

// fenced lists programs with sound fences; packages of one entry are analysed
// together.
var fenced = [][]string{
	{"sequence/fenced"},
	{"sequence/fencedsql"},
	{"checks/unfenced/good"},
	{"checks/weakcondition/good"},
	{"checks/unorderedtoken/good"},
	{"checks/unfenced/across/lock", "checks/unfenced/across/store", "checks/unfenced/across/service"},
	{"checks/shapes/lock", "checks/shapes/store", "checks/shapes/service"},
	{"checks/shapes/store", "checks/shapes/elect"},
	{"shop/internal/billing"},
}

// equivalent lists mutants that break no fence, by what they say of themselves.
var equivalent = map[string]string{
	"sql.go:60: delete the comparison: `token < last` => `false`": "the statement that follows compares as well",
	"sql.go:60: reverse the comparison: `<` => `>`":               "the statement that follows compares as well",
	"sql.go:143: delete the condition: `holder = $2` => `1 = 1`":  "that is how the lease is taken; the write still needs its holder",
	"sql.go:143: reverse the comparison: `=` => `<>`":             "that is how the lease is taken; the write still needs its holder",

	"asked_with.go:18: delete the condition: `mutex.IsOwner()` => ``":                  "the transaction that follows asks as well",
	"asked_with.go:22: drop the check: `if !resp.Succeeded { return errStale }` => ``": "the transaction that follows asks as well",

	"watched.go:38: drop the check: `if !ok { return errStale }` => ``": "whoever has not got the lock finds that the owner is another one",

	"same_session.go:95: do not store the token: `holder` => `spare`": "a row that keeps no holder is not taken for a lease, and nothing is said of it",
	"random_owner.go:16: do not store the token: `worker` => `spare`": "a row that keeps no holder is not taken for a lease, and nothing is said of it",
}

// TestMutants breaks every fence of those programs in every way that package
// mutation knows: each time the uses that depend on it must lose their verdict
// or get a finding.
func TestMutants(t *testing.T) {
	const module = "example.org/locks/"
	imports := []string{"time", "math/rand/v2", "crypto/rand"}
	patterns := imports
	for _, group := range fenced {
		for _, path := range group {
			patterns = append(patterns, module+path)
		}
	}
	byPath := make(map[string]*packages.Package)
	for _, pkg := range checktest.Load(t, corpus, patterns...).Packages {
		byPath[pkg.PkgPath] = pkg
	}
	pick := func(prefix string, paths []string) (list []*packages.Package) {
		for _, path := range paths {
			list = append(list, byPath[prefix+path])
		}
		return list
	}
	verbose := os.Getenv("MUTANTS") != ""
	for _, group := range fenced {
		t.Run(group[0], func(t *testing.T) {
			p, err := mutation.New(pick(module, group), pick("", imports), analyzers.Checks())
			if err != nil {
				t.Fatal(err)
			}
			uses := p.Fenced()
			if len(uses) == 0 {
				t.Fatal("nothing is fenced by a token")
			}
			mutants := p.Mutants()
			killed := make(map[*mutation.Use]int)
			var mu sync.Mutex
			work := make(chan *mutation.Mutant)
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() {
					for m := range work {
						r, err := p.Analyse(m)
						if err != nil {
							t.Errorf("%v: does not compile: %v", m, err)
							continue
						}
						for _, u := range m.Targets {
							noticed, said := r.Notices(u)
							reason := equivalent[m.String()]
							if !noticed && reason != "" {
								continue
							}
							if noticed && reason != "" {
								t.Errorf("%v: %s, but is said to break nothing: %s", m, said, reason)
							}
							if !noticed {
								t.Errorf("%v: still %s at %v", m, said, u)
								continue
							}
							if verbose {
								t.Logf("%v: %s", m, said)
							}
							mu.Lock()
							killed[u]++
							mu.Unlock()
						}
					}
				})
			}
			for _, m := range mutants {
				work <- m
			}
			close(work)
			wg.Wait()
			t.Logf("%d mutants of %d uses", len(mutants), len(uses))
			for _, u := range uses {
				if killed[u] < 3 {
					t.Errorf("%v: only %d mutants", u, killed[u])
				}
			}
		})
	}
}
