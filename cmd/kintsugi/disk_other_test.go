//go:build !linux

package main

import (
	"errors"
	"syscall"
	"testing"
)

// Elsewhere a process cannot have mounts of its own.

func ownMounts() *syscall.SysProcAttr { return nil }

func mountSmall(string, string) error { return errors.ErrUnsupported }

func unmount(string) error { return errors.ErrUnsupported }

func freeBytes(*testing.T, string) int64 { return 0 }
