package planning

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/agent"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Views is what the planner sees of the past.
type Views interface {
	Runs(ctx context.Context, filter projections.RunFilter) ([]projections.Run, error)
	Fixes(ctx context.Context, filter projections.FixFilter) ([]projections.Fix, error)
}

// Config is what a Planner needs.
type Config struct {
	Commands *commands.Commands
	Explorer *rehearsal.Explorer
	Views    Views
	Model    llm.Model
	Place    agents.Place
	Logger   *slog.Logger
	// Budget is for each thing that a person says. Zero values are the planner's defaults.
	Budget agent.Budget
	// Words passes on its words as it says them. Nil is for nobody.
	Words *agents.Words
	// Semaphore is shared with the maintainer. Nil is one for planners only.
	Semaphore *loop.Semaphore
	// Allowance says whether agents may spend at all. Nil means that they may.
	Allowance agents.Allowance
}

// The bounds of a planner for each thing that a person says.
const (
	plannerTurns   = 20
	plannerTokens  = 400_000
	plannerCostUSD = 2
	// plannerAnswer is how many tokens one answer may have: it holds a whole script, its summary and diagram.
	plannerAnswer = 16 << 10
	// plannerTemperature leaves room for finding a way; a repair has less.
	plannerTemperature = 0.3
	// plannerTries is how often in a row a model may not answer before the task is closed.
	plannerTries = 8
)

// Planner works on open planner tasks: a model talks with the person and saves scripts.
type Planner struct{ config Config }

// NewPlanner panics if a dependency is missing: that is a mistake in the wiring.
func NewPlanner(config Config) *Planner {
	if config.Commands == nil || config.Explorer == nil || config.Views == nil || config.Model == nil || config.Place.Now == nil || config.Logger == nil {
		panic("planning: NewPlanner without a dependency")
	}
	config.Budget = config.Budget.Or(agent.Budget{Turns: plannerTurns, Tokens: plannerTokens, CostUSD: plannerCostUSD})
	return &Planner{config: config}
}

// Name implements [loop.Reaction].
func (p *Planner) Name() string { return "planner" }

// Semaphore implements [loop.Limited].
func (p *Planner) Semaphore() *loop.Semaphore { return p.config.Semaphore }

// Due implements [loop.Reaction]: the open task, unless it waits for a person.
func (p *Planner) Due(id string, s workflow.State) []loop.Work {
	if !s.PlannerRunning() || s.Status == workflow.StatusArchived {
		return nil
	}
	task := s.Planner.Task
	return []loop.Work{{
		Key: task, Do: func(ctx context.Context) error { return p.plan(ctx, id, task) },
		Broken: func(ctx context.Context, problem string) error { return p.broken(ctx, id, task, problem) },
	}}
}

// broken ends a task whose planner panicked: it would do so again.
func (p *Planner) broken(ctx context.Context, id, task, problem string) error {
	state, err := p.config.Commands.LoadWorkflow(ctx, id)
	if err != nil || !state.PlannerRunning() || state.Planner.Task != task {
		return err
	}
	j := &planning{Planner: p, id: id, task: *state.Planner}
	if err := j.claim(ctx); err != nil {
		return err
	}
	return j.end(ctx, "The planner stopped, because Kintsugi itself failed: "+problem+". Ask again, or report this text.", true)
}

// planning is one life of a task.
type planning struct {
	*Planner
	id     string
	task   workflow.Planner
	thread *agents.Thread
}

// errLeft says that the task is not open any more: somebody closed it.
var errLeft = errors.New("the planner's task was closed")

func (p *Planner) plan(ctx context.Context, id, task string) error {
	state, err := p.config.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return err
	}
	if !state.PlannerRunning() || state.Planner.Task != task {
		return nil
	}
	j := &planning{Planner: p, id: id, task: *state.Planner}
	if err := j.claim(ctx); err != nil {
		return err
	}
	kept, stop := j.thread.Keep(ctx)
	defer stop()
	err = j.work(kept, state)
	switch {
	case errors.Is(err, errLeft):
		return nil
	case err != nil && ctx.Err() == nil && kept.Err() != nil: // the thread was lost, and with it whatever was under way
		return context.Cause(kept)
	}
	return err
}

