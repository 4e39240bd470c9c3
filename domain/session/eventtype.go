package session

import "github.com/kintsugi-run/kintsugi/domain/event"

var events event.Types

// The events of a session's stream, under the names by which they are stored: these never change, Go names may.
var (
	TypeSessionOpened   = event.Declare[SessionOpened](&events, "SessionOpened")
	TypeHealerInvoked   = event.Declare[HealerInvoked](&events, "HealerInvoked")
	TypeSpellStarted    = event.Declare[SpellStarted](&events, "SpellStarted")
	TypeSpellApplied    = event.Declare[SpellApplied](&events, "SpellApplied")
	TypeHealerAdvised   = event.Declare[HealerAdvised](&events, "HealerAdvised")
	TypeCheckRan        = event.Declare[CheckRan](&events, "CheckRan")
	TypeHealerConcluded = event.Declare[HealerConcluded](&events, "HealerConcluded")
	TypeSpellUndone     = event.Declare[SpellUndone](&events, "SpellUndone")
	TypeTaskUnblocked   = event.Declare[TaskUnblocked](&events, "TaskUnblocked")
)

// Register adds every event of a session's stream to a codec.
func Register(r *event.Registry) { events.Register(r) }

// EventType implements [event.Event].
func (SessionOpened) EventType() string { return TypeSessionOpened }

// EventType implements [event.Event].
func (HealerInvoked) EventType() string { return TypeHealerInvoked }

// EventType implements [event.Event].
func (SpellStarted) EventType() string { return TypeSpellStarted }

// EventType implements [event.Event].
func (SpellApplied) EventType() string { return TypeSpellApplied }

// EventType implements [event.Event].
func (HealerAdvised) EventType() string { return TypeHealerAdvised }

// EventType implements [event.Event].
func (CheckRan) EventType() string { return TypeCheckRan }

// EventType implements [event.Event].
func (HealerConcluded) EventType() string { return TypeHealerConcluded }

// EventType implements [event.Event].
func (TaskUnblocked) EventType() string { return TypeTaskUnblocked }

// EventType implements [event.Event].
func (SpellUndone) EventType() string { return TypeSpellUndone }
