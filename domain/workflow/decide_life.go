package workflow

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
)

func (s State) create(c Create) ([]event.Event, error) {
	if s.Exists() {
		return nil, conflict("workflow %s exists already: its title is %q", s.ID, s.Title)
	}
	title := strings.TrimSpace(c.Title)
	if c.ID == "" {
		return nil, invalid("a workflow needs an id")
	}
	if !isID(c.ID) {
		return nil, invalid("the id %q is not made of 1 to 100 letters, digits, - or _", failure.Cut(c.ID, maxID))
	}
	if title == "" {
		return nil, invalid("a workflow needs a title: say in a few words what it does")
	}
	if err := fits("title", title, maxLine); err != nil {
		return nil, err
	}
	if err := fits("intent", c.Intent, maxText); err != nil {
		return nil, err
	}
	return []event.Event{WorkflowCreated{
		ID: c.ID, Title: title, Owner: c.Owner, Zone: cmp.Or(c.Zone, "UTC"), Intent: c.Intent, Imported: c.Imported,
	}}, nil
}

// maxID is the longest id of a workflow, in bytes.
const maxID = 100

// isID says that a text can name a workflow wherever its id stands: in a stream's name, and as a folder.
func isID(text string) bool {
	strange := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_')
	}
	return text != "" && len(text) <= maxID && !strings.ContainsFunc(text, strange)
}

func (s State) changeIntent(c ChangeIntent) ([]event.Event, error) {
	if err := s.editable(); err != nil && s.Status != StatusArchived { // its title may be in the way of its return
		return nil, err
	}
	title := strings.TrimSpace(c.Title)
	if err := fits("title", title, maxLine); err != nil {
		return nil, err
	}
	if err := fits("intent", c.Intent, maxText); err != nil {
		return nil, err
	}
	if title == s.Title {
		title = ""
	}
	if title == "" && c.Intent == s.Intent {
		return nil, nil
	}
	return []event.Event{IntentChanged{Title: title, Intent: c.Intent, ByAgent: c.ByAgent}}, nil
}

func (s State) changeSettings(c ChangeSettings) ([]event.Event, error) {
	if err := s.editable(); err != nil {
		return nil, err
	}
	if err := c.Settings.Validate(); err != nil {
		return nil, err
	}
	if reflect.DeepEqual(s.Settings, c.Settings) {
		return nil, nil
	}
	return []event.Event{SettingsChanged(c)}, nil
}

func (s State) activate(c Activate, now time.Time) ([]event.Event, error) {
	row := statusTable[s.Status].activate
	if row == already && s.FixCount > 0 {
		row = yes // a person's activation makes the budget whole again, rule 5
	}
	if goOn, err := s.asks(row); !goOn || err != nil {
		return nil, err
	}
	if s.Active.IsZero() {
		return nil, s.refused("has no script: save one first")
	}
	if !c.Seen.IsZero() && c.Seen != s.Active {
		return nil, conflict("version %s of workflow %q is active meanwhile, not %s: look at it, and activate again", s.Active, s.Title, c.Seen)
	}
	if s.Status == StatusDraft {
		return append([]event.Event{WorkflowActivated{}}, s.scheduleFrom(now)...), nil
	}
	events := append([]event.Event{WorkflowActivated{}}, s.goOnUnchanged(now)...)
	if c.Retry && s.Waiting != nil {
		if _, over := s.Retriable(s.Waiting.Run); over {
			events = append(events, RetryScheduled{Run: s.Waiting.Run, Attempt: 1, At: now})
		}
	}
	return events, nil
}

func (s State) pause(c Pause) ([]event.Event, error) {
	if goOn, err := s.asks(statusTable[s.Status].pause); !goOn || err != nil {
		return nil, err
	}
	return []event.Event{WorkflowPaused{Reason: failure.Cut(c.Reason, maxText)}}, nil
}

func (s State) archive(c Archive, now time.Time) ([]event.Event, error) {
	if !c.Untouched.IsZero() && s.Status != StatusArchived && (s.Status != StatusDraft || s.Draft.Touched.After(c.Untouched)) {
		return nil, s.refused("is no draft that nobody touched any more: look at it again")
	}
	if goOn, err := s.asks(statusTable[s.Status].archive); !goOn || err != nil {
		return nil, err
	}
	return slices.Concat(s.dropSlots(c.Due, now, "the workflow was archived while it waited"), []event.Event{WorkflowArchived{Reason: failure.Cut(c.Reason, maxText)}},
		s.leave(ExitArchived, s.Active), s.dropQueue()), nil
}

func (s State) restore(c Restore, now time.Time) ([]event.Event, error) {
	if goOn, err := s.asks(statusTable[s.Status].restore); !goOn || err != nil {
		return nil, err
	}
	return slices.Concat([]event.Event{WorkflowRestored{}}, s.scheduleFrom(now), s.triggersFrom(c.Ends)), nil
}

// maxRunsPerHr bounds what the state keeps to count by.
const maxRunsPerHr = 3_600

