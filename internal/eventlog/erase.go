package eventlog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
)

// Eraser is a [Log] that can take away what events say, and keep the events.
type Eraser interface {
	// Erase puts [Erased] in the place of payloads, part by part, and says how many it took away: those that were erased
	// before are passed over. Nothing else of an event changes, so that chains of hashes still verify, and a repeated append is
	// known by its digest.
	//
	// When it returns without an error, all of it is durable, and this log keeps the payloads nowhere, as far as the backend
	// can see to that: its package says what remains. After an error some are erased: the same call can be repeated.
	Erase(ctx context.Context, parts []Part) (erased int64, err error)
	// Forget drops the events that this process keeps in memory: another one may have erased what they say.
	Forget()
}

// Part is events of a stream, from one revision through another.
type Part struct {
	Stream      string
	First, Last int64
}

// An erased payload leaves a JSON text and no object, so that no event of ours can be read from it.
const (
	erasedBefore = `"erased, SHA-256 `
	erasedAfter  = `"`
)

// Erased is what is put in the place of a payload that is erased: its digest. Chains are over digests, so that they still
// verify, and nothing but what was there can be passed off as erased. Erasing what is erased changes nothing.
func Erased(payload []byte) []byte {
	if IsErased(payload) {
		return payload
	}
	digest := sha256.Sum256(payload)
	left := make([]byte, 0, len(erasedBefore)+2*sha256.Size+len(erasedAfter))
	return append(hex.AppendEncode(append(left, erasedBefore...), digest[:]), erasedAfter...)
}

// IsErased says that a payload is what [Erased] leaves. No event of ours is: those are objects.
func IsErased(payload []byte) bool {
	_, erased := ErasedDigest(payload)
	return erased
}

// ErasedDigest reads what [Erased] leaves.
func ErasedDigest(payload []byte) (digest [sha256.Size]byte, erased bool) {
	text, before := bytes.CutPrefix(payload, []byte(erasedBefore))
	text, after := bytes.CutSuffix(text, []byte(erasedAfter))
	if !before || !after || len(text) != 2*sha256.Size || bytes.ContainsAny(text, "ABCDEF") {
		return digest, false
	}
	_, err := hex.Decode(digest[:], text)
	return digest, err == nil
}
