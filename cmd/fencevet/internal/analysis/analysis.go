// Package analysis finds the locks of a module, or remembers them from an earlier
// run over the same source.
package analysis

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/cache"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/load"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/self"
	"github.com/fencevet/fencevet/passes/models"
	"github.com/fencevet/fencevet/passes/uses"
)

// A Config says what to analyse.
type Config struct {
	load.Config
	Catalog  *models.Catalog // nil: the built-in one
	Settings string          // whatever else the records depend on, such as the catalogue
	// Progress is called with what is being done now; it may be nil.
	Progress func(phase string)
}

// A Result is what is known of a program. Packages is empty where an earlier run
// has read them.
type Result struct {
	*load.Program
	*uses.Result
	Analysed int // packages
}

// kept is what a run leaves to later ones, and to itself: what comes out of the
// cache is in no way different from what has just been found.
type kept struct {
	Found      *uses.Result
	Incomplete []load.Incomplete
	Analysed   int
}

// Run lists the packages and finds their locks.
func Run(ctx context.Context, cfg Config) (*Result, error) {
	say := func(format string, args ...any) {
		if cfg.Progress != nil {
			cfg.Progress(fmt.Sprintf(format, args...))
		}
	}
	say("listing packages")
	module := uses.Module{Catalog: cfg.Catalog}
	cfg.Checked = module.Add
	program, err := load.List(ctx, cfg.Config)
	if err != nil {
		return nil, err
	}
	key, noKey := keyOf(program, cfg.Settings)
	if noKey == nil {
		if k := decode(cfg.Cache.Get(key)); k != nil {
			return k.result(program), nil
		}
	}
	say("reading %d packages", program.Sources())
	if err := program.Read(ctx); err != nil {
		return nil, err
	}
	found, err := result(&module, program.Packages)
	if err != nil {
		return nil, err
	}
	for _, f := range found.Faults {
		program.Incomplete = append(program.Incomplete, load.Incomplete(f))
	}
	k := &kept{Found: found, Incomplete: program.Incomplete, Analysed: len(program.Packages)}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, encoded := json.Marshal(k)
	if encoded != nil {
		return nil, fmt.Errorf("records: %w", encoded)
	}
	if noKey == nil && program.Complete() {
		cfg.Cache.Put(key, data)
	}
	return decode(data).result(program), nil
}

// result lets no failure of fencevet itself look like one of the program.
func result(module *uses.Module, pkgs []*uses.Package) (found *uses.Result, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("fencevet fails on this program, which is a fault of fencevet: %v\n%s", r, debug.Stack())
		}
	}()
	return module.Result(pkgs), nil
}

func (k *kept) result(program *load.Program) *Result {
	program.Incomplete = k.Incomplete
	return &Result{Program: program, Result: k.Found, Analysed: k.Analysed}
}

func decode(data []byte) *kept {
	k := new(kept)
	if data == nil || json.Unmarshal(data, k) != nil || k.Found == nil {
		return nil
	}
	return k
}

// keyOf names the records of a program: it changes with the program, with what
// else the records depend on, and with fencevet itself.
func keyOf(program *load.Program, settings string) (cache.Key, error) {
	sources, err := program.Key()
	if err != nil {
		return cache.Key{}, err
	}
	build, err := self.ID()
	if err != nil {
		return cache.Key{}, err
	}
	return sha256.Sum256(fmt.Appendf(nil, "%s %x %q", build, sources, settings)), nil
}
