package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// commandPaths are all commands, also those that hold others, without the program's name.
func commandPaths() (paths []string) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		paths = append(paths, strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), "kintsugi"), " "))
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	walk(newRootCommand(terminal.New(strings.NewReader(""), io.Discard, io.Discard)))
	return paths
}

func helpOf(t *testing.T, path string) string {
	t.Helper()
	var out bytes.Buffer
	require.Equal(t, terminal.ExitOK, execute(t.Context(), append(strings.Fields(path), "--help"), strings.NewReader(""), &out, io.Discard))
	return out.String()
}

// No line of a help text is wider than a terminal.
func TestHelpFitsATerminal(t *testing.T) {
	t.Parallel()
	var wide []string
	for _, path := range commandPaths() {
		for one := range strings.Lines(helpOf(t, path)) {
			if len([]rune(strings.TrimSuffix(one, "\n"))) > terminal.HelpWidth {
				wide = append(wide, path+" --help: "+one)
			}
		}
	}
	require.Empty(t, wide)
}

// A help text shows the flags of store and model where they are of use, and they are taken everywhere.
func TestHelpShowsWhatMatters(t *testing.T) {
	t.Parallel()
	for path, want := range map[string][2]bool{ // store, model
		"": {true, true}, "run list": {true, false}, "plan": {true, true}, "replay": {false, false}, "llm check": {false, true},
		"workflow": {false, false}, "version": {false, false},
	} {
		help := helpOf(t, path)
		require.Equal(t, want[0], strings.Contains(help, "--store "), path)
		require.Equal(t, want[1], strings.Contains(help, "--model "), path)
		require.Contains(t, help, "--output", path)
	}
	for _, path := range append(terminal.WithoutStore, terminal.WithModel...) {
		require.Contains(t, leaves(), path, "a command that is gone")
	}
	newHome(t).ok("version", "--model", "m", "--store", "")
}

// Rule: help lists each command in a group, and a word of other programs is answered with the command that is meant.
func TestWordsOfOtherPrograms(t *testing.T) {
	t.Parallel()
	for _, command := range newRootCommand(terminal.New(strings.NewReader(""), io.Discard, io.Discard)).Commands() {
		require.NotEmpty(t, command.GroupID, "put %s into a group", command.Name())
	}
	h := newHome(t)
	require.Equal(t, "kintsugi "+versionText()+"\n", h.ok("--version"))
	for given, meant := range map[string]string{
		"run Refunds": "workflow run Refunds", "logs abc": "run logs abc", "status": "workflow list", "login": "context add NAME --url URL", "deploy x": "apply x", "delete Refunds": "workflow delete Refunds",
	} {
		require.Contains(t, h.ends(terminal.ExitUsage, strings.Fields(given)...).err, "did you mean 'kintsugi "+meant+"'?", given)
	}
	require.Contains(t, h.ends(terminal.ExitUsage, "run", "lst").err, "did you mean list?")
}
