package plan

import "github.com/kintsugi-run/kintsugi/domain/event"

var events event.Types

// The events of a plan's stream, under the names by which they are stored: these never change, Go names may.
// A schema version begins with an upcaster from the one before it.
var (
	TypePlanStarted    = event.Declare[PlanStarted](&events, "PlanStarted")
	TypePlanCompleted  = event.Declare[PlanCompleted](&events, "PlanCompleted")
	TypePlanCancelled  = event.Declare[PlanCancelled](&events, "PlanCancelled")
	TypePlanTaken      = event.Declare[PlanTaken](&events, "PlanTaken")
	TypeJobAdded       = event.Declare[JobAdded](&events, "JobAdded")
	TypeJobStopped     = event.Declare[JobStopped](&events, "JobStopped")
	TypeJobDropped     = event.Declare[JobDropped](&events, "JobDropped")
	TypeJobStarted     = event.Declare[JobStarted](&events, "JobStarted")
	TypeStepStarted    = event.Declare[StepStarted](&events, "StepStarted")
	TypeStepEnded      = event.Declare[StepEnded](&events, "StepEnded")
	TypeJobDelayed     = event.Declare[JobDelayed](&events, "JobDelayed")
	TypeJobChecked     = event.Declare[JobChecked](&events, "JobChecked")
	TypeJobReady       = event.Declare[JobReady](&events, "JobReady")
	TypeJobHeld        = event.Declare[JobHeld](&events, "JobHeld")
	TypeJobAccepted    = event.Declare[JobAccepted](&events, "JobAccepted")
	TypeJobRelaunched  = event.Declare[JobRelaunched](&events, "JobRelaunched")
	TypeJobRetried     = event.Declare[JobRetried](&events, "JobRetried")
	TypeHealingStarted = event.Declare[HealingStarted](&events, "HealingStarted")
	TypeHealingEnded   = event.Declare[HealingEnded](&events, "HealingEnded")
	TypeMergeStarted   = event.Declare[MergeStarted](&events, "MergeStarted")
	TypeJobMerged      = event.Declare[JobMerged](&events, "JobMerged")
)

// Register adds every event of a plan's stream to a codec.
func Register(r *event.Registry) { events.Register(r) }

// EventType implements [event.Event].
func (PlanStarted) EventType() string { return TypePlanStarted }

// EventType implements [event.Event].
func (PlanCompleted) EventType() string { return TypePlanCompleted }

// EventType implements [event.Event].
func (PlanCancelled) EventType() string { return TypePlanCancelled }

// EventType implements [event.Event].
func (PlanTaken) EventType() string { return TypePlanTaken }

// EventType implements [event.Event].
func (JobAdded) EventType() string { return TypeJobAdded }

// EventType implements [event.Event].
func (JobStopped) EventType() string { return TypeJobStopped }

// EventType implements [event.Event].
func (JobDropped) EventType() string { return TypeJobDropped }

// EventType implements [event.Event].
func (JobStarted) EventType() string { return TypeJobStarted }

// EventType implements [event.Event].
func (StepStarted) EventType() string { return TypeStepStarted }

// EventType implements [event.Event].
func (StepEnded) EventType() string { return TypeStepEnded }

// EventType implements [event.Event].
func (JobDelayed) EventType() string { return TypeJobDelayed }

// EventType implements [event.Event].
func (JobChecked) EventType() string { return TypeJobChecked }

// EventType implements [event.Event].
func (JobReady) EventType() string { return TypeJobReady }

// EventType implements [event.Event].
func (JobHeld) EventType() string { return TypeJobHeld }

// EventType implements [event.Event].
func (JobAccepted) EventType() string { return TypeJobAccepted }

// EventType implements [event.Event].
func (JobRelaunched) EventType() string { return TypeJobRelaunched }

// EventType implements [event.Event].
func (JobRetried) EventType() string { return TypeJobRetried }

// EventType implements [event.Event].
func (HealingStarted) EventType() string { return TypeHealingStarted }

// EventType implements [event.Event].
func (HealingEnded) EventType() string { return TypeHealingEnded }

// EventType implements [event.Event].
func (MergeStarted) EventType() string { return TypeMergeStarted }

// EventType implements [event.Event].
func (JobMerged) EventType() string { return TypeJobMerged }
