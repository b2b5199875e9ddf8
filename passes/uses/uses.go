// Package uses finds the distributed locks of a package and says, for each,
// what its critical section writes and on what condition.
package uses

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"reflect"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/comments"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/records"
	"github.com/fencevet/fencevet/passes/lock"
	"github.com/fencevet/fencevet/passes/models"
)

// Analyzer yields a *Result for one package, given the built-in catalogue.
var Analyzer = New(nil)

// A Chooser says which catalogue holds for a package; nil is the built-in one.
type Chooser func(*analysis.Pass) *models.Catalog

// New returns an analyzer that yields a *Result for one package. Like every pass
// it reports nothing. What it finds out about functions goes to the packages that
// call them as facts. A nil Chooser chooses the built-in catalogue. A function that
// fencevet fails on counts as out of sight, and standard error is told: a fault of ours is
// no reason for a build to fail, nor one to be silent.
func New(choose Chooser) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "fencevetuses",
		Doc:        "find distributed locks and what their critical sections write\n\nA pass for the checks of fencevet; it reports nothing itself.",
		Run:        func(pass *analysis.Pass) (any, error) { return run(pass, choose) },
		ResultType: reflect.TypeFor[*Result](),
		FactTypes:  []analysis.Fact{new(engine.Fact)},
	}
}

// A Result holds the lock uses of a package or module, sorted by position, and
// remarks on leases whose use is out of sight.
type Result struct {
	Uses       []*lock.Use
	Remarks    []lock.Remark
	Directives []lock.Directive // of the packages, sorted by position
	// Whole says that the packages are all of a module: what is not seen is not there.
	Whole  bool
	Faults []Fault
}

// A Fault is a failure of fencevet itself on one function, which counts as out of
// sight.
type Fault struct{ Package, Reason string }

// A Package is one type-checked package with syntax.
type Package struct {
	Fset  *token.FileSet
	Files []*ast.File
	Types *types.Package
	Info  *types.Info
}

// MaxEmbedded bounds the embedded files that the analysis reads, in bytes.
const MaxEmbedded = engine.MaxEmbedded

// A Module analyses the packages of a module together: interface calls and
// callbacks are resolved over all of them. They share a file set.
type Module struct {
	// Catalog says what calls of libraries mean; nil: the built-in one.
	Catalog *models.Catalog

	mu      sync.Mutex
	builder *engine.Builder
	waiting []engine.Unit // until there is a lock to be seen
}

// Add makes a package ready for the analysis, after those that it imports. It may
// be called for several packages at once. What is known of the types of single
// expressions is gone from the package afterwards, or if Add returns false, once a
// package is added that a lock is to be seen in.
func (m *Module) Add(p *Package) (done bool) {
	ready := m.declare(p)
	for _, u := range ready {
		m.builder.Build(u)
	}
	return len(ready) > 0
}

// declare returns what can be built now: nothing before there is a lock to be seen.
func (m *Module) declare(p *Package) []engine.Unit {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting = append(m.waiting, p.unit())
	if m.builder == nil {
		if !p.worth(m.Catalog) {
			return nil
		}
		m.builder = engine.NewBuilder(p.Fset, orBuiltin(m.Catalog))
	}
	ready := m.waiting
	m.waiting = nil
	m.builder.Declare(ready...)
	return ready
}

// Result analyses the packages that were added. Their order decides nothing but
// that of what stands at the same place.
func (m *Module) Result(pkgs []*Package) *Result {
	if m.builder == nil {
		return &Result{}
	}
	var units []engine.Unit
	for _, p := range pkgs {
		units = append(units, p.unit())
	}
	e := m.builder.Engine(units)
	return guarded(e)
}

// guarded is result, with the functions on which the engine fails as faults.
func guarded(e *engine.Engine) *Result {
	faults := e.Guard()
	found := result(e)
	for _, f := range faults() {
		found.Faults = append(found.Faults, fault(f))
	}
	return found
}

func fault(f engine.Fault) Fault {
	at := f.Function // may be one that stands nowhere
	if f.At.IsValid() {
		at = fmt.Sprintf("%s:%d:%d", f.At.File, f.At.Line, f.At.Column)
	}
	return Fault{f.Package, fmt.Sprintf("%s: fencevet fails on this function: %s", at, f.Text)}
}

func (p *Package) unit() engine.Unit {
	return engine.Unit{Files: p.Files, Types: p.Types, Info: p.Info}
}

// worth reports whether a package can have locks, or says something about them.
func (p *Package) worth(cat *models.Catalog) bool {
	return holdsLocks(p.Types, cat) || namedLocks(p.Types) || comments.Any(p.Files)
}

// namedLocks reports whether a package that works on objects of Kubernetes is named after
// locks, or declares something that is: in the annotations of any object there can be one.
func namedLocks(p *types.Package) bool {
	if !slices.ContainsFunc(p.Imports(), func(q *types.Package) bool { return q.Path() == "k8s.io/apimachinery/pkg/apis/meta/v1" }) {
		return false
	}
	return engine.NamesLock(p.Path()) || slices.ContainsFunc(p.Scope().Names(), engine.NamesLock)
}

func orBuiltin(cat *models.Catalog) *models.Catalog {
	if cat == nil {
		return catalog.Builtin()
	}
	return cat
}

// InModule analyses packages, in any order, as a Module.
func InModule(pkgs []*Package) *Result {
	if !slices.ContainsFunc(pkgs, func(p *Package) bool { return p.worth(nil) }) {
		return &Result{}
	}
	var units []engine.Unit
	for _, p := range pkgs {
		units = append(units, p.unit())
	}
	return result(engine.New(pkgs[0].Fset, catalog.Builtin(), units))
}

// built is called for every package that SSA is built for; a test counts them.
var built = func(*types.Package) {}

func run(pass *analysis.Pass, choose Chooser) (any, error) {
	if len(pass.Files) == 0 {
		return &Result{}, nil // known by its export data only
	}
	g := &gate{pass: pass}
	if choose != nil && g.origin() == own {
		g.models = choose(pass)
	}
	if !g.open() {
		for _, fn := range g.inert() {
			pass.ExportObjectFact(fn, engine.Nothing())
		}
		return &Result{}, nil
	}
	built(pass.Pkg)
	unit := engine.Unit{Files: pass.Files, Types: pass.Pkg, Info: pass.TypesInfo}
	e := engine.New(pass.Fset, orBuiltin(g.models), []engine.Unit{unit})
	e.Import(g.fact)
	found := guarded(e)
	for _, f := range found.Faults {
		fmt.Fprintf(os.Stderr, "fencevet: %s: %s\n", f.Package, f.Reason)
	}
	for _, f := range e.Facts() {
		pass.ExportObjectFact(f.Func, f.Fact)
	}
	return found, nil
}

func result(e *engine.Engine) *Result {
	found, remarks := records.Of(e)
	directives := e.Directives()
	slices.SortFunc(directives, func(a, b lock.Directive) int { return a.Compare(b.Position) })
	return &Result{Uses: found, Remarks: remarks, Directives: directives}
}
