package esdbapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"strconv"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/persistent"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/protobuf/proto"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi/pb"
)

const groupsService = "event_store.client.persistent_subscriptions.persistentsubscriptions"

// groupMethods are the methods of persistent subscriptions that clients look for.
var groupMethods = []string{"create", "update", "delete", "read", "getinfo", "list", "replayparked", "restartsubsystem"}

func (s *Server) persistentSubscriptions() grpc.ServiceDesc {
	return grpc.ServiceDesc{
		ServiceName: "event_store.client.persistent_subscriptions.PersistentSubscriptions",
		Streams:     []grpc.StreamDesc{{StreamName: "Read", ServerStreams: true, ClientStreams: true, Handler: s.streaming(s.readGroup)}},
		Methods: []grpc.MethodDesc{
			asked(s, "Create", s.createGroup), asked(s, "Update", s.updateGroup), asked(s, "Delete", s.deleteGroup),
			asked(s, "GetInfo", s.groupInfo), asked(s, "List", s.listGroups), asked(s, "ReplayParked", s.replayParked),
			asked(s, "RestartSubsystem", func(context.Context, *shared.Empty) (proto.Message, error) { return new(shared.Empty), nil }), // it always runs
		},
	}
}

// asked is a method whose request says something.
func asked[Request any, Pointer interface {
	*Request
	proto.Message
}](s *Server, name string, serve func(context.Context, Pointer) (proto.Message, error)) grpc.MethodDesc {
	return grpc.MethodDesc{MethodName: name, Handler: func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (reply any, err error) {
		request := Pointer(new(Request))
		if err := decode(request); err != nil {
			return nil, err
		}
		err = s.call(ctx, s.admit, func(ctx context.Context) (err error) {
			reply, err = serve(ctx, request)
			return err
		})
		return reply, err
	}}
}

// groupOf reads which group is meant. A group of a stream named $all is one of the whole log.
func groupOf(stream *shared.StreamIdentifier, all bool, name string) (groupID, error) {
	id := groupID{Source: string(stream.GetStreamName()), Name: name}
	if all {
		id.Source = wholeLog
	}
	if id.Source == "" || id.Name == "" {
		return id, invalid("a group has a name, and a stream or all that it reads")
	}
	if !possible(id.stream()) {
		return id, invalid("no group can have the name %q and read %q here: they have spaces or control characters, or are longer than %d bytes together", id.Name, id.Source, eventlog.MaxNameBytes-len(groupPrefix)-2)
	}
	return id, nil
}

func (s *Server) createGroup(ctx context.Context, request *persistent.CreateReq) (proto.Message, error) {
	options := request.GetOptions()
	stream, from, words := options.GetStream(), place{}, "0"
	identifier := stream.GetStreamIdentifier()
	if identifier == nil {
		identifier = options.GetStreamIdentifier() //nolint:staticcheck // clients of 2020 say it so
	}
	all := options.GetAll()
	id, err := groupOf(identifier, all != nil, options.GetGroupName())
	if err != nil {
		return nil, err
	}
	switch {
	case all.GetPosition() != nil:
		from, err = numbered(all.GetPosition().GetCommitPosition(), "Trying to read from an invalid position.")
		words = positionWords(eventlog.PositionOf(from.number))
	case all.GetEnd() != nil:
		from, words = place{end: true}, "C:-1/P:-1"
	case all != nil:
		words = "C:0/P:0"
	case stream.GetEnd() != nil:
		from, words = place{end: true}, "-1"
	case stream.GetRevisionOption() != nil && stream.GetStart() == nil:
		from, err = numbered(stream.GetRevision(), "Trying to read from an invalid revision.")
		words = strconv.FormatInt(from.number, 10)
	}
	if err != nil {
		return nil, err
	}
	settings, err := settingsOf(options.GetSettings())
	if err != nil {
		return nil, err
	}
	state, found, err := s.loadGroup(ctx, id)
	if err != nil {
		return nil, err
	}
	exists := groupFault(codes.AlreadyExists, "persistent-subscription-exists", id, "Subscription group %s on stream %s exists", id.Name, id.Source)
	if found {
		return nil, exists
	}
	state = groupState{groupID: id, Settings: settings, Filter: filterOf(all.GetFilter()), From: words, revision: state.revision}
	if _, err := state.Filter.compile(); err != nil {
		return nil, err
	}
	if state.Place, err = s.begin(ctx, id.Source, from); err != nil {
		return nil, err
	}
	if err := s.tell(ctx, &state, groupCreated, state); isConflict(err) {
		return nil, exists // somebody else was faster
	} else if err != nil {
		return nil, err
	}
	return new(persistent.CreateResp), nil
}

