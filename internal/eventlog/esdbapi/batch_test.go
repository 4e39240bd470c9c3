package esdbapi_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	api "github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi"
)

// batchCall is a call of BatchAppend.
type batchCall struct {
	testing.TB
	api.Streams_BatchAppendClient
}

func openBatch(t testing.TB, l *listener) batchCall {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	call, err := wire(t, l).BatchAppend(ctx)
	require.NoError(t, err)
	return batchCall{t, call}
}

func correlation(name string) *shared.UUID {
	return &shared.UUID{Value: &shared.UUID_String_{String_: uuid.NewSHA1(uuid.Nil, []byte(name)).String()}}
}

func batchOptions(stream string) *api.BatchAppendReq_Options {
	return &api.BatchAppendReq_Options{
		StreamIdentifier:       &shared.StreamIdentifier{StreamName: []byte(stream)},
		ExpectedStreamPosition: &api.BatchAppendReq_Options_Any{Any: &emptypb.Empty{}},
	}
}

func batchMessages(events []eventlog.Event) []*api.BatchAppendReq_ProposedMessage {
	var messages []*api.BatchAppendReq_ProposedMessage
	for _, event := range events {
		messages = append(messages, &api.BatchAppendReq_ProposedMessage{
			Id:       &shared.UUID{Value: &shared.UUID_String_{String_: event.ID}},
			Metadata: map[string]string{"type": event.Type, "content-type": "application/json"},
			Data:     event.Payload,
		})
	}
	return messages
}

func (c batchCall) send(name string, options *api.BatchAppendReq_Options, events []eventlog.Event, final bool) {
	c.Helper()
	require.NoError(c, c.Send(&api.BatchAppendReq{CorrelationId: correlation(name), Options: options, ProposedMessages: batchMessages(events), IsFinal: final}))
}

func (c batchCall) receive() *api.BatchAppendResp {
	c.Helper()
	response, err := c.Recv()
	require.NoError(c, err)
	return response
}

// One call carries many writes, each whole at its last message and answered by its correlation id; writes of one
// stream are done in the order in which they came.
func TestBatch(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	call := openBatch(t, serve(t, esdbapi.Config{Log: log, AllowAppend: true}))
	var want []string
	for i := range 100 {
		first, second := events(2, "first %d", i), events(1, "second %d", i)
		call.send(fmt.Sprint("a ", i), batchOptions("a"), first, false)
		call.send(fmt.Sprint("b ", i), batchOptions(fmt.Sprint("b-", i)), events(1, "b %d", i), true)
		call.send(fmt.Sprint("a ", i), nil, second, true)
		want = append(append(want, idsOf(first)...), idsOf(second)...)
	}
	require.NoError(t, call.CloseSend())
	got := map[string]uint64{}
	for {
		response, err := call.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		require.NotNil(t, response.GetSuccess(), "%v", response)
		require.NotNil(t, response.GetAny())
		require.Positive(t, response.GetSuccess().GetPosition().GetCommitPosition())
		if string(response.GetStreamIdentifier().GetStreamName()) == "a" {
			got[response.GetCorrelationId().GetString_()] = response.GetSuccess().GetCurrentRevision()
		}
	}
	for i := range 100 {
		require.Equal(t, uint64(3*i+2), got[correlation(fmt.Sprint("a ", i)).GetString_()])
	}
	require.Equal(t, want, revisions(t, log, "a"))
	require.Len(t, revisions(t, log, "b-99"), 1)
}

// A write that is refused is answered, with the details by which clients know why, and the call goes on.
func TestBatchRefusals(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	appendTo(t, log, "there", eventlog.NoStream{}, events(4, "there")...)
	call := openBatch(t, serve(t, esdbapi.Config{Log: log, OwnStream: ours, AllowAppend: true}))
	noStream := batchOptions("there")
	noStream.ExpectedStreamPosition = &api.BatchAppendReq_Options_NoStream{NoStream: &emptypb.Empty{}}
	late := batchOptions("late")
	late.DeadlineOption = &api.BatchAppendReq_Options_Deadline{Deadline: durationpb.New(-time.Second)}
	past := batchOptions("late")
	past.DeadlineOption = &api.BatchAppendReq_Options_Deadline_21_10_0{Deadline_21_10_0: timestamppb.New(time.Now().Add(-time.Hour))}
	large := events(3, "large")
	for i := range large {
		large[i].Payload = make([]byte, eventlog.MaxAppendBytes/2)
	}
	untyped := events(1, "untyped")
	untyped[0].Type = ""
	for name, c := range map[string]struct {
		options *api.BatchAppendReq_Options
		events  []eventlog.Event
		code    codes.Code
		detail  string
	}{
		"wrong version": {noStream, events(1, "new"), codes.AlreadyExists, "WrongExpectedVersion"},
		"ours":          {batchOptions("run-1"), events(1, "new"), codes.PermissionDenied, "AccessDenied"},
		"system":        {batchOptions("$$there"), events(1, "new"), codes.PermissionDenied, "AccessDenied"},
		"too large":     {batchOptions("large"), large, codes.InvalidArgument, "MaximumAppendSizeExceeded"},
		"late":          {late, events(1, "new"), codes.DeadlineExceeded, "Timeout"},
		"past":          {past, events(1, "new"), codes.DeadlineExceeded, "Timeout"},
		"no options":    {nil, events(1, "new"), codes.InvalidArgument, "BadRequest"},
		"no type":       {batchOptions("new"), untyped, codes.InvalidArgument, "BadRequest"},
		"no text":       {batchOptions("\xff"), events(1, "new"), codes.InvalidArgument, "BadRequest"},
	} {
		// Messages after the refusal belong to the same write, and are dropped with it.
		call.send(name, c.options, c.events, false)
		call.send(name, nil, events(1, "more"), true)
		response := call.receive()
		require.Equal(t, correlation(name).GetString_(), response.GetCorrelationId().GetString_(), name)
		require.Equal(t, c.options.GetStreamIdentifier().GetStreamName(), response.GetStreamIdentifier().GetStreamName())
		require.Equal(t, int32(c.code), response.GetError().GetCode(), "%s: %v", name, response)
		require.Len(t, response.GetError().GetDetails(), 1)
		require.Equal(t, "type.googleapis.com/event_store.client."+c.detail, response.GetError().GetDetails()[0].GetTypeUrl(), name)
	}
	// Refused writes take no memory.
	for i := range 20 {
		call.send(fmt.Sprint("large ", i), batchOptions("large"), large, true)
		require.NotNil(t, call.receive().GetError())
	}
	call.send("fine", batchOptions("fine"), events(1, "fine"), true)
	require.NotNil(t, call.receive().GetSuccess())
	require.Len(t, revisions(t, log, "there"), 4)
	require.Empty(t, revisions(t, log, "late"))
}

