// Package execution brings runs to their outcome: it admits those that are due by the clock, by
// another workflow or again, executes what was admitted, and asks what became of writes in doubt.
package execution
