//go:build !linux

package app

// GiveWay does nothing here.
func GiveWay() {}
