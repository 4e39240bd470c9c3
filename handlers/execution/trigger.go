package execution

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
)

// Inputs has workflows start on outcomes of others, and lets inputs that wait become runs.
//
// The state of the workflow that outcomes start has those that are dealt with, so every
// outcome leads to one run, place in the queue or recorded skip, whatever node looks and whenever.
type Inputs struct {
	commands *commands.Commands
	now      func() time.Time

	mu        sync.Mutex
	listeners map[string]map[string]bool // by source
	scanned   map[scanKey]scan
}

type scanKey struct{ target, source string }

// scan is how far a source was read without finding anything that is wanted. It saves reading
// only: the state knows what is dealt with.
type scan struct {
	outcomes []workflow.Outcome
	until    int64
}

// NewInputs panics without its dependencies.
func NewInputs(c *commands.Commands, now func() time.Time) *Inputs {
	if c == nil || now == nil {
		panic("execution: NewInputs without a dependency")
	}
	return &Inputs{commands: c, now: now, listeners: map[string]map[string]bool{}, scanned: map[scanKey]scan{}}
}

// Name implements [loop.Reaction].
func (i *Inputs) Name() string { return "inputs" }

// Listeners implements [loop.Listener].
func (i *Inputs) Listeners(source string) []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	var ids []string
	for id := range i.listeners[source] {
		ids = append(ids, id)
	}
	return ids
}

// listen remembers, before a source is read, who is to hear of its next events.
func (i *Inputs) listen(id string, triggers map[string]workflow.EventTrigger) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for source := range triggers {
		if i.listeners[source] == nil {
			i.listeners[source] = map[string]bool{}
		}
		i.listeners[source][id] = true
	}
}

// Due implements [loop.Reaction].
func (i *Inputs) Due(id string, s workflow.State) []loop.Work {
	var due []loop.Work
	if admit, at, ok := s.NextInput(i.now()); ok {
		if admit.Trigger == workflow.TriggerRetry { // every node arrives at the same run
			admit.Run = commands.DerivedID(admit.Continues, "queue")
		}
		due = append(due, loop.Work{Key: "queue", At: at, Do: func(ctx context.Context) error { return i.admit(ctx, id, admit) }})
	}
	if len(s.Triggers) == 0 || !s.TakesOutcomes() {
		return due
	}
	i.listen(id, s.Triggers)
	for source := range s.Triggers {
		due = append(due, loop.Work{Key: "outcomes of " + source, Do: func(ctx context.Context) error { return i.follow(ctx, id, source) }})
	}
	return due
}

// admit lets the first input of the queue become a run. It is a conflict if something else is in its way by
// now: the state as it is then says what is next.
func (i *Inputs) admit(ctx context.Context, id string, admit workflow.AdmitRun) error {
	_, err := i.commands.AdmitRun(ctx, id, admit, commands.Meta{
		CommandID: commands.DerivedID(admit.Run, "admit"), CorrelationID: cmp.Or(admit.Continues, admit.Run), CausationID: cmp.Or(admit.Continues, admit.Run), Actor: "system:inputs",
	})
	if err != nil && fault.KindOf(err) != fault.Conflict {
		return fmt.Errorf("execution.Inputs: admit the input of run %s: %w", admit.Run, err)
	}
	return nil
}

// follow offers every outcome of a source that is not dealt with, in order, and then waits for its
// next event.
func (i *Inputs) follow(ctx context.Context, id, source string) error {
	target, err := i.commands.LoadWorkflow(ctx, id)
	if err != nil {
		return fmt.Errorf("execution.Inputs: %w", err)
	}
	trigger, set := target.Triggers[source]
	if !set || !target.TakesOutcomes() {
		return nil
	}
	for recorded, err := range i.commands.WorkflowAfter(ctx, source, i.known(id, trigger)) {
		if err != nil {
			return fmt.Errorf("execution.Inputs: outcomes of workflow %s: %w", source, err)
		}
		offer, wanted, err := i.offer(ctx, id, source, trigger, recorded)
		if err != nil {
			return fmt.Errorf("execution.Inputs: outcome %d of workflow %s: %w", recorded.Revision, source, err)
		}
		if wanted {
			_, err := i.commands.OfferInput(ctx, id, offer, commands.Meta{
				CommandID: commands.DerivedID(id, "outcome", recorded.Metadata.EventID), Actor: "system:inputs",
				CorrelationID: recorded.Metadata.CorrelationID, CausationID: recorded.Metadata.EventID,
			})
			if fault.KindOf(err) == fault.Conflict {
				return nil // the trigger was changed meanwhile
			}
			if err != nil {
				return fmt.Errorf("execution.Inputs: outcome %d of workflow %s: %w", recorded.Revision, source, err)
			}
		}
		i.mu.Lock()
		i.scanned[scanKey{id, source}] = scan{trigger.Outcomes, recorded.Revision}
		i.mu.Unlock()
	}
	return &loop.Wait{}
}

