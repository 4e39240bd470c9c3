package subscription

// StreamPrefix begins the name of each subscription's stream, and of no other.
const StreamPrefix = "subscription-"

// SubjectPrefix begins the subject of its events.
const SubjectPrefix = "subscription:"

// Stream is the stream of a subscription.
func Stream(name string) string { return StreamPrefix + name }

// Subject is what the events of its stream belong to: no workflow.
func Subject(name string) string { return SubjectPrefix + name }
