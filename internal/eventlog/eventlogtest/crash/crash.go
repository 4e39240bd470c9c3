package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Opener opens the log that is at a place: a path, or a connection string.
type Opener func(ctx context.Context, where string) (eventlog.Log, error)

// Config says which log is put to the test, and how. Open and Where are needed; the zero value of
// everything else is good.
type Config struct {
	// Open opens the log for reading after a kill. The processes that are killed use the
	// opener that was given to [Child].
	Open Opener
	// Where is the place of the log, which is empty or not yet made.
	Where string
	// Cycles is how many times the processes are killed; 0 for 300.
	Cycles int
	// VerifyEvery is the number of cycles between verifications; 0 for 1. In the cycles between, the next
	// processes open the log as the last ones left it, before a clean close has tidied it up.
	VerifyEvery int
	// Processes is the number of processes that append at the same time; 0 for one and two by turns.
	Processes int
	// Writers is the number of goroutines of a process that append; 0 for 8.
	Writers int
	// Streams is the number of streams that all writers share; 0 for 3.
	Streams int
	// PayloadBytes is the size of the largest payload; 0 for 700.
	PayloadBytes int
	// Acknowledgements is how many acknowledged appends a process lives to see at most; 0 for 24.
	Acknowledgements int
	// Seed of the random moments; 0 for another one each time.
	Seed uint64
	// Gapless says that positions count from 1 without gaps.
	Gapless bool
	// Patience is how long an acknowledged event may stay hidden from readers after a kill, for
	// logs that show events only when every older transaction has ended.
	Patience time.Duration
	// Disrupt, if there, is called once in each cycle while the processes append: it stops a server
	// that they depend on, and starts it. Each process must acknowledge more before it is killed.
	Disrupt func(ctx context.Context) error
	// AfterKill, if there, is called when all processes of a cycle are dead and before the log is opened.
	AfterKill func(ctx context.Context, cycle int) error
}

func (c *Config) setDefaults() {
	if c.Cycles == 0 {
		c.Cycles = 300
	}
	if c.VerifyEvery == 0 {
		c.VerifyEvery = 1
	}
	if c.Writers == 0 {
		c.Writers = 8
	}
	if c.Streams == 0 {
		c.Streams = 3
	}
	if c.PayloadBytes == 0 {
		c.PayloadBytes = 700
	}
	if c.Acknowledgements == 0 {
		c.Acknowledgements = 24
	}
	for c.Seed == 0 {
		c.Seed = rand.Uint64()
	}
}

// Tally counts what a test went through.
type Tally struct {
	Cycles       int
	Kills        int
	Acknowledged int // events
	InDoubt      int // appends whose outcome died with their process
	Found        int // of them, those that were in the log
}

// String says it for people.
func (t Tally) String() string {
	return fmt.Sprintf("%d cycles, %d processes killed, %d events acknowledged, %d appends in doubt of which %d were in the log",
		t.Cycles, t.Kills, t.Acknowledged, t.InDoubt, t.Found)
}

// FaultError says which promise the log broke. Every other error of [Check] is one of the test itself.
type FaultError struct {
	Cycle int
	What  string
}

// Error implements error.
func (e *FaultError) Error() string {
	return fmt.Sprintf("crash: after the kill of cycle %d: %s", e.Cycle, e.What)
}

func fault(format string, args ...any) error {
	return &FaultError{What: fmt.Sprintf(format, args...)}
}

// Rounds is how often a random test does what it does: n times as often as the environment variable
// KINTSUGI_CAMPAIGN says, and without it, in the tests of every change, a fifth of n.
func Rounds(n int) int {
	if factor, err := strconv.Atoi(os.Getenv("KINTSUGI_CAMPAIGN")); err == nil && factor > 0 {
		return n * factor
	}
	return (n + 4) / 5
}

// Run is [Check] for [Rounds] of the configured cycles. It fails the test on the first fault.
func Run(t testing.TB, config Config) {
	t.Helper()
	config.setDefaults()
	config.Cycles = Rounds(config.Cycles)
	tally, err := Check(t.Context(), config)
	if err != nil {
		t.Fatalf("seed %d: %v (until then %v)", config.Seed, err, tally)
	}
	t.Logf("seed %d: %v, none lost", config.Seed, tally)
}

// Check kills processes that append to a log for the configured number of cycles and returns the
// first [*FaultError] it finds.
func Check(ctx context.Context, config Config) (Tally, error) {
	config.setDefaults()
	r := &run{
		Config: config,
		random: rand.New(rand.NewPCG(config.Seed, 0)),
		ledger: newLedger(config.PayloadBytes, config.Gapless),
	}
	for cycle := range config.Cycles {
		if err := r.cycle(ctx, cycle); err != nil {
			if f, ok := errors.AsType[*FaultError](err); ok {
				f.Cycle = cycle
			}
			return r.tally, err
		}
		r.tally.Cycles++
	}
	return r.tally, nil
}

type run struct {
	Config
	random *rand.Rand
	ledger *ledger
	tally  Tally
}

// stall bounds a cycle that takes milliseconds: a process that makes no progress for so long hangs.
const stall = time.Minute

