// Package app is the application without a face: the node, which is a data directory and its log, opened; what
// is asked of it, what follows from the log by itself, and the server. The command line calls it, and whatever
// else lets people or programs in: it prints nothing and knows no flags.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/handlers/stall"
	"github.com/kintsugi-run/kintsugi/internal/agent"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
	"github.com/kintsugi-run/kintsugi/internal/script/inputschema"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
	"github.com/kintsugi-run/kintsugi/projections"
)

// LogFile is the event log in a data directory, unless it is elsewhere: all that has to be
// kept. The views are made from it, and files/ only shows what is in it.
const LogFile = "events.db"

// Node is a data directory and its log, opened: the commands on it, and what is seen of it.
type Node struct {
	Dir     string
	Name    string        // of this process among others
	Lease   time.Duration // of the runs that it executes; zero for the default
	Address Address
	Log     watchedLog
	State   *stateStore
	Views   *readmodel.Store
	// ViewsConfig is what Views are made of.
	ViewsConfig readmodel.Config
	Queries     *projections.Queries
	Commands    *commands.Commands
	Codec       *event.Registry
	Logger      *slog.Logger
	Now         func() time.Time
	Model       llm.Model     // that agents ask; nil for none
	Words       *agents.Words // that agents of this process say, while they do
	Agents      int           // at work at once; zero for the default
	Program     []string      // that proposes fixes; nil for none
	Owner       string        // whose workflows it is lent for; empty for everybody's

	Approvals      *Approvals
	Decisions      *Decisions
	Fixes          *Fixes
	Generations    *Generations
	HandlerQueries *HandlerQueries
	Health         *Health
	History        *History
	Links          *Links
	Owners         *Owners
	Planner        *Planner
	Plans          *Plans
	Resolve        *Resolver
	Runs           *Runs
	Scripts        *Scripts
	Secrets        *Secrets
	Sessions       *Sessions
	Subscriptions  *Subscriptions
	Tokens         *Tokens
	Workflows      *Workflows

	expressions  *process.Pool // of subscriptions; it starts a worker when there is one to make
	upkeep       *stall.Upkeep
	around       func(agent.Tool) agent.Tool // each tool of agents; nil leaves them as they are
	removeSource func()                      // of packages of scripts
	lent         bool                        // to somebody who does not close it
	requests     *prometheus.HistogramVec    // how long requests over HTTP took, see [Health.Measured]
}

// NewCodec knows every event of the program, checked.
func NewCodec() (*event.Registry, error) {
	codec := domain.NewCodec()
	if err := codec.Check(); err != nil {
		return nil, fmt.Errorf("the program's own events: %w", err)
	}
	return codec, nil
}

// Open opens a data directory, which is made if it is not there, the log at an
// address, and its views in a place. Any number of processes may have it open; only one may be the server.
func Open(ctx context.Context, dir string, address Address, views ViewsPlace, patience time.Duration, logger *slog.Logger) (opened *Node, err error) {
	codec, err := NewCodec()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	n := &Node{Dir: dir, Name: NodeName(), Address: address, Codec: codec, Logger: logger, Now: time.Now, Words: new(agents.Words), requests: newRequestTimes(), Links: &Links{unreachable: new(sync.Once)}}
	n.expressions = process.NewPool(process.PoolConfig{Bindings: hostcall.Bindings(), Logger: logger})
	beside, err := ParseState("", dir, address)
	if err != nil {
		return nil, err
	}
	n.State = &stateStore{Address: beside, logger: logger}
	defer func() {
		if err != nil {
			_ = n.Close()
		}
	}()
	log, err := OpenLog(ctx, address, patience, logger)
	if err != nil {
		return nil, err
	}
	n.Log = watch(log)
	if views.dir == "" && views.Database.Backend == "" {
		if views, err = ParseViews("", dir, address); err != nil {
			return nil, err
		}
	}
	n.ViewsConfig = views.config(address, n.Log, codec)
	n.ViewsConfig.Logger = logger
	if n.Views, err = readmodel.Open(ctx, n.ViewsConfig); err != nil {
		return nil, err
	}
	n.Queries = projections.NewQueries(n.Views)
	n.Commands = commands.New(commands.Config{
		Log: n.Log, Codec: codec, Now: n.Now, NewID: NewID,
		CheckScript: process.Check, CheckInput: inputschema.Fits,
		CheckWords: func(ctx context.Context, text []byte) error { return n.Secrets.refuse(ctx, text) },
	})
	n.removeSource = packages.AddSource(n.Commands.Packages)
	n.upkeep = stall.NewUpkeep(stall.Log{Commands: n.Commands}, logger)
	n.wire()
	return n, nil
}

