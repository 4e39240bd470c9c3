package process

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

// PoolConfig says how a [Pool] gets its workers. The zero value of each field has a
// meaning.
type PoolConfig struct {
	// Bindings are the tools; WorkerMain must be called with the same ones.
	Bindings []sandbox.Binding
	// Command starts a worker: path and arguments. Default is this executable, whose main
	// then finds that it [IsWorker].
	Command []string
	// Size is how many executions may be under way at the same time, those that wait for
	// their host included. Default is two more than there are processors.
	Size int
	// Keep is how many workers may wait for the next execution of their affinity. Default is what
	// an eighth of the machine's memory holds, at most 256.
	Keep int
	// StartTime is how long a worker may take until it is ready. Default is 20 seconds.
	StartTime time.Duration
	// Logger is told of workers that failed. Default is silence.
	Logger *slog.Logger
}

func (c *PoolConfig) setDefaults() error {
	if len(c.Command) == 0 {
		path, err := os.Executable()
		if err != nil {
			return err
		}
		c.Command = []string{path}
	}
	if c.Size <= 0 {
		c.Size = runtime.NumCPU() + 2
	}
	if c.Keep <= 0 {
		c.Keep = defaultKeep()
	}
	if c.StartTime <= 0 {
		c.StartTime = 20 * time.Second
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return nil
}

const (
	mostKept = 256
	// keptBytes is about what a worker has for itself that waits, in bytes.
	keptBytes = 10 << 20
)

func defaultKeep() int {
	memory := machineMemory()
	if memory == 0 {
		return runtime.NumCPU() + 2
	}
	return int(min(max(memory/8/keptBytes, 2), mostKept)) //nolint:gosec // small
}

// computing is how many scripts a processor has to deal with at once: with more of them, each
// would reach its wall limit because of the others.
const computing = 8

// Pool runs scripts in worker processes. One execution has a worker for itself; a worker
// goes on to another execution only if both have the same affinity and nothing went
// wrong. One worker that ran nothing yet is kept ready.
type Pool struct {
	config PoolConfig
	known  *sandbox.Bindings
	broken error // of the configuration
	turns  cpuSlots
	fresh  cpuSlots // of those of which nothing is known
	heavy  cpuSlots // of those that compute for long

	mu        sync.Mutex
	idle      idleWorkers
	unused    *process                   // ran nothing yet
	starting  bool                       // one that will
	busy      map[*process]string        // those that run something, with its affinity
	wanted    map[string][]chan *process // executions that wait for a worker of their affinity, the oldest first
	growing   map[string]int             // executions that did not wait any longer, and have no worker yet, by affinity
	startTook time.Duration              // the last one
	running   int                        // executions
	kinds     [kinds]int                 // … by what is known of their scripts
	owners    shares                     // … by owner
	waiting   []waiter                   // executions, the oldest first
	quick     map[string]bool            // affinities whose runs compute for a moment
	burnt     map[string]burnt           // what computed for long lately, by affinity
	tidier    *time.Timer                // nil while nothing is kept
	closed    bool
	tasks     sync.WaitGroup
}

var _ sandbox.Runner = (*Pool)(nil)

// NewPool makes a pool. Nothing is started before the first run or Start.
func NewPool(config PoolConfig) *Pool {
	p := &Pool{config: config, busy: map[*process]string{}, wanted: map[string][]chan *process{}, growing: map[string]int{}, known: sandbox.NewBindings(config.Bindings), turns: cpuSlots{free: computing * runtime.NumCPU()}, fresh: cpuSlots{free: 2 * runtime.NumCPU()}, heavy: cpuSlots{free: max(1, runtime.NumCPU()-1)}, burnt: map[string]burnt{}, quick: map[string]bool{}}
	p.broken = p.config.setDefaults()
	p.idle.limit = p.config.Keep
	return p
}

// Start makes a worker ready, so that the first run need not wait for it.
func (p *Pool) Start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.prepareLocked()
}

