package esdbapi

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi/pb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbmeta"
)

// writeTimeout bounds an append, however long the client would wait.
const writeTimeout = 30 * time.Second

// maxDrained bounds what is still received of an append that was refused.
const maxDrained = 16 << 20

// append answers Append: one write, whose events come one by one. A refused append is received to its end before it is
// answered: the official Go client, told in the middle of sending, loses the reason.
func (s *Server) append(ctx context.Context, stream grpc.ServerStream) error {
	err := s.appendOne(ctx, stream)
	if _, refused := errors.AsType[*fault](err); refused {
		rest := new(pb.AppendReq)
		for drained := 0; drained < maxDrained && stream.RecvMsg(rest) == nil; {
			drained += 1 + proto.Size(rest)
		}
	}
	return err
}

func (s *Server) appendOne(ctx context.Context, stream grpc.ServerStream) error {
	request := new(pb.AppendReq)
	if err := stream.RecvMsg(request); err != nil {
		if errors.Is(err, io.EOF) {
			return invalid("the append has no options")
		}
		return err
	}
	options := request.GetOptions()
	if options == nil {
		return invalid("the first message of an append has to be its options")
	}
	w, err := s.newWrite(ctx, options.GetStreamIdentifier(), expectationOf(options.GetExpectedStreamRevision()))
	if err != nil {
		return err
	}
	for {
		request := new(pb.AppendReq)
		err := stream.RecvMsg(request)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		message := request.GetProposedMessage()
		if message == nil {
			return invalid("after its options an append has proposed messages only")
		}
		if err := w.add(message); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, writeTimeout, timedOut())
	defer cancel()
	success, err := s.write(ctx, w)
	if wrong, ok := errors.AsType[*wrongVersion](err); ok {
		return stream.SendMsg(&pb.AppendResp{Result: &pb.AppendResp_WrongExpectedVersion_{WrongExpectedVersion: wrong.response()}})
	}
	if err != nil {
		return err
	}
	return stream.SendMsg(&pb.AppendResp{Result: &pb.AppendResp_Success_{Success: success}})
}

// write is what one append is to do.
type write struct {
	stream   string
	expected expectation
	events   []eventlog.Event
	bytes    int
}

// newWrite refuses what the caller may not write, before it is sent.
func (s *Server) newWrite(ctx context.Context, id *pb.StreamIdentifier, expected expectation) (*write, error) {
	stream, err := streamName(id)
	if err == nil {
		err = expected.check()
	}
	if err == nil {
		err = s.mayAppend(ctx, stream, expected)
	}
	if err != nil {
		return nil, err
	}
	return &write{stream: stream, expected: expected}, nil
}

// add takes one event, as long as they are not too many or too large for one append.
func (w *write) add(message *pb.ProposedMessage) error {
	for _, name := range []string{metadataType, metadataContentType} {
		if _, there := message.GetMetadata()[name]; !there {
			return missingMetadata(name)
		}
	}
	id, err := canonicalID(message.GetId())
	if err != nil {
		return err
	}
	if strings.HasPrefix(message.GetMetadata()[metadataType], "$") {
		// An EventStoreDB keeps them to itself, so that the log could never be copied into one.
		return invalid("the event type %s is refused: types that begin with $ are the server's own", message.GetMetadata()[metadataType])
	}
	version, metadata := esdbmeta.Unwrap(message.GetCustomMetadata())
	w.bytes += len(message.GetData()) + len(metadata)
	if w.bytes > eventlog.MaxAppendBytes || len(w.events) == eventlog.MaxAppendEvents {
		return tooLarge()
	}
	w.events = append(w.events, eventlog.Event{
		ID:            id,
		Type:          message.GetMetadata()[metadataType],
		SchemaVersion: version,
		Payload:       message.GetData(),
		Metadata:      metadata,
	})
	return nil
}

