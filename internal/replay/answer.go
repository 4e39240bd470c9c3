package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/tool"
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
	state *tool.Memory
	// known are the keys and paths that the run itself wrote, which may be read although
	// the run carries no local state.
	known map[string]bool
	nowMS int64
	// blank says that writes which were never recorded are answered with null, and reads with an error.
	blank bool
	// missed is the call that could not be answered.
	missed *sandbox.Call
}

// errNeedsState ends an execution whose answers depend on local writes that the sandbox
// answered from its journal: it is done again with the journal in the host.
var errNeedsState = &sandbox.StopError{Reason: sandbox.Error{
	Class: sandbox.ClassInternal, Code: "replay.needs_state", Message: "replay: local state needed",
}}

// prepare makes ready what most replays need not: every call is answered by the journal.
func (a *answers) prepare() {
	a.known, a.state = map[string]bool{}, &tool.Memory{}
	if a.run.Local != nil {
		a.state = tool.NewMemory(a.run.Local.KV, beforeAppends(a.run), a.nowMS)
	}
}

// beforeAppends is the files of a failed run without what the run itself appended: the
// state was taken when the run failed, and replay makes the appends again on top.
func beforeAppends(run *Run) map[string]string {
	appended := map[string]string{}
	for _, call := range run.Calls {
		if call.Error != nil || !strings.HasPrefix(call.Tool, "files.") {
			continue
		}
		name, text := pathAndText(call.Args)
		switch call.Tool {
		case "files.append":
			appended[name] += text
		case "files.write", "files.remove":
			delete(appended, name)
		}
	}
	files := make(map[string]string, len(run.Local.Files))
	for name, text := range run.Local.Files {
		files[name] = strings.TrimSuffix(text, appended[path.Clean(name)])
	}
	return files
}

func pathAndText(args json.RawMessage) (name, text string) {
	var list []any
	if json.Unmarshal(args, &list) != nil {
		return "", ""
	}
	if len(list) > 0 {
		name, _ = list[0].(string)
	}
	if len(list) > 1 {
		text, _ = list[1].(string)
	}
	return path.Clean(name), text
}

// Call implements [sandbox.Host].
func (a *answers) Call(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
	if a.state == nil {
		a.prepare()
	}
	declared, _ := lookup(call.Tool)
	local := isLocal(call.Tool)
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
	case call.Effect == sandbox.None:
		return handle(call), nil
	case local && call.Effect == sandbox.Read:
		if a.journal == nil && hasLocalWrites(a.run.Calls) {
			return sandbox.Reply{}, errNeedsState
		}
		if a.run.Local == nil && !a.known[ownKey(call)] {
			return a.unanswerable(call)
		}
		return tool.ApplyLocal(a.state, call, a.nowMS), nil
	case local:
		return a.write(call), nil
	case call.Effect == sandbox.Write && (declared.Silent || a.blank):
		return sandbox.Reply{}, nil
	case call.Effect == sandbox.Write:
		return sandbox.Reply{Opaque: true}, nil
	}
	return a.unanswerable(call)
}

// write makes a local write on the state and notes what is known from now on. An append
// to a file that is not known does not make it known.
func (a *answers) write(call sandbox.Call) sandbox.Reply {
	key := ownKey(call)
	switch call.Tool {
	case "kv.set", "kv.delete", "files.write", "files.remove":
		a.known[key] = true
	}
	if a.run.Local == nil && call.Tool == "files.append" && !a.known[key] {
		return sandbox.Reply{}
	}
	return tool.ApplyLocal(a.state, call, a.nowMS)
}

// ownKey names the key or path that a local call is about; a listing is about none.
func ownKey(call sandbox.Call) string {
	kind, verb, _ := strings.Cut(call.Tool, ".")
	if verb == "list" {
		return ""
	}
	if kind == "files" {
		name, _ := pathAndText(call.Args)
		return "files:" + name
	}
	list, _ := decode(call.Args).([]any)
	if len(list) == 0 {
		return ""
	}
	name, _ := list[0].(string)
	return kind + ":" + name
}

func isLocal(name string) bool {
	t, ok := tool.Lookup(name)
	return ok && t.Local
}

func hasLocalWrites(calls []Call) bool {
	for _, call := range calls {
		if call.Effect == string(sandbox.Write) && isLocal(call.Tool) {
			return true
		}
	}
	return false
}

// handle answers what is no call for matching. A secret is its handle, as live.
func handle(call sandbox.Call) sandbox.Reply {
	if call.Tool != "secret" {
		return sandbox.Reply{}
	}
	list, _ := decode(call.Args).([]any)
	if len(list) == 0 {
		return sandbox.Reply{}
	}
	text, err := marshal(fmt.Sprintf("{{secret:%v}}", list[0]))
	if err != nil {
		return sandbox.Reply{}
	}
	return sandbox.Reply{Result: text}
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
