package kurrentlog

import (
	"slices"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

const (
	// checkpointEvents is how many events a subscription may look at in vain before it is told how far it is.
	checkpointEvents = 256
	// maxPrefixes bounds what the server is asked to compare each event with; beyond it, it is done here.
	maxPrefixes = 500
	// notSystemType is how all clients of the protocol exclude system events; servers know it by sight.
	notSystemType = "^[^$].*"
)

// passes says whether an event is one of ours and selected.
func passes(filter eventlog.Filter, stream, eventType string) bool {
	return !isSystem(stream) && !isSystem(eventType) && filter.Passes(stream, eventType)
}

// serverFilter is as much of a filter as a server can do, which looks either at streams or at types. It never leaves out
// what passes.
func serverFilter(filter eventlog.Filter) *streams.ReadReq_Options_FilterOptions {
	options := &streams.ReadReq_Options_FilterOptions{
		Window:                       &streams.ReadReq_Options_FilterOptions_Max{Max: checkpointEvents},
		CheckpointIntervalMultiplier: 1,
	}
	byType := func(e *streams.ReadReq_Options_FilterOptions_Expression) *streams.ReadReq_Options_FilterOptions {
		options.Filter = &streams.ReadReq_Options_FilterOptions_EventType{EventType: e}
		return options
	}
	if prefixes, ok := usable(filter.StreamPrefixes); ok {
		options.Filter = &streams.ReadReq_Options_FilterOptions_StreamIdentifier{
			StreamIdentifier: &streams.ReadReq_Options_FilterOptions_Expression{Prefix: prefixes},
		}
		return options
	}
	if prefixes, ok := usable(filter.Types); ok {
		return byType(&streams.ReadReq_Options_FilterOptions_Expression{Prefix: prefixes})
	}
	return byType(&streams.ReadReq_Options_FilterOptions_Expression{Regex: notSystemType})
}

// usable gives the names that an event of ours may begin with, unless they are none, too many, or any.
func usable(names []string) ([]string, bool) {
	names = slices.DeleteFunc(slices.Clone(names), isSystem)
	return names, len(names) > 0 && len(names) <= maxPrefixes && !slices.Contains(names, "")
}
