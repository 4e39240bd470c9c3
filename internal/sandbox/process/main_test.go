package process_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// TestMain makes the test binary its own worker.
func TestMain(m *testing.M) {
	if process.IsWorker() {
		process.WorkerMain(bindings())
	}
	time.Local = time.UTC
	goleak.VerifyTestMain(m)
}

func effect(e sandbox.Effect) func(json.RawMessage) sandbox.Effect {
	return func(json.RawMessage) sandbox.Effect { return e }
}

func bindings() []sandbox.Binding {
	return []sandbox.Binding{
		{Name: "web.getJSON", Effect: effect(sandbox.Read), Overlaps: true, Validate: func(args json.RawMessage) error {
			var list []json.RawMessage
			if err := json.Unmarshal(args, &list); err != nil || len(list) == 0 {
				return fmt.Errorf("web.getJSON: the first argument must be a URL")
			}
			return nil
		}},
		{Name: "web.postJSON", Effect: effect(sandbox.Write)},
		{Name: "kv.get", Effect: effect(sandbox.Read)},
		{Name: "kv.set", Effect: effect(sandbox.Write), Silent: true},
		{Name: "notify", Effect: effect(sandbox.Write), Silent: true},
		{Name: "taken.over", Effect: effect(sandbox.Read), Validate: escape},
	}
}

var (
	clock = time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC)
	// tight limits keep hostile scripts short, and leave honest ones enough on a busy machine.
	tight = sandbox.Limits{Wall: 300 * time.Millisecond, CPU: 250 * time.Millisecond, Memory: 128 << 20}
)

func newPool(t testing.TB, size int) *process.Pool {
	t.Helper()
	pool := process.NewPool(process.PoolConfig{Bindings: bindings(), Size: size})
	t.Cleanup(func() { require.NoError(t, pool.Close()) })
	return pool
}

// execution is of a script that ends by itself, which takes longer under the race detector and on a busy machine.
func execution(code string) sandbox.Execution {
	return sandbox.Execution{Code: code, Seed: "r1", Clock: clock, Limits: sandbox.Limits{Wall: 2 * time.Minute, CPU: time.Minute}}
}

// inProcess runs an honest script and requires that it returns.
func inProcess(t *testing.T, code string, host sandbox.Host) sandbox.Outcome {
	t.Helper()
	outcome, err := process.InProcess{Bindings: bindings()}.Run(t.Context(), execution(code), host)
	require.NoError(t, err)
	return outcome
}

func output(t *testing.T, code string) string {
	t.Helper()
	outcome := inProcess(t, code, nil)
	require.Nil(t, outcome.Error, "%+v", outcome.Error)
	return string(outcome.Output)
}

func text(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}

// replies answers each tool with the same JSON.
func replies(byTool map[string]string) sandbox.Host {
	return sandbox.HostFunc(func(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
		result, ok := byTool[call.Tool]
		if !ok {
			return sandbox.Reply{}, fmt.Errorf("no answer for %s", call.Tool)
		}
		return sandbox.Reply{Result: json.RawMessage(result)}, nil
	})
}
