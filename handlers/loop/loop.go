package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/installation"
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

// Room bounds the work under way at once of the reactions that share it: work that takes minutes
// does not stand in the way of work that takes a moment.
type Room struct{ Limit int }

// Roomed is a reaction that does not take the default room of its own.
type Roomed interface {
	// Room may be shared with other reactions; nil is the default.
	Room() *Room
}

// Listener is a reaction for which something may be due when another workflow has an event.
type Listener interface {
	// Listeners are the workflows that are to be looked at when this one has an event.
	Listeners(workflow string) []string
}

// Workflows gives folded state, with everything up to a revision of the workflow's stream or more.
type Workflows interface {
	WorkflowSince(ctx context.Context, id string, revision int64) (workflow.State, error)
}

// Config is what a Loop needs.
type Config struct {
	Log       eventlog.Log
	Workflows Workflows
	Reactions []Reaction
	Logger    *slog.Logger
	Now       func() time.Time
	// Parallel bounds the work of each reaction that is under way at once, over all workflows:
	// runs that wait for the world keep no slot of a schedule waiting. Default 64.
	Parallel int
	// Only restricts the loop to one workflow; empty means all.
	Only string
	// Look is after what time at most a clock that somebody set forward is noticed. Default 10 s.
	Look time.Duration
}

