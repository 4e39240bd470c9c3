package chain

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

// Next is the hash of an event whose predecessor in the stream has the hash previous.
func Next(previous Hash, link Link) Hash {
	payload, metadata := sha256.Sum256(link.Payload), sha256.Sum256(link.Metadata)
	buffer := make([]byte, 0, 3*sha256.Size+5*8+len(link.Stream)+len(link.ID)+len(link.Type))
	buffer = append(buffer, previous[:]...)
	buffer = appendText(buffer, link.Stream)
	buffer = appendNumber(buffer, link.Revision)
	buffer = appendText(buffer, link.ID)
	buffer = appendText(buffer, link.Type)
	buffer = appendNumber(buffer, int64(link.SchemaVersion))
	buffer = append(buffer, payload[:]...)
	buffer = append(buffer, metadata[:]...)
	return sha256.Sum256(buffer)
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
	cut := len(stored) - len(before) - hexSize - len(after)
	if cut < 1 || !bytes.HasPrefix(stored[cut:], []byte(before)) || !bytes.HasSuffix(stored, []byte(after)) {
		return nil, Hash{}, errUnsealed
	}
	digits := stored[cut+len(before) : len(stored)-len(after)]
	if _, err := hex.Decode(hash[:], digits); err != nil || hash.String() != string(digits) {
		return nil, Hash{}, errUnsealed
	}
	metadata = make([]byte, 0, cut+1)
	return append(append(metadata, stored[:cut]...), '}'), hash, nil
}
