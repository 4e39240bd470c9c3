package run

import "github.com/kintsugi-run/kintsugi/domain/event"

// The stored names of the events. They never change; Go names may.
const (
	TypeRunStarted       = "RunStarted"
	TypeToolCalled       = "ToolCalled"
	TypeToolReturned     = "ToolReturned"
	TypeLogWritten       = "LogWritten"
	TypeRunEnded         = "RunEnded"
	TypeRunLeaseExtended = "RunLeaseExtended"
	TypeRunResumed       = "RunResumed"
	TypeEffectInDoubt    = "EffectInDoubt"
	TypeEffectLookedUp   = "EffectLookedUp"
	TypeEffectResolved   = "EffectResolved"
	TypeAnswerAwaited    = "AnswerAwaited"
	TypeAnswerGiven      = "AnswerGiven"
)

// EventType implements [event.Event].
func (RunStarted) EventType() string { return TypeRunStarted }

// EventType implements [event.Event].
func (ToolCalled) EventType() string { return TypeToolCalled }

// EventType implements [event.Event].
func (ToolReturned) EventType() string { return TypeToolReturned }

// EventType implements [event.Event].
func (LogWritten) EventType() string { return TypeLogWritten }

// EventType implements [event.Event].
func (RunEnded) EventType() string { return TypeRunEnded }

// EventType implements [event.Event].
func (RunLeaseExtended) EventType() string { return TypeRunLeaseExtended }

// EventType implements [event.Event].
func (RunResumed) EventType() string { return TypeRunResumed }

// EventType implements [event.Event].
func (EffectInDoubt) EventType() string { return TypeEffectInDoubt }

// EventType implements [event.Event].
func (EffectLookedUp) EventType() string { return TypeEffectLookedUp }

// EventType implements [event.Event].
func (EffectResolved) EventType() string { return TypeEffectResolved }

// EventType implements [event.Event].
func (AnswerAwaited) EventType() string { return TypeAnswerAwaited }

// EventType implements [event.Event].
func (AnswerGiven) EventType() string { return TypeAnswerGiven }

// Register adds every event of a run stream to a codec.
func Register(r *event.Registry) {
	event.Register[RunStarted](r, 1)
	event.Register[ToolCalled](r, 1)
	event.Register[ToolReturned](r, 1)
	event.Register[LogWritten](r, 1)
	event.Register[RunEnded](r, 1)
	event.Register[RunLeaseExtended](r, 1)
	event.Register[RunResumed](r, 1)
	event.Register[EffectInDoubt](r, 1)
	event.Register[EffectLookedUp](r, 1)
	event.Register[EffectResolved](r, 1)
	event.Register[AnswerAwaited](r, 1)
	event.Register[AnswerGiven](r, 1)
}
