package kurrentlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
	"google.golang.org/grpc/codes"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Append implements [eventlog.Log].
func (l *Log) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	if err := validate(stream, expected, events); err != nil {
		return eventlog.Appended{}, err
	}
	return l.append(ctx, &appending{Log: l, stream: stream, expected: expected.Revision(), events: events})
}

// append does an append that was validated.
func (l *Log) append(ctx context.Context, a *appending) (eventlog.Appended, error) {
	if err := ctx.Err(); err != nil {
		return eventlog.Appended{}, err
	}
	if !l.begin() {
		return eventlog.Appended{}, eventlog.ErrClosed
	}
	defer l.appends.Done()
	known, err := l.known.take(ctx, a.stream)
	if err != nil {
		return eventlog.Appended{}, err
	}
	before := len(known.ids)
	defer func() { l.known.give(known, len(known.ids)-before) }()

	a.known = known
	if err := a.prepare(); err != nil {
		return eventlog.Appended{}, err
	}
	err = l.try(ctx, func(n *node) error { return a.attempt(ctx, n) })
	switch {
	case err == nil:
		return a.result, a.refusal
	case ctx.Err() != nil:
		return eventlog.Appended{}, ctx.Err()
	}
	if e, ok := errors.AsType[*callError](err); ok && e.exception == "maximum-append-size-exceeded" {
		return eventlog.Appended{}, &eventlog.InvalidError{Stream: a.stream, Reason: fmt.Sprintf(
			"this server takes appends of %s bytes at most, with what its encoding adds; raise its MaxAppendSize to 2 MiB or more", e.limit)}
	}
	return eventlog.Appended{}, l.explain("append to stream "+a.stream, err)
}

// begin registers an append, unless the log is closed.
func (l *Log) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.appends.Add(1)
	return true
}

func validate(stream string, expected eventlog.Expected, events []eventlog.Event) error {
	if err := eventlog.Validate(stream, expected, events); err != nil {
		return err
	}
	refused := func(what string) error {
		return &eventlog.InvalidError{Stream: stream, Reason: what + " begins with $, which the server keeps for its own"}
	}
	if isSystem(stream) {
		return refused("the stream name")
	}
	for i, e := range events {
		if isSystem(e.Type) {
			return refused(fmt.Sprintf("the type of event %d", i))
		}
	}
	return nil
}

// appending is one append, over all its attempts.
type appending struct {
	*Log
	stream   string
	expected int64
	events   []eventlog.Event
	ids      []uuid.UUID
	messages []*streams.AppendReq
	known    *knownStream
	above    *eventlog.Position // send at once, for a position above this one: see [appending.atOnce]

	there map[int64]event // what was read of the stream where the events are to be, by revision
	sent  bool            // what is there may be our own work

	result  eventlog.Appended
	refusal error // the outcome, if it is one of the port's own errors
}

func (a *appending) prepare() error {
	options := &streams.AppendReq_Options{
		StreamIdentifier:       named(a.stream),
		ExpectedStreamRevision: &streams.AppendReq_Options_NoStream{NoStream: &shared.Empty{}},
	}
	if a.expected >= 0 {
		options.ExpectedStreamRevision = &streams.AppendReq_Options_Revision{Revision: uint64(a.expected)}
	}
	a.messages = []*streams.AppendReq{{Content: &streams.AppendReq_Options_{Options: options}}}
	for _, e := range a.events {
		id, err := uuid.Parse(e.ID)
		if err != nil {
			return fmt.Errorf("kurrentlog: event id %q: %w", e.ID, err)
		}
		a.ids = append(a.ids, id)
		a.messages = append(a.messages, &streams.AppendReq{
			Content: &streams.AppendReq_ProposedMessage_{ProposedMessage: proposed(e, id)},
		})
	}
	return nil
}

