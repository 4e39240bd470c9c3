package loop

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/basics/panics"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Config is what a Loop needs.
type Config struct {
	Log    eventlog.Log
	Kinds  []Kind
	Logger *slog.Logger
	Now    func() time.Time
	// Parallel bounds the work of each reaction that is under way at once, over all streams:
	// runs that wait for the world keep no slot of a schedule waiting. Default 64.
	Parallel int
	// Only restricts the loop to the streams of one id; empty means all.
	Only string
	// Stalls hears of work that fails again and again. Nil means that only the log does.
	Stalls Stalls
	// Look is the longest time after which a clock that somebody set forward is noticed. Default 10 s.
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
	if len(c.Kinds) == 0 {
		faults = append(faults, errors.New("loop.Config: Kinds is empty"))
	}
	for _, kind := range c.Kinds {
		faults = append(faults, kind.validate())
	}
	return errors.Join(faults...)
}

// Loop is the one level-triggered loop that all reactions share.
//
// The cost of an event or a moment does not depend on how many streams there are: those to be looked
// at stand in a queue, those that wait for a time in a heap, and those whose work finds its semaphore
// taken in the queue of that semaphore.
type Loop struct {
	config Config
	kinds  []*watched

	mu         sync.Mutex
	lanes      map[laneKey]*lane
	dirty      queue[*lane] // to be looked at, each lane once
	behind     queue[*lane] // … when nobody stands in front: all that there are, at the start and when something is for all
	ahead      int          // lanes taken out of dirty one after the other while others stood behind
	later      timers
	semaphores []*semaphore // of the reactions, each once
	position   eventlog.Position
	listed     func() (listed, error, bool) // the next of the streams that there were at the start; nil if all are marked
	unlist     func()
	stalled    map[Stall]bool // people were told of
	once       bool           // nothing that failed is tried again in this life
	running    int
	ended      *sync.Cond // a piece of work did
	draining   bool
	changed    chan struct{} // receives when a lane became dirty, work ended, or draining began
}

// watched is a kind with what the loop knows of its reactions.
type watched struct {
	Kind
	semaphore []int // by reaction: which of the semaphores
	listeners []Listener
}

// listed is a stream that there is.
type listed struct {
	kind   *watched
	stream eventlog.StreamEnd
}

type laneKey struct {
	kind *watched
	id   string
}

// lane is one stream's place in the loop. Its fields are guarded by Loop.mu. Most lanes have
// nothing in their maps, and no maps.
type lane struct {
	laneKey
	dirty    bool                 // stands in the queue
	behind   bool                 // … in that of those behind, and was not looked at since
	waiting  uint64               // a bit for each semaphore in whose queue it stands
	reserved uint64               // … out of whose queue it was taken: a slot is kept for it until it is looked at
	seen     int                  // events, so that work knows whether one came while it looked
	revision int64                // of the newest event of its stream that was seen
	wakeAt   time.Time            // earliest work that is due later
	timer    int                  // in the heap, from 1; 0 if it is not there
	underWay map[string]bool      // by work key
	failures map[string]failedTry // by work key
	waits    map[string]time.Time // by work key; zero for the next event
	unloaded string               // why it cannot be loaded, as it was told
}

// semaphore bounds the work of the reactions that share it. The lane that came first is let in first.
type semaphore struct {
	limit    int
	running  int
	reserved int          // slots that are kept for lanes which are about to be looked at
	waiting  queue[*lane] // lanes with work that found no slot, each once
}

// free is how many slots are left for those who wait.
func (s *semaphore) free() int { return s.limit - s.running - s.reserved }

// admits says that a lane may begin a piece of work: a slot was kept for it, or nobody waits.
func (s *semaphore) admits(reserved bool) bool {
	return s.free() > 0 && (reserved || s.waiting.len() == 0)
}

type failedTry struct {
	count int
	until time.Time
}

const (
	firstRetry = time.Second
	lastRetry  = time.Minute
	// lastStalledRetry is the longest pause between tries of work that people were told of.
	lastStalledRetry = 10 * time.Minute
	longestSleep     = 10 * time.Second
	// mostAhead is how many lanes are looked at before one of those behind: these come to their turn
	// however much happens.
	mostAhead = 8
)

