package projections_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// A version has been where its successful runs had answers from, also by redirects: not where a call
// failed, a failed run went, another run's journal answered, or a run that was imported had been.
func TestHostsThatRunsReached(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create("w", "Orders")
	one := workflow.Version{Major: 1}
	get := func(host string) call {
		return call{tool: "web.getJSON", args: `["https://` + host + `/x?y=1"]`, result: `1`}
	}
	broken, repeated := get("broken.example"), get("repeated.example")
	broken.fails, repeated.from = true, "r0"
	w.succeed("w", manual("r1"), get("API.example:8443"), get("api.example"), get("api.example"), broken, repeated, call{tool: "kv.get", args: `["https://key.example/"]`, result: `1`})
	w.succeed("w", workflow.AdmitRun{Run: "old", Trigger: workflow.TriggerImport, Version: one}, get("imported.example"))
	journal := w.admit("w", manual("r3"))
	require.NoError(t, journal.Record(t.Context(), run.RecordCall{Seq: 1, Tool: "web.fetch", Args: []byte(`["https://from.example/"]`), Effect: run.EffectRead}))
	require.NoError(t, journal.Record(t.Context(), run.RecordReturn{Seq: 1, Result: []byte(`{}`), Hosts: []string{"to.example"}}))
	_, err := journal.End(t.Context(), run.End{Output: []byte(`1`)})
	require.NoError(t, err)
	w.did(w.commands.SettleRun(t.Context(), "w", workflow.SettleRun{Run: "r3"}, executor))
	journal = w.admit("w", manual("r4")) // makes two reads at the same time
	for i, host := range []string{"slow", "quick", "refused"} {
		require.NoError(t, journal.Record(t.Context(), run.RecordCall{Seq: i + 1, Tool: "web.fetch", Args: []byte(`["https://` + host + `.example/"]`), Effect: run.EffectRead}))
	}
	require.NoError(t, journal.Record(t.Context(), run.RecordReturn{Seq: 2, Result: []byte(`{}`)}))
	require.NoError(t, journal.Record(t.Context(), run.RecordReturn{Seq: 3, Error: &run.CallError{Class: failure.Network, Name: "NetworkError"}}))
	require.NoError(t, journal.Record(t.Context(), run.RecordReturn{Seq: 1, Result: []byte(`{}`)}))
	_, err = journal.End(t.Context(), run.End{Output: []byte(`1`)})
	require.NoError(t, err)
	w.did(w.commands.SettleRun(t.Context(), "w", workflow.SettleRun{Run: "r4"}, executor))
	w.fail("w", manual("r2"), because(failure.Network, "x"), get("failed.example"))

	w.catchUp()
	hosts, err := w.queries.Hosts(t.Context(), "w", 1)
	require.NoError(t, err)
	require.Equal(t, []projections.ReachedHost{{Host: "api.example"}, {Host: "api.example:8443"}, {Host: "from.example"}, {Host: "quick.example"}, {Host: "slow.example"}, {Host: "to.example"}}, hosts)
	hosts, err = w.queries.Hosts(t.Context(), "w", 2)
	require.NoError(t, err)
	require.Empty(t, hosts)
}
