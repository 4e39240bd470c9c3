package commands

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// RunJournal is the one appender of a run's stream. It knows the stream's end and its
// state, so it never reads: if anybody else appends, its next append conflicts and it is of no
// more use. Its methods may be called from many goroutines.
//
// Record only collects, and appends when there is much. Flush follows an event that has to survive a crash before the
// run goes on (a write that is about to go out). FlushSoon follows one that has to survive a later crash (a write
// that came back, before the next call that takes long).
type RunJournal struct {
	commands *core
	stream   string
	subject  string
	meta     Meta

	turn    chan struct{} // holds a token while nobody is at work on what follows
	state   run.State
	pending []eventlog.Event // sealed, not yet appended
	bytes   int              // of pending
	end     tail             // after pending; its position is that of the last append
	broken  error            // why nothing more can be appended
	soon    *time.Timer      // appends what is pending; nil if nobody asked for it
	soonAt  time.Time        // when
}

// flushBytes is how much Record collects before it appends by itself.
const flushBytes = 256 << 10

// ErrRunLost is wrapped by the error of a journal whose run somebody else has gone on with.
var ErrRunLost = errors.New("somebody else has gone on with the run")

// ErrTooLarge is wrapped by the error of an event that does not fit in one append to the log.
var ErrTooLarge = errors.New("larger than one append to the log")

// open lets the first caller in.
func (j *RunJournal) open() *RunJournal {
	j.turn = make(chan struct{}, 1)
	j.turn <- struct{}{}
	return j
}

// enter waits until nobody is at work on the journal, an append included; leave lets the next one in.
func (j *RunJournal) enter(ctx context.Context) error {
	select {
	case <-j.turn:
		return nil
	default:
	}
	select {
	case <-j.turn:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("commands: record in %s: %w", j.stream, context.Cause(ctx))
	}
}

func (j *RunJournal) leave() { j.turn <- struct{}{} }

// State is the run with everything recorded so far.
func (j *RunJournal) State() run.State {
	<-j.turn
	defer j.leave()
	return j.state
}

// Record decides a command on the run and adds its events to the stream's end, with this
// or a later append. A refusal records nothing; so does an error that wraps [ErrTooLarge].
// The journal can be used further after both.
func (j *RunJournal) Record(ctx context.Context, command run.Command) error {
	if err := j.enter(ctx); err != nil {
		return err
	}
	defer j.leave()
	return j.record(ctx, command)
}

func (j *RunJournal) record(ctx context.Context, command run.Command) error {
	if j.broken != nil {
		return j.broken
	}
	now := j.commands.now().UTC().Round(0)
	events, err := run.Decide(j.state, command, now)
	if err != nil {
		return err
	}
	sealed, end, err := j.seal(events)
	if err != nil {
		return err
	}
	for _, one := range sealed {
		if size(one) > eventlog.MaxAppendBytes {
			return fmt.Errorf("commands: %s of %d bytes for %s: %w", one.Type, size(one), j.stream, ErrTooLarge)
		}
	}
	for _, happened := range events {
		j.state = run.Evolve(j.state, happened)
	}
	for _, one := range sealed {
		j.bytes += size(one)
	}
	j.pending, j.end = append(j.pending, sealed...), end
	if j.bytes > flushBytes {
		return j.flush(ctx)
	}
	return nil
}

// seal seals events behind those that are pending. Each has a command id of its own,
// derived from its place, so that an append can never be taken for another one.
func (j *RunJournal) seal(events []event.Event) (sealed []eventlog.Event, end tail, err error) {
	end = j.end
	for _, happened := range events {
		meta := j.meta
		meta.CommandID = DerivedID(j.meta.CommandID, "journal", strconv.FormatInt(end.revision+1, 10))
		var batch []eventlog.Event
		batch, end, err = j.commands.seal(j.stream, j.subject, end, []event.Event{happened}, meta, j.commands.now().UTC().Round(0))
		if err != nil {
			return nil, end, fmt.Errorf("commands: record in %s: %w", j.stream, err)
		}
		sealed = append(sealed, batch...)
	}
	return sealed, end, nil
}

func size(sealed eventlog.Event) int { return len(sealed.Payload) + len(sealed.Metadata) }

// Flush returns when everything recorded is durable. After an error the journal takes nothing more: only reading the
// stream tells what it has.
func (j *RunJournal) Flush(ctx context.Context) error {
	if err := j.enter(ctx); err != nil {
		return err
	}
	defer j.leave()
	return j.flush(ctx)
}

