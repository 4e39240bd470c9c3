package workflow

// The defaults of [Settings].
const (
	DefaultBudget       = 3
	DefaultRepairsPerHr = 6
	DefaultMaxActive    = 1
	DefaultFixer        = "templates"
)

// What runs do while a fix is held. The default depends on the trigger.
const (
	OnHoldBlock    = "block"
	OnHoldContinue = "continue"
)

// WithDefaults fills in what was left out. OnHold stays empty: its default depends on the trigger.
func (s Settings) WithDefaults() Settings {
	if s.AutoFix == "" {
		s.AutoFix = ModeAuto
	}
	if s.Budget == 0 {
		s.Budget = DefaultBudget
	}
	if s.RepairsPerHr == 0 {
		s.RepairsPerHr = DefaultRepairsPerHr
	}
	if s.MaxActive == 0 {
		s.MaxActive = DefaultMaxActive
	}
	if s.QueuedInputs == 0 {
		s.QueuedInputs = DefaultQueuedInputs
	}
	if len(s.Fixers) == 0 {
		s.Fixers = []string{DefaultFixer}
	}
	return s
}
