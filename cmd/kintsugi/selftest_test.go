package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/selftest"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// The selftest breaks what it says, in every way, through the real loop: access and network
// trouble is never taken for the script's fault, what is repaired is right, and the
// directory that people use is left alone.
func TestSelftest(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	temporary := t.TempDir()
	command := h.command("selftest", "--count", "9", "--json")
	command.Env = append(command.Env, "TMPDIR="+temporary)
	out, err := command.Output()
	require.NoError(t, err)
	result := decodeAs[selftest.Result](t, string(out))
	require.True(t, result.OK)
	require.Len(t, result.Passes, 1, "no model, no second pass")
	pass := result.Passes[0]
	require.Equal(t, []string{"templates"}, pass.Fixers)
	require.Equal(t, 9, pass.Broken)
	require.Len(t, pass.Ways, 6, "every way")
	require.Zero(t, pass.WrongRepairs)
	require.InDelta(t, 1, pass.Classes, 0)
	require.GreaterOrEqual(t, pass.Ways[selftest.BreakDrift].Right, 2)
	for _, trial := range pass.Trials {
		switch trial.Way {
		case selftest.BreakCredentials, selftest.BreakPermission:
			require.Equal(t, selftest.BecameWaiting, trial.Became, "%+v", trial)
		case selftest.BreakNetwork:
			require.Equal(t, selftest.BecameRetried, trial.Became, "%+v", trial)
		case selftest.BreakLoss:
			require.NotEqual(t, selftest.BecameRepaired, trial.Became, "%+v", trial)
		}
	}
	require.NoDirExists(t, h.dir, "the usual data directory is left alone")
	left, err := filepath.Glob(filepath.Join(temporary, "kintsugi-selftest-*"))
	require.NoError(t, err)
	require.Empty(t, left, "nothing is left behind")
}

// A number of workflows that makes no sense is refused before anything is done.
func TestSelftestRefusesCounts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	require.Contains(t, h.ends(terminal.ExitUsage, "selftest", "--count", "0").err, "1 to 1000")
	_, err := os.Stat(h.dir)
	require.ErrorIs(t, err, os.ErrNotExist)
}