func (j *RunJournal) flush(ctx context.Context) error {
	for {
		next, ready, err := j.next()
		if err != nil || !ready {
			return err
		}
		appended, err := j.commands.append(ctx, next)
		if err := j.took(next, appended, err); err != nil {
			return err
		}
	}
}

// next is the next append, as much as one append takes. It is not ready if nothing is pending.
func (j *RunJournal) next() (next eventlog.Batch, ready bool, err error) {
	if j.soon != nil {
		j.soon.Stop()
		j.soon = nil
	}
	if j.broken != nil || len(j.pending) == 0 {
		return next, false, j.broken
	}
	bytes, n := 0, 0
	for n < len(j.pending) && bytes+size(j.pending[n]) <= eventlog.MaxAppendBytes {
		bytes += size(j.pending[n])
		n++
	}
	last := j.end.revision - int64(len(j.pending))
	return eventlog.Batch{Stream: j.stream, Expected: eventlog.At(last), Events: j.pending[:n:n]}, true, nil
}

// took notes what became of an append.
func (j *RunJournal) took(batch eventlog.Batch, appended eventlog.Appended, err error) error {
	last := batch.Expected.Revision()
	if err == nil && appended.Repeated {
		// A journal never repeats itself: another one of the same command was here.
		err = &eventlog.ConflictError{Stream: j.stream, Expected: last, Actual: appended.Last}
	}
	if err != nil {
		if conflicted(err) {
			err = fmt.Errorf("%w: %w", ErrRunLost, err)
		}
		j.broken = fmt.Errorf("commands: append to %s after revision %d: %w", j.stream, last, err)
		return j.broken
	}
	j.end.position = appended.Position
	if j.pending = j.pending[len(batch.Events):]; len(j.pending) == 0 {
		j.pending, j.bytes = nil, 0
	}
	return nil
}

// appendWith appends to another stream what follows from the events recorded here, in one append with those that are pending, which
// come first. Its error is of the other stream, unless the journal is of no more use.
func (j *RunJournal) appendWith(ctx context.Context, then eventlog.Batch) (eventlog.Appended, error) {
	if err := j.enter(ctx); err != nil {
		return eventlog.Appended{}, err
	}
	defer j.leave()
	for {
		next, ready, err := j.next()
		switch {
		case err != nil:
			return eventlog.Appended{}, err
		case !ready:
			return j.commands.append(ctx, then)
		case len(next.Events) < len(j.pending):
			appended, err := j.commands.append(ctx, next)
			if err := j.took(next, appended, err); err != nil {
				return eventlog.Appended{}, err
			}
			continue
		}
		done, err := eventlog.AppendPair(ctx, j.commands.log, next, then)
		if len(done) == 0 {
			return eventlog.Appended{}, j.took(next, eventlog.Appended{}, err)
		}
		if broken := j.took(next, done[0], nil); broken != nil || err != nil {
			return eventlog.Appended{}, errors.Join(broken, err)
		}
		return done[1], nil
	}
}

// flushSoon is how long FlushSoon waits for the next events: about as long as an append takes.
const flushSoon = 10 * time.Millisecond

// FlushSoon has everything recorded so far appended in a moment, together with what is recorded until then. If the
// append fails, the next call returns its error.
func (j *RunJournal) FlushSoon(ctx context.Context) error { return j.flushIn(ctx, flushSoon) }

func (j *RunJournal) flushIn(ctx context.Context, while time.Duration) error {
	if err := j.enter(ctx); err != nil {
		return err
	}
	defer j.leave()
	j.flushWithin(ctx, while)
	return j.broken
}

// flushWithin has what is pending appended after a while, unless it is before.
func (j *RunJournal) flushWithin(ctx context.Context, while time.Duration) {
	if j.broken != nil || len(j.pending) == 0 {
		return
	}
	at := time.Now().Add(while)
	switch {
	case j.soon == nil:
		ctx := context.WithoutCancel(ctx) // a run that is cut short has its journal
		j.soon = time.AfterFunc(while, func() { _ = j.Flush(ctx) })
	case at.Before(j.soonAt):
		j.soon.Reset(while)
	default:
		return
	}
	j.soonAt = at
}

// End closes the run and returns the position where its stream ends.
func (j *RunJournal) End(ctx context.Context, end run.End) (eventlog.Position, error) {
	if err := j.enter(ctx); err != nil {
		return eventlog.Start, err
	}
	defer j.leave()
	if err := j.record(ctx, end); err != nil {
		return eventlog.Start, err
	}
	if err := j.flush(ctx); err != nil {
		return eventlog.Start, err
	}
	return j.end.position, nil
}
