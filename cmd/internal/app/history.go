package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// History reads events, and folds streams and views up to a time.
type History struct {
	Dir      string
	Log      watchedLog
	Codec    *event.Registry
	Commands *commands.Commands
	Queries  *projections.Queries
	Views    *readmodel.Store
	Now      func() time.Time
}

// Streams are the names of the streams of a workflow: its own, those of its runs and of its conversations.
func (h *History) Streams(ctx context.Context, id string) ([]string, error) {
	found, err := h.Queries.Streams(ctx, id)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(found))
	for i, stream := range found {
		names[i] = stream.Name
	}
	return names, nil
}

// VerifyChains checks the hash chains of streams. A broken one is an [IntegrityError].
func (h *History) VerifyChains(ctx context.Context, streams []string) error {
	err := h.Commands.VerifyChains(ctx, streams)
	if broken, ok := errors.AsType[*hashchain.BrokenError](err); ok {
		return ChangedHistory(broken)
	}
	return err
}

// ChangedHistory is the error of a chain that does not hold.
func ChangedHistory(broken *hashchain.BrokenError) error {
	return Changed(broken)
}

// Events is the workflow's own stream, or everything.
func (h *History) Events(ctx context.Context, id string, streams []string, all bool) ([]event.Recorded, error) {
	if !all {
		streams = []string{workflow.Stream(id)}
	}
	var recorded []event.Recorded
	for one, err := range h.Commands.History(ctx, streams) {
		if err != nil {
			return nil, err
		}
		recorded = append(recorded, one)
	}
	saidWhen(recorded, h.Now().Location())
	return recorded, nil
}

// saidWhen has events that were erased say when, and by whom, if the deletion of their workflow is among them.
func saidWhen(recorded []event.Recorded, in *time.Location) {
	for _, one := range recorded {
		if _, is := one.Event.(workflow.WorkflowDeleted); !is {
			continue
		}
		text := fmt.Sprintf("erased on %s by %s; its digest was kept", one.Metadata.RecordedAt.In(in).Format(time.DateOnly), one.Metadata.Actor)
		for i, before := range recorded {
			if erased, is := before.Event.(event.Erased); is {
				recorded[i].Event = event.Erased{Type: erased.Type, Text: text}
			}
		}
	}
}

// HistoryLine is an event as -o json shows it.
type HistoryLine struct {
	Position string          `json:"position"`
	Stream   string          `json:"stream"`
	Revision int64           `json:"revision"`
	Type     string          `json:"type"`
	Summary  string          `json:"summary"`
	Metadata event.Metadata  `json:"metadata"`
	Payload  json.RawMessage `json:"payload"`
}

// HistoryLines are events as they are shown in a time zone.
func HistoryLines(recorded []event.Recorded, in *time.Location) ([]HistoryLine, error) {
	lines := make([]HistoryLine, 0, len(recorded))
	for _, one := range recorded {
		payload, err := event.Marshal(one.Event)
		if err != nil {
			return nil, fmt.Errorf("show %s: %w", one.Event.EventType(), err)
		}
		lines = append(lines, HistoryLine{
			Position: one.Position, Stream: one.Stream, Revision: one.Revision, Type: one.Event.EventType(),
			Summary: projections.Line(one.Event, in), Metadata: one.Metadata, Payload: payload,
		})
	}
	return lines, nil
}

// Local is the keys and files of a workflow, as they are or as they were.
func (h *History) Local(ctx context.Context, id, at string) (projections.Local, error) {
	if at == "" {
		if err := h.Views.CatchUp(ctx); err != nil {
			return projections.Local{}, err
		}
		return h.Queries.Local(ctx, id)
	}
	m, err := ParseMoment(at, h.Now().Location())
	if err != nil {
		return projections.Local{}, err
	}
	streams, err := h.Streams(ctx, id)
	if err != nil {
		return projections.Local{}, err
	}
	recorded, err := h.Events(ctx, id, streams, true)
	if err != nil {
		return projections.Local{}, err
	}
	end, err := m.Cut(workflow.Stream(id), recorded)
	if err != nil {
		return projections.Local{}, err
	}
	return projections.LocalOf(recorded[:end])
}
