package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"syscall"
)

// A twin is the test binary without the race detector, built where it is missing. The processes that tests
// start are that: servers, and the workers of scripts, which would take many times as long otherwise. What
// goes on at the same time inside a server is watched in the tests of handlers, and here in those that ask
// for it with [home.raced].

// asRaced has a process that a test starts be the test binary itself.
const asRaced = "KINTSUGI_TEST_AS_RACED"

// hasTwin says that a test process above this one has made the twin, and takes it away.
const hasTwin = "KINTSUGI_TEST_HAS_TWIN"

// racing says that the race detector is in this binary.
func racing() bool {
	info, _ := debug.ReadBuildInfo()
	for _, one := range info.Settings {
		if one.Key == "-race" {
			return one.Value == "true"
		}
	}
	return false
}

// twin is where the twin of this binary is, or this binary if it needs none.
func twin() string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	if racing() {
		return self + ".twin"
	}
	return self
}

// becomeTwin has a worker or a command go on as the twin.
func becomeTwin() {
	if !racing() || os.Getenv(asRaced) != "" {
		return
	}
	if err := syscall.Exec(twin(), os.Args, os.Environ()); err != nil { //nolint:gosec // our own
		panic(fmt.Errorf("become %s: %w", twin(), err))
	}
}

// makeTwin builds it, and takes it away again.
func makeTwin() (remove func()) {
	if !racing() || os.Getenv(hasTwin) != "" {
		return func() {}
	}
	build := exec.Command("go", "test", "-c", "-trimpath", "-ldflags", "-s -w", "-o", twin(), ".") //nolint:gosec // our own
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		panic(fmt.Errorf("build %s: %w: %s", filepath.Base(twin()), err, output))
	}
	if err := os.Setenv(hasTwin, "1"); err != nil {
		panic(err)
	}
	return func() { _ = os.Remove(twin()) }
}
