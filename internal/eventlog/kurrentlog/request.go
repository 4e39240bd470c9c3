package kurrentlog

import (
	"math"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

const (
	forward  = streams.ReadReq_Options_Forwards
	backward = streams.ReadReq_Options_Backwards
)

// readOfAll asks for events of the whole log; [fromPlace] or [fromEnd] says from where on.
func readOfAll(filter eventlog.Filter, direction streams.ReadReq_Options_ReadDirection) *streams.ReadReq_Options {
	return &streams.ReadReq_Options{
		ReadDirection: direction,
		FilterOption:  &streams.ReadReq_Options_Filter{Filter: serverFilter(filter)},
		UuidOption:    structuredIDs(),
	}
}

// fromPlace is inclusive for reads forward, exclusive for those backward and for subscriptions. The zero place is
// before the first event.
func fromPlace(at place) *streams.ReadReq_Options_All {
	all := &streams.ReadReq_Options_AllOptions{AllOption: &streams.ReadReq_Options_AllOptions_Start{Start: &shared.Empty{}}}
	if at != (place{}) {
		all.AllOption = &streams.ReadReq_Options_AllOptions_Position{
			Position: &streams.ReadReq_Options_Position{CommitPosition: at.commit, PreparePosition: at.prepare},
		}
	}
	return &streams.ReadReq_Options_All{All: all}
}

// fromEnd is after the newest event.
func fromEnd() *streams.ReadReq_Options_All {
	return &streams.ReadReq_Options_All{All: &streams.ReadReq_Options_AllOptions{
		AllOption: &streams.ReadReq_Options_AllOptions_End{End: &shared.Empty{}},
	}}
}

// readOfStream asks for the events of a stream; [fromRevision] says from where on.
func readOfStream(direction streams.ReadReq_Options_ReadDirection) *streams.ReadReq_Options {
	return &streams.ReadReq_Options{
		ReadDirection: direction,
		FilterOption:  &streams.ReadReq_Options_NoFilter{NoFilter: &shared.Empty{}},
		UuidOption:    structuredIDs(),
	}
}

// fromRevision is inclusive both ways; [eventlog.Newest] is the end.
func fromRevision(stream string, revision int64) *streams.ReadReq_Options_Stream {
	options := &streams.ReadReq_Options_StreamOptions{StreamIdentifier: named(stream)}
	if revision == math.MaxInt64 {
		options.RevisionOption = &streams.ReadReq_Options_StreamOptions_End{End: &shared.Empty{}}
	} else {
		options.RevisionOption = &streams.ReadReq_Options_StreamOptions_Revision{Revision: uint64(revision)}
	}
	return &streams.ReadReq_Options_Stream{Stream: options}
}

func named(stream string) *shared.StreamIdentifier {
	return &shared.StreamIdentifier{StreamName: []byte(stream)}
}

func structuredIDs() *streams.ReadReq_Options_UUIDOption {
	return &streams.ReadReq_Options_UUIDOption{
		Content: &streams.ReadReq_Options_UUIDOption_Structured{Structured: &shared.Empty{}},
	}
}
