package field_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// changed is a change as it is recorded: what the script was given on each day before it, and what it would be given now.
type changed struct {
	Case, Change, Happened string
	Effect                 []string // of the old script on the days after
	Lost                   bool
	Code, Zone             string
	Days                   []both
	Failed                 gate.Run // as far as it came
	Whole                  []gate.Call
	Right                  []fix
}

// both is a day in the old shape, with its input and the answers to the same calls in the new one.
type both struct {
	Run   gate.Run
	Input json.RawMessage
	Now   []gate.Call
}

// TestFieldRecord writes down what the world answers before and after each change, for `make field/explain`.
func TestFieldRecord(t *testing.T) {
	t.Parallel()
	out := os.Getenv("KINTSUGI_FIELD_RECORD")
	if out == "" {
		return
	}
	half, only, _ := asked()
	w := newWorld(t)
	var mu sync.Mutex
	var all []changed
	var group sync.WaitGroup
	limit := make(chan struct{}, 4)
	for _, dir := range cases(t, half, only) {
		c, err := w.load(t.Context(), half, dir)
		require.NoError(t, err)
		for i := range c.Changes {
			group.Go(func() {
				limit <- struct{}{}
				defer func() { <-limit }()
				one, err := w.record(t.Context(), c, &c.Changes[i])
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Errorf("%s, %q: %v", c.Name, c.Changes[i].Name, err)
				}
				all = append(all, one)
			})
		}
	}
	group.Wait()
	text, err := json.Marshal(all)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(out, text, 0o600))
}

func (w *world) record(ctx context.Context, c *fieldCase, of *change) (made changed, err error) {
	p := &place{field: &field{w: w}, c: c, change: of}
	var opened struct {
		ID    string            `json:"id"`
		Local map[string]string `json:"local"`
	}
	if err := w.ask(ctx, "open", map[string]any{"dir": c.dir, "change": of.Name}, &opened); err != nil {
		return made, err
	}
	p.id, p.local = opened.ID, opened.Local
	defer p.close(ctx)
	p.code = p.abroad(c.Script)
	made = changed{Case: c.Name, Change: of.Name, Happened: of.Happened, Lost: of.Lost, Code: p.code, Zone: c.Zone}
	for _, one := range of.Right {
		made.Right = append(made.Right, fix{one.Name, p.abroad(one.Code)})
	}
	if made.Effect, err = w.effect(ctx, c, of.Name); err != nil {
		return made, err
	}
	state := &hostcall.Memory{}
	for d := range recorded + after {
		before := state.Clone()
		run, err := p.run(ctx, d, false, state)
		if err != nil || run.Outcome.Error != nil {
			return made, fmt.Errorf("day %d: %w, %v", d, err, run.Outcome.Error)
		}
		input, host, err := p.given(ctx, d, true, before.Clone())
		if err != nil {
			return made, err
		}
		var now []gate.Call
		for _, call := range run.Calls {
			if asked := (sandbox.Call{Tool: call.Tool, Args: call.Args, Effect: sandbox.Effect(call.Effect)}); !hostcall.Of(call.Tool).Local {
				reply, err := host.Call(ctx, asked)
				if err != nil {
					return made, err
				}
				call.Result, call.Error = reply.Result, gate.ErrorOf(reply.Error)
			}
			now = append(now, call)
		}
		host.Close()
		if d < recorded {
			made.Days = append(made.Days, both{run, input, now})
			continue
		}
		if made.Failed, err = p.run(ctx, d, true, before); err != nil {
			return made, err
		}
		made.Whole = now
		if made.Failed.Outcome.Error != nil {
			break
		}
	}
	return made, nil
}

// given is what the script is given on a day.
func (p *place) given(ctx context.Context, day int, changed bool, state *hostcall.Memory) (json.RawMessage, *hostcall.Host, error) {
	var given struct {
		Input json.RawMessage `json:"input"`
	}
	err := p.w.ask(ctx, "day", map[string]any{"id": p.id, "day": day, "changed": changed}, &given)
	var hosts []string
	for _, address := range p.local {
		hosts = append(hosts, strings.TrimPrefix(address, "http://"))
	}
	return given.Input, hostcall.NewHost(&hostcall.Env{State: state, AllowedHosts: hosts, Secrets: func(string, string) (string, bool, error) { return "a-secret", true, nil }}), err
}

func (p *place) run(ctx context.Context, day int, changed bool, state *hostcall.Memory) (gate.Run, error) {
	input, host, err := p.given(ctx, day, changed, state)
	if err != nil {
		return gate.Run{}, err
	}
	defer host.Close()
	run := gate.Run{ID: fmt.Sprintf("r%d", day), Trigger: "manual", Input: input, Clock: time.Date(2026, 3, 1, 7, 0, 0, 0, time.UTC), Seed: fmt.Sprintf("r%d", day), Overlap: true}
	outcome, err := process.InProcess{Bindings: hostcall.Bindings()}.Run(ctx, sandbox.Execution{
		Code: p.code, Input: input, Seed: run.Seed, Clock: run.Clock, Zone: p.c.Zone, Overlap: true,
	}, host)
	for _, call := range outcome.Calls {
		run.Calls = append(run.Calls, gate.CallOf(call))
	}
	run.Outcome = gate.OutcomeOf(&outcome)
	return run, err
}
