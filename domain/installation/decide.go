package installation

import (
	"math"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// maxText bounds what a person writes.
const maxText = 4 << 10

// maxFound bounds what is listed of a store that was changed.
const maxFound = 50

// Decide says what happens when a command meets a state: the events of one append, none if
// there is nothing to do, or a refusal (see package fault). It is pure: now is the caller's clock.
func Decide(s State, c Command, now time.Time) ([]event.Event, error) {
	switch c := c.(type) {
	case StopRepairs:
		if s.Off {
			return nil, nil
		}
		return []event.Event{RepairsStopped{Reason: failure.Cut(c.Reason, maxText)}}, nil
	case ResumeRepairs:
		if !s.Off {
			return nil, nil
		}
		return []event.Event{RepairsResumed{Reason: failure.Cut(c.Reason, maxText)}}, nil
	case ChangeSpendCap:
		return s.changeSpendCap(c)
	case ChangeEgress:
		return s.changeEgress(c)
	case ReportSpend:
		return s.reportSpend(c, now), nil
	case ChangeDraftArchiving:
		if s.ArchivesDrafts(c.Owner) == c.On {
			return nil, nil
		}
		return []event.Event{DraftArchivingChanged(c)}, nil
	case ChooseTimeline:
		if c.Viewer == "" {
			return nil, fault.New(fault.Invalid, "whose choice is it? It has no viewer")
		}
		if chosen := s.TimelineOf(c.Viewer); slices.Equal(chosen.Significance, c.Significance) && slices.Equal(chosen.Kinds, c.Kinds) {
			return nil, nil
		}
		return []event.Event{TimelineChosen(c)}, nil
	case NoteSecret:
		if len(c.Hosts) == 0 {
			return []event.Event{SecretRemoved{Name: c.Name, Workflow: c.Workflow}}, nil
		}
		return []event.Event{SecretSet(c)}, nil
	case CreateToken:
		return s.createToken(c, now)
	case RevokeToken:
		if _, known := s.Tokens[c.ID]; !known {
			return nil, fault.New(fault.NotFound, "there is no token %q: see 'kintsugi token list'", c.ID)
		}
		if s.revoked[c.ID] {
			return nil, nil
		}
		return []event.Event{TokenRevoked{ID: c.ID, Reason: failure.Cut(c.Reason, maxText)}}, nil
	case ReportStalled:
		if _, told := s.Stalled[c.Stall]; told {
			return nil, nil
		}
		return []event.Event{WorkStalled{Kind: c.Stall.Kind, ID: c.Stall.ID, Work: c.Stall.Work, Problem: failure.Cut(c.Problem, maxText), Tries: c.Tries}}, nil
	case ReportResumed:
		if _, told := s.Stalled[c.Stall]; !told {
			return nil, nil
		}
		return []event.Event{WorkResumed(c.Stall)}, nil
	case ReportStoreMended:
		if len(c.Found) == 0 {
			return nil, nil
		}
		found := make([]string, min(len(c.Found), maxFound))
		for i := range found {
			found[i] = failure.Cut(c.Found[i], maxText)
		}
		return []event.Event{StoreMended{Found: found}}, nil
	case AcknowledgeNotice:
		if c.Notification == "" {
			return nil, fault.New(fault.Invalid, "which notification was seen? It has no id")
		}
		if s.acked[c.Notification] {
			return nil, nil
		}
		return []event.Event{NoticeAcknowledged(c)}, nil
	}
	return nil, fault.New(fault.Internal, "installation: no decision for %T: add it to Decide", c)
}

func (s State) changeSpendCap(c ChangeSpendCap) ([]event.Event, error) {
	if c == (ChangeSpendCap{}) {
		return nil, fault.New(fault.Invalid, "name a cap: for a day, for a month, for a fix, or several")
	}
	before := SpendCapChanged{PerDayUSD: s.PerDayUSD, PerMonthUSD: s.PerMonthUSD, PerFixUSD: s.PerFixUSD}
	changed := before
	for _, one := range []struct {
		asked *float64
		cap   *float64
	}{{c.PerDayUSD, &changed.PerDayUSD}, {c.PerMonthUSD, &changed.PerMonthUSD}, {c.PerFixUSD, &changed.PerFixUSD}} {
		if one.asked == nil {
			continue
		}
		if usd := *one.asked; usd < 0 || math.IsNaN(usd) || math.IsInf(usd, 0) {
			return nil, fault.New(fault.Invalid, "a cap of $%v is none: name an amount in US dollars, or 0 for no cap", usd)
		}
		*one.cap = *one.asked
	}
	if changed == before {
		return nil, nil
	}
	return []event.Event{changed}, nil
}

// reportSpend records once for each period that a cap is reached. Many agents find the cap reached and report it, so
// it has to ignore repetitions.
func (s State) reportSpend(c ReportSpend, now time.Time) []event.Event {
	var events []event.Event
	for _, reached := range s.Reached(c.Spent, now) {
		from := reached.Period.Start(now)
		if told, was := s.told[reached.Period]; was && told.Equal(from) {
			continue
		}
		events = append(events, SpendCapReached{Period: reached.Period, From: from, CapUSD: reached.CapUSD, SpentUSD: reached.SpentUSD})
	}
	return events
}
