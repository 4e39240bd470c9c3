package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
)

// ProofFormat is that of the proofs that this package writes.
const ProofFormat = "kintsugi.proof/1"

// Event is an event in a proof: what its hash is made of.
type Event struct {
	Stream         string         `json:"stream"`
	Revision       int64          `json:"revision"`
	ID             string         `json:"id"`
	Type           string         `json:"type"`
	SchemaVersion  int            `json:"schema_version"`
	PayloadSHA256  hashchain.Hash `json:"payload_sha256"`
	MetadataSHA256 hashchain.Hash `json:"metadata_sha256"` // without the hash
}

// Later is an event of the same stream after the proved one: [id, type, schema version, SHA-256 of
// the payload, SHA-256 of the metadata without the hash].
type Later struct {
	ID            string
	Type          string
	SchemaVersion int
	Payload       hashchain.Hash
	Metadata      hashchain.Hash
}

// Proof shows that an event is part of a signed history, to who does not have the log. It
// gives nothing away of other events but their ids, types and digests.
type Proof struct {
	Format   string         `json:"format"`
	Event    Event          `json:"event"`
	Previous hashchain.Hash `json:"previous"` // the hash that the event continues
	Later    []Later        `json:"later"`    // up to the head that was signed
	// Index is which leaf of the tree the head is, and Path the siblings from there to the root.
	Index      int64            `json:"index"`
	Path       []hashchain.Hash `json:"path"`
	Checkpoint Signed           `json:"checkpoint"`
}

// MaxLater is how many later events of its stream a proof can bridge.
const MaxLater = 250_000

// maxProofBytes is more than a proof with so many events.
const maxProofBytes = 128 << 20

// NotSignedError says that a checkpoint says nothing of an event.
type NotSignedError struct {
	Stream   string
	Revision int64
	Head     int64 // the stream's newest revision in the checkpoint, -1 if it was not there
}

// Error implements error.
func (e *NotSignedError) Error() string {
	if e.Head < 0 {
		return fmt.Sprintf("checkpoint: the checkpoint has no stream %s: it is newer, or there is none", e.Stream)
	}
	return fmt.Sprintf("checkpoint: the checkpoint has stream %s up to revision %d, and nothing of revision %d: take a newer one", e.Stream, e.Head, e.Revision)
}

// Prove makes a proof of an event from its stream, read from the first event on, and a checkpoint that is verified.
// Chained is as in [hashchain.Verifier]. It returns a [*hashchain.BrokenError] or a [*DifferenceError] if the stream
// differs from the signed one.
func (c *Checkpoint) Prove(
	stream string, revision int64, records iter.Seq2[eventlog.Record, error], chained func(string) bool,
) (*Proof, error) {
	index, found := slices.BinarySearchFunc(c.Heads, stream, func(head Head, name string) int {
		switch {
		case head.Stream < name:
			return -1
		case head.Stream > name:
			return 1
		}
		return 0
	})
	if !found {
		return nil, &NotSignedError{Stream: stream, Revision: revision, Head: -1}
	}
	signed := c.Heads[index]
	if revision < 0 || revision > signed.Revision {
		return nil, &NotSignedError{Stream: stream, Revision: revision, Head: signed.Revision}
	}
	if later := signed.Revision - revision; later > MaxLater {
		return nil, fmt.Errorf("checkpoint: %d events follow revision %d of stream %s up to the checkpoint, a proof bridges %d: use an earlier checkpoint",
			later, revision, stream, MaxLater)
	}
	proof := &Proof{
		Format: ProofFormat, Later: []Later{}, Index: int64(index), Path: append([]hashchain.Hash{}, pathOf(leaves(c.Heads), index)...), Checkpoint: c.Signed,
	}
	verifier := hashchain.Verifier{Chained: chained}
	watch := (&Checkpoint{Heads: []Head{signed}}).Watch()
	for record, err := range records {
		if err != nil {
			return nil, fmt.Errorf("checkpoint: read %s: %w", stream, err)
		}
		if record.Revision > signed.Revision {
			break
		}
		previous := verifier.Heads()[stream].Hash
		if err := verifier.Check(record); err != nil {
			return nil, err
		}
		if err := watch.Check(stream, verifier.Heads()[stream]); err != nil {
			return nil, err
		}
		proof.add(verifier.Checked(), revision, previous)
	}
	if err := watch.End(verifier.Heads()); err != nil {
		return nil, err
	}
	return proof, nil
}

