package handlers_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/webapi"
	"github.com/kintsugi-run/kintsugi/projections"
)

// madeUp is set where the host calls are there that nothing else has heard of: in a process of its own, as the workers of
// other tests know those of internal/sandbox/hostcall only.
const madeUp = "KINTSUGI_TEST_MADE_UP_CALLS"

// They are declared as those of internal/sandbox/hostcall are.
func init() {
	if os.Getenv(madeUp) == "" {
		return
	}
	hostcall.Declare(hostcall.Tool{
		Name: "ledger.read", Types: `(url: string): Promise<any>`, Overlaps: true, Idempotent: true,
		Schema:  `{"type": "array", "minItems": 1, "items": false, "prefixItems": [{"title": "url", "type": "string"}]}`,
		Effect:  func(json.RawMessage) sandbox.Effect { return sandbox.Read },
		Request: &hostcall.Request{Method: http.MethodGet, Options: 1, Only: true},
		Do:      overFetch(http.MethodGet, sandbox.Read),
	})
	hostcall.Declare(hostcall.Tool{
		Name: "ledger.put", Types: `(url: string, value: unknown): Promise<any>`,
		Schema:  `{"type": "array", "minItems": 2, "items": false, "prefixItems": [{"title": "url", "type": "string"}, {"title": "value"}]}`,
		Effect:  func(json.RawMessage) sandbox.Effect { return sandbox.Write },
		Request: &hostcall.Request{Method: http.MethodPut, Options: 2, Only: true},
		Do:      overFetch(http.MethodPut, sandbox.Write),
	})
	hostcall.Declare(hostcall.Tool{
		Name: "diary.note", Types: `(path: string, text: string): Promise<null>`, About: hostcall.Path, Leaves: hostcall.Behind,
		Schema: `{"type": "array", "minItems": 2, "items": false, "prefixItems": [{"title": "path", "type": "string"}, {"title": "text", "type": "string"}]}`,
	})
	hostcall.Declare(hostcall.Tool{
		Name: "shout", Types: `(title: string): Promise<null>`, Silent: true, Idempotent: true, Told: "a shout at you",
		Schema: `{"type": "array", "minItems": 1, "items": false, "prefixItems": [{"title": "title", "type": "string"}]}`,
		Effect: func(json.RawMessage) sandbox.Effect { return sandbox.Write },
		Message: func(args json.RawMessage) (title, text string, err error) {
			err = json.Unmarshal(args, &[]any{&title})
			return title, "", err
		},
		Do: func(context.Context, *hostcall.Env, sandbox.Call) (sandbox.Reply, error) { return sandbox.Reply{}, nil },
	})
}

// overFetch sends the second argument to the first, and gives the body of the answer.
func overFetch(method string, effect sandbox.Effect) func(context.Context, *hostcall.Env, sandbox.Call) (sandbox.Reply, error) {
	return func(ctx context.Context, env *hostcall.Env, call sandbox.Call) (sandbox.Reply, error) {
		var args []json.RawMessage
		if err := json.Unmarshal(call.Args, &args); err != nil {
			return sandbox.Reply{}, err
		}
		options := map[string]string{"method": method}
		if len(args) > 1 {
			options["body"] = string(args[1])
		}
		list, err := json.Marshal([]any{args[0], options})
		if err != nil {
			return sandbox.Reply{}, err
		}
		reply, err := hostcall.Of(webapi.Fetch).Do(ctx, env, sandbox.Call{Tool: webapi.Fetch, Args: list, Effect: effect})
		var answer struct{ Body string }
		if err == nil && reply.Error == nil {
			err = json.Unmarshal(reply.Result, &answer)
			reply.Result = json.RawMessage(answer.Body)
		}
		return reply, err
	}
}

