package workflow

import (
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
)

// DefaultOutageAfter is how long the other side may not answer before people hear of it. The retries of one run take about as
// long: what passes by itself is over by then.
const DefaultOutageAfter = 30 * time.Minute

// longestOutage bounds the setting: later nobody would hear of an outage at all.
const longestOutage = 31 * 24 * time.Hour

// Outage is what is known of the other side while it does not answer: one for a workflow, from the first failure of class network
// until something shows that it is over, however many runs failed of it.
type Outage struct {
	Run     string    // that failed first
	Host    string    // that did not answer, if the failure names one
	Problem string    // its failure, in a line
	Since   time.Time `json:",omitzero"` // see [EvolveAt]
	Told    bool      // people heard of it
}

// OutageReported records that people hear of an outage: it has lasted as long as the setting outage_after_ms lets it.
type OutageReported struct {
	Run     string    `json:"run"` // that failed first
	Host    string    `json:"host,omitempty"`
	Problem string    `json:"problem"` // what that run failed with, in a line
	Since   time.Time `json:"since"`
}

// Why an outage that people heard of is over.
const (
	OutageAnswered  = "answered"  // the other side answers again
	OutageReplanned = "replanned" // another script was saved, which has its own way
	OutageArchived  = "archived"
	OutageLeft      = "left" // nothing waits for it any more: a person gave up what did
)

// OutageEnded records that an outage is over which people heard of.
type OutageEnded struct {
	Host  string    `json:"host,omitempty"`
	Since time.Time `json:"since"`
	At    time.Time `json:"at"` // how long it took is from Since to here
	Why   string    `json:"why"`
}

// OutageDue is when people are to hear of the outage: once, and while something waits to be tried again. A try that is due before comes first,
// as after a night in which the machine slept: it may be over.
func (s State) OutageDue() (at time.Time, due bool) {
	o := s.Outage
	if o == nil || o.Told || o.Since.IsZero() || s.Status != StatusActive && s.Status != StatusDraft { // else nothing is tried
		return time.Time{}, false
	}
	at = o.Since.Add(time.Duration(s.Settings.WithDefaults().OutageAfterMS) * time.Millisecond)
	next, waits := s.nextTry()
	return at, waits && next.After(at)
}

// nextTry is when the other side is asked next by itself, if anything waits for that.
func (s State) nextTry() (at time.Time, waits bool) {
	earlier := func(other time.Time) {
		if !waits || other.Before(at) {
			at, waits = other, true
		}
	}
	if s.retrying() > 0 {
		earlier(s.nextRetry().At)
	}
	for _, q := range s.Queue {
		if q.Waits == WaitsOutage {
			earlier(q.At)
		}
	}
	return at, waits
}

// reportOutage has people hear of an outage. A node that comes too early, or after another one, finds nothing to do.
func (s State) reportOutage(now time.Time) []event.Event {
	if at, due := s.OutageDue(); !due || now.Before(at) {
		return nil
	}
	return []event.Event{OutageReported{Run: s.Outage.Run, Host: s.Outage.Host, Problem: s.Outage.Problem, Since: s.Outage.Since}}
}

// outageEnded tells those who heard of an outage that a decision shows its end.
func (s State) outageEnded(after State, events []event.Event, now time.Time) []event.Event {
	if s.Outage == nil || !s.Outage.Told || after.Outage != nil {
		return nil
	}
	ended := OutageEnded{Host: s.Outage.Host, Since: s.Outage.Since, At: now, Why: OutageAnswered}
	for _, e := range events {
		switch e.(type) {
		case ScriptSaved:
			ended.Why = OutageReplanned
		case WorkflowArchived:
			ended.Why = OutageArchived
		case RunLeft, RunCancelled, InputSkipped:
			ended.Why = OutageLeft
		}
	}
	return []event.Event{ended}
}

// outageFollows is about what people hear of outages.
func (s State) outageFollows(e event.Event) (isAbout bool, err error) {
	switch e.(type) {
	case OutageReported:
		return true, unless(s.Outage != nil && !s.Outage.Told, "there is no outage that nobody has heard of")
	case OutageEnded:
		return true, unless(s.Outage == nil, "the other side does not answer still")
	}
	return false, nil
}

// outage folds what an event shows of the other side.
func (s State) outage(e event.Event) State {
	switch e := e.(type) {
	case NetworkErrorClassified:
		if over, known := s.runs.Get(e.Run); s.Outage == nil && (!known || over.Version.Major == s.Active.Major) {
			s.Outage = &Outage{Run: e.Run}
			if s.lastFailed != nil && s.lastFailed.info.Run == e.Run {
				s.Outage.Host, s.Outage.Problem = s.lastFailed.failure.Host, failure.Cut(s.lastFailed.failure.String(), maxLine)
			}
		}
	case OutageReported:
		if s.Outage != nil {
			told := *s.Outage
			told.Told = true
			s.Outage = &told
		}
	case RunSucceeded:
		if over, _ := s.runs.Get(e.Run); !over.Trigger.isolated() {
			s.Outage = nil
		}
	case LogicErrorClassified, LimitErrorClassified, AuthErrorClassified, PermissionErrorClassified, OutageEnded, WorkflowArchived:
		s.Outage = nil // it answers, or nobody asks it any more
	case ScriptSaved:
		if e.Origin != OriginMaintainer {
			s.Outage = nil
		}
	case RunLeft, RunCancelled, InputSkipped:
		if _, waits := s.nextTry(); !waits && s.executing() == 0 {
			s.Outage = nil
		}
	}
	return s
}
