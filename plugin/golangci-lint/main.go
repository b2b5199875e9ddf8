// Golangci-lint is golangci-lint with fencevet built in: what its command custom
// makes, from modules alone. It serves the tests; its module is one of its own
// because golangci-lint requires two hundred others.
package main

import (
	"fmt"
	"os"
	"runtime"

	"github.com/golangci/golangci-lint/v2/pkg/commands"
	"github.com/golangci/golangci-lint/v2/pkg/exitcodes"

	_ "github.com/fencevet/fencevet/plugin"
)

func main() {
	info := commands.BuildInfo{GoVersion: runtime.Version(), Version: "custom", Commit: "?", Date: "?"}
	if err := commands.Execute(info); err != nil {
		fmt.Fprintf(os.Stderr, "golangci-lint: %v\n", err)
		os.Exit(exitcodes.Failure)
	}
}