// write appends. Its errors are a [*wrongVersion], a [*fault] or the log's own; ctx carries the fault of a time-out.
func (s *Server) write(ctx context.Context, w *write) (*pb.AppendResp_Success, error) {
	appended, err := s.appendTo(ctx, w)
	if conflict, ok := errors.AsType[*eventlog.ConflictError](err); ok {
		return nil, &wrongVersion{expected: w.expected, current: conflict.Actual}
	}
	if err != nil {
		if cause, ok := errors.AsType[*fault](context.Cause(ctx)); ok && errors.Is(err, ctx.Err()) {
			return nil, cause
		}
		return nil, err
	}
	success := &pb.AppendResp_Success{
		CurrentRevisionOption: &pb.AppendResp_Success_NoStream{NoStream: &pb.Empty{}},
		PositionOption:        &pb.AppendResp_Success_NoPosition{NoPosition: &pb.Empty{}},
	}
	if appended.Last >= 0 {
		success.CurrentRevisionOption = &pb.AppendResp_Success_CurrentRevision{CurrentRevision: uint64(appended.Last)}
	}
	if appended.Position != eventlog.Start {
		number, err := wirePosition(appended.Position)
		if err != nil {
			return nil, err
		}
		success.PositionOption = &pb.AppendResp_Success_Position{Position: &pb.Position{CommitPosition: number, PreparePosition: number}}
	}
	return success, nil
}

// checkOwn refuses what does not continue one of our own streams as a node would continue it.
func (s *Server) checkOwn(ctx context.Context, w *write) error {
	if s.CheckOwn == nil || !s.OwnStream(w.stream) {
		return nil
	}
	var before *eventlog.Record
	if w.expected.revision >= 0 {
		for record, err := range s.Log.StreamBackward(ctx, w.stream, w.expected.revision) {
			if err != nil {
				return err
			}
			before = &record
			break
		}
		if before == nil || before.Revision != w.expected.revision {
			return nil // the log will say that the stream is not there yet
		}
	}
	if err := s.CheckOwn(ctx, w.stream, before, w.events); err != nil {
		return invalid("stream %s: %v", w.stream, err)
	}
	return nil
}

func (s *Server) appendTo(ctx context.Context, w *write) (eventlog.Appended, error) {
	if w.expected.exact() && len(w.events) > 0 {
		if err := s.checkOwn(ctx, w); err != nil {
			return eventlog.Appended{}, err
		}
		return s.Log.Append(ctx, w.stream, eventlog.At(w.expected.revision), w.events)
	}
	last := int64(-1)
	if possible(w.stream) {
		var err error
		if last, err = s.last(ctx, w.stream); err != nil {
			return eventlog.Appended{}, err
		}
	}
	switch {
	case w.expected.exact() && last != w.expected.revision, w.expected.kind == streamExists && last < 0:
		return eventlog.Appended{}, &wrongVersion{expected: w.expected, current: last}
	case len(w.events) == 0:
		return eventlog.Appended{Last: last}, nil // the protocol has it that an append of nothing succeeds
	}
	for {
		appended, err := s.Log.Append(ctx, w.stream, eventlog.At(last), w.events)
		conflict, ok := errors.AsType[*eventlog.ConflictError](err)
		if !ok {
			return appended, err
		}
		if conflict.Actual == conflict.Expected {
			return s.repeat(ctx, w, conflict)
		}
		last = conflict.Actual // somebody else was first
	}
}

// repeat answers an append at any revision, some of whose events are in the stream already: with the first result, if
// it is a repeat.
func (s *Server) repeat(ctx context.Context, w *write, conflict error) (eventlog.Appended, error) {
	for record, err := range s.Log.StreamBackward(ctx, w.stream, eventlog.Newest) {
		if err != nil {
			return eventlog.Appended{}, err
		}
		if record.ID == w.events[0].ID {
			return s.Log.Append(ctx, w.stream, eventlog.At(record.Revision-1), w.events)
		}
	}
	return eventlog.Appended{}, conflict
}