// Close ends all workers, and with them the runs in progress, and waits for their end.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	idle := p.idle.clear()
	if p.unused != nil {
		idle, p.unused = append(idle, p.unused), nil
	}
	for process := range p.busy {
		process.kill()
	}
	for _, waiting := range p.waiting {
		close(waiting.came)
	}
	p.waiting = nil
	for _, wanted := range p.wanted {
		for _, came := range wanted {
			close(came)
		}
	}
	clear(p.wanted)
	if p.tidier != nil {
		p.tidier.Stop()
	}
	p.mu.Unlock()
	for _, process := range idle {
		process.kill()
	}
	for _, process := range idle {
		process.stop()
	}
	p.tasks.Wait()
	return nil
}

// Run implements [sandbox.Runner]. Time the host takes to answer does not count against the wall
// limit. If ctx ends, the run is killed and the error wraps ctx.Err().
func (p *Pool) Run(ctx context.Context, execution sandbox.Execution, host sandbox.Host) (sandbox.Outcome, error) {
	outcome, err := p.run(ctx, &execution, host)
	if err != nil {
		return sandbox.Outcome{}, fmt.Errorf("sandbox: run: %w", err)
	}
	return outcome, nil
}

func (p *Pool) run(ctx context.Context, execution *sandbox.Execution, host sandbox.Host) (sandbox.Outcome, error) {
	if err := p.enter(); err != nil {
		return sandbox.Outcome{}, err
	}
	defer p.tasks.Done()
	if err := packages.Fetch(ctx, execution.Code); err != nil {
		return sandbox.Outcome{}, err
	}
	const attempts = 3 // a worker that died while idle ran nothing of the script
	turn := p.slotOf(execution.Affinity, execution.Owner)
	defer turn.release()
	for attempt := 1; ; attempt++ {
		process, err := p.acquire(ctx, execution.Affinity, turn, true)
		if err != nil {
			return sandbox.Outcome{}, err
		}
		talk := conversation{pool: p, affinity: execution.Affinity, process: process, turn: turn, host: host, limits: execution.Limits.WithDefaults(), known: p.known}
		unwatch := context.AfterFunc(ctx, process.kill)
		outcome, err := talk.run(ctx, execution, process.executeFrame([]sandbox.Execution{*execution}))
		undisturbed := unwatch()
		closed := p.release(process, turn, execution.Affinity, undisturbed && err == nil && execution.Affinity != "" && !outcome.Astray && reusable(outcome))
		turn.release() // after the worker, so that who begins next finds it
		switch {
		case ctx.Err() != nil:
			return sandbox.Outcome{}, ctx.Err()
		case closed && (err != nil || talk.died):
			return sandbox.Outcome{}, sandbox.ErrClosed
		case errors.Is(err, errNotStarted) && attempt < attempts:
			continue
		case errors.Is(err, errNotStarted):
			return sandbox.Outcome{}, &sandbox.UnavailableError{Reason: "this machine ended the script's process before the script began", Cause: err}
		case err != nil:
			return sandbox.Outcome{}, err
		}
		p.complain(ctx, &talk, outcome.Error)
		return outcome, nil
	}
}

// complain tells of what a run failed of that neither the script nor its host wanted.
func (p *Pool) complain(ctx context.Context, talk *conversation, failure *sandbox.Error) {
	if failure != nil && failure.Class == sandbox.ClassInternal && failure.Code != sandbox.CodeUnanswerable && !talk.reads.stopped {
		p.config.Logger.ErrorContext(ctx, "a run failed for reasons of the host", "error", failure.Message)
	}
}

// reusable says that a run left its worker as it found it.
func reusable(outcome sandbox.Outcome) bool {
	e := outcome.Error
	return e == nil || e.Class != sandbox.ClassLimit && (e.Class != sandbox.ClassInternal || e.Code == sandbox.CodeUnanswerable)
}

