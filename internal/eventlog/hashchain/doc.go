// Package hashchain links the events of a stream by hashes, so that a change of what was
// recorded is found by reading the log alone.
//
// The hash of an event is SHA-256 over
//
//	previous hash ‖ stream ‖ revision ‖ event id ‖ type ‖ schema version ‖
//	SHA-256(payload) ‖ SHA-256(metadata without the hash)
//
// where the previous hash of a stream's first event is 32 zero bytes, texts are preceded by
// their length in bytes, and lengths and numbers are 8 bytes, big-endian. It is over digests,
// so that a payload can be erased under a chain that still verifies ([eventlog.Erased]), and not over
// positions, so that a copied log verifies too.
//
// Stored metadata is a JSON object whose last member is the hash: it ends with
//
//	,"hash":"<64 lower-case hex digits>"}
//
// and "metadata without the hash" is exactly the stored bytes with that member cut out.
//
//	metadata := chain.Seal(unsealed, chain.Next(previous, link))
//	err := chain.Verify(log.Stream(ctx, "run-7", 0))
package hashchain
