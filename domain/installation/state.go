package installation

import (
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/internal/persistent"
)

// State is the installation, folded from its stream. The zero State is one of which nothing was
// ever said: repairs go on, and there is no cap.
type State struct {
	// Off says that a person stopped all repairs, Reason why.
	Off    bool
	Reason string
	// Caps in US dollars; 0 is none.
	PerDayUSD   float64
	PerMonthUSD float64
	PerFixUSD   float64

	// Egress says where scripts may not go.
	Egress Egress

	// Tokens are all that were ever made, by their ids.
	Tokens map[string]Token

	// Stalled is what fails again and again, and why.
	Stalled map[Stall]string

	hashes    map[string]string         // ids of tokens by their hashes
	revoked   map[string]bool           // ids
	tenants   map[string]bool           // owners whose workflows somebody else's token may change, or might before it was revoked
	told      map[Period]time.Time      // for which beginning of a period it is said that its cap is reached
	acked     map[string]bool           // notices
	timelines map[string]TimelineChosen // by viewer
	drafts    map[string]bool           // owners whose drafts are archived
}

// Stall names a piece of work that Kintsugi has to do by itself.
type Stall struct{ Kind, ID, Work string }

// Period is what a cap is for: a calendar day or month in UTC, so that all nodes count the same.
type Period string

// The periods.
const (
	Day   Period = "day"
	Month Period = "month"
)

// Start is when the period began that a moment is in.
func (p Period) Start(at time.Time) time.Time {
	at = at.UTC()
	if p == Month {
		return time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
	}
	return time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
}

// End is when it ends.
func (p Period) End(at time.Time) time.Time {
	if p == Month {
		return p.Start(at).AddDate(0, 1, 0)
	}
	return p.Start(at).AddDate(0, 0, 1)
}

// Spent is what agents have spent, in US dollars, since the day and the month began.
type Spent struct {
	DayUSD   float64
	MonthUSD float64
}

// Reached is a cap that is used up.
type Reached struct {
	Period   Period
	CapUSD   float64
	SpentUSD float64
	Until    time.Time // the end of the period
}

// String says it to people.
func (r Reached) String() string {
	return fmt.Sprintf("agents have spent $%.2f this %s, and the cap is $%.2f: they go on after %s, or when the cap is raised",
		r.SpentUSD, r.Period, r.CapUSD, r.Until.Format("2006-01-02 15:04 MST"))
}

// ArchivesDrafts says that an owner's drafts go to the archive by themselves when nobody touches them.
func (s State) ArchivesDrafts(owner string) bool { return s.drafts[owner] }

// Capped says that there is anything that spending is compared with.
func (s State) Capped() bool { return s.PerDayUSD > 0 || s.PerMonthUSD > 0 || s.PerFixUSD > 0 }

// Reached are the caps that are used up, the longest period first.
func (s State) Reached(spent Spent, now time.Time) []Reached {
	var reached []Reached
	for _, one := range []Reached{
		{Period: Month, CapUSD: s.PerMonthUSD, SpentUSD: spent.MonthUSD},
		{Period: Day, CapUSD: s.PerDayUSD, SpentUSD: spent.DayUSD},
	} {
		if one.CapUSD > 0 && one.SpentUSD >= one.CapUSD {
			one.Until = one.Period.End(now)
			reached = append(reached, one)
		}
	}
	return reached
}

// Tenant is an owner who is a tenant of this installation, else "": somebody was given a token that changes the workflows of this
// owner only. The settings that it wrote outlive it.
func (s State) Tenant(owner string) string {
	if s.tenants[owner] {
		return owner
	}
	return ""
}

// TimelineOf is what somebody wants to see of timelines.
func (s State) TimelineOf(viewer string) TimelineChosen { return s.timelines[viewer] }

// Evolve is the state after an event. It never fails and never validates; the given state stays
// as it was.
func Evolve(s State, e event.Event) State {
	switch e := e.(type) {
	case RepairsStopped:
		s.Off, s.Reason = true, e.Reason
	case RepairsResumed:
		s.Off, s.Reason = false, ""
	case SpendCapChanged:
		s.PerDayUSD, s.PerMonthUSD, s.PerFixUSD = e.PerDayUSD, e.PerMonthUSD, e.PerFixUSD
		s.told = nil // another cap is reached anew
	case EgressChanged:
		s.Egress = Egress(e)
	case SpendCapReached:
		s.told = persistent.With(s.told, e.Period, e.From)
	case DraftArchivingChanged:
		s.drafts = persistent.With(s.drafts, e.Owner, e.On)
	case WorkStalled:
		s.Stalled = persistent.With(s.Stalled, Stall{e.Kind, e.ID, e.Work}, e.Problem)
	case WorkResumed:
		s.Stalled = persistent.Without(s.Stalled, Stall(e))
	case TimelineChosen:
		s.timelines = persistent.With(s.timelines, e.Viewer, e)
	case TokenCreated:
		s.Tokens = persistent.With(s.Tokens, e.ID, Token{TokenCreated: e})
		s.hashes = persistent.With(s.hashes, e.Hash, e.ID)
		if (Token{TokenCreated: e}).Allows(Edit) && e.Owner != "" {
			s.tenants = persistent.With(s.tenants, e.Owner, true)
		}
	case TokenRevoked:
		s.revoked = persistent.With(s.revoked, e.ID, true)
	case NoticeAcknowledged:
		s.acked = persistent.With(s.acked, e.Notification, true)
	}
	return s
}
