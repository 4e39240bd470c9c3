package run

import "github.com/kintsugi-run/kintsugi/domain/event"

var events event.Types

// The events of a run's stream, under the names by which they are stored: these never change, Go names may.
// A schema version begins with an upcaster from the one before it.
var (
	TypeRunStarted         = event.Declare[RunStarted](&events, "RunStarted")
	TypeToolCalled         = event.Declare[ToolCalled](&events, "ToolCalled")
	TypeToolReturned       = event.Declare[ToolReturned](&events, "ToolReturned")
	TypeToolAnswered       = event.Declare[ToolAnswered](&events, "ToolAnswered")
	TypeRunBegunAgain      = event.Declare[RunBegunAgain](&events, "RunBegunAgain")
	TypeLogWritten         = event.Declare[LogWritten](&events, "LogWritten")
	TypeRunEnded           = event.Declare[RunEnded](&events, "RunEnded")
	TypeExecutionCancelled = event.Declare[ExecutionCancelled](&events, "ExecutionCancelled")
	TypeRunLeaseExtended   = event.Declare[RunLeaseExtended](&events, "RunLeaseExtended")
	TypeRunResumed         = event.Declare[RunResumed](&events, "RunResumed")
	TypeRunDelayed         = event.Declare[RunDelayed](&events, "RunDelayed")
	TypeEffectInDoubt      = event.Declare[EffectInDoubt](&events, "EffectInDoubt")
	TypeEffectLookedUp     = event.Declare[EffectLookedUp](&events, "EffectLookedUp")
	TypeEffectResolved     = event.Declare[EffectResolved](&events, "EffectResolved")
	TypeAnswerAwaited      = event.Declare[AnswerAwaited](&events, "AnswerAwaited")
	TypeAnswerGiven        = event.Declare[AnswerGiven](&events, "AnswerGiven")
)

// Register adds every event of a run's stream to a codec.
func Register(r *event.Registry) { events.Register(r) }

// EventType implements [event.Event].
func (RunStarted) EventType() string { return TypeRunStarted }

// EventType implements [event.Event].
func (ToolCalled) EventType() string { return TypeToolCalled }

// EventType implements [event.Event].
func (ToolReturned) EventType() string { return TypeToolReturned }

// EventType implements [event.Event].
func (ToolAnswered) EventType() string { return TypeToolAnswered }

// EventType implements [event.Event].
func (RunBegunAgain) EventType() string { return TypeRunBegunAgain }

// EventType implements [event.Event].
func (LogWritten) EventType() string { return TypeLogWritten }

// EventType implements [event.Event].
func (RunEnded) EventType() string { return TypeRunEnded }

// EventType implements [event.Event].
func (ExecutionCancelled) EventType() string { return TypeExecutionCancelled }

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

// EventType implements [event.Event].
func (RunDelayed) EventType() string { return TypeRunDelayed }
