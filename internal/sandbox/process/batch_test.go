package process_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Rule: of executions at once that begin reads nobody recorded comes what comes of each by itself, whether the host has an answer
// or not.
func TestRunAllOfReadsThatOverlap(t *testing.T) {
	t.Parallel()
	list := make([]sandbox.Execution, 4)
	for i := range list {
		list[i] = overlapping(`async function main(input) { const all = await Promise.all([1, 2].map((n) => web.getJSON('https://x/' + n))); await kv.set('k', all); return all }`)
		list[i].Seed, list[i].Affinity = fmt.Sprint("r", i), "many"
	}
	host := func(i int) sandbox.Host {
		return sandbox.HostFunc(func(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
			if i == 2 {
				return sandbox.Reply{}, &sandbox.StopError{Reason: sandbox.Error{Class: sandbox.ClassInternal, Code: sandbox.CodeUnanswerable, Message: "not recorded"}}
			}
			return sandbox.Reply{Result: json.RawMessage(fmt.Sprint(i))}, nil
		})
	}
	pool := newPool(t, 2)
	made, err := pool.RunAll(t.Context(), list, host, func(int, *sandbox.Outcome) {})
	require.NoError(t, err)
	require.JSONEq(t, `[3,3]`, string(made[3].Output))
	require.NotNil(t, made[2].Error)
	for i := range list {
		one, err := pool.Run(t.Context(), list[i], host(i))
		require.NoError(t, err)
		one.Processor = made[i].Processor
		require.Equal(t, one, made[i])
	}
}

// Rule: of many executions at once comes exactly what comes of each by itself, also of those behind one that fails, calls
// its host, logs, reaches a limit, is not to be followed by another, or takes the worker with it.
func TestRunAll(t *testing.T) {
	t.Parallel()
	const code = `async function main(input) {
	  console.log('got', input);
	  globalThis.left = (globalThis.left || 0) + 1;
	  switch (input.does) {
	    case 'throws': throw new TypeError('of ' + input.at);
	    case 'asks': return [await kv.get('k'), await notify('n' + input.at)];
	    case 'is answered': return await web.getJSON('https://x');
	    case 'faults': return await kv.get('fault');
	    case 'loops': for (;;);
	    case 'dies': return 'x'.padEnd(5e8);
	  }
	  return [input.at, left, Math.random(), new Date()];
	}`
	does := []string{"", "throws", "asks", "", "is answered", "dies", "", "faults", "asks", "", "loops", "", "is answered", "throws"}
	list := make([]sandbox.Execution, len(does))
	for i, what := range does {
		list[i] = execution(code)
		list[i].Seed, list[i].Input = fmt.Sprint("r", i), json.RawMessage(text(t, map[string]any{"does": what, "at": i}))
		list[i].Affinity, list[i].Limits.Memory = "many", tight.Memory
		if what == "loops" {
			list[i].Limits.CPU = tight.CPU
		}
		list[i].Journal = []sandbox.Entry{{Tool: "web.getJSON", Args: json.RawMessage(`["https://x"]`), Effect: sandbox.Read, Result: json.RawMessage(fmt.Sprint(i)), MS: 5}}
	}
	host := func(i int) sandbox.Host {
		asked := 0
		return sandbox.HostFunc(func(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
			if asked++; string(call.Args) == `["fault"]` {
				return sandbox.Reply{Error: &sandbox.Error{Class: sandbox.ClassInternal, Message: "fault"}}, nil
			}
			return sandbox.Reply{Result: json.RawMessage(fmt.Sprint(100*i + asked))}, nil
		})
	}
	var told []sandbox.Outcome
	over := func(i int, outcome *sandbox.Outcome) {
		require.Len(t, told, i, "in order, and each once")
		told = append(told, *outcome)
	}
	pool := newPool(t, 2)
	made, err := pool.RunAll(t.Context(), list, host, over)
	require.NoError(t, err)
	require.Len(t, made, len(list))
	require.Equal(t, told, made)
	for i := range list {
		one, err := pool.Run(t.Context(), list[i], host(i))
		require.NoError(t, err)
		if one.Error != nil && one.Error.Class == sandbox.ClassLimit { // at which of two limits, and where, is chance
			require.NotNil(t, made[i].Error, does[i])
			require.Equal(t, sandbox.ClassLimit, made[i].Error.Class, does[i])
			continue
		}
		one.Processor = made[i].Processor
		require.Equal(t, one, made[i], "%d %s", i, does[i])
	}
	require.Contains(t, string(made[11].Output), `[11,1,`, "nothing of a run is left in the next one")

	ctx, cancel := context.WithCancel(t.Context())
	_, err = pool.RunAll(ctx, list[:4], func(int) sandbox.Host {
		return sandbox.HostFunc(func(context.Context, sandbox.Call) (sandbox.Reply, error) {
			cancel()
			return sandbox.Reply{}, nil
		})
	}, func(int, *sandbox.Outcome) {})
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, pool.Close())
	_, err = pool.RunAll(t.Context(), list[:2], host, over)
	require.ErrorIs(t, err, sandbox.ErrClosed)
}
