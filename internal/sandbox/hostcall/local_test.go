package hostcall_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

const nowMS = 1_772_434_800_250 // 2026-03-02T07:00:00.250Z

// call is a host call as the sandbox makes it.
func call(name string, args ...any) sandbox.Call {
	if args == nil {
		args = []any{}
	}
	var buffer bytes.Buffer
	e := json.NewEncoder(&buffer)
	e.SetEscapeHTML(false)
	if err := e.Encode(args); err != nil {
		panic(err)
	}
	text := bytes.TrimSpace(buffer.Bytes())
	c := sandbox.Call{Seq: 1, Tool: name, Args: text}
	if t, ok := hostcall.Lookup(name); ok {
		c.Effect = t.Effect(text)
	}
	return c
}

func someState() *hostcall.Memory {
	return hostcall.NewMemory(
		map[string]json.RawMessage{"last": []byte(`{"z":1,"a":2}`), "seen:1": []byte(`true`), "seen:2": []byte(`null`)},
		map[string]string{"report.csv": "id\n", "2026/jan.md": "é", "2026/q1/all.md": ""}, nowMS-1000)
}

// Every local call on the same state: what it answers, and what the state is like after.
func TestLocalCalls(t *testing.T) {
	t.Parallel()
	const logic, permission = sandbox.ClassLogic, sandbox.ClassPermission
	long := strings.Repeat("x", 300)
	tests := []struct {
		call   sandbox.Call
		result string // JSON, or "" for an error
		class  string
		text   string
	}{
		{call: call("kv.get", "last"), result: `{"z":1,"a":2}`},
		{call: call("kv.get", "seen:2"), result: `null`},
		{call: call("kv.get", "missing"), result: ``},
		{call: call("kv.list"), result: `["last","seen:1","seen:2"]`},
		{call: call("kv.list", nil), result: `["last","seen:1","seen:2"]`},
		{call: call("kv.list", "seen:"), result: `["seen:1","seen:2"]`},
		{call: call("kv.list", "none"), result: `[]`},
		{call: call("files.read", "report.csv"), result: `"id\n"`},
		{call: call("files.read", "./2026//jan.md"), result: `"é"`},
		{call: call("files.stat", "2026/jan.md"), result: `{"size":2,"modified":"2026-03-02T06:59:59.250Z"}`},
		{call: call("files.list"), result: `["2026/","report.csv"]`},
		{call: call("files.list", "."), result: `["2026/","report.csv"]`},
		{call: call("files.list", ""), result: `["2026/","report.csv"]`},
		{call: call("files.list", "2026/"), result: `["jan.md","q1/"]`},
		{call: call("files.list", "2026/q1"), result: `["all.md"]`},
		{call: call("files.read", "x"), class: logic, text: `files.read: no file "x"`},
		{call: call("files.stat", "x"), class: logic, text: `files.stat: no file "x"`},
		{call: call("files.list", "x"), class: logic, text: `files.list: no folder "x"`},
		{call: call("files.list", "202"), class: logic, text: `files.list: no folder "202"`},
		{call: call("files.list", "report.csv"), class: logic, text: `files.list: "report.csv" is a file, not a folder`},
		{call: call("files.read", "2026"), class: logic, text: `files.read: "2026" is a folder, not a file`},
		{call: call("files.read", "."), class: logic, text: `files.read: "." is a folder, not a file`},
		{call: call("files.write", "2026", ""), class: logic, text: `files.write: "2026" is a folder, not a file`},
		{call: call("files.remove", "2026/q1"), class: logic, text: `files.remove: "2026/q1" is a folder, not a file`},
		{call: call("files.write", "report.csv/x", ""), class: logic,
			text: `files.write: "report.csv/x" cannot be made: "report.csv" is a file, not a folder`},
		{call: call("files.read", "a\x00b"), class: logic, text: `files.read: "a\x00b" has a control character or a backslash in it`},
		{call: call("files.read", `a\b`), class: logic, text: `files.read: "a\\b" has a control character or a backslash in it`},
		{call: call("files.read", long), class: logic, text: `has a name of more than 255 bytes in it`},
		{call: call("files.read", strings.Repeat("x/", 16)+"x"), class: logic, text: `lies deeper than 16 folders`},
		{call: call("files.read", strings.Repeat(long[:200]+"/", 6)+"x"), class: logic, text: `is longer than 1024 bytes`},
		{call: call("files.read", "../secrets"), class: permission, text: `files.read: "../secrets" has .. in it`},
		{call: call("files.read", "2026/../report.csv"), class: permission, text: `has .. in it`},
		{call: call("files.list", ".."), class: permission, text: `has .. in it`},
		{call: call("files.write", "/etc/passwd", ""), class: permission, text: `files.write: "/etc/passwd" is outside the workflow's folder`},
		{call: call("files.append", "a/../../b", ""), class: permission, text: `has .. in it`},
	}
	for _, test := range tests {
		state := someState()
		before := state.Usage()
		reply := hostcall.ApplyLocal(state, test.call, nowMS)
		name := test.call.Tool + string(test.call.Args[:min(40, len(test.call.Args))])
		require.Equal(t, before, state.Usage(), name)
		if test.class == "" {
			require.Nil(t, reply.Error, name)
			require.Equal(t, test.result, string(reply.Result), name)
			continue
		}
		require.NotNil(t, reply.Error, name)
		require.Equal(t, test.class, reply.Error.Class, name)
		require.Contains(t, reply.Error.Message, test.text, name)
		require.Equal(t, test.call.Tool, reply.Error.Tool)
		require.Equal(t, map[string]string{logic: "LogicError", permission: "PermissionError"}[test.class], reply.Error.Name)
	}
}

