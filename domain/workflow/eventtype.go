package workflow

import "github.com/kintsugi-run/kintsugi/domain/event"

var events event.Types

// The events of a workflow's stream, under the names by which they are stored: these never change, Go names may.
// A schema version begins with an upcaster from the one before it.
var (
	TypeWorkflowCreated           = event.Declare[WorkflowCreated](&events, "WorkflowCreated")
	TypeIntentChanged             = event.Declare[IntentChanged](&events, "IntentChanged")
	TypeScriptSaved               = event.Declare[ScriptSaved](&events, "ScriptSaved")
	TypePackagesKept              = event.Declare[PackagesKept](&events, "PackagesKept")
	TypeScheduleChanged           = event.Declare[ScheduleChanged](&events, "ScheduleChanged", unchanged) // version 2 has policies, and the moment from which slots count
	TypeSettingsChanged           = event.Declare[SettingsChanged](&events, "SettingsChanged")
	TypeWorkflowActivated         = event.Declare[WorkflowActivated](&events, "WorkflowActivated")
	TypeWorkflowPaused            = event.Declare[WorkflowPaused](&events, "WorkflowPaused")
	TypeWorkflowArchived          = event.Declare[WorkflowArchived](&events, "WorkflowArchived")
	TypeWorkflowRestored          = event.Declare[WorkflowRestored](&events, "WorkflowRestored")
	TypeWorkflowDeleted           = event.Declare[WorkflowDeleted](&events, "WorkflowDeleted")
	TypeWorkflowErased            = event.Declare[WorkflowErased](&events, "WorkflowErased")
	TypeRunAdmitted               = event.Declare[RunAdmitted](&events, "RunAdmitted")
	TypeRunCommitted              = event.Declare[RunCommitted](&events, "RunCommitted")
	TypeRunSucceeded              = event.Declare[RunSucceeded](&events, "RunSucceeded")
	TypeRunFailed                 = event.Declare[RunFailed](&events, "RunFailed")
	TypeRunUnfinished             = event.Declare[RunUnfinished](&events, "RunUnfinished")
	TypeRunCancelled              = event.Declare[RunCancelled](&events, "RunCancelled")
	TypeRunLeft                   = event.Declare[RunLeft](&events, "RunLeft")
	TypeSlotSkipped               = event.Declare[SlotSkipped](&events, "SlotSkipped", unchanged) // version 2 may skip several slots
	TypeLogicErrorClassified      = event.Declare[LogicErrorClassified](&events, "LogicErrorClassified")
	TypeNetworkErrorClassified    = event.Declare[NetworkErrorClassified](&events, "NetworkErrorClassified")
	TypeAuthErrorClassified       = event.Declare[AuthErrorClassified](&events, "AuthErrorClassified")
	TypePermissionErrorClassified = event.Declare[PermissionErrorClassified](&events, "PermissionErrorClassified")
	TypeLimitErrorClassified      = event.Declare[LimitErrorClassified](&events, "LimitErrorClassified")
	TypeInternalErrorClassified   = event.Declare[InternalErrorClassified](&events, "InternalErrorClassified")
	TypeNotReproduced             = event.Declare[NotReproduced](&events, "NotReproduced")
	TypeRetryScheduled            = event.Declare[RetryScheduled](&events, "RetryScheduled")
	TypeRetriesExhausted          = event.Declare[RetriesExhausted](&events, "RetriesExhausted")
	TypeRecovered                 = event.Declare[Recovered](&events, "Recovered")
	TypeMaintenanceEntered        = event.Declare[MaintenanceEntered](&events, "MaintenanceEntered")
	TypeRepairAsked               = event.Declare[RepairAsked](&events, "RepairAsked")
	TypeFailureAttached           = event.Declare[FailureAttached](&events, "FailureAttached")
	TypeFixProposed               = event.Declare[FixProposed](&events, "FixProposed")
	TypeFixVerified               = event.Declare[FixVerified](&events, "FixVerified")
	TypeFixApplied                = event.Declare[FixApplied](&events, "FixApplied")
	TypeFixRejectedStale          = event.Declare[FixRejectedStale](&events, "FixRejectedStale")
	TypeFixRejectedDifferent      = event.Declare[FixRejectedDifferent](&events, "FixRejectedDifferent")
	TypeFixHeld                   = event.Declare[FixHeld](&events, "FixHeld")
	TypeFixAccepted               = event.Declare[FixAccepted](&events, "FixAccepted")
	TypeFixDeclined               = event.Declare[FixDeclined](&events, "FixDeclined")
	TypeFixCorrectionRequested    = event.Declare[FixCorrectionRequested](&events, "FixCorrectionRequested")
	TypeFixRechecked              = event.Declare[FixRechecked](&events, "FixRechecked")
	TypeFixConfirmed              = event.Declare[FixConfirmed](&events, "FixConfirmed")
	TypeFixRegressed              = event.Declare[FixRegressed](&events, "FixRegressed")
	TypeRunExempted               = event.Declare[RunExempted](&events, "RunExempted")
	TypeDriftSuspected            = event.Declare[DriftSuspected](&events, "DriftSuspected")
	TypeRunTrusted                = event.Declare[RunTrusted](&events, "RunTrusted")
	TypeMarkedRunsReviewed        = event.Declare[MarkedRunsReviewed](&events, "MarkedRunsReviewed")
	TypeMaintenanceExited         = event.Declare[MaintenanceExited](&events, "MaintenanceExited")
	TypeEscalated                 = event.Declare[Escalated](&events, "Escalated")
	TypePlannerTaskOpened         = event.Declare[PlannerTaskOpened](&events, "PlannerTaskOpened")
	TypePlannerTaskWaiting        = event.Declare[PlannerTaskWaiting](&events, "PlannerTaskWaiting")
	TypePlannerTold               = event.Declare[PlannerTold](&events, "PlannerTold")
	TypePlannerTaskClosed         = event.Declare[PlannerTaskClosed](&events, "PlannerTaskClosed")
	TypeQuestionAsked             = event.Declare[QuestionAsked](&events, "QuestionAsked")
	TypeQuestionAnswered          = event.Declare[QuestionAnswered](&events, "QuestionAnswered")
	TypeNotificationAcknowledged  = event.Declare[NotificationAcknowledged](&events, "NotificationAcknowledged")
	TypeTriggerSet                = event.Declare[TriggerSet](&events, "TriggerSet")
	TypeTriggerRemoved            = event.Declare[TriggerRemoved](&events, "TriggerRemoved")
	TypeInputQueued               = event.Declare[InputQueued](&events, "InputQueued")
	TypeInputRequeued             = event.Declare[InputRequeued](&events, "InputRequeued")
	TypeInputSkipped              = event.Declare[InputSkipped](&events, "InputSkipped")
	TypeDraftPrompted             = event.Declare[DraftPrompted](&events, "DraftPrompted")
	TypeDecisionDelegated         = event.Declare[DecisionDelegated](&events, "DecisionDelegated")
	TypeDecisionReminded          = event.Declare[DecisionReminded](&events, "DecisionReminded")
	TypeStillFails                = event.Declare[StillFails](&events, "StillFails")
	TypeWorkClaimed               = event.Declare[WorkClaimed](&events, "WorkClaimed")
	TypeOutageReported            = event.Declare[OutageReported](&events, "OutageReported")
	TypeOutageEnded               = event.Declare[OutageEnded](&events, "OutageEnded")
	TypeDraftKept                 = event.Declare[DraftKept](&events, "DraftKept")
)

