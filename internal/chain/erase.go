package chain

import (
	"bytes"
	"crypto/sha256"
)

// What an erased payload leaves: a JSON text and no object, so that no event can be read from it.
const (
	erasedBefore = `"erased, SHA-256 `
	erasedAfter  = `"`
)

// Erased is what is put in the place of a payload that is erased: its digest. The chain is
// over digests, so that it still verifies ([Verifier.AllowErased]), and nothing but what was
// there can be passed off as erased. Erasing what is erased changes nothing.
func Erased(payload []byte) []byte {
	if _, already := erasedDigest(payload); already {
		return payload
	}
	digest := sha256.Sum256(payload)
	return []byte(erasedBefore + Hash(digest).String() + erasedAfter)
}

// IsErased says that a payload is what [Erased] leaves. No event of ours is: those are objects.
func IsErased(payload []byte) bool {
	_, erased := erasedDigest(payload)
	return erased
}

// erasedDigest reads what [Erased] leaves.
func erasedDigest(payload []byte) (digest Hash, erased bool) {
	text, before := bytes.CutPrefix(payload, []byte(erasedBefore))
	text, after := bytes.CutSuffix(text, []byte(erasedAfter))
	return digest, before && after && digest.UnmarshalText(text) == nil
}
