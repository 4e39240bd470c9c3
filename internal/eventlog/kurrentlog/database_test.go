package kurrentlog_test

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
)

// database behaves as an EventStoreDB does where our own listener does not: positions are byte offsets, and only those
// that a record has are taken; the server's own events are everywhere; a repeated append is known by ids and place
// alone, whatever its content; and with the right expected revision an id is stored that the stream has already.
type database struct {
	mu      sync.Mutex
	events  []*stored // in log order
	streams map[string][]*stored
	end     uint64
	grown   chan struct{} // closed when there are more
}

type stored = streams.ReadResp_ReadEvent_RecordedEvent

func newDatabase() *database {
	d := &database{streams: make(map[string][]*stored), end: 512, grown: make(chan struct{})}
	d.systemEvent("$users", "$UserCreated")
	return d
}

// add appends an event. d.mu is held.
func (d *database) add(stream string, message *streams.AppendReq_ProposedMessage) *stored {
	e := &stored{
		Id:               message.GetId(),
		StreamIdentifier: &shared.StreamIdentifier{StreamName: []byte(stream)},
		StreamRevision:   uint64(d.last(stream) + 1),
		PreparePosition:  d.end,
		CommitPosition:   d.end,
		Metadata: map[string]string{
			"type": message.GetMetadata()["type"], "content-type": message.GetMetadata()["content-type"],
			"created": fmt.Sprint(time.Now().UnixNano() / 100),
		},
		CustomMetadata: message.GetCustomMetadata(),
		Data:           message.GetData(),
	}
	d.events = append(d.events, e)
	d.streams[stream] = append(d.streams[stream], e)
	d.end += uint64(100 + len(e.Data) + len(e.CustomMetadata))
	close(d.grown)
	d.grown = make(chan struct{})
	return e
}

func (d *database) systemEvent(stream, eventType string) {
	d.add(stream, &streams.AppendReq_ProposedMessage{
		Id:       &shared.UUID{Value: &shared.UUID_String_{String_: "00000000-0000-4000-8000-000000000000"}},
		Metadata: map[string]string{"type": eventType, "content-type": "application/json"},
		Data:     []byte("{}"),
	})
}

// of gives the events of a stream.
func (d *database) of(stream string) []*stored {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clip(d.streams[stream])
}

// last gives the last revision of a stream. d.mu is held.
func (d *database) last(stream string) int64 { return int64(len(d.streams[stream])) - 1 }

// append does what an append with an expected revision does, -1 for no stream.
func (d *database) append(stream string, expected int64, messages []*streams.AppendReq_ProposedMessage) *streams.AppendResp {
	d.mu.Lock()
	defer d.mu.Unlock()
	success := func(last *stored) *streams.AppendResp {
		return &streams.AppendResp{Result: &streams.AppendResp_Success_{Success: &streams.AppendResp_Success{
			CurrentRevisionOption: &streams.AppendResp_Success_CurrentRevision{CurrentRevision: last.GetStreamRevision()},
			PositionOption: &streams.AppendResp_Success_Position{Position: &streams.AppendResp_Position{
				CommitPosition: last.GetCommitPosition(), PreparePosition: last.GetPreparePosition(),
			}},
		}}}
	}
	last := d.last(stream)
	switch {
	case last == expected:
		if len(d.events)%3 == 0 {
			d.systemEvent("$stats-127.0.0.1:2113", "$statsCollected")
		}
		if len(d.events)%5 == 0 {
			d.systemEvent("$settings", "update") // its type does not tell what it is
		}
		var newest *stored
		for _, message := range messages {
			newest = d.add(stream, message)
		}
		return success(newest)
	case last >= expected+int64(len(messages)):
		there := d.streams[stream][expected+1 : expected+1+int64(len(messages))]
		same := true
		for i, message := range messages {
			same = same && there[i].GetId().String() == message.GetId().String()
		}
		if same {
			return success(there[len(there)-1])
		}
	}
	wrong := &streams.AppendResp_WrongExpectedVersion{
		CurrentRevisionOption:  &streams.AppendResp_WrongExpectedVersion_CurrentNoStream{CurrentNoStream: &shared.Empty{}},
		ExpectedRevisionOption: &streams.AppendResp_WrongExpectedVersion_ExpectedNoStream{ExpectedNoStream: &shared.Empty{}},
	}
	if last >= 0 {
		wrong.CurrentRevisionOption = &streams.AppendResp_WrongExpectedVersion_CurrentRevision{CurrentRevision: uint64(last)}
	}
	if expected >= 0 {
		wrong.ExpectedRevisionOption = &streams.AppendResp_WrongExpectedVersion_ExpectedRevision{ExpectedRevision: uint64(expected)}
	}
	return &streams.AppendResp{Result: &streams.AppendResp_WrongExpectedVersion_{WrongExpectedVersion: wrong}}
}

// from gives the events whose position is at least this, and a channel that is closed when there are more.
func (d *database) from(position uint64) ([]*stored, <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clip(d.events[d.search(position):]), d.grown
}

func (d *database) search(position uint64) int {
	return sort.Search(len(d.events), func(i int) bool { return d.events[i].GetCommitPosition() >= position })
}

// takes says whether a position is one that a record has, or the end.
func (d *database) takes(at *streams.ReadReq_Options_Position) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := d.search(at.GetCommitPosition())
	return at.GetCommitPosition() == d.end || i < len(d.events) && d.events[i].GetCommitPosition() == at.GetCommitPosition()
}

func nameOf(e *stored) string {
	return string(e.GetStreamIdentifier().GetStreamName())
}

// passesFilter knows the filters that our log sends.
func passesFilter(filter *streams.ReadReq_Options_FilterOptions, e *stored) bool {
	name, expression := e.GetMetadata()["type"], filter.GetEventType()
	if filter.GetStreamIdentifier() != nil {
		name, expression = nameOf(e), filter.GetStreamIdentifier()
	}
	if expression.GetRegex() == "^[^$].*" {
		return name != "" && name[0] != '$'
	}
	for _, prefix := range expression.GetPrefix() {
		if bytes.HasPrefix([]byte(name), []byte(prefix)) {
			return true
		}
	}
	return filter == nil
}