// A wrong expected version has the bytes that a server was seen to send.
func TestBatchWrongVersionBytes(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	appendTo(t, log, "a", eventlog.NoStream{}, events(4, "a")...)
	call := openBatch(t, serve(t, esdbapi.Config{Log: log, AllowAppend: true}))
	options := batchOptions("a")
	options.ExpectedStreamPosition = &api.BatchAppendReq_Options_NoStream{NoStream: &emptypb.Empty{}}
	call.send("one", options, events(1, "new"), true)
	answer, err := proto.Marshal(&api.BatchAppendResp{Result: &api.BatchAppendResp_Error{Error: call.receive().GetError()}})
	require.NoError(t, err)
	seen := "12 5d 08 06 12 14" + hex.EncodeToString([]byte("WrongExpectedVersion")) +
		"1a 43 0a 3b" + hex.EncodeToString([]byte("type.googleapis.com/event_store.client.WrongExpectedVersion")) + "12 04 08 03 32 00"
	require.Equal(t, strings.ReplaceAll(seen, " ", ""), hex.EncodeToString(answer))
}

// Either form of a correlation id is echoed as it came, and a span of years is a deadline like any other.
func TestBatchEchoes(t *testing.T) {
	t.Parallel()
	call := openBatch(t, serve(t, esdbapi.Config{Log: newLog(t), AllowAppend: true}))
	for i, id := range []*shared.UUID{
		{Value: &shared.UUID_Structured_{Structured: &shared.UUID_Structured{MostSignificantBits: -7, LeastSignificantBits: 7}}},
		{Value: &shared.UUID_String_{String_: strings.ToUpper(someID)}},
	} {
		options := batchOptions(fmt.Sprint("a", i))
		options.DeadlineOption = &api.BatchAppendReq_Options_Deadline{Deadline: &durationpb.Duration{Seconds: 1 << 62}}
		require.NoError(t, call.Send(&api.BatchAppendReq{CorrelationId: id, Options: options, ProposedMessages: batchMessages(events(1, "%d", i)), IsFinal: true}))
		response := call.receive()
		require.True(t, proto.Equal(id, response.GetCorrelationId()))
		require.NotNil(t, response.GetSuccess(), "%v", response)
	}
}

// A write takes no longer than its deadline; that its outcome is unknown is said.
func TestBatchDeadline(t *testing.T) {
	t.Parallel()
	log := &heldLog{Log: newLog(t), held: make(chan struct{}), release: make(chan struct{})}
	call := openBatch(t, serve(t, esdbapi.Config{Log: log, AllowAppend: true}))
	options := batchOptions("a")
	options.ExpectedStreamPosition = &api.BatchAppendReq_Options_NoStream{NoStream: &emptypb.Empty{}}
	options.DeadlineOption = &api.BatchAppendReq_Options_Deadline{Deadline: durationpb.New(time.Millisecond)}
	call.send("slow", options, events(1, "slow"), true)
	<-log.held
	failure := call.receive().GetError()
	require.Equal(t, "type.googleapis.com/event_store.client.Timeout", failure.GetDetails()[0].GetTypeUrl())
	require.Contains(t, failure.GetMessage(), "same ids")
}

// A client that begins writes and never ends them is stopped before it has used up the memory.
func TestBatchBounds(t *testing.T) {
	t.Parallel()
	l := serve(t, esdbapi.Config{Log: newLog(t), AllowAppend: true})
	big := events(1, "big")
	big[0].Payload = make([]byte, eventlog.MaxAppendBytes)
	for name, c := range map[string]struct {
		events []eventlog.Event
		writes int
		want   string
	}{
		"many":  {nil, 2000, "1024 writes"},
		"large": {big, 100, "16777216 bytes"},
	} {
		call := openBatch(t, l)
		for i := range c.writes {
			request := &api.BatchAppendReq{CorrelationId: correlation(fmt.Sprint(i)), Options: batchOptions("a"), ProposedMessages: batchMessages(c.events)}
			if call.Send(request) != nil {
				break
			}
		}
		_, err := call.Recv()
		require.Equal(t, codes.InvalidArgument, status.Code(err), name)
		require.ErrorContains(t, err, c.want)
	}
	call := openBatch(t, l)
	require.NoError(t, call.Send(&api.BatchAppendReq{Options: batchOptions("a")}))
	_, err := call.Recv()
	require.ErrorContains(t, err, "correlation id")
}