// known is the newest revision of a source in which nothing is to be found any more.
func (i *Inputs) known(id string, trigger workflow.EventTrigger) int64 {
	i.mu.Lock()
	defer i.mu.Unlock()
	if was := i.scanned[scanKey{id, trigger.Source}]; slices.Equal(was.outcomes, trigger.Outcomes) {
		return max(was.until, trigger.Until)
	}
	return trigger.Until
}

// told is the input of a run that an outcome starts.
type told struct {
	Workflow string           `json:"workflow"`
	Title    string           `json:"title"`
	Outcome  workflow.Outcome `json:"outcome"`
	Event    string           `json:"event"` // id
	At       time.Time        `json:"at"`
	Run      string           `json:"run,omitempty"`
	Version  string           `json:"version,omitempty"`
	Output   json.RawMessage  `json:"output,omitempty"`
	// OutputBytes is how large an output is that is too large to be told.
	OutputBytes int              `json:"output_bytes,omitempty"`
	Failure     *failure.Failure `json:"failure,omitempty"`
	Reason      string           `json:"reason,omitempty"` // of an escalation
	Explanation string           `json:"explanation,omitempty"`
}

// outputTold is the longest output that is handed on.
const outputTold = 384 << 10

// offer is what an event means to a workflow that it may start; wanted is false for nothing.
func (i *Inputs) offer(
	ctx context.Context, id, source string, trigger workflow.EventTrigger, recorded event.Recorded,
) (offer workflow.OfferInput, wanted bool, err error) {
	say := told{Workflow: source, Event: recorded.Metadata.EventID, At: recorded.Metadata.RecordedAt}
	switch e := recorded.Event.(type) {
	case workflow.RunSucceeded:
		say.Outcome, say.Run = workflow.OutcomeSucceeded, e.Run
	case workflow.RunFailed:
		say.Outcome, say.Run = workflow.OutcomeFailed, e.Run
	case workflow.Recovered:
		say.Outcome, say.Run = workflow.OutcomeRecovered, e.Run
	case workflow.Escalated:
		say.Outcome, say.Run = workflow.OutcomeEscalated, e.Run
		say.Reason, say.Explanation = e.Reason, e.Explanation
	}
	if !trigger.Wants(say.Outcome) {
		return offer, false, nil
	}
	from, err := i.commands.LoadWorkflow(ctx, source)
	if err != nil {
		return offer, false, err
	}
	say.Title = from.Title
	if became, settled := from.Run(say.Run); settled && became.Trigger == workflow.TriggerImport {
		return offer, false, nil // it happened elsewhere, and long ago
	}
	if say.Run != "" {
		ran, err := i.commands.LoadRun(ctx, say.Run)
		if err != nil && fault.KindOf(err) != fault.NotFound {
			return offer, false, err
		}
		say.Version, say.Output = ran.Version, ran.Output
		if len(say.Output) > outputTold {
			say.Output, say.OutputBytes = nil, len(ran.Output)
		}
		if ran.Failure != nil {
			failed := *ran.Failure
			failed.Stack, failed.Body = "", ""
			say.Failure = &failed
		}
	}
	input, err := event.Marshal(say)
	if err != nil {
		return offer, false, err
	}
	return workflow.OfferInput{
		Run: commands.DerivedID(id, "event", say.Event), Trigger: workflow.TriggerEvent, Input: input,
		Source: &workflow.Source{
			Workflow: source, Revision: recorded.Revision, Event: say.Event, Outcome: say.Outcome, Run: say.Run, Hops: from.HopsOf(say.Run) + 1,
		},
	}, true, nil
}