func (s *Server) updateGroup(ctx context.Context, request *persistent.UpdateReq) (proto.Message, error) {
	options := request.GetOptions()
	identifier := options.GetStream().GetStreamIdentifier()
	if identifier == nil {
		identifier = options.GetStreamIdentifier() //nolint:staticcheck // clients of 2020 say it so
	}
	id, err := groupOf(identifier, options.GetAll() != nil, options.GetGroupName())
	if err != nil {
		return nil, err
	}
	// The settings of an update have the fields and numbers of those of a creation.
	wire, err := proto.Marshal(options.GetSettings())
	if err != nil {
		return nil, err
	}
	said := new(persistent.CreateReq_Settings)
	if err := proto.Unmarshal(wire, said); err != nil {
		return nil, err
	}
	settings, err := settingsOf(said)
	if err != nil {
		return nil, err
	}
	g, err := s.group(ctx, id)
	if err != nil {
		return nil, err
	}
	return new(persistent.UpdateResp), g.do(ctx, func() error { return g.update(ctx, settings) })
}

func (s *Server) deleteGroup(ctx context.Context, request *persistent.DeleteReq) (proto.Message, error) {
	options := request.GetOptions()
	id, err := groupOf(options.GetStreamIdentifier(), options.GetAll() != nil, options.GetGroupName())
	if err != nil {
		return nil, err
	}
	g, err := s.group(ctx, id)
	if err != nil {
		return nil, err
	}
	return new(persistent.DeleteResp), g.do(ctx, func() error {
		if err := g.say(ctx, groupDeleted, g.state); err != nil {
			return err
		}
		g.why = dropped(id, "it was deleted")
		return nil
	})
}

func (s *Server) replayParked(ctx context.Context, request *persistent.ReplayParkedReq) (proto.Message, error) {
	options := request.GetOptions()
	id, err := groupOf(options.GetStreamIdentifier(), options.GetAll() != nil, options.GetGroupName())
	if err != nil {
		return nil, err
	}
	most := int64(math.MaxInt64)
	if _, limited := options.GetStopAtOption().(*persistent.ReplayParkedReq_Options_StopAt); limited {
		most = options.GetStopAt()
	}
	g, err := s.group(ctx, id)
	if err != nil {
		return nil, err
	}
	return new(persistent.ReplayParkedResp), g.do(ctx, func() error { return g.replay(ctx, most) })
}

func (s *Server) groupInfo(ctx context.Context, request *persistent.GetInfoReq) (proto.Message, error) {
	options := request.GetOptions()
	id, err := groupOf(options.GetStreamIdentifier(), options.GetAll() != nil, options.GetGroupName())
	if err != nil {
		return nil, err
	}
	info, err := s.info(ctx, id)
	return &persistent.GetInfoResp{SubscriptionInfo: info}, err
}

func (s *Server) listGroups(ctx context.Context, request *persistent.ListReq) (proto.Message, error) {
	only := request.GetOptions().GetListForStream()
	source := string(only.GetStream().GetStreamName())
	if only.GetAll() != nil {
		source = wholeLog
	}
	ids, err := s.groupIDs(ctx)
	if err != nil {
		return nil, err
	}
	list := new(persistent.ListResp)
	for _, id := range ids {
		if only != nil && id.Source != source {
			continue
		}
		info, err := s.info(ctx, id)
		if f, is := errors.AsType[*fault](err); is && f.code == codes.NotFound {
			continue // it was deleted
		}
		if err != nil {
			return nil, err
		}
		list.Subscriptions = append(list.Subscriptions, info)
	}
	if only != nil && len(list.Subscriptions) == 0 {
		return nil, groupFault(codes.NotFound, "persistent-subscription-does-not-exist", groupID{source, ""}, "No group reads the stream %s", source)
	}
	return list, nil
}

