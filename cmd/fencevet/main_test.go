package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/cache"
)

// asCommand is a variable that makes the test's binary the command.
const asCommand = "FENCEVET_TEST_MAIN"

// TestMain keeps the tests from reading what earlier ones left behind.
func TestMain(m *testing.M) {
	if dir := os.Getenv(cacheDir); dir != "" {
		if err := serve(dir, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if os.Getenv(asCommand) != "" {
		os.Unsetenv(asCommand)
		main()
		return
	}
	os.Setenv(cache.Env, "off")
	os.Exit(m.Run())
}
