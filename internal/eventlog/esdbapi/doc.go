// Package esdbapi serves any event log over the gRPC protocol of EventStoreDB and KurrentDB, so that the official
// clients of every language can read and subscribe.
//
//	server, err := esdbapi.New(esdbapi.Config{Log: log})
//	err = server.Serve(ctx, listener) // until ctx ends
//
// It answers Read (streams, $all, and the links of $ce-CATEGORY and $et-TYPE, both ways, filters, subscriptions with checkpoints), Append, BatchAppend,
// persistent subscriptions, ServerFeatures, and Gossip with one leader. It is read-only unless it is told otherwise, but
// for the places of persistent subscriptions, which it keeps in the log. Deleting and tombstones are refused as access-denied:
// this log forgets nothing.
//
// Where it differs from the servers that it resembles:
//   - A position has one number: commit and prepare are equal. Any number is taken as a place between events, so a
//     position that no event has is no error.
//   - An event id is bound to its content in its stream. An append that has an id again with other content is refused,
//     and one that has it elsewhere is a wrong expected version, even if the expected revision is right.
//   - The log does not keep a content type. Payload that is JSON is sent as application/json, other payload as
//     application/octet-stream.
//   - Streams are never truncated and have no metadata streams. Links are in no log: a read of them looks through the log for what they
//     lead to, and remembers where each thousandth is. Their ids follow from those of the events, whose positions they have.
package esdbapi