// New panics if the configuration is incomplete: that is a mistake in the wiring.
func New(config Config) *Loop {
	config.setDefaults()
	if err := config.Validate(); err != nil {
		panic(err)
	}
	l := &Loop{config: config, lanes: map[laneKey]*lane{}, changed: make(chan struct{}, 1)}
	l.ended = sync.NewCond(&l.mu)
	shared := map[*Semaphore]int{}
	for _, kind := range config.Kinds {
		of := &watched{Kind: kind}
		for _, reaction := range kind.reactions() {
			of.semaphore = append(of.semaphore, l.semaphoreOf(reaction, shared))
			if listener, is := reaction.(Listener); is {
				of.listeners = append(of.listeners, listener)
			}
		}
		l.kinds = append(l.kinds, of)
	}
	return l
}

// semaphoreOf is the place of a reaction's semaphore: that which it shares, or one of its own.
func (l *Loop) semaphoreOf(reaction any, shared map[*Semaphore]int) int {
	var of *Semaphore
	limit := l.config.Parallel
	if limited, is := reaction.(Limited); is {
		of = limited.Semaphore()
	}
	if of != nil {
		if place, known := shared[of]; known {
			return place
		}
		limit = max(of.Limit, 1)
		shared[of] = len(l.semaphores)
	}
	l.semaphores = append(l.semaphores, &semaphore{limit: limit})
	return len(l.semaphores) - 1
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
	by := &workers{jobs: make(chan func())}
	defer by.end()
	defer l.leave()

	l.once = untilIdle
	l.remember(ctx)

	// Nothing was under way or due. Work that ended just before may have made something due for another
	// stream: the log is read once more.
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
		next, heard, err := l.start(work, by, hint)
		if err != nil {
			stop()
			return err
		}
		idle, drained := l.idle()
		if drained {
			return nil
		}
		if quiet = untilIdle && idle && !heard; quiet || heard {
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

// read marks the streams that have new events, and those that new events are about. Streams that it finds at the
// start stand behind those that have events from then on.
func (l *Loop) read(ctx context.Context) error {
	first := l.position == eventlog.Start
	if lister, is := eventlog.As[eventlog.Lister](l.config.Log); is && first {
		if err := l.list(ctx, lister); err != nil {
			return err
		}
		first = false
	}
	for delivery, err := range eventlog.Scan(ctx, l.config.Log, l.position, eventlog.Everything) {
		if err != nil {
			return err
		}
		if delivery.Record == nil {
			continue
		}
		l.position = delivery.Position
		for _, kind := range l.kinds {
			l.mark(kind, *delivery.Record, first)
		}
	}
	return nil
}

// list begins to mark all streams: [Loop.refill] goes on with it. No event has to be read for that: all streams that
// old ones are about are looked at.
func (l *Loop) list(ctx context.Context, lister eventlog.Lister) error {
	head, err := l.config.Log.Head(ctx)
	if err != nil || head == eventlog.Start {
		return err // an empty log has nothing to list; what comes is read
	}
	l.position = head
	l.listed, l.unlist = iter.Pull2(func(yield func(listed, error) bool) {
		for _, kind := range l.kinds {
			for stream, err := range lister.Streams(ctx, kind.prefix()) {
				if !yield(listed{kind, stream}, err) {
					return
				}
			}
		}
	})
	return nil
}

// refill has somebody stand behind as long as not all streams are listed.
func (l *Loop) refill() error {
	for l.listed != nil && l.behind.len() == 0 {
		of, err, more := l.listed()
		if err != nil {
			return err
		}
		if !more {
			l.listed, l.unlist = nil, nil
			return nil
		}
		l.mark(of.kind, eventlog.Record{Stream: of.stream.Stream, Revision: of.stream.Last}, true)
	}
	return nil
}

// leave ends a list that is not at its end: the next run of the loop begins it again.
func (l *Loop) leave() {
	if l.listed != nil {
		l.unlist()
		l.listed, l.unlist, l.position = nil, nil, eventlog.Start
	}
}

// mark has the streams of a kind looked at for which an event may make something due. An event that is for
// all of them has nobody wait behind all of them.
func (l *Loop) mark(kind *watched, record eventlog.Record, behind bool) {
	about := kind.about(record)
	if about == nobody {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if about.All {
		for _, of := range l.lanes {
			if of.kind == kind {
				l.happened(of, true)
			}
		}
	}
	if about.ID == "" {
		return
	}
	if of := l.laneOf(kind, about.ID); of != nil {
		if about.own {
			of.revision = max(of.revision, record.Revision) // what was listed may be older than what was read
		}
		l.happened(of, behind)
	}
	for _, listener := range kind.listeners {
		for _, other := range listener.Listeners(about.ID) {
			if of := l.laneOf(kind, other); of != nil {
				l.happened(of, behind)
			}
		}
	}
}

// laneOf is the lane of a stream, which is made if there is none; nil if the loop leaves it alone.
func (l *Loop) laneOf(kind *watched, id string) *lane {
	if l.config.Only != "" && id != l.config.Only {
		return nil
	}
	key := laneKey{kind, id}
	if l.lanes[key] == nil {
		l.lanes[key] = &lane{laneKey: key, revision: -1}
	}
	return l.lanes[key]
}

// happened lets a lane be looked at because of an event.
func (l *Loop) happened(of *lane, behind bool) {
	of.seen++
	clear(of.waits)
	if !behind {
		l.enqueue(of)
	} else if !of.dirty && !of.behind {
		of.behind = true
		l.behind.push(of)
	}
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
	if of.timer > 0 {
		heap.Remove(&l.later, of.timer-1)
	}
	if of.wakeAt = at; !at.IsZero() {
		heap.Push(&l.later, of)
	}
}

// start begins what is due in dirty lanes, and says when the next later work is due.
// While lanes stand behind it ends early at a hint of new events, which go first: heard.
func (l *Loop) start(ctx context.Context, by *workers, hint <-chan struct{}) (later time.Time, heard bool, err error) {
	for ctx.Err() == nil {
		if err := l.refill(); err != nil && ctx.Err() == nil {
			return time.Time{}, false, fmt.Errorf("loop.Loop: list the streams: %w", err)
		}
		of, later := l.next(l.config.Now())
		if of == nil {
			return later, false, nil
		}
		if err := l.look(ctx, by, of); err != nil {
			return time.Time{}, false, err
		}
		if l.behind.len() == 0 && l.listed == nil {
			continue
		}
		select {
		case <-hint:
			return time.Time{}, true, nil
		default:
		}
	}
	return time.Time{}, false, nil
}

// next takes the lane out of the queue that has stood there longest. If there is none, it says when
// there will be one by the clock.
func (l *Loop) next(now time.Time) (of *lane, later time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.draining {
		return nil, time.Time{}
	}
	for len(l.later) > 0 && !l.later[0].wakeAt.After(now) {
		due := l.later[0]
		l.wake(due, time.Time{})
		l.enqueue(due)
	}
	l.reserve()
	if of := l.pop(); of != nil {
		return of, time.Time{}
	}
	if len(l.later) > 0 {
		later = l.later[0].wakeAt
	}
	return nil, later
}

// pop takes the lane out of the queue whose turn it is; nil if no lane stands in any.
func (l *Loop) pop() *lane {
	for l.behind.len() > 0 && (l.dirty.len() == 0 || l.ahead >= mostAhead) {
		of := l.behind.pop()
		if of.behind && !of.dirty {
			of.behind, l.ahead = false, 0
			return of
		}
		of.behind = false // it was looked at meanwhile, or will be in front
	}
	if l.dirty.len() == 0 {
		return nil
	}
	l.ahead++
	of := l.dirty.pop()
	of.dirty, of.behind = false, false
	return of
}

// reserve has as many waiting lanes looked at again as there are free slots by now. Those that turn out
// to have nothing to do there leave the slot to the next ones.
func (l *Loop) reserve() {
	for i, in := range l.semaphores {
		for in.free() > 0 && in.waiting.len() > 0 {
			first := in.waiting.pop()
			first.waiting &^= 1 << i
			first.reserved |= 1 << i
			in.reserved++
			l.enqueue(first)
		}
	}
}

// release gives up the slots that are kept for a lane, and says of which semaphores.
func (l *Loop) release(of *lane) (reserved uint64) {
	reserved, of.reserved = of.reserved, 0
	for i, in := range l.semaphores {
		if reserved&(1<<i) != 0 {
			in.reserved--
		}
	}
	return reserved
}

// look asks the reactions about one stream and starts what is due.
func (l *Loop) look(ctx context.Context, by *workers, of *lane) error {
	l.mu.Lock()
	revision := of.revision
	l.mu.Unlock()
	var due func(int) iter.Seq2[string, Work]
	err := panics.Guard(func() (err error) {
		due, err = of.kind.load(ctx, of.id, revision)
		return err
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		l.blind(ctx, Stall{of.kind.name(), of.id, "history" + look}, err)
		if l.config.Only != "" {
			return fmt.Errorf("loop.Loop: load %s %s: %w", of.kind.name(), of.id, err)
		}
		// One stream that cannot be read must not stop the others. It is told once, however often it is tried.
		if of.unloaded != err.Error() {
			of.unloaded = err.Error()
			l.config.Logger.Error("a "+of.kind.name()+" cannot be loaded and stands still, will be tried again", of.kind.name(), of.id, "again_in", lastRetry, "error", err)
		}
		l.mu.Lock()
		l.release(of)
		l.wake(of, l.config.Now().Add(lastRetry))
		l.mu.Unlock()
		return nil
	}

	of.unloaded = ""
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.config.Now()
	var wakeAt time.Time
	known := map[string]bool(nil) // all work that is due, now or later, if that matters
	reserved := l.release(of)
	for i, place := range of.kind.semaphore {
		in, bit := l.semaphores[place], uint64(1)<<place
		all, err := asked(due(i))
		if err != nil { // the other reactions go on
			key := of.kind.reactionName(i) + look
			put(&known, key, true)
			if wakeAt.IsZero() || wakeAt.After(now.Add(lastRetry)) {
				wakeAt = now.Add(lastRetry)
			}
			l.beside(by, func() { l.blind(ctx, Stall{of.kind.name(), of.id, key}, err) })
		}
		for _, one := range all {
			key, work := one.key, one.Work
			if len(l.stalled) > 0 {
				put(&known, key, true)
			}
			at := work.At
			if failed, found := of.failures[key]; found && failed.until.After(at) {
				at = failed.until
			}
			until, waits := of.waits[key]
			if until.After(at) {
				at = until
			}
			switch {
			case of.underWay[key], waits && until.IsZero():
			case at.After(now):
				if wakeAt.IsZero() || at.Before(wakeAt) {
					wakeAt = at
				}
			case !in.admits(reserved&bit != 0):
				if of.waiting&bit == 0 {
					of.waiting |= bit
					in.waiting.push(of)
				}
			default:
				reserved &^= bit
				put(&of.underWay, key, true)
				in.running++
				l.running++
				seen := of.seen
				by.do(func() { l.do(ctx, of, in, seen, key, work) })
			}
		}
	}
	for _, stall := range l.vanished(of, known) {
		l.beside(by, func() { l.resumed(ctx, stall) })
	}
	l.wake(of, wakeAt)
	return nil
}

// beside does something that is no work of a lane. The lock is held.
func (l *Loop) beside(by *workers, do func()) {
	l.running++
	by.do(func() {
		do()
		l.mu.Lock()
		l.running--
		l.ended.Broadcast()
		l.mu.Unlock()
		l.signal()
	})
}

// named is work with its key.
type named struct {
	key string
	Work
}

// asked is all work that a reaction names, unless it panics.
func asked(due iter.Seq2[string, Work]) (all []named, err error) {
	err = panics.Guard(func() error {
		for key, work := range due {
			all = append(all, named{key, work})
		}
		return nil
	})
	return all, err
}

func (l *Loop) do(ctx context.Context, of *lane, in *semaphore, seen int, key string, work Work) {
	err := l.attend(ctx, of, key, work)
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
		longest := lastRetry
		if l.stalled[Stall{of.kind.name(), of.id, key}] {
			longest = lastStalledRetry
		}
		wait := min(firstRetry<<min(failed.count, 12), longest)
		put(&of.failures, key, failedTry{count: failed.count + 1, until: l.config.Now().Add(wait)})
		level := slog.LevelError
		if errors.Is(err, eventlog.ErrFull) && failed.count > 0 {
			level = slog.LevelDebug // it is the same trouble for all, and was said
		}
		l.config.Logger.Log(ctx, level, "reaction failed, will be tried again",
			of.kind.name(), of.id, "work", key, "try", failed.count+1, "again_in", wait, "error", err)
	}
	l.mu.Unlock()
	l.signal()
}

// put makes the map if there is none.
func put[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
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
	return l.dirty.len()+l.behind.len() == 0, false
}

func (l *Loop) signal() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}
