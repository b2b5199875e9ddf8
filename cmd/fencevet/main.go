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
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"syscall"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/command"
)

func main() {
	args := os.Args[1:]
	if isVettool(args) {
		collect(64<<20, 100)
		vettool(args)
		return
	}
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "fencevet: %v\n", err)
		os.Exit(1)
	}
	collect(192<<20, 50) // most of what is read stays to the end: see docs/measurements.md
	// Interrupted by ^C, or terminated as a CI job is, it leaves nothing half done behind.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // whoever asks a second time does not want to wait
	os.Exit(command.Run(ctx, args, os.Stdin, os.Stdout, os.Stderr, dir))
}

// collect has garbage collected whenever a percentage of what stays has been added, but
// not below a number of bytes, unless GOGC says when. Go begins at 4 MB, and a program
// that keeps most of what it reads is walked through ten times on its way up.
func collect(floor, percent int) {
	if os.Getenv("GOGC") != "" {
		return
	}
	const least = 4 << 20 // where Go begins, at 100 percent
	debug.SetGCPercent(floor / least * 100)
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	var after func(int)
	after = func(floor int) { // each collection
		metrics.Read(live)
		stays := max(int(live[0].Value.Uint64()), least)
		debug.SetGCPercent(max(percent, (floor-stays)*100/stays))
		runtime.AddCleanup(new([64]byte), after, floor)
	}
	runtime.AddCleanup(new([64]byte), after, floor)
}
