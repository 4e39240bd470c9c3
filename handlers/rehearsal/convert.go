package rehearsal

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// The domain and the machinery each have their own words for the same things, because
// neither may know the other. This file is where they meet.

// SandboxErrorOf is the error of a journaled call as the script got it.
func SandboxErrorOf(e *run.CallError) *sandbox.Error {
	if e == nil {
		return nil
	}
	return &sandbox.Error{
		Class: string(e.Class), Name: e.Name, Code: e.Code, Message: e.Message,
		Status: e.Status, Body: e.Body, Host: e.Host, RetryAfterMS: e.RetryAfterMS,
	}
}

// LimitsOf are the limits of the settings as the sandbox takes them.
func LimitsOf(l workflow.Limits) sandbox.Limits {
	return sandbox.Limits{
		Wall: time.Duration(l.WallMS) * time.Millisecond, CPU: time.Duration(l.CPUMS) * time.Millisecond,
		Memory: l.MemoryBytes, Calls: l.Calls, LogBytes: l.LogBytes, ResultBytes: l.ResultBytes,
	}
}

// RecordedRun is a run as the gate and bundles know it.
func RecordedRun(s run.State) gate.Run {
	recorded := gate.Run{
		ID: s.Run, Trigger: s.Trigger, ScriptVersion: s.Version, Input: s.Input, Clock: s.Clock, Seed: s.Seed, Overlap: s.Overlap,
		Calls: []gate.Call{}, Outcome: gate.Outcome{Status: "succeeded", Output: s.Output},
	}
	for _, call := range s.Calls {
		if !call.Returned {
			continue
		}
		recorded.Calls = append(recorded.Calls, gate.Call{
			Tool: call.Tool, Args: call.Args, Effect: call.Effect, Result: answered(call), Error: replayCallError(call.Error), MS: call.MS,
		})
	}
	for _, line := range s.Log {
		recorded.Log = append(recorded.Log, gate.LogLine(line))
	}
	if s.Local != nil {
		recorded.Local = &gate.Local{KV: s.Local.KV, Files: s.Local.Files}
	}
	if f := s.Failure; f != nil {
		recorded.Outcome = gate.Outcome{Status: "failed", Error: &gate.Error{
			Class: string(f.Class), Name: f.Name, Code: f.Code, Message: f.Message, Stack: f.Stack, Status: f.Status, Body: f.Body,
		}}
	}
	return recorded
}

func replayCallError(e *run.CallError) *gate.Error {
	if e == nil {
		return nil
	}
	return &gate.Error{Class: string(e.Class), Name: e.Name, Code: e.Code, Message: e.Message, Status: e.Status, Body: e.Body}
}

// DivergenceText is a divergence in one line.
func DivergenceText(d *gate.Divergence) string {
	if d == nil {
		return ""
	}
	return fmt.Sprintf("run %s, %s: recorded %s, now %s", d.Run, strings.TrimSpace(d.What+" "+d.Path), d.Want, d.Got)
}

// answered is what the script was answered by a call, or is when it goes on.
func answered(call *run.Call) json.RawMessage {
	if call.Resolved == run.ResolvedHappened || call.Resolved == run.ResolvedSkip {
		return hostcall.KnownAnswer(call.Tool, call.Result)
	}
	return call.Result
}
