package handlers

import (
	"time"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/replay"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// The domain and the machinery each have their own words for the same things, because
// neither may know the other. This file is where they meet.

func failureOf(e sandbox.Error) failure.Failure {
	return failure.Failure{
		Class: failure.Class(e.Class), Name: e.Name, Code: e.Code, Message: e.Message, Stack: e.Stack,
		Tool: e.Tool, Status: e.Status, Body: e.Body, Host: e.Host, RetryAfterMS: e.RetryAfterMS,
		Strict: e.Strict, Loose: e.Loose,
	}
}

func callErrorOf(e *sandbox.Error) *run.CallError {
	if e == nil {
		return nil
	}
	return &run.CallError{
		Class: failure.Class(e.Class), Name: e.Name, Code: e.Code, Message: e.Message,
		Status: e.Status, Body: e.Body, Host: e.Host, RetryAfterMS: e.RetryAfterMS,
	}
}

func sandboxErrorOf(e *run.CallError) *sandbox.Error {
	if e == nil {
		return nil
	}
	return &sandbox.Error{
		Class: string(e.Class), Name: e.Name, Code: e.Code, Message: e.Message,
		Status: e.Status, Body: e.Body, Host: e.Host, RetryAfterMS: e.RetryAfterMS,
	}
}

func logOf(lines []sandbox.LogLine) []run.LogLine {
	converted := make([]run.LogLine, len(lines))
	for i, line := range lines {
		converted[i] = run.LogLine(line)
	}
	return converted
}

func limitsOf(l workflow.Limits) sandbox.Limits {
	return sandbox.Limits{
		Wall: time.Duration(l.WallMS) * time.Millisecond, CPU: time.Duration(l.CPUMS) * time.Millisecond,
		Memory: l.MemoryBytes, Calls: l.Calls, LogBytes: l.LogBytes, ResultBytes: l.ResultBytes,
	}
}

// RecordedRun is a run as the gate and bundles know it.
func RecordedRun(s run.State) replay.Run {
	recorded := replay.Run{
		ID: s.Run, Trigger: s.Trigger, ScriptVersion: s.Version, Input: s.Input, Clock: s.Clock, Seed: s.Seed,
		Calls: []replay.Call{}, Outcome: replay.Outcome{Status: "succeeded", Output: s.Output},
	}
	for _, call := range s.Calls {
		if !call.Returned {
			continue
		}
		recorded.Calls = append(recorded.Calls, replay.Call{
			Tool: call.Tool, Args: call.Args, Effect: call.Effect, Result: call.Result, Error: replayCallError(call.Error), MS: call.MS,
		})
	}
	for _, line := range s.Log {
		recorded.Log = append(recorded.Log, replay.LogLine(line))
	}
	if s.Local != nil {
		recorded.Local = &replay.Local{KV: s.Local.KV, Files: s.Local.Files}
	}
	if f := s.Failure; f != nil {
		recorded.Outcome = replay.Outcome{Status: "failed", Error: &replay.Error{
			Class: string(f.Class), Name: f.Name, Code: f.Code, Message: f.Message, Stack: f.Stack, Status: f.Status, Body: f.Body,
		}}
	}
	return recorded
}

func replayCallError(e *run.CallError) *replay.Error {
	if e == nil {
		return nil
	}
	return &replay.Error{Class: string(e.Class), Name: e.Name, Code: e.Code, Message: e.Message, Status: e.Status, Body: e.Body}
}

// divergent is the run that comes out differently.
func divergent(d *replay.Divergence) string {
	if d == nil {
		return ""
	}
	return d.Run
}

func wideningOf(w *replay.Widening) *workflow.Widening {
	if w == nil {
		return nil
	}
	widening := &workflow.Widening{Hosts: w.Hosts, Writes: w.Writes}
	for _, use := range w.Secrets {
		widening.Secrets = append(widening.Secrets, workflow.SecretUse(use))
	}
	return widening
}