// enter counts a task that Close must wait for.
func (p *Pool) enter() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return sandbox.ErrClosed
	case p.broken != nil:
		return p.broken
	}
	p.tasks.Add(1)
	return nil
}

// checkTime is how long checking a script may take.
const checkTime = 10 * time.Second

// checks is how often it is tried to check a script on a machine that has no time for it.
const checks = 3

// Check is like the function [engine.Check] for scripts that nobody checked: some make a parser
// run for ever, or out of memory. Their error is a *SyntaxError too. It is an *[sandbox.UnavailableError] if the machine is at fault.
func (p *Pool) Check(ctx context.Context, code string) error {
	if err := p.enter(); err != nil {
		return fmt.Errorf("sandbox: check: %w", err)
	}
	defer p.tasks.Done()
	for attempt := 1; ; attempt++ {
		err := p.checkOnce(ctx, code)
		if _, busy := errors.AsType[*sandbox.UnavailableError](err); !busy || attempt == checks {
			return err
		}
	}
}

func (p *Pool) checkOnce(ctx context.Context, code string) error {
	turn := p.slotOf("", "")
	defer turn.release()
	process, err := p.acquire(ctx, "", turn, false)
	if err != nil {
		return fmt.Errorf("sandbox: check: %w", err)
	}
	unwatch := context.AfterFunc(ctx, process.kill)
	before := process.processor()
	found, err := check(process, code)
	starved := errors.Is(err, os.ErrDeadlineExceeded) && process.starved(before, checkTime)
	undisturbed := unwatch()
	closed := p.release(process, turn, "", undisturbed && err == nil)
	switch {
	case err == nil && found == nil:
		return nil
	case err == nil:
		return found
	case ctx.Err() != nil:
		return fmt.Errorf("sandbox: check: %w", ctx.Err())
	case closed:
		return fmt.Errorf("sandbox: check: %w", sandbox.ErrClosed)
	case starved:
		return fmt.Errorf("sandbox: check: %w", &sandbox.UnavailableError{Reason: "this machine was too busy to check the script", Cause: err})
	}
	return &sandbox.SyntaxError{Message: "the script is too complicated to be parsed"}
}

func check(process *process, code string) (*sandbox.SyntaxError, error) {
	frame := newFrame(frameCheck)
	frame.text(code)
	if err := writeFrame(process.in, frame); err != nil {
		return nil, err
	}
	if err := process.out.SetReadDeadline(time.Now().Add(checkTime)); err != nil {
		return nil, err
	}
	kind, answer, err := readFrame(process.frames)
	if err != nil {
		return nil, err
	}
	if kind != frameChecked {
		return nil, errFrame
	}
	if !answer.bool() {
		return nil, answer.end()
	}
	found := &sandbox.SyntaxError{Line: int(answer.int()), Column: int(answer.int()), Message: answer.text()}
	return found, answer.end()
}

// acquire waits until an execution may begin and has its turn, and finds or starts a worker for it. One that is patient
// waits before for one of its affinity that is busy. If it fails the turn may be held or not.
func (p *Pool) acquire(ctx context.Context, affinity string, turn *cpuSlot, patient bool) (*process, error) {
	if err := p.begin(ctx, turn); err != nil {
		return nil, err
	}
	process, err := p.find(ctx, affinity, turn, patient)
	if err != nil {
		p.mu.Lock()
		p.overLocked(turn)
		p.mu.Unlock()
	}
	return process, err
}

