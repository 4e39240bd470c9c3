package app

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// A certificate of another version of the gate says nothing about the history, one of the same does.
func TestAnotherGateIsNoBrokenHistory(t *testing.T) {
	t.Parallel()
	again := gate.Judgement{Verdict: gate.Identical, GateVersion: gate.GateVersion, Certificate: "c1"}
	require.True(t, proofOf("f", "c1", gate.GateVersion, again).Holds)

	other := proofOf("f", "c0", "gate/0", again)
	require.False(t, other.Holds)
	require.True(t, other.OtherGate)
	require.Contains(t, other.Problem, "judged by gate/0")

	broken := proofOf("f", "c0", gate.GateVersion, again)
	require.False(t, broken.Holds)
	require.False(t, broken.OtherGate)
	require.Contains(t, broken.Problem, "not what it was")
}
