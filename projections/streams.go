package projections

import (
	"context"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

const streamSchema = `
CREATE TABLE stream (
  name    TEXT PRIMARY KEY,
  subject TEXT NOT NULL,
  events  INTEGER NOT NULL,
  began   INTEGER NOT NULL -- as the how manieth of all; a position is another one after a move
) WITHOUT ROWID;
CREATE UNIQUE INDEX stream_began ON stream (began);
CREATE INDEX stream_subject ON stream (subject, began);
CREATE TABLE unknown_event (
  type   TEXT PRIMARY KEY,
  events INTEGER NOT NULL,
  stream TEXT NOT NULL, -- of the first one
  revision INTEGER NOT NULL
) WITHOUT ROWID;
`

// streams knows which streams make up the history of a subject. It also counts what no
// projection understands.
type streams struct{ decoder *decoder }

var _ readmodel.Projection = streams{}

// Name implements [readmodel.Projection].
func (streams) Name() string { return "streams" }

// Version implements [readmodel.Projection].
func (streams) Version() int { return 2 }

// Schema implements [readmodel.Projection].
func (streams) Schema() string { return streamSchema }

// Apply implements [readmodel.Projection].
func (s streams) Apply(tx *readmodel.Tx, record eventlog.Record) error {
	if !ours(record.Stream) {
		return nil
	}
	recorded, known, err := s.decoder.decode(record)
	if err != nil {
		return err
	}
	if !known {
		if err := exec(tx, `INSERT INTO unknown_event (type, events, stream, revision) VALUES (?, 1, ?, ?)
			ON CONFLICT (type) DO UPDATE SET events = events + 1`, record.Type, record.Stream, record.Revision); err != nil {
			return err
		}
	}
	return exec(tx, `INSERT INTO stream (name, subject, events, began) VALUES (?, ?, 1, (SELECT coalesce(max(began), 0) + 1 FROM stream))
		ON CONFLICT (name) DO UPDATE SET events = events + 1`,
		record.Stream, recorded.Metadata.Subject)
}

// Stream is a stream of a subject's history.
type Stream struct {
	Name   string `json:"name"`
	Events int    `json:"events"`
}

// Streams are the streams of a workflow's history, in the order they began.
func (q *Queries) Streams(ctx context.Context, workflow string) ([]Stream, error) {
	return collect(ctx, q, func(row readmodel.Row) (Stream, error) {
		return Stream{Name: row.Text("name"), Events: row.Int("events")}, nil
	}, `SELECT name, events FROM stream WHERE subject = ? ORDER BY began`, "workflow:"+workflow)
}

// UnknownType is a type of events in the log that this program does not know.
type UnknownType struct {
	Type   string `json:"type"`
	Events int    `json:"events"`
	// Where the first one is.
	Stream   string `json:"stream"`
	Revision int64  `json:"revision"`
}

// UnknownTypes are the types of events that were skipped: the log was written by a newer
// or another program.
func (q *Queries) UnknownTypes(ctx context.Context) ([]UnknownType, error) {
	return collect(ctx, q, func(row readmodel.Row) (UnknownType, error) {
		return UnknownType{
			Type: row.Text("type"), Events: row.Int("events"), Stream: row.Text("stream"), Revision: row.Int64("revision"),
		}, nil
	}, `SELECT type, events, stream, revision FROM unknown_event ORDER BY type`)
}
