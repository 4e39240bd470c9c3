package hostcall_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// A declared tool is found, and checks its arguments.
func TestTools(t *testing.T) {
	t.Parallel()
	var names []string
	for _, declared := range hostcall.All() {
		names = append(names, declared.Name)
		found, ok := hostcall.Lookup(declared.Name)
		require.True(t, ok)
		require.Equal(t, declared.Schema, found.Schema)
		require.NotNil(t, declared.Do)
	}
	require.True(t, slices.IsSorted(names)) // which there are, docs/scripts.md and docs/kintsugi.d.ts hold
	_, ok := hostcall.Lookup("files.chmod")
	require.False(t, ok)

	bindings := hostcall.Bindings()
	require.Len(t, bindings, len(names))
	for i, binding := range bindings {
		require.Equal(t, names[i], binding.Name)
		require.ErrorContains(t, binding.Validate([]byte(`[{"a": 1}]`)), binding.Name+": argument 1 (")
	}
}

// A caller may change the list that All gave it.
func TestAllIsACopy(t *testing.T) {
	t.Parallel()
	slices.Reverse(hostcall.All())
	require.Equal(t, "ask", hostcall.All()[0].Name)
}

// Effect is what the gate, rehearsals and retries go by. When in doubt it is a write.
func TestEffects(t *testing.T) {
	t.Parallel()
	const url = "https://api.example.test/"
	type o = map[string]any
	tests := []struct {
		call sandbox.Call
		want sandbox.Effect
	}{
		{call("web.fetch", url), sandbox.Read},
		{call("web.fetch", url, nil), sandbox.Read},
		{call("web.fetch", url, o{"method": "head"}), sandbox.Read},
		{call("web.fetch", url, o{"effect": "write"}), sandbox.Write},
		{call("web.fetch", url, o{"method": "POST"}), sandbox.Write},
		{call("web.fetch", url, o{"method": "post", "effect": "read"}), sandbox.Read},
		{call("web.fetch", url, o{"method": "OPTIONS"}), sandbox.Write},
		{call("web.fetch", url, o{"method": "DELETE", "effect": "read"}), sandbox.Write},
		{call("web.fetch", url, o{"method": "PUT", "effect": "read"}), sandbox.Write},
		{call("web.fetch", url, o{"method": 7}), sandbox.Write},
		{sandbox.Call{Tool: "web.fetch", Args: []byte(`{`)}, sandbox.Write},
		{call("web.getJSON", url), sandbox.Read},
		{call("web.postJSON", url, o{}), sandbox.Write},
		{call("web.postJSON", url, o{}, o{"effect": "read"}), sandbox.Read},
		{call("web.postJSON", url, o{"effect": "read"}), sandbox.Write},
		{call("web.postJSON", url, o{}, o{"method": "PATCH", "effect": "read"}), sandbox.Write},
		{call("files.read", "a"), sandbox.Read}, {call("files.list"), sandbox.Read}, {call("files.stat", "a"), sandbox.Read},
		{call("files.write", "a", ""), sandbox.Write}, {call("files.append", "a", ""), sandbox.Write}, {call("files.remove", "a"), sandbox.Write},
		{call("kv.get", "a"), sandbox.Read}, {call("kv.list"), sandbox.Read},
		{call("kv.set", "a", 1), sandbox.Write}, {call("kv.delete", "a"), sandbox.Write},
		{call("notify", "a", "b"), sandbox.Write}, {call("ask", "a"), sandbox.Write},
	}
	for _, test := range tests {
		declared, ok := hostcall.Lookup(test.call.Tool)
		require.True(t, ok)
		require.Equal(t, test.want, declared.Effect(test.call.Args), "%s%s", test.call.Tool, test.call.Args)
	}
}

// A call that no tool answers is the host's trouble; one with wrong arguments the script's,
// even if the sandbox that should have refused it was taken over by the script.
func TestHostChecksAgain(t *testing.T) {
	t.Parallel()
	host := hostcall.NewHost(&hostcall.Env{State: &hostcall.Memory{}})
	defer host.Close()
	_, err := host.Call(context.Background(), call("files.chmod", "a"))
	require.ErrorContains(t, err, `hostcall: no tool "files.chmod"`)
	for _, args := range []string{`[1]`, `[]`, `{}`, `null`, `[`, ``, `["a",1,2,3,4]`} {
		reply, err := host.Call(context.Background(), sandbox.Call{Tool: "files.read", Args: json.RawMessage(args)})
		require.NoError(t, err)
		require.NotNil(t, reply.Error, args)
		require.Equal(t, sandbox.ClassLogic, reply.Error.Class, args)
	}
	disguised := call("web.postJSON", "https://api.example.test/", 1)
	disguised.Effect = sandbox.Read
	_, err = host.Call(context.Background(), disguised)
	require.ErrorContains(t, err, "hostcall: the sandbox calls a write of web.postJSON a read")
	require.PanicsWithValue(t, "hostcall: NewHost needs a State", func() { hostcall.NewHost(&hostcall.Env{}) })
}

// The journaled call is the message: nothing more is to be done. A question has nobody to
// wait for it, and must not look like one that was answered.
func TestNotifyAndAsk(t *testing.T) {
	t.Parallel()
	host := hostcall.NewHost(&hostcall.Env{State: &hostcall.Memory{}})
	defer host.Close()
	reply, err := host.Call(context.Background(), call("notify", "Report", "3 refunds"))
	require.NoError(t, err)
	require.Equal(t, sandbox.Reply{}, reply)

	reply, err = host.Call(context.Background(), call("ask", "Pay?", map[string]any{"options": []string{"yes", "no"}, "default": "no"}))
	require.NoError(t, err)
	require.NotNil(t, reply.Error)
	require.Equal(t, sandbox.ClassPermission, reply.Error.Class)
	require.Equal(t, hostcall.CodeAskUnavailable, reply.Error.Code)
}

// A tool that panics ends the run as the host's trouble, not the process.
func TestHostSurvivesAPanic(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	host := hostcall.NewHost(&hostcall.Env{
		State:  &brokenState{Memory: &hostcall.Memory{}},
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	defer host.Close()
	_, err := host.Call(context.Background(), call("kv.get", "a"))
	require.ErrorContains(t, err, "hostcall: kv.get: panic: broken")
	require.Contains(t, log.String(), "registry_test.go", "the operator sees where")
}

type brokenState struct{ *hostcall.Memory }

func (*brokenState) KV(string) (json.RawMessage, bool) { panic("broken") }