// claim opens the thread, in the first life, and takes it for this node.
func (j *planning) claim(ctx context.Context) (err error) {
	meta := j.meta("thread")
	_, err = j.config.Commands.OpenThread(ctx, thread.Open{
		Thread: j.task.Thread, Workflow: j.id, Kind: thread.KindPlanner, Task: j.task.Task, Title: firstLineOf(j.task.Ask),
	}, meta)
	if err != nil && fault.KindOf(err) != fault.Conflict { // another node opened it
		return err
	}
	j.thread, err = agents.Claim(ctx, j.config.Commands, j.task.Thread, j.config.Place, j.meta())
	return err
}

func (j *planning) meta(parts ...string) commands.Meta {
	meta := commands.Meta{CorrelationID: j.task.Task, CausationID: j.task.Task, Actor: "planner:" + j.task.Task}
	if len(parts) > 0 {
		meta.CommandID = commands.DerivedID(append([]string{j.task.Task}, parts...)...)
	}
	return meta
}

func (j *planning) work(ctx context.Context, state workflow.State) error {
	if j.thread.Closed() { // a crash came after that
		said, err := j.thread.State(ctx)
		if err != nil {
			return err
		}
		outcome, stopped := strings.CutPrefix(said.Outcome, stoppedPrefix)
		return j.leave(ctx, outcome, stopped)
	}
	talk, err := j.conversation(ctx, state)
	if err != nil {
		return err
	}
	ended, err := j.thread.Run(ctx, agent.Config{
		Model: j.model(), Tools: j.tools(), Budget: j.budget(), Temperature: plannerTemperature, MaxTokens: plannerAnswer,
	}, talk)
	if missed, is := errors.AsType[*llm.Error](err); is {
		return j.missed(ctx, missed)
	}
	if err != nil {
		return fmt.Errorf("planning.Planner: task %s: %w", j.task.Task, err)
	}
	return j.conclude(ctx, ended)
}

// conversation is what was said so far, and what the person said since.
func (j *planning) conversation(ctx context.Context, state workflow.State) (agent.Conversation, error) {
	talk, begun, err := j.thread.Conversation(ctx)
	if err == nil && !begun {
		var brief string
		if brief, err = j.brief(ctx, state); err == nil {
			err = j.thread.Begin(ctx, plannerPrompt(), brief)
		}
	}
	for i, told := range j.task.Told {
		if err == nil {
			err = j.thread.Say(ctx, llm.User, told, "told "+strconv.Itoa(i))
		}
	}
	if err == nil && (!begun || len(j.task.Told) > 0) {
		talk, _, err = j.thread.Conversation(ctx)
	}
	return talk, err
}

func (j *planning) model() llm.Model {
	model := j.config.Words.Heard(j.config.Model, agents.Saying{Workflow: j.id, Thread: j.task.Thread, Agent: thread.KindPlanner})
	if j.config.Allowance == nil {
		return model
	}
	return agents.AllowedModel{Model: model, Allowed: func(ctx context.Context) error { return j.config.Allowance.Spend(ctx, j.id) }}
}

// budget grows with what the person says: each wish may take as much as the first.
func (j *planning) budget() agent.Budget {
	b, wishes := j.config.Budget, 1+len(j.task.Told)
	b.Turns, b.Tokens, b.CostUSD = b.Turns*wishes, b.Tokens*int64(wishes), b.CostUSD*float64(wishes)
	return b
}

// missed asks a provider that did not answer again later, and gives up where only a person can help.
func (j *planning) missed(ctx context.Context, failed *llm.Error) error {
	said, err := j.thread.State(ctx)
	if err != nil {
		return err
	}
	tries := 1
	if said.Missing != nil {
		tries += said.Missing.Tries
	}
	again := j.config.Place.Now().Add(min(firstMissed<<min(tries-1, 10), lastMissed))
	if err := j.thread.Missed(ctx, j.config.Model.Name(), failed, again); err != nil {
		return err
	}
	if passing := failed.Kind == llm.Unavailable || failed.Kind == llm.Malformed; passing && tries < plannerTries {
		return &loop.Wait{Until: again}
	}
	return j.end(ctx, fmt.Sprintf("The model %s does not answer: %v. See to it, and ask again.", j.config.Model.Name(), failed), true)
}

// After how long a model that did not answer is asked again: twice as long each time.
const (
	firstMissed = 8 * time.Second
	lastMissed  = 10 * time.Minute
)

