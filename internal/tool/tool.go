package tool

import (
	"context"
	"encoding/json"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Tool is one host call, declared in one place (one file a tool).
type Tool struct {
	Name   string // as the script calls it: web.getJSON
	Schema string // JSON schema of the argument array
	// Effect says what this call does, from its arguments.
	Effect func(args json.RawMessage) sandbox.Effect
	// Local says that the tool works on the workflow's own kv and files only.
	Local bool
	// Idempotent says that repeating the call with the same key does nothing twice.
	Idempotent bool
	// Do makes the call for real. Typed errors are in the reply; a Go error is the host's own trouble.
	Do func(ctx context.Context, env *Env, call sandbox.Call) (sandbox.Reply, error)
}

// State is the workflow's own keys and files: what local tools read and write.
// *Memory is the only implementation; a live run's is loaded from the journaled writes
// of earlier runs, a replay's from the bundle's "local".
type State interface {
	KV(key string) (json.RawMessage, bool)
	Keys(prefix string) []string
	SetKV(key string, value json.RawMessage)
	DeleteKV(key string)
	File(path string) (File, bool)
	Files() []string // all paths, sorted
	WriteFile(path string, file File)
	RemoveFile(path string)
}

// File is a text file of a workflow.
type File struct {
	Text       string
	ModifiedMS int64 // Unix milliseconds of the script's clock
}

// Env is what live tools work with.
type Env struct {
	State State
}
