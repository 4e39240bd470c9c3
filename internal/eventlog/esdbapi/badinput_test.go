package esdbapi_test

import (
	"math"
	"strings"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	api "github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi"
)

// readAll asks for everything, changed as a case wants it.
func readAll(change func(*api.ReadReq_Options)) *api.ReadReq {
	request := subscribeAll(nil)
	request.Options.CountOption = &api.ReadReq_Options_Count{Count: math.MaxUint64}
	change(request.Options)
	return request
}

func readStream(name string, change func(*api.ReadReq_Options_StreamOptions)) *api.ReadReq {
	return readAll(func(o *api.ReadReq_Options) {
		stream := &api.ReadReq_Options_StreamOptions{
			StreamIdentifier: &shared.StreamIdentifier{StreamName: []byte(name)},
			RevisionOption:   &api.ReadReq_Options_StreamOptions_Start{Start: &shared.Empty{}},
		}
		change(stream)
		o.StreamOption = &api.ReadReq_Options_Stream{Stream: stream}
	})
}

func unchanged(*api.ReadReq_Options_StreamOptions) {}

func byStream(expression *api.ReadReq_Options_FilterOptions_Expression) *api.ReadReq_Options_FilterOptions {
	return &api.ReadReq_Options_FilterOptions{
		Filter:                       &api.ReadReq_Options_FilterOptions_StreamIdentifier{StreamIdentifier: expression},
		CheckpointIntervalMultiplier: 1,
	}
}

func regex(expression string) *api.ReadReq_Options_FilterOptions_Expression {
	return &api.ReadReq_Options_FilterOptions_Expression{Regex: expression}
}

// end reads to the end, giving how many messages came and what ended them.
func end(t testing.TB, client api.StreamsClient, request *api.ReadReq) (int, error) {
	t.Helper()
	read, err := client.Read(t.Context(), request)
	require.NoError(t, err)
	for n := 0; ; n++ {
		if _, err := read.Recv(); err != nil {
			return n, err
		}
	}
}

