package kurrentlog

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbmeta"
)

// noPosition is how a number says that there is none.
const noPosition = math.MaxUint64

// place is where an event is in the whole log of the server.
type place struct{ commit, prepare uint64 }

func (p place) compare(other place) int {
	return cmp.Or(cmp.Compare(p.commit, other.commit), cmp.Compare(p.prepare, other.prepare))
}

// placeOf is the place that a position of ours stands for.
func placeOf(position eventlog.Position) (place, error) {
	number, err := position.Number()
	return place{uint64(number), uint64(number)}, err
}

// position is the place as a position of ours, if it can be one.
func (p place) position() (eventlog.Position, error) {
	switch {
	case p.commit == noPosition:
		return "", fmt.Errorf("the server does not tell the positions of a stream's events; use version 22.10 or newer")
	case p.commit != p.prepare:
		return "", fmt.Errorf("the event at C:%d/P:%d was written in an explicit transaction by an old client; its position cannot be told by one number, so that reading could not go on from it without loss; leave its stream out by a filter, or copy it into a stream of its own and scavenge it", p.commit, p.prepare)
	case p.commit > math.MaxInt64, p.commit == 0:
		return "", fmt.Errorf("the server has an event at position %d, which is not one that this log can hold", p.commit)
	}
	return eventlog.PositionOf(int64(p.commit)), nil
}

// event is an event as it came.
type event struct {
	*streams.ReadResp_ReadEvent_RecordedEvent
	at place
}

// eventOf reads a message with an event. A link whose event is gone has none.
func eventOf(message *streams.ReadResp_ReadEvent) (event, bool) {
	recorded := message.GetEvent()
	if recorded == nil {
		return event{}, false
	}
	at := place{recorded.GetCommitPosition(), recorded.GetPreparePosition()}
	if at.commit == noPosition || at.prepare == noPosition {
		at = place{noPosition, noPosition}
		if told, ok := message.GetPosition().(*streams.ReadResp_ReadEvent_CommitPosition); ok {
			at = place{told.CommitPosition, told.CommitPosition}
		}
	}
	return event{recorded, at}, true
}

func (e event) stream() string   { return string(e.GetStreamIdentifier().GetStreamName()) }
func (e event) revision() int64  { return int64(e.GetStreamRevision()) }
func (e event) typeName() string { return e.GetMetadata()["type"] }

// size is what the event takes in memory, roughly.
func (e event) size() int { return len(e.GetData()) + len(e.GetCustomMetadata()) }

// record is the event as our log has it.
func (e event) record() (eventlog.Record, error) {
	position, err := e.at.position()
	if err != nil {
		return eventlog.Record{}, fmt.Errorf("event %d of stream %s: %w", e.GetStreamRevision(), e.stream(), err)
	}
	id, err := idOf(e.GetId())
	if err != nil {
		return eventlog.Record{}, fmt.Errorf("event %d of stream %s: %w", e.GetStreamRevision(), e.stream(), err)
	}
	version, metadata := esdbmeta.Unwrap(e.GetCustomMetadata())
	return eventlog.Record{
		Event: eventlog.Event{
			ID:            id.String(),
			Type:          e.typeName(),
			SchemaVersion: version,
			Payload:       e.GetData(),
			Metadata:      metadata,
		},
		Stream:     e.stream(),
		Revision:   e.revision(),
		Position:   position,
		RecordedAt: recordedAt(e.GetMetadata()["created"]),
	}, nil
}

// recordedAt reads the time of an event: 100 ns since 1970. It is people's information only: if it cannot be read, the
// event is worth no less, and has the zero time.
func recordedAt(created string) time.Time {
	ticks, err := strconv.ParseInt(created, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(ticks/1e7, ticks%1e7*100).UTC()
}

func idOf(id *shared.UUID) (parsed uuid.UUID, err error) {
	switch value := id.GetValue().(type) {
	case *shared.UUID_Structured_:
		binary.BigEndian.PutUint64(parsed[:8], uint64(value.Structured.GetMostSignificantBits()))
		binary.BigEndian.PutUint64(parsed[8:], uint64(value.Structured.GetLeastSignificantBits()))
		return parsed, nil
	case *shared.UUID_String_:
		return uuid.Parse(value.String_)
	}
	return parsed, fmt.Errorf("the server sent it without an id")
}

// proposed is an event of ours as it is sent.
func proposed(e eventlog.Event, id uuid.UUID) *streams.AppendReq_ProposedMessage {
	content := "application/octet-stream"
	if json.Valid(e.Payload) {
		content = "application/json"
	}
	return &streams.AppendReq_ProposedMessage{
		Id: &shared.UUID{Value: &shared.UUID_Structured_{Structured: &shared.UUID_Structured{
			MostSignificantBits:  int64(binary.BigEndian.Uint64(id[:8])),
			LeastSignificantBits: int64(binary.BigEndian.Uint64(id[8:])),
		}}},
		Metadata:       map[string]string{"type": e.Type, "content-type": content},
		CustomMetadata: esdbmeta.Wrap(e.SchemaVersion, e.Metadata),
		Data:           e.Payload,
	}
}

// isSystem says whether a stream or an event type is the server's own.
func isSystem(name string) bool { return strings.HasPrefix(name, "$") }
