package projections

import (
	"context"
	"fmt"

	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/chain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

const streamSchema = `
CREATE TABLE stream (
  name    TEXT PRIMARY KEY,
  subject TEXT NOT NULL,
  events  INTEGER NOT NULL,
  erased  INTEGER NOT NULL, -- of them, those of whose payload only the digest is left
  hash    BLOB NOT NULL,    -- of the newest one
  began   INTEGER NOT NULL -- as the how manieth of all; a position is another one after a move
) WITHOUT ROWID;
CREATE UNIQUE INDEX stream_began ON stream (began);
CREATE INDEX stream_subject ON stream (subject, began);
`

// streams knows which streams make up the history of a subject, and that each is whole: what does not continue its
// chain is applied by no projection, because this one is asked first.
type streams struct{ decoder *decoder }

var _ readmodel.Projection = streams{}

// Name implements [readmodel.Projection].
func (streams) Name() string { return "streams" }

// Version implements [readmodel.Projection].
func (streams) Version() int { return 3 }

// Tables implements [readmodel.Projection].
func (streams) Tables() []readmodel.Declared { return nil }

// Schema implements [readmodel.Projection].
func (streams) Schema() string { return streamSchema }

// Apply implements [readmodel.Projection].
func (s streams) Apply(tx *readmodel.Tx, record eventlog.Record) error {
	if !domain.OwnStream(record.Stream) {
		return nil
	}
	events, previous, err := head(tx, record.Stream)
	if err != nil {
		return err
	}
	if record.Revision != events {
		return fmt.Errorf("projections: revision %d is missing before it", events)
	}
	hash, erased, err := chain.Continue(previous, record)
	if err != nil {
		return err
	}
	recorded, _, err := s.decoder.decode(record)
	if err != nil {
		return err
	}
	return exec(tx, `INSERT INTO stream (name, subject, events, erased, hash, began)
		VALUES (?, ?, 1, ?, ?, (SELECT coalesce(max(began), 0) + 1 FROM stream))
		ON CONFLICT (name) DO UPDATE SET events = events + 1, erased = erased + excluded.erased, hash = excluded.hash`,
		record.Stream, recorded.Metadata.Subject, erased, hash[:])
}

// head is how many events of a stream there are so far, and the hash of the newest.
func head(tx *readmodel.Tx, stream string) (events int64, hash chain.Hash, err error) {
	_, _, err = readmodel.First(tx.Rows(`SELECT events, hash FROM stream WHERE name = ?`, stream), func(row readmodel.Row) (struct{}, error) {
		events = row.Int64("events")
		copy(hash[:], row.Bytes("hash"))
		return struct{}{}, nil
	})
	return events, hash, err
}

// Stream is a stream of a subject's history.
type Stream struct {
	Name   string `json:"name"`
	Events int    `json:"events"`
	Erased int    `json:"erased,omitempty"` // of them, those of whose payload only the digest is left
}

// Streams are the streams of a workflow's history, in the order they began.
func (q *Queries) Streams(ctx context.Context, id string) ([]Stream, error) {
	return collect(ctx, q, func(row readmodel.Row) (Stream, error) {
		return Stream{Name: row.Text("name"), Events: row.Int("events"), Erased: row.Int("erased")}, nil
	}, `SELECT name, events, erased FROM stream WHERE subject = ? ORDER BY began`, workflow.Subject(id))
}
