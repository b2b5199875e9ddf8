package main

import (
	"os"
	"testing"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/cache"
)

// TestMain keeps the tests from reading what earlier ones left behind.
func TestMain(m *testing.M) {
	os.Setenv(cache.Env, "off")
	os.Exit(m.Run())
}
