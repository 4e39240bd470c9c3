package workflow

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
)

// Backoff of retries, rule 12.
const (
	maxRetries    = 8
	tornRetries   = 5 // after which an answer that is torn is what the other side gives: some five minutes
	firstDelay    = 10 * time.Second
	longestDelay  = 10 * time.Minute
	longestWait   = 24 * time.Hour // of what another side may ask for with Retry-After
	repairWindow  = time.Hour      // that the limit of repairs counts in
	looseStrikes  = 2              // fixes that one kind of error gets while none of them is confirmed
	jitterPercent = 20
)

func (s State) settleRun(c SettleRun, now time.Time) ([]event.Event, error) {
	info, admitted := s.Admitted[c.Run]
	if !admitted {
		if _, settled := s.runs.Get(c.Run); settled {
			return nil, conflict("run %s is settled already", c.Run)
		}
		return nil, notFound("workflow %q has not admitted run %s", s.Title, c.Run)
	}
	if c.Failure == nil {
		return append(s.settleSuccess(info, len(c.Suspects) > 0), c.suspected(info)...), nil
	}
	if !c.Failure.Class.Valid() {
		return nil, invalid("run %s failed with class %q, which is none", c.Run, c.Failure.Class)
	}
	return s.settleFailure(c, info, c.Failure.Bounded(), now)
}

// settleSuccess closes a run that succeeded. One that is suspected shows nothing about a fix.
func (s State) settleSuccess(info RunInfo, suspected bool) []event.Event {
	events := []event.Event{RunSucceeded{Run: info.Run, Version: info.Version}}
	if info.Trigger.isolated() {
		return events
	}
	if s.triesFix(info) && !suspected {
		events = append(events, FixConfirmed{Version: info.Version, Run: info.Run})
	}
	if s.Failing > 0 && info.Version == s.Active {
		events = append(events, Recovered{Run: info.Run})
	}
	return events
}

// triesFix says that a run confirms or regresses a fix, rule 15: it continues the run the
// fix was made for, runs on the fixed version, and nothing has confirmed or withdrawn that.
func (s State) triesFix(info RunInfo) bool {
	return !info.Fix.IsZero() && info.Fix == info.Version && slices.Contains(s.Unconfirmed(), info.Fix)
}

// lasting is a failure as it is judged after these tries: one moment of garbage is the network's, and what stays is a change.
func lasting(f failure.Failure, info RunInfo) failure.Failure {
	if f.Code == failure.CodeTorn && info.Attempt >= tornRetries {
		f.Class = failure.Logic
	}
	return f
}

func (s State) settleFailure(c SettleRun, info RunInfo, f failure.Failure, now time.Time) ([]event.Event, error) {
	f = lasting(f, info)
	info.Writes = max(c.Writes, info.Writes)
	failed := RunFailed{Run: info.Run, Version: info.Version, Failure: f, Writes: info.Writes}
	if info.Trigger.isolated() {
		return []event.Event{failed}, nil
	}
	if info.Aside {
		return append([]event.Event{failed}, s.settleAside(c, info, f, now)...), nil
	}
	seen := 0
	if info.Version.Major == s.Active.Major {
		seen, _ = s.seen.Get(f.Strict)
	}
	events := []event.Event{failed, classify(f.Class, Classified{
		Run: info.Run, Strict: f.Strict, Loose: f.Loose, Seen: seen, Evidence: failure.Cut(c.Evidence, maxText),
	})}
	events = append(events, c.suspected(info)...)
	if why := s.notTaken(c, info, f); why != "" { // no reason to mend the script, or to stop others
		return append(events, InputRequeued{
			Run: info.Run, Trigger: info.Origin, Kind: info.Kind, Number: info.Number, Waits: WaitsTaker, Reason: failure.Cut(why+": "+f.String(), maxLine),
		}), nil
	}
	next := s.consequence(info, f, now)
	if next.rehearsable() && c.Rehearsed == RehearsedWorks {
		// The trouble was in its reads, so the retry makes them again.
		return append(append(events, NotReproduced{Run: info.Run}), s.retry(info, f, now, true)...), nil
	}
	if f.Class.Repairable() && f.Code != failure.CodeOvertaken && s.triesFix(info) {
		events = append(events, FixRegressed{Version: info.Version, Run: info.Run})
	}
	switch next.kind {
	case recordOnly:
	case retryLater:
		// A run that was overtaken and has written nothing loses nothing if it reads again.
		// One that was stopped, or failed, for what it was answered asks again.
		fresh := info.Fresh || f.Code == failure.CodeOvertaken || f.Code == failure.CodeSuspected || f.Code == failure.CodeSaid
		events = append(events, s.retry(info, f, now, fresh)...)
	case attach:
		events = append(events, FailureAttached{Task: s.Maintenance.Task, Run: info.Run})
	case escalate:
		events = append(events, s.escalate(next.reason, next.explanation, info.Run)...)
	case enterMaintenance:
		if c.Task == "" || c.Thread == "" || c.Item == "" {
			return nil, invalid("run %s failed with a %s error: settle it with the ids of a task, a thread and an item, as maintenance follows", c.Run, f.Class)
		}
		events = append(events, MaintenanceEntered{
			Task: c.Task, Thread: c.Thread, Item: c.Item, Run: info.Run, Base: info.Version,
			Attempt: s.FixCount + 1, Budget: s.Settings.WithDefaults().Budget, At: now,
		})
	}
	return events, nil
}

