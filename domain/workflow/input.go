package workflow

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/internal/persistent"
)

// Limits and defaults of inputs.
const (
	DefaultQueuedInputs = 100
	mostQueuedInputs    = 500
	maxQueuedBytes      = 8 << 20 // of all inputs that wait: they are part of the state
	maxTriggers         = 100
	maxDebounce         = time.Hour
	// MaxHops bounds how many workflows in a row may start each on the outcome of the one before:
	// a circle ends there.
	MaxHops = 8
)

// EventTrigger is what starts the workflow on outcomes of another one.
type EventTrigger struct {
	Source   string
	Outcomes []Outcome
	Until    int64 // the newest revision of the source's stream that is dealt with
}

// Wants says that an outcome starts the workflow.
func (t EventTrigger) Wants(outcome Outcome) bool { return slices.Contains(t.Outcomes, outcome) }

// QueuedInput waits for its turn to become a run, or its run has failed before its first write, and it waits to be tried again.
type QueuedInput struct {
	Run     string // that it becomes, or that failed
	Trigger Trigger
	Input   json.RawMessage // of one that has not run
	Source  *Source
	Number  int // of its arrival

	// These are of one whose run failed; see [InputRequeued].
	Slot  *time.Time `json:",omitempty"`
	Kind  string     `json:",omitempty"`
	Waits string     `json:",omitempty"`
	Ready bool       `json:",omitempty"`
	At    time.Time  `json:",omitzero"`
	Fix   Version    `json:",omitzero"` // as of [RunInfo]

	Labels   Labels    `json:",omitempty"`
	Key      string    `json:",omitempty"`
	Priority int       `json:",omitempty"`
	Since    time.Time `json:",omitzero"` // see [InputQueued]
}

// HopsOf is how many outcomes of other workflows in a row led to a run, 0 for one that begins by itself.
func (s State) HopsOf(run string) int {
	if info, admitted := s.Admitted[run]; admitted && info.Source != nil {
		return info.Source.Hops
	}
	settled, _ := s.runs.Get(run)
	return settled.Hops
}

// TakesOutcomes says that something becomes of an outcome of another workflow: in the archive they
// are dropped without a word once that was recorded.
func (s State) TakesOutcomes() bool { return !s.archived || !s.dropNoted }

// kindMembers are the members that may name the kind of an input: the first of them that is a text does.
var kindMembers = []string{"type", "event", "action", "kind"}

const (
	maxKind  = 100 // bytes of one
	maxKinds = 100 // that are told apart
)

// kindOf is what an input says that it is, empty if it does not.
func kindOf(input json.RawMessage) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(input, &members) != nil {
		return ""
	}
	for _, name := range kindMembers {
		var kind string
		if json.Unmarshal(members[name], &kind) == nil && kind != "" && len(kind) <= maxKind {
			return kind
		}
	}
	return ""
}

// newKind says that no run of an input of this kind succeeded, and that kinds tell inputs apart: others succeeded, and came
// again. A member that is another with each input (an id) is no kind.
func (s State) newKind(kind string) bool {
	all := 0
	for _, times := range s.kinds {
		all += times
	}
	return kind != "" && s.kinds[kind] == 0 && len(s.kinds) > 0 && len(s.kinds) < maxKinds && all >= 2*len(s.kinds)
}

// kindSucceeded counts a success.
func (s State) kindSucceeded(kind string) State {
	if kind == "" || s.kinds[kind] == 0 && len(s.kinds) >= maxKinds {
		return s
	}
	s.kinds = persistent.With(s.kinds, kind, s.kinds[kind]+1)
	return s
}

// NextInput returns the queued input that becomes a run next, and the earliest time of that; the zero time is now. It
// returns false if none can start before another event. If it tries a failed run's input again, the caller gives the
// new run its id.
func (s State) NextInput(now time.Time) (admit AdmitRun, at time.Time, ok bool) {
	next, at, waits := s.nextInLine(now)
	if !waits {
		return AdmitRun{}, time.Time{}, false
	}
	admit = next.admission()
	if at.After(now) {
		return admit, at, true
	}
	if err := s.admits(admit, now); err == nil {
		return admit, time.Time{}, true
	}
	again, full := s.hourFull(now)
	return admit, again, full && s.statusAdmits(admit) && !s.busy()
}

// hourFull says that as many runs have started within an hour as may, and when the next one may.
func (s State) hourFull(now time.Time) (again time.Time, full bool) {
	most := s.Settings.RunsPerHr
	if most == 0 || len(s.AdmittedAt) < most {
		return time.Time{}, false
	}
	again = s.AdmittedAt[len(s.AdmittedAt)-most].Add(time.Hour)
	return again, now.Before(again)
}