func (p *Pool) find(ctx context.Context, affinity string, turn *cpuSlot, patient bool) (*process, error) {
	if err := errors.Join(ctx.Err(), turn.begin(ctx)); err != nil {
		return nil, err
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, sandbox.ErrClosed
	}
	if patient && !p.idle.has(affinity) && p.busyLocked(affinity) > 0 {
		came := make(chan *process, 1)
		p.wanted[affinity] = append(p.wanted[affinity], came)
		p.mu.Unlock()
		turn.release()
		process := p.await(ctx, affinity, came)
		if process == nil {
			defer p.grown(affinity)
			return p.find(ctx, affinity, turn, false)
		}
		err := turn.resume(ctx)
		if err != nil {
			p.mu.Lock()
			p.putLocked(process, affinity, true)
			p.mu.Unlock()
		}
		return process, err
	}
	found, gone := p.takeLocked(affinity)
	if found != nil {
		p.busy[found] = affinity
	}
	p.prepareLocked()
	p.mu.Unlock()
	p.dismiss(gone)
	if found != nil {
		return found, nil
	}
	return p.start(affinity)
}

// longestStart bounds what one start that took long does to the patience of the executions after it.
const longestStart = 100 * time.Millisecond

// patienceLocked is how long an execution waits for a worker that is busy with the same script, before another one is
// started: as long as that would take on this machine as it is. Most scripts are over by then. Where more workers are busy than keep
// the processor at work it is longer by as much: one more would make nothing faster, as long as they do not wait for the network, and
// then they are many soon enough.
func (p *Pool) patienceLocked(affinity string) time.Duration {
	return p.startTook * time.Duration(max(1, (p.busyLocked(affinity)+p.growing[affinity])/(busyPerCore*runtime.GOMAXPROCS(0))))
}

// busyPerCore is how many workers of a script keep a core at work, most of which wait for their host at any moment.
const busyPerCore = 4

// await waits for a worker that comes back, nil if none does in time. Not all that have waited long enough give up at once.
func (p *Pool) await(ctx context.Context, affinity string, came chan *process) *process {
	began := time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case process := <-came:
			return process
		case <-timer.C:
		case <-ctx.Done():
		}
		p.mu.Lock()
		i := slices.Index(p.wanted[affinity], came)
		if i < 0 {
			p.mu.Unlock()
			return <-came
		}
		left := p.patienceLocked(affinity) - time.Since(began)
		if ctx.Err() == nil && p.growing[affinity] >= runtime.GOMAXPROCS(0) {
			left = max(left, p.startTook, time.Millisecond)
		}
		if ctx.Err() != nil || left <= 0 {
			p.unwantLocked(affinity, i)
			p.growing[affinity]++
			p.mu.Unlock()
			return nil
		}
		p.mu.Unlock()
		timer.Reset(left)
	}
}

// grown says that an execution that did not wait any longer has a worker, or never will.
func (p *Pool) grown(affinity string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.growing[affinity]--; p.growing[affinity] <= 0 {
		delete(p.growing, affinity)
	}
}

// busyLocked is how many workers of the affinity run something.
func (p *Pool) busyLocked(affinity string) (n int) {
	for _, one := range p.busy {
		if one == affinity && affinity != "" {
			n++
		}
	}
	return n
}

const (
	quick kind = iota // its runs compute for a moment
	fresh             // nothing
	heavy             // it has computed for long lately
	kinds
)

// roomLocked is how many executions of a kind may be under way: what is not known to be quick does not fill the pool.
func (p *Pool) roomLocked(of kind) int {
	return max(1, p.config.Size/[kinds]int{quick: 1, fresh: 2, heavy: 4}[of])
}

// begin waits until an execution may begin: of each owner first come, first served.
func (p *Pool) begin(ctx context.Context, turn *cpuSlot) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return sandbox.ErrClosed
	}
	mine := waiter{make(chan struct{}), turn.owner, turn.kind}
	turn.over = false
	p.waiting = append(p.waiting, mine)
	p.admitLocked()
	p.mu.Unlock()
	select {
	case <-mine.came:
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.waiting, mine); i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
		return ctx.Err()
	}
	switch {
	case p.closed:
		return sandbox.ErrClosed
	case ctx.Err() != nil:
		p.overLocked(turn) // it could begin; the next one can
		return ctx.Err()
	}
	return nil
}

