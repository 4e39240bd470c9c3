package app

import (
	"context"
	"encoding/json"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Effect is a write in doubt.
type Effect struct {
	Run       string          `json:"run"`
	Workflow  string          `json:"workflow"`
	Seq       int             `json:"seq"`
	Tool      string          `json:"tool"`
	Args      json.RawMessage `json:"args"`
	Key       string          `json:"key"`
	NotBefore time.Time       `json:"not_before,omitzero"`
	LookUpAt  time.Time       `json:"look_up_at,omitzero"` // when the other side is asked next
	LookUps   int             `json:"look_ups,omitempty"`  // how often it was
	Resolved  string          `json:"resolved,omitempty"`
}

// EffectOf is a call of a run as a write in doubt.
func EffectOf(s run.State, call *run.Call) Effect {
	return Effect{
		Run: s.Run, Workflow: s.Workflow, Seq: call.Seq, Tool: call.Tool, Args: call.Args, Key: call.Key,
		NotBefore: call.NotBefore, LookUpAt: call.LookUpAt, LookUps: call.LookUps, Resolved: call.Resolved,
	}
}

// Effects are all writes in doubt, of an owner's workflows if one is named.
func (r *Runs) Effects(ctx context.Context, owner string) ([]Effect, error) {
	runs, err := r.Queries.Runs(ctx, projections.RunFilter{Status: projections.RunInDoubt, Owner: owner})
	if err != nil {
		return nil, err
	}
	found := []Effect{}
	for _, one := range runs {
		state, err := r.Commands.LoadRun(ctx, one.ID)
		if err != nil {
			return nil, err
		}
		for _, call := range state.InDoubt() {
			found = append(found, EffectOf(state, call))
		}
	}
	return found, nil
}
