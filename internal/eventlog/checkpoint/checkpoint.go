package checkpoint

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
)

// Format is that of the checkpoints that this package writes.
const Format = "kintsugi.checkpoint/1"

// Statement is what is signed.
type Statement struct {
	Format  string    `json:"format"`
	TakenAt time.Time `json:"taken_at"`
	Events  int64     `json:"events"`
	Streams int64     `json:"streams"`
	// Position is the log's newest event, in the store it was in. It is for people.
	Position eventlog.Position `json:"position"`
	Root     hashchain.Hash    `json:"root"`
	// Previous is the [Statement.Digest] of the checkpoint before, nil for none.
	Previous  *hashchain.Hash `json:"previous,omitempty"`
	PublicKey PublicKey       `json:"public_key"`
}

// Signed is a statement with its signature: a checkpoint without its heads.
type Signed struct {
	Statement
	Signature Signature `json:"signature"`
}

// Signature is an Ed25519 signature. As text it is base64 in the one spelling that there is of it.
type Signature []byte

// MarshalText implements [encoding.TextMarshaler].
func (s Signature) MarshalText() ([]byte, error) { return base64.StdEncoding.AppendEncode(nil, s), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *Signature) UnmarshalText(text []byte) (err error) {
	if *s, err = base64.StdEncoding.Strict().DecodeString(string(text)); err != nil {
		return fmt.Errorf("checkpoint: the signature: %w", err)
	}
	return nil
}

// Head is the head of a stream.
type Head struct {
	Stream   string
	Revision int64
	Hash     hashchain.Hash
}

// Checkpoint is what a log was at a moment.
type Checkpoint struct {
	Signed
	Heads []Head // sorted by stream
}

// ForgedError says what is wrong with a checkpoint or a proof that can be read, but differs from the one that the
// owner of the key signed.
type ForgedError struct{ What string }

// Error implements error.
func (e *ForgedError) Error() string { return "checkpoint: " + e.What }

func forged(format string, args ...any) error {
	return &ForgedError{What: fmt.Sprintf(format, args...)}
}

// lines are what is signed. No value holds the end of a line: [Signed.Verify] sees to the position.
func (s Statement) lines() []byte {
	previous := "-"
	if s.Previous != nil {
		previous = s.Previous.String()
	}
	var lines bytes.Buffer
	fmt.Fprintf(&lines, "%s\ntaken_at %s\nevents %d\nstreams %d\nposition %s\nroot %s\nprevious %s\nkey %s\n",
		s.Format, s.TakenAt.UTC().Format(time.RFC3339Nano), s.Events, s.Streams, s.Position, s.Root, previous, s.PublicKey)
	return lines.Bytes()
}

// Digest names the statement: the next checkpoint repeats it.
func (s Statement) Digest() hashchain.Hash { return sha256.Sum256(s.lines()) }

// Verify returns a [*ForgedError] unless the statement was signed by the owner of a key.
func (s Signed) Verify(trusted PublicKey) error {
	if s.PublicKey != trusted {
		return forged("it is signed with the key %s, and the key that is trusted is %s", s.PublicKey, trusted)
	}
	if _, err := s.Position.Number(); err != nil {
		return forged("its position is none: %v", err)
	}
	if !ed25519.Verify(trusted[:], s.lines(), s.Signature) {
		return forged("its signature is not of what it says: it was changed after it was signed")
	}
	return nil
}

// Root is the root over the heads of streams, in whatever order they are kept.
func Root(heads map[string]hashchain.Head) hashchain.Hash { return rootOf(leaves(sorted(heads))) }

func sorted(heads map[string]hashchain.Head) []Head {
	list := make([]Head, 0, len(heads))
	for stream, head := range heads {
		list = append(list, Head{Stream: stream, Revision: head.Revision, Hash: head.Hash})
	}
	slices.SortFunc(list, func(a, b Head) int { return cmp.Compare(a.Stream, b.Stream) })
	return list
}

// New signs the heads of all streams of a log. Previous is the checkpoint before this one, nil for none.
func New(heads map[string]hashchain.Head, position eventlog.Position, at time.Time, previous *Signed, key PrivateKey) *Checkpoint {
	list := sorted(heads)
	c := &Checkpoint{
		Signed: Signed{Statement: Statement{
			Format: Format, TakenAt: at.UTC().Round(0), Streams: int64(len(list)), Position: position,
			Root: rootOf(leaves(list)), PublicKey: key.Public(),
		}},
		Heads: list,
	}
	for _, head := range list {
		c.Events += head.Revision + 1
	}
	if previous != nil {
		digest := previous.Digest()
		c.Previous = &digest
	}
	c.Signature = ed25519.Sign(key.key, c.lines())
	return c
}

