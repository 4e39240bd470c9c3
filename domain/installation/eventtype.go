package installation

import "github.com/kintsugi-run/kintsugi/domain/event"

var events event.Types

// The events of the installation's stream, under the names by which they are stored: these never change, Go names may.
// A schema version begins with an upcaster from the one before it.
var (
	TypeRepairsStopped        = event.Declare[RepairsStopped](&events, "RepairsStopped")
	TypeRepairsResumed        = event.Declare[RepairsResumed](&events, "RepairsResumed")
	TypeSpendCapChanged       = event.Declare[SpendCapChanged](&events, "SpendCapChanged")
	TypeSpendCapReached       = event.Declare[SpendCapReached](&events, "SpendCapReached")
	TypeEgressChanged         = event.Declare[EgressChanged](&events, "EgressChanged")
	TypeNoticeAcknowledged    = event.Declare[NoticeAcknowledged](&events, "NoticeAcknowledged")
	TypeDraftArchivingChanged = event.Declare[DraftArchivingChanged](&events, "DraftArchivingChanged")
	TypeTokenCreated          = event.Declare[TokenCreated](&events, "TokenCreated")
	TypeTokenRevoked          = event.Declare[TokenRevoked](&events, "TokenRevoked")
	TypeSecretSet             = event.Declare[SecretSet](&events, "SecretSet")
	TypeSecretRemoved         = event.Declare[SecretRemoved](&events, "SecretRemoved")
	TypeTimelineChosen        = event.Declare[TimelineChosen](&events, "TimelineChosen")
	TypeWorkStalled           = event.Declare[WorkStalled](&events, "WorkStalled")
	TypeWorkResumed           = event.Declare[WorkResumed](&events, "WorkResumed")
	TypeStoreMended           = event.Declare[StoreMended](&events, "StoreMended")
)

// Register adds every event of the installation's stream to a codec.
func Register(r *event.Registry) { events.Register(r) }

// EventType implements [event.Event].
func (RepairsStopped) EventType() string { return TypeRepairsStopped }

// EventType implements [event.Event].
func (RepairsResumed) EventType() string { return TypeRepairsResumed }

// EventType implements [event.Event].
func (SpendCapChanged) EventType() string { return TypeSpendCapChanged }

// EventType implements [event.Event].
func (EgressChanged) EventType() string { return TypeEgressChanged }

// EventType implements [event.Event].
func (SpendCapReached) EventType() string { return TypeSpendCapReached }

// EventType implements [event.Event].
func (NoticeAcknowledged) EventType() string { return TypeNoticeAcknowledged }

// EventType implements [event.Event].
func (DraftArchivingChanged) EventType() string { return TypeDraftArchivingChanged }

// EventType implements [event.Event].
func (TimelineChosen) EventType() string { return TypeTimelineChosen }

// EventType implements [event.Event].
func (TokenCreated) EventType() string { return TypeTokenCreated }

// EventType implements [event.Event].
func (TokenRevoked) EventType() string { return TypeTokenRevoked }

// EventType implements [event.Event].
func (SecretSet) EventType() string { return TypeSecretSet }

// EventType implements [event.Event].
func (SecretRemoved) EventType() string { return TypeSecretRemoved }

// EventType implements [event.Event].
func (WorkStalled) EventType() string { return TypeWorkStalled }

// EventType implements [event.Event].
func (WorkResumed) EventType() string { return TypeWorkResumed }

// EventType implements [event.Event].
func (StoreMended) EventType() string { return TypeStoreMended }
