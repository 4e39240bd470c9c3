package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Work is one thing that is to be done for a workflow.
type Work struct {
	// Key names the work: while it is under way, the same key is not started again.
	Key string
	// At is when it is due; the zero time is now.
	At time.Time
	Do func(ctx context.Context) error
}

// Wait is what a piece of work returns that cannot be done yet: no failure. It is tried again at
// that time, if not zero, or after the next event that is about the workflow.
type Wait struct{ Until time.Time }

// Error implements error.
func (w *Wait) Error() string {
	if w.Until.IsZero() {
		return "waits for an event"
	}
	return "waits until " + w.Until.Format(time.RFC3339)
}

// Reaction derives work from state. Due is pure and cheap: it is asked again after every
// event of the workflow and after every piece of work, and must stop naming work that is done.
type Reaction interface {
	Name() string
	Due(id string, state workflow.State) []Work
}

// Listener is a reaction for which something may be due when another workflow has an event.
type Listener interface {
	// Listeners are the workflows that are to be looked at when this one has an event.
	Listeners(workflow string) []string
}

// Workflows loads folded state.
type Workflows interface {
	LoadWorkflow(ctx context.Context, id string) (workflow.State, error)
}

// LoopConfig is what a Loop needs.
type LoopConfig struct {
	Log       eventlog.Log
	Workflows Workflows
	Reactions []Reaction
	Logger    *slog.Logger
	Now       func() time.Time
	// Parallel bounds the work under way at once, over all workflows. Default 16.
	Parallel int
	// Only restricts the loop to one workflow; empty means all.
	Only string
	// Look is after what time at most a clock that somebody set forward is noticed. Default 10 s.
	Look time.Duration
}

func (c *LoopConfig) setDefaults() {
	if c.Look == 0 {
		c.Look = longestSleep
	}
	if c.Parallel == 0 {
		c.Parallel = 16
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
}

// Validate names everything that is missing.
func (c *LoopConfig) Validate() error {
	var faults []error
	if c.Log == nil {
		faults = append(faults, errors.New("handlers.LoopConfig: Log is missing"))
	}
	if c.Workflows == nil {
		faults = append(faults, errors.New("handlers.LoopConfig: Workflows is missing"))
	}
	if len(c.Reactions) == 0 {
		faults = append(faults, errors.New("handlers.LoopConfig: Reactions is empty"))
	}
	return errors.Join(faults...)
}

// Loop is the one level-triggered loop that all reactions share.
type Loop struct {
	config    LoopConfig
	listeners []Listener

	mu       sync.Mutex
	lanes    map[string]*lane
	position eventlog.Position
	running  int
	ended    *sync.Cond // a piece of work did
	draining bool
	changed  chan struct{} // receives when a lane became dirty, work ended, or draining began
}

// lane is one workflow's place in the loop. Its fields are guarded by Loop.mu.
type lane struct {
	dirty    bool
	seen     int                  // events, so that work knows whether one came while it looked
	wakeAt   time.Time            // earliest work that is due later
	underWay map[string]bool      // by work key
	failures map[string]failedTry // by work key
	waits    map[string]time.Time // by work key; zero for the next event
}

type failedTry struct {
	count int
	until time.Time
}

const (
	firstRetry   = time.Second
	lastRetry    = time.Minute
	longestSleep = 10 * time.Second
)

// NewLoop panics if the configuration is incomplete: that is a mistake in the wiring.
func NewLoop(config LoopConfig) *Loop {
	config.setDefaults()
	if err := config.Validate(); err != nil {
		panic(err)
	}
	l := &Loop{config: config, lanes: map[string]*lane{}, changed: make(chan struct{}, 1)}
	l.ended = sync.NewCond(&l.mu)
	for _, reaction := range config.Reactions {
		if listener, is := reaction.(Listener); is {
			l.listeners = append(l.listeners, listener)
		}
	}
	return l
}

// Run does what is due until ctx ends, then waits for the work under way, whose
// context ends with ctx. It returns nil after a plain end, or the log's error.
func (l *Loop) Run(ctx context.Context) error {
	return l.run(ctx, false)
}

// Settle does what is due now, and what that makes due, and returns when nothing is
// left but work that is due later. Tests and one-shot commands use it.
func (l *Loop) Settle(ctx context.Context) error {
	return l.run(ctx, true)
}

// Drain lets the loop take no new work: Run returns when what is under way has ended.
func (l *Loop) Drain() {
	l.mu.Lock()
	l.draining = true
	l.mu.Unlock()
	l.signal()
}

// Wait returns when no work is under way. After Drain it stays so.
func (l *Loop) Wait() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.running > 0 {
		l.ended.Wait()
	}
}

