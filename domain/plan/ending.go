package plan

import (
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
)

// Ending is an end that a coding agent tells plainly in its output, as its profile reads it.
type Ending struct {
	Kind  EndingKind `json:"kind"`
	Agent string     `json:"agent"` // the profile's name
	Says  string     `json:"says"`  // the agent's own words
	// Until is when it can go on, if the agent said so.
	Until time.Time `json:"until,omitzero"`
}

// EndingKind is what an agent's end means for its job.
type EndingKind string

// The kinds of endings.
const (
	EndingNoCredit    EndingKind = "no_credit"
	EndingNotSignedIn EndingKind = "not_signed_in"
	EndingRefused     EndingKind = "refused"      // the model does not do the task
	EndingContextFull EndingKind = "context_full" // the task is too long for the model
	EndingLimited     EndingKind = "limited"      // a limit of use is reached, for a time
	EndingBusy        EndingKind = "busy"         // the service is overloaded, or cannot be reached
)

// waits says that time alone mends an ending.
func (k EndingKind) waits() bool { return k == EndingLimited || k == EndingBusy }

// needsPerson says that another attempt would end in the same way.
func (k EndingKind) needsPerson() bool {
	return k == EndingNoCredit || k == EndingNotSignedIn || k == EndingRefused
}

// String is what happened, and what a person can do.
func (e Ending) String() string {
	texts := map[EndingKind][2]string{
		EndingNoCredit:    {"has no credit left", "add credit to the account that its key belongs to, then relaunch the job"},
		EndingNotSignedIn: {"is not signed in", "give the job a valid key as a secret, or sign in with it as the server's user ('kintsugi repo agents' says how), then relaunch the job"},
		EndingRefused:     {"refused the task", "relaunch the job with a note that says what it is for, or drop it"},
		EndingContextFull: {"has no room left in its context", "have it done in smaller parts ('subtasks', in a job that you add), and drop this one; or relaunch it"},
		EndingLimited:     {"has reached a limit of use", "relaunch the job when the limit has ended"},
		EndingBusy:        {"did not reach its service", "look whether the service can be reached from here, then relaunch the job"},
	}[e.Kind]
	return fmt.Sprintf("%s %s (it said: %s); %s", e.Agent, texts[0], e.Says, texts[1])
}

// The bounds of waiting: without times that agents said, so many waits are eight hours.
const (
	maxDelays  = 20
	maxDelay   = 8 * 24 * time.Hour // more than a week, for which the longest limits are
	firstDelay = time.Minute
	mostDelay  = 30 * time.Minute
)

// delay has a job wait that its agent cannot go on with, for as long as the agent said or a little longer each time; false if that is not
// what its end was, or it has waited too often.
func (s State) delay(job JobState, now time.Time) (event.Event, bool) {
	ending := job.Last.Result.Ending
	if ending == nil || !ending.Kind.waits() || job.Delays >= maxDelays || job.Last.Step.Phase != PhaseAgent || ending.Until.After(now.Add(maxDelay)) {
		return nil, false
	}
	until := now.Add(min(mostDelay, firstDelay<<min(job.Delays, 10)))
	if ending.Until.After(until) {
		until = ending.Until
	}
	return JobDelayed{Job: job.ID, Attempt: job.Attempt, Step: s.againAt(job, job.Status), Until: until.UTC(), Ending: *ending}, true
}
