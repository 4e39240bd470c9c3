package esdbapi_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	api "github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi"
)

func expecting(revision esdb.ExpectedRevision) esdb.AppendToStreamOptions {
	return esdb.AppendToStreamOptions{ExpectedRevision: revision}
}

func revisions(t testing.TB, log eventlog.Log, stream string) []string {
	t.Helper()
	ids := []string{}
	for record, err := range log.Stream(t.Context(), stream, 0) {
		require.NoError(t, err)
		ids = append(ids, record.ID)
	}
	return ids
}

func idsOf(events []eventlog.Event) []string {
	ids := []string{}
	for _, event := range events {
		ids = append(ids, event.ID)
	}
	return ids
}

// An append needs the stream to be as expected, in each of the four ways to expect.
func TestClientExpects(t *testing.T) {
	t.Parallel()
	log, client := open(t)
	appendTo(t, log, "there", eventlog.NoStream{}, events(3, "there")...)
	for i, c := range []struct {
		stream   string
		expected esdb.ExpectedRevision
		wrong    bool
	}{
		{"there", esdb.NoStream{}, true},
		{"there", esdb.Revision(0), true},
		{"there", esdb.Revision(7), true},
		{"there", esdb.Revision(2), false},
		{"there", esdb.Any{}, false},
		{"there", esdb.StreamExists{}, false},
		{"missing", esdb.Revision(0), true},
		{"missing", esdb.StreamExists{}, true},
		{"new", esdb.NoStream{}, false},
		{"any", esdb.Any{}, false},
	} {
		before := revisions(t, log, c.stream)
		batch := events(2, "case %d", i)
		result, err := client.AppendToStream(t.Context(), c.stream, expecting(c.expected), proposed(batch)...)
		if c.wrong {
			require.Equal(t, esdb.ErrorCodeWrongExpectedVersion, code(t, err), i)
			require.Equal(t, before, revisions(t, log, c.stream))
			continue
		}
		require.NoError(t, err, i)
		require.Equal(t, uint64(len(before)+1), result.NextExpectedVersion)
		require.Equal(t, append(before, idsOf(batch)...), revisions(t, log, c.stream))
	}
}

// A repeated append gives the first result, whatever came after it and in whichever way it expects.
func TestClientRepeats(t *testing.T) {
	t.Parallel()
	log, client := open(t)
	for name, c := range map[string]struct{ first, second esdb.ExpectedRevision }{
		"a new stream":    {esdb.NoStream{}, esdb.Revision(1)},
		"any":             {esdb.Any{}, esdb.Any{}},
		"a stream exists": {esdb.Any{}, esdb.StreamExists{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, second, third := events(2, "%s 1", name), events(3, "%s 2", name), events(1, "%s 3", name)
			stream := fmt.Sprintf("repeat-%d", len(name))
			_, err := client.AppendToStream(t.Context(), stream, expecting(c.first), proposed(first)...)
			require.NoError(t, err)
			want, err := client.AppendToStream(t.Context(), stream, expecting(c.second), proposed(second)...)
			require.NoError(t, err)
			_, err = client.AppendToStream(t.Context(), stream, expecting(esdb.Any{}), proposed(third)...)
			require.NoError(t, err)
			got, err := client.AppendToStream(t.Context(), stream, expecting(c.second), proposed(second)...)
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Equal(t, idsOf(slices.Concat(first, second, third)), revisions(t, log, stream))

			// Half a repeat is none.
			_, err = client.AppendToStream(t.Context(), stream, expecting(c.second), proposed(append(events(1, "%s new", name), second[0]))...)
			require.Equal(t, esdb.ErrorCodeWrongExpectedVersion, code(t, err))
			// The same id with other content is a fault, not a repeat.
			second[1].Payload = []byte("other")
			_, err = client.AppendToStream(t.Context(), stream, expecting(c.second), proposed(second)...)
			require.ErrorContains(t, err, "other content")
			require.Len(t, revisions(t, log, stream), 6)
		})
	}
}