func (l *Loop) run(ctx context.Context, untilIdle bool) error {
	hint, release := l.config.Log.Wake()
	defer release()
	work, stop := context.WithCancel(ctx)
	defer stop()
	var group sync.WaitGroup
	defer group.Wait()

	for {
		if ctx.Err() != nil {
			return nil
		}
		if err := l.read(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			stop()
			return fmt.Errorf("handlers.Loop: read the log: %w", err)
		}
		next, err := l.start(work, &group)
		if err != nil {
			stop()
			return err
		}
		idle, drained := l.idle()
		if drained || (untilIdle && idle) {
			return nil
		}
		var timer <-chan time.Time
		if !next.IsZero() {
			timer = time.After(min(max(next.Sub(l.config.Now()), time.Millisecond), l.config.Look))
		}
		select {
		case <-ctx.Done():
		case <-hint:
		case <-l.changed:
		case <-timer:
		}
	}
}

// read marks the workflows that have new events.
func (l *Loop) read(ctx context.Context) error {
	for record, err := range l.config.Log.All(ctx, l.position, eventlog.Everything) {
		if err != nil {
			return err
		}
		l.position = record.Position
		if record.Stream == commands.InstallationStream {
			l.wakeAll()
			continue
		}
		id := laneOf(record)
		if id == "" {
			continue
		}
		l.mark(id)
		for _, listener := range l.listeners {
			for _, other := range listener.Listeners(id) {
				l.mark(other)
			}
		}
	}
	return nil
}

// mark has a workflow looked at: something happened that may make something due for it.
func (l *Loop) mark(id string) {
	if l.config.Only != "" && id != l.config.Only {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lanes[id] == nil {
		l.lanes[id] = &lane{underWay: map[string]bool{}, failures: map[string]failedTry{}, waits: map[string]time.Time{}}
	}
	l.lanes[id].dirty = true
	l.lanes[id].seen++
	clear(l.lanes[id].waits)
}

// wakeAll has every workflow looked at: something was decided for all of them.
func (l *Loop) wakeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, lane := range l.lanes {
		lane.dirty = true
		lane.seen++
		clear(lane.waits)
	}
}

// laneOf is the workflow that an event may make something due for; empty for none. What a run does
// makes nothing due, but what a person says about it does.
func laneOf(record eventlog.Record) string {
	if id, is := strings.CutPrefix(record.Stream, commands.WorkflowStream("")); is {
		return id
	}
	if record.Type != run.TypeEffectResolved && record.Type != run.TypeAnswerGiven {
		return ""
	}
	var metadata event.Metadata
	if json.Unmarshal(record.Metadata, &metadata) != nil {
		return "" // whoever reads the run's stream meets it, and says so
	}
	id, _ := strings.CutPrefix(metadata.Subject, commands.WorkflowSubject(""))
	return id
}