// settleAside says what follows from the failure of a run that a person made by hand: nothing of the workflow
// changes. It is tried again where that may help, and a person may have it repaired, see [RepairRun].
func (s State) settleAside(c SettleRun, info RunInfo, f failure.Failure, now time.Time) []event.Event {
	events := c.suspected(info)
	overtaken := f.Code == failure.CodeOvertaken
	passes := f.Class == failure.Network && f.Code != failure.CodeDiverged || overtaken && info.Writes == 0
	if passes && s.Status != StatusArchived && info.Version.Major == s.Active.Major {
		events = append(events, s.retry(info, f, now, info.Fresh || overtaken)...)
	}
	return events
}

// consequence is what follows from a failure.
type consequence struct {
	kind        consequenceKind
	reason      string // of an escalation
	explanation string
}

type consequenceKind int

const (
	recordOnly consequenceKind = iota
	retryLater
	attach
	escalate
	enterMaintenance
)

// rehearsable says that it does not come to this if the old code works when run again.
func (c consequence) rehearsable() bool {
	return c.kind == enterMaintenance || c.kind == escalate && c.reason != EscalatedDiverged && c.reason != EscalatedSuspected
}

// consequence decides in the order of the rules; the first that applies decides.
func (s State) consequence(info RunInfo, f failure.Failure, now time.Time) consequence {
	settings := s.Settings.WithDefaults()
	diverged, overtaken := f.Code == failure.CodeDiverged, f.Code == failure.CodeOvertaken
	switch {
	case s.Status == StatusArchived:
		return consequence{kind: recordOnly}
	case overtaken && info.Writes > 0: // half done, so its person is asked
		return consequence{kind: recordOnly}
	case f.Class == failure.Network && !diverged || overtaken:
		// Also of the version before a fix: its input is still to be worked on. A new major starts afresh.
		if info.Version.Major != s.Active.Major {
			return consequence{kind: recordOnly}
		}
		return consequence{kind: retryLater}
	case info.Version != s.Active: // rule 3
		return consequence{kind: recordOnly}
	case !f.Class.Repairable() && !diverged:
		// Auth and permission: the classification says that the workflow waits. Internal:
		// ours, and a run that may have broken off inside a write is not sent again blindly.
		return consequence{kind: recordOnly}
	case s.Escalation != nil: // a person has it already
		return consequence{kind: recordOnly}
	case diverged && (f.Class == failure.Internal || !s.triesFix(info)): // only this run is in the way of its end, and its person is asked
		return consequence{kind: recordOnly}
	case diverged: // rule 15
		return consequence{escalate, EscalatedDiverged, fmt.Sprintf(
			"Version %s does not repeat what run %s had already done, so going on could do it twice: %s. Look at what was written, then re-plan or activate.",
			info.Version, info.Continues, f)}
	case f.Code == failure.CodeGarbage: // nothing shows a change that a repair could begin with
		return consequence{escalate, EscalatedSuspected, fmt.Sprintf(
			"Version %s would have written what it never did, and was stopped before: %s. Say that it is right, or mend the script.", info.Version, f)}
	case f.Code == failure.CodeRetired, f.Code == failure.CodeWriteRetired:
		return consequence{escalate, EscalatedRetired, fmt.Sprintf(
			"The service says that what version %s asks of it is no more: %s. Have the script ask what it names.", info.Version, f)}
	case s.cameBack(f): // rule 6
		return consequence{escalate, EscalatedSameError, fmt.Sprintf(
			"Version %s was to fix this error and fails with it again: %s.", info.Version, f)}
	case s.Maintenance != nil: // rule 3
		return consequence{kind: attach}
	case settings.AutoFix == ModeOff:
		return consequence{escalate, EscalatedAutoFixOff, fmt.Sprintf(
			"Version %s fails and automatic fixes are off for this workflow: %s.", info.Version, f)}
	case s.strikes(f) >= looseStrikes: // rule 6
		return consequence{escalate, EscalatedSameError, fmt.Sprintf(
			"After %d fixes the same kind of error is back at another place, so they hide it rather than mend it: %s.", s.strikes(f), f)}
	case s.FixCount >= settings.Budget: // rule 5
		return consequence{escalate, EscalatedBudget, fmt.Sprintf(
			"%d of %d fixes are spent and version %s still fails: %s.", s.FixCount, settings.Budget, info.Version, f)}
	case s.repairsSince(now.Add(-repairWindow)) >= settings.RepairsPerHr: // rule 7
		return consequence{escalate, EscalatedRateLimit, fmt.Sprintf(
			"There were %d repairs in the last hour, which is the limit, and version %s fails again: %s.", settings.RepairsPerHr, info.Version, f)}
	}
	return consequence{kind: enterMaintenance}
}