// A read that makes no sense is refused before anything is sent, and the server goes on.
func TestBadReads(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	appendTo(t, log, strings.Repeat("a", 60), eventlog.NoStream{}, events(1, "a")...)
	client := wire(t, serve(t, esdbapi.Config{Log: log}))
	window := func(change func(*api.ReadReq_Options_FilterOptions)) *api.ReadReq {
		filter := byStream(regex("^a"))
		change(filter)
		return subscribeAll(filter)
	}
	for name, request := range map[string]*api.ReadReq{
		"nothing":           {},
		"empty options":     {Options: &api.ReadReq_Options{}},
		"no source":         readAll(func(o *api.ReadReq_Options) { o.StreamOption = nil }),
		"no count":          readAll(func(o *api.ReadReq_Options) { o.CountOption = nil }),
		"no form of ids":    readAll(func(o *api.ReadReq_Options) { o.UuidOption = nil }),
		"no form of ids's":  readAll(func(o *api.ReadReq_Options) { o.UuidOption = &api.ReadReq_Options_UUIDOption{} }),
		"a third direction": readAll(func(o *api.ReadReq_Options) { o.ReadDirection = 7 }),
		"no place in all": readAll(func(o *api.ReadReq_Options) {
			o.StreamOption = &api.ReadReq_Options_All{All: &api.ReadReq_Options_AllOptions{}}
		}),
		"prepared after":     at(3, 4),
		"too large":          at(1<<63, 1<<63),
		"no stream":          readStream("", unchanged),
		"no text":            readStream("\xff\xfe", unchanged),
		"no identifier":      readStream("a", func(s *api.ReadReq_Options_StreamOptions) { s.StreamIdentifier = nil }),
		"no place in stream": readStream("a", func(s *api.ReadReq_Options_StreamOptions) { s.RevisionOption = nil }),
		"too large in stream": readStream("a", func(s *api.ReadReq_Options_StreamOptions) {
			s.RevisionOption = &api.ReadReq_Options_StreamOptions_Revision{Revision: 1 << 63}
		}),
		"a filtered stream": func() *api.ReadReq {
			r := readStream("a", unchanged)
			r.Options.FilterOption = &api.ReadReq_Options_Filter{Filter: byStream(regex("a"))}
			return r
		}(),
		"subscribed backwards": func() *api.ReadReq {
			r := subscribeAll(nil)
			r.Options.ReadDirection = api.ReadReq_Options_Backwards
			return r
		}(),
		"stream subscribed backwards": func() *api.ReadReq {
			r := readStream("a", unchanged)
			r.Options.CountOption = subscribeAll(nil).GetOptions().GetCountOption()
			r.Options.ReadDirection = api.ReadReq_Options_Backwards
			return r
		}(),
		"an impossible stream subscribed": func() *api.ReadReq {
			r := readStream("a b", unchanged)
			r.Options.CountOption = subscribeAll(nil).GetOptions().GetCountOption()
			return r
		}(),
		"an empty filter":     subscribeAll(&api.ReadReq_Options_FilterOptions{CheckpointIntervalMultiplier: 1}),
		"an empty expression": subscribeAll(byStream(&api.ReadReq_Options_FilterOptions_Expression{})),
		"no multiplier":       window(func(f *api.ReadReq_Options_FilterOptions) { f.CheckpointIntervalMultiplier = 0 }),
		"no window":           window(func(f *api.ReadReq_Options_FilterOptions) { f.Window = &api.ReadReq_Options_FilterOptions_Max{} }),
		"a bad expression":    subscribeAll(byStream(regex("(a"))),
		"a long expression":   subscribeAll(byStream(regex(strings.Repeat("a", 5000)))),
		"many prefixes":       subscribeAll(byStream(&api.ReadReq_Options_FilterOptions_Expression{Prefix: make([]string, 1001)})),
		"a bad expression, once": readAll(func(o *api.ReadReq_Options) {
			o.FilterOption = &api.ReadReq_Options_Filter{Filter: byStream(regex("[z-a]"))}
		}),
	} {
		n, err := end(t, client, request)
		require.Equal(t, codes.InvalidArgument, status.Code(err), "%s: %v", name, err)
		require.Zero(t, n, name)
	}
	// An expression that would take for ever ends the read that asked for it, neither the server nor silently.
	n, err := end(t, client, subscribeAll(byStream(regex(`^(?=(a+)+$)(a|aa)+b`))))
	require.Equal(t, codes.InvalidArgument, status.Code(err), err)
	require.ErrorContains(t, err, "simpler")
	require.Equal(t, 1, n, "the confirmation")
	n, err = end(t, client, readAll(func(*api.ReadReq_Options) {}))
	require.ErrorContains(t, err, "EOF")
	require.Equal(t, 1, n)
}

func at(commit, prepare uint64) *api.ReadReq {
	return readAll(func(o *api.ReadReq_Options) {
		o.StreamOption = &api.ReadReq_Options_All{All: &api.ReadReq_Options_AllOptions{AllOption: &api.ReadReq_Options_AllOptions_Position{
			Position: &api.ReadReq_Options_Position{CommitPosition: commit, PreparePosition: prepare},
		}}}
	})
}

// Clients that say a thing in another way than the official Go client are understood.
func TestLeniency(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	appendTo(t, log, "a", eventlog.NoStream{}, events(3, "a")...)
	client := wire(t, serve(t, esdbapi.Config{Log: log}))
	huge := byStream(regex("a"))
	huge.Window, huge.CheckpointIntervalMultiplier = &api.ReadReq_Options_FilterOptions_Max{Max: math.MaxUint32}, math.MaxUint32
	structured := readStream("a", unchanged)
	structured.Options.UuidOption = &api.ReadReq_Options_UUIDOption{Content: &api.ReadReq_Options_UUIDOption_Structured{Structured: &shared.Empty{}}}
	for name, c := range map[string]struct {
		request *api.ReadReq
		want    int
	}{
		"no filter option":     {readAll(func(*api.ReadReq_Options) {}), 3},
		"links to resolve":     {readAll(func(o *api.ReadReq_Options) { o.ResolveLinks = true }), 3},
		"the end, by a number": {at(math.MaxUint64, math.MaxUint64), 0},
		"a huge window, once":  {readAll(func(o *api.ReadReq_Options) { o.FilterOption = &api.ReadReq_Options_Filter{Filter: huge} }), 3},
		"an impossible prefix": {readAll(func(o *api.ReadReq_Options) {
			o.FilterOption = &api.ReadReq_Options_Filter{Filter: byStream(&api.ReadReq_Options_FilterOptions_Expression{Prefix: []string{"b\x00", "a"}})}
		}), 3},
		"compatibility":   {readAll(func(o *api.ReadReq_Options) { o.ControlOption = &api.ReadReq_Options_ControlOption{Compatibility: 21} }), 3},
		"structured ids":  {structured, 3},
		"missing streams": {readStream("missing", unchanged), 1},
	} {
		n, err := end(t, client, c.request)
		require.ErrorContains(t, err, "EOF", name)
		require.Equal(t, c.want, n, name)
	}
}