// wire makes each subject from what the node is made of.
func (n *Node) wire() {
	n.Resolve = &Resolver{Queries: n.Queries, Owner: n.Owner}
	n.HandlerQueries = &HandlerQueries{Commands: n.Commands, Queries: n.Queries, Views: n.Views}
	n.Secrets = &Secrets{State: n.State, Commands: n.Commands, Queries: n.Queries, Now: n.Now, Logger: n.Logger}
	n.Scripts = &Scripts{Commands: n.Commands, Queries: n.Queries, Now: n.Now, HandlerQueries: n.HandlerQueries, Secrets: n.Secrets}
	n.Tokens = &Tokens{Commands: n.Commands, Now: n.Now}
	n.Owners = &Owners{Commands: n.Commands, Queries: n.Queries, Now: n.Now, HandlerQueries: n.HandlerQueries, Secrets: n.Secrets}
	n.Links = &Links{Public: n.Links.Public, Now: n.Now, Logger: n.Logger, unreachable: n.Links.unreachable}
	n.Generations = &Generations{Views: n.Views, ViewsConfig: n.ViewsConfig}
	n.Decisions = &Decisions{Commands: n.Commands, Queries: n.Queries, Views: n.Views, HandlerQueries: n.HandlerQueries}
	n.Fixes = &Fixes{
		Commands: n.Commands, Queries: n.Queries, Views: n.Views, Now: n.Now, Logger: n.Logger,
		HandlerQueries: n.HandlerQueries, Resolve: n.Resolve, Scripts: n.Scripts, Secrets: n.Secrets,
	}
	n.Runs = &Runs{Commands: n.Commands, Queries: n.Queries, Views: n.Views, Now: n.Now, Decisions: n.Decisions, Fixes: n.Fixes, Scripts: n.Scripts}
	n.Workflows = &Workflows{
		Dir: n.Dir, Commands: n.Commands, Queries: n.Queries, Views: n.Views,
		Now: n.Now, Fixes: n.Fixes, Runs: n.Runs, Secrets: n.Secrets,
	}
	n.Plans = &Plans{Dir: n.Dir, Commands: n.Commands, Queries: n.Queries, Views: n.Views, Now: n.Now, Logger: n.Logger, Secrets: n.Secrets}
	n.Planner = &Planner{Commands: n.Commands, Queries: n.Queries, Decisions: n.Decisions}
	n.Sessions = &Sessions{Log: n.Log, Commands: n.Commands, Queries: n.Queries, NewHealer: n.NewHealer}
	n.Approvals = &Approvals{
		Commands: n.Commands, Queries: n.Queries, Views: n.Views, Decisions: n.Decisions,
		Fixes: n.Fixes, Plans: n.Plans, Runs: n.Runs,
	}
	n.Subscriptions = &Subscriptions{
		Log: n.Log, State: n.State, Codec: n.Codec, Commands: n.Commands, Now: n.Now,
		Logger: n.Logger, Links: n.Links, Secrets: n.Secrets, Expressions: n.expressions, Owner: n.Owner, upkeep: n.upkeep,
	}
	n.History = &History{Dir: n.Dir, Log: n.Log, Codec: n.Codec, Commands: n.Commands, Queries: n.Queries, Views: n.Views, Now: n.Now}
	n.Health = &Health{
		Dir: n.Dir, Name: n.Name, Log: n.Log, Commands: n.Commands, Queries: n.Queries, Views: n.Views,
		Now: n.Now, Logger: n.Logger, Generations: n.Generations, Secrets: n.Secrets, Subscriptions: n.Subscriptions, requests: n.requests,
	}
}

// With is a node like this one, changed: this one stays as it is.
func (n *Node) With(change func(*Node)) *Node {
	changed, links := *n, *n.Links
	changed.Links = &links
	change(&changed)
	changed.wire()
	return &changed
}

// By is of a new command that somebody gives.
func By(actor string) commands.Meta { return commands.Meta{CommandID: NewID(), Actor: actor} }

// NewID makes ids that sort by time.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// Lent is the node for a while, for somebody in a time zone who sees the workflows of an owner, or everybody's: closing it closes
// nothing, and what is set on it is not set on the other.
func (n *Node) Lent(in *time.Location, owner string) *Node {
	return n.With(func(lent *Node) {
		lent.lent, lent.Owner = true, owner
		lent.Now = func() time.Time { return n.Now().In(in) }
	})
}

// Zone is the time zone of whoever the node works for: the one that its clock shows.
func (n *Node) Zone() *time.Location { return n.Now().Location() }

// Close waits for appends under way.
func (n *Node) Close() error {
	if n.lent {
		return nil
	}
	if n.removeSource != nil {
		n.removeSource()
	}
	faults := []error{n.expressions.Close(), n.State.Close()}
	if n.Views != nil {
		faults = append(faults, n.Views.Close())
	}
	if n.Log.Log != nil {
		faults = append(faults, n.Log.Close())
	}
	return errors.Join(faults...)
}

// NodeName is what this process is called among others, unless a person names it.
func NodeName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s/%d", host, os.Getpid())
}
