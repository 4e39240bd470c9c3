package workflow

import (
	"encoding/json"
	"regexp"
)

// The defaults of [Settings].
const (
	DefaultBudget       = 3
	DefaultRepairsPerHr = 6
	DefaultMaxActive    = 1
	DefaultFixer        = FixerTemplates
)

// Runs do one of these while a fix is held, where the default depends on the trigger, and while the workflow is handed to its person,
// where they are blocked by default.
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
	if s.DecideWithinMS > 0 && s.OnDeadline == "" {
		s.OnDeadline = DeadlineDecline
	}
	if s.OutageAfterMS == 0 {
		s.OutageAfterMS = DefaultOutageAfter.Milliseconds()
	}
	if s.Unfinished == "" {
		s.Unfinished = UnfinishedAsk
	}
	if len(s.Fixers) == 0 {
		s.Fixers = []string{FixerTemplates, FixerModel}
	}
	return s
}

// DefaultInput is the input of a run that is given none.
func (s Settings) DefaultInput() json.RawMessage {
	if len(s.Input) == 0 {
		return json.RawMessage(`{}`)
	}
	return s.Input
}

// The fixers. Settings name some of them, in the order in which they are asked; one that an installation does not
// have is left out.
const (
	FixerTemplates = "templates"
	FixerModel     = "model"
	FixerCommand   = "command" // a program that the operator names
	FixerPerson    = "person"  // nobody: the evidence goes to a person
)

// FixerSuggested is the kind of a fix that came from outside, see [SuggestFix].
const FixerSuggested = "suggested"

// fixersKnown checks who is to propose fixes.
func fixersKnown(names []string) error {
	seen := map[string]bool{}
	for _, name := range names {
		switch name {
		case FixerTemplates, FixerModel, FixerCommand, FixerPerson:
		default:
			return invalid("setting fixers has %q: choose from templates, model, command and person", name)
		}
		if seen[name] {
			return invalid("setting fixers has %q twice", name)
		}
		seen[name] = true
	}
	return nil
}

// localeTag is a language tag of BCP 47: language, script, region, variants. Extensions say nothing of
// how to write.
var localeTag = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3})){0,4}$`)

// isLocale checks what agents write in.
func isLocale(tag string) error {
	if tag != "" && !localeTag.MatchString(tag) {
		return invalid("setting locale is %q: write a language tag, like de, de-DE or zh-Hant-TW", tag)
	}
	return nil
}
