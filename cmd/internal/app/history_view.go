package app

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// ViewRows are rows of a view, now or as they were.
type ViewRows struct {
	View string `json:"view"`
	// At is what was asked for, Position and Recorded the last event that is in it; all empty for now.
	At       string                 `json:"at,omitempty"`
	Position eventlog.Position      `json:"position,omitempty"`
	Recorded time.Time              `json:"recorded,omitzero"`
	Columns  []readmodel.ViewColumn `json:"columns"`
	Rows     [][]any                `json:"rows"`
	More     bool                   `json:"more,omitempty"` // there are more rows than were asked for
}

// ViewNamed finds a view.
func (h *History) ViewNamed(name string) (readmodel.View, error) {
	all := readmodel.Views(projections.All(h.Codec))
	names := make([]string, len(all))
	for i, view := range all {
		if names[i] = view.Name; view.Name == name {
			return view, nil
		}
	}
	slices.Sort(names)
	return readmodel.View{}, fault.New(fault.NotFound, "there is no view %q: there are %s", name, strings.Join(names, ", "))
}

// ListViews are all views, by name.
func (h *History) ListViews() []readmodel.View {
	views := readmodel.Views(projections.All(h.Codec))
	slices.SortFunc(views, func(a, b readmodel.View) int { return strings.Compare(a.Name, b.Name) })
	return views
}

// ViewAt asks a view as it was after everything up to a position, or up to the end of a time; as it is now if at is
// empty. The past is built anew from the log, and thrown away.
func (h *History) ViewAt(ctx context.Context, view readmodel.View, at string, where []readmodel.Condition, limit int, applied func(int)) (shown ViewRows, err error) {
	shown = ViewRows{View: view.Name, At: at, Columns: view.Columns}
	ask := func(q *readmodel.Query) error {
		asked := limit
		if limit > 0 {
			asked++ // to know whether there are more
		}
		shown.Rows, err = view.Rows(q, where, asked)
		if limit > 0 && len(shown.Rows) > limit {
			shown.Rows, shown.More = shown.Rows[:limit], true
		}
		if wrong, is := errors.AsType[*readmodel.WhereError](err); is {
			return fault.New(fault.Invalid, "--where %w", wrong)
		}
		return err
	}
	if at == "" {
		if err := h.Views.CatchUp(ctx); err != nil {
			return shown, err
		}
		return shown, h.Views.Read(ctx, ask)
	}
	beyond, err := beyondMoment(at, h.Now().Location())
	if err != nil {
		return shown, err
	}
	past, err := readmodel.OpenPast(ctx, readmodel.Config{Dir: h.Dir, Log: h.Log, Projections: projections.All(h.Codec)}, beyond, applied)
	if err != nil {
		return shown, err
	}
	defer func() { err = errors.Join(err, past.Close()) }()
	last := past.Last()
	shown.Position = last.Position
	if metadata, err := event.ReadMetadata(last.Metadata); err == nil {
		shown.Recorded = metadata.RecordedAt
	}
	return shown, past.Read(ctx, ask)
}

// beyondMoment says which events come after a position or a time.
func beyondMoment(at string, in *time.Location) (func(eventlog.Record) bool, error) {
	if end, err := endOf(at, in); err == nil {
		return func(record eventlog.Record) bool {
			metadata, err := event.ReadMetadata(record.Metadata)
			return err == nil && !metadata.RecordedAt.Before(end) // what cannot be read is set aside, at any time
		}, nil
	}
	if number, err := strconv.ParseInt(at, 10, 64); err == nil && number > 0 {
		last := eventlog.PositionOf(number)
		return func(record eventlog.Record) bool { return record.Position > last }, nil
	}
	return nil, fault.New(fault.Invalid, "--at %q is neither a position, as 'kintsugi history -o json' shows it, nor a time like 2026-03-01T08:00:00Z or \"2026-03-01 08:00\"", at)
}