// Register adds every event of a workflow's stream to a codec.
func Register(r *event.Registry) { events.Register(r) }

// EventType implements [event.Event].
func (WorkflowCreated) EventType() string { return TypeWorkflowCreated }

// EventType implements [event.Event].
func (IntentChanged) EventType() string { return TypeIntentChanged }

// EventType implements [event.Event].
func (ScriptSaved) EventType() string { return TypeScriptSaved }

// EventType is the stored name.
func (PackagesKept) EventType() string { return TypePackagesKept }

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
func (WorkflowDeleted) EventType() string { return TypeWorkflowDeleted }

// EventType implements [event.Event].
func (WorkflowErased) EventType() string { return TypeWorkflowErased }

// EventType implements [event.Event].
func (RunCommitted) EventType() string { return TypeRunCommitted }

// EventType implements [event.Event].
func (RunAdmitted) EventType() string { return TypeRunAdmitted }

// EventType implements [event.Event].
func (RunSucceeded) EventType() string { return TypeRunSucceeded }

// EventType implements [event.Event].
func (RunFailed) EventType() string { return TypeRunFailed }

// EventType implements [event.Event].
func (RunUnfinished) EventType() string { return TypeRunUnfinished }

// EventType implements [event.Event].
func (RunCancelled) EventType() string { return TypeRunCancelled }

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
func (RepairAsked) EventType() string { return TypeRepairAsked }

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
func (DriftSuspected) EventType() string { return TypeDriftSuspected }

// EventType implements [event.Event].
func (RunTrusted) EventType() string { return TypeRunTrusted }

// EventType implements [event.Event].
func (MarkedRunsReviewed) EventType() string { return TypeMarkedRunsReviewed }

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

// EventType implements [event.Event].
func (TriggerSet) EventType() string { return TypeTriggerSet }

// EventType implements [event.Event].
func (TriggerRemoved) EventType() string { return TypeTriggerRemoved }

// EventType implements [event.Event].
func (InputQueued) EventType() string { return TypeInputQueued }

// EventType implements [event.Event].
func (InputRequeued) EventType() string { return TypeInputRequeued }

// EventType implements [event.Event].
func (InputSkipped) EventType() string { return TypeInputSkipped }

// EventType implements [event.Event].
func (DraftPrompted) EventType() string { return TypeDraftPrompted }

// EventType implements [event.Event].
func (DraftKept) EventType() string { return TypeDraftKept }

// EventType implements [event.Event].
func (DecisionDelegated) EventType() string { return TypeDecisionDelegated }

// EventType implements [event.Event].
func (StillFails) EventType() string { return TypeStillFails }

// EventType implements [event.Event].
func (OutageReported) EventType() string { return TypeOutageReported }

// EventType implements [event.Event].
func (OutageEnded) EventType() string { return TypeOutageEnded }

// EventType implements [event.Event].
func (DecisionReminded) EventType() string { return TypeDecisionReminded }

// EventType implements [event.Event].
func (WorkClaimed) EventType() string { return TypeWorkClaimed }
