package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/drift"
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
	result := decodeAs[selftestResult](t, string(out))
	require.True(t, result.OK)
	require.Len(t, result.Passes, 1, "no model, no second pass")
	pass := result.Passes[0]
	require.Equal(t, []string{"templates"}, pass.Fixers)
	require.Equal(t, 9, pass.Broken)
	require.Len(t, pass.Ways, 6, "every way")
	require.Zero(t, pass.WrongRepairs)
	require.InDelta(t, 1, pass.Classes, 0)
	require.GreaterOrEqual(t, pass.Ways[breakDrift].Right, 2)
	for _, trial := range pass.Trials {
		switch trial.Way {
		case breakCredentials, breakPermission:
			require.Equal(t, becameWaiting, trial.Became, "%+v", trial)
		case breakNetwork:
			require.Equal(t, becameRetried, trial.Became, "%+v", trial)
		case breakLoss:
			require.NotEqual(t, becameRepaired, trial.Became, "%+v", trial)
		}
	}
	require.NoDirExists(t, h.dir, "the usual data directory is left alone")
	left, err := filepath.Glob(filepath.Join(temporary, "kintsugi-selftest-*"))
	require.NoError(t, err)
	require.Empty(t, left, "nothing is left behind")
}

// A wrong repair and a wrong class are counted, told, and no success.
func TestSelftestTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	pass := selftestPass{Fixers: []string{"templates"}, Ways: map[string]selftestWay{}, Trials: []selftestTrial{
		{Title: "A", Way: breakDrift, Want: "logic", Class: "logic", Became: becameRepaired, Repair: drift.Right},
		{Title: "B", Way: breakLoss, Change: "lost: null, GET x y", Want: "logic", Class: "logic", Became: becameRepaired, Repair: drift.Wrong},
		{Title: "C", Way: breakCredentials, Change: "status 401", Want: "auth", Class: "logic", Became: becameEscalated, Error: "Error: no"},
		{Title: "D", Way: breakDrift, Want: "logic", Became: becameSilent},
	}}
	pass.count()
	require.Equal(t, 1, pass.WrongRepairs)
	require.Equal(t, 1, pass.Misclassified)
	require.InDelta(t, 0.75, pass.Detection, 1e-9)
	require.InDelta(t, 1, pass.Repair, 1e-9, "of the drifts that failed")
	require.InDelta(t, 0.5, pass.FalseRepair, 1e-9)
	require.InDelta(t, 2.0/3, pass.Classes, 1e-9)
	var told strings.Builder
	selftestResult{Seed: 3, Passes: []selftestPass{pass}}.write(&told)
	require.Contains(t, told.String(), "WRONG REPAIR: B, payload loss (lost: null, GET x y)")
	require.Contains(t, told.String(), "WRONG CLASS: C, wrong credentials (status 401) is auth, not logic: Error: no")
	require.NotContains(t, told.String(), "Nothing was repaired wrongly")
}

// A number of workflows that makes no sense is refused before anything is done.
func TestSelftestRefusesCounts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	require.Contains(t, h.ends(exitUsage, "selftest", "--count", "0").err, "1 to 1000")
	_, err := os.Stat(h.dir)
	require.ErrorIs(t, err, os.ErrNotExist)
}
