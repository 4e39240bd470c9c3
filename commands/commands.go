package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Config is what commands work with. All of it is needed but CheckInput and CheckWords.
type Config struct {
	Log   eventlog.Log
	Codec *event.Registry
	Now   func() time.Time
	// NewID makes ids that sort by time (UUIDv7), for commands that come without one.
	NewID func() string
	// CheckScript says what is wrong with a script before it is saved, with line and column.
	CheckScript func(code string) error
	// CheckInput says what of an input a script does not take, by its types. Nil lets everything through.
	CheckInput func(code string, input json.RawMessage) error
	// CheckWords refuses what a person hands over, if it may not get into the log: text is their command
	// as JSON. Nil lets everything through.
	CheckWords func(ctx context.Context, text []byte) error
}

// Commands is every use case, over one log, by subject. Its methods may be called from many goroutines.
type Commands struct {
	*core
	Accounts
	Fixes
	Histories
	Inputs
	Installations
	Planning
	Plans
	Runs
	Sessions
	Deliveries
	Threads
	Workflows
}

// The subjects. Each asks its part of the domain, through the pipeline that all share.
type (
	// Accounts pays, spends and bounds money.
	Accounts struct{ *core }
	// Fixes proposes, judges, decides and withdraws fixes.
	Fixes struct{ *core }
	// Histories reads the events of streams.
	Histories struct{ *core }
	// Inputs takes what triggers bring.
	Inputs struct{ *core }
	// Installations changes what holds for all workflows.
	Installations struct{ *core }
	// Planning leads the tasks of the planner.
	Planning struct{ *core }
	// Plans leads coding plans.
	Plans struct{ *core }
	// Runs admits, records, settles and ends runs.
	Runs struct{ *core }
	// Sessions leads coding sessions of the Healer.
	Sessions struct{ *core }
	// Deliveries adds and changes subscriptions, and keeps what became of their deliveries.
	Deliveries struct{ *core }
	// Threads keeps the conversations of maintainer and planner.
	Threads struct{ *core }
	// Workflows creates, changes, pauses and deletes workflows.
	Workflows struct{ *core }
)

// core is the pipeline of all commands: load, decide, append.
type core struct {
	log         eventlog.Log
	codec       *event.Registry
	now         func() time.Time
	newID       func() string
	checkScript func(code string) error
	checkInput  func(code string, input json.RawMessage) error
	checkWords  func(ctx context.Context, text []byte) error
	folds       *foldCache
	queues      *queues
	packages    *places
}

// New panics if anything of the configuration is missing: that is a mistake in the program.
func New(config Config) *Commands {
	for name, missing := range map[string]bool{
		"Log": config.Log == nil, "Codec": config.Codec == nil, "Now": config.Now == nil,
		"NewID": config.NewID == nil, "CheckScript": config.CheckScript == nil,
	} {
		if missing {
			panic("commands: New without " + name)
		}
	}
	c := &core{
		log: config.Log, codec: config.Codec, now: config.Now, newID: config.NewID, checkScript: config.CheckScript,
		checkInput: config.CheckInput, checkWords: config.CheckWords,
		folds: newFoldCache(foldsKept, foldEventsKept), queues: newQueues(), packages: new(places),
	}
	return &Commands{
		core: c, Accounts: Accounts{c}, Fixes: Fixes{c}, Histories: Histories{c}, Inputs: Inputs{c}, Installations: Installations{c},
		Planning: Planning{c}, Plans: Plans{c}, Runs: Runs{c}, Sessions: Sessions{c}, Deliveries: Deliveries{c},
		Threads: Threads{c}, Workflows: Workflows{c},
	}
}

// wordsOf checks what a person hands over with a command.
func (c *core) wordsOf(ctx context.Context, command any, meta Meta) error {
	if c.checkWords == nil || !strings.HasPrefix(meta.Actor, "person:") {
		return nil
	}
	text, err := json.Marshal(command)
	if err != nil {
		return fault.New(fault.Invalid, "what is handed over is no text that can be kept: %w", err)
	}
	return c.checkWords(ctx, text)
}

// Meta says who asks, and what the question belongs to.
type Meta struct {
	// CommandID makes asking twice the same as asking once. Reactions derive it from what
	// they react to; a new one is made if it is empty.
	CommandID string
	// CorrelationID joins everything that belongs together, default the command id.
	CorrelationID string
	// CausationID is the event or message that led to this, default the command id.
	CausationID string
	// Actor is who asks: person:<name>, planner:<task>, maintainer:<task>, system:<handler>.
	Actor string
	// Holder is who gives the command for the actor, if that is not the person: an agent, or a program.
	Holder installation.Holder
	// Traceparent is the W3C trace context, if there is one.
	Traceparent string
	// Keyed says that the caller chose what CommandID comes of, and that CausationID names the request with all that it
	// says: the same command with another cause is refused, since it is another request under a key that was used.
	Keyed bool
	// Expected is the revision that the stream must have, nil for any: the caller's last look at it. If the stream
	// has gone on, the command is refused with a [*StaleError].
	Expected *int64
}

// StaleError refuses a command of somebody who has not seen what happened since.
type StaleError struct {
	Stream            string
	Expected, Current int64 // revisions, -1 for a stream without events
}

// Error implements error.
func (e *StaleError) Error() string {
	return fmt.Sprintf("%s has gone on: you have seen it at revision %d, it is at %d. Look again, then decide", e.Stream, e.Expected, e.Current)
}

func (c *core) complete(meta Meta) (Meta, error) {
	if meta.Actor == "" {
		return meta, errors.New("commands: a command without an actor: every event says who caused it")
	}
	if meta.CommandID == "" {
		meta.CommandID = c.newID()
	}
	if meta.CorrelationID == "" {
		meta.CorrelationID = meta.CommandID
	}
	if meta.CausationID == "" {
		meta.CausationID = meta.CommandID
	}
	return meta, nil
}

// Result is what a command came to.
type Result struct {
	Stream string
	// Events are those of this command, empty if there was nothing to do.
	Events []event.Recorded
	// Position is where a reader has seen everything this command relied on and did.
	Position eventlog.Position
	// Repeated says that the command was carried out before, and these are its events.
	Repeated bool
}
