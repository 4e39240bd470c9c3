package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/replay"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/tool"
)

// The exit codes of replay, prove and mend: they are for scripts and differ from those of
// the other commands.
const (
	exitDiffers = 1 // a run differs, the candidate is different, no fix was found
	exitHeld    = 3 // a person has to decide
)

// unreadable ends a bundle command that was given something it cannot use.
func unreadable(format string, args ...any) error {
	return &exitError{code: exitUsage, cause: fmt.Errorf(format, args...)}
}

// readBundle reads a bundle from a file, or from standard input if the path is -.
func (a *app) readBundle(path string) (*replay.Bundle, error) {
	reader := a.in
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, unreadable("read bundle: %w", err)
		}
		defer file.Close()
		reader = file
	}
	bundle, err := replay.ReadBundle(reader)
	if err != nil {
		return nil, unreadable("%s: %w", path, err)
	}
	return bundle, nil
}

// readCandidate reads a script from a file, or from standard input if the path is -. It is
// not checked: what does not parse is different, and the gate says where.
func (a *app) readCandidate(path string) (string, error) {
	var text []byte
	var err error
	if path == "-" {
		text, err = io.ReadAll(io.LimitReader(a.in, sandbox.MaxCodeBytes+1))
	} else {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return "", unreadable("read script: %w", err)
	}
	return string(text), nil
}

// subjectOf is what the gate judges by: the last failed run of the bundle, and the
// successes of the same major version.
func subjectOf(bundle *replay.Bundle) (replay.Subject, error) {
	subject := replay.Subject{Code: bundle.Script.Code, Version: bundle.Script.Version, Zone: bundle.Workflow.Zone}
	found := false
	for i := range bundle.Runs {
		run := &bundle.Runs[i]
		switch {
		case run.Outcome.Status == "failed":
			subject.Failed, found = *run, true
		case run.ScriptVersion == "" || major(run.ScriptVersion) == major(bundle.Script.Version):
			subject.Successes = append(subject.Successes, *run)
		}
	}
	if !found {
		return subject, unreadable("the bundle has no failed run: there is nothing to mend")
	}
	return subject, nil
}

func major(version string) string {
	before, _, _ := strings.Cut(version, ".")
	return before
}

// withRunner runs fn with worker processes for scripts. Neither the network nor a data
// directory is touched: what was recorded is all there is.
func withRunner(ctx context.Context, fn func(runner sandbox.Runner) error) (err error) {
	pool := sandbox.NewPool(sandbox.PoolConfig{Bindings: tool.Bindings()})
	pool.Start()
	defer func() {
		if closing := pool.Close(); err == nil {
			err = closing
		}
	}()
	if err := ctx.Err(); err != nil {
		return err
	}
	return fn(pool)
}