// admitLocked lets those begin that there is room for.
func (p *Pool) admitLocked() {
	for p.running < p.config.Size {
		i := p.owners.next(p.waiting, func(one waiter) bool { return p.kinds[one.kind] < p.roomLocked(one.kind) })
		if i < 0 {
			return
		}
		p.running++
		next := p.waiting[i]
		p.waiting = slices.Delete(p.waiting, i, i+1)
		p.kinds[next.kind]++
		p.owners.add(next.owner, 1)
		close(next.came)
	}
}

// overLocked says that an execution that had begun is over.
func (p *Pool) overLocked(turn *cpuSlot) {
	turn.over = true
	p.running--
	p.kinds[turn.kind]--
	p.owners.add(turn.owner, -1)
	if !p.closed {
		p.admitLocked()
	}
}

// takeLocked takes the worker of an affinity used last, or one that ran nothing yet. Those that
// died while they waited are given back.
func (p *Pool) takeLocked(affinity string) (found *process, gone []*process) {
	for {
		process := p.idle.take(affinity)
		if process == nil {
			process, p.unused = p.unused, nil
		}
		if process == nil || !process.ended() {
			return process, gone
		}
		gone = append(gone, process)
	}
}

// dismiss ends workers behind the back of whoever goes on.
func (p *Pool) dismiss(list []*process) {
	for _, process := range list {
		p.tasks.Go(process.stop)
	}
}

// start starts a worker for an execution that has begun.
func (p *Pool) start(affinity string) (*process, error) {
	started, err := p.startProcess()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil && p.closed {
		p.dismiss([]*process{started})
		err = sandbox.ErrClosed
	}
	if err != nil {
		return nil, err
	}
	p.busy[started] = affinity
	return started, nil
}

func (p *Pool) startProcess() (*process, error) {
	began := time.Now()
	process, err := startProcess(&p.config)
	p.mu.Lock()
	p.startTook = min(time.Since(began), longestStart)
	p.mu.Unlock()
	if err != nil {
		p.config.Logger.Error("a sandbox worker did not start", "error", err)
		return nil, unavailable(err)
	}
	return process, nil
}

// release takes a worker back that ran something of an affinity, to be used again or
// not, and says whether the pool was closed meanwhile.
func (p *Pool) release(worker *process, turn *cpuSlot, affinity string, again bool) (closed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.overLocked(turn)
	p.putLocked(worker, affinity, again)
	return p.closed
}

func (p *Pool) putLocked(worker *process, affinity string, again bool) {
	delete(p.busy, worker)
	wanted := p.wanted[affinity]
	switch {
	case p.closed || !again || worker.behind.Load() || (affinity == "" && p.unused != nil):
		p.dismiss([]*process{worker})
	case affinity == "": // it was only looked at
		p.unused = worker
	case len(wanted) > 0:
		p.idle.came(affinity)
		p.busy[worker] = affinity
		wanted[0] <- worker
		p.unwantLocked(affinity, 0)
	default:
		p.dismiss(p.idle.put(affinity, worker, time.Now()))
		if p.tidier == nil {
			p.tidier = time.AfterFunc(keptTime, p.tidy)
		}
	}
}

func (p *Pool) unwantLocked(affinity string, i int) {
	if p.wanted[affinity] = slices.Delete(p.wanted[affinity], i, i+1); len(p.wanted[affinity]) == 0 {
		delete(p.wanted, affinity)
	}
}

// keptTime is how long a worker waits for the next execution of its affinity.
const keptTime = time.Minute

// tidy ends the workers that have waited for long.
func (p *Pool) tidy() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.dismiss(p.idle.expire(time.Now().Add(-keptTime)))
	if p.tidier = nil; p.idle.len() > 0 {
		p.tidier = time.AfterFunc(keptTime/4, p.tidy)
	}
}

