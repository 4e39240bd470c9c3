package hashchain

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
)

// Hash is the hash of an event. The zero Hash is before the first event of a stream.
type Hash [sha256.Size]byte

// String is the hash in lower-case hex.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText implements [encoding.TextMarshaler]: as [Hash.String].
func (h Hash) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h[:]), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. It takes what [Hash.String] gives,
// and no other spelling.
func (h *Hash) UnmarshalText(text []byte) error {
	var read Hash
	if len(text) != hexSize || bytes.ContainsAny(text, "ABCDEF") {
		return errHash
	}
	if _, err := hex.Decode(read[:], text); err != nil {
		return errHash
	}
	*h = read
	return nil
}

var errHash = errors.New("hashchain: a hash is 64 lower-case hex digits")

// Link is what the hash of an event covers. Metadata is without the hash.
type Link struct {
	Stream        string
	Revision      int64
	ID            string
	Type          string
	SchemaVersion int
	Payload       []byte
	Metadata      []byte
}

// Digest is a [Link] with digests in the place of what it says: enough to compute the hash
// of an event whose payload is erased, or is nobody's business.
type Digest struct {
	Stream        string
	Revision      int64
	ID            string
	Type          string
	SchemaVersion int
	Payload       Hash // SHA-256
	Metadata      Hash // SHA-256, of the metadata without the hash
}

// Digest gives the digests of a link's payload and metadata.
func (l Link) Digest() Digest {
	return Digest{
		Stream: l.Stream, Revision: l.Revision, ID: l.ID, Type: l.Type, SchemaVersion: l.SchemaVersion,
		Payload: sha256.Sum256(l.Payload), Metadata: sha256.Sum256(l.Metadata),
	}
}

// Next is the hash of an event whose predecessor in the stream has the hash previous.
func Next(previous Hash, link Link) Hash { return link.Digest().Next(previous) }

// Next is the hash of an event whose predecessor in the stream has the hash previous.
func (d Digest) Next(previous Hash) Hash {
	var space [384]byte // names are short as a rule
	return sha256.Sum256(d.appendTo(append(space[:0], previous[:]...)))
}

// appendTo adds what the hash covers behind the hash before it.
func (d Digest) appendTo(buffer []byte) []byte {
	buffer = appendText(buffer, d.Stream)
	buffer = appendNumber(buffer, d.Revision)
	buffer = appendText(buffer, d.ID)
	buffer = appendText(buffer, d.Type)
	buffer = appendNumber(buffer, int64(d.SchemaVersion))
	buffer = append(buffer, d.Payload[:]...)
	return append(buffer, d.Metadata[:]...)
}

func appendText(buffer []byte, text string) []byte {
	return append(appendNumber(buffer, int64(len(text))), text...)
}

func appendNumber(buffer []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(buffer, uint64(n))
}

// Stored metadata ends with before, the hash in hex, after.
const (
	before  = `,"hash":"`
	after   = `"}`
	hexSize = 2 * sha256.Size
)

// errUnsealed is what is wrong with metadata that no hash can be read from.
var errUnsealed = errors.New(`its metadata does not end with ,"hash":"<64 hex digits>"}`)

// Seal adds the hash to metadata, which is a JSON object with at least one member and
// without white space at its end.
func Seal(metadata []byte, hash Hash) []byte {
	sealed := make([]byte, 0, len(metadata)-1+len(before)+hexSize+len(after))
	sealed = append(sealed, metadata[:len(metadata)-1]...)
	sealed = append(sealed, before...)
	sealed = hex.AppendEncode(sealed, hash[:])
	return append(sealed, after...)
}

// Unseal takes the hash out of stored metadata: it undoes Seal, and fails on bytes that
// Seal did not make.
func Unseal(stored []byte) (metadata []byte, hash Hash, err error) {
	return appendUnsealed(nil, stored)
}

// appendUnsealed is Unseal into a buffer.
func appendUnsealed(buffer, stored []byte) (metadata []byte, hash Hash, err error) {
	cut := len(stored) - len(before) - hexSize - len(after)
	if cut < 1 || !bytes.HasPrefix(stored[cut:], []byte(before)) || !bytes.HasSuffix(stored, []byte(after)) {
		return nil, Hash{}, errUnsealed
	}
	if hash.UnmarshalText(stored[cut+len(before):len(stored)-len(after)]) != nil {
		return nil, Hash{}, errUnsealed
	}
	return append(append(buffer, stored[:cut]...), '}'), hash, nil
}
