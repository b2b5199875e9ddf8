package command

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/fencevet/fencevet/analyzers/inventory"
)

func runVersion(_ context.Context, env *environment, args []string) error {
	f := newFlags("fencevet version", versionUsage)
	if done, err := f.parse(env, args); done || err != nil {
		return err
	}
	if f.NArg() > 0 {
		return usageError("version takes no arguments")
	}
	t := tool()
	_, err := fmt.Fprintf(env.stdout, "%s %s %s\n", t.Name, t.Version, t.Go)
	return err
}

// tool says what makes an inventory, from what the linker recorded.
func tool() inventory.Tool {
	t := inventory.Tool{Name: "fencevet", Version: "(devel)", Go: runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		t.Version = info.Main.Version
	}
	return t
}