// info is what the protocol tells of a group. Rates are not counted.
func (s *Server) info(ctx context.Context, id groupID) (*persistent.SubscriptionInfo, error) {
	state, found, err := s.loadGroup(ctx, id)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, noSuchGroup(id)
	}
	last, err := s.lastKnown(ctx, id.Source)
	if err != nil {
		return nil, err
	}
	settings := state.Settings
	info := &persistent.SubscriptionInfo{
		EventSource: id.Source, GroupName: id.Name, Status: "Live", StartFrom: state.From, LastKnownEventPosition: last, LastCheckpointedEventPosition: state.Last,
		ResolveLinkTos: settings.ResolveLinks, ExtraStatistics: settings.ExtraStatistics, MessageTimeoutMilliseconds: settings.MessageTimeout,
		MaxRetryCount: settings.MaxRetries, LiveBufferSize: settings.LiveBuffer, BufferSize: settings.HistoryBuffer, ReadBatchSize: settings.ReadBatch,
		CheckPointAfterMilliseconds: settings.CheckpointAfter, MinCheckPointCount: settings.MinCheckpoint, MaxCheckPointCount: settings.MaxCheckpoint,
		NamedConsumerStrategy: settings.Strategy, MaxSubscriberCount: settings.MaxSubscribers, ParkedMessageCount: state.Parked,
	}
	g := s.running(id)
	if g == nil {
		return info, nil
	}
	return info, g.do(ctx, func() error {
		info.TotalItems, info.RetryBufferCount = g.handed, 0
		for _, m := range g.waiting {
			if m.retries > 0 {
				info.RetryBufferCount++
			}
		}
		info.LiveBufferCount = int64(len(g.waiting))
		info.OutstandingMessagesCount = int32(g.open)
		for _, c := range g.consumers {
			info.TotalInFlightMessages += int32(len(c.at))
			info.Connections = append(info.Connections, &persistent.SubscriptionInfo_ConnectionInfo{
				From: c.address, ConnectionName: c.name, TotalItems: c.taken, AvailableSlots: int32(c.size - len(c.at)), InFlightMessages: int32(len(c.at)),
			})
		}
		return nil
	})
}

// lastKnown is the end of what a group reads, in the protocol's words; empty if there is nothing.
func (s *Server) lastKnown(ctx context.Context, source string) (string, error) {
	if source == wholeLog {
		head, err := s.Log.Head(ctx)
		if err != nil || head == eventlog.Start {
			return "", err
		}
		return positionWords(head), nil
	}
	last, err := s.lastOf(ctx, source)
	if err != nil || last < 0 {
		return "", err
	}
	return strconv.FormatInt(last, 10), nil
}

// nackAction is what is to become of an event that a consumer could not deal with.
type nackAction = persistent.ReadReq_Nack_Action

const (
	nackPark = persistent.ReadReq_Nack_Park
	nackSkip = persistent.ReadReq_Nack_Skip
	nackStop = persistent.ReadReq_Nack_Stop
)

// mostUnsaid bounds how many events a consumer may have that it has not said anything of.
const mostUnsaid = 5000

