package eventlogtest

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// call is what a client asked of a log, and what came of it.
type call struct {
	client       int
	began, ended int64 // ticks of the clock of the history
	kind         kind
	stream       string
	expected     int64    // of an append
	events       []string // of an append, as [entry]
	from         int64    // of a read

	unknown  bool // there is no answer
	appended eventlog.Appended
	conflict *eventlog.ConflictError
	content  *eventlog.ContentError
	read     []string // as [entry]
}

type kind int

const (
	appending kind = iota
	reading
	readingBackward
	readingAll // all of the log, selected to one stream
	askingHead // not part of a history
)

// entry is an event as the model knows it: its id and its content.
func entry(event eventlog.Event) string { return event.ID + " " + string(event.Payload) }

func idOf(entry string) string {
	id, _, _ := strings.Cut(entry, " ")
	return id
}

// streamModel is the promise of [eventlog.Log] for one stream, as porcupine takes it: what an operation
// may answer, and what it leaves, if all operations are done one after the other. The state is
// the events of the stream.
func streamModel() porcupine.Model {
	seed := maphash.MakeSeed()
	return porcupine.Model{
		Init:  func() any { return []string(nil) },
		Equal: func(a, b any) bool { return slices.Equal(a.([]string), b.([]string)) },
		Hash: func(state any) uint64 {
			events := state.([]string)
			if len(events) == 0 {
				return 0
			}
			return maphash.String(seed, events[len(events)-1]) + uint64(len(events))
		},
		Step: func(state, input, _ any) (bool, any) {
			events, c := state.([]string), input.(*call)
			if c.kind == appending {
				ok, after := stepAppend(events, c)
				return ok, after
			}
			return slices.Equal(c.read, expectedRead(events, c)), events
		},
		DescribeOperation: func(input, _ any) string { return input.(*call).String() },
		DescribeState:     func(state any) string { return fmt.Sprintf("at revision %d", len(state.([]string))-1) },
	}
}

func expectedRead(events []string, c *call) []string {
	switch c.kind {
	case reading:
		return events[min(max(c.from, 0), int64(len(events))):]
	case readingBackward:
		return reversed(events[:max(0, min(c.from, int64(len(events)-1))+1)])
	default:
		return events
	}
}

func stepAppend(events []string, c *call) (bool, []string) {
	last := int64(len(events)) - 1
	there, inPlace, changed := 0, true, []string(nil)
	for i, event := range c.events {
		at := slices.IndexFunc(events, func(other string) bool { return idOf(other) == idOf(event) })
		switch {
		case at < 0:
		case events[at] != event:
			changed = append(changed, idOf(event))
		default:
			there++
			inPlace = inPlace && int64(at) == c.expected+1+int64(i)
		}
	}
	repeat := there == len(c.events) && inPlace
	fits := there == 0 && len(changed) == 0 && c.expected == last
	after := events
	if fits {
		after = slices.Concat(events, c.events)
	}
	switch {
	case c.unknown: // known to be there in the end, see [history.settle]
		return repeat || fits, after
	case c.content != nil:
		return slices.Contains(changed, c.content.ID), events
	case len(changed) > 0:
		return false, events
	case c.conflict != nil:
		return !repeat && !fits && c.conflict.Expected == c.expected && c.conflict.Actual == last, events
	case c.appended.First != c.expected+1 || c.appended.Last != c.expected+int64(len(c.events)):
		return false, events
	case repeat:
		return c.appended.Repeated, events
	}
	// A backend that had to try again may have found the events of its own first try: so Repeated may be set.
	return fits, after
}

// String says what was asked and answered.
func (c *call) String() string { return c.asked() + ": " + c.answered() }

func (c *call) asked() string {
	switch c.kind {
	case appending:
		return fmt.Sprintf("client %d appends %s after %d", c.client, short(c.events), c.expected)
	case reading:
		return fmt.Sprintf("client %d reads from %d", c.client, c.from)
	case readingBackward:
		return fmt.Sprintf("client %d reads backward from %d", c.client, c.from)
	default:
		return fmt.Sprintf("client %d reads the whole log", c.client)
	}
}

func (c *call) answered() string {
	switch {
	case c.unknown:
		return "no answer, but it is there in the end"
	case c.content != nil:
		return fmt.Sprintf("%s has other content", short([]string{c.content.ID}))
	case c.conflict != nil:
		return fmt.Sprintf("conflict, expected %d, actual %d", c.conflict.Expected, c.conflict.Actual)
	case c.kind != appending:
		return fmt.Sprintf("%d events, %s", len(c.read), short(c.read))
	case c.appended.Repeated:
		return fmt.Sprintf("repeated, at %d to %d", c.appended.First, c.appended.Last)
	default:
		return fmt.Sprintf("at %d to %d", c.appended.First, c.appended.Last)
	}
}

// short tells entries apart: by the first digits of their ids, the last few if there are many.
func short(entries []string) string {
	var text []string
	for _, entry := range entries[max(0, len(entries)-4):] {
		id, content, _ := strings.Cut(entry, " ")
		text = append(text, id[:8]+strings.TrimPrefix(content, `"as appended"`))
	}
	if len(entries) > 4 {
		return "… " + strings.Join(text, " ")
	}
	return strings.Join(text, " ")
}
