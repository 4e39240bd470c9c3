package workflow

import (
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// Decide says what happens when a command meets a state. It returns the events of one
// append, none if there is nothing to do, or a refusal (see package fault) that
// says why and what to do. It is pure: now is the caller's clock.
func Decide(s State, c Command, now time.Time) ([]event.Event, error) {
	// A clock reading becomes part of events: no monotonic part, no place, no more precision than people need.
	now = now.UTC().Truncate(time.Millisecond)
	events, err := s.decide(c, now)
	if err != nil || len(events) == 0 {
		return nil, err
	}
	after := s
	for _, e := range events {
		after = Evolve(after, e)
	}
	requeued := s.requeuedAfter(after, events, now)
	return slices.Concat(withoutExhausted(events, requeued), requeued, after.unfinishedAfter(now), s.outageEnded(after, events, now)), nil
}

func (s State) decide(c Command, now time.Time) ([]event.Event, error) {
	if s.Deleted != nil {
		return s.whenDeleted(c)
	}
	if create, is := c.(Create); is {
		return s.create(create)
	}
	if !s.Exists() {
		return nil, fault.New(fault.NotFound, "there is no such workflow: list them, or create it first")
	}
	switch c := c.(type) {
	case ChangeIntent:
		return s.changeIntent(c)
	case ChangeSchedule:
		return s.changeSchedule(c, now)
	case ChangeSettings:
		return s.changeSettings(c)
	case Activate:
		return s.activate(c, now)
	case Pause:
		return s.pause(c)
	case Archive:
		return s.archive(c, now)
	case Restore:
		return s.restore(c, now)
	case Delete:
		return s.delete(c)
	case EndDeletion:
		return nil, s.refused("is not being deleted")
	case SaveScript:
		return s.saveScript(c)
	case Rollback:
		return s.rollback(c)

	case AdmitRun:
		return s.admitRun(c, now)
	case SkipSlot:
		return s.skipSlot(c)
	case OfferInput:
		return s.offerInput(c, now)
	case RetryInputs:
		return s.retryInputs(now)
	case SetTrigger:
		return s.setTrigger(c)
	case RemoveTrigger:
		return s.removeTrigger(c)
	case CommitRun:
		return s.commitRun(c)
	case SettleRun:
		return s.settleRun(c, now)
	case ExemptRun:
		return s.exemptRun(c)
	case TrustRun:
		return s.trustRun(c, now)
	case ReviewMarkedRuns:
		return s.reviewMarkedRuns(c)
	case ContinueRun:
		return s.continueRun(c, now)
	case CancelRun:
		return s.cancelRun(c)
	case LeaveRun:
		return s.leaveRun(c)

	case FindWorking:
		return s.findWorking(c, now)
	case RepairRun:
		return s.repairRun(c, now)
	case ProposeFix:
		return s.proposeFix(c)
	case JudgeFix:
		return s.judgeFix(c)
	case SuggestFix:
		return s.suggestFix(c, now)
	case EndMaintenance:
		return s.endMaintenance(c)
	case AcceptFix:
		return s.acceptFix(c)
	case DeclineFix:
		return s.declineFix(c)
	case CorrectFix:
		return s.correctFix(c)
	case RecheckFix:
		return s.recheckFix(c)
	case WithdrawFixes:
		return s.withdrawFixes(c)

	case OpenPlannerTask:
		return s.openPlannerTask(c)
	case WaitPlannerTask:
		return s.waitPlannerTask(c)
	case TellPlanner:
		return s.tellPlanner(c)
	case ClosePlannerTask:
		return s.closePlannerTask(c)
	case AskQuestion:
		return s.askQuestion(c)
	case AnswerQuestion:
		return s.answerQuestion(c)
	case AcknowledgeNotification:
		return s.acknowledgeNotification(c)
	case DelegateDecision:
		return s.delegateDecision(c)
	case RemindOfDecision:
		return s.remindOfDecision(now)
	case NoteRehearsal:
		return s.noteRehearsal(c, now), nil
	case ClaimWork:
		return s.claimWork(c, now)
	case ReportOutage:
		return s.reportOutage(now), nil
	case DecideOverdue:
		return s.decideOverdue(c, now)
	case TendDraft:
		return s.tendDraft(c, now)
	case KeepDraft:
		return s.keepDraft()
	}
	return nil, fault.New(fault.Internal, "workflow: no decision for %T: add it to Decide", c)
}

// refused names the workflow in a refusal of the status table.
func (s State) refused(refusal string) error {
	return fault.New(fault.Conflict, "workflow %q %s", s.Title, refusal)
}

// asks puts a command to the status table: go on, nothing to do, or a refusal.
func (s State) asks(a answer) (goOn bool, err error) {
	if a.refusal != "" {
		return false, s.refused(a.refusal)
	}
	return !a.already, nil
}

// editable refuses changes of what the workflow is where the status table does.
func (s State) editable() error {
	_, err := s.asks(statusTable[s.Status].edit)
	return err
}

func invalid(format string, args ...any) error  { return fault.New(fault.Invalid, format, args...) }
func conflict(format string, args ...any) error { return fault.New(fault.Conflict, format, args...) }
func notFound(format string, args ...any) error { return fault.New(fault.NotFound, format, args...) }
