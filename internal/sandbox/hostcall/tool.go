package hostcall

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Tool is one host call. It declares everything about itself in one place, its file: what analyses
// scripts, judges them and shows them asks the declaration, and knows no name.
type Tool struct {
	Name   string // as the script calls it: web.getJSON
	Doc    string // what it gives and when it throws, for who writes scripts: a person or a model
	Schema string // JSON schema of the argument array; see schema.go for the keywords it may use
	// Types is its signature in TypeScript, behind its name: (key: string): Promise<null>
	Types string
	// TypesBeside are declarations of types that the signature names.
	TypesBeside string
	// Effect says what this call does, from its arguments.
	Effect func(args json.RawMessage) sandbox.Effect
	// Local says that the tool works on the workflow's own kv and files only.
	Local bool
	// About is what the first argument of a local tool names; Nothing for a list of them.
	About Own
	// Leaves is what an answered call of a local tool makes of that.
	Leaves Leaving
	// Message reads the message to the workflow's person that a call is: the journaled call is the message. Nil if it is none.
	Message func(args json.RawMessage) (title, text string, err error)
	// Question reads the question that a call puts to the workflow's person: the run stands still until that is answered. Nil
	// if it is none.
	Question func(args json.RawMessage) (Question, error)
	// Request says where a call over the web has what it asks for; nil for every other tool.
	Request *Request
	// Folds says that the first argument is a name (a key, a path) of which only what the script spells
	// out tells calls apart: what comes from data is another one each day.
	Folds bool
	// Silent says that it answers null always: a script can read nothing of it.
	Silent bool
	// Told is what people read of a call that does something for them; empty for name and first argument.
	Told string
	// Overlaps says that reads of it are made at the same time as others: they share nothing, and may be made again.
	Overlaps bool
	// Idempotent says that repeating the call with the same key does nothing twice.
	Idempotent bool
	// Judge says what an answer means for a script that cannot go on after it; see [sandbox.Binding].
	Judge func(args, result json.RawMessage) *sandbox.Error
	// Reconcile finds out what became of a write that was sent and never answered; nil if nobody can.
	Reconcile *Reconciliation
	// settle says, of a local read, what a call that was answered before means for what is there now: see [Moved].
	settle func(l *look, made Answered, name string)
	// Do makes the call for real. Typed errors are in the reply; a Go error is the host's own trouble.
	Do func(ctx context.Context, env *Env, call sandbox.Call) (sandbox.Reply, error)
}

// Request is where the arguments of a call over the web have what it asks for; the first is the address.
type Request struct {
	Method  string // if the options name none
	Options int    // the index of the options among the arguments
	Only    bool   // no option changes the method
	// Whole says that it asks as it is told, with any method, and gives whatever answer there is: {status, headers, body}.
	Whole bool
}

// MethodOf is the method of a call, in capitals; empty if its arguments do not say it as they should.
func (r Request) MethodOf(args json.RawMessage) string {
	var list []json.RawMessage
	if json.Unmarshal(args, &list) != nil {
		return ""
	}
	var options struct {
		Method string `json:"method"`
	}
	if !r.Only && len(list) > r.Options && json.Unmarshal(list[r.Options], &options) != nil {
		return ""
	}
	return strings.ToUpper(cmp.Or(options.Method, r.Method))
}

// Harmless says that a call of the tool reads what is the workflow's own and changes nothing.
func (t *Tool) Harmless() bool { return t.Local && t.Effect(json.RawMessage("[]")) == sandbox.Read }

// AnswersWhole says that the tool gives a script whatever answer there is, with its status.
func (t *Tool) AnswersWhole() bool { return t.Request != nil && t.Request.Whole }

// State is the workflow's own keys and files: what local tools read and write.
// *Memory is the only implementation; a live run's is loaded from the journaled writes
// of earlier runs, a replay's from the bundle's "local".
type State interface {
	KV(key string) (json.RawMessage, bool)
	Keys(prefix string) []string // sorted
	SetKV(key string, value json.RawMessage)
	DeleteKV(key string)
	File(path string) (File, bool)
	Files() []string // all paths, sorted
	WriteFile(path string, file File)
	RemoveFile(path string)
	// Folder says whether any file lies under path. The workflow's own folder, ".", is always there.
	Folder(path string) bool
	Usage() Usage
}

// File is a text file of a workflow.
type File struct {
	Text       string
	ModifiedMS int64 // Unix milliseconds of the script's clock
}

// Usage is how much a State holds.
type Usage struct {
	Keys  int
	Files int
	Bytes int64 // of keys, values, paths and texts together
	Most  int64 // that Bytes may come to; zero means [MaxStateBytes]
}

// Env is what live tools work with: one for each run, so that nothing (a connection, a
// cookie, a key) is shared between workflows. Every field but State may be left zero.
type Env struct {
	State State
	// Carried is what calls of local tools carried before, of the run that this one goes on with, in bytes.
	Carried int64
	// AllowedHosts are hosts that a person opened to this workflow although they are private
	// or on an unusual port: "host" opens every port of it, "host:port" that one.
	AllowedHosts []string
	// Reach narrows where the run may go, also by redirects, within what the guard lets through
	// anyway. Nil means no further.
	Reach func(host, port string) bool
	// Closed says why the installation lets no script of this workflow reach a place, or "", whatever AllowedHosts open. It is asked
	// with an invalid address before the host is looked up, and again with each address that is dialled. An error says that the
	// policy cannot be read now. Nil closes nothing.
	Closed func(host, port string, address netip.Addr) (why string, err error)
	// AtomicHosts (as in the URL, with a port if that is not the usual one) have done nothing of a
	// write that they answer with 500.
	AtomicHosts []string
	// Lookups say how hosts are asked what became of a write to them.
	Lookups []LookupRule
	// KnownHosts says whether a recorded run has had an answer from host. A known host that
	// cannot be found is the network's trouble, an unknown one is a misspelt address.
	KnownHosts func(host string) bool
	// Key is the idempotency key that a write carries out of the house; empty means none.
	Key func(call sandbox.Call) string
	// MaySend is asked when the connection for a write is there, right before anything goes over it:
	// to connect may take long. With an error nothing is sent, and the call ends with it. Nil lets all go.
	MaySend func(ctx context.Context) error
	// Secrets is the value of a secret, if it is bound to host, which is as in the URL: with a
	// port if that is not the usual one. An error, which nobody is told, says that it cannot be read
	// now. Nil means none is bound.
	Secrets func(name, host string) (value string, ok bool, err error)
	// Now is the script's clock in Unix milliseconds: when a file was modified. Nil means 0.
	Now func() int64
	// Clock is real time: how long calls take, when to try again. Nil means [time.Now].
	Clock func() time.Time
	// Logger hears of the host's own trouble. Nil means [slog.Default].
	Logger *slog.Logger

	// Resolver finds addresses. Nil means the system's.
	Resolver *net.Resolver
	// RootCAs are whom TLS trusts. Nil means the system's.
	RootCAs *x509.CertPool
	// BodyBytes caps the body of an answer, decompressed. Zero means [DefaultBodyBytes].
	BodyBytes int64
	// FetchBytes caps all bodies of a run together. Zero means [DefaultFetchBytes].
	FetchBytes int64

	web *client // made by NewHost
}

// DefaultBodyBytes is how much of an answer a script may read: 10 MiB.
const DefaultBodyBytes = 10 << 20

// DefaultFetchBytes is how much a run may read from the web in all: 256 MiB.
const DefaultFetchBytes = 256 << 20
