// Fencevet finds distributed locks whose holders can overwrite each other.
//
// It answers, for every distributed lock in a Go module, whether the resource
// that the lock protects refuses the write of a holder that has lost it. Run
//
//	fencevet ./...             # findings
//	fencevet inventory ./...   # every lock, with its verdict
//	fencevet explain unfenced  # the manual of a check
//
// or let go vet run the same checks package by package:
//
//	go vet -vettool=$(which fencevet) ./...
//
// See fencevet help for flags and exit codes.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/command"
)

func main() {
	args := os.Args[1:]
	if isVettool(args) {
		vettool(args)
		return
	}
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "fencevet: %v\n", err)
		os.Exit(1)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50) // most of what is read stays to the end: see docs/measurements.md
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // whoever asks a second time does not want to wait
	os.Exit(command.Run(ctx, args, os.Stdin, os.Stdout, os.Stderr, dir))
}
