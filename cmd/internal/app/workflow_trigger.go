package app

import (
	"context"
	"maps"
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// Triggered is a workflow's event triggers as commands show them.
type Triggered struct {
	Workflow string        `json:"workflow"`
	Triggers []triggeredOn `json:"triggers"`
}

type triggeredOn struct {
	Source   string             `json:"source"`
	Title    string             `json:"title"`
	Outcomes []workflow.Outcome `json:"outcomes"`
}

// Triggered is what starts a workflow, with the titles of the workflows that do.
func (w *Workflows) Triggered(ctx context.Context, s workflow.State) (Triggered, error) {
	shown := Triggered{Workflow: s.ID, Triggers: []triggeredOn{}}
	for _, source := range slices.Sorted(maps.Keys(s.Triggers)) {
		one := triggeredOn{Source: source, Outcomes: s.Triggers[source].Outcomes}
		other, err := w.Commands.LoadWorkflow(ctx, source)
		if err != nil && fault.KindOf(err) != fault.NotFound { // a history that was imported may name one that was not
			return shown, err
		}
		one.Title = other.Title
		shown.Triggers = append(shown.Triggers, one)
	}
	return shown, nil
}
