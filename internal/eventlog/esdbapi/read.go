package esdbapi

import (
	"context"
	"errors"
	"math"
	"unicode"
	"unicode/utf8"

	"google.golang.org/grpc"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi/pb"
)

// theEnd is how a number says the end of a stream or of the log.
const theEnd = math.MaxUint64

// read answers Read: of a stream or of the log, once or as a subscription.
func (s *Server) read(ctx context.Context, stream grpc.ServerStream) error {
	request := new(pb.ReadReq)
	if err := stream.RecvMsg(request); err != nil {
		return err
	}
	ctx, cancel := s.untilStop(ctx)
	defer cancel()
	err := s.dispatch(ctx, stream, request.GetOptions())
	if err != nil && errors.Is(context.Cause(ctx), errStopping) {
		return errStopping
	}
	return err
}

func (s *Server) dispatch(ctx context.Context, stream grpc.ServerStream, options *pb.ReadReq_Options) error {
	out := &replies{ServerStream: stream, resolve: options.GetResolveLinks()}
	switch options.GetUuidOption().GetContent().(type) {
	case *pb.ReadReq_UUIDOption_Structured:
	case *pb.ReadReq_UUIDOption_String_:
		out.uuidText = true
	default:
		return invalid("the read does not say in which form it wants ids: uuid_option is missing")
	}
	backward := false
	switch options.GetReadDirection() {
	case pb.ReadReq_Forwards:
	case pb.ReadReq_Backwards:
		backward = true
	default:
		return invalid("read direction %d is neither forwards nor backwards", options.GetReadDirection())
	}
	filter, err := parseFilter(options)
	if err != nil {
		return err
	}

	switch source := options.GetStreamOption().(type) {
	case *pb.ReadReq_Options_Stream:
		return s.readStream(ctx, out, source.Stream, options, backward, filter)
	case *pb.ReadReq_Options_All:
		return s.readAll(ctx, out, source.All, options, backward, filter)
	}
	return invalid("the read names neither a stream nor all")
}

func (s *Server) readStream(ctx context.Context, out *replies, source *pb.ReadReq_StreamOptions, options *pb.ReadReq_Options, backward bool, filter *filter) error {
	name, err := streamName(source.GetStreamIdentifier())
	if err != nil {
		return err
	}
	place, err := revisionPlace(source)
	if err != nil {
		return err
	}
	if filter != nil {
		return invalid("the events of one stream are not filtered; filter those of all")
	}
	links, linked := linked(name)
	switch count := options.GetCountOption().(type) {
	case *pb.ReadReq_Options_Count:
		if linked {
			return s.linksOnce(ctx, out, name, links, place, count.Count, backward, options.GetControlOption().GetCompatibility() > 0)
		}
		return s.streamOnce(ctx, out, name, place, count.Count, backward, options.GetControlOption().GetCompatibility() > 0)
	case *pb.ReadReq_Options_Subscription:
		if backward {
			return invalid("a subscription goes forwards")
		}
		if linked {
			return s.subscribeLinks(ctx, out, name, links, place)
		}
		return s.subscribeStream(ctx, out, name, place)
	}
	return invalid("the read has neither a count nor a subscription")
}

func (s *Server) readAll(ctx context.Context, out *replies, source *pb.ReadReq_AllOptions, options *pb.ReadReq_Options, backward bool, filter *filter) error {
	place, err := positionPlace(source)
	if err != nil {
		return err
	}
	switch count := options.GetCountOption().(type) {
	case *pb.ReadReq_Options_Count:
		if backward {
			return s.allBackward(ctx, out, place, count.Count, filter)
		}
		return s.allForward(ctx, out, place, count.Count, filter)
	case *pb.ReadReq_Options_Subscription:
		if backward {
			return invalid("a subscription goes forwards")
		}
		return s.subscribeAll(ctx, out, place, filter)
	}
	return invalid("the read has neither a count nor a subscription")
}

// place is where a read begins: at the first event, after the last, or at a number (a revision, or a position).
type place struct {
	start, end bool
	number     int64
}

func revisionPlace(source *pb.ReadReq_StreamOptions) (place, error) {
	switch option := source.GetRevisionOption().(type) {
	case *pb.ReadReq_StreamOptions_Start:
		return place{start: true}, nil
	case *pb.ReadReq_StreamOptions_End:
		return place{end: true}, nil
	case *pb.ReadReq_StreamOptions_Revision:
		return numbered(option.Revision, "Trying to read from an invalid revision.")
	}
	return place{}, invalid("the read of a stream has no revision, start or end")
}