// cameBack says that a fix was to mend exactly this error, and has not been seen to. A confirmed fix did mend it: the
// same failure after it is a new one.
func (s State) cameBack(f failure.Failure) bool {
	return f.Strict != "" && slices.ContainsFunc(s.Fixes, func(fix Fix) bool { return !fix.Confirmed && fix.Strict == f.Strict })
}

// strikes counts the unconfirmed fixes that were to mend this kind of error. The failure
// that led to the first one is the first strike; at another place of the fixed version it is the
// second, and is mended once more, as one change may break several places; then it is out.
func (s State) strikes(f failure.Failure) int {
	count := 0
	for _, fix := range s.Fixes {
		if !fix.Confirmed && f.Loose != "" && fix.Loose == f.Loose {
			count++
		}
	}
	return count
}

func (s State) repairsSince(start time.Time) int {
	count := 0
	for _, at := range s.RepairTimes {
		if at.After(start) {
			count++
		}
	}
	return count
}

// NeedsRehearsal says that what [SettleRun] decides about this failure depends on whether
// the failed run works when the same code runs again with live reads: rehearse it first.
func NeedsRehearsal(s State, run string, f failure.Failure) bool {
	info, admitted := s.Admitted[run]
	// The clock only chooses between maintenance and an escalation by rate, and both are worth a rehearsal.
	return admitted && !info.Trigger.isolated() && !info.Aside && s.consequence(info, lasting(f, info), time.Time{}).rehearsable()
}

// retry schedules the next try of a failed run, or says once per fingerprint that there is none.
func (s State) retry(info RunInfo, f failure.Failure, now time.Time, fresh bool) []event.Event {
	attempt := info.Attempt + 1
	if attempt > maxRetries {
		if s.told[f.Strict] {
			return nil
		}
		return []event.Event{RetriesExhausted{Run: info.Run, Strict: f.Strict, Attempts: info.Attempt}}
	}
	asked := min(max(f.RetryAfterMS, 0), longestWait.Milliseconds())
	wait := max(delay(info.Run, attempt), time.Duration(asked)*time.Millisecond)
	return []event.Event{RetryScheduled{Run: info.Run, Attempt: attempt, At: now.Add(wait), Fresh: fresh, Regardless: info.Regardless}}
}

// delay doubles with each attempt up to a cap. The jitter only shortens it and comes from
// the run's id: spread over runs, and the same whenever it is decided again.
func delay(run string, attempt int) time.Duration {
	full := longestDelay
	if doublings := attempt - 1; doublings < 16 {
		full = min(firstDelay<<doublings, longestDelay)
	}
	sum := sha256.Sum256([]byte(run + "/" + strconv.Itoa(attempt)))
	share := time.Duration(binary.BigEndian.Uint32(sum[:4]) % 1000)
	return (full - full*jitterPercent/100*share/1000).Truncate(time.Millisecond)
}

// escalate hands the workflow to a person: all unconfirmed fixes are withdrawn and an open task is left.
func (s State) escalate(reason, explanation, run string) []event.Event {
	escalated := Escalated{
		Reason: reason, Explanation: failure.Cut(explanation, maxText), Run: run,
		Actions: []string{ActionReplan, ActionEdit}, Withdrawn: s.Unconfirmed(), Active: s.Active,
	}
	if s.Maintenance != nil {
		escalated.Task = s.Maintenance.Task
	}
	if len(escalated.Withdrawn) > 0 {
		escalated.Active = s.LastConfirmed
		escalated.Explanation += fmt.Sprintf(" Version %s is active again; taken back: %s.", s.LastConfirmed, list(escalated.Withdrawn))
	}
	if len(s.Versions) > 1 {
		escalated.Actions = append(escalated.Actions, ActionRollback)
	}
	escalated.Actions = append(escalated.Actions, ActionActivate)
	return append([]event.Event{escalated}, s.leave(ExitEscalated, escalated.Active)...)
}

func list(versions []Version) string {
	names := make([]string, len(versions))
	for i, v := range versions {
		names[i] = v.String()
	}
	return strings.Join(names, ", ")
}

func classify(class failure.Class, c Classified) event.Event {
	switch class {
	case failure.Logic:
		return LogicErrorClassified{c}
	case failure.Limit:
		return LimitErrorClassified{c}
	case failure.Network:
		return NetworkErrorClassified{c}
	case failure.Auth:
		return AuthErrorClassified{c}
	case failure.Permission:
		return PermissionErrorClassified{c}
	}
	return InternalErrorClassified{c}
}