func (p *Proof) add(d hashchain.Digest, revision int64, previous hashchain.Hash) {
	switch {
	case d.Revision == revision:
		p.Previous = previous
		p.Event = Event{
			Stream: d.Stream, Revision: d.Revision, ID: d.ID, Type: d.Type, SchemaVersion: d.SchemaVersion,
			PayloadSHA256: d.Payload, MetadataSHA256: d.Metadata,
		}
	case d.Revision > revision:
		p.Later = append(p.Later, Later{ID: d.ID, Type: d.Type, SchemaVersion: d.SchemaVersion, Payload: d.Payload, Metadata: d.Metadata})
	}
}

// Verify returns a [*ForgedError] unless the event is part of a history that the owner of a
// key signed. It needs nothing but the proof.
func (p *Proof) Verify(trusted PublicKey) error {
	if err := p.Checkpoint.Verify(trusted); err != nil {
		return err
	}
	if p.Event.Revision < 0 {
		return forged("its event has the revision %d", p.Event.Revision)
	}
	digest := hashchain.Digest{
		Stream: p.Event.Stream, Revision: p.Event.Revision, ID: p.Event.ID, Type: p.Event.Type,
		SchemaVersion: p.Event.SchemaVersion, Payload: p.Event.PayloadSHA256, Metadata: p.Event.MetadataSHA256,
	}
	hash := digest.Next(p.Previous)
	for _, later := range p.Later {
		digest = hashchain.Digest{
			Stream: digest.Stream, Revision: digest.Revision + 1, ID: later.ID, Type: later.Type,
			SchemaVersion: later.SchemaVersion, Payload: later.Payload, Metadata: later.Metadata,
		}
		hash = digest.Next(hash)
	}
	head := Head{Stream: digest.Stream, Revision: digest.Revision, Hash: hash}
	root, ok := climb(head.leaf(), p.Index, p.Checkpoint.Streams, p.Path)
	if !ok {
		return forged("its path does not fit a tree of %d streams", p.Checkpoint.Streams)
	}
	if root != p.Checkpoint.Root {
		return forged("its event leads to the root %s, and %s was signed: it is not part of that history", root, p.Checkpoint.Root)
	}
	return nil
}

// Matches returns a [*ForgedError] unless a record is the event of the proof, byte for byte.
func (p *Proof) Matches(record eventlog.Record) error {
	metadata := record.Metadata
	if unsealed, _, err := hashchain.Unseal(metadata); err == nil {
		metadata = unsealed
	}
	link := hashchain.Link{
		Stream: record.Stream, Revision: record.Revision, ID: record.ID, Type: record.Type, SchemaVersion: record.SchemaVersion,
		Payload: record.Payload, Metadata: metadata,
	}
	got, of := link.Digest(), p.Event
	link.Metadata = record.Metadata // of a stream that is not chained
	for _, part := range []struct {
		what string
		same bool
	}{
		{"stream", got.Stream == of.Stream},
		{"revision", got.Revision == of.Revision},
		{"id", got.ID == of.ID},
		{"type", got.Type == of.Type},
		{"schema version", got.SchemaVersion == of.SchemaVersion},
		{"payload", got.Payload == of.PayloadSHA256},
		{"metadata", got.Metadata == of.MetadataSHA256 || link.Digest().Metadata == of.MetadataSHA256},
	} {
		if !part.same {
			return forged("the event has another %s than the one that is proved, %s %s, revision %d of stream %s",
				part.what, of.Type, of.ID, of.Revision, of.Stream)
		}
	}
	return nil
}

// Write writes the proof as JSON.
func (p *Proof) Write(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(p); err != nil {
		return fmt.Errorf("checkpoint: write a proof: %w", err)
	}
	return nil
}

// ReadProof reads a proof. It has not been verified then.
func ReadProof(r io.Reader) (*Proof, error) {
	proof := &Proof{}
	if err := decode(r, maxProofBytes, ProofFormat, proof, &proof.Format); err != nil {
		return nil, err
	}
	if len(proof.Later) > MaxLater {
		return nil, fmt.Errorf("checkpoint: it bridges %d events, and no proof more than %d", len(proof.Later), MaxLater)
	}
	return proof, nil
}

// MarshalJSON implements [json.Marshaler].
func (l Later) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{l.ID, l.Type, l.SchemaVersion, l.Payload, l.Metadata})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (l *Later) UnmarshalJSON(text []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		return err
	}
	if len(parts) != 5 {
		return errors.New(`a later event is ["id","type",schema version,"payload","metadata"]`)
	}
	return errors.Join(
		json.Unmarshal(parts[0], &l.ID), json.Unmarshal(parts[1], &l.Type), json.Unmarshal(parts[2], &l.SchemaVersion),
		json.Unmarshal(parts[3], &l.Payload), json.Unmarshal(parts[4], &l.Metadata),
	)
}