func (s State) setTrigger(c SetTrigger) ([]event.Event, error) {
	if err := s.editable(); err != nil {
		return nil, err
	}
	if c.Source == "" {
		return nil, invalid("name the workflow whose outcomes start this one")
	}
	if len(c.Outcomes) == 0 {
		return nil, invalid("say which outcomes of workflow %s start this one", c.Source)
	}
	outcomes := slices.Compact(slices.Sorted(slices.Values(c.Outcomes)))
	for _, outcome := range outcomes {
		switch outcome {
		case OutcomeSucceeded, OutcomeFailed, OutcomeRecovered, OutcomeEscalated:
		default:
			return nil, invalid("%q is not an outcome: choose succeeded, failed, recovered or escalated", outcome)
		}
	}
	set, there := s.Triggers[c.Source]
	switch {
	case there && slices.Equal(set.Outcomes, outcomes):
		return nil, nil
	case !there && len(s.Triggers) >= maxTriggers:
		return nil, conflict("workflow %q starts on %d other workflows already, which is the most", s.Title, maxTriggers)
	}
	return []event.Event{TriggerSet{Source: c.Source, Outcomes: outcomes, After: max(c.After, set.Until)}}, nil
}

func (s State) removeTrigger(c RemoveTrigger) ([]event.Event, error) {
	if err := s.editable(); err != nil {
		return nil, err
	}
	if _, set := s.Triggers[c.Source]; !set {
		return nil, notFound("workflow %q does not start on workflow %s", s.Title, c.Source)
	}
	return []event.Event{TriggerRemoved(c)}, nil
}

// offerInput decides what becomes of an input: a run, a place in the queue, or a recorded skip.
func (s State) offerInput(c OfferInput, now time.Time) ([]event.Event, error) {
	switch {
	case c.Run == "":
		return nil, invalid("an input needs the id of the run that it becomes")
	case c.Trigger != TriggerWebhook && c.Trigger != TriggerEvent:
		return nil, invalid("%q brings no inputs: webhook and event do", c.Trigger)
	case (c.Trigger == TriggerEvent) != (c.Source != nil):
		return nil, invalid("an input has a source if its trigger is event, and only then")
	}
	if err := isInput(c.Input); err != nil {
		return nil, err
	}
	if s.knows(c.Run) {
		return nil, nil // it was offered before
	}
	if c.Source != nil {
		trigger, set := s.Triggers[c.Source.Workflow]
		switch {
		case !set || !trigger.Wants(c.Source.Outcome):
			return nil, conflict("workflow %q does not start on it if workflow %s has %s", s.Title, c.Source.Workflow, c.Source.Outcome)
		case c.Source.Revision <= trigger.Until:
			return nil, nil // something became of it already
		case c.Source.Hops > MaxHops:
			return s.skipInput(c, SkippedHops, fmt.Sprintf(
				"%d workflows in a row have started each on the outcome of the one before, which looks like a circle: %d may", c.Source.Hops, MaxHops)), nil
		}
	}
	switch s.Status {
	case StatusArchived:
		if s.dropNoted {
			return nil, nil
		}
		return s.skipInput(c, SkippedArchived, "the workflow is archived: this input and all that follow are dropped"), nil
	case StatusPaused:
		return s.skipInput(c, SkippedPaused, "the workflow is paused"), nil
	case StatusDraft:
		return s.skipInput(c, SkippedDraft, "the workflow is a draft"), nil
	}
	if queued, replaces, waits := s.debounce(s.keyOf(c.Input), now); waits {
		return s.queueInput(c, queued, replaces, fmt.Sprintf("it waits until %s for a newer one about the same (setting debounce_ms)", queued.At.UTC().Format(time.RFC3339))), nil
	}
	_, at, wait := s.nextInLine(now)
	why := fmt.Sprintf("%d inputs wait before it", len(s.Queue))
	if !wait || at.After(now) { // what waits for something else is in nobody's way
		events, err := s.admitRun(AdmitRun{Run: c.Run, Trigger: c.Trigger, Input: c.Input}, now)
		if err == nil {
			admitted := events[0].(RunAdmitted)
			admitted.Source = c.Source
			return []event.Event{admitted}, nil
		}
		if fault.KindOf(err) != fault.Conflict {
			return nil, err
		}
		why = err.Error()
	}
	return s.queueInput(c, InputQueued{}, "", why), nil
}

// queueInput has an input wait, in the place of one that it replaces if it replaces one.
func (s State) queueInput(c OfferInput, queued InputQueued, replaces, why string) []event.Event {
	var events []event.Event
	if place, waits := s.queued(replaces); waits {
		was := s.Queue[place]
		events = append(events, InputSkipped{Run: was.Run, Trigger: was.Trigger, Source: was.Source, Why: SkippedDebounced, Reason: "a newer input about the same came, of run " + c.Run + " (setting debounce_ms)"})
		s = s.unqueued(replaces)
	}
	most := s.Settings.WithDefaults().QueuedInputs
	switch waiting := len(s.Queue) - s.requeued(); {
	case waiting >= most:
		return s.skipInput(c, SkippedFull, fmt.Sprintf("%d inputs wait already, which is the most (setting queued_inputs); %s", waiting, why))
	case s.queuedBytes()+len(c.Input) > maxQueuedBytes:
		return s.skipInput(c, SkippedFull, fmt.Sprintf("the inputs that wait would have more than %d bytes; %s", maxQueuedBytes, why))
	}
	queued.Run, queued.Trigger, queued.Input, queued.Source, queued.Reason = c.Run, c.Trigger, c.Input, c.Source, failure.Cut(why, maxText)
	queued.Key, queued.Priority = s.keyOf(c.Input), s.priorityOf(c.Input)
	return append(events, queued)
}

