package projections

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// The outcomes of a thread whose task is not left yet.
const (
	OutcomeOpen = "open"
	OutcomeHeld = "held" // a fix waits for a person
)

// The kinds of threads.
const (
	KindMaintainer = "maintainer"
	KindPlanner    = "planner"
)

// Thread is what an agent did about one task: for a maintainer, about one failure.
type Thread struct {
	ID       string    `json:"id" col:"id,key"`
	Workflow string    `json:"workflow" col:"workflow"`
	Kind     string    `json:"kind" col:"kind"`
	Task     string    `json:"task" col:"task"`
	Title    string    `json:"title" col:"title"`
	Opened   time.Time `json:"opened" col:"opened"`
	Closed   time.Time `json:"closed,omitzero" col:"closed"`
	// Outcome is [OutcomeOpen] or [OutcomeHeld], then why the task was left: fixed, stale,
	// escalated, replanned, rolled_back, archived; of a planner what it says itself.
	Outcome     string  `json:"outcome" col:"outcome"`
	Explanation string  `json:"explanation,omitempty" col:"explanation"`
	Tokens      int64   `json:"tokens,omitempty" col:"tokens"`
	CostUSD     float64 `json:"cost_usd,omitempty" col:"cost"`
	Model       string  `json:"model,omitempty" col:"model"`     // that answered last, as its provider names it
	Turns       int     `json:"turns,omitempty" col:"turns"`     // answers of models
	Node        string  `json:"node,omitempty" col:"node"`       // that works on it, or did last
	Missing     string  `json:"missing,omitempty" col:"missing"` // why no model answers just now
	// Set for a maintainer.
	Run      string           `json:"run,omitempty" col:"run"`              // the failed one
	Failure  *failure.Failure `json:"failure,omitempty" col:"failure,json"` // of that run, without stack and body
	Attached int              `json:"attached,omitempty" col:"attached"`    // further failures that joined
	Base     string           `json:"base,omitempty" col:"base"`            // the version that failed
	Version  string           `json:"version,omitempty" col:"version"`      // the version that mends it, empty if there is none
	Comment  string           `json:"comment,omitempty" col:"comment"`      // of the newest proposal
	Proposal string           `json:"proposal,omitempty" col:"proposal"`
	Attempt  int              `json:"attempt,omitempty" col:"attempt"`
	Budget   int              `json:"budget,omitempty" col:"budget"`

	Number int64 `json:"-" col:"number"` // in the order they were opened
	// Said is what the person said to a planner, in their own words: its stream has them only inside what a model is told.
	Said []Said `json:"-" col:"said,json"`
	// Best is the revision of the best candidate so far, 0 for none, and BestRank how good it is.
	Best     int64 `json:"-" col:"best"`
	BestRank int   `json:"-" col:"best_rank"`
}

// Said is what a person said, and when.
type Said struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

// newestFailure is the newest failed run of a workflow.
type newestFailure struct {
	Workflow string          `col:"workflow,key"`
	Run      string          `col:"run"`
	Failure  failure.Failure `col:"failure,json"`
}

// threadCandidate is a candidate that a thread's fixers came to, as it was judged. The rest of the conversation is folded
// from its stream when somebody asks ([ConversationOf]).
type threadCandidate struct {
	Thread   string                 `col:"thread,key"`
	Revision int64                  `col:"revision,key"`
	Judged   thread.CandidateJudged `col:"judged,json"`
}

var (
	threads = readmodel.NewTable[Thread]("thread",
		readmodel.Index("workflow", "number"), readmodel.Lookup("task", "task"), readmodel.Lookup("proposal", "proposal"))
	threadFailures   = readmodel.NewTable[newestFailure]("thread_failure")
	threadCandidates = readmodel.NewTable[threadCandidate]("thread_candidate")
)