// readGroup delivers a group's events to a consumer, and hears what became of them.
func (s *Server) readGroup(ctx context.Context, stream grpc.ServerStream) error {
	request := new(persistent.ReadReq)
	if err := stream.RecvMsg(request); err != nil {
		return err
	}
	options := request.GetOptions()
	if options == nil {
		return invalid("the first message of a consumer says which group it reads")
	}
	id, err := groupOf(options.GetStreamIdentifier(), options.GetAll() != nil, options.GetGroupName())
	if err != nil {
		return err
	}
	size := int(options.GetBufferSize())
	if size < 1 || size > mostUnsaid {
		return invalid("the buffer of a consumer is %d; it can have 1 to %d events", size, mostUnsaid)
	}
	g, err := s.group(ctx, id)
	if err != nil {
		return err
	}
	c := &consumer{size: size, out: make(chan delivered, size), at: map[string]*message{}, dropped: make(chan struct{})}
	if from, known := peer.FromContext(ctx); known {
		c.address = from.Addr.String()
	}
	if names := metadata.ValueFromIncomingContext(ctx, "connection-name"); len(names) > 0 {
		c.name = names[0]
	}
	out := &replies{ServerStream: stream}
	if _, text := options.GetUuidOption().GetContent().(*persistent.ReadReq_Options_UUIDOption_String_); text {
		out.uuidText = true
	}
	if err := g.do(ctx, func() error { out.resolve = g.state.Settings.ResolveLinks; return g.join(c) }); err != nil {
		return err
	}
	defer func() { _ = g.do(context.WithoutCancel(ctx), func() error { g.leave(c); return nil }) }() // an error says that it is over anyhow
	if err := stream.SendMsg(&persistent.ReadResp{Content: &persistent.ReadResp_SubscriptionConfirmation_{
		SubscriptionConfirmation: &persistent.ReadResp_SubscriptionConfirmation{SubscriptionId: uuid.NewString()},
	}}); err != nil {
		return err
	}
	heard := make(chan error, 1)
	go func() { heard <- s.hear(ctx, stream, g, c) }()
	for {
		select {
		case m := <-c.out:
			if err := out.groupEvent(m); err != nil {
				return err
			}
		case err := <-heard:
			return err
		case <-c.dropped:
			select {
			case <-g.ended:
				return g.why
			default:
				return dropped(id, "the consumer asked to be stopped")
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// hear takes what a consumer says of its events. It returns when the consumer says no more, nil if that is in order.
func (s *Server) hear(ctx context.Context, stream grpc.ServerStream, g *group, c *consumer) error {
	for {
		said := new(persistent.ReadReq)
		if err := stream.RecvMsg(said); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		ids := said.GetAck().GetIds()
		if said.GetNack() != nil {
			ids = said.GetNack().GetIds()
		}
		for _, wire := range ids {
			id, err := textOf(wire)
			if err != nil {
				return err
			}
			if err := g.do(ctx, func() error {
				if said.GetNack() != nil {
					return g.refused(c, id, said.GetNack().GetReason(), said.GetNack().GetAction())
				}
				return g.taken(c, id)
			}); err != nil {
				return err
			}
		}
	}
}

// groupEvent sends an event of a group: that of a read, with how often it was tried before.
func (r *replies) groupEvent(m delivered) error {
	read, err := r.eventOf(m.record)
	if m.link != nil {
		read, err = r.linkOf(*m.link)
	}
	if err != nil {
		return err
	}
	wire, err := proto.Marshal(read)
	if err != nil {
		return err
	}
	event := new(persistent.ReadResp_ReadEvent)
	if err := proto.Unmarshal(wire, event); err != nil {
		return err
	}
	event.Count = &persistent.ReadResp_ReadEvent_RetryCount{RetryCount: int32(m.retries)}
	return r.SendMsg(&persistent.ReadResp{Content: &persistent.ReadResp_Event{Event: event}})
}

func textOf(id *shared.UUID) (string, error) {
	switch value := id.GetValue().(type) {
	case *shared.UUID_Structured_:
		return canonicalID(&pb.UUID{Value: &pb.UUID_Structured_{Structured: &pb.UUID_Structured{
			MostSignificantBits: value.Structured.GetMostSignificantBits(), LeastSignificantBits: value.Structured.GetLeastSignificantBits(),
		}}})
	case *shared.UUID_String_:
		return canonicalID(&pb.UUID{Value: &pb.UUID_String_{String_: value.String_}})
	}
	return canonicalID(nil)
}

func settingsOf(said *persistent.CreateReq_Settings) (groupSettings, error) {
	settings := groupSettings{
		ResolveLinks: said.GetResolveLinks(), ExtraStatistics: said.GetExtraStatistics(), MaxRetries: said.GetMaxRetryCount(),
		MessageTimeout: said.GetMessageTimeoutMs(), CheckpointAfter: said.GetCheckpointAfterMs(),
		MinCheckpoint: said.GetMinCheckpointCount(), MaxCheckpoint: said.GetMaxCheckpointCount(), MaxSubscribers: said.GetMaxSubscriberCount(),
		LiveBuffer: said.GetLiveBufferSize(), ReadBatch: said.GetReadBatchSize(), HistoryBuffer: said.GetHistoryBufferSize(), Strategy: said.GetConsumerStrategy(),
	}
	const ticksInMillisecond = 10_000
	if said.GetMessageTimeoutTicks() != 0 {
		settings.MessageTimeout = int32(min(said.GetMessageTimeoutTicks()/ticksInMillisecond, math.MaxInt32))
	}
	if said.GetCheckpointAfterTicks() != 0 {
		settings.CheckpointAfter = int32(min(said.GetCheckpointAfterTicks()/ticksInMillisecond, math.MaxInt32))
	}
	if settings.Strategy == "" {
		settings.Strategy = said.GetNamedConsumerStrategy().String() //nolint:staticcheck // clients of 2020 say it so
	}
	return settings, settings.validate()
}

func filterOf(said *persistent.CreateReq_AllOptions_FilterOptions) *groupFilter {
	if said == nil {
		return nil
	}
	expression, byType := said.GetStreamIdentifier(), false
	if said.GetEventType() != nil {
		expression, byType = said.GetEventType(), true
	}
	return &groupFilter{ByType: byType, Prefixes: expression.GetPrefix(), Regex: expression.GetRegex()}
}

// compile makes of a filter what reads have.
func (f *groupFilter) compile() (*filter, error) {
	if f == nil {
		return nil, nil
	}
	expression := &pb.ReadReq_FilterOptions_Expression{Regex: f.Regex, Prefix: f.Prefixes}
	wire := &pb.ReadReq_FilterOptions{Filter: &pb.ReadReq_FilterOptions_StreamIdentifier{StreamIdentifier: expression}}
	if f.ByType {
		wire.Filter = &pb.ReadReq_FilterOptions_EventType{EventType: expression}
	}
	return parseFilter(&pb.ReadReq_Options{FilterOption: &pb.ReadReq_Options_Filter{Filter: wire}})
}

// positionWords is how the protocol writes a position down.
func positionWords(position eventlog.Position) string {
	number, err := position.Number()
	if err != nil {
		return ""
	}
	return fmt.Sprintf("C:%d/P:%d", number, number)
}

// printable is a name as a trailer can have it.
func printable(name string) string {
	for _, r := range name {
		if r < ' ' || r > '~' {
			return url.PathEscape(name)
		}
	}
	return name
}
