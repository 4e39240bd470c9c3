package projections

import (
	"context"
	"fmt"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// Stream is a stream of a subject's history.
type Stream struct {
	Name   string `json:"name" col:"name,key"`
	Events int    `json:"events" col:"events"`
	Erased int    `json:"erased,omitempty" col:"erased"` // of them, those of whose payload only the digest is left

	Subject string `json:"-" col:"subject"`
	Hash    []byte `json:"-" col:"hash"`  // of the newest event
	Began   int64  `json:"-" col:"began"` // as the how manieth of all
}

var streamTable = readmodel.NewTable[Stream]("stream", readmodel.Index("subject", "began"))

// streams knows which streams make up the history of a subject, and that each is whole: what does not continue its
// chain is applied by no projection, because this one is asked first.
type streams struct{ codec *event.Registry }

var (
	_ readmodel.Projection = streams{}
	_ readmodel.Decoder    = streams{}
	_ readmodel.Renewer    = streams{}
)

// Renews implements [readmodel.Renewer].
func (streams) Renews(record eventlog.Record) bool { return record.Type == workflow.TypeWorkflowErased }

// Decode implements [readmodel.Decoder].
func (s streams) Decode(record eventlog.Record) any { return decode(s.codec, record) }

// Name implements [readmodel.Projection].
func (streams) Name() string { return "streams" }

// Version implements [readmodel.Projection].
func (streams) Version() int { return 4 }

// Tables implements [readmodel.Projection].
func (streams) Tables() []readmodel.Declared { return tables(streamTable) }

// Apply implements [readmodel.Projection].
func (streams) Apply(tx *readmodel.Tx, record eventlog.Record) error {
	made := tx.Decoded().(*decoded)
	if !made.ours {
		return nil
	}
	one := streamTable.Edit(tx, record.Stream)
	first := one == nil
	if first {
		one = &Stream{Name: record.Stream, Subject: strings.Clone(made.Metadata.Subject)}
	}
	if record.Revision != int64(one.Events) {
		return fmt.Errorf("projections: revision %d is missing before it", one.Events)
	}
	var previous hashchain.Hash
	copy(previous[:], one.Hash)
	hash, erased, err := made.chain.Continue(previous, record)
	if err != nil {
		return err
	}
	if made.err != nil {
		return made.err
	}
	one.Events++
	one.Hash = append(one.Hash[:0], hash[:]...)
	if erased {
		one.Erased++
	}
	if first {
		one.Began = tx.Next("stream")
		streamTable.Insert(tx, *one)
	}
	return nil
}

// Streams are the streams of a workflow's history, in the order they began.
func (q *Queries) Streams(ctx context.Context, id string) ([]Stream, error) {
	return selected(ctx, q, streamTable, "WHERE subject = ? ORDER BY began", workflow.Subject(id))
}
