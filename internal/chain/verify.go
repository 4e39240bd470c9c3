package chain

import (
	"encoding/json"
	"fmt"
	"iter"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// BrokenError names the first event that is not as it was recorded.
type BrokenError struct {
	Stream   string
	Revision int64
	ID       string
	Type     string
	What     string // what differs, for people
}

// Error implements error.
func (e *BrokenError) Error() string {
	return fmt.Sprintf("chain: stream %s is broken at revision %d (%s, event %s): %s",
		e.Stream, e.Revision, e.Type, e.ID, e.What)
}

// Verifier checks records as they are read, of any number of streams side by side, each
// stream from its first event on. The zero Verifier is ready.
type Verifier struct {
	heads map[string]head
}

type head struct {
	revision int64
	hash     Hash
}

// Check returns a [*BrokenError] if the record does not continue its stream's chain.
// After an error of a stream no later record of that stream means anything.
func (v *Verifier) Check(record eventlog.Record) error {
	if v.heads == nil {
		v.heads = map[string]head{}
	}
	last, there := v.heads[record.Stream]
	if !there {
		last.revision = -1
	}
	broken := func(what string) error {
		return &BrokenError{
			Stream: record.Stream, Revision: record.Revision, ID: record.ID, Type: record.Type, What: what,
		}
	}
	switch next := last.revision + 1; {
	case record.Revision > next:
		return broken(fmt.Sprintf("revision %d is missing before it", next))
	case record.Revision < next:
		return broken(fmt.Sprintf("revision %d should be here", next))
	}
	metadata, hash, err := Unseal(record.Metadata)
	if err != nil {
		return broken(err.Error())
	}
	computed := Next(last.hash, Link{
		Stream: record.Stream, Revision: record.Revision, ID: record.ID, Type: record.Type,
		SchemaVersion: record.SchemaVersion, Payload: record.Payload, Metadata: metadata,
	})
	if computed != hash {
		return broken(differs(record, metadata) + fmt.Sprintf("; the recorded hash is %s, its content has %s", hash, computed))
	}
	v.heads[record.Stream] = head{revision: record.Revision, hash: hash}
	return nil
}

// differs says as closely as can be known what was changed: metadata repeats the event's
// id and schema version, of the rest there is only the one hash.
func differs(record eventlog.Record, metadata []byte) string {
	var repeated struct {
		EventID       string `json:"event_id"`
		SchemaVersion int    `json:"schema_version"`
	}
	switch err := json.Unmarshal(metadata, &repeated); {
	case err != nil:
		return "its metadata is not JSON: " + err.Error()
	case repeated.EventID != record.ID:
		return fmt.Sprintf("its metadata says event %s", repeated.EventID)
	case repeated.SchemaVersion != record.SchemaVersion:
		return fmt.Sprintf("its metadata says schema version %d, it is stored as %d", repeated.SchemaVersion, record.SchemaVersion)
	}
	return "its payload, type, metadata or hash was changed, or it was moved"
}

// Verify checks all records, of one stream from its first event or of a whole log from its
// start. It returns the first [*BrokenError], or the error of reading.
func Verify(records iter.Seq2[eventlog.Record, error]) error {
	var verifier Verifier
	for record, err := range records {
		if err != nil {
			return fmt.Errorf("chain: read: %w", err)
		}
		if err := verifier.Check(record); err != nil {
			return err
		}
	}
	return nil
}
