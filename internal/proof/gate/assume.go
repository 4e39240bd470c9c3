package gate

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// Assumed are the answers that writes over the web had in recorded successes, by the kind of call: tool, method, host
// and path, its variable parts starred. They stand in for the answer of a write that is not sent. A person's answer
// is never assumed.
type Assumed struct {
	templates *templates
	answers   map[string][]json.RawMessage // the newest first
	runs      map[string]int
	// Invents says that a kind that no recorded success has is answered, too: as taken, with nothing in the answer.
	Invents bool
	// shift is how many answers are passed over, to see what depends on which of them it is.
	shift int
}

// mostAssumed is how many recorded answers of one kind are kept.
const mostAssumed = 16

// Assume learns from recorded successes, the oldest first, of a script and of what may take its place.
func Assume(successes []Run, codes ...string) *Assumed {
	var scripts []*script.Source
	for _, code := range codes {
		if parsed, err := parseScript(code); err == nil {
			scripts = append(scripts, parsed)
		}
	}
	a := &Assumed{templates: newTemplates(scripts...), answers: map[string][]json.RawMessage{}, runs: map[string]int{}}
	for i := len(successes) - 1; i >= 0; i-- {
		seen := map[string]bool{}
		for _, call := range successes[i].Calls {
			if call.Effect != string(sandbox.Write) || call.Error != nil || !asksWeb(call.Tool) || refusedWhole(&call) {
				continue
			}
			kind := a.templates.of(call.Tool, call.Args)
			if !seen[kind] {
				seen[kind] = true
				a.runs[kind]++
			}
			if len(a.answers[kind]) < mostAssumed {
				a.answers[kind] = append(a.answers[kind], call.Result)
			}
		}
	}
	return a
}

// refusedWhole says that an answer with a status of its own is a refusal.
func refusedWhole(call *Call) bool {
	var answer struct{ Status int }
	return hostcall.Of(call.Tool).AnswersWhole() && json.Unmarshal(call.Result, &answer) == nil && answer.Status >= http.StatusBadRequest
}

// InOrder gives what stands in for the answer of each write of one run that is not sent, with what is to be told of it;
// false if nothing does. The calls of a kind take its recorded answers in turn, the newest first.
func (a *Assumed) InOrder() func(call sandbox.Call) (sandbox.Reply, Assumption, bool) {
	made := map[string]int{}
	return func(call sandbox.Call) (reply sandbox.Reply, told Assumption, ok bool) {
		if a == nil || call.Effect != sandbox.Write || !asksWeb(call.Tool) {
			return reply, told, false
		}
		kind := a.kindOf(call)
		if known := a.answers[kind]; len(known) > 0 {
			made[kind]++
			return sandbox.Reply{Result: known[(made[kind]-1+a.shift)%len(known)]}, Assumption{Call: kind, Runs: a.runs[kind]}, true
		}
		return a.invented(call, kind)
	}
}

// kindOf is tool, method, host and path of a call.
func (a *Assumed) kindOf(call sandbox.Call) string {
	if a.templates == nil {
		return newTemplates().of(call.Tool, call.Args)
	}
	return a.templates.of(call.Tool, call.Args)
}

// invented is the answer to a write of a kind that no recorded run made.
func (a *Assumed) invented(call sandbox.Call, kind string) (reply sandbox.Reply, told Assumption, ok bool) {
	if !a.Invents {
		return reply, told, false
	}
	if hostcall.Of(call.Tool).AnswersWhole() {
		reply.Result = json.RawMessage(`{"status":200,"headers":{},"body":""}`)
	}
	return reply, Assumption{Call: kind}, true
}

// differ says that recorded answers of a kind are not all the same.
func (a *Assumed) differ(kind string) bool {
	known := a.answers[kind]
	for _, other := range known[min(1, len(known)):] {
		if !sandbox.SameValue(known[0], other) {
			return true
		}
	}
	return false
}

// Assumption is a write whose answer is assumed.
type Assumption struct {
	Call string `json:"call"` // its kind
	Runs int    `json:"runs"` // recorded successes that such a call was answered in; 0 if the answer is invented
}

// String says it to people.
func (a Assumption) String() string {
	switch a.Runs {
	case 0:
		return fmt.Sprintf("assumed: that %s is taken, with nothing in the answer; no recorded run made it", a.Call)
	case 1:
		return fmt.Sprintf("assumed: that %s is answered as in 1 recorded run", a.Call)
	}
	return fmt.Sprintf("assumed: that %s is answered as in %d recorded runs", a.Call, a.Runs)
}