// A host call is one file: what it declares is all that saving, running, the envelope, the gate and the views go by.
func TestAHostCallIsOneFile(t *testing.T) {
	t.Parallel()
	if os.Getenv(madeUp) == "" {
		again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1")
		again.Env = append(os.Environ(), madeUp+"=1")
		said, err := again.CombinedOutput()
		require.NoError(t, err, string(said))
		require.Contains(t, string(said), "PASS")
		return
	}
	n := newWorld(t).open(nil)
	defer n.close()
	const code = `async function main(input) {
  await ledger.put('BASE/started', { day: input.day });
  const list = await ledger.read('BASE/orders');
  let total = 0;
  for (const order of list.orders) {
    total += order.amount_total.value;
  }
  await diary.note('orders/all.txt', input.day + ' ' + total.toFixed(2) + '\n');
  await ledger.put('BASE/done', { day: input.day, total: total });
  await shout(total + ' on ' + input.day);
  return { orders: list.orders.length, total: total };
}`
	require.NoError(t, hostcall.Lint(code))
	account, err := gate.NewAccount(n.outside.local(code))
	require.NoError(t, err)
	require.Equal(t, []string{n.outside.host()}, account.Hosts)
	require.Equal(t, []string{"PUT " + n.outside.host() + "/done", "PUT " + n.outside.host() + "/started", "diary.note orders/all.txt", "shout: a shout at you"}, account.Writes)

	id := n.create(code, workflow.Settings{})
	n.succeed(id)
	n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
	failed := n.admit(id, `{"day":"2026-03-09"}`)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, wholeRepair, n.events(id, workflow.TypeRunFailed), "the gate has replayed every success")
	require.Equal(t, 5, n.outside.count("PUT /started"), "the continuation does not repeat it")
	require.Equal(t, 5, n.outside.count("PUT /done"))
	require.NotContains(t, n.outside.keys, "", "a write carries its idempotency key")

	require.NoError(t, n.views.CatchUp(t.Context()))
	local, err := n.queries.Local(t.Context(), id)
	require.NoError(t, err)
	const written = "2026-03-01 30.00\n2026-03-02 5.00\n2026-03-03 24.00\n2026-03-04 103.00\n2026-03-09 33.00\n"
	require.Equal(t, written, local.Files["orders/all.txt"].Text)
	var history []event.Recorded
	for one, err := range n.commands.History(t.Context(), []string{run.Stream(failed)}) {
		require.NoError(t, err)
		history = append(history, one)
	}
	calls := projections.CallsOf(history).Calls
	require.Equal(t, []string{"PUT", n.outside.host(), "/started"}, []string{calls[0].Method, calls[0].Host, calls[0].Path})
	require.Equal(t, []string{"GET", n.outside.host(), "/orders"}, []string{calls[1].Method, calls[1].Host, calls[1].Path})
	hosts, err := n.queries.Hosts(t.Context(), id, 1)
	require.NoError(t, err)
	require.Equal(t, []projections.ReachedHost{{Minor: 0, Host: n.outside.host()}, {Minor: 1, Host: n.outside.host()}}, hosts)
	said, err := n.queries.Notifications(t.Context(), projections.NotificationFilter{Workflow: id, Type: projections.NotifyScriptMessage})
	require.NoError(t, err)
	require.Len(t, said, 5)
	require.Equal(t, "33 on 2026-03-09", said[0].Title)

	// The envelope of what ran: the places it wrote to, and no other.
	success := gate.Run{ID: "r1", Clock: time.Unix(0, 0), Calls: []gate.Call{
		{Tool: "ledger.put", Args: json.RawMessage(`["https://a.test/done",{}]`), Effect: "write", Result: json.RawMessage(`null`)},
	}}
	envelope := gate.NewEnvelope(gate.Subject{Code: `async function main(a) { await ledger.put('https://a.test/done', {}) }`, Successes: []gate.Run{success}})
	for args, allowed := range map[string]bool{`["https://a.test/done",1]`: true, `["https://a.test/other",1]`: false, `["https://b.test/done",1]`: false} {
		require.Equal(t, allowed, envelope.Allows("ledger.put", json.RawMessage(args), sandbox.Write), args)
	}
	require.True(t, envelope.Allows("diary.note", json.RawMessage(`["a","b"]`), sandbox.Write), "it does not leave the house")
}
