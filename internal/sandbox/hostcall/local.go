package hostcall

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// The bounds of a workflow's own state. A value or file beyond its cap, or a write that would pass a total, is a
// limit error: the script grew something without end.
const (
	MaxValueBytes = 1 << 20  // of one value, as JSON
	MaxFileBytes  = 1 << 20  // of one file
	MaxKeys       = 10_000   // of one workflow
	MaxFiles      = 10_000   // of one workflow
	MaxStateBytes = 64 << 20 // of one workflow: names, values and texts together
	// MaxLocalBytes is what all calls of one run may carry in and out of it. All of that is recorded.
	MaxLocalBytes = 64 << 20
)

// local is a read of the workflow's own state, as a pure function.
type local func(state State, call sandbox.Call) (json.RawMessage, *sandbox.Error)

// Own is what a workflow keeps for itself.
type Own int

// The kinds of a workflow's own state.
const (
	Nothing Own = iota
	Key
	Path // of a file; how it is spelled does not matter
)

// Leaving is what a call makes of a key or file.
type Leaving int

// The ways in which a call changes it.
const (
	AsItWas Leaving = iota
	Put             // it is the second argument
	Behind          // the second argument is put behind the text of the file
	Added           // the second argument is added to the number
	Gone
)

// Touch is what a call of a local tool has to do with one of the workflow's own keys or files.
type Touch struct {
	Of     Own
	Name   string // as the one form that a path has
	Leaves Leaving
	Value  json.RawMessage // of a key
	Text   string          // of a file
}

// TouchOf reads what a call is about, and what it leaves there if it is answered without an error. It is the zero
// Touch if it is about nothing of its own. A recorded call is taken as it is: its arguments were checked when it was
// made.
func TouchOf(name string, args json.RawMessage) (Touch, error) {
	touch, err := touchOf(Of(name), args)
	if err == nil && touch.Of == Path {
		touch.Name = path.Clean(touch.Name)
	}
	return touch, err
}

func touchOf(t *Tool, args json.RawMessage) (Touch, error) {
	touch := Touch{Of: t.About, Leaves: t.Leaves, Value: json.RawMessage("null")}
	if t.About == Nothing {
		return Touch{}, nil
	}
	args = bytes.TrimSpace(args)
	if len(args) < len(`[""]`) || args[0] != '[' {
		return touch, fmt.Errorf("hostcall: arguments of %s: there are none", t.Name)
	}
	for i, value := range elements(args) {
		switch {
		case i == 0 && value[0] == '"':
			touch.Name = unquote(value)
		case i == 1 && t.About == Key:
			touch.Value = compacted(value)
		case i == 1 && value[0] == '"':
			touch.Text = unquote(value)
		case i == 0, i == 1 && value[0] != 'n':
			return touch, fmt.Errorf("hostcall: arguments of %s: the value %d is not a text", t.Name, i+1)
		}
	}
	return touch, nil
}

// place names what the call is about, for people, too.
func (t Touch) place() string {
	if t.Of == Key {
		return ofKey(t.Name)
	}
	return ofFile(t.Name)
}

// Place names the key or file of the workflow's own that a call is about; it is empty if it is about none.
func Place(name string, args json.RawMessage) string {
	touch, err := TouchOf(name, args)
	if err != nil || touch.Of == Nothing {
		return ""
	}
	return touch.place()
}

// localRead completes the declaration of a tool that reads the workflow's own state.
func localRead(t Tool, do local) Tool {
	t.Local, t.Effect = true, always(sandbox.Read)
	t.Do = func(_ context.Context, env *Env, call sandbox.Call) (sandbox.Reply, error) {
		result, fault := do(env.State, call)
		return sandbox.Reply{Result: result, Error: fault}, nil
	}
	return t
}

// leaving completes the declaration of a tool that leaves something at what its first argument names.
func leaving(t Tool) Tool {
	t.Local, t.Silent, t.Effect = true, true, always(sandbox.Write)
	t.Do = func(_ context.Context, env *Env, call sandbox.Call) (sandbox.Reply, error) {
		touch, err := touchOf(&t, call.Args)
		if err != nil {
			return sandbox.Reply{}, err
		}
		if touch.Of == Key {
			return sandbox.Reply{Error: touch.leaveKey(env.State, t.Name)}, nil
		}
		return sandbox.Reply{Error: touch.leaveFile(env.State, t.Name, env.Now())}, nil
	}
	return t
}

// ApplyLocal answers a call of a local tool from state, and a write changes state. It is
// pure: the same state, call and time give the same reply and the same state after. A
// write that is refused leaves state as it was. A tool that is not local, or arguments
// that do not fit, get an error of class internal: the sandbox checks them before.
func ApplyLocal(state State, call sandbox.Call, nowMS int64) sandbox.Reply {
	t := Of(call.Tool)
	if !t.Local {
		return sandbox.Reply{Error: fail(sandbox.ClassInternal, "", "hostcall: %s is not a local tool", call.Tool)}
	}
	if err := validate(call.Tool, call.Args); err != nil {
		return sandbox.Reply{Error: fail(sandbox.ClassInternal, "", "hostcall: %v", err)}
	}
	// Local tools need no more of the environment than this and never fail otherwise.
	reply, err := t.Do(context.Background(), &Env{State: state, Now: func() int64 { return nowMS }}, call)
	if err != nil {
		return sandbox.Reply{Error: fail(sandbox.ClassInternal, "", "hostcall: %v", err)}
	}
	if reply.Error != nil {
		reply.Error.Tool = t.Name
	}
	return reply
}

// checkRoom says whether state may grow by one entry (of count, at most most) and by bytes.
func checkRoom(tool, what string, count, most int, state State, bytes int) *sandbox.Error {
	if count >= most {
		return fail(sandbox.ClassLimit, CodeLimitState, "%s: the workflow keeps %d %s already, and that is all it may", tool, count, what)
	}
	usage := state.Usage()
	if most := cmp.Or(usage.Most, MaxStateBytes); usage.Bytes+int64(bytes) > most {
		return fail(sandbox.ClassLimit, CodeLimitState, "%s: the workflow's keys and files would take more than %d bytes", tool, most)
	}
	return nil
}