func applyThread(tx *readmodel.Tx, recorded event.Recorded) error {
	at := recorded.Metadata.RecordedAt
	onTask := func(task string, change func(*Thread)) {
		for _, one := range threads.EditWhere(tx, "task", task) {
			change(one)
		}
	}
	onProposal := func(proposal string, change func(*Thread)) {
		for _, one := range threads.EditWhere(tx, "proposal", proposal) {
			change(one)
		}
	}
	used := func(one *Thread, usage *thread.Usage) {
		if usage != nil {
			one.Tokens += usage.Input + usage.Output
			one.CostUSD += usage.CostUSD
		}
	}
	switch e := recorded.Event.(type) {
	case workflow.RunFailed:
		threadFailures.Insert(tx, newestFailure{Workflow: workflowOf(recorded), Run: e.Run, Failure: *brief(e.Failure)})
	case workflow.RepairAsked:
		threadFailures.Insert(tx, newestFailure{Workflow: workflowOf(recorded), Run: e.Run, Failure: *brief(e.Failure)})
	case workflow.MaintenanceEntered:
		openThread(tx, e.Thread, workflowOf(recorded), KindMaintainer, e.Task, at)
		var why *failure.Failure
		if newest := threadFailures.Get(tx, workflowOf(recorded)); newest != nil && newest.Run == e.Run {
			why = &newest.Failure
		}
		onTask(e.Task, func(one *Thread) {
			one.Run, one.Base, one.Attempt, one.Budget = e.Run, versionText(e.Base), e.Attempt, e.Budget
			if one.Failure = nil; why != nil {
				copied := *why
				one.Failure = &copied
			}
		})
	case workflow.PlannerTaskOpened:
		openThread(tx, e.Thread, workflowOf(recorded), KindPlanner, e.Task, at)
		onTask(e.Task, func(one *Thread) { one.Said = []Said{{At: at, Text: e.Ask}} })
	case workflow.PlannerTold:
		onTask(e.Task, func(one *Thread) { one.Said = append(slices.Clip(one.Said), Said{At: at, Text: e.Text}) })
	case workflow.PlannerTaskClosed:
		onTask(e.Task, func(one *Thread) { one.Outcome, one.Closed = e.Outcome, at })
	case workflow.FailureAttached:
		onTask(e.Task, func(one *Thread) { one.Attached++ })
	case workflow.FixProposed:
		// A fix that comes after the task was left changes nothing of its outcome.
		onTask(e.Task, func(one *Thread) {
			if one.Outcome == OutcomeOpen || one.Outcome == OutcomeHeld {
				one.Proposal, one.Comment = e.Proposal, e.Comment
			}
		})
	case workflow.FixApplied:
		onProposal(e.Proposal, func(one *Thread) { one.Version = versionText(e.Version) })
	case workflow.FixAccepted:
		onProposal(e.Proposal, func(one *Thread) { one.Version = versionText(e.Version) })
	case workflow.FixHeld:
		onProposal(e.Proposal, func(one *Thread) { one.Outcome = OutcomeHeld })
	case workflow.FixCorrectionRequested:
		onProposal(e.Proposal, func(one *Thread) { one.Outcome = OutcomeOpen })
	case workflow.MaintenanceExited:
		onTask(e.Task, func(one *Thread) { one.Outcome, one.Closed = e.Why, at })
	case workflow.Escalated:
		onTask(e.Task, func(one *Thread) { one.Explanation = e.Explanation })
	case thread.ThreadOpened:
		openThread(tx, e.Thread, e.Workflow, e.Kind, e.Task, at)
		threads.Edit(tx, e.Thread).Title = e.Title
	}
	id, its := strings.CutPrefix(recorded.Stream, thread.StreamPrefix)
	if !its {
		return nil
	}
	if one := threads.Edit(tx, id); one != nil {
		switch e := recorded.Event.(type) {
		case thread.ThreadClosed:
			one.Tokens, one.CostUSD = e.Tokens, e.CostUSD
			one.Explanation = cmp.Or(one.Explanation, e.Outcome)
			if one.Closed.IsZero() {
				one.Closed = at
			}
		case thread.ThreadClaimed:
			one.Node = e.Node
		case thread.CandidateJudged:
			if of := rank(e); one.Best == 0 || of < one.BestRank || of == one.BestRank && !fromTemplate(e) {
				one.Best, one.BestRank = recorded.Revision, of
			}
		case thread.MessageAppended:
			if e.Usage != nil {
				used(one, e.Usage)
				one.Model, one.Missing = e.Usage.Model, ""
				one.Turns++
			}
		case thread.ModelUnavailable:
			used(one, e.Usage)
			one.Missing = e.Model + " does not answer: " + e.Kind
		}
	}
	if judged, is := recorded.Event.(thread.CandidateJudged); is {
		threadCandidates.Insert(tx, threadCandidate{Thread: id, Revision: recorded.Revision, Judged: judged})
	}
	return nil
}

