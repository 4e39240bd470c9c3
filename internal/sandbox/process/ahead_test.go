package process_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// told is a host that notes the calls it hears of, and refuses one.
type told struct {
	calls  []string
	refuse func(call sandbox.Call) (sandbox.Reply, error)
}

func (h *told) Call(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
	h.calls = append(h.calls, fmt.Sprintf("%s%s %t", call.Tool, call.Args, call.Ahead))
	if h.refuse != nil && string(call.Args) == `["refused",1]` {
		return h.refuse(call)
	}
	return sandbox.Reply{Result: json.RawMessage(`null`)}, nil
}

// eachWay runs a script ahead, in this process and in a worker.
func eachWay(t *testing.T, code string, refuse func(sandbox.Call) (sandbox.Reply, error), check func(t *testing.T, outcome sandbox.Outcome, calls []string)) {
	t.Helper()
	pool := newPool(t, 1)
	for name, runner := range map[string]sandbox.Runner{"in this process": process.InProcess{Bindings: bindings()}, "in a worker": pool, "in one that was used": pool} {
		t.Run(name, func(t *testing.T) {
			x := execution(code)
			x.Ahead, x.Affinity = true, "one"
			host := &told{refuse: refuse}
			outcome, err := runner.Run(t.Context(), x, host)
			require.NoError(t, err)
			check(t, outcome, host.calls)
		})
	}
}

// Rule: of calls that a script need not wait for the host hears in their order, before the next call that waits, and all
// of them by the end.
func TestAhead(t *testing.T) {
	t.Parallel()
	eachWay(t, `async function main() {
		const made = [await kv.set('a', 1), await notify('b')];
		console.log('one');
		await kv.get('c');
		await Promise.all([kv.set('d', 1), kv.set('e', 1)]);
		console.log('two');
		return made;
	}`, nil, func(t *testing.T, outcome sandbox.Outcome, calls []string) {
		t.Helper()
		require.Nil(t, outcome.Error)
		require.False(t, outcome.Astray)
		require.Equal(t, `[null,null]`, string(outcome.Output))
		require.Equal(t, []string{`kv.set["a",1] true`, `notify["b"] true`, `kv.get["c"] false`, `kv.set["d",1] true`, `kv.set["e",1] true`}, calls)
		require.Equal(t, []sandbox.LogLine{{Level: "info", Text: "one"}, {Level: "info", Text: "two"}}, outcome.Log)
		require.Len(t, outcome.Calls, 5)
		for i, call := range outcome.Calls {
			require.Equal(t, i+1, call.Seq)
			require.Equal(t, -1, call.Journal)
		}
	})
}

// Rule: a script that went ahead of a refusal is made known as such, whatever it did then, and its host hears of nothing
// that came after it.
func TestAstray(t *testing.T) {
	t.Parallel()
	refusals := map[string]func(sandbox.Call) (sandbox.Reply, error){
		"limit": func(sandbox.Call) (sandbox.Reply, error) {
			return sandbox.Reply{Error: &sandbox.Error{Class: sandbox.ClassLimit}}, nil
		},
		"logic": func(sandbox.Call) (sandbox.Reply, error) {
			return sandbox.Reply{Error: &sandbox.Error{Class: sandbox.ClassLogic}}, nil
		},
		"value": func(sandbox.Call) (sandbox.Reply, error) { return sandbox.Reply{Result: json.RawMessage(`1`)}, nil },
		"time":  func(sandbox.Call) (sandbox.Reply, error) { return sandbox.Reply{MS: 1}, nil },
		"stop":  func(sandbox.Call) (sandbox.Reply, error) { return sandbox.Reply{}, &sandbox.StopError{} },
		"fault": func(sandbox.Call) (sandbox.Reply, error) { return sandbox.Reply{}, errors.New("no room") },
	}
	pool := newPool(t, 2)
	for name, refuse := range refusals {
		for then, code := range map[string]string{
			"returns": ``, "waits": `await kv.get('x');`, "throws": `throw new Error('x');`, "goes on": `await kv.set('y', 1);`, "hangs": `for (;;);`,
		} {
			if then == "hangs" && name != "limit" {
				continue
			}
			t.Run(name+" "+then, func(t *testing.T) {
				for _, runner := range []sandbox.Runner{pool, process.InProcess{Bindings: bindings()}} {
					x := execution(`async function main() { await kv.set('a', 1); await kv.set('refused', 1); ` + code + ` return 'done' }`)
					x.Ahead, x.Affinity = true, "one"
					if then == "hangs" {
						x.Limits = sandbox.Limits{Wall: 10 * time.Second, CPU: 2 * time.Second} // a busy machine may let seconds pass before it begins
					}
					host := &told{refuse: refuse}
					outcome, err := runner.Run(t.Context(), x, host)
					require.NoError(t, err)
					require.True(t, outcome.Astray)
					require.Equal(t, []string{`kv.set["a",1] true`, `kv.set["refused",1] true`}, host.calls)
				}
			})
		}
	}
}

// Rule: a script whose worker dies may have done more than its host heard of.
func TestDeathAhead(t *testing.T) {
	t.Parallel()
	x := execution(`async function main() { await kv.set('a', 1); 'x'.repeat(1e9) }`)
	x.Ahead = true
	outcome, err := newPool(t, 1).Run(t.Context(), x, &told{})
	require.NoError(t, err)
	require.NotNil(t, outcome.Error)
	require.True(t, outcome.Astray)
}
