// Package atiftest says whether a document is valid ATIF of version 1.7: by a schema made of what Harbor, whose format it is, publishes
// (https://github.com/harbor-framework/harbor, rfcs/0001-trajectory-format.md and the models in src/harbor/models/trajectories), and
// by those of its rules that no schema says.
package atiftest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/kintsugi-run/kintsugi/internal/agent/atif"
	"github.com/kintsugi-run/kintsugi/internal/basics/jsonschema"
)

//go:embed atif-v1.7.schema.json
var schemaText []byte

var schema = sync.OnceValues(func() (*jsonschema.Schema, error) { return jsonschema.Compile(schemaText) })

// Faults are what a reader of the format refuses in a document; none if it is valid.
func Faults(text []byte) []string {
	compiled, err := schema()
	if err != nil {
		return []string{err.Error()}
	}
	value, err := jsonschema.Decode(text)
	if err != nil {
		return []string{err.Error()}
	}
	var faults []string
	for _, fault := range compiled.Faults(value) {
		faults = append(faults, fault.Path+": "+fault.Text)
	}
	var t atif.Trajectory
	if err := json.Unmarshal(text, &t); err != nil {
		return append(faults, err.Error())
	}
	return append(faults, rules(t)...)
}

func rules(t atif.Trajectory) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	for i, step := range t.Steps {
		if step.ID != i+1 {
			fault("step %d has the number %d", i+1, step.ID)
		}
		if step.Source != atif.Doer && (step.Model != "" || step.Reasoning != "" || step.ToolCalls != nil) {
			fault("step %d of %s has what only an agent's step has", step.ID, step.Source)
		}
		if step.Inferences != nil && *step.Inferences == 0 && step.Reasoning != "" {
			fault("step %d was no model's and has its reasoning", step.ID)
		}
		calls := map[string]bool{}
		for _, call := range step.ToolCalls {
			calls[call.ID] = true
		}
		if step.Observation == nil {
			continue
		}
		for _, result := range step.Observation.Results {
			if result.Call != "" && !calls[result.Call] {
				fault("step %d has a result of the call %s, which is in another step or nowhere", step.ID, result.Call)
			}
			for _, ref := range result.Agents {
				if ref.TrajectoryID == "" && ref.Path == "" {
					fault("step %d refers to a trajectory that cannot be found: trajectory_id or trajectory_path is needed", step.ID)
				}
			}
		}
	}
	seen := map[string]bool{"": true}
	for _, agent := range t.Subagents {
		if seen[agent.TrajectoryID] {
			fault("the trajectory_id %q of a sub-agent is empty or used twice", agent.TrajectoryID)
		}
		seen[agent.TrajectoryID] = true
		faults = append(faults, rules(agent)...)
	}
	return faults
}