// attempt decides by the events in the stream; if they decide nothing it sends its events, and decides by the stream
// again. An acknowledgement proves only that events with these ids are there.
func (a *appending) attempt(ctx context.Context, n *node) error {
	if a.atOnce(ctx, n) {
		return nil
	}
	refused := 0
	for acknowledged := false; ; {
		if err := a.look(ctx, n); err != nil {
			return err
		}
		decided, err := a.decide(ctx, n)
		if err != nil || decided {
			return err
		}
		if acknowledged {
			return errors.New("the server has acknowledged the events and does not have them; was the stream truncated, or deleted?")
		}
		a.sent = true
		answer, err := a.send(ctx, n)
		switch {
		case answer.GetWrongExpectedVersion() != nil:
			if refused++; refused > 2 {
				return fmt.Errorf("the server refuses revision %d as wrong, but the stream is at it; was it truncated, or deleted?", a.expected)
			}
			if refused == 2 {
				a.known.reset()
			}
		case isInvalid(err):
			// Perhaps because of what somebody else appended just now: then that can be seen.
			if lookErr := a.look(ctx, n); lookErr != nil {
				return lookErr
			}
			decided, decideErr := a.decide(ctx, n)
			if decided || decideErr != nil {
				return decideErr
			}
			return err
		case err != nil:
			return err
		default:
			acknowledged = true
		}
	}
}

func isInvalid(err error) bool {
	e, ok := errors.AsType[*callError](err)
	return ok && e.code == codes.InvalidArgument
}

// look reads what is new in the stream.
func (a *appending) look(ctx context.Context, n *node) error {
	for more, count := true, firstChunk; more; count = chunkEvents {
		got, err := a.read(ctx, n, a.known.last+1, count)
		if err != nil {
			return err
		}
		more = got.more
		for _, e := range got.events {
			id, err := idOf(e.GetId())
			if err != nil {
				return err
			}
			a.known.learn(id, e.revision())
			if place := e.revision() - a.expected; place > 0 && place <= int64(len(a.events)) {
				a.keep(e)
			}
		}
	}
	return nil
}

func (a *appending) keep(e event) {
	if a.there == nil {
		a.there = make(map[int64]event)
	}
	a.there[e.revision()] = e
}

func (a *appending) read(ctx context.Context, n *node, from int64, count int) (chunk, error) {
	ctx, cancel := context.WithTimeout(a.cluster.outgoing(ctx), a.cluster.deadline)
	defer cancel()
	options := readOfStream(forward)
	options.StreamOption = fromRevision(a.stream, from)
	options.CountOption = &streams.ReadReq_Options_Count{Count: uint64(count)}
	return n.read(ctx, options, count, func(e event) bool { return e.revision() >= from })
}

// decide holds the events against those of the stream. If they are there, or may not be appended, it sets the outcome
// and returns true.
func (a *appending) decide(ctx context.Context, n *node) (decided bool, err error) {
	var there map[string]eventlog.Record
	for i, e := range a.events {
		revision, known := a.known.ids[a.ids[i]]
		if !known {
			continue
		}
		if there == nil {
			there = make(map[string]eventlog.Record)
		}
		if there[e.ID], err = a.recordAt(ctx, n, revision); err != nil {
			return false, err
		}
	}
	repeat, fresh, refusal := eventlog.Compare(a.stream, a.expected, a.events, a.known.last, there)
	if fresh {
		return false, nil
	}
	a.result, a.refusal = repeat, refusal
	if refusal == nil && a.sent && !slices.ContainsFunc(a.events, func(e eventlog.Event) bool {
		return !bytes.Equal(there[e.ID].Metadata, e.Metadata)
	}) {
		a.result.Repeated = false // it is our own work that is there
		a.wake.Tell()
	}
	return true, nil
}

// recordAt gives an event of the stream that is known to be there.
func (a *appending) recordAt(ctx context.Context, n *node, revision int64) (eventlog.Record, error) {
	if e, ok := a.there[revision]; ok {
		return e.record()
	}
	got, err := a.read(ctx, n, revision, min(len(a.events), chunkEvents)) // the others are likely to come next
	if err != nil {
		return eventlog.Record{}, err
	}
	for _, e := range got.events {
		a.keep(e)
	}
	e, ok := a.there[revision]
	if !ok {
		return eventlog.Record{}, fmt.Errorf("revision %d, which was there, is not there any more; was the stream truncated, or deleted?", revision)
	}
	return e.record()
}

// send is one call to append.
func (a *appending) send(ctx context.Context, n *node) (*streams.AppendResp, error) {
	ctx, cancel := context.WithTimeout(a.cluster.outgoing(ctx), a.cluster.deadline)
	defer cancel()
	call, err := n.streams().Append(ctx)
	if err != nil {
		return nil, failed(n, err, nil)
	}
	for _, message := range a.messages {
		err := call.Send(message)
		if errors.Is(err, io.EOF) {
			break // the server has answered already
		}
		if err != nil {
			return nil, failed(n, err, nil)
		}
	}
	answer, err := call.CloseAndRecv()
	return answer, failed(n, err, call.Trailer())
}
