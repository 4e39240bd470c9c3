package esdbapi

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi/pb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbmeta"
)

// The properties that the metadata of every event has on the wire.
const (
	metadataType        = "type"
	metadataContentType = "content-type"
	metadataCreated     = "created"

	jsonContent  = "application/json"
	otherContent = "application/octet-stream"
)

// replies sends the messages of one Read.
type replies struct {
	grpc.ServerStream
	uuidText bool // ids as text, not cut into two numbers
	resolve  bool // links with the events that they lead to
}

func (r *replies) event(record *eventlog.Record) error {
	event, err := r.eventOf(record)
	if err != nil {
		return err
	}
	return r.SendMsg(&pb.ReadResp{Content: &pb.ReadResp_Event{Event: event}})
}

// eventOf is an event that no link led to.
func (r *replies) eventOf(record *eventlog.Record) (*pb.ReadResp_ReadEvent, error) {
	event, err := r.recorded(record)
	if err != nil {
		return nil, err
	}
	return &pb.ReadResp_ReadEvent{Event: event, Position: &pb.ReadResp_ReadEvent_CommitPosition{CommitPosition: event.CommitPosition}}, nil
}

// recorded is an event of the log as the protocol has it.
func (r *replies) recorded(record *eventlog.Record) (*pb.ReadResp_RecordedEvent, error) {
	number, err := wirePosition(record.Position)
	if err != nil {
		return nil, err
	}
	id, err := r.id(record.ID)
	if err != nil {
		return nil, err
	}
	content := otherContent
	if json.Valid(record.Payload) {
		content = jsonContent
	}
	return &pb.ReadResp_RecordedEvent{
		Id:               id,
		StreamIdentifier: &pb.StreamIdentifier{StreamName: []byte(record.Stream)},
		StreamRevision:   uint64(record.Revision),
		PreparePosition:  number,
		CommitPosition:   number,
		Metadata: map[string]string{
			metadataType:        record.Type,
			metadataContentType: content,
			metadataCreated:     strconv.FormatInt(ticks(record.RecordedAt), 10),
		},
		CustomMetadata: esdbmeta.Wrap(record.SchemaVersion, record.Metadata),
		Data:           record.Payload,
	}, nil
}

func (r *replies) id(id string) (*pb.UUID, error) {
	if r.uuidText {
		return &pb.UUID{Value: &pb.UUID_String_{String_: id}}, nil
	}
	parsed, err := uuid.Parse(id)
	if err != nil {
		return nil, fmt.Errorf("esdbapi: the log has the event id %q, which is not a UUID: %w", id, err)
	}
	return structuredUUID(parsed), nil
}

func (r *replies) confirmation() error {
	return r.SendMsg(&pb.ReadResp{Content: &pb.ReadResp_Confirmation{
		Confirmation: &pb.ReadResp_SubscriptionConfirmation{SubscriptionId: uuid.NewString()},
	}})
}

func (r *replies) streamNotFound(stream string) error {
	return r.SendMsg(&pb.ReadResp{Content: &pb.ReadResp_StreamNotFound_{
		StreamNotFound: &pb.ReadResp_StreamNotFound{StreamIdentifier: &pb.StreamIdentifier{StreamName: []byte(stream)}},
	}})
}

func (r *replies) lastRevision(revision int64) error {
	return r.SendMsg(&pb.ReadResp{Content: &pb.ReadResp_LastStreamPosition{LastStreamPosition: uint64(revision)}})
}

func (r *replies) checkpoint(position eventlog.Position, now time.Time) error {
	number, err := wirePosition(position)
	if err != nil {
		return err
	}
	return r.SendMsg(&pb.ReadResp{Content: &pb.ReadResp_Checkpoint_{
		Checkpoint: &pb.ReadResp_Checkpoint{CommitPosition: number, PreparePosition: number, Timestamp: timestamp(now)},
	}})
}

// caughtUpWith tells that what comes next is live, with the position unless the log is empty.
func (r *replies) caughtUpWith(position eventlog.Position, now time.Time) error {
	caughtUp := &pb.ReadResp_CaughtUp{Timestamp: timestamp(now)}
	if position != eventlog.Start {
		number, err := wirePosition(position)
		if err != nil {
			return err
		}
		caughtUp.Position = &pb.Position{CommitPosition: number, PreparePosition: number}
	}
	return r.SendMsg(&pb.ReadResp{Content: &pb.ReadResp_CaughtUp_{CaughtUp: caughtUp}})
}

// caughtUpAt is the same for one stream, with the revision unless the stream is empty.
func (r *replies) caughtUpAt(revision int64, now time.Time) error {
	caughtUp := &pb.ReadResp_CaughtUp{Timestamp: timestamp(now)}
	if revision >= 0 {
		caughtUp.StreamRevision = &revision
	}
	return r.SendMsg(&pb.ReadResp{Content: &pb.ReadResp_CaughtUp_{CaughtUp: caughtUp}})
}

// wirePosition is both numbers, commit and prepare, of a position.
func wirePosition(position eventlog.Position) (uint64, error) {
	number, err := position.Number()
	return uint64(number), err
}

func timestamp(t time.Time) *pb.Timestamp {
	return &pb.Timestamp{Seconds: t.Unix(), Nanos: int32(t.Nanosecond())}
}

// ticks counts the 100 ns since 1970, which is how the protocol tells the time of an event.
func ticks(t time.Time) int64 { return t.Unix()*10_000_000 + int64(t.Nanosecond())/100 }

func structuredUUID(id uuid.UUID) *pb.UUID {
	return &pb.UUID{Value: &pb.UUID_Structured_{Structured: &pb.UUID_Structured{
		MostSignificantBits:  int64(binary.BigEndian.Uint64(id[:8])),
		LeastSignificantBits: int64(binary.BigEndian.Uint64(id[8:])),
	}}}
}

// canonicalID reads either form of an id and gives it as the log wants it: as lower-case text.
func canonicalID(id *pb.UUID) (string, error) {
	switch value := id.GetValue().(type) {
	case *pb.UUID_Structured_:
		var parsed uuid.UUID
		binary.BigEndian.PutUint64(parsed[:8], uint64(value.Structured.GetMostSignificantBits()))
		binary.BigEndian.PutUint64(parsed[8:], uint64(value.Structured.GetLeastSignificantBits()))
		return parsed.String(), nil
	case *pb.UUID_String_:
		parsed, err := uuid.Parse(value.String_)
		if err != nil {
			return "", invalid("the id %q is not a UUID", value.String_)
		}
		return parsed.String(), nil
	}
	return "", invalid("an id is missing; every event needs a UUID")
}
