// Package code has questions about Go code that can be answered without knowing
// anything of locks: about its types, functions, calls and ways through a function.
// The packages that know of locks share them.
//
// # Where things are
//
// types.go, functions.go (and their names), calls.go, values.go, ways.go (what runs before
// what, and what is reached).
package code
