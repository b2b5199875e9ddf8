// Package tables takes leases that are rows of a table, and that the programs
// write themselves.
package tables
