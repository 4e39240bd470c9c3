package workflow

// StreamPrefix begins the name of each workflow's stream, and of no other.
const StreamPrefix = "workflow-"

// Stream is the stream of a workflow's transitions.
func Stream(id string) string { return StreamPrefix + id }

// SubjectPrefix begins the subject of each event that belongs to a workflow, and of no other.
const SubjectPrefix = "workflow:"

// Subject is the subject of every event that belongs to a workflow, whatever its stream.
func Subject(id string) string { return SubjectPrefix + id }
