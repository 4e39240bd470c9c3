package gate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

func runner() sandbox.Runner { return process.InProcess{Bindings: hostcall.Bindings()} }

// world is what one run was given: its input, what the outside answers, its own state.
type hypothesis struct {
	input string // JSON, default {}
	// web answers a web call by the beginning of its address, the longest that fits. A
	// number is the status of an error.
	web   map[string]any
	kv    map[string]string // JSON by key
	files map[string]string
}

// record runs a script in a world and writes down what happened, as a server does.
func record(t testing.TB, code, id string, w hypothesis) gate.Run {
	t.Helper()
	at := time.Date(2026, time.March, 2, 7, 0, 0, 0, time.UTC)
	run := gate.Run{ID: id, Trigger: "schedule", Input: json.RawMessage(`{}`), Seed: id, Overlap: true, Clock: at, Calls: []gate.Call{}}
	if w.input != "" {
		run.Input = json.RawMessage(w.input)
	}
	kv := map[string]json.RawMessage{}
	for key, value := range w.kv {
		kv[key] = json.RawMessage(value)
	}
	state := hostcall.NewMemory(kv, w.files, at.UnixMilli())
	host := sandbox.HostFunc(func(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
		if found, ok := hostcall.Lookup(call.Tool); ok && found.Local {
			return hostcall.ApplyLocal(state, call, at.UnixMilli()), nil
		}
		if call.Tool == "notify" {
			return sandbox.Reply{}, nil
		}
		return w.answer(t, call), nil
	})
	outcome, err := runner().Run(t.Context(), sandbox.Execution{Code: code, Input: run.Input, Seed: run.Seed, Clock: at, Overlap: run.Overlap}, host)
	require.NoError(t, err)
	for _, call := range outcome.Calls {
		made := gate.Call{Tool: call.Tool, Args: call.Args, Effect: string(call.Effect), Result: call.Result, MS: call.MS}
		if call.Error != nil {
			made.Result = nil
			made.Error = &gate.Error{Class: call.Error.Class, Name: call.Error.Name, Message: call.Error.Message, Status: call.Error.Status}
		}
		run.Calls = append(run.Calls, made)
	}
	run.Log = []gate.LogLine{}
	for _, line := range outcome.Log {
		run.Log = append(run.Log, gate.LogLine{Level: line.Level, Text: line.Text})
	}
	if outcome.Error == nil {
		run.Outcome = gate.Outcome{Status: "succeeded", Output: outcome.Output}
		return run
	}
	run.Outcome = gate.Outcome{Status: "failed", Error: &gate.Error{
		Class: outcome.Error.Class, Name: outcome.Error.Name, Message: outcome.Error.Message, Stack: outcome.Error.Stack,
	}}
	run.Local = &gate.Local{KV: kv, Files: w.files}
	return run
}

// given is a world in which one address answers.
func given(input, address, answer string, more ...string) hypothesis {
	w := hypothesis{input: input, web: map[string]any{address: answer}}
	for i := 0; i < len(more); i += 2 {
		w.web[more[i]] = more[i+1]
	}
	return w
}

func (w hypothesis) answer(t testing.TB, call sandbox.Call) sandbox.Reply {
	t.Helper()
	var args []any
	require.NoError(t, json.Unmarshal(call.Args, &args))
	address, _ := args[0].(string)
	best := ""
	for prefix := range w.web {
		if strings.HasPrefix(address, prefix) && len(prefix) > len(best) {
			best = prefix
		}
	}
	switch found := w.web[best].(type) {
	case int:
		class, name := sandbox.ClassLogic, "LogicError"
		if found == 401 {
			class, name = sandbox.ClassAuth, "AuthError"
		}
		return sandbox.Reply{Error: &sandbox.Error{Class: class, Name: name, Message: fmt.Sprintf("GET %s: status %d", address, found), Status: found}}
	case string:
		if call.Tool == "web.fetch" {
			body, err := json.Marshal(map[string]any{"status": 200, "headers": map[string]string{}, "body": found})
			require.NoError(t, err)
			return sandbox.Reply{Result: body}
		}
		return sandbox.Reply{Result: json.RawMessage(found)}
	case json.RawMessage: // with its status and headers
		return sandbox.Reply{Result: found}
	}
	if call.Effect == sandbox.Write {
		return sandbox.Reply{}
	}
	return sandbox.Reply{Error: &sandbox.Error{Class: sandbox.ClassLogic, Name: "LogicError", Message: "GET " + address + ": status 404", Status: 404}}
}

// subject records a script in worlds where it works and in one where it fails.
func subject(t testing.TB, code string, old []hypothesis, fresh hypothesis) gate.Subject {
	t.Helper()
	s := gate.Subject{Code: code, Version: "1.0"}
	for i, w := range old {
		run := record(t, code, fmt.Sprintf("r%d", i+1), w)
		require.Equal(t, "succeeded", run.Outcome.Status, "run %d: %+v", i+1, run.Outcome.Error)
		s.Successes = append(s.Successes, run)
	}
	s.Failed = record(t, code, "failed", fresh)
	require.Equal(t, "failed", s.Failed.Outcome.Status, "the new world must break the script: %s", s.Failed.Outcome.Output)
	return s
}

func openGate(t testing.TB, s gate.Subject) *gate.Gate {
	t.Helper()
	opened, err := gate.Open(t.Context(), runner(), s, gate.Options{})
	require.NoError(t, err)
	return opened
}

func judge(t testing.TB, opened *gate.Gate, code string) gate.Judgement {
	t.Helper()
	judged, err := opened.Judge(t.Context(), code)
	require.NoError(t, err)
	return judged
}

// said is a judgement in short: its verdict, and held if it is.
func said(j gate.Judgement) string {
	if j.Held && j.Verdict == gate.Identical {
		return "held"
	}
	return j.Verdict
}

// opposed is the same of a right fix: that it waits because nothing recorded proves it does not count.
func opposed(j gate.Judgement) string {
	j.Held = len(j.Reasons) > 0
	return said(j)
}

// edited applies replacements to a script, each of which must hit once.
func edited(t testing.TB, code string, edits ...string) string {
	t.Helper()
	require.Zero(t, len(edits)%2)
	for i := 0; i < len(edits); i += 2 {
		require.Equal(t, 1, strings.Count(code, edits[i]), "%q must hit one place", edits[i])
		code = strings.Replace(code, edits[i], edits[i+1], 1)
	}
	return code
}
