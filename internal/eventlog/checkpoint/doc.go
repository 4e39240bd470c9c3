// Package checkpoint signs what a log was at one moment, so that later nobody can cut off its
// newest events, take out a stream, or write a stream anew with a chain that is whole again.
//
// A checkpoint lists the head of every stream (its newest revision, and the hash that covers
// all of it, see package hashchain) and signs one root over all of them. It says nothing about positions,
// so that it holds for a copy of the log in another backend.
//
// The root is that of a Merkle tree as in RFC 6962, section 2.1, with SHA-256: the leaves are
// the heads, sorted by the bytes of the stream's name;
//
//	leaf = SHA-256(0x00 ‖ length of name ‖ name ‖ revision ‖ hash)
//	node = SHA-256(0x01 ‖ left ‖ right)
//
// lengths and revisions are 8 bytes, big-endian; a node without a sibling goes up as it is; the root of no streams is
// SHA-256 of nothing. These lines are signed, with Ed25519:
//
//	kintsugi.checkpoint/1
//	taken_at 2026-03-01T07:00:00Z
//	events 4711
//	streams 42
//	position 0000000000000004711
//	root <64 hex digits>
//	previous <64 hex digits>, SHA-256 of the lines of the checkpoint before, or -
//	key ed25519:<base64>
//
// The position is for people. An inclusion proof carries one event from its content to the
// signed root without the log: its digests, those of the later events of its stream, and the path
// from the head of that stream to the root.
package checkpoint
