package kurrentlog_test

import (
	"bytes"
	"fmt"
	"sync"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
)

// database behaves as an EventStoreDB does where our own listener does not: positions are byte offsets, and only those
// that a record has are taken; the server's own events are everywhere; a repeated append is known by ids and place
// alone, whatever its content; and with the right expected revision an id is stored that the stream has already.
type database struct {
	mu     sync.Mutex
	events []*streams.ReadResp_ReadEvent_RecordedEvent // in log order
	end    uint64
	grown  chan struct{} // closed when there are more
}

func newDatabase() *database {
	d := &database{end: 512, grown: make(chan struct{})}
	d.systemEvent("$users", "$UserCreated")
	return d
}

// add appends an event. d.mu is held.
func (d *database) add(stream string, message *streams.AppendReq_ProposedMessage) *streams.ReadResp_ReadEvent_RecordedEvent {
	e := &streams.ReadResp_ReadEvent_RecordedEvent{
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

// of gives the events of a stream. d.mu is held.
func (d *database) of(stream string) []*streams.ReadResp_ReadEvent_RecordedEvent {
	var all []*streams.ReadResp_ReadEvent_RecordedEvent
	for _, e := range d.events {
		if nameOf(e) == stream {
			all = append(all, e)
		}
	}
	return all
}

// last gives the last revision of a stream. d.mu is held.
func (d *database) last(stream string) int64 {
	for i := len(d.events) - 1; i >= 0; i-- {
		if nameOf(d.events[i]) == stream {
			return int64(d.events[i].GetStreamRevision())
		}
	}
	return -1
}

// append does what an append with an expected revision does, -1 for no stream.
func (d *database) append(stream string, expected int64, messages []*streams.AppendReq_ProposedMessage) *streams.AppendResp {
	d.mu.Lock()
	defer d.mu.Unlock()
	success := func(last *streams.ReadResp_ReadEvent_RecordedEvent) *streams.AppendResp {
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
		var stored *streams.ReadResp_ReadEvent_RecordedEvent
		for _, message := range messages {
			stored = d.add(stream, message)
		}
		return success(stored)
	case last >= expected+int64(len(messages)):
		there := d.of(stream)[expected+1 : expected+1+int64(len(messages))]
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
func (d *database) from(position uint64) ([]*streams.ReadResp_ReadEvent_RecordedEvent, <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, e := range d.events {
		if e.GetCommitPosition() >= position {
			return d.events[i:len(d.events):len(d.events)], d.grown
		}
	}
	return nil, d.grown
}

// takes says whether a position is one that a record has, or the end.
func (d *database) takes(at *streams.ReadReq_Options_Position) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at.GetCommitPosition() == d.end {
		return true
	}
	for _, e := range d.events {
		if e.GetCommitPosition() == at.GetCommitPosition() && e.GetPreparePosition() == at.GetPreparePosition() {
			return true
		}
	}
	return false
}

func nameOf(e *streams.ReadResp_ReadEvent_RecordedEvent) string {
	return string(e.GetStreamIdentifier().GetStreamName())
}

// passesFilter knows the filters that our log sends.
func passesFilter(filter *streams.ReadReq_Options_FilterOptions, e *streams.ReadResp_ReadEvent_RecordedEvent) bool {
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