func (c *Config) setDefaults() {
	if c.Look == 0 {
		c.Look = longestSleep
	}
	if c.Parallel == 0 {
		c.Parallel = 64
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
}

// Validate names everything that is missing.
func (c *Config) Validate() error {
	var faults []error
	if c.Log == nil {
		faults = append(faults, errors.New("loop.Config: Log is missing"))
	}
	if c.Workflows == nil {
		faults = append(faults, errors.New("loop.Config: Workflows is missing"))
	}
	if len(c.Reactions) == 0 {
		faults = append(faults, errors.New("loop.Config: Reactions is empty"))
	}
	return errors.Join(faults...)
}

// Loop is the one level-triggered loop that all reactions share.
//
// What an event or a moment costs does not depend on how many workflows there are: those to be looked
// at stand in a line, those that wait for a time in a heap, and those that a reaction has no room for
// in a line of that reaction.
type Loop struct {
	config    Config
	listeners []Listener

	mu       sync.Mutex
	lanes    map[string]*lane
	dirty    line[*lane] // to be looked at, each lane once
	later    heap[*lane] // by the time of the earliest work that is due later
	rooms    []*room     // of the reactions, each once
	roomOf   []int       // by reaction: which of the rooms
	position eventlog.Position
	running  int
	ended    *sync.Cond // a piece of work did
	draining bool
	changed  chan struct{} // receives when a lane became dirty, work ended, or draining began
}

// lane is one workflow's place in the loop. Its fields are guarded by Loop.mu. Most lanes have
// nothing in their maps, and no maps.
type lane struct {
	id       string
	dirty    bool                 // stands in the line
	blocked  uint64               // a bit for each room in whose line it stands
	called   uint64               // … out of whose line it was taken: it has a place there until it is looked at
	seen     int                  // events, so that work knows whether one came while it looked
	revision int64                // of the newest event of its stream that was seen
	wakeAt   time.Time            // earliest work that is due later
	place    int                  // in the heap, from 1; 0 if it is not there
	underWay map[string]bool      // by work key
	failures map[string]failedTry // by work key
	waits    map[string]time.Time // by work key; zero for the next event
	unloaded string               // why it cannot be loaded, as it was told
}

// room is where the work of reactions takes place. Who came first is let in first.
type room struct {
	limit   int
	running int
	called  int         // places that are kept for lanes which are about to be looked at
	blocked line[*lane] // lanes with work that found no room, each once
}

// free is how many places are left for those who stand in the line.
func (r *room) free() int { return r.limit - r.running - r.called }

type failedTry struct {
	count int
	until time.Time
}

const (
	firstRetry   = time.Second
	lastRetry    = time.Minute
	longestSleep = 10 * time.Second
)

// New panics if the configuration is incomplete: that is a mistake in the wiring.
func New(config Config) *Loop {
	config.setDefaults()
	if err := config.Validate(); err != nil {
		panic(err)
	}
	l := &Loop{
		config: config, lanes: map[string]*lane{}, changed: make(chan struct{}, 1),
		later: heap[*lane]{
			before: func(a, b *lane) bool { return a.wakeAt.Before(b.wakeAt) },
			moved:  func(of *lane, place int) { of.place = place },
		},
	}
	l.ended = sync.NewCond(&l.mu)
	l.furnish()
	for _, reaction := range config.Reactions {
		if listener, is := reaction.(Listener); is {
			l.listeners = append(l.listeners, listener)
		}
	}
	return l
}

// furnish gives each reaction its room.
func (l *Loop) furnish() {
	shared := map[*Room]int{}
	for _, reaction := range l.config.Reactions {
		in, limit := (*Room)(nil), l.config.Parallel
		if own, is := reaction.(Roomed); is {
			in = own.Room()
		}
		if in != nil {
			limit = max(in.Limit, 1)
		}
		place, known := shared[in]
		if in == nil || !known {
			place = len(l.rooms)
			l.rooms = append(l.rooms, &room{limit: limit})
			shared[in] = place
		}
		l.roomOf = append(l.roomOf, place)
	}
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

	// Nothing was under way or due. What ended just before may have made something due for another
	// workflow: the log is read once more.
	quiet := false
	for {
		if ctx.Err() != nil {
			return nil
		}
		known := l.position
		if err := l.read(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			stop()
			return fmt.Errorf("loop.Loop: read the log: %w", err)
		}
		if quiet && known == l.position {
			return nil
		}
		next, err := l.start(work, &group)
		if err != nil {
			stop()
			return err
		}
		idle, drained := l.idle()
		if drained {
			return nil
		}
		if quiet = untilIdle && idle; quiet {
			continue
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
		if record.Stream == installation.Stream {
			l.wakeAll()
			continue
		}
		id := laneOf(record)
		if id == "" {
			continue
		}
		l.mark(id, record)
		for _, listener := range l.listeners {
			for _, other := range listener.Listeners(id) {
				l.mark(other, record)
			}
		}
	}
	return nil
}

// mark has a workflow looked at: something happened that may make something due for it.
func (l *Loop) mark(id string, record eventlog.Record) {
	if l.config.Only != "" && id != l.config.Only {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	of := l.lanes[id]
	if of == nil {
		of = &lane{id: id, revision: -1}
		l.lanes[id] = of
	}
	if record.Stream == workflow.Stream(id) {
		of.revision = record.Revision
	}
	l.happened(of)
}

// wakeAll has every workflow looked at: something was decided for all of them.
func (l *Loop) wakeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, of := range l.lanes {
		l.happened(of)
	}
}

// happened lets a lane be looked at because of an event.
func (l *Loop) happened(of *lane) {
	of.seen++
	clear(of.waits)
	l.enqueue(of)
}

// enqueue lets a lane be looked at.
func (l *Loop) enqueue(of *lane) {
	if !of.dirty {
		of.dirty = true
		l.dirty.push(of)
	}
}

// wake lets a lane be looked at at a later time; the zero time takes that back.
func (l *Loop) wake(of *lane, at time.Time) {
	if of.place > 0 {
		l.later.remove(of.place)
	}
	if of.wakeAt = at; !at.IsZero() {
		l.later.push(of)
	}
}

// laneOf is the workflow that an event may make something due for; empty for none. What a run does
// makes nothing due, but what a person says about it does.
func laneOf(record eventlog.Record) string {
	if id, is := strings.CutPrefix(record.Stream, workflow.StreamPrefix); is {
		return id
	}
	if record.Type != run.TypeEffectResolved && record.Type != run.TypeAnswerGiven {
		return ""
	}
	var metadata event.Metadata
	if json.Unmarshal(record.Metadata, &metadata) != nil {
		return "" // whoever reads the run's stream meets it, and says so
	}
	id, _ := strings.CutPrefix(metadata.Subject, workflow.Subject(""))
	return id
}

// start begins what is due in dirty lanes, and says when the next later work is due.
func (l *Loop) start(ctx context.Context, group *sync.WaitGroup) (time.Time, error) {
	for {
		of, later := l.next(l.config.Now())
		if of == nil {
			return later, nil
		}
		if err := l.look(ctx, group, of); err != nil {
			return time.Time{}, err
		}
	}
}

// next takes the lane out of the line that has stood there longest. If there is none, it says when
// there will be one by the clock.
func (l *Loop) next(now time.Time) (of *lane, later time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.draining {
		return nil, time.Time{}
	}
	for l.later.len() > 0 && !l.later.first().wakeAt.After(now) {
		due := l.later.first()
		l.wake(due, time.Time{})
		l.enqueue(due)
	}
	l.letIn()
	if l.dirty.len() > 0 {
		of = l.dirty.pop()
		of.dirty = false
		return of, time.Time{}
	}
	if l.later.len() > 0 {
		later = l.later.first().wakeAt
	}
	return nil, later
}

// letIn has as many lanes looked at again as there is room for by now. Those that turn out to have
// nothing to do there leave the room to the next ones.
func (l *Loop) letIn() {
	for i, in := range l.rooms {
		for in.free() > 0 && in.blocked.len() > 0 {
			waited := in.blocked.pop()
			waited.blocked &^= 1 << i
			waited.called |= 1 << i
			in.called++
			l.enqueue(waited)
		}
	}
}

// enters gives up the places that are kept for a lane, and says in which rooms it had one.
func (l *Loop) enters(of *lane) (called uint64) {
	called, of.called = of.called, 0
	for i, in := range l.rooms {
		if called&(1<<i) != 0 {
			in.called--
		}
	}
	return called
}

// lets says that a lane may begin a piece of work: it was called, or nobody waits.
func (r *room) lets(called bool) bool {
	return r.free() > 0 && (called || r.blocked.len() == 0)
}

// look asks the reactions about one workflow and starts what is due.
func (l *Loop) look(ctx context.Context, group *sync.WaitGroup, of *lane) error {
	l.mu.Lock()
	revision := of.revision
	l.mu.Unlock()
	state, err := l.config.Workflows.WorkflowSince(ctx, of.id, revision)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		if l.config.Only != "" {
			return fmt.Errorf("loop.Loop: load workflow %s: %w", of.id, err)
		}
		// One stream that cannot be read must not stop the others. It is told once, however often it is tried.
		if of.unloaded != err.Error() {
			of.unloaded = err.Error()
			l.config.Logger.Error("a workflow cannot be loaded and stands still, will be tried again", "workflow", of.id, "again_in", lastRetry, "error", err)
		}
		l.mu.Lock()
		l.enters(of)
		l.wake(of, l.config.Now().Add(lastRetry))
		l.mu.Unlock()
		return nil
	}

	of.unloaded = ""
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.config.Now()
	var wakeAt time.Time
	called := l.enters(of)
	for i, reaction := range l.config.Reactions {
		in, bit := l.rooms[l.roomOf[i]], uint64(1)<<l.roomOf[i]
		for _, work := range reaction.Due(of.id, state) {
			key := reaction.Name() + " " + work.Key
			due := work.At
			if failed, found := of.failures[key]; found && failed.until.After(due) {
				due = failed.until
			}
			until, waits := of.waits[key]
			if until.After(due) {
				due = until
			}
			switch {
			case of.underWay[key], waits && until.IsZero():
			case due.After(now):
				if wakeAt.IsZero() || due.Before(wakeAt) {
					wakeAt = due
				}
			case !in.lets(called&bit != 0):
				if of.blocked&bit == 0 {
					of.blocked |= bit
					in.blocked.push(of)
				}
			default:
				called &^= bit
				put(&of.underWay, key, true)
				in.running++
				l.running++
				seen := of.seen
				group.Go(func() { l.do(ctx, of, in, seen, key, work) })
			}
		}
	}
	l.wake(of, wakeAt)
	return nil
}

func (l *Loop) do(ctx context.Context, of *lane, in *room, seen int, key string, work Work) {
	err := guard(ctx, work.Do)
	l.mu.Lock()
	delete(of.underWay, key)
	l.running--
	in.running--
	l.ended.Broadcast()
	l.enqueue(of)
	delete(of.waits, key)
	if wait, is := errors.AsType[*Wait](err); is {
		delete(of.failures, key)
		if of.seen == seen { // else what it waits for may have come
			put(&of.waits, key, wait.Until)
		}
	} else if err == nil || ctx.Err() != nil {
		delete(of.failures, key)
	} else {
		failed := of.failures[key]
		wait := min(firstRetry<<min(failed.count, 10), lastRetry)
		put(&of.failures, key, failedTry{count: failed.count + 1, until: l.config.Now().Add(wait)})
		level := slog.LevelError
		if errors.Is(err, eventlog.ErrFull) && failed.count > 0 {
			level = slog.LevelDebug // it is the same trouble for all, and was said
		}
		l.config.Logger.Log(ctx, level, "reaction failed, will be tried again",
			"workflow", of.id, "work", key, "try", failed.count+1, "again_in", wait, "error", err)
	}
	l.mu.Unlock()
	l.signal()
}

// put makes the map if there is none.
func put[V any](m *map[string]V, key string, value V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = value
}

// guard turns a panic of one piece of work into its error: the others go on.
func guard(ctx context.Context, do func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("loop: panic: %v", p)
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
	return l.dirty.len() == 0, false
}

func (l *Loop) signal() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}