// A write is seen by every later read, and only the local clock dates it.
func TestLocalWrites(t *testing.T) {
	t.Parallel()
	state := someState()
	do := func(name string, args ...any) string {
		t.Helper()
		reply := hostcall.ApplyLocal(state, call(name, args...), nowMS)
		require.Nil(t, reply.Error)
		require.Zero(t, reply.MS)
		return string(reply.Result)
	}
	require.Empty(t, do("kv.set", "n", json.RawMessage(`{"b": 1, "a": [ 2 ]}`)))
	require.Equal(t, `{"b":1,"a":[2]}`, do("kv.get", "n"))
	do("kv.set", "n", nil)
	require.Equal(t, `null`, do("kv.get", "n"))
	require.Contains(t, do("kv.list"), `"n"`)
	require.Equal(t, sandbox.ClassLogic, hostcall.ApplyLocal(state, call("kv.update", "seen:1", 1), nowMS).Error.Class, "it is true")
	do("kv.update", "count", 2)
	do("kv.update", "count", -0.5)
	value, _ := state.KV("count")
	require.Equal(t, "1.5", string(value))
	do("kv.delete", "count")
	do("kv.delete", "n")
	do("kv.delete", "n")
	require.NotContains(t, do("kv.list"), `"n"`)

	do("files.write", "new/deep/x.txt", "a<b>&\u2028")
	require.Equal(t, `"a<b>&\u2028"`, do("files.read", "new/deep/x.txt"))
	do("files.append", "new/deep/x.txt", "!")
	require.Equal(t, `{"size":9,"modified":"2026-03-02T07:00:00.250Z"}`, do("files.stat", "new/deep/x.txt"))
	do("files.append", "log", "1\n")
	do("files.append", "./log", "2\n")
	require.Equal(t, `"1\n2\n"`, do("files.read", "log"))
	do("files.remove", "new/deep/x.txt")
	do("files.remove", "new/deep/x.txt")
	require.Equal(t, `["2026/","log","report.csv"]`, do("files.list"))
	// A folder is there only as long as a file is, so its name is free again.
	do("files.write", "new", "now a file")
	require.Equal(t, `"now a file"`, do("files.read", "new"))
}

