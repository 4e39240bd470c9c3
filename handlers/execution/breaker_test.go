package execution

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// After five network errors in a row a host is left alone, for a time that doubles; one call in
// between finds out whether it answers again. Other workflows and hosts are not concerned.
func TestBreakerSparesAHostThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	b := newBreakers(func() time.Time { return now })
	var fails *sandbox.Error
	calls := 0
	live := sandbox.HostFunc(func(context.Context, sandbox.Call) (sandbox.Reply, error) {
		calls++
		return sandbox.Reply{Error: fails}, nil
	})
	get := func(workflow, url string) string {
		reply, err := b.guard(workflow, live).Call(t.Context(), sandbox.Call{Tool: "web.getJSON", Args: []byte(`["` + url + `"]`), Effect: sandbox.Read})
		require.NoError(t, err)
		if reply.Error == nil {
			return "answered"
		}
		return reply.Error.Code
	}
	const url = "https://api.test/x"
	fails = &sandbox.Error{Class: sandbox.ClassNetwork, Code: "network.down"}
	for range 5 {
		require.Equal(t, "network.down", get("w", url))
	}
	require.Equal(t, CodeCircuitOpen, get("w", url))
	require.Equal(t, CodeCircuitOpen, get("w", "https://API.test/y"))
	require.Equal(t, 5, calls)
	require.Equal(t, "network.down", get("other", url))
	require.Equal(t, "network.down", get("w", "https://elsewhere.test/"))

	now = now.Add(30 * time.Second)
	require.Equal(t, "network.down", get("w", url), "one call finds out")
	require.Equal(t, CodeCircuitOpen, get("w", url))
	now = now.Add(59 * time.Second)
	require.Equal(t, CodeCircuitOpen, get("w", url), "the time has doubled")
	now = now.Add(time.Second)
	fails = nil
	require.Equal(t, "answered", get("w", url))
	fails = &sandbox.Error{Class: sandbox.ClassNetwork, Code: "network.down"}
	require.Equal(t, "network.down", get("w", url), "it begins anew")

	// An answer, however bad, is no trouble of the network.
	fails = &sandbox.Error{Class: sandbox.ClassLogic, Code: "http.404"}
	for range 10 {
		require.Equal(t, "http.404", get("w", "https://third.test/"))
	}
	for range 10 {
		reply, err := b.guard("w", live).Call(t.Context(), sandbox.Call{Tool: "kv.get", Args: []byte(`["k"]`)})
		require.NoError(t, err)
		require.Equal(t, "http.404", reply.Error.Code)
	}
}
