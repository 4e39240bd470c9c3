package drift

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/kintsugi-run/kintsugi/internal/measure/automation"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// outside answers the calls of one run as the services do on one day.
type outside struct {
	answers map[string]automation.Answer // by requestKey
	state   *hostcall.Memory
	now     int64
}

func newOutside(day automation.Run, state *hostcall.Memory) *outside {
	o := &outside{answers: map[string]automation.Answer{}, state: state, now: day.Clock.UnixMilli()}
	for _, answer := range day.Answers {
		o.answers[requestKey(answer.Method, answer.URL)] = answer
	}
	return o
}

// requestKey ignores the order of the query.
func requestKey(method, address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return method + " " + address
	}
	return method + " " + u.Host + u.Path + "?" + u.Query().Encode()
}

// Call implements [sandbox.Host].
func (o *outside) Call(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
	declared := hostcall.Of(call.Tool)
	if declared.Local {
		return hostcall.ApplyLocal(o.state, call, o.now), nil
	}
	if declared.Request == nil {
		return sandbox.Reply{Result: json.RawMessage("null")}, nil
	}
	method, address := declared.Request.MethodOf(call.Args), ""
	if err := json.Unmarshal(call.Args, &[]any{&address}); err != nil {
		return sandbox.Reply{}, err
	}
	answer, known := o.answers[requestKey(method, address)]
	if !known {
		answer = unknown(method)
	}
	if declared.AnswersWhole() {
		result, err := orderedjson.Encode(orderedjson.New("status", answer.Status, "headers", orderedjson.New(), "body", bodyText(answer.Body)))
		return sandbox.Reply{Result: result, MS: 40}, err
	}
	if answer.Status >= http.StatusBadRequest {
		return sandbox.Reply{MS: 40, Error: &sandbox.Error{
			Class: sandbox.ClassLogic, Name: "LogicError", Status: answer.Status, Body: bodyText(answer.Body),
			Message: fmt.Sprintf("%s %s: status %d", method, address, answer.Status),
		}}, nil
	}
	return sandbox.Reply{Result: answer.Body, MS: 40}, nil
}

// unknown answers what no day knows: nothing is there, and what is sent is taken.
func unknown(method string) automation.Answer {
	if method == http.MethodGet {
		return automation.Answer{Status: http.StatusNotFound, Body: json.RawMessage(`{"message":"not found"}`)}
	}
	return automation.Answer{Status: http.StatusOK, Body: json.RawMessage(`{"ok":true}`)}
}

// bodyText is what travels: a text as it is, anything else as JSON.
func bodyText(body json.RawMessage) string {
	var text string
	if json.Unmarshal(body, &text) == nil {
		return text
	}
	return string(body)
}

// live makes one run as a server would and writes it down. The state is changed as the
// script changes it.
func live(ctx context.Context, runner sandbox.Runner, a *Automation, code, id string, day automation.Run, state *hostcall.Memory) (gate.Run, error) {
	run := gate.Run{ID: id, Trigger: day.Trigger, Input: day.Input, Clock: day.Clock, Seed: id, Overlap: true, Calls: []gate.Call{}}
	before := localOf(state)
	outcome, err := runner.Run(ctx, sandbox.Execution{Code: code, Input: day.Input, Seed: id, Clock: day.Clock, Zone: a.Zone, Affinity: a.Name, Overlap: true}, newOutside(day, state))
	if err != nil {
		return run, fmt.Errorf("drift: run %s of %s: %w", id, a.Name, err)
	}
	for _, call := range outcome.Calls {
		run.Calls = append(run.Calls, gate.CallOf(call))
	}
	if run.Outcome = gate.OutcomeOf(&outcome); outcome.Error != nil {
		run.Local = before
	}
	return run, nil
}

func localOf(state *hostcall.Memory) *gate.Local {
	local := &gate.Local{KV: map[string]json.RawMessage{}, Files: map[string]string{}}
	for _, key := range state.Keys("") {
		local.KV[key], _ = state.KV(key)
	}
	for _, name := range state.Files() {
		file, _ := state.File(name)
		local.Files[name] = file.Text
	}
	return local
}

// end is what a run came to, as a text to compare; empty for one that failed.
func end(run gate.Run) string { return run.End() }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
