package esdbapi

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi/pb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// scripted is the server's end of a call whose requests are given as bytes, each with its length before it. The call
// ends when a subscription has nothing more to send.
type scripted struct {
	grpc.ServerStream
	ctx    context.Context
	end    context.CancelFunc
	script []byte
}

func (s *scripted) Context() context.Context { return s.ctx }

func (s *scripted) RecvMsg(message any) error {
	bytes, n := protowire.ConsumeBytes(s.script)
	if n < 0 {
		return io.EOF
	}
	s.script = s.script[n:]
	if err := proto.Unmarshal(bytes, message.(proto.Message)); err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	return nil
}

func (s *scripted) SendMsg(message any) error {
	if _, err := proto.Marshal(message.(proto.Message)); err != nil {
		return err // a client could not have got it
	}
	if response, ok := message.(*pb.ReadResp); ok && response.GetCaughtUp() != nil {
		s.end()
	}
	return nil
}

// FuzzCalls sends any messages to the calls that read their requests. Each call ends with an answer or a fault of the
// client, never by a panic or as an error of the server's own.
func FuzzCalls(f *testing.F) {
	log, err := sqlitelog.Open(context.Background(), filepath.Join(f.TempDir(), "events.db"), sqlitelog.Options{})
	require.NoError(f, err)
	f.Cleanup(func() { _ = log.Close() })
	_, err = log.Append(context.Background(), "run-1", eventlog.NoStream{}, []eventlog.Event{
		{ID: "00000000-0000-0000-0000-000000000001", Type: "Tested", SchemaVersion: 1, Payload: []byte("{}")},
		{ID: "00000000-0000-0000-0000-000000000002", Type: "Tested", SchemaVersion: 2, Payload: []byte{255}},
	})
	require.NoError(f, err)
	server, err := New(Config{Log: log, AllowAppend: true, OwnStream: func(stream string) bool { return stream == "run-1" }})
	require.NoError(f, err)
	for _, seed := range seeds(f) {
		f.Add(seed.method, seed.script)
	}
	methods := []func(context.Context, grpc.ServerStream) error{server.read, server.append, server.batchAppend}
	f.Fuzz(func(t *testing.T, method uint8, script []byte) {
		ctx, end := context.WithTimeout(context.Background(), 10*time.Second)
		defer end()
		call := &scripted{ctx: ctx, end: end, script: script}
		err := methods[int(method)%len(methods)](ctx, call)
		if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) {
			return
		}
		code := status.Code(err)
		if fault := server.faultOf(err); fault != nil {
			code = fault.code
		}
		switch code {
		case codes.InvalidArgument, codes.PermissionDenied:
		case codes.Internal:
			if fault := server.faultOf(err); fault != nil {
				t.Fatalf("the server's own error: %v", err)
			}
		default:
			t.Fatalf("%v: %v", code, err)
		}
	})
}

type seed struct {
	method uint8
	script []byte
}

func seeds(t testing.TB) []seed {
	t.Helper()
	script := func(messages ...proto.Message) (script []byte) {
		for _, message := range messages {
			bytes, err := proto.Marshal(message)
			require.NoError(t, err)
			script = protowire.AppendBytes(script, bytes)
		}
		return script
	}
	stream := &pb.StreamIdentifier{StreamName: []byte("run-1")}
	ids := &pb.ReadReq_UUIDOption{Content: &pb.ReadReq_UUIDOption_Structured{Structured: &pb.Empty{}}}
	foreign := &pb.StreamIdentifier{StreamName: []byte("foreign")}
	proposed := &pb.ProposedMessage{
		Id:             &pb.UUID{Value: &pb.UUID_String_{String_: "00000000-0000-0000-0000-000000000003"}},
		Metadata:       map[string]string{metadataType: "Tested", metadataContentType: jsonContent},
		CustomMetadata: []byte(`{"schema_version":3}`),
		Data:           []byte("{}"),
	}
	filter := &pb.ReadReq_FilterOptions{
		Filter:                       &pb.ReadReq_FilterOptions_EventType{EventType: &pb.ReadReq_FilterOptions_Expression{Regex: `^(?!\$)\w+`}},
		Window:                       &pb.ReadReq_FilterOptions_Max{Max: 1},
		CheckpointIntervalMultiplier: 1,
	}
	return []seed{
		{0, script(&pb.ReadReq{Options: &pb.ReadReq_Options{
			StreamOption: &pb.ReadReq_Options_Stream{Stream: &pb.ReadReq_StreamOptions{StreamIdentifier: stream, RevisionOption: &pb.ReadReq_StreamOptions_Revision{Revision: 1}}},
			CountOption:  &pb.ReadReq_Options_Count{Count: 5}, UuidOption: ids, ReadDirection: pb.ReadReq_Backwards, ControlOption: &pb.ReadReq_ControlOption{Compatibility: 1},
		}})},
		{0, script(&pb.ReadReq{Options: &pb.ReadReq_Options{
			StreamOption: &pb.ReadReq_Options_Stream{Stream: &pb.ReadReq_StreamOptions{StreamIdentifier: foreign, RevisionOption: &pb.ReadReq_StreamOptions_Start{}}},
			CountOption:  &pb.ReadReq_Options_Subscription{Subscription: &pb.ReadReq_SubscriptionOptions{}}, UuidOption: ids,
		}})},
		{0, script(&pb.ReadReq{Options: &pb.ReadReq_Options{
			StreamOption: &pb.ReadReq_Options_All{All: &pb.ReadReq_AllOptions{AllOption: &pb.ReadReq_AllOptions_Position{Position: &pb.Position{CommitPosition: 1, PreparePosition: 1}}}},
			CountOption:  &pb.ReadReq_Options_Subscription{Subscription: &pb.ReadReq_SubscriptionOptions{}}, UuidOption: ids,
			FilterOption: &pb.ReadReq_Options_Filter{Filter: filter},
		}})},
		{1, script(
			&pb.AppendReq{Content: &pb.AppendReq_Options_{Options: &pb.AppendReq_Options{StreamIdentifier: foreign, ExpectedStreamRevision: &pb.AppendReq_Options_Any{}}}},
			&pb.AppendReq{Content: &pb.AppendReq_ProposedMessage{ProposedMessage: proposed}},
		)},
		{2, script(
			&pb.BatchAppendReq{CorrelationId: proposed.GetId(), Options: &pb.BatchAppendReq_Options{StreamIdentifier: foreign, ExpectedStreamPosition: &pb.BatchAppendReq_Options_StreamExists{}}},
			&pb.BatchAppendReq{CorrelationId: proposed.GetId(), ProposedMessages: []*pb.ProposedMessage{proposed}, IsFinal: true},
		)},
	}
}
