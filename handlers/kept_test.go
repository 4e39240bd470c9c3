package handlers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

const fetching = `async function main(input) {
  await web.postJSON("BASE/begin", {});
  const r = await web.fetch("BASE/orders");
  if (r.status !== 200) {
    await kv.set("trouble", r.status);
    await notify("No orders", "status " + r.status);
    throw new Error("no orders: " + r.status);
  }
  const n = JSON.parse(r.body).length;
  await web.postJSON("BASE/done", { n });
  return n;
}`

// A script that throws because of a 500 that web.fetch gave it waits for it to pass, as one does whose
// call threw: it is asked again, and what the script noted and told about the trouble is no write that its
// retry would have to repeat.
func TestAScriptThatThrowsForA500IsTriedAgain(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	n.outside.answer("/orders", 500, `{"error":"boom"}`)
	id := n.create(fetching, workflow.Settings{})
	of := n.admit(id, `{}`)
	for range 3 {
		require.NoError(t, n.settle(t.Context()))
		n.clock.advance(10 * time.Minute)
	}
	failed := n.run(of).Failure
	require.Equal(t, []any{failure.Network, "Error", "web.fetch", 500}, []any{failed.Class, failed.Name, failed.Tool, failed.Status})
	require.Equal(t, workflow.StatusActive, n.state(id).Status)
	require.Empty(t, n.state(id).Fixes)

	n.outside.answer("/orders", 200, `[1,2]`)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, workflow.StatusActive, n.state(id).Status)
	require.Zero(t, n.state(id).Failing)
	require.Equal(t, []int{1, 1}, []int{n.outside.count("POST /begin"), n.outside.count("POST /done")})
	require.Greater(t, n.outside.count("GET /orders"), 2)
	require.NotContains(t, n.events(id, "WorkflowCreated"), "MaintenanceEntered")
}

// So is the class of a 401, and of a page that is no JSON; a 404 is the script's to mend.
func TestAScriptsErrorGoesWhereItsAnswerBelongs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, test := range map[string]struct {
		status int
		body   string
		class  failure.Class
		want   workflow.Status
	}{
		"401":  {401, `{"error":"Your token has expired"}`, failure.Auth, workflow.StatusWaiting},
		"403":  {403, `{}`, failure.Permission, workflow.StatusWaiting},
		"page": {200, "<!doctype html><title>Maintenance</title>", failure.Network, workflow.StatusActive},
		"404":  {404, `{}`, failure.Logic, workflow.StatusEscalated},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := (&world{t: t, dir: t.TempDir(), outside: newOutside(t), clock: &clock{}, pool: w.pool}).open(nil)
			defer n.close()
			n.outside.answer("/orders", test.status, test.body)
			id := n.create(fetching, workflow.Settings{})
			of := n.admit(id, `{}`)
			require.NoError(t, n.settle(t.Context()))
			require.Equal(t, test.class, n.run(of).Failure.Class, "%+v", n.run(of).Failure)
			require.Equal(t, test.want, n.state(id).Status)
			if test.want != workflow.StatusWaiting {
				return
			}
			n.outside.answer("/orders", 200, `[1,2]`)
			_, err := n.commands.ActivateWorkflow(t.Context(), id, workflow.Activate{}, person())
			require.NoError(t, err)
			require.NoError(t, n.settle(t.Context()))
			require.Equal(t, workflow.StatusActive, n.state(id).Status)
		})
	}
}

// A write that web.fetch made and that was refused is made again by a retry; one that was answered is not.
func TestARefusedWriteThroughFetchIsMadeAgain(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	n.outside.answer("/two", 503, ``)
	id := n.create(`async function main() {
  for (const path of ["/one", "/two"]) {
    const r = await web.fetch("BASE" + path, { method: "POST", body: "{}" });
    if (r.status >= 400) throw new Error("refused");
  }
  return "done";
}`, workflow.Settings{})
	n.admit(id, `{}`)
	require.NoError(t, n.settle(t.Context()))
	n.outside.answer("/two", 200, `{}`)
	n.clock.advance(10 * time.Minute)
	require.NoError(t, n.settle(t.Context()))
	require.Zero(t, n.state(id).Failing)
	require.Equal(t, []int{1, 2}, []int{n.outside.count("POST /one"), n.outside.count("POST /two")})
	require.Empty(t, n.state(id).Retries)
}