// MarshalJSON implements [json.Marshaler]: a head is ["stream",revision,"hash"].
func (h Head) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{h.Stream, h.Revision, h.Hash})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (h *Head) UnmarshalJSON(text []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		return err
	}
	if len(parts) != 3 {
		return errors.New(`a head is ["stream",revision,"hash"]`)
	}
	return errors.Join(json.Unmarshal(parts[0], &h.Stream), json.Unmarshal(parts[1], &h.Revision), json.Unmarshal(parts[2], &h.Hash))
}

// Write writes the checkpoint as JSON, one head a line.
func (c *Checkpoint) Write(w io.Writer) error {
	signed, err := json.MarshalIndent(c.Signed, "", "  ")
	if err != nil {
		return fmt.Errorf("checkpoint: write a checkpoint: %w", err)
	}
	var text bytes.Buffer
	text.Write(bytes.TrimSuffix(signed, []byte("\n}")))
	text.WriteString(",\n  \"heads\": [")
	for i, head := range c.Heads {
		line, err := json.Marshal(head)
		if err != nil {
			return fmt.Errorf("checkpoint: write a checkpoint: %w", err)
		}
		if i > 0 {
			text.WriteByte(',')
		}
		text.WriteString("\n    ")
		text.Write(line)
	}
	text.WriteString("\n  ]\n}\n")
	if _, err := w.Write(text.Bytes()); err != nil {
		return fmt.Errorf("checkpoint: write a checkpoint: %w", err)
	}
	return nil
}

// maxCheckpointBytes is more than the heads of five million streams.
const maxCheckpointBytes = 1 << 30

// Read reads a checkpoint. It has not been verified then.
func Read(r io.Reader) (*Checkpoint, error) {
	var read struct {
		Signed
		Heads []Head `json:"heads"`
	}
	if err := decode(r, maxCheckpointBytes, Format, &read, &read.Format); err != nil {
		return nil, err
	}
	return &Checkpoint{Signed: read.Signed, Heads: read.Heads}, nil
}

// decode reads one JSON object of a format.
func decode(r io.Reader, most int64, format string, target any, is *string) error {
	limited := &io.LimitedReader{R: r, N: most + 1}
	decoder := json.NewDecoder(limited)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(target)
	switch {
	case limited.N <= 0:
		return fmt.Errorf("checkpoint: it is larger than %d bytes, which no %s is", most, format)
	case *is != "" && *is != format:
		kind, _, _ := strings.Cut(format, "/")
		return fmt.Errorf("checkpoint: its format is %q, this program reads %s: is it a %s, and of a program that is not newer?", *is, format, kind)
	case err != nil:
		return fmt.Errorf("checkpoint: it is no %s: %w", format, plain(err))
	case *is == "":
		return fmt.Errorf("checkpoint: it is no %s: it does not say its format", format)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("checkpoint: something follows its end")
	}
	return nil
}

// plain says in words of JSON, not in types of Go, what another kind of value was read for.
func plain(err error) error {
	other, is := errors.AsType[*json.UnmarshalTypeError](err)
	if !is {
		return err
	}
	where := "it"
	if other.Field != "" {
		where = fmt.Sprintf("its %q", other.Field)
	}
	return fmt.Errorf("%s holds JSON of the kind %s, and %s belongs there", where, other.Value, kindOf(other.Type))
}

func kindOf(t reflect.Type) string {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return "a string"
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.String:
		return "a string"
	default:
		return "a whole number"
	}
}

// Verify returns a [*ForgedError] unless the checkpoint was signed by the owner of a key,
// heads and all.
func (c *Checkpoint) Verify(trusted PublicKey) error {
	if err := c.Signed.Verify(trusted); err != nil {
		return err
	}
	if c.Streams != int64(len(c.Heads)) {
		return forged("it lists %d streams, and %d were signed", len(c.Heads), c.Streams)
	}
	for i, head := range c.Heads {
		if head.Revision < 0 {
			return forged("stream %s has the revision %d", head.Stream, head.Revision)
		}
		if i > 0 && c.Heads[i-1].Stream >= head.Stream {
			return forged("stream %s is not where it belongs: they are sorted, and each is there once", head.Stream)
		}
	}
	if root := rootOf(leaves(c.Heads)); root != c.Root {
		return forged("the root over its heads is %s, and %s was signed: a head was changed", root, c.Root)
	}
	return nil
}
