// Package kurrentlog keeps the event log in EventStoreDB or KurrentDB.
//
//	log, err := kurrentlog.Open(ctx, "esdb://admin:changeit@db-1:2113,db-2:2113?tlsCAFile=ca.crt", kurrentlog.Options{})
//	defer log.Close()
//
// It speaks the protocol as the official module github.com/EventStore/EventStore-Client-Go/v4 defines it, and takes that
// module's connection strings. The calls are made here, not through the module's esdb.Client, which ends the whole process
// at an event whose time it cannot read, panics at a kind of message that it does not know, closes itself for good when
// it has not found a node for a second, does not tell the server that it needs the leader, and cannot filter a read of
// the whole log.
//
// # What is ours
//
// System streams and events, those whose stream or type begins with $, are not part of this log: the server is asked to
// leave them out, and the rest of them is left out here. A stream into which somebody else's projection has written
// links has gaps where they are.
//
// A position is the event's commit position, which is also its prepare position for everything that today's servers
// write. The events of an old client's explicit transaction share one commit position: a reader that reaches one gets an
// error rather than a position from which it would go on with some of them missing or repeated.
//
// The schema version and the metadata travel as [github.com/kintsugi-run/kintsugi/internal/eventlog/esdbmeta] says.
// Deleting, truncating ($maxAge, $maxCount, $tb) and scavenging our streams breaks the promises of the log.
// The server has to take appends of 1 MiB of payload and metadata with what its own encoding adds: MaxAppendSize of 2 MiB
// or more, where it is not so by default.
//
// # Appending
//
// The server knows a repeated append by its ids and its place alone: it acknowledges other content under the same ids
// without storing it, and with the right expected revision it stores an id that the stream has already. So an append
// reads the new events of its stream, decides as every backend does, sends, and reads the stream again: only that
// tells who wrote it. The ids that were read are remembered (not the content), so that both reads are of a few
// events, and an append costs three round trips instead of one. A stream that this process has not appended to yet is
// read whole. Two processes that append the very same bytes, metadata included, at the same moment cannot be told
// apart: both may be told that they were first.
//
// Appends in order, of a copy, leave both reads out where all ids of a stream are known and the position that the server
// tells is above all that were there before.
//
// An append whose outcome is unknown (the connection broke, the server did not answer in time) is looked for and sent
// again, with the same ids and the same expected revision, until [Options].Patience has passed.
package kurrentlog
