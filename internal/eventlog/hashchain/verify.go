package hashchain

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Part says which part of an event is not as it was recorded, as closely as can be known:
// what an event says is under one hash, and of some of it there is a second witness.
type Part string

// The parts.
const (
	PartMissing       Part = "missing"        // events before it were removed
	PartOrder         Part = "order"          // it stands where another revision should be
	PartMoved         Part = "moved"          // it was recorded at another place of the stream
	PartID            Part = "id"             // its metadata repeats it
	PartSchemaVersion Part = "schema_version" // its metadata repeats it
	PartType          Part = "type"           // with another known type the hash is right
	PartMetadata      Part = "metadata"       // it is not in the form that every event's has
	PartHash          Part = "hash"           // the next event continues what it says, not what its hash says
	PartContent       Part = "content"        // its payload or metadata; the hash covers both
	PartErased        Part = "erased"         // only the digest of its payload is left
)

// BrokenError names the first event that is not as it was recorded.
type BrokenError struct {
	Stream     string
	Revision   int64
	ID         string
	Type       string
	Position   eventlog.Position
	RecordedAt time.Time
	Part       Part
	What       string // what differs, for people
}

// Error implements error.
func (e *BrokenError) Error() string {
	return fmt.Sprintf("hashchain: stream %s is broken at revision %d (%s, event %s): %s",
		e.Stream, e.Revision, e.Type, e.ID, e.What)
}

func broken(record eventlog.Record, part Part, format string, args ...any) *BrokenError {
	return &BrokenError{
		Stream: record.Stream, Revision: record.Revision, ID: record.ID, Type: record.Type,
		Position: record.Position, RecordedAt: record.RecordedAt,
		Part: part, What: fmt.Sprintf(format, args...),
	}
}

// Head is the end of a stream: its newest event, and the hash that covers all of it.
type Head struct {
	Revision int64
	Hash     Hash
}

// Verifier checks records as they are read, of any number of streams side by side, each
// stream from its first event on. It keeps the head of each. The zero Verifier is ready.
type Verifier struct {
	// AllowErased takes payloads that were erased, see [eventlog.Erased]. Nothing else may differ.
	AllowErased bool
	// Chained says which streams are chained; nil if all are. In the others, which somebody else
	// keeps in the log, only the order is checked, and a hash is made as if they were: their
	// heads are over the stored metadata as it is.
	Chained func(stream string) bool

	heads   map[string]Head
	checked Digest
	erased  bool
}

// Heads are the heads of the streams so far, by name. They are the verifier's own: read only.
func (v *Verifier) Heads() map[string]Head { return v.heads }

// Check returns a [*BrokenError] if the record does not continue its stream's chain.
// After an error of a stream no later record of that stream means anything. With the whole
// stream at hand [Verifier.Explain] may know more.
func (v *Verifier) Check(record eventlog.Record) error {
	if v.heads == nil {
		v.heads = map[string]Head{}
	}
	last, there := v.heads[record.Stream]
	if !there {
		last.Revision = -1
	}
	switch next := last.Revision + 1; {
	case record.Revision == next+1:
		return broken(record, PartMissing, "revision %d is missing before it", next)
	case record.Revision > next:
		return broken(record, PartMissing, "revisions %d to %d are missing before it", next, record.Revision-1)
	case record.Revision < next:
		return broken(record, PartOrder, "revision %d should be here", next)
	}
	if !v.chained(record.Stream) {
		digest := linkOf(record, record.Metadata).Digest()
		v.passed(digest, digest.Next(last.Hash))
		return nil
	}
	digest, hash, erased, err := next(last.Hash, record, v.AllowErased)
	if err != nil {
		return err
	}
	v.passed(digest, hash)
	v.erased = erased
	return nil
}

// next is the hash of a record that continues previous, and what it was made of.
func next(previous Hash, record eventlog.Record, allowErased bool) (digest Digest, hash Hash, erased bool, err error) {
	metadata, hash, err := Unseal(record.Metadata)
	if err != nil {
		return digest, hash, false, broken(record, PartMetadata, "%v", err)
	}
	digest = linkOf(record, metadata).Digest()
	computed := digest.Next(previous)
	if left, is := eventlog.ErasedDigest(record.Payload); is && allowErased && computed != hash {
		digest.Payload, erased = left, true
		computed = digest.Next(previous)
	}
	if computed != hash {
		wrong := differs(record, metadata, previous, hash)
		wrong.What += fmt.Sprintf("; the recorded hash is %s, its content has %s", hash, computed)
		return digest, hash, false, wrong
	}
	return digest, hash, erased, nil
}

