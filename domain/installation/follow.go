package installation

import (
	"fmt"

	"github.com/kintsugi-run/kintsugi/domain/event"
)

// Follow is [Evolve] for a history that is doubted: it returns an [*event.ImpossibleError] for an
// event that nobody can have come to in this state.
func Follow(s State, e event.Event) (State, error) {
	if why := s.refuses(e); why != "" {
		return s, event.Impossible(e, "%s", why)
	}
	return Evolve(s, e), nil
}

// refuses says why an event cannot have happened, nothing if it can.
func (s State) refuses(e event.Event) string {
	switch e := e.(type) {
	case RepairsStopped:
		if s.Off {
			return "repairs are stopped already"
		}
	case RepairsResumed:
		if !s.Off {
			return "repairs were not stopped"
		}
	case SpendCapChanged:
		if min(e.PerDayUSD, e.PerMonthUSD, e.PerFixUSD) < 0 {
			return "a cap is not below 0"
		}
	case SpendCapReached:
		of, known := map[Period]float64{Day: s.PerDayUSD, Month: s.PerMonthUSD}[e.Period]
		switch {
		case !known:
			return fmt.Sprintf("%q is no period", e.Period)
		case of == 0 || e.CapUSD != of:
			return fmt.Sprintf("the cap of a %s is $%.2f", e.Period, of)
		case e.SpentUSD < e.CapUSD:
			return "less was spent than the cap"
		}
	case TokenCreated:
		if _, known := s.Tokens[e.ID]; known {
			return "there is such a token already"
		}
	case TokenRevoked:
		if _, known := s.Tokens[e.ID]; !known || s.revoked[e.ID] {
			return "there is no such token that lets anybody in"
		}
	case WorkStalled:
		if _, told := s.Stalled[Stall{e.Kind, e.ID, e.Work}]; told {
			return "it is said already"
		}
	case WorkResumed:
		if _, told := s.Stalled[Stall(e)]; !told {
			return "nobody said that it had stalled"
		}
	case EgressChanged, NoticeAcknowledged, TimelineChosen, SecretSet, SecretRemoved:
	case DraftArchivingChanged:
		if s.ArchivesDrafts(e.Owner) == e.On {
			return "it was so already"
		}
	default:
		return "it does not belong in the stream of the installation"
	}
	return ""
}
