package projections

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// Told is a notification that another one stands for, with the same cause.
type Told struct {
	ID            string `json:"id"`
	Workflow      string `json:"workflow"`
	WorkflowTitle string `json:"workflow_title"`
	Run           string `json:"run,omitempty"`
	Proposal      string `json:"proposal,omitempty"`

	At time.Time `json:"at"`
}

// grouping are the types that many workflows can have for one cause: people hear of the cause.
var grouping = []NotificationType{NotifyError, NotifyFixed, NotifyFixWaiting, NotifyEscalated, NotifyMaintenanceFailed}

// Candidate is the best that a maintainer had for an escalated task, and why it did not pass.
type Candidate struct {
	Fixer   string   `json:"fixer"`
	Comment string   `json:"comment"`
	Diff    string   `json:"diff"`
	Verdict string   `json:"verdict"`
	Why     []string `json:"why"`
	// Exempt is the recorded success that it changes: if that was wrong, exempting it lets such a
	// fix pass. Empty if there is none.
	Exempt string `json:"exempt,omitempty"`
}

// BestCandidate is the best candidate of a maintainer's task; nil if it had none. Of those with the
// best verdict it is the first of the templates, which offer their best first, or the last of a
// fixer that learns from what it is told.
func (q *Queries) BestCandidate(ctx context.Context, task string) (*Candidate, error) {
	var best *Candidate
	err := q.store.Read(ctx, func(query *readmodel.Query) error {
		judged, err := readmodel.Select(query, threadCandidates, `JOIN thread ON thread.id = thread_candidate.thread
			WHERE thread.task = ? AND thread.task <> '' ORDER BY thread_candidate.revision`, task)
		if err != nil || len(judged) == 0 {
			return err
		}
		chosen := judged[0].Judged
		for _, candidate := range judged[1:] {
			one := candidate.Judged
			if order := cmp.Compare(rank(one), rank(chosen)); order < 0 || order == 0 && !fromTemplate(one) {
				chosen = one
			}
		}
		best = &Candidate{Fixer: chosen.Fixer, Comment: chosen.Comment, Diff: chosen.Diff, Verdict: chosen.Verdict, Why: []string{}}
		if chosen.Divergence != "" {
			best.Why = append(best.Why, chosen.Divergence)
		}
		best.Why = append(best.Why, chosen.Reasons...)
		if chosen.Diverges == "" {
			return nil
		}
		recorded, err := readmodel.Select(query, runs, "WHERE id = ? AND outcome = ? AND exempted = ''", chosen.Diverges, RunSucceeded)
		if len(recorded) > 0 {
			best.Exempt = recorded[0].ID
		}
		return err
	})
	return best, err
}

// rank orders candidates, the best first: by the verdict, then those of a fixer that learns from what it is told.
func rank(one thread.CandidateJudged) int {
	order := map[string]int{"identical": 0, "unverifiable": 2}
	of, known := order[one.Verdict]
	if !known {
		of = 4
	}
	if fromTemplate(one) {
		of++
	}
	return of
}

func fromTemplate(one thread.CandidateJudged) bool { return strings.HasPrefix(one.Fixer, "templates") }

// withCandidates adds the best candidates of escalated tasks.
func (q *Queries) withCandidates(ctx context.Context, list []Notification) ([]Notification, error) {
	for i, one := range list {
		if one.Task == "" || (one.Type != NotifyEscalated && one.Type != NotifyMaintenanceFailed) {
			continue
		}
		best, err := q.BestCandidate(ctx, one.Task)
		if err != nil {
			return nil, err
		}
		list[i].Candidate = best
	}
	return list, nil
}