func (r *run) cycle(ctx context.Context, cycle int) error {
	ctx, cancel := context.WithTimeoutCause(ctx, stall, fmt.Errorf("cycle %d made no progress for %v", cycle, stall))
	defer cancel()
	processes, err := r.start(r.processes(cycle))
	if err == nil {
		err = r.live(ctx, cycle, processes)
	}
	for _, p := range processes {
		p.kill()
		batches, exit := p.wait()
		r.ledger.add(batches)
		err = errors.Join(err, exit)
	}
	if err != nil {
		return err
	}
	r.tally.Kills += len(processes)
	if r.AfterKill != nil {
		if err := r.AfterKill(ctx, cycle); err != nil {
			return fmt.Errorf("crash: after the kill of cycle %d: %w", cycle, err)
		}
	}
	if last := cycle+1 == r.Cycles; last || (cycle+1)%r.VerifyEvery == 0 {
		return r.verify(ctx, last)
	}
	return nil
}

func (r *run) processes(cycle int) int {
	if r.Processes > 0 {
		return r.Processes
	}
	return 1 + cycle%2
}

// live lets the processes append until each is killed.
func (r *run) live(ctx context.Context, cycle int, processes []*process) error {
	moments := make([]moment, len(processes))
	for i := range moments {
		moments[i] = r.moment(cycle)
	}
	err := each(processes, func(i int, p *process) error {
		if err := p.await(ctx, moments[i]); err != nil {
			return err
		}
		if r.Disrupt == nil {
			p.kill()
		}
		return nil
	})
	if err != nil || r.Disrupt == nil {
		return err
	}
	if err := r.Disrupt(ctx); err != nil {
		return fmt.Errorf("crash: disrupt: %w", err)
	}
	// Outcomes of each writer that were on their way when the server stopped do not count.
	return each(processes, func(i int, p *process) error {
		moments[i].acknowledged = p.count() + r.Writers + 1
		if err := p.await(ctx, moments[i]); err != nil {
			return err
		}
		p.kill()
		return nil
	})
}

// moment is when a process is killed: some time after a number of acknowledgements.
type moment struct {
	acknowledged int
	after        time.Duration
}

func (r *run) moment(cycle int) moment {
	// At any time, while the log is made or opened too. A log that is opened while its server is away does not open, so a
	// disruption waits until it is open.
	if r.Disrupt == nil && (cycle == 0 || r.random.IntN(6) == 0) {
		return moment{after: time.Duration(r.random.Int64N(int64(40 * time.Millisecond)))}
	}
	// A delay of the order of a commit, or kills would come only right after one.
	return moment{acknowledged: 1 + r.random.IntN(r.Acknowledgements), after: time.Duration(r.random.Int64N(int64(3 * time.Millisecond)))}
}

// each calls fn for all processes at the same time.
func each(processes []*process, fn func(i int, p *process) error) error {
	failures := make([]error, len(processes))
	var group sync.WaitGroup
	for i, p := range processes {
		group.Go(func() { failures[i] = fn(i, p) })
	}
	group.Wait()
	return errors.Join(failures...)
}

// start gives what could be started, with an error also.
func (r *run) start(n int) (processes []*process, err error) {
	for range n {
		p, err := start(order{Where: r.Where, Writers: r.Writers, Streams: r.Streams, PayloadBytes: r.PayloadBytes})
		if err != nil {
			return processes, err
		}
		processes = append(processes, p)
	}
	return processes, nil
}

// verify reads what is new, in the end everything once more.
func (r *run) verify(ctx context.Context, last bool) (err error) {
	log, err := r.Open(ctx, r.Where)
	if err != nil {
		return fault("the log does not open: %v", err)
	}
	defer func() {
		if closeErr := log.Close(); closeErr != nil {
			err = errors.Join(err, fmt.Errorf("crash: close the log: %w", closeErr))
		}
	}()
	if err := r.ledger.read(ctx, log, r.Patience); err != nil {
		return err
	}
	r.tally.Acknowledged = r.ledger.acknowledged
	inDoubt := r.ledger.inDoubt()
	found, err := repeat(ctx, log, inDoubt, r.ledger)
	if err != nil {
		return err
	}
	r.tally.InDoubt += len(inDoubt)
	r.tally.Found += found
	if !last {
		return nil
	}
	if err := r.ledger.read(ctx, log, r.Patience); err != nil {
		return err
	}
	return r.ledger.recheck(ctx, log)
}

// repeat appends once more what is in doubt, all at the same time as callers would, and counts
// what was in the log already.
func repeat(ctx context.Context, log eventlog.Log, batches []*batch, l *ledger) (found int, err error) {
	type outcome struct {
		appended eventlog.Appended
		err      error
	}
	outcomes := make([]outcome, len(batches))
	var group sync.WaitGroup
	for i, b := range batches {
		group.Go(func() {
			o := &outcomes[i]
			o.appended, o.err = log.Append(ctx, b.stream, eventlog.At(b.expected), makeEvents(b.ids, l.payloadBytes))
		})
	}
	group.Wait()
	for i, o := range outcomes {
		b := batches[i]
		switch _, conflict := errors.AsType[*eventlog.ConflictError](o.err); {
		case conflict && !b.whole():
			b.outcome = refused
		case o.err != nil:
			return found, fault("%v, in doubt, was repeated (stored: %v): %v", b, b.whole(), o.err)
		case b.whole() && !o.appended.Repeated:
			return found, fault("%v was in the log and was appended again", b)
		default:
			b.outcome, b.result = acknowledged, o.appended
			l.acknowledged += len(b.ids)
			if o.appended.Repeated {
				found++
			}
		}
	}
	l.settle(batches)
	return found, nil
}
