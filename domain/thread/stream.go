package thread

// StreamPrefix begins the name of each thread's stream, and of no other.
const StreamPrefix = "thread-"

// Stream is the stream of what an agent said about one task.
func Stream(id string) string { return StreamPrefix + id }