// prepareLocked starts a worker in the background unless one that ran nothing is there.
func (p *Pool) prepareLocked() {
	if p.closed || p.broken != nil || p.starting || p.unused != nil {
		return
	}
	p.starting = true
	p.tasks.Go(func() {
		turn := cpuSlot{of: &p.turns}
		defer turn.release()
		_ = turn.begin(context.Background()) // which does not end
		started, err := p.startProcess()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.starting = false
		switch {
		case err != nil: // who needs a worker will meet it too
		case p.closed || p.unused != nil:
			p.dismiss([]*process{started})
		default:
			p.unused = started
		}
	})
}

const (
	// heavyTime is after how long a worker that computed meanwhile goes behind the others, and its execution among the heavy ones: what many
	// scripts burn is then not taken from those that compute a moment. It stays there, and serves no other script.
	heavyTime = time.Second
	// freshTime is the same for a script of which nothing is known yet.
	freshTime = 100 * time.Millisecond
	// mostQuick is of how many affinities it is known that they are quick; then it begins anew.
	mostQuick = 1 << 14
	// heavyHalf is in what time half of what a script burnt is forgotten.
	heavyHalf = 30 * time.Second
	// mostBurnt is of how many affinities is known what they burnt; what is forgotten makes room.
	mostBurnt = 1024
)

// burnt is how much processor time was used at a time, in long computations.
type burnt struct {
	used time.Duration
	at   time.Time
}

// left is how much of it counts now.
func (b burnt) left(now time.Time) time.Duration {
	return time.Duration(float64(b.used) * math.Exp2(-float64(now.Sub(b.at))/float64(heavyHalf)))
}

// slotOf is the turn of an execution that has yet to begin: among the heavy ones if its script has burnt much lately. So
// many of these compute that a processor is left to the others. A script that has not shown a quick run yet has a line of
// its own, too: many that burn may come at once.
func (p *Pool) slotOf(affinity, owner string) *cpuSlot {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.burnt[affinity].left(time.Now()) >= heavyTime:
		return &cpuSlot{of: &p.heavy, kind: heavy, owner: owner}
	case affinity != "" && !p.quick[affinity]:
		return &cpuSlot{of: &p.fresh, kind: fresh, owner: owner}
	}
	return &cpuSlot{of: &p.turns, owner: owner}
}

// behind has an execution that computes for long go behind the others, and its turn be one of the heavy ones.
func (p *Pool) behind(process *process, turn *cpuSlot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if turn.over || p.closed {
		return // it ended meanwhile, and the process may be another's
	}
	process.yield()
	turn.move(&p.heavy)
	p.kinds[turn.kind]--
	p.kinds[heavy]++
	turn.kind = heavy
	p.admitLocked()
}

// kindOf is what is known of the script of an execution that has begun.
func (p *Pool) kindOf(turn *cpuSlot) kind {
	p.mu.Lock()
	defer p.mu.Unlock()
	return turn.kind
}

// showed notes that a run of an affinity was quick.
func (p *Pool) showed(affinity string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.quick) >= mostQuick {
		clear(p.quick)
	}
	p.quick[affinity] = true
}

// burns notes what a script of an affinity used in one computation that was long.
func (p *Pool) burns(affinity string, used time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if len(p.burnt) >= mostBurnt {
		maps.DeleteFunc(p.burnt, func(_ string, b burnt) bool { return b.left(now) < heavyTime })
	}
	if _, known := p.burnt[affinity]; affinity != "" && (known || len(p.burnt) < mostBurnt) {
		p.burnt[affinity] = burnt{p.burnt[affinity].left(now) + used, now}
	}
}

// killTime is how much longer than its limit a run may take: the worker stops most
// scripts itself, and then still has its log.
const killTime = 300 * time.Millisecond

var errNotStarted = errors.New("the worker was gone before it started the script")

var errNotSent = errors.New("the worker does not listen")

// noTime is for how long a worker is given no processor time before its script is tried again later: long enough for one that
// yields to four others to have had its slice.
const noTime = time.Minute
