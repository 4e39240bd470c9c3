// Package jsonl reads and writes records of a log as text: one event a line, so that a
// history can be kept in a repository, sent, looked through, and taken into another log.
//
// A line is a JSON object:
//
//	{"stream":"run-7","revision":0,"id":"…","type":"RunStarted","schema_version":1,
//	 "recorded_at":"2026-03-01T07:00:00Z","position":"0000000000000000042",
//	 "payload":{…},"metadata":{…}}
//
// Payload and metadata are the stored bytes as they are, or hash chains would not verify: a
// program that formats a line anew (other spaces, other order of members, other escapes)
// breaks it. Bytes that cannot stand in a line as they are (no JSON, line breaks, space
// around it, no UTF-8) stand in base64, as payload_base64 and metadata_base64. The position is
// where the event was in the log it was read from. It is for people: another log gives it another.
//
//	n, err := jsonl.Write(file, log.Stream(ctx, "run-7", 0))
//	for record, err := range jsonl.Read(file) { … }
package jsonl
