package account

// StreamPrefix begins the name of each owner's stream, and of no other.
const StreamPrefix = "account-"

// SubjectPrefix begins the subject of its events.
const SubjectPrefix = "account:"

// Stream is the stream of an owner.
func Stream(owner string) string { return StreamPrefix + owner }

// Subject is what the events of an owner's stream belong to: no workflow.
func Subject(owner string) string { return SubjectPrefix + owner }