// Appends at any revision are all done, each at its own, however many come at once.
func TestClientsAppendAtOnce(t *testing.T) {
	t.Parallel()
	log, client := open(t)
	var writers sync.WaitGroup
	for i := range 32 {
		writers.Go(func() {
			if _, err := client.AppendToStream(context.Background(), "a", expecting(esdb.Any{}), proposed(events(2, "%d", i))...); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	require.Len(t, revisions(t, log, "a"), 64)
}

// An append of nothing checks what it expects.
func TestAppendOfNothing(t *testing.T) {
	t.Parallel()
	log, client := open(t)
	appendTo(t, log, "a", eventlog.NoStream{}, events(3, "a")...)
	result, err := client.AppendToStream(t.Context(), "a", expecting(esdb.Revision(2)))
	require.NoError(t, err)
	require.Equal(t, uint64(2), result.NextExpectedVersion)
	_, err = client.AppendToStream(t.Context(), "a", expecting(esdb.Revision(1)))
	require.Equal(t, esdb.ErrorCodeWrongExpectedVersion, code(t, err))
	_, err = client.AppendToStream(t.Context(), "b", expecting(esdb.NoStream{}))
	require.NoError(t, err)
}

// appendRaw sends one append, message by message, and gives the answer with its trailers.
func appendRaw(t testing.TB, client api.StreamsClient, messages ...*api.AppendReq) (*api.AppendResp, metadata.MD, error) {
	t.Helper()
	stream, err := client.Append(t.Context())
	require.NoError(t, err)
	for _, message := range messages {
		if stream.Send(message) != nil {
			break // it has been answered
		}
	}
	response, err := stream.CloseAndRecv()
	return response, stream.Trailer(), err
}

func appendOptions(stream string) *api.AppendReq {
	return &api.AppendReq{Content: &api.AppendReq_Options_{Options: &api.AppendReq_Options{
		StreamIdentifier:       &shared.StreamIdentifier{StreamName: []byte(stream)},
		ExpectedStreamRevision: &api.AppendReq_Options_NoStream{NoStream: &shared.Empty{}},
	}}}
}

func message(id string, data []byte) *api.AppendReq_ProposedMessage {
	return &api.AppendReq_ProposedMessage{
		Id:       &shared.UUID{Value: &shared.UUID_String_{String_: id}},
		Metadata: map[string]string{"type": "Tested", "content-type": "application/json"},
		Data:     data,
	}
}

func appendMessage(message *api.AppendReq_ProposedMessage) *api.AppendReq {
	return &api.AppendReq{Content: &api.AppendReq_ProposedMessage_{ProposedMessage: message}}
}

const someID = "00112233-4455-6677-8899-aabbccddeeff"

// Wrong expected versions are told twice, for clients of today and of old.
func TestWrongVersionOnTheWire(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	appendTo(t, log, "a", eventlog.NoStream{}, events(4, "a")...)
	client := wire(t, serve(t, esdbapi.Config{Log: log, AllowAppend: true}))
	response, _, err := appendRaw(t, client, appendOptions("a"), appendMessage(message(someID, nil)))
	require.NoError(t, err)
	wrong := response.GetWrongExpectedVersion()
	require.Equal(t, uint64(3), wrong.GetCurrentRevision())
	require.NotNil(t, wrong.GetExpectedNoStream())
	require.Equal(t, uint64(3), wrong.GetCurrentRevision_20_6_0())
	require.Equal(t, ^uint64(0), wrong.GetExpectedRevision_20_6_0())
}

// An append that is too large, or not whole, is refused with the protocol's own error, and stores nothing.
func TestAppendRefusals(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	client := wire(t, serve(t, esdbapi.Config{Log: log, AllowAppend: true}))
	id := func(i int) string { return fmt.Sprintf("00000000-0000-0000-0000-%012x", i) }
	large := []*api.AppendReq{appendOptions("a")}
	for i := range 5 {
		large = append(large, appendMessage(message(id(i), make([]byte, eventlog.MaxAppendBytes/5+1))))
	}
	many := []*api.AppendReq{appendOptions("a")}
	for i := range eventlog.MaxAppendEvents + 1 {
		many = append(many, appendMessage(message(id(i), nil)))
	}
	without := func(property string) *api.AppendReq_ProposedMessage {
		message := message(someID, nil)
		delete(message.Metadata, property)
		return message
	}
	noID := message(someID, nil)
	noID.Id = nil
	for name, c := range map[string]struct {
		messages []*api.AppendReq
		want     metadata.MD
	}{
		"too large":                {large, metadata.Pairs("exception", "maximum-append-size-exceeded", "maximum-append-size", "1048576")},
		"too many":                 {many, metadata.Pairs("exception", "maximum-append-size-exceeded", "maximum-append-size", "1048576")},
		"no type":                  {[]*api.AppendReq{appendOptions("a"), appendMessage(without("type"))}, metadata.Pairs("exception", "missing-required-metadata-property", "required-metadata-properties", "type,content-type")},
		"no content type":          {[]*api.AppendReq{appendOptions("a"), appendMessage(without("content-type"))}, metadata.Pairs("exception", "missing-required-metadata-property", "required-metadata-properties", "type,content-type")},
		"no id":                    {[]*api.AppendReq{appendOptions("a"), appendMessage(noID)}, nil},
		"a bad id":                 {[]*api.AppendReq{appendOptions("a"), appendMessage(message("7", nil))}, nil},
		"an id twice":              {[]*api.AppendReq{appendOptions("a"), appendMessage(message(someID, nil)), appendMessage(message(someID, nil))}, nil},
		"nothing at all":           {nil, nil},
		"events first":             {[]*api.AppendReq{appendMessage(message(someID, nil))}, nil},
		"an empty message":         {[]*api.AppendReq{appendOptions("a"), {}}, nil},
		"options again":            {[]*api.AppendReq{appendOptions("a"), appendOptions("a")}, nil},
		"no stream":                {[]*api.AppendReq{appendOptions(""), appendMessage(message(someID, nil))}, nil},
		"a stream with a space":    {[]*api.AppendReq{appendOptions("a b"), appendMessage(message(someID, nil))}, nil},
		"a stream that is no text": {[]*api.AppendReq{appendOptions("a\xff"), appendMessage(message(someID, nil))}, nil},
		"nothing expected": {[]*api.AppendReq{{Content: &api.AppendReq_Options_{Options: &api.AppendReq_Options{
			StreamIdentifier: &shared.StreamIdentifier{StreamName: []byte("a")},
		}}}, appendMessage(message(someID, nil))}, nil},
		"a huge revision": {[]*api.AppendReq{{Content: &api.AppendReq_Options_{Options: &api.AppendReq_Options{
			StreamIdentifier:       &shared.StreamIdentifier{StreamName: []byte("a")},
			ExpectedStreamRevision: &api.AppendReq_Options_Revision{Revision: 1 << 63},
		}}}, appendMessage(message(someID, nil))}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, trailer, err := appendRaw(t, client, c.messages...)
			require.Equal(t, codes.InvalidArgument, status.Code(err), "%v", err)
			delete(trailer, "content-type")
			require.Equal(t, c.want.Len(), trailer.Len(), "%v", trailer)
			for name, values := range c.want {
				require.Equal(t, values, trailer.Get(name))
			}
			head, err := log.Head(t.Context())
			require.NoError(t, err)
			require.Equal(t, eventlog.Start, head)
		})
	}
}

// The portable limit itself is taken.
func TestAppendOfTheLimit(t *testing.T) {
	t.Parallel()
	log, client := open(t)
	event := events(1, "large")
	event[0].Metadata, event[0].Payload = nil, make([]byte, eventlog.MaxAppendBytes)
	_, err := client.AppendToStream(t.Context(), "a", expecting(esdb.NoStream{}), proposed(event)...)
	require.NoError(t, err)
	require.Len(t, revisions(t, log, "a"), 1)
}

// A schema version goes over the protocol and back in the custom metadata.
func TestSchemaVersion(t *testing.T) {
	t.Parallel()
	log, client := open(t)
	for i, metadata := range []string{`{"schema_version":7,"actor":"x"}`, `not JSON`, ``} {
		event := events(1, "versioned")
		event[0].SchemaVersion, event[0].Metadata = 7, []byte(metadata)
		appendTo(t, log, fmt.Sprint("from-", i), eventlog.NoStream{}, event...)
		read, err := client.ReadStream(t.Context(), fmt.Sprint("from-", i), esdb.ReadStreamOptions{}, 9)
		got := collect(t, read, err)
		require.Len(t, got, 1)
		_, err = client.AppendToStream(t.Context(), fmt.Sprint("to-", i), expecting(esdb.NoStream{}), esdb.EventData{
			EventID: got[0].EventID, EventType: got[0].EventType, ContentType: esdb.ContentTypeJson, Data: got[0].Data, Metadata: got[0].UserMetadata,
		})
		require.NoError(t, err)
		for record, err := range log.Stream(t.Context(), fmt.Sprint("to-", i), 0) {
			require.NoError(t, err)
			require.Equal(t, 7, record.SchemaVersion)
			require.Equal(t, metadata, string(record.Metadata))
		}
	}
}
