package app

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/account"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Newest are events of all streams, the newest first, before a position (empty for the end): at most so many that pass
// the filter and that sees, which is asked for the subject of each, lets through. It looks at a bounded part of the log.
func (h *History) Newest(ctx context.Context, before eventlog.Position, filter eventlog.Filter, most int, sees func(subject string) bool) (lines []HistoryLine, next string, err error) {
	if before == "" {
		before = eventlog.End
	}
	looked := 0
	var found []event.Recorded
	for record, err := range h.Log.AllBackward(ctx, before, filter) {
		if err != nil {
			return nil, "", err
		}
		if looked++; len(found) == most || looked > mostLooked {
			next = string(before)
			break
		}
		before = record.Position
		if shown, err := h.Commands.Show(record); err != nil {
			return nil, "", err
		} else if sees(shown.Metadata.Subject) {
			found = append(found, shown)
		}
	}
	lines, err = HistoryLines(found, h.Now().Location())
	return lines, next, err
}

// mostLooked bounds what one question reads of the log, for those who see few of its events.
const mostLooked = 5000

// End is the newest event of a stream: its revision says how many there are.
func (h *History) End(ctx context.Context, stream string) (event.Recorded, error) {
	for record, err := range h.Log.StreamBackward(ctx, stream, eventlog.Newest) {
		if err != nil {
			return event.Recorded{}, err
		}
		return h.Commands.Show(record)
	}
	return event.Recorded{}, fault.New(fault.NotFound, "there is no stream %q: workflow-ID, run-ID and thread-ID are some", stream)
}

// Before are events of a stream, the newest first, from a revision down.
func (h *History) Before(ctx context.Context, stream string, from int64, most int) ([]HistoryLine, error) {
	var found []event.Recorded
	for record, err := range h.Log.StreamBackward(ctx, stream, from) {
		if err != nil {
			return nil, err
		}
		if len(found) == most {
			break
		}
		shown, err := h.Commands.Show(record)
		if err != nil {
			return nil, err
		}
		found = append(found, shown)
	}
	return HistoryLines(found, h.Now().Location())
}

// StreamMoment is a stream at one of its events: what its events came to before it, and with it.
type StreamMoment struct {
	Event  HistoryLine     `json:"event"`
	Before json.RawMessage `json:"before"` // null before the first
	After  json.RawMessage `json:"after"`
}

// Moment folds a stream up to a revision.
func (h *History) Moment(ctx context.Context, stream string, at int64) (StreamMoment, error) {
	fold := foldOf(stream)
	var moment StreamMoment
	var state any
	var last *event.Recorded
	for record, err := range h.Log.Stream(ctx, stream, 0) {
		if err != nil {
			return moment, err
		}
		if record.Revision > at {
			break
		}
		if moment.Before, err = shownState(state, record.Revision == at); err != nil {
			return moment, err
		}
		shown, err := h.Commands.Show(record)
		if err != nil {
			return moment, err
		}
		if _, erased := shown.Event.(event.Erased); !erased {
			state = fold(state, shown)
		}
		last = &shown
	}
	if last == nil || last.Revision != at {
		return moment, fault.New(fault.NotFound, "stream %s has no revision %d", stream, at)
	}
	lines, err := HistoryLines([]event.Recorded{*last}, h.Now().Location())
	if err != nil {
		return moment, err
	}
	moment.Event = lines[0]
	moment.After, err = shownState(state, true)
	return moment, err
}

// shownState is a state as JSON, if it is wanted.
func shownState(state any, wanted bool) (json.RawMessage, error) {
	if !wanted {
		return nil, nil
	}
	if of, is := state.(workflow.State); is {
		state = SnapshotOf(of, projections.Local{})
	}
	text, err := json.Marshal(state)
	if err != nil {
		return nil, fmt.Errorf("show a state: %w", err)
	}
	return text, nil
}

// foldOf is what the events of a stream come to, by what the stream is of. For a stream that is not Kintsugi's own it is how many there are.
func foldOf(stream string) func(state any, recorded event.Recorded) any {
	switch {
	case strings.HasPrefix(stream, workflow.StreamPrefix):
		return folding(workflow.Evolve)
	case strings.HasPrefix(stream, run.StreamPrefix):
		return folding(run.Evolve)
	case strings.HasPrefix(stream, thread.StreamPrefix):
		return folding(thread.Evolve)
	case strings.HasPrefix(stream, account.StreamPrefix):
		return folding(account.Evolve)
	case strings.HasPrefix(stream, subscription.StreamPrefix):
		return folding(subscription.Evolve)
	case stream == installation.Stream:
		return folding(installation.Evolve)
	}
	return func(state any, _ event.Recorded) any {
		n, _ := state.(int)
		return n + 1
	}
}

func folding[S any](evolve func(S, event.Event) S) func(state any, recorded event.Recorded) any {
	return func(state any, recorded event.Recorded) any {
		before, _ := state.(S)
		return evolve(before, recorded.Event)
	}
}