// Newer clients are told where a stream ends; older ones would not understand.
func TestCompatibility(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	appendTo(t, log, "a", eventlog.NoStream{}, events(3, "a")...)
	client := wire(t, serve(t, esdbapi.Config{Log: log}))
	for stream, want := range map[string][]string{"a": {"event", "last 2"}, "missing": {"not found missing"}} {
		request := readStream(stream, unchanged)
		request.Options.CountOption = &api.ReadReq_Options_Count{Count: 1}
		request.Options.ControlOption = &api.ReadReq_Options_ControlOption{Compatibility: 1}
		read, err := client.Read(t.Context(), request)
		require.NoError(t, err)
		got := []string{}
		for {
			message, err := read.Recv()
			if err != nil {
				break
			}
			switch content := message.GetContent().(type) {
			case *api.ReadResp_Event:
				got = append(got, "event")
			case *api.ReadResp_LastStreamPosition:
				require.Equal(t, uint64(2), content.LastStreamPosition)
				got = append(got, "last 2")
			case *api.ReadResp_StreamNotFound_:
				got = append(got, "not found "+string(content.StreamNotFound.GetStreamIdentifier().GetStreamName()))
			}
		}
		require.Equal(t, want, got)
	}
}

// Bytes that are no message, or too many, are answered with an error.
func TestNoMessages(t *testing.T) {
	t.Parallel()
	l := serve(t, esdbapi.Config{Log: newLog(t), AllowAppend: true})
	conn := dial(t, l)
	notUTF8, err := proto.Marshal(appendMessage(message(someID, nil)))
	require.NoError(t, err)
	notUTF8 = []byte(strings.Replace(string(notUTF8), "Tested", "Test\xff\xfe", 1))
	for name, bytes := range map[string][]byte{
		"garbage":         {0xff, 0xff, 0xff},
		"cut":             {0x0a, 0x7f, 0x01},
		"too large":       make([]byte, 18<<20),
		"text that is no": notUTF8,
	} {
		stream, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true}, "/event_store.client.streams.Streams/Append", grpc.ForceCodec(raw{}))
		require.NoError(t, err)
		require.NoError(t, stream.SendMsg(bytes), name)
		require.NoError(t, stream.CloseSend())
		require.NotEqual(t, codes.OK, status.Code(stream.RecvMsg(new([]byte))), name)
	}
	_, err = wire(t, l).Delete(t.Context(), &api.DeleteReq{})
	require.Equal(t, codes.PermissionDenied, status.Code(err), "it goes on")
	require.Equal(t, codes.Unimplemented, status.Code(conn.Invoke(t.Context(), "/event_store.client.streams.Streams/Nothing", &shared.Empty{}, &shared.Empty{})))
	require.Equal(t, codes.Unimplemented, status.Code(conn.Invoke(t.Context(), "/event_store.client.users.Users/Create", &shared.Empty{}, &shared.Empty{})))
}

// raw sends and receives bytes as they are.
type raw struct{}

func (raw) Name() string                       { return "proto" }
func (raw) Marshal(v any) ([]byte, error)      { return v.([]byte), nil }
func (raw) Unmarshal(data []byte, v any) error { *v.(*[]byte) = data; return nil }
