package eventlog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// An append is fresh, a repeat, a conflict or a content error, and nothing else.
func TestCompare(t *testing.T) {
	t.Parallel()
	a := eventlog.Event{ID: "a", Type: "T", SchemaVersion: 1, Payload: []byte(`1`), Metadata: []byte(`m`)}
	b := eventlog.Event{ID: "b", Type: "T", SchemaVersion: 1, Payload: []byte(`2`)}
	at := func(event eventlog.Event, revision int64) map[string]eventlog.Record {
		return map[string]eventlog.Record{event.ID: {Event: event, Revision: revision, Position: eventlog.PositionOf(revision + 100)}}
	}
	both := func(first, second int64) map[string]eventlog.Record {
		there := at(a, first)
		there["b"] = at(b, second)["b"]
		return there
	}
	changed := func(change func(*eventlog.Event)) map[string]eventlog.Record {
		other := a
		change(&other)
		return at(other, 5)
	}
	conflict := func(actual int64) error { return &eventlog.ConflictError{Stream: "s", Expected: 4, Actual: actual} }
	content := &eventlog.ContentError{Stream: "s", ID: "a"}
	repeat := eventlog.Appended{First: 5, Last: 6, Position: eventlog.PositionOf(106), Repeated: true}

	for name, c := range map[string]struct {
		last   int64
		there  map[string]eventlog.Record
		repeat eventlog.Appended
		fresh  bool
		err    error
	}{
		"as expected":               {last: 4, fresh: true},
		"the stream is longer":      {last: 5, err: conflict(5)},
		"the stream is shorter":     {last: -1, err: conflict(-1)},
		"all there, in place":       {last: 6, there: both(5, 6), repeat: repeat},
		"and the stream went on":    {last: 9, there: both(5, 6), repeat: repeat},
		"all there, elsewhere":      {last: 4, there: both(3, 4), err: conflict(4)},
		"all there, in other order": {last: 6, there: both(6, 5), err: conflict(6)},
		"one there":                 {last: 5, there: at(a, 5), err: conflict(5)},
		"one there before":          {last: 4, there: at(b, 2), err: conflict(4)},
		"another type":              {last: 6, there: changed(func(e *eventlog.Event) { e.Type = "U" }), err: content},
		"another schema version":    {last: 6, there: changed(func(e *eventlog.Event) { e.SchemaVersion = 2 }), err: content},
		"another payload":           {last: 4, there: changed(func(e *eventlog.Event) { e.Payload = nil }), err: content},
		"other metadata":            {last: 5, there: changed(func(e *eventlog.Event) { e.Metadata = nil }), err: conflict(5)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, fresh, err := eventlog.Compare("s", 4, []eventlog.Event{a, b}, c.last, c.there)
			require.Equal(t, c.err, err)
			require.Equal(t, c.fresh, fresh)
			require.Equal(t, c.repeat, got)
		})
	}
}
