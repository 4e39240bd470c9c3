package workflow

import "github.com/kintsugi-run/kintsugi/domain/event"

// The stored names of the events. They never change; Go names may.
const (
	TypeWorkflowCreated           = "WorkflowCreated"
	TypeIntentChanged             = "IntentChanged"
	TypeScriptSaved               = "ScriptSaved"
	TypeScheduleChanged           = "ScheduleChanged"
	TypeSettingsChanged           = "SettingsChanged"
	TypeWorkflowActivated         = "WorkflowActivated"
	TypeWorkflowPaused            = "WorkflowPaused"
	TypeWorkflowArchived          = "WorkflowArchived"
	TypeWorkflowRestored          = "WorkflowRestored"
	TypeRunAdmitted               = "RunAdmitted"
	TypeRunSucceeded              = "RunSucceeded"
	TypeRunFailed                 = "RunFailed"
	TypeRunUnfinished             = "RunUnfinished"
	TypeRunLeft                   = "RunLeft"
	TypeSlotSkipped               = "SlotSkipped"
	TypeLogicErrorClassified      = "LogicErrorClassified"
	TypeNetworkErrorClassified    = "NetworkErrorClassified"
	TypeAuthErrorClassified       = "AuthErrorClassified"
	TypePermissionErrorClassified = "PermissionErrorClassified"
	TypeLimitErrorClassified      = "LimitErrorClassified"
	TypeInternalErrorClassified   = "InternalErrorClassified"
	TypeNotReproduced             = "NotReproduced"
	TypeRetryScheduled            = "RetryScheduled"
	TypeRetriesExhausted          = "RetriesExhausted"
	TypeRecovered                 = "Recovered"
	TypeMaintenanceEntered        = "MaintenanceEntered"
	TypeFailureAttached           = "FailureAttached"
	TypeFixProposed               = "FixProposed"
	TypeFixVerified               = "FixVerified"
	TypeFixApplied                = "FixApplied"
	TypeFixRejectedStale          = "FixRejectedStale"
	TypeFixRejectedDifferent      = "FixRejectedDifferent"
	TypeFixHeld                   = "FixHeld"
	TypeFixAccepted               = "FixAccepted"
	TypeFixDeclined               = "FixDeclined"
	TypeFixCorrectionRequested    = "FixCorrectionRequested"
	TypeFixRechecked              = "FixRechecked"
	TypeFixConfirmed              = "FixConfirmed"
	TypeFixRegressed              = "FixRegressed"
	TypeRunExempted               = "RunExempted"
	TypeMaintenanceExited         = "MaintenanceExited"
	TypeEscalated                 = "Escalated"
	TypePlannerTaskOpened         = "PlannerTaskOpened"
	TypePlannerTaskWaiting        = "PlannerTaskWaiting"
	TypePlannerTold               = "PlannerTold"
	TypePlannerTaskClosed         = "PlannerTaskClosed"
	TypeQuestionAsked             = "QuestionAsked"
	TypeQuestionAnswered          = "QuestionAnswered"
	TypeNotificationAcknowledged  = "NotificationAcknowledged"
)

// EventType implements [event.Event].
func (WorkflowCreated) EventType() string { return TypeWorkflowCreated }

// EventType implements [event.Event].
func (IntentChanged) EventType() string { return TypeIntentChanged }

// EventType implements [event.Event].
func (ScriptSaved) EventType() string { return TypeScriptSaved }

// EventType implements [event.Event].
func (ScheduleChanged) EventType() string { return TypeScheduleChanged }

// EventType implements [event.Event].
func (SettingsChanged) EventType() string { return TypeSettingsChanged }

// EventType implements [event.Event].
func (WorkflowActivated) EventType() string { return TypeWorkflowActivated }

// EventType implements [event.Event].
func (WorkflowPaused) EventType() string { return TypeWorkflowPaused }

// EventType implements [event.Event].
func (WorkflowArchived) EventType() string { return TypeWorkflowArchived }

// EventType implements [event.Event].
func (WorkflowRestored) EventType() string { return TypeWorkflowRestored }

// EventType implements [event.Event].
func (RunAdmitted) EventType() string { return TypeRunAdmitted }

// EventType implements [event.Event].
func (RunSucceeded) EventType() string { return TypeRunSucceeded }

// EventType implements [event.Event].
func (RunFailed) EventType() string { return TypeRunFailed }

// EventType implements [event.Event].
func (RunUnfinished) EventType() string { return TypeRunUnfinished }

// EventType implements [event.Event].
func (RunLeft) EventType() string { return TypeRunLeft }

// EventType implements [event.Event].
func (SlotSkipped) EventType() string { return TypeSlotSkipped }

// EventType implements [event.Event].
func (LogicErrorClassified) EventType() string { return TypeLogicErrorClassified }

// EventType implements [event.Event].
func (NetworkErrorClassified) EventType() string { return TypeNetworkErrorClassified }

// EventType implements [event.Event].
func (AuthErrorClassified) EventType() string { return TypeAuthErrorClassified }

// EventType implements [event.Event].
func (PermissionErrorClassified) EventType() string { return TypePermissionErrorClassified }

// EventType implements [event.Event].
func (LimitErrorClassified) EventType() string { return TypeLimitErrorClassified }

// EventType implements [event.Event].
func (InternalErrorClassified) EventType() string { return TypeInternalErrorClassified }

// EventType implements [event.Event].
func (NotReproduced) EventType() string { return TypeNotReproduced }

// EventType implements [event.Event].
func (RetryScheduled) EventType() string { return TypeRetryScheduled }

