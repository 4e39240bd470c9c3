package kurrentlog_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/google/uuid"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// room is a part of a server that others use too, which looks like an empty log of its own: all streams of a prefix.
type room struct {
	eventlog.Log
	connection string
	prefix     string
	long       *sync.Map // names that are too long with the prefix, by what stands for them
}

func newRoom(log eventlog.Log, connection string) *room {
	return &room{Log: log, connection: connection, prefix: "kintsugi-test-" + uuid.NewString() + "-", long: new(sync.Map)}
}

// with gives the same room through another log.
func (r *room) with(log eventlog.Log) *room {
	other := *r
	other.Log = log
	return &other
}

func (r *room) inside(stream string) string {
	name := r.prefix + stream
	if len(name) <= eventlog.MaxNameBytes {
		return name
	}
	name = fmt.Sprintf("%s%x", r.prefix, sha256.Sum256([]byte(stream)))
	r.long.Store(name, stream)
	return name
}

func (r *room) outside(name string) string {
	if stream, ok := r.long.Load(name); ok {
		return stream.(string)
	}
	return strings.TrimPrefix(name, r.prefix)
}

func (r *room) filter(filter eventlog.Filter) eventlog.Filter {
	inside := eventlog.Filter{Types: filter.Types}
	for _, prefix := range filter.StreamPrefixes {
		inside.StreamPrefixes = append(inside.StreamPrefixes, r.prefix+prefix)
	}
	if len(inside.StreamPrefixes) == 0 {
		inside.StreamPrefixes = []string{r.prefix}
	}
	return inside
}

func (r *room) records(all iter.Seq2[eventlog.Record, error]) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for record, err := range all {
			if err == nil {
				record.Stream = r.outside(record.Stream)
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

func (r *room) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	if err := eventlog.Validate(stream, expected, events); err != nil {
		return eventlog.Appended{}, err
	}
	appended, err := r.Log.Append(ctx, r.inside(stream), expected, events)
	if conflict, ok := errors.AsType[*eventlog.ConflictError](err); ok {
		conflict.Stream = stream
	}
	if content, ok := errors.AsType[*eventlog.ContentError](err); ok {
		content.Stream = stream
	}
	return appended, err
}

func (r *room) Stream(ctx context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	return r.records(r.Log.Stream(ctx, r.inside(stream), from))
}

func (r *room) StreamBackward(ctx context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	return r.records(r.Log.StreamBackward(ctx, r.inside(stream), from))
}

func (r *room) Head(ctx context.Context) (eventlog.Position, error) {
	for record, err := range r.Log.AllBackward(ctx, eventlog.End, r.filter(eventlog.Everything)) {
		return record.Position, err
	}
	return eventlog.Start, ctx.Err()
}

// real gives a position that the server knows in place of one beyond the room's last event: that one the suite has made
// up, and on a server that others use it may be in the middle of somebody's event.
func (r *room) real(ctx context.Context, at, instead eventlog.Position) eventlog.Position {
	if _, err := at.Number(); err != nil {
		return at
	}
	if head, err := r.Head(ctx); err != nil || at <= head {
		return at
	}
	return instead
}

func (r *room) All(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		head, _ := r.Log.Head(ctx)
		r.records(r.Log.All(ctx, r.real(ctx, after, head), r.filter(filter)))(yield)
	}
}

func (r *room) AllBackward(ctx context.Context, before eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		r.records(r.Log.AllBackward(ctx, r.real(ctx, before, eventlog.End), r.filter(filter)))(yield)
	}
}

func (r *room) Subscribe(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Delivery, error] {
	return func(yield func(eventlog.Delivery, error) bool) {
		head, _ := r.Log.Head(ctx)
		for delivery, err := range r.Log.Subscribe(ctx, r.real(ctx, after, head), r.filter(filter)) {
			if delivery.Record != nil {
				delivery.Record.Stream = r.outside(delivery.Record.Stream)
			} else if err == nil {
				delivery.Position = max(delivery.Position, after)
			}
			if !yield(delivery, err) {
				return
			}
		}
	}
}
