// Package watermillsub makes the event log a subscriber of watermill; it knows nothing of the domain.
//
// A group reads the log from where it was, at its own pace, and keeps what it has done in [Groups]. Events of one lane
// (of one workflow, say) are delivered one after the other, the next when the one before was acknowledged; lanes do not
// wait for each other. A message that was not acknowledged is delivered again after a pause, and so is everything after it in its lane.
//
//	subscriber, err := watermillsub.New(watermillsub.Config{Log: log, Groups: groups, Group: "chat", Lane: laneOf, Message: toMessage})
//	messages, err := subscriber.Subscribe(ctx, "fixes")
//	for message := range messages { … message.Ack() }
//
// The promise: each event at least once to each group; events of one lane in order; events of different lanes in any
// order; what comes twice has the same id; nothing is left out.
//
// How far a group is: an event to read on from, and for each lane that is not there the place to read that lane from, be it behind or
// ahead. So a lane that is stuck for days costs one line, holds nobody up, and nothing of it is held in memory: when its turn comes it is
// read again from the log. It is saved as soon as something was acknowledged, once for all that was meanwhile. A lane goes on when its
// acknowledgement is saved, and no more than [Config.AtOnce] messages are out until theirs are: a process that is killed repeats at most
// these, of each lane one.
package watermillsub