// start begins what is due in dirty lanes, and says when the next later work is due.
func (l *Loop) start(ctx context.Context, group *sync.WaitGroup) (time.Time, error) {
	now := l.config.Now()
	var look []string
	l.mu.Lock()
	if l.draining {
		l.mu.Unlock()
		return time.Time{}, nil
	}
	for id, lane := range l.lanes {
		if lane.dirty || (!lane.wakeAt.IsZero() && !lane.wakeAt.After(now)) {
			look = append(look, id)
		}
	}
	l.mu.Unlock()

	for _, id := range look {
		if err := l.look(ctx, group, id, now); err != nil {
			return time.Time{}, err
		}
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	var next time.Time
	for _, lane := range l.lanes {
		if !lane.wakeAt.IsZero() && (next.IsZero() || lane.wakeAt.Before(next)) {
			next = lane.wakeAt
		}
	}
	return next, nil
}

// look asks the reactions about one workflow and starts what is due.
func (l *Loop) look(ctx context.Context, group *sync.WaitGroup, id string, now time.Time) error {
	l.mu.Lock()
	lane := l.lanes[id]
	lane.dirty, lane.wakeAt = false, time.Time{}
	l.mu.Unlock()

	state, err := l.config.Workflows.LoadWorkflow(ctx, id)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		if l.config.Only != "" {
			return fmt.Errorf("handlers.Loop: load workflow %s: %w", id, err)
		}
		// One stream that cannot be read must not stop the others.
		l.config.Logger.Error("a workflow cannot be loaded and stands still, will be tried again", "workflow", id, "again_in", lastRetry, "error", err)
		l.mu.Lock()
		lane.wakeAt = l.config.Now().Add(lastRetry)
		l.mu.Unlock()
		return nil
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	later := func(at time.Time) {
		if lane.wakeAt.IsZero() || at.Before(lane.wakeAt) {
			lane.wakeAt = at
		}
	}
	for _, reaction := range l.config.Reactions {
		for _, work := range reaction.Due(id, state) {
			key := reaction.Name() + " " + work.Key
			due := work.At
			if failed, found := lane.failures[key]; found && failed.until.After(due) {
				due = failed.until
			}
			until, waits := lane.waits[key]
			if until.After(due) {
				due = until
			}
			switch {
			case lane.underWay[key], waits && until.IsZero():
			case due.After(now):
				later(due)
			case l.running >= l.config.Parallel:
				lane.dirty = true // looked at again when something ends
			default:
				lane.underWay[key] = true
				l.running++
				seen := lane.seen
				group.Go(func() { l.do(ctx, lane, seen, id, key, work) })
			}
		}
	}
	return nil
}

func (l *Loop) do(ctx context.Context, lane *lane, seen int, id, key string, work Work) {
	err := guard(ctx, work.Do)
	l.mu.Lock()
	delete(lane.underWay, key)
	l.running--
	l.ended.Broadcast()
	lane.dirty = true
	delete(lane.waits, key)
	if wait, is := errors.AsType[*Wait](err); is {
		delete(lane.failures, key)
		if lane.seen == seen { // else what it waits for may have come
			lane.waits[key] = wait.Until
		}
	} else if err == nil || ctx.Err() != nil {
		delete(lane.failures, key)
	} else {
		failed := lane.failures[key]
		wait := min(firstRetry<<min(failed.count, 10), lastRetry)
		lane.failures[key] = failedTry{count: failed.count + 1, until: l.config.Now().Add(wait)}
		l.config.Logger.Error("reaction failed, will be tried again",
			"workflow", id, "work", key, "try", failed.count+1, "again_in", wait, "error", err)
	}
	l.mu.Unlock()
	l.signal()
}

// guard turns a panic of one piece of work into its error: the others go on.
func guard(ctx context.Context, do func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("handlers: panic: %v", p)
		}
	}()
	return do(ctx)
}

// idle says whether nothing is under way or due now, and whether a drain has ended.
func (l *Loop) idle() (idle, drained bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running > 0 {
		return false, false
	}
	if l.draining {
		return true, true
	}
	for _, lane := range l.lanes {
		if lane.dirty {
			return false, false
		}
	}
	return true, false
}

func (l *Loop) signal() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}