func (s State) skipInput(c OfferInput, why, reason string) []event.Event {
	return []event.Event{InputSkipped{Run: c.Run, Trigger: c.Trigger, Source: c.Source, Why: why, Reason: failure.Cut(reason, maxText)}}
}

// dropQueue records, for a workflow that is archived, that what waits does not become runs.
func (s State) dropQueue() []event.Event {
	var events []event.Event
	for _, waits := range s.Queue {
		events = append(events, InputSkipped{
			Run: waits.Run, Trigger: waits.Trigger, Source: waits.Source, Why: SkippedArchived, Reason: "the workflow was archived while it waited",
		})
	}
	return events
}

// triggersFrom lets outcomes count from now on, given where the streams of their workflows end: while
// this one was archived they were dropped.
func (s State) triggersFrom(ends map[string]int64) []event.Event {
	var events []event.Event
	for _, source := range sortedNames(s.Triggers) {
		if end, known := ends[source]; known && end > s.Triggers[source].Until {
			events = append(events, TriggerSet{Source: source, Outcomes: s.Triggers[source].Outcomes, After: end})
		}
	}
	return events
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (s State) knows(run string) bool {
	_, admitted := s.Admitted[run]
	_, settled := s.runs.Get(run)
	_, waits := s.queued(run)
	return admitted || settled || waits
}

// queued gives the place of an input in the queue.
func (s State) queued(run string) (place int, waits bool) {
	place = slices.IndexFunc(s.Queue, func(q QueuedInput) bool { return q.Run == run })
	return place, place >= 0
}

func (s State) queuedBytes() int {
	bytes := 0
	for _, waits := range s.Queue {
		bytes += len(waits.Input)
	}
	return bytes
}

// The folds of the events about inputs.

func (s State) triggerSet(e TriggerSet) State {
	s.Triggers = persistent.With(s.Triggers, e.Source, EventTrigger{Source: e.Source, Outcomes: e.Outcomes, Until: e.After})
	return s
}

func (s State) inputQueued(e InputQueued) State {
	s.arrivals++
	s.Queue = added(s.Queue, QueuedInput{Run: e.Run, Trigger: e.Trigger, Input: e.Input, Source: e.Source, Number: s.arrivals, Key: e.Key, Priority: e.Priority, At: e.At, Since: e.Since})
	return s.handled(e.Source)
}

func (s State) inputSkipped(e InputSkipped) State {
	if !s.knows(e.Run) && s.archived {
		s.dropNoted = true
	}
	if over, settled := s.runs.Get(e.Run); settled {
		over.GivenUp = true
		s.runs = s.runs.Put(e.Run, over)
	}
	return s.unqueued(e.Run).handled(e.Source)
}

// unqueued takes an input out of the queue.
func (s State) unqueued(run string) State {
	s.Queue = without(s.Queue, func(q QueuedInput) bool { return q.Run == run })
	return s
}

// handled moves on to the next outcome of a source.
func (s State) handled(source *Source) State {
	if source == nil {
		return s
	}
	if trigger, set := s.Triggers[source.Workflow]; set && source.Revision > trigger.Until {
		trigger.Until = source.Revision
		s.Triggers = persistent.With(s.Triggers, source.Workflow, trigger)
	}
	return s
}

// inputFollows is about what becomes of inputs.
func (s State) inputFollows(e event.Event) (isAbout bool, err error) {
	switch e := e.(type) {
	case TriggerSet:
		return true, unless(e.Source != "", "it names no workflow")
	case TriggerRemoved:
		_, set := s.Triggers[e.Source]
		return true, unless(set, "workflow %s starts nothing here", e.Source)
	case InputQueued:
		return true, errors.Join(unless(!s.knows(e.Run), "the input of run %s came before", e.Run), s.outcomeFollows(e.Run, e.Source))
	case InputRequeued:
		return true, s.hasWaitingInput(e.Run)
	case InputSkipped:
		if s.knows(e.Run) {
			return true, s.hasWaitingInput(e.Run)
		}
		return true, s.outcomeFollows(e.Run, e.Source)
	}
	return false, nil
}

// outcomeFollows says whether an outcome can lead to something: each does once.
func (s State) outcomeFollows(run string, source *Source) error {
	if _, waits := s.queued(run); waits || source == nil {
		return nil
	}
	trigger, set := s.Triggers[source.Workflow]
	if !set {
		return fmt.Errorf("outcomes of workflow %s start nothing here", source.Workflow)
	}
	return unless(source.Revision > trigger.Until, "outcome %d of workflow %s was dealt with before", source.Revision, source.Workflow)
}
