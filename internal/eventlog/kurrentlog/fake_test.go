package kurrentlog_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/gossip"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/serverfeatures"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// fake is a node in front of a [database]. It can be told to behave as badly as servers may.
type fake struct {
	streams.UnimplementedStreamsServer
	serverfeatures.UnimplementedServerFeaturesServer

	db      *database
	address string
	version string
	// leader is who leads, nil for this node. Followers refuse.
	leader atomic.Pointer[fake]
	// appends, if there, stands before the appends; do does one.
	appends func(stream string, do func() *streams.AppendResp) (*streams.AppendResp, error)
	// sends, if there, says what is sent in place of a message.
	sends func(*streams.ReadResp) []*streams.ReadResp
	stop  func()
}

// fakeCalls is how many calls a connection may have at a time: the limit of real servers.
const fakeCalls = 100

func startFake(t testing.TB, db *database, change ...func(*fake)) *fake {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	f := &fake{db: db, address: listener.Addr().String(), version: "24.10.4.2251"}
	for _, c := range change {
		c(f)
	}
	server := grpc.NewServer(grpc.MaxConcurrentStreams(fakeCalls), grpc.MaxRecvMsgSize(17<<20), grpc.WaitForHandlers(true),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}))
	streams.RegisterStreamsServer(server, f)
	serverfeatures.RegisterServerFeaturesServer(server, f)
	gossip.RegisterGossipServer(server, gossiping{fake: f})
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	f.stop = sync.OnceFunc(func() {
		server.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(f.stop)
	return f
}

func (f *fake) connection(settings string) string {
	return fmt.Sprintf("kurrentdb://%s?tls=false%s", f.address, settings)
}

func (f *fake) GetSupportedMethods(context.Context, *shared.Empty) (*serverfeatures.SupportedMethods, error) {
	return &serverfeatures.SupportedMethods{EventStoreServerVersion: f.version}, nil
}

// gossiping tells who leads. It is a type of its own because both services have a Read.
type gossiping struct {
	gossip.UnimplementedGossipServer
	*fake
}

func (g gossiping) Read(context.Context, *shared.Empty) (*gossip.ClusterInfo, error) {
	info := &gossip.ClusterInfo{}
	add := func(f *fake, state gossip.MemberInfo_VNodeState, alive bool) {
		host, port, _ := net.SplitHostPort(f.address)
		number, _ := strconv.ParseUint(port, 10, 16)
		info.Members = append(info.Members, &gossip.MemberInfo{
			State: state, IsAlive: alive, HttpEndPoint: &gossip.EndPoint{Address: host, Port: uint32(number)},
		})
	}
	leader := g.leader.Load()
	if leader == nil {
		leader = g.fake
	} else {
		add(g.fake, gossip.MemberInfo_Follower, true)
	}
	add(&fake{address: "127.0.0.1:1"}, gossip.MemberInfo_Leader, false) // one that has died
	add(leader, gossip.MemberInfo_Leader, true)
	return info, nil
}

// admit refuses calls that do not ask for the leader, and those to a follower.
func (f *fake) admit(stream grpc.ServerStream) error {
	headers, _ := metadata.FromIncomingContext(stream.Context())
	if !slices.Equal(headers.Get("requires-leader"), []string{"true"}) {
		return status.Error(codes.Internal, "the call does not ask for the leader")
	}
	leader := f.leader.Load()
	if leader == nil {
		return nil
	}
	host, port, _ := net.SplitHostPort(leader.address)
	stream.SetTrailer(metadata.Pairs("exception", "not-leader", "leader-endpoint-host", host, "leader-endpoint-port", port))
	return status.Error(codes.NotFound, "Leader info available")
}

func (f *fake) Append(stream streams.Streams_AppendServer) error {
	if err := f.admit(stream); err != nil {
		return err
	}
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	expected := int64(-1)
	if revision, ok := first.GetOptions().GetExpectedStreamRevision().(*streams.AppendReq_Options_Revision); ok {
		expected = int64(revision.Revision)
	}
	var messages []*streams.AppendReq_ProposedMessage
	for {
		next, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		messages = append(messages, next.GetProposedMessage())
	}
	name := string(first.GetOptions().GetStreamIdentifier().GetStreamName())
	do := func() *streams.AppendResp { return f.db.append(name, expected, messages) }
	if f.appends != nil {
		response, err := f.appends(name, do)
		if err != nil {
			return err
		}
		return stream.SendAndClose(response)
	}
	return stream.SendAndClose(do())
}

func (f *fake) Read(request *streams.ReadReq, stream streams.Streams_ReadServer) error {
	if err := f.admit(stream); err != nil {
		return err
	}
	r := &fakeRead{fake: f, options: request.GetOptions(), stream: stream}
	_, subscribes := r.options.GetCountOption().(*streams.ReadReq_Options_Subscription)
	switch {
	case r.options.GetStream() != nil:
		return r.ofStream()
	case r.options.GetAll().GetPosition() != nil && !f.db.takes(r.options.GetAll().GetPosition()):
		return status.Error(codes.InvalidArgument, "Trying to read from an invalid position.")
	case subscribes:
		return r.subscribe()
	}
	return r.ofAll()
}

type fakeRead struct {
	*fake
	options *streams.ReadReq_Options
	stream  streams.Streams_ReadServer
}

func (r *fakeRead) send(message *streams.ReadResp) error {
	messages := []*streams.ReadResp{message}
	if r.sends != nil {
		messages = r.sends(message)
	}
	for _, m := range messages {
		if err := r.stream.Send(m); err != nil {
			return err
		}
	}
	return nil
}

func (r *fakeRead) event(e *stored) error {
	return r.send(&streams.ReadResp{Content: &streams.ReadResp_Event{Event: &streams.ReadResp_ReadEvent{
		Event: e, Position: &streams.ReadResp_ReadEvent_CommitPosition{CommitPosition: e.GetCommitPosition()},
	}}})
}

// some sends events up to the count, those that pass.
func (r *fakeRead) some(events iter.Seq[*stored]) error {
	left := r.options.GetCount()
	for e := range events {
		if left == 0 {
			return nil
		}
		if !passesFilter(r.options.GetFilter(), e) {
			continue
		}
		left--
		if err := r.event(e); err != nil {
			return err
		}
	}
	return nil
}

func (r *fakeRead) backward() bool {
	return r.options.GetReadDirection() == streams.ReadReq_Options_Backwards
}

func (r *fakeRead) ofStream() error {
	options := r.options.GetStream()
	events := r.db.of(string(options.GetStreamIdentifier().GetStreamName()))
	if len(events) == 0 {
		return r.send(&streams.ReadResp{Content: &streams.ReadResp_StreamNotFound_{
			StreamNotFound: &streams.ReadResp_StreamNotFound{StreamIdentifier: options.GetStreamIdentifier()},
		}})
	}
	revision, numbered := options.GetRevisionOption().(*streams.ReadReq_Options_StreamOptions_Revision)
	from := uint64(len(events))
	if numbered {
		from = min(from, revision.Revision)
	}
	if !r.backward() {
		return r.some(slices.Values(events[from:]))
	}
	return r.some(reversed(events[:min(from+1, uint64(len(events)))]))
}

func (r *fakeRead) ofAll() error {
	position := r.options.GetAll().GetPosition().GetCommitPosition()
	events, _ := r.db.from(position)
	if !r.backward() {
		return r.some(slices.Values(events))
	}
	all, _ := r.db.from(0)
	if r.options.GetAll().GetEnd() == nil {
		all = all[:len(all)-len(events)]
	}
	return r.some(reversed(all))
}

// reversed gives the last first.
func reversed(events []*stored) iter.Seq[*stored] {
	return func(yield func(*stored) bool) {
		for _, e := range slices.Backward(events) {
			if !yield(e) {
				return
			}
		}
	}
}

func (r *fakeRead) subscribe() error {
	filter := r.options.GetFilter()
	at := r.options.GetAll().GetPosition().GetCommitPosition()
	if r.options.GetAll().GetEnd() != nil {
		events, _ := r.db.from(0)
		at = events[len(events)-1].GetCommitPosition()
	}
	if err := r.send(&streams.ReadResp{Content: &streams.ReadResp_Confirmation{Confirmation: &streams.ReadResp_SubscriptionConfirmation{SubscriptionId: "1"}}}); err != nil {
		return err
	}
	checkpoint := func() error {
		return r.send(&streams.ReadResp{Content: &streams.ReadResp_Checkpoint_{Checkpoint: &streams.ReadResp_Checkpoint{CommitPosition: at, PreparePosition: at}}})
	}
	interval, considered := filter.GetMax()*filter.GetCheckpointIntervalMultiplier(), uint32(0)
	for live := false; ; {
		events, grown := r.db.from(at + 1)
		for _, e := range events {
			if passesFilter(filter, e) {
				if err := r.event(e); err != nil {
					return err
				}
			}
			at = e.GetCommitPosition()
			if considered++; considered == interval {
				considered = 0
				if err := checkpoint(); err != nil {
					return err
				}
			}
		}
		if !live {
			live = true
			if err := checkpoint(); err != nil {
				return err
			}
			if r.version >= "24" {
				if err := r.send(&streams.ReadResp{Content: &streams.ReadResp_CaughtUp_{CaughtUp: &streams.ReadResp_CaughtUp{}}}); err != nil {
					return err
				}
			}
		}
		select {
		case <-grown:
		case <-r.stream.Context().Done():
			return status.FromContextError(r.stream.Context().Err()).Err()
		}
	}
}
