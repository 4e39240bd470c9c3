package app

import (
	"context"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/planning"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Planner talks with people about workflows that they wish for.
type Planner struct {
	Commands  *commands.Commands
	Queries   *projections.Queries
	Decisions *Decisions
}

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

// Planned is how a task stands.
func (p *Planner) Planned(ctx context.Context, id, task string) (Planned, error) {
	result := Planned{Workflow: id, Task: task, State: PlanWorking, Saved: []string{}}
	state, err := p.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return result, err
	}
	result.Status, result.Schedule = state.Status, state.Schedule.Spec
	if !state.Active.IsZero() {
		result.Version = state.Active.String()
	}
	for one, err := range p.Commands.History(ctx, []string{workflow.Stream(id)}) {
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
	if said, err := p.Commands.LoadThread(ctx, result.Thread); err == nil {
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
		result.Notification, err = p.Decisions.Notification(ctx, id, q.ID)
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

// ReplanWish is what a person wants who has a workflow planned anew and says no more.
const ReplanWish = "The script broke and could not be repaired. Find out why, and plan it anew so that it does again what it is for."

// Wish is what a person asks of the planner.
type Wish struct {
	Task, Thread string // the ids of a task, if one is opened for it
	Text         string // empty to go on with what was begun
	Replan       bool   // the workflow was handed to a person, and is planned anew
}

// Begin says a wish: to a new planner task, or to the one that waits for a word. It returns the task.
func (p *Planner) Begin(ctx context.Context, meta func() commands.Meta, id string, wish Wish) (task string, err error) {
	state, err := p.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return "", err
	}
	if wish.Replan {
		if state.Escalation == nil {
			return "", fault.New(fault.Conflict, "%s was not handed to you: say what you want instead of --replan", state.Title)
		}
		if wish.Text == "" {
			wish.Text = ReplanWish
		}
	}
	open := state.Planner
	switch {
	case wish.Text == "" && open == nil:
		return "", fault.New(fault.Invalid, "say what you want: kintsugi plan %s \"…\"", id)
	case wish.Text == "":
		return open.Task, nil
	case open == nil:
		_, err = p.Commands.OpenPlannerTask(ctx, id, workflow.OpenPlannerTask{Task: wish.Task, Thread: wish.Thread, Ask: wish.Text}, meta())
		return wish.Task, err
	}
	if q := QuestionOf(state); q != nil {
		return "", fault.New(fault.Conflict, "the planner waits for an answer first: %s (kintsugi notification list, or: kintsugi chat %s)", plain.Line(q.Text), id)
	}
	_, err = p.Commands.TellPlanner(ctx, id, workflow.TellPlanner{Task: open.Task, Text: wish.Text}, meta())
	return open.Task, err
}

// Say hands a person's words to the planner: as an answer, as what it waits for, or as a new wish. It returns the task.
func (p *Planner) Say(ctx context.Context, meta commands.Meta, id string, said Wish) (task string, err error) {
	state, err := p.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return "", err
	}
	if q := QuestionOf(state); q != nil {
		_, err := p.Commands.AnswerQuestion(ctx, id, workflow.AnswerQuestion{Question: q.ID, Answer: Chosen(q.Options, said.Text)}, meta)
		return q.Task, err
	}
	if state.Planner != nil {
		_, err := p.Commands.TellPlanner(ctx, id, workflow.TellPlanner{Task: state.Planner.Task, Text: said.Text}, meta)
		return state.Planner.Task, err
	}
	_, err = p.Commands.OpenPlannerTask(ctx, id, workflow.OpenPlannerTask{Task: said.Task, Thread: said.Thread, Ask: said.Text, Chat: true}, meta)
	return said.Task, err
}

// End closes the open task of the planner, if there is one: the thread first, as the planner does.
func (p *Planner) End(ctx context.Context, meta func() commands.Meta, id string) error {
	state, err := p.Commands.LoadWorkflow(ctx, id)
	if err != nil || state.Planner == nil {
		return err
	}
	const outcome = "The person ended the conversation."
	_, err = p.Commands.CloseThread(ctx, state.Planner.Thread, thread.Close{Outcome: outcome}, meta())
	if kind := fault.KindOf(err); err != nil && kind != fault.NotFound && kind != fault.Conflict { // not opened, or closed
		return err
	}
	_, err = p.Commands.ClosePlannerTask(ctx, id, workflow.ClosePlannerTask{Task: state.Planner.Task, Outcome: outcome}, meta())
	if fault.KindOf(err) == fault.NotFound { // it ended by itself
		return nil
	}
	return err
}

// Conversation is one with an agent: what it is about, and everything that was said and done.
type Conversation struct {
	projections.Thread
	WorkflowTitle string `json:"workflow_title"`
	// Talk is a conversation with the planner as a person reads it.
	Talk         []planning.Line           `json:"talk,omitempty"`
	Conversation []projections.ThreadEntry `json:"conversation"`
}

// Conversation reads what was said from the thread's own stream.
func (p *Planner) Conversation(ctx context.Context, of projections.Thread) (shown Conversation, err error) {
	at, err := p.Queries.Workflow(ctx, of.Workflow)
	if err != nil {
		return shown, err
	}
	history, err := streamOf(ctx, p.Commands, thread.Stream(of.ID))
	shown = Conversation{Thread: of, WorkflowTitle: at.Title, Conversation: projections.ConversationOf(history)}
	if of.Kind == projections.KindPlanner {
		shown.Talk = planning.Talk(of, shown.Conversation)
	}
	return shown, err
}
