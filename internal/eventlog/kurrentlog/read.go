package kurrentlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// A read is made of calls that take at most this much, and hold it in memory: no call goes on while its events are
// looked at, however long that takes, and one that breaks can be made again.
const (
	firstChunk  = 64 // most streams are short, and most readers of the log are near its end
	chunkEvents = 512
	chunkBytes  = 4 << 20
)

// outgoing adds what every call tells the server.
func (c *cluster) outgoing(ctx context.Context) context.Context {
	ctx = metadata.AppendToOutgoingContext(ctx, "requires-leader", "true")
	if c.name != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "connection-name", c.name)
	}
	return ctx
}

// chunk is what one call read.
type chunk struct {
	events []event
	more   bool // not the end of what there is to read ended it
}

// fetch reads the next events that are wanted; the others count only towards the number of those to look at.
func (l *Log) fetch(ctx context.Context, options *streams.ReadReq_Options, count int, wanted func(event) bool) (got chunk, err error) {
	options.CountOption = &streams.ReadReq_Options_Count{Count: uint64(count)}
	err = l.try(ctx, func(n *node) error {
		got, err = n.read(l.cluster.outgoing(ctx), options, count, wanted)
		return err
	})
	if err == nil && got.more && len(got.events) == 0 {
		err = errors.New("the server gives events that were not asked for, and none that were")
	}
	return got, err
}

func (n *node) read(ctx context.Context, options *streams.ReadReq_Options, count int, wanted func(event) bool) (chunk, error) {
	ctx, cancel := context.WithCancel(ctx) // ends a call that is not read to its end
	defer cancel()
	call, err := n.streams().Read(ctx, &streams.ReadReq{Options: options})
	if err != nil {
		return chunk{}, failed(n, err, nil)
	}
	var got chunk
	for looked, bytes := 0, 0; looked < count && bytes < chunkBytes; {
		message, err := call.Recv()
		if errors.Is(err, io.EOF) {
			return got, nil
		}
		if err != nil {
			err = failed(n, err, call.Trailer())
			if len(got.events) > 0 && temporary(err) {
				break // what has come is progress; the next call will meet what broke this one
			}
			return chunk{}, err
		}
		// Other kinds of messages, also those that do not exist yet, say nothing about events.
		if content := message.GetEvent(); content != nil {
			looked++
			if e, ok := eventOf(content); ok && wanted(e) {
				bytes += e.size()
				got.events = append(got.events, e)
			}
		}
	}
	got.more = true
	return got, nil
}

// reading is what the four ways to read have in common: a context that ends with the log, and records that are given on
// with errors that are explained.
type reading struct {
	*Log
	ctx    context.Context
	ended  func() error
	cancel context.CancelFunc
	yield  func(eventlog.Record, error) bool
	doing  string
}

func (l *Log) reading(ctx context.Context, yield func(eventlog.Record, error) bool, doing string) *reading {
	bounded, ended, cancel := l.bound(ctx)
	return &reading{Log: l, ctx: bounded, ended: ended, cancel: cancel, yield: yield, doing: doing}
}

// fail gives the error on: that of the context if it has ended, which is what made calls fail.
func (r *reading) fail(err error) {
	if ended := r.ended(); ended != nil {
		err = ended
	} else {
		err = r.explain(r.doing, err)
	}
	r.yield(eventlog.Record{}, err)
}

// give gives an event on. It says whether to go on.
func (r *reading) give(e event) bool {
	record, err := e.record()
	if err == nil {
		err = r.ended()
	}
	if err != nil {
		r.fail(err)
		return false
	}
	return r.yield(record, nil)
}

// Head implements [eventlog.Log].
func (l *Log) Head(ctx context.Context) (eventlog.Position, error) {
	bounded, ended, cancel := l.bound(ctx)
	defer cancel()
	if err := ended(); err != nil {
		return "", err
	}
	newest, err := l.newest(bounded)
	if err == nil && newest == (place{}) {
		return eventlog.Start, nil
	}
	var position eventlog.Position
	if err == nil {
		position, err = newest.position()
	}
	if err != nil {
		if ended := ended(); ended != nil {
			return "", ended
		}
		return "", l.explain("read the end of the log", err)
	}
	return position, nil
}

// newest is the place of the newest event of ours, the zero place if there is none.
func (l *Log) newest(ctx context.Context) (place, error) {
	for e, err := range l.before(ctx, place{}, eventlog.Everything, 1) {
		return e.at, err
	}
	return place{}, nil
}

// All implements [eventlog.Log].
func (l *Log) All(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		r := l.reading(ctx, yield, "read the log")
		defer r.cancel()
		from, err := placeOf(after)
		if err == nil {
			err = r.ended()
		}
		if err != nil {
			yield(eventlog.Record{}, err)
			return
		}
		for e, err := range l.after(r.ctx, from, filter) {
			if err != nil {
				r.fail(err)
				return
			}
			if !r.give(e) {
				return
			}
		}
	}
}

