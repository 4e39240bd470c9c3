package projections

import (
	"cmp"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// Calls are what a run did call by call, with their times, for a waterfall.
type Calls struct {
	Run      string    `json:"run"`
	Workflow string    `json:"workflow"`
	Started  time.Time `json:"started,omitzero"`
	Ended    bool      `json:"ended"`
	// MS is how long it took, or has taken up to its newest event. A run that stood still, for a person or
	// between two lives, has that time in it, too.
	MS    int64  `json:"ms"`
	Calls []Call `json:"calls"`
}

// Call is one call of a run.
type Call struct {
	Seq    int    `json:"seq"`
	Tool   string `json:"tool"`
	Effect string `json:"effect"`
	// Set for a web call; Path includes its query.
	Method string `json:"method,omitempty"`
	Host   string `json:"host,omitempty"`
	Path   string `json:"path,omitempty"`
	Target string `json:"target,omitempty"` // of any other one: a key, a file, the title of a message
	// StartMS is when it went out, after the run's start. TookMS is how long it took, as the script's clock has it:
	// of a call that an earlier run's journal answered, how long it took then.
	StartMS  int64         `json:"start_ms"`
	TookMS   int64         `json:"duration_ms"`
	State    CallState     `json:"state"`
	Status   int           `json:"status,omitempty"` // of HTTP, where the journal has it
	Class    failure.Class `json:"class,omitempty"`  // of its error
	Problem  string        `json:"problem,omitempty"`
	Sent     int           `json:"sent"`              // bytes of its arguments
	Received int           `json:"received"`          // bytes of its answer
	Retries  int           `json:"retries,omitempty"` // the same call before it that got no answer or an error
	From     string        `json:"from,omitempty"`    // the run whose journal answered
	Secrets  []string      `json:"secrets,omitempty"` // by name: the journal never has a value
}

// CallState is what became of a call.
type CallState string

// The states of a call.
const (
	CallAnswered CallState = "answered"
	CallFailed   CallState = "failed"
	CallPending  CallState = "pending"  // it has not come back
	CallAsking   CallState = "asking"   // it waits for a person's answer
	CallInDoubt  CallState = "in_doubt" // nobody knows what became of it
	CallResolved CallState = "resolved" // it was in doubt, and somebody found out
)

// mostProblem is how much of an error a call shows.
const mostProblem = 300

// CallsOf folds the calls of a run from the events of its stream.
func CallsOf(history []event.Recorded) Calls {
	var state run.State
	var newest time.Time
	calls := Calls{Calls: []Call{}}
	called, returned := map[int]time.Time{}, map[int]time.Time{}
	for _, one := range history {
		state = run.Evolve(state, one.Event)
		newest = one.Metadata.RecordedAt
		switch e := one.Event.(type) {
		case run.RunStarted:
			calls.Run, calls.Workflow, calls.Started = e.Run, e.Workflow, newest
		case run.ToolCalled:
			called[e.Seq] = newest
		case run.ToolReturned:
			returned[e.Seq] = newest
		case run.ToolAnswered:
			returned[e.Seq] = newest
		case run.AnswerGiven:
			returned[e.Seq] = newest
		case run.EffectResolved:
			returned[e.Seq] = newest
		}
	}
	calls.Ended = state.Ended
	since := func(at time.Time) int64 { return max(at.Sub(calls.Started).Milliseconds(), 0) }
	calls.MS = since(newest)
	failed := map[string]int{}
	for _, made := range state.Calls {
		shown := callOf(made)
		// Reads are journaled when they come back: what says when a call went out is how long it took.
		switch {
		case !made.Returned:
			shown.StartMS = since(called[made.Seq])
			shown.TookMS = calls.MS - shown.StartMS
		case made.From != "":
			shown.StartMS = since(returned[made.Seq])
		default:
			shown.StartMS = max(since(returned[made.Seq])-made.MS, 0)
		}
		same := made.Tool + " " + cmp.Or(made.Key, string(made.Args))
		shown.Retries = failed[same]
		if made.Error != nil || !made.Returned {
			failed[same]++
		}
		calls.Calls = append(calls.Calls, shown)
	}
	return calls
}

// secretHandle is how a script names a secret.
var secretHandle = regexp.MustCompile(`\{\{secret:([^{}]*)\}\}`)

func callOf(made *run.Call) Call {
	shown := Call{
		Seq: made.Seq, Tool: made.Tool, Effect: made.Effect, TookMS: made.MS, State: CallAnswered,
		Sent: len(made.Args), Received: len(made.Result), From: made.From,
	}
	shown.Secrets = hostcall.SecretsOf(made.Args)
	shown.Method, shown.Host, shown.Path, shown.Target = targetOf(made.Tool, made.Args)
	switch {
	case made.Error != nil:
		shown.State, shown.Status, shown.Class = CallFailed, made.Error.Status, made.Error.Class
		shown.Problem = failure.Cut(made.Error.Name+": "+made.Error.Message, mostProblem)
	case made.Resolved != "" && made.Returned:
		shown.State, shown.Problem = CallResolved, made.Resolved
	case made.Returned:
		var answer struct {
			Status int `json:"status"`
		}
		if hostcall.Of(made.Tool).AnswersWhole() && json.Unmarshal(made.Result, &answer) == nil {
			shown.Status = answer.Status
		}
	case made.Doubt:
		shown.State, shown.Status = CallInDoubt, made.Status
	case made.Question != nil:
		shown.State = CallAsking
	default:
		shown.State = CallPending
	}
	return shown
}

// targetOf is what a call is about. Handles of secrets are shown as (NAME): they are no part of an address.
func targetOf(name string, encoded json.RawMessage) (method, host, path, target string) {
	var args []json.RawMessage
	var first string
	if json.Unmarshal(encoded, &args) != nil || len(args) == 0 || json.Unmarshal(args[0], &first) != nil {
		return "", "", "", ""
	}
	first = secretHandle.ReplaceAllString(first, "($1)")
	request := hostcall.Of(name).Request
	if request == nil {
		return "", "", "", failure.Cut(firstLine(first), mostProblem)
	}
	method = cmp.Or(request.MethodOf(encoded), request.Method)
	address, err := url.Parse(first)
	if err != nil {
		return method, "", "", failure.Cut(first, mostProblem)
	}
	path = cmp.Or(address.Path, "/")
	if address.RawQuery != "" {
		path += "?" + address.RawQuery
	}
	return method, strings.ToLower(address.Host), failure.Cut(path, mostProblem), ""
}
