package commands

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// kind is a kind of stream: how its state is folded, and how it decides.
type kind[S, C any] struct {
	evolve func(S, event.Recorded) S
	decide func(S, C, time.Time) ([]event.Event, error)
	// forgets says that an event makes the state anew, whatever was before it; nil for none.
	forgets func(event.Event) bool
	// subject is what the command's events belong to.
	subject func(S, C) string
	// kept says that folds of such streams are worth keeping between commands.
	kept bool
	// append appends what was decided; nil for the log's own.
	append func(ctx context.Context, batch eventlog.Batch) (eventlog.Appended, error)
}

// untimed folds events that mean the same whenever they were recorded.
func untimed[S any](evolve func(S, event.Event) S) func(S, event.Recorded) S {
	return func(s S, recorded event.Recorded) S { return evolve(s, recorded.Event) }
}

// attempts bounds how often a command is decided. Commands of one process wait for each
// other, so a conflict is with another process, which wins about every second time: the bound
// is beyond bad luck, and within a quarter of a second.
const attempts = 32

// longestPause is between two attempts.
const longestPause = 8 * time.Millisecond

// execute carries out one command on one stream.
func execute[S, C any](
	ctx context.Context, c *core, kind kind[S, C], stream string, command C, meta Meta,
) (Result, error) {
	meta, err := c.complete(meta)
	if err != nil {
		return Result{}, err
	}
	leave, err := c.queues.enter(ctx, stream)
	if err != nil {
		return Result{}, fmt.Errorf("commands: %T on %s: %w", command, stream, err)
	}
	defer leave()
	if result, final, err := tryKept(ctx, c, kind, stream, command, meta); final {
		if err != nil {
			return Result{}, fmt.Errorf("commands: %T on %s: %w", command, stream, err)
		}
		return result, nil
	}
	for attempt := 1; ; attempt++ {
		result, err := try(ctx, c, kind, stream, command, meta)
		if err == nil {
			return result, nil
		}
		if _, refused := errors.AsType[*fault.Error](err); refused {
			return Result{}, err // it is for people, and says all they need
		}
		if !overtaken(err) || attempt == attempts {
			return Result{}, fmt.Errorf("commands: %T on %s: %w", command, stream, err)
		}
		if err := backOff(ctx, attempt); err != nil {
			return Result{}, fmt.Errorf("commands: %T on %s: %w", command, stream, err)
		}
	}
}

// conflicted says that another writer was first: with other events, or with this command's.
func conflicted(err error) bool {
	_, conflict := errors.AsType[*eventlog.ConflictError](err)
	_, content := errors.AsType[*eventlog.ContentError](err)
	return conflict || content
}

// overtaken says that a command is to be decided again.
func overtaken(err error) bool { return conflicted(err) && !errors.Is(err, ErrRunLost) }

