package gate

import (
	"context"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// answers is the host of one replay. The journal answers what was recorded; this answers
// what SCRIPTS calls "otherwise": local reads from the workflow's own state, writes by
// capturing them, and nothing else.
type answers struct {
	run *Run
	// journal answers recorded calls here instead of in the sandbox, so that local writes
	// are seen in order. Nil as long as the sandbox does it.
	journal *sandbox.Matches
	// state is the workflow's own keys and files, as far as they are known.
	state *hostcall.Memory
	// known are the keys and paths that the run itself wrote, which may be read although
	// the run carries no local state.
	known map[string]bool
	nowMS int64
	unrecordedAnswers
	// told are the assumptions that were made, each kind of call once.
	told   []Assumption
	assume func(call sandbox.Call) (sandbox.Reply, Assumption, bool)
	// missed is the call that could not be answered.
	missed *sandbox.Call
}

// errNeedsState ends an execution whose answers depend on local writes that the sandbox
// answered from its journal: it is done again with the journal in the host.
var errNeedsState = &sandbox.StopError{Reason: sandbox.Error{
	Class: sandbox.ClassInternal, Code: "replay.needs_state", Message: "gate: local state needed",
}}

// prepare makes ready what most replays need not: every call is answered by the journal.
func (a *answers) prepare() {
	a.known, a.state, a.assume = map[string]bool{}, &hostcall.Memory{}, a.assumed.InOrder()
	if a.run.Local != nil {
		a.state = hostcall.NewMemory(beforeAdds(a.run), beforeAppends(a.run), a.nowMS)
	}
}

// beforeAppends is the files of a failed run without what the run itself appended: the
// state was taken when the run failed, and replay makes the appends again on top.
func beforeAppends(run *Run) map[string]string {
	appended := map[string]string{}
	for _, call := range run.Calls {
		touch, err := hostcall.TouchOf(call.Tool, call.Args)
		if err != nil || call.Error != nil || touch.Of != hostcall.Path {
			continue
		}
		switch touch.Leaves {
		case hostcall.Behind:
			appended[touch.Name] += touch.Text
		case hostcall.Put, hostcall.Gone:
			delete(appended, touch.Name)
		}
	}
	files := make(map[string]string, len(run.Local.Files))
	for name, text := range run.Local.Files {
		files[name] = strings.TrimSuffix(text, appended[path.Clean(name)])
	}
	return files
}

// beforeAdds is the same of the keys that the run added to.
func beforeAdds(run *Run) map[string]json.RawMessage {
	keys, written := maps.Clone(run.Local.KV), map[string]bool{}
	for _, call := range slices.Backward(run.Calls) {
		touch, err := hostcall.TouchOf(call.Tool, call.Args)
		if err != nil || call.Error != nil || touch.Of != hostcall.Key || touch.Leaves == hostcall.AsItWas || written[touch.Name] {
			continue
		}
		less, negative := strings.CutPrefix(string(touch.Value), "-")
		if !negative {
			less = "-" + less
		}
		before, ok := hostcall.Sum(keys[touch.Name], json.RawMessage(less))
		if written[touch.Name] = touch.Leaves != hostcall.Added; !written[touch.Name] && ok {
			keys[touch.Name] = before
		}
	}
	return keys
}

// Call implements [sandbox.Host].
func (a *answers) Call(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
	if a.state == nil {
		a.prepare()
	}
	declared := hostcall.Of(call.Tool)
	local := declared.Local
	if a.journal != nil {
		if i, ok := a.journal.Take(call.Tool, call.Args); ok {
			recorded := a.run.Calls[i]
			if local && call.Effect == sandbox.Write && recorded.Error == nil {
				a.write(call)
			}
			return reply(recorded), nil
		}
	}
	switch {
	case local && call.Effect == sandbox.Read:
		if a.journal == nil && hasLocalWrites(a.run.Calls) {
			return sandbox.Reply{}, errNeedsState
		}
		if a.run.Local == nil && !a.known[hostcall.Place(call.Tool, call.Args)] {
			return a.unanswerable(call)
		}
		return hostcall.ApplyLocal(a.state, call, a.nowMS), nil
	case local:
		return a.write(call), nil
	case call.Effect == sandbox.Write && declared.Silent:
		return sandbox.Reply{}, nil
	}
	for _, list := range a.run.lists {
		if page, ok := list.answer(call); ok {
			return sandbox.Reply{Result: page}, nil
		}
	}
	if reply, told, ok := a.assume(call); ok {
		if !slices.Contains(a.told, told) {
			a.told = append(a.told, told)
		}
		return reply, nil
	}
	switch {
	case call.Effect == sandbox.Write && a.blank:
		return sandbox.Reply{}, nil
	case call.Effect == sandbox.Write:
		return sandbox.Reply{Opaque: true}, nil
	}
	return a.unanswerable(call)
}

// write makes a local write on the state and notes which keys and files are known from now on. Appending to a file,
// or adding to a key, does not make an unknown one known.
func (a *answers) write(call sandbox.Call) sandbox.Reply {
	key := hostcall.Place(call.Tool, call.Args)
	if leaves := hostcall.Of(call.Tool).Leaves; leaves != hostcall.Behind && leaves != hostcall.Added {
		a.known[key] = true
	} else if a.run.Local == nil && !a.known[key] {
		return sandbox.Reply{}
	}
	return hostcall.ApplyLocal(a.state, call, a.nowMS)
}

func hasLocalWrites(calls []Call) bool {
	for _, call := range calls {
		if call.Effect == string(sandbox.Write) && hostcall.Of(call.Tool).Local {
			return true
		}
	}
	return false
}

func (a *answers) unanswerable(call sandbox.Call) (sandbox.Reply, error) {
	a.missed = &call
	reason := sandbox.Error{
		Class: sandbox.ClassInternal, Name: "Unanswerable", Code: sandbox.CodeUnanswerable, Tool: call.Tool,
		Message: showCall(call.Tool, call.Args) + " was never recorded",
	}
	if a.blank {
		reason.Class = sandbox.ClassLogic // the script's to throw
		return sandbox.Reply{Error: &reason}, nil
	}
	return sandbox.Reply{}, &sandbox.StopError{Reason: reason}
}

// reply is a recorded answer as the sandbox takes it.
func reply(call Call) sandbox.Reply {
	return sandbox.Reply{Result: call.Result, Error: call.Error.toSandbox(call.Tool), MS: call.MS}
}

func (e *Error) toSandbox(toolName string) *sandbox.Error {
	if e == nil {
		return nil
	}
	return &sandbox.Error{
		Class: e.Class, Name: e.Name, Code: e.Code, Message: e.Message,
		Tool: toolName, Status: e.Status, Body: e.Body,
	}
}

// ErrorOf is an error of a run or call, as a bundle records it; nil for nil.
func ErrorOf(e *sandbox.Error) *Error {
	if e == nil {
		return nil
	}
	return &Error{
		Class: e.Class, Name: e.Name, Code: e.Code, Message: e.Message,
		Stack: e.Stack, Status: e.Status, Body: e.Body,
	}
}

// CallOf is a call that was made, as a bundle records it.
func CallOf(call sandbox.TracedCall) Call {
	return Call{Tool: call.Tool, Args: call.Args, Effect: string(call.Effect), Result: call.Result, Error: ErrorOf(call.Error), MS: call.MS}
}

// OutcomeOf is what a run came to, as a bundle records it.
func OutcomeOf(outcome *sandbox.Outcome) Outcome {
	if outcome.Error != nil {
		return Outcome{Status: "failed", Error: ErrorOf(outcome.Error)}
	}
	return Outcome{Status: "succeeded", Output: outcome.Output}
}

// entries are recorded calls as the sandbox's journal takes them.
func entries(calls []Call) []sandbox.Entry {
	out := make([]sandbox.Entry, len(calls))
	for i, call := range calls {
		out[i] = sandbox.Entry{
			Tool: call.Tool, Args: call.Args, Effect: sandbox.Effect(call.Effect),
			Result: call.Result, Error: call.Error.toSandbox(call.Tool), MS: call.MS,
		}
	}
	return out
}

func newJournal(calls []Call) *sandbox.Matches {
	journal := &sandbox.Matches{}
	for i, call := range calls {
		journal.Add(i, call.Tool, call.Args)
	}
	return journal
}
