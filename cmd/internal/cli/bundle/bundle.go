// Package bundle has the commands on bundle files: replay, prove, mend, export and import.
package bundle

import (
	"io"
	"strings"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// readBundle reads a bundle from a file, or from standard input if the path is -.
func readBundle(cli *terminal.CLI, path string) (*gate.Bundle, error) {
	file, err := cli.OpenFile(path)
	if err != nil {
		return nil, terminal.Unreadable("read bundle: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	bundle, err := gate.ReadBundle(file)
	if err != nil {
		return nil, terminal.Unreadable("%s: %w", path, err)
	}
	return bundle, nil
}

// readCandidate reads a script from a file, or from standard input if the path is -. It is
// not checked: what does not parse is different, and the gate says where.
func readCandidate(cli *terminal.CLI, path string) (string, error) {
	file, err := cli.OpenFile(path)
	if err != nil {
		return "", terminal.Unreadable("read script: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(file, sandbox.MaxCodeBytes+1))
	if err != nil {
		return "", terminal.Unreadable("read script: %w", err)
	}
	return string(text), nil
}

// subjectOf is what the gate judges by: the last failed run of the bundle, and the
// successes of the same major version.
func subjectOf(bundle *gate.Bundle) (gate.Subject, error) {
	subject := gate.Subject{Code: bundle.Script.Code, Version: bundle.Script.Version, Zone: bundle.Workflow.Zone}
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
		return subject, terminal.Unreadable("the bundle has no failed run: there is nothing to mend")
	}
	return subject, nil
}

func major(version string) string {
	before, _, _ := strings.Cut(version, ".")
	return before
}
