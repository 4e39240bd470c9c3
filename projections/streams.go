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
`

// streams knows which streams make up the history of a subject.
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
	recorded, _, err := s.decoder.decode(record)
	if err != nil {
		return err
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