// after yields the events after a place that pass, up to the newest at some moment.
func (l *Log) after(ctx context.Context, from place, filter eventlog.Filter) iter.Seq2[event, error] {
	return func(yield func(event, error) bool) {
		options := readOfAll(filter, forward)
		newest := place{noPosition, noPosition}
		// The server begins with the event at the place: that one is known. Those that do not pass are wanted for
		// their place only.
		wanted := func(e event) bool { return e.at.compare(from) > 0 }
		for count := firstChunk; ; count = chunkEvents {
			options.StreamOption = fromPlace(from)
			got, err := l.fetch(ctx, options, count, wanted)
			if err != nil {
				if from != (place{}) && invalidPlace(err) && l.isBeyond(ctx, from) {
					return
				}
				yield(event{}, err)
				return
			}
			for _, e := range got.events {
				if e.at.compare(newest) > 0 {
					return
				}
				if from = e.at; passes(filter, e.stream(), e.typeName()) && !yield(e, nil) {
					return
				}
			}
			if !got.more {
				return
			}
			if count == firstChunk { // it is a long way: writers must not make it an endless one
				if newest, err = l.newest(ctx); err != nil {
					yield(event{}, err)
					return
				}
			}
		}
	}
}

// invalidPlace says whether the server did not take a position: some take only those that an event has.
func invalidPlace(err error) bool {
	e, ok := errors.AsType[*callError](err)
	return ok && e.code == codes.InvalidArgument
}

// isBeyond says whether there is no event after a place.
func (l *Log) isBeyond(ctx context.Context, at place) bool {
	newest, err := l.newest(ctx)
	return err == nil && newest.compare(at) <= 0
}

// AllBackward implements [eventlog.Log].
func (l *Log) AllBackward(ctx context.Context, before eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		r := l.reading(ctx, yield, "read the log backward")
		defer r.cancel()
		from, err := placeOf(before)
		if err == nil {
			err = r.ended()
		}
		if err != nil {
			yield(eventlog.Record{}, err)
			return
		}
		if before == eventlog.Start {
			return
		}
		if before == eventlog.End {
			from = place{}
		}
		for e, err := range l.before(r.ctx, from, filter, firstChunk) {
			if err != nil {
				r.fail(err)
				return
			}
			if !r.give(e) {
				return
			}
		}
	}
}

// before yields the events before a place that pass, newest first; all if it is the zero place.
func (l *Log) before(ctx context.Context, from place, filter eventlog.Filter, first int) iter.Seq2[event, error] {
	return func(yield func(event, error) bool) {
		options := readOfAll(filter, backward)
		options.StreamOption = fromEnd()
		if from != (place{}) {
			options.StreamOption = fromPlace(from)
		}
		wanted := func(e event) bool { return from == (place{}) || e.at.compare(from) < 0 }
		for count := first; ; count = min(max(firstChunk, 2*count), chunkEvents) {
			got, err := l.fetch(ctx, options, count, wanted)
			if from != (place{}) && invalidPlace(err) && l.isBeyond(ctx, from) {
				options.StreamOption = fromEnd()
				got, err = l.fetch(ctx, options, count, wanted)
			}
			if err != nil {
				yield(event{}, err)
				return
			}
			for _, e := range got.events {
				if from = e.at; passes(filter, e.stream(), e.typeName()) && !yield(e, nil) {
					return
				}
			}
			if !got.more {
				return
			}
			options.StreamOption = fromPlace(from)
		}
	}
}

// Stream implements [eventlog.Log].
func (l *Log) Stream(ctx context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		r := l.reading(ctx, yield, "read stream "+stream)
		defer r.cancel()
		if err := r.ended(); err != nil {
			yield(eventlog.Record{}, err)
			return
		}
		for e, err := range l.stream(r.ctx, stream, from) {
			if err != nil {
				r.fail(err)
				return
			}
			if !isSystem(e.typeName()) && !r.give(e) {
				return
			}
		}
	}
}

// stream yields all events of a stream from a revision on, those that are not ours included.
func (l *Log) stream(ctx context.Context, stream string, from int64) iter.Seq2[event, error] {
	return func(yield func(event, error) bool) {
		if !canBeOurs(stream) {
			return
		}
		options := readOfStream(forward)
		next := max(from, 0)
		wanted := func(e event) bool { return e.revision() >= next }
		for count := firstChunk; ; count = chunkEvents {
			options.StreamOption = fromRevision(stream, next)
			got, err := l.fetch(ctx, options, count, wanted)
			if err != nil {
				yield(event{}, err)
				return
			}
			for _, e := range got.events {
				if e.revision() < next {
					yield(event{}, fmt.Errorf("the server gives revision %d after %d", e.revision(), next-1))
					return
				}
				next = e.revision() + 1
				if !yield(e, nil) {
					return
				}
			}
			if !got.more {
				return
			}
		}
	}
}

// StreamBackward implements [eventlog.Log].
func (l *Log) StreamBackward(ctx context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		r := l.reading(ctx, yield, "read stream "+stream+" backward")
		defer r.cancel()
		if err := r.ended(); err != nil {
			yield(eventlog.Record{}, err)
			return
		}
		if !canBeOurs(stream) {
			return
		}
		options := readOfStream(backward)
		wanted := func(e event) bool { return e.revision() <= from }
		for count := firstChunk; from >= 0; count = chunkEvents {
			options.StreamOption = fromRevision(stream, from)
			got, err := l.fetch(r.ctx, options, count, wanted)
			if err != nil {
				r.fail(err)
				return
			}
			for _, e := range got.events {
				from = e.revision() - 1
				if !isSystem(e.typeName()) && !r.give(e) {
					return
				}
			}
			if !got.more {
				return
			}
		}
	}
}

// canBeOurs says whether there can be events of ours in a stream of this name.
func canBeOurs(stream string) bool {
	return stream != "" && !isSystem(stream) && utf8.ValidString(stream)
}