func (j *planning) conclude(ctx context.Context, ended agent.Ended) error {
	message := ended.Message
	if message == "" {
		message = "The planner ended without a word."
	}
	switch ended.Why {
	case agent.OutOf:
		return j.end(ctx, fmt.Sprintf("The planner stopped: its budget of %s is used up. The last it said: %s", ended.Detail, message), true)
	case agent.Repeating, agent.Broken:
		return j.end(ctx, fmt.Sprintf("The planner stopped: %s. The last it said: %s", ended.Detail, message), true)
	}
	if !j.task.Chat {
		return j.end(ctx, message, false)
	}
	_, err := j.config.Commands.WaitPlannerTask(ctx, j.id, workflow.WaitPlannerTask{Task: j.task.Task}, j.meta("heard", strconv.Itoa(len(j.task.Told))))
	return unlessGone(err)
}

// stoppedPrefix begins the outcome of the thread of a planner that stopped before it was done.
const stoppedPrefix = "stopped: "

// end closes the thread and then the task, so that a crash in between finds the outcome.
func (j *planning) end(ctx context.Context, outcome string, stopped bool) error {
	kept := outcome
	if stopped {
		kept = stoppedPrefix + outcome
	}
	if err := j.thread.Close(ctx, kept); err != nil {
		return err
	}
	return j.leave(ctx, outcome, stopped)
}

func (j *planning) leave(ctx context.Context, outcome string, stopped bool) error {
	_, err := j.config.Commands.ClosePlannerTask(ctx, j.id, workflow.ClosePlannerTask{Task: j.task.Task, Outcome: outcome, Stopped: stopped}, j.meta("close"))
	return unlessGone(err)
}

// unlessGone lets go of what is about a task that somebody closed.
func unlessGone(err error) error {
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	return err
}

// brief is the first message to the planner: the person's words as they are, the rest as material.
func (j *planning) brief(ctx context.Context, s workflow.State) (string, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "The person asks:\n%s\n\n", j.task.Ask)
	if locale := s.Settings.Locale; locale != "" {
		fmt.Fprintf(&text, "The workflow's locale is %s, its zone %s.\n\n", locale, s.Zone)
	}
	about := map[string]any{
		"title": s.Title, "intent": s.Intent, "status": s.Status, "zone": s.Zone, "schedule": s.Schedule.Spec, "schedule_zone": s.Schedule.Zone,
		"allowed_hosts": s.Settings.AllowedHosts, "versions": len(s.Versions),
	}
	fmt.Fprintf(&text, "The workflow:\n%s\n", fenced("workflow", about))
	if script, found := s.Script(s.Active); found {
		fmt.Fprintf(&text, "\nIts active script, version %s:\n%s\n", script.Version, llm.Fence("script "+script.Version.String(), script.Code))
	} else {
		text.WriteString("\nIt has no script yet.\n")
	}
	if err := j.escalation(ctx, &text, s); err != nil {
		return "", err
	}
	fmt.Fprintf(&text, "\nIt is %s.", j.config.Place.Now().UTC().Format("Monday 2006-01-02 15:04 MST"))
	return text.String(), nil
}

// escalation adds why the workflow was handed to a person, which the planner has to mend.
func (j *planning) escalation(ctx context.Context, text *strings.Builder, s workflow.State) error {
	e := s.Escalation
	if e == nil {
		return nil
	}
	about := map[string]any{"reason": e.Reason, "explanation": e.Explanation, "run": e.Run}
	if e.Run != "" {
		failed, err := j.config.Commands.LoadRun(ctx, e.Run)
		if err != nil && fault.KindOf(err) != fault.NotFound {
			return err
		}
		if f := failed.Failure; f != nil {
			about["failure"] = map[string]any{"class": f.Class, "name": f.Name, "message": f.Message, "stack": failure.Cut(f.Stack, 2<<10), "body": failure.Cut(f.Body, 2<<10)}
			about["version"], about["input"] = failed.Version, failed.Input
		}
	}
	fmt.Fprintf(text, "\nThe script broke, and could not be repaired automatically. The workflow was handed to the person, who wants it planned anew:\n%s\n", fenced("escalation", about))
	return nil
}

// fenced is a value as JSON in a block that it cannot leave.
func fenced(label string, value any) string {
	encoded, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		encoded = []byte(`"(cannot be shown)"`) // what is shown was JSON before
	}
	return llm.Fence(label, failure.Cut(string(encoded), fencedBytes))
}

// fencedBytes is how much of a value a model gets to see: with its fence it stays whole in the
// answer to a call.
const fencedBytes = 7 << 10

func firstLineOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