// openThread makes the row of a thread, which the workflow's stream or the thread's own
// stream may name first.
func openThread(tx *readmodel.Tx, id, workflow, kind, task string, at time.Time) {
	if threads.Get(tx, id) == nil {
		threads.Insert(tx, Thread{
			ID: id, Number: tx.Next("thread"), Workflow: workflow, Kind: kind, Task: task, Opened: at, Outcome: OutcomeOpen,
		})
	}
}

// threadOf is the thread whose stream an event is in.
func threadOf(recorded event.Recorded) string { return recorded.Stream[len(thread.StreamPrefix):] }

// Threads are the threads of a workflow, the newest first; an empty kind chooses all.
func (q *Queries) Threads(ctx context.Context, workflow, kind string) ([]Thread, error) {
	var chosen conditions
	chosen.add("workflow = ?", workflow)
	chosen.equal("kind", kind)
	return selected(ctx, q, threads, chosen.where()+" ORDER BY number DESC", chosen.args...)
}

// ThreadOf is the thread of a task.
func (q *Queries) ThreadOf(ctx context.Context, task string) (Thread, error) {
	return selectedOne(ctx, q, fault.New(fault.NotFound, "there is no thread of task %q", task), threads, "WHERE task = ? AND task <> ''", task)
}

// Thread is one thread.
func (q *Queries) Thread(ctx context.Context, id string) (Thread, error) {
	return selectedOne(ctx, q, fault.New(fault.NotFound, "there is no thread %q: see the threads of the workflow", id),
		threads, "WHERE id = ?", id)
}

// ThreadEntry is one thing that was said or done in a thread. Kind is the event's type;
// one of the pointers is set.
type ThreadEntry struct {
	Revision  int64                   `json:"revision"`
	At        time.Time               `json:"at"`
	Actor     string                  `json:"actor"`
	Kind      string                  `json:"kind"`
	Message   *thread.MessageAppended `json:"message,omitempty"`
	Invoked   *thread.ToolInvoked     `json:"invoked,omitempty"`
	Resulted  *thread.ToolResulted    `json:"resulted,omitempty"`
	Candidate *thread.CandidateJudged `json:"candidate,omitempty"`
	// Unavailable says that a provider gave no answer.
	Unavailable *thread.ModelUnavailable `json:"unavailable,omitempty"`
}

// ConversationOf is all messages, tool calls and judged candidates of a thread, in order, from the events of its stream.
func ConversationOf(history []event.Recorded) []ThreadEntry {
	entries := []ThreadEntry{}
	for _, recorded := range history {
		entry := ThreadEntry{
			Revision: recorded.Revision, At: recorded.Metadata.RecordedAt, Actor: recorded.Metadata.Actor, Kind: recorded.Event.EventType(),
		}
		switch e := recorded.Event.(type) {
		case thread.MessageAppended:
			entry.Message = &e
		case thread.ToolInvoked:
			entry.Invoked = &e
		case thread.ToolResulted:
			entry.Resulted = &e
		case thread.ModelUnavailable:
			entry.Unavailable = &e
		case thread.CandidateJudged:
			entry.Candidate = &e
		default:
			continue
		}
		entries = append(entries, entry)
	}
	return entries
}
