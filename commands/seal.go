package commands

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
)

// namespace is of the ids that are derived from others, so that they cannot meet ids
// derived elsewhere.
var namespace = uuid.MustParse("6b696e74-7375-5769-a000-6b696e747375")

// DerivedID is an id that follows from the parts alone, so that every caller computes the same one: a reaction's
// command id from the event it reacts to, its own name and a number.
func DerivedID(parts ...string) string {
	var name []byte
	for _, part := range parts {
		name = strconv.AppendInt(name, int64(len(part)), 10)
		name = append(name, ':')
		name = append(name, part...)
	}
	return uuid.NewSHA1(namespace, name).String()
}

// tail is the end of a stream that the next event is chained to.
type tail struct {
	revision int64 // of the last event, -1 if there is none
	hash     hashchain.Hash
	position eventlog.Position
}

var emptyTail = tail{revision: -1}

// seal turns decided events into what the log stores, and says where the stream ends after
// them, but for the position. It is the only place that makes metadata.
func (c *core) seal(
	stream, subject string, after tail, events []event.Event, meta Meta, now time.Time,
) ([]eventlog.Event, tail, error) {
	batch := make([]eventlog.Event, 0, len(events))
	for i, happened := range events {
		name, version, payload, err := c.codec.Encode(happened)
		if err != nil {
			return nil, after, fmt.Errorf("encode %T: %w", happened, err)
		}
		// The stream is part of the id: one command id may be used on two streams.
		id := DerivedID(meta.CommandID, stream, strconv.Itoa(i))
		metadata, err := unsealedMetadata(event.Metadata{
			EventID:       id,
			SchemaVersion: version,
			Subject:       subject,
			CorrelationID: meta.CorrelationID,
			CausationID:   meta.CausationID,
			CommandID:     meta.CommandID,
			Actor:         meta.Actor,
			RecordedAt:    now,
			Traceparent:   meta.Traceparent,
		})
		if err != nil {
			return nil, after, fmt.Errorf("encode metadata of %s: %w", name, err)
		}
		after.revision++
		after.hash = hashchain.Next(after.hash, hashchain.Link{
			Stream: stream, Revision: after.revision, ID: id, Type: name,
			SchemaVersion: version, Payload: payload, Metadata: metadata,
		})
		batch = append(batch, eventlog.Event{
			ID: id, Type: name, SchemaVersion: version, Payload: payload, Metadata: hashchain.Seal(metadata, after.hash),
		})
	}
	return batch, after, nil
}

// unsealedMetadata is the metadata's JSON without the hash, its last field.
func unsealedMetadata(metadata event.Metadata) ([]byte, error) {
	metadata.Hash = ""
	encoded, err := event.WriteMetadata(metadata)
	if err != nil {
		return nil, err
	}
	without, found := bytes.CutSuffix(encoded, []byte(`,"hash":""}`))
	if !found {
		return nil, fmt.Errorf("the hash is not the last field of %s", encoded)
	}
	return append(without, '}'), nil
}

// StreamError names the first event at which a stream cannot be followed any more. A retry gets the same error, until
// a program that can read the event comes, or another log.
type StreamError struct {
	Stream   string
	Revision int64
	Type     string
	Err      error
}

// Error implements error.
func (e *StreamError) Error() string {
	return fmt.Sprintf("commands: read %s revision %d (%s): %v", e.Stream, e.Revision, e.Type, e.Err)
}

// Unwrap gives what is wrong.
func (e *StreamError) Unwrap() error { return e.Err }

// Lost says that what a stream holds is not to be had: it was changed or erased, the store lost a part of it, or a newer
// program wrote it.
func Lost(err error) bool {
	_, lost := errors.AsType[*StreamError](err)
	return lost || errors.Is(err, eventlog.ErrDamaged)
}

// open decodes a record of the log. Its error is a [*StreamError].
func (c *core) open(record eventlog.Record) (event.Recorded, error) {
	failed := func(err error) (event.Recorded, error) {
		return event.Recorded{}, &StreamError{Stream: record.Stream, Revision: record.Revision, Type: record.Type, Err: err}
	}
	if eventlog.IsErased(record.Payload) {
		return failed(ErrErased)
	}
	decoded, err := c.codec.Decode(record.Type, record.SchemaVersion, record.Payload)
	if err != nil {
		return failed(err)
	}
	metadata, err := event.ReadMetadata(record.Metadata)
	if err != nil {
		return failed(err)
	}
	return event.Recorded{
		Stream: record.Stream, Revision: record.Revision, Position: string(record.Position),
		Metadata: metadata, Event: decoded,
	}, nil
}
