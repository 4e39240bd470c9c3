package hostcall

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// All that calls on keys and files carry is recorded, so that there is an end to it: the call
// that would be too much is not made.
func TestLocalCallsCarrySoMuch(t *testing.T) {
	t.Parallel()
	state := NewMemory(nil, map[string]string{"a": "12345678"}, 0)
	host := NewHost(&Env{State: state, Carried: MaxLocalBytes - 15}) // one call and its answer
	t.Cleanup(host.Close)
	do := func(name string) *sandbox.Error {
		reply, err := host.Call(t.Context(), sandbox.Call{Tool: name, Args: json.RawMessage(`["a"]`)})
		require.NoError(t, err)
		return reply.Error
	}
	require.Nil(t, do("files.read"))
	require.Equal(t, int64(MaxLocalBytes), host.local)
	fault := do("files.remove")
	require.NotNil(t, fault)
	require.Equal(t, []string{sandbox.ClassLimit, CodeLimitState, "files.remove"}, []string{fault.Class, fault.Code, fault.Tool})
	_, kept := state.File("a")
	require.True(t, kept, "what is refused changes nothing")
}