// backOff lets the other writer go on: up to a millisecond after the first conflict,
// doubling. The jitter keeps two writers from meeting again; nothing else depends on it.
func backOff(ctx context.Context, attempt int) error {
	timer := time.NewTimer(rand.N(min(time.Millisecond<<(attempt-1), longestPause)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// keptTrusted is how long a fold is taken for what its stream is, without a look at it: shorter than it
// takes to put another log in the place of one in use, whose chains an append would break.
const keptTrusted = 10 * time.Second

// tryKept decides on a fold that was compared with its stream a moment ago. If the stream has gone on, the
// append says so. A refusal is not final, and neither is that there is nothing to do: the fold may be old.
func tryKept[S, C any](
	ctx context.Context, c *core, kind kind[S, C], stream string, command C, meta Meta,
) (result Result, final bool, err error) {
	loaded, found := c.folds.take(stream).(fold[S])
	if !found {
		return Result{}, false, nil
	}
	keep(c, kind, stream, loaded)
	_, repeated := loaded.commands[meta.CommandID]
	if age := c.now().Sub(loaded.compared); repeated || age < 0 || age > keptTrusted {
		return Result{}, false, nil
	}
	result, err = decide(ctx, c, kind, stream, loaded, command, meta)
	_, refused := errors.AsType[*fault.Error](err)
	return result, !refused && !overtaken(err) && (err != nil || len(result.Events) > 0), err
}

// try is load, decide, append, once.
func try[S, C any](
	ctx context.Context, c *core, kind kind[S, C], stream string, command C, meta Meta,
) (Result, error) {
	loaded, err := load(ctx, c, kind, stream)
	if err != nil {
		return Result{}, err
	}
	keep(c, kind, stream, loaded)
	if at, done := loaded.commands[meta.CommandID]; done {
		return c.firstResult(ctx, stream, at, meta)
	}
	return decide(ctx, c, kind, stream, loaded, command, meta)
}

// decide decides and appends.
func decide[S, C any](
	ctx context.Context, c *core, kind kind[S, C], stream string, loaded fold[S], command C, meta Meta,
) (Result, error) {
	if meta.Expected != nil && *meta.Expected != loaded.tail.revision {
		stale := &StaleError{Stream: stream, Expected: *meta.Expected, Current: loaded.tail.revision}
		return Result{}, fault.New(fault.Conflict, "%w", stale)
	}
	now := c.now().UTC().Round(0)
	events, err := kind.decide(loaded.state, command, now)
	if err != nil || len(events) == 0 {
		return Result{Stream: stream, Position: loaded.tail.position}, err
	}
	batch, after, err := c.seal(stream, kind.subject(loaded.state, command), loaded.tail, events, meta, now)
	if err != nil {
		return Result{}, err
	}
	// Events are folded from their bytes, as the next reader will do it: an event that cannot be read back is not
	// appended.
	recorded := make([]event.Recorded, 0, len(batch))
	for i, sealed := range batch {
		one, err := c.open(eventlog.Record{Event: sealed, Stream: stream, Revision: loaded.tail.revision + 1 + int64(i)})
		if err != nil {
			return Result{}, err
		}
		recorded = append(recorded, one)
	}
	appendTo := kind.append
	if appendTo == nil {
		appendTo = c.append
	}
	appended, err := appendTo(ctx, eventlog.Batch{Stream: stream, Expected: eventlog.At(loaded.tail.revision), Events: batch})
	if err != nil {
		return Result{}, err
	}
	if appended.Repeated {
		return c.firstResult(ctx, stream, span{first: appended.First, last: appended.Last}, meta)
	}
	after.position = appended.Position
	recorded[len(recorded)-1].Position = string(appended.Position)
	for _, one := range recorded {
		loaded.add(one, kind.evolve)
	}
	loaded.tail, loaded.compared = after, now
	keep(c, kind, stream, loaded)
	return Result{Stream: stream, Events: recorded, Position: appended.Position}, nil
}

func (c *core) append(ctx context.Context, batch eventlog.Batch) (eventlog.Appended, error) {
	return c.log.Append(ctx, batch.Stream, batch.Expected, batch.Events)
}

func keep[S, C any](c *core, kind kind[S, C], stream string, loaded fold[S]) {
	if kind.kept {
		c.folds.put(stream, loaded, loaded.tail.revision+1)
	}
}

// firstResult is the result that a command had when it was carried out. Another request with the same key is refused.
func (c *core) firstResult(ctx context.Context, stream string, at span, meta Meta) (Result, error) {
	result := Result{Stream: stream, Repeated: true}
	for record, err := range c.log.Stream(ctx, stream, at.first) {
		if err != nil {
			return Result{}, fmt.Errorf("read the first result: %w", err)
		}
		if record.Revision > at.last {
			break
		}
		recorded, err := c.open(record)
		if err != nil {
			return Result{}, err
		}
		// A command that is its own cause was recorded before requests were told apart.
		if cause := recorded.Metadata.CausationID; meta.Keyed && cause != meta.CausationID && cause != recorded.Metadata.CommandID {
			return Result{}, fault.New(fault.Invalid, "this key was used for another request: nothing was done. Take a new key for a new request, and the old one to repeat the old request")
		}
		result.Events = append(result.Events, recorded)
		result.Position = record.Position
	}
	return result, nil
}

// state folds a stream for someone who only looks. There is no state of a stream without events.
func state[S, C any](ctx context.Context, c *core, kind kind[S, C], stream string) (S, bool, error) {
	return since(ctx, c, kind, stream, math.MaxInt64)
}

// since is like state for someone who only needs what happened up to a revision: a fold that was kept
// and goes so far is not compared with the stream.
func since[S, C any](ctx context.Context, c *core, kind kind[S, C], stream string, revision int64) (S, bool, error) {
	var none S
	leave, err := c.queues.enter(ctx, stream)
	if err != nil {
		return none, false, fmt.Errorf("commands: load %s: %w", stream, err)
	}
	defer leave()
	kept, found := c.folds.take(stream).(fold[S])
	if !found || kept.tail.revision < revision {
		if kept, err = refresh(ctx, c, kind, stream, kept, found); err != nil {
			return none, false, err
		}
	}
	keep(c, kind, stream, kept)
	return kept.state, kept.tail.revision >= 0, nil
}
