package app

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
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

// A fix goes on where its run failed: what the run had written is not written again, and all else is still to come. A write that was
// taken over from an earlier run was not made by this one.
func TestAFixWritesNothingTwice(t *testing.T) {
	t.Parallel()
	write := func(arg, from string, returned bool) *run.Call {
		return &run.Call{Tool: "notify", Args: json.RawMessage(`["` + arg + `"]`), Effect: run.EffectWrite, From: from, Returned: returned}
	}
	args := func(writes []gate.Write) (all []string) {
		for _, one := range writes {
			all = append(all, string(one.Args))
		}
		return all
	}
	calls := []*run.Call{write("z", "r0", true), write("a", "", true), write("b", "", false)}
	proved := &workflow.Verification{Writes: json.RawMessage(`[{"tool":"notify","args":["z"]},{"tool":"notify","args":["a"]},{"tool":"notify","args":["b"]}]`)}
	written, left := writtenAndLeft(calls, proved)
	require.Equal(t, []string{`["a"]`}, args(written))
	require.Equal(t, []string{`["b"]`}, args(left))
	_, left = writtenAndLeft(calls, &workflow.Verification{Writes: json.RawMessage(`[{"tool":"notify","args":["other"]}]`)})
	require.Len(t, left, 1)
	_, left = writtenAndLeft(nil, proved)
	require.Len(t, left, 3, "without a record of the run nothing is known to be done")
}