// Validate says which setting is wrong.
func (s Settings) Validate() error {
	switch s.AutoFix {
	case "", ModeAuto, ModeProven, ModePropose, ModeOff:
	default:
		return invalid("setting auto_fix is %q: choose auto, proven, propose or off", s.AutoFix)
	}
	switch s.OnHold {
	case "", OnHoldBlock, OnHoldContinue:
	default:
		return invalid("setting on_hold is %q: choose block or continue", s.OnHold)
	}
	switch s.OnEscalation {
	case "", OnHoldBlock, OnHoldContinue:
	default:
		return invalid("setting on_escalation is %q: choose block or continue", s.OnEscalation)
	}
	switch s.OnDeadline {
	case "", DeadlineDecline, DeadlineAcceptIfProven:
	default:
		return invalid("setting on_deadline is %q: choose decline or accept_if_proven", s.OnDeadline)
	}
	if s.DecideWithinMS != 0 && s.DecideWithinMS < shortestDeadline.Milliseconds() {
		return invalid("setting decide_within_ms is %d: give people at least %s, or 0 for ever", s.DecideWithinMS, shortestDeadline)
	}
	if s.OutageAfterMS != 0 && (s.OutageAfterMS < shortestDeadline.Milliseconds() || s.OutageAfterMS > longestOutage.Milliseconds()) {
		return invalid("setting outage_after_ms is %d: choose a time from %s to %s, or 0 for %s", s.OutageAfterMS, shortestDeadline, longestOutage, DefaultOutageAfter)
	}
	switch s.Unfinished {
	case "", UnfinishedAsk, UnfinishedContinue, UnfinishedLeave:
	default:
		return invalid("setting unfinished is %q: choose ask, continue or leave", s.Unfinished)
	}
	switch s.Guard {
	case "", GuardOff, GuardNotice, GuardStop:
	default:
		return invalid("setting guard is %q: choose off, notice or stop, or leave it out", s.Guard)
	}
	if err := validHooks(s.Hooks, s.HookAnswersMS); err != nil {
		return err
	}
	if err := s.Labels.Validate(); err != nil {
		return err
	}
	if err := cmp.Or(validPath("concurrency_key", s.ConcurrencyKey), validPath("priority_key", s.PriorityKey)); err != nil {
		return err
	}
	numbers := map[string]int64{
		"budget": int64(s.Budget), "repairs_per_hr": int64(s.RepairsPerHr), "max_active": int64(s.MaxActive),
		"limits.wall_ms": s.Limits.WallMS, "limits.cpu_ms": s.Limits.CPUMS, "limits.memory_bytes": s.Limits.MemoryBytes,
		"limits.calls": int64(s.Limits.Calls), "limits.log_bytes": int64(s.Limits.LogBytes), "limits.result_bytes": int64(s.Limits.ResultBytes),
		"limits.fetch_bytes": s.Limits.FetchBytes, "limits.stored_bytes": s.Limits.StoredBytes, "runs_per_hr": int64(s.RunsPerHr), "queued_inputs": int64(s.QueuedInputs), "debounce_ms": s.DebounceMS,
	}
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		if numbers[name] < 0 {
			return invalid("setting %s is %d: it cannot be less than 0, which means the default", name, numbers[name])
		}
	}
	if s.RunsPerHr > maxRunsPerHr {
		return invalid("setting runs_per_hr is %d: the most is %d, which is one a second", s.RunsPerHr, maxRunsPerHr)
	}
	if s.DebounceMS > maxDebounce.Milliseconds() {
		return invalid("setting debounce_ms is %d: the most is %d, an hour", s.DebounceMS, maxDebounce.Milliseconds())
	}
	if s.QueuedInputs > mostQueuedInputs {
		return invalid("setting queued_inputs is %d: the most is %d", s.QueuedInputs, mostQueuedInputs)
	}
	if err := fixersKnown(s.Fixers); err != nil {
		return err
	}
	if err := isLocale(s.Locale); err != nil {
		return err
	}
	if err := fits("input", string(s.Input), maxText); err != nil {
		return err
	}
	if err := isInput(s.Input); err != nil {
		return err
	}
	for _, reconcile := range s.Reconcile {
		if err := reconcile.validate(); err != nil {
			return err
		}
	}
	for name, hosts := range map[string][]string{
		"allowed_hosts": s.AllowedHosts, "idempotent_hosts": s.IdempotentHosts, "atomic_hosts": s.AtomicHosts,
	} {
		for _, host := range hosts {
			if !isHost(host) {
				return invalid("setting %s has %q: write a host or host:port, like api.example.com", name, host)
			}
		}
	}
	return nil
}

// isInput says whether a run's input is one JSON value that an event can carry.
func isInput(input json.RawMessage) error {
	if len(input) > maxInput {
		return invalid("the input has %d bytes, %d are allowed: hand over an address or a file name instead", len(input), maxInput)
	}
	if len(input) > 0 && !json.Valid(input) {
		return invalid("the input is not JSON")
	}
	if !utf8.Valid(input) { // a decoder would put another character in its place without a word
		return invalid("the input is not UTF-8 text")
	}
	return nil
}
