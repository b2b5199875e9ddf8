// Package models is the catalogue for those outside of the passes: what calls of
// libraries mean, built in and taught by a project's own files.
package models

import "github.com/fencevet/fencevet/passes/internal/catalog"

// A Catalog says what functions mean. Catalog.With puts libraries on top.
type Catalog = catalog.Catalog

// A Library is what one file says.
type Library = catalog.Library

// A Call is one entry of it.
type Call = catalog.Call

// Errors are all faults of a file, in file order, each with its place.
type Errors = catalog.Errors

// Builtin returns the built-in catalogue.
func Builtin() *Catalog { return catalog.Builtin() }

// Load reads a file.
func Load(name string, data []byte) (*Library, error) { return catalog.Load(name, data) }

// A Role is one thing that an entry says of a call.
type Role = catalog.Role

// Plain returns an entry as its file has it: maps by key, lists and text.
func Plain(entry any) any { return catalog.Plain(entry) }
