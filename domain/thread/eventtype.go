package thread

import "github.com/kintsugi-run/kintsugi/domain/event"

var events event.Types

// The events of a thread's stream, under the names by which they are stored: these never change, Go names may.
// A schema version begins with an upcaster from the one before it.
var (
	TypeThreadLeaseExtended = event.Declare[ThreadLeaseExtended](&events, "ThreadLeaseExtended")
	TypeThreadClaimed       = event.Declare[ThreadClaimed](&events, "ThreadClaimed")
	TypeThreadOpened        = event.Declare[ThreadOpened](&events, "ThreadOpened")
	TypeMessageAppended     = event.Declare[MessageAppended](&events, "MessageAppended")
	TypeToolInvoked         = event.Declare[ToolInvoked](&events, "ToolInvoked")
	TypeToolResulted        = event.Declare[ToolResulted](&events, "ToolResulted")
	TypeModelUnavailable    = event.Declare[ModelUnavailable](&events, "ModelUnavailable")
	TypeCandidateJudged     = event.Declare[CandidateJudged](&events, "CandidateJudged")
	TypeThreadClosed        = event.Declare[ThreadClosed](&events, "ThreadClosed")
)

// Register adds every event of a thread's stream to a codec.
func Register(r *event.Registry) { events.Register(r) }

// EventType implements [event.Event].
func (ThreadLeaseExtended) EventType() string { return TypeThreadLeaseExtended }

// EventType implements [event.Event].
func (ThreadClaimed) EventType() string { return TypeThreadClaimed }

// EventType implements [event.Event].
func (ThreadOpened) EventType() string { return TypeThreadOpened }

// EventType implements [event.Event].
func (MessageAppended) EventType() string { return TypeMessageAppended }

// EventType implements [event.Event].
func (ToolInvoked) EventType() string { return TypeToolInvoked }

// EventType implements [event.Event].
func (ToolResulted) EventType() string { return TypeToolResulted }

// EventType implements [event.Event].
func (ModelUnavailable) EventType() string { return TypeModelUnavailable }

// EventType implements [event.Event].
func (CandidateJudged) EventType() string { return TypeCandidateJudged }

// EventType implements [event.Event].
func (ThreadClosed) EventType() string { return TypeThreadClosed }
