package run

// StreamPrefix begins the name of each run's stream, and of no other.
const StreamPrefix = "run-"

// Stream is the stream of what a run did, call by call.
func Stream(id string) string { return StreamPrefix + id }
