package session

// Command asks something of a session. It is sealed.
type Command interface{ command() }

// Open begins a session. The same one opened again is nothing.
type Open struct{ SessionOpened }

// Invoke calls the Healer.
type Invoke struct {
	Failure      Failure
	Planner      Planner
	Head, Branch string
}

// StartSpell says that a spell is about to be applied.
type StartSpell struct {
	Healing int
	Spell   Spell
	By      Planner
	Note    string
	Call    string
}

// ApplySpell says what became of the spell that was started.
type ApplySpell struct{ SpellApplied }

// Advise says that a model chose nothing more.
type Advise struct{ HealerAdvised }

// ReportCheck says what the server saw.
type ReportCheck struct{ CheckRan }

// Conclude ends a healing. It has no outcome: the outcome follows from the recorded checks.
type Conclude struct{ Healing int }

// Stop ends a healing before its end, because the work is not wanted any more.
type Stop struct {
	Healing int
	Reason  string
}

// UndoSpell says that what a spell did was undone.
type UndoSpell struct{ SpellUndone }

// Unblock lets a subtask go on.
type Unblock struct{ Subtask, Reason string }

func (Open) command()        {}
func (Invoke) command()      {}
func (StartSpell) command()  {}
func (ApplySpell) command()  {}
func (Advise) command()      {}
func (ReportCheck) command() {}
func (Conclude) command()    {}
func (Stop) command()        {}
func (UndoSpell) command()   {}
func (Unblock) command()     {}