// EventType implements [event.Event].
func (RetriesExhausted) EventType() string { return TypeRetriesExhausted }

// EventType implements [event.Event].
func (Recovered) EventType() string { return TypeRecovered }

// EventType implements [event.Event].
func (MaintenanceEntered) EventType() string { return TypeMaintenanceEntered }

// EventType implements [event.Event].
func (FailureAttached) EventType() string { return TypeFailureAttached }

// EventType implements [event.Event].
func (FixProposed) EventType() string { return TypeFixProposed }

// EventType implements [event.Event].
func (FixVerified) EventType() string { return TypeFixVerified }

// EventType implements [event.Event].
func (FixApplied) EventType() string { return TypeFixApplied }

// EventType implements [event.Event].
func (FixRejectedStale) EventType() string { return TypeFixRejectedStale }

// EventType implements [event.Event].
func (FixRejectedDifferent) EventType() string { return TypeFixRejectedDifferent }

// EventType implements [event.Event].
func (FixHeld) EventType() string { return TypeFixHeld }

// EventType implements [event.Event].
func (FixAccepted) EventType() string { return TypeFixAccepted }

// EventType implements [event.Event].
func (FixDeclined) EventType() string { return TypeFixDeclined }

// EventType implements [event.Event].
func (FixCorrectionRequested) EventType() string { return TypeFixCorrectionRequested }

// EventType implements [event.Event].
func (FixRechecked) EventType() string { return TypeFixRechecked }

// EventType implements [event.Event].
func (FixConfirmed) EventType() string { return TypeFixConfirmed }

// EventType implements [event.Event].
func (FixRegressed) EventType() string { return TypeFixRegressed }

// EventType implements [event.Event].
func (RunExempted) EventType() string { return TypeRunExempted }

// EventType implements [event.Event].
func (MaintenanceExited) EventType() string { return TypeMaintenanceExited }

// EventType implements [event.Event].
func (Escalated) EventType() string { return TypeEscalated }

// EventType implements [event.Event].
func (PlannerTaskOpened) EventType() string { return TypePlannerTaskOpened }

// EventType implements [event.Event].
func (PlannerTaskWaiting) EventType() string { return TypePlannerTaskWaiting }

// EventType implements [event.Event].
func (PlannerTold) EventType() string { return TypePlannerTold }

// EventType implements [event.Event].
func (PlannerTaskClosed) EventType() string { return TypePlannerTaskClosed }

// EventType implements [event.Event].
func (QuestionAsked) EventType() string { return TypeQuestionAsked }

// EventType implements [event.Event].
func (QuestionAnswered) EventType() string { return TypeQuestionAnswered }

// EventType implements [event.Event].
func (NotificationAcknowledged) EventType() string { return TypeNotificationAcknowledged }

// Register adds every event of a workflow stream to a codec.
func Register(r *event.Registry) {
	event.Register[WorkflowCreated](r, 1)
	event.Register[IntentChanged](r, 1)
	event.Register[ScriptSaved](r, 1)
	event.Register[ScheduleChanged](r, 2)
	event.Upcast(r, TypeScheduleChanged, 1, unchanged) // version 2 has policies, and the moment from which slots count
	event.Register[SettingsChanged](r, 1)
	event.Register[WorkflowActivated](r, 1)
	event.Register[WorkflowPaused](r, 1)
	event.Register[WorkflowArchived](r, 1)
	event.Register[WorkflowRestored](r, 1)
	event.Register[RunAdmitted](r, 1)
	event.Register[RunSucceeded](r, 1)
	event.Register[RunFailed](r, 1)
	event.Register[RunUnfinished](r, 1)
	event.Register[RunLeft](r, 1)
	event.Register[SlotSkipped](r, 2)
	event.Upcast(r, TypeSlotSkipped, 1, unchanged) // version 2 may skip several slots
	event.Register[LogicErrorClassified](r, 1)
	event.Register[NetworkErrorClassified](r, 1)
	event.Register[AuthErrorClassified](r, 1)
	event.Register[PermissionErrorClassified](r, 1)
	event.Register[LimitErrorClassified](r, 1)
	event.Register[InternalErrorClassified](r, 1)
	event.Register[NotReproduced](r, 1)
	event.Register[RetryScheduled](r, 1)
	event.Register[RetriesExhausted](r, 1)
	event.Register[Recovered](r, 1)
	event.Register[MaintenanceEntered](r, 1)
	event.Register[FailureAttached](r, 1)
	event.Register[FixProposed](r, 1)
	event.Register[FixVerified](r, 1)
	event.Register[FixApplied](r, 1)
	event.Register[FixRejectedStale](r, 1)
	event.Register[FixRejectedDifferent](r, 1)
	event.Register[FixHeld](r, 1)
	event.Register[FixAccepted](r, 1)
	event.Register[FixDeclined](r, 1)
	event.Register[FixCorrectionRequested](r, 1)
	event.Register[FixRechecked](r, 1)
	event.Register[FixConfirmed](r, 1)
	event.Register[FixRegressed](r, 1)
	event.Register[RunExempted](r, 1)
	event.Register[MaintenanceExited](r, 1)
	event.Register[Escalated](r, 1)
	event.Register[PlannerTaskOpened](r, 1)
	event.Register[PlannerTaskWaiting](r, 1)
	event.Register[PlannerTold](r, 1)
	event.Register[PlannerTaskClosed](r, 1)
	event.Register[QuestionAsked](r, 1)
	event.Register[QuestionAnswered](r, 1)
	event.Register[NotificationAcknowledged](r, 1)
	registerInputs(r)
}
