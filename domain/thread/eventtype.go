package thread

import "github.com/kintsugi-run/kintsugi/domain/event"

// The stored names of the events. They never change; Go names may.
const (
	TypeThreadLeaseExtended = "ThreadLeaseExtended"
	TypeThreadClaimed       = "ThreadClaimed"
	TypeThreadOpened        = "ThreadOpened"
	TypeMessageAppended     = "MessageAppended"
	TypeToolInvoked         = "ToolInvoked"
	TypeToolResulted        = "ToolResulted"
	TypeModelUnavailable    = "ModelUnavailable"
	TypeCandidateJudged     = "CandidateJudged"
	TypeThreadClosed        = "ThreadClosed"
)

// EventType implements [event.Event].
func (ThreadOpened) EventType() string { return TypeThreadOpened }

// EventType implements [event.Event].
func (ThreadClaimed) EventType() string { return TypeThreadClaimed }

// EventType implements [event.Event].
func (ThreadLeaseExtended) EventType() string { return TypeThreadLeaseExtended }

// EventType implements [event.Event].
func (MessageAppended) EventType() string { return TypeMessageAppended }

// EventType implements [event.Event].
func (ToolInvoked) EventType() string { return TypeToolInvoked }

// EventType implements [event.Event].
func (ToolResulted) EventType() string { return TypeToolResulted }

// EventType implements [event.Event].
func (CandidateJudged) EventType() string { return TypeCandidateJudged }

// EventType implements [event.Event].
func (ModelUnavailable) EventType() string { return TypeModelUnavailable }

// EventType implements [event.Event].
func (ThreadClosed) EventType() string { return TypeThreadClosed }

// Register adds every event of a thread stream to a codec.
func Register(r *event.Registry) {
	event.Register[ThreadOpened](r, 1)
	event.Register[ThreadClaimed](r, 1)
	event.Register[ThreadLeaseExtended](r, 1)
	event.Register[MessageAppended](r, 1)
	event.Register[ToolInvoked](r, 1)
	event.Register[ToolResulted](r, 1)
	event.Register[CandidateJudged](r, 1)
	event.Register[ModelUnavailable](r, 1)
	event.Register[ThreadClosed](r, 1)
}
