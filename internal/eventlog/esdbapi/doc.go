// Package esdbapi serves any event log over the gRPC protocol of EventStoreDB and KurrentDB, so that the official
// clients of every language can read and subscribe.
//
//	server, err := esdbapi.New(esdbapi.Config{Log: log})
//	err = server.Serve(ctx, listener) // until ctx ends
//
// It answers Read (streams and $all, both ways, filters, subscriptions with checkpoints), Append, BatchAppend,
// ServerFeatures, and Gossip with one leader. It is read-only unless it is told otherwise. Deleting, tombstones and
// persistent subscriptions are refused as access-denied: this log forgets nothing, and groups that keep their place
// belong to the publisher.
//
// Where it differs from the servers that it resembles:
//   - A position has one number: commit and prepare are equal. Any number is taken as a place between events, so a
//     position that no event has is no error.
//   - An event id is bound to its content in its stream. An append that has an id again with other content is refused,
//     and one that has it elsewhere is a wrong expected version, even if the expected revision is right.
//   - The log does not keep a content type. Payload that is JSON is sent as application/json, other payload as
//     application/octet-stream.
//   - Streams are never truncated, have no metadata streams and no links.
package esdbapi