// Continue is the hash of a record whose predecessor in the stream has the hash previous, and whether its payload
// was erased ([eventlog.Erased]). It returns a [*BrokenError] if the record does not continue that. A caller that keeps
// the hash of each stream checks chains with it; one that reads from the start has a [Verifier].
func Continue(previous Hash, record eventlog.Record) (hash Hash, erased bool, err error) {
	prepared := Prepare(record)
	return prepared.Continue(previous, record)
}

// Prepared is what of a record's hash does not depend on what came before it: nearly all the work.
type Prepared struct {
	hashed []byte // what the hash covers, with room for the hash before it; nil if the record is not sealed
	hash   Hash
}

// Prepare makes ready for [Prepared.Continue].
func Prepare(record eventlog.Record) Prepared {
	var space [1024]byte // metadata is smaller as a rule
	metadata, hash, err := appendUnsealed(space[:0], record.Metadata)
	if err != nil {
		return Prepared{}
	}
	room := make([]byte, sha256.Size, 3*sha256.Size+5*8+len(record.Stream)+len(record.ID)+len(record.Type))
	return Prepared{hashed: linkOf(record, metadata).Digest().appendTo(room), hash: hash}
}

// Continue is as the function, of the record that was prepared.
func (p *Prepared) Continue(previous Hash, record eventlog.Record) (hash Hash, erased bool, err error) {
	if p.hashed != nil {
		copy(p.hashed, previous[:])
		if sha256.Sum256(p.hashed) == p.hash {
			return p.hash, false, nil
		}
	}
	_, hash, erased, err = next(previous, record, true)
	return hash, erased, err
}

func (v *Verifier) passed(digest Digest, hash Hash) {
	v.heads[digest.Stream] = Head{Revision: digest.Revision, Hash: hash}
	v.checked, v.erased = digest, false
}

func (v *Verifier) chained(stream string) bool { return v.Chained == nil || v.Chained(stream) }

// Checked is what the hash of the newest event is made of that [Verifier.Check] has passed.
func (v *Verifier) Checked() Digest { return v.checked }

// CheckedErased says that of the payload of that event only its digest was left.
func (v *Verifier) CheckedErased() bool { return v.erased }

func linkOf(record eventlog.Record, metadata []byte) Link {
	return Link{
		Stream: record.Stream, Revision: record.Revision, ID: record.ID, Type: record.Type,
		SchemaVersion: record.SchemaVersion, Payload: record.Payload, Metadata: metadata,
	}
}

// differs says as closely as can be known from the event alone what was changed: metadata
// repeats its id and schema version, of the rest there is only the one hash.
func differs(record eventlog.Record, metadata []byte, previous, hash Hash) *BrokenError {
	digest := linkOf(record, metadata).Digest()
	if left, erased := eventlog.ErasedDigest(record.Payload); erased {
		erased := digest
		erased.Payload = left
		if erased.Next(previous) == hash {
			return broken(record, PartErased, "its payload was erased: only its digest is left, and that is right")
		}
	}
	var repeated struct {
		EventID       string `json:"event_id"`
		SchemaVersion int    `json:"schema_version"`
	}
	if err := json.Unmarshal(metadata, &repeated); err != nil {
		return broken(record, PartMetadata, "its metadata is not JSON: %v", err)
	}
	otherID, otherVersion := repeated.EventID != record.ID, repeated.SchemaVersion != record.SchemaVersion
	digest.ID, digest.SchemaVersion = repeated.EventID, repeated.SchemaVersion
	alone := ""
	if (otherID || otherVersion) && digest.Next(previous) == hash {
		alone = ", and everything else is as it was recorded"
	}
	switch {
	case otherID:
		return broken(record, PartID, "its metadata says event %s%s", repeated.EventID, alone)
	case otherVersion:
		return broken(record, PartSchemaVersion, "its metadata says schema version %d, it is stored as %d%s",
			repeated.SchemaVersion, record.SchemaVersion, alone)
	}
	return broken(record, PartContent, "its payload, type, metadata or hash was changed, or it was moved")
}

// Verify checks all records, of one stream from its first event or of a whole log from its
// start. It returns the first [*BrokenError], or the error of reading.
func Verify(records iter.Seq2[eventlog.Record, error]) error {
	var verifier Verifier
	for record, err := range records {
		if err != nil {
			return fmt.Errorf("hashchain: read: %w", err)
		}
		if err := verifier.Check(record); err != nil {
			return err
		}
	}
	return nil
}
