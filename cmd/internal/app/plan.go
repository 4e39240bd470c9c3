package app

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
)

// How a planner's task stands for the person who asked.
const (
	PlanDone    = "done"
	PlanStopped = "stopped" // before it was done
	PlanWaiting = "waiting" // for an answer
	PlanWorking = "working"
)

// Planned is what came of a wish.
type Planned struct {
	Workflow string          `json:"workflow"`
	Task     string          `json:"task"`
	Thread   string          `json:"thread"`
	State    string          `json:"state"`
	Message  string          `json:"message,omitempty"` // the last the planner said, or why it stopped
	Saved    []string        `json:"saved"`             // versions, in order
	Version  string          `json:"version,omitempty"` // that is active
	Status   workflow.Status `json:"status"`            // of the workflow
	Schedule string          `json:"schedule,omitempty"`
	Question string          `json:"question,omitempty"`
	Options  []string        `json:"options,omitempty"`
	// Notification is what the question is answered by.
	Notification string `json:"notification,omitempty"`
	// SwitchedOn is what the newest version does, if the task saved one.
	SwitchedOn *egress.Account `json:"switched_on,omitempty"`

	Scheduled bool `json:"-"` // the task set when the workflow runs

	Tokens  int64   `json:"tokens"`
	CostUSD float64 `json:"cost_usd"`
}

// PlannedOf is how a task stands.
func (n *Node) PlannedOf(ctx context.Context, id, task string) (Planned, error) {
	result := Planned{Workflow: id, Task: task, State: PlanWorking, Saved: []string{}}
	state, err := n.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return result, err
	}
	result.Status, result.Schedule = state.Status, state.Schedule.Spec
	if !state.Active.IsZero() {
		result.Version = state.Active.String()
	}
	for one, err := range n.Commands.History(ctx, []string{workflow.Stream(id)}) {
		if err != nil {
			return result, err
		}
		switch e := one.Event.(type) {
		case workflow.PlannerTaskOpened:
			if e.Task == task {
				result.Thread = e.Thread
			}
		case workflow.ScriptSaved:
			if e.Task == task {
				result.Saved = append(result.Saved, e.Version.String())
			}
		case workflow.ScheduleChanged:
			result.Scheduled = result.Scheduled || one.Metadata.Actor == "planner:"+task
		case workflow.PlannerTaskClosed:
			if e.Task == task {
				result.State, result.Message = PlanDone, e.Outcome
				if e.Stopped {
					result.State = PlanStopped
				}
			}
		}
	}
	if said, err := n.Commands.LoadThread(ctx, result.Thread); err == nil {
		result.Tokens, result.CostUSD = said.Tokens, said.CostUSD
	} else if fault.KindOf(err) != fault.NotFound { // nobody may have begun
		return result, err
	}
	if state.Planner == nil || state.Planner.Task != task || !state.Planner.Waiting {
		return result, nil
	}
	result.State = PlanDone // a chat that waits for the person's next words
	if q := QuestionOf(state); q != nil {
		result.State, result.Question, result.Options = PlanWaiting, q.Text, q.Options
		result.Notification, err = n.NotificationOf(ctx, id, q.ID)
	}
	return result, err
}

// QuestionOf is the oldest open question of the open planner task.
func QuestionOf(state workflow.State) *workflow.Question {
	if state.Planner == nil {
		return nil
	}
	for i, q := range state.Questions {
		if q.Task == state.Planner.Task {
			return &state.Questions[i]
		}
	}
	return nil
}