// A workflow's own state is bounded, and a refused write leaves everything as it was.
func TestLocalCaps(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", hostcall.MaxFileBytes)
	refused := func(state *hostcall.Memory, c sandbox.Call, text string) {
		t.Helper()
		before := state.Usage()
		reply := hostcall.ApplyLocal(state, c, nowMS)
		require.NotNil(t, reply.Error)
		require.Equal(t, sandbox.ClassLimit, reply.Error.Class)
		require.Equal(t, "LimitError", reply.Error.Name)
		require.Equal(t, hostcall.CodeLimitState, reply.Error.Code)
		require.Contains(t, reply.Error.Message, text)
		require.Equal(t, before, state.Usage())
	}
	taken := func(state *hostcall.Memory, c sandbox.Call) {
		t.Helper()
		require.Nil(t, hostcall.ApplyLocal(state, c, nowMS).Error)
	}

	state := &hostcall.Memory{}
	taken(state, call("files.write", "f", big))
	refused(state, call("files.write", "f", big+"x"), `"f" would be 1048577 bytes, more than 1048576`)
	refused(state, call("files.append", "f", "x"), "1048577")
	taken(state, call("kv.set", "k", big[2:]))
	refused(state, call("kv.set", "k", big[1:]), `the value of "k" is 1048577 bytes of JSON`)

	state = &hostcall.Memory{}
	for i := range hostcall.MaxKeys {
		state.SetKV(fmt.Sprint(i), []byte(`1`))
		state.WriteFile(fmt.Sprint(i), hostcall.File{})
	}
	refused(state, call("kv.set", "one more", 1), "keeps 10000 keys already")
	taken(state, call("kv.set", "7", 2))
	refused(state, call("files.write", "one more", ""), "keeps 10000 files already")
	taken(state, call("files.append", "7", "x"))

	state = &hostcall.Memory{}
	for i := range hostcall.MaxStateBytes/hostcall.MaxFileBytes - 1 {
		state.WriteFile(fmt.Sprint(i), hostcall.File{Text: big})
	}
	refused(state, call("files.write", "last", big), "more than 67108864 bytes")
	refused(state, call("kv.set", "last", big[2:]), "more than 67108864 bytes")
	taken(state, call("files.write", "0", big))
}

// The live host and the pure function answer alike: a replay of a live run is the same run.
func TestHostAnswersLocalCallsAsApplyLocalDoes(t *testing.T) {
	t.Parallel()
	live, replayed := someState(), someState()
	host := hostcall.NewHost(&hostcall.Env{State: live, Now: func() int64 { return nowMS }})
	defer host.Close()
	for _, c := range []sandbox.Call{
		call("files.append", "report.csv", "1\n"), call("files.stat", "report.csv"), call("kv.get", "last"),
		call("kv.set", "last", 3), call("kv.list", "l"), call("files.read", "nope"), call("files.read", "../nope"),
	} {
		got, err := host.Call(context.Background(), c)
		require.NoError(t, err)
		require.Equal(t, hostcall.ApplyLocal(replayed, c, nowMS), got, c.Tool)
	}
	require.Equal(t, replayed.Usage(), live.Usage())
}

// ApplyLocal is for local tools; anything else is the host's mistake, not the script's.
func TestApplyLocalRefusesOtherTools(t *testing.T) {
	t.Parallel()
	for _, c := range []sandbox.Call{
		call("web.getJSON", "https://example.com"), call("notify", "a", "b"), call("no.such", 1),
		{Tool: "kv.get", Args: []byte(`[1]`)}, {Tool: "kv.get", Args: []byte(`{}`)}, {Tool: "kv.get", Args: []byte(`[`)},
	} {
		reply := hostcall.ApplyLocal(&hostcall.Memory{}, c, nowMS)
		require.NotNil(t, reply.Error, c.Tool)
		require.Equal(t, sandbox.ClassInternal, reply.Error.Class)
	}
}

func BenchmarkApplyLocal(b *testing.B) {
	for _, c := range []sandbox.Call{
		call("kv.get", "last"), call("kv.set", "last", map[string]any{"day": "2026-03-01", "total": 3}),
		call("files.append", "log", "one line\n"), call("files.read", "report.csv"),
	} {
		b.Run(c.Tool, func(b *testing.B) {
			state := someState()
			for b.Loop() {
				if c.Tool == "files.append" {
					state.RemoveFile("log")
				}
				if reply := hostcall.ApplyLocal(state, c, nowMS); reply.Error != nil {
					b.Fatal(reply.Error)
				}
			}
		})
	}
}