func positionPlace(source *pb.ReadReq_AllOptions) (place, error) {
	switch option := source.GetAllOption().(type) {
	case *pb.ReadReq_AllOptions_Start:
		return place{start: true}, nil
	case *pb.ReadReq_AllOptions_End:
		return place{end: true}, nil
	case *pb.ReadReq_AllOptions_Position:
		if option.Position.GetPreparePosition() > option.Position.GetCommitPosition() {
			return place{}, invalid("Trying to read from an invalid position.")
		}
		return numbered(option.Position.GetCommitPosition(), "Trying to read from an invalid position.")
	}
	return place{}, invalid("the read of all has no position, start or end")
}

func numbered(number uint64, refusal string) (place, error) {
	switch {
	case number == theEnd:
		return place{end: true}, nil
	case number > math.MaxInt64:
		return place{}, invalid("%s", refusal)
	}
	return place{number: int64(number)}, nil
}

// streamOnce reads one stream, beginning with the event at place.
func (s *Server) streamOnce(ctx context.Context, out *replies, stream string, from place, count uint64, backward, tellLast bool) error {
	events := s.Log.Stream(ctx, stream, from.number)
	switch {
	case !possible(stream):
		return out.streamNotFound(stream)
	case backward && from.end:
		events = s.Log.StreamBackward(ctx, stream, eventlog.Newest)
	case backward:
		events = s.Log.StreamBackward(ctx, stream, from.number)
	case from.end:
		events = s.Log.Stream(ctx, stream, eventlog.Newest)
	}
	sent := uint64(0)
	if count > 0 {
		for record, err := range events {
			if err != nil {
				return err
			}
			if err := out.event(&record); err != nil {
				return err
			}
			if sent++; sent == count {
				break
			}
		}
	}
	if sent > 0 && !tellLast {
		return nil
	}
	last, err := s.last(ctx, stream)
	switch {
	case err != nil:
		return err
	case last < 0:
		return out.streamNotFound(stream)
	case tellLast:
		return out.lastRevision(last)
	}
	return nil
}

// last is the revision of a stream's last event, -1 if it has none.
func (s *Server) last(ctx context.Context, stream string) (int64, error) {
	for record, err := range s.Log.StreamBackward(ctx, stream, eventlog.Newest) {
		return record.Revision, err
	}
	return -1, nil
}

// allForward reads the log, beginning with the event at place or the first after it.
func (s *Server) allForward(ctx context.Context, out *replies, from place, count uint64, filter *filter) error {
	if from.end || count == 0 {
		return nil
	}
	after := eventlog.PositionOf(max(from.number, 1) - 1)
	for record, err := range s.Log.All(ctx, after, filter.hint()) {
		more, err := s.sendMatching(out, &record, err, filter, &count)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// allBackward reads the log, beginning with the last event before place.
func (s *Server) allBackward(ctx context.Context, out *replies, from place, count uint64, filter *filter) error {
	if from.start || count == 0 {
		return nil
	}
	before := eventlog.End
	if !from.end {
		before = eventlog.PositionOf(from.number)
	}
	for record, err := range s.Log.AllBackward(ctx, before, filter.hint()) {
		more, err := s.sendMatching(out, &record, err, filter, &count)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// sendMatching sends a record that passes and counts it; it says whether more are wanted.
func (s *Server) sendMatching(out *replies, record *eventlog.Record, err error, filter *filter, count *uint64) (more bool, _ error) {
	if err != nil {
		return false, err
	}
	passes, err := filter.passes(record)
	if err != nil || !passes {
		return true, err
	}
	if err := out.event(record); err != nil {
		return false, err
	}
	*count--
	return *count > 0, nil
}

// streamName reads the name of a stream, which is to be text.
func streamName(id *pb.StreamIdentifier) (string, error) {
	name := string(id.GetStreamName())
	switch {
	case name == "":
		return "", invalid("the name of the stream is missing")
	case !utf8.ValidString(name):
		return "", invalid("the name of the stream is not valid UTF-8")
	}
	return name, nil
}

// possible says whether the log could have a stream, or a type, of this name. One that it could not have is not asked
// for: a backend might take it for a fault.
func possible(name string) bool {
	for _, r := range name {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return false
		}
	}
	return len(name) <= eventlog.MaxNameBytes
}
