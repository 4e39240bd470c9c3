//go:build !linux

package app

// LowerPriority does nothing here.
func LowerPriority() {}
