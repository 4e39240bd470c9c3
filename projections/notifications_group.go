package projections

import (
	"context"
	"slices"

	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// Told is a notification that another one stands for: of the same type, with the same cause.
type Told struct {
	ID            string `json:"id"`
	Workflow      string `json:"workflow"`
	WorkflowTitle string `json:"workflow_title"`
	Run           string `json:"run,omitempty"`
	Proposal      string `json:"proposal,omitempty"`
}

// grouping are the types that many workflows can have for one cause: people hear of the cause.
var grouping = []NotificationType{NotifyError, NotifyFixed, NotifyFixWaiting, NotifyEscalated, NotifyMaintenanceFailed}

// joined lets one notification stand for all of its type with the same cause: the newest, as the
// list is. It leaves the others out, and names them.
func joined(list []Notification) []Notification {
	type key struct {
		kind        NotificationType
		host, loose string
	}
	lead := map[key]int{}
	kept := make([]Notification, 0, len(list))
	for _, one := range list {
		of := key{one.Type, one.host, one.loose}
		at, told := lead[of]
		if one.loose == "" || !slices.Contains(grouping, one.Type) {
			kept = append(kept, one)
			continue
		}
		if !told {
			lead[of] = len(kept)
			kept = append(kept, one)
			continue
		}
		kept[at].Also = append(kept[at].Also, Told{
			ID: one.ID, Workflow: one.Workflow, WorkflowTitle: one.WorkflowTitle, Run: one.Run, Proposal: one.Proposal,
		})
	}
	return kept
}

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
	found, err := collect(ctx, q, func(row readmodel.Row) (*Candidate, error) {
		var entry struct {
			Candidate
			Divergence string   `json:"divergence"`
			Reasons    []string `json:"reasons"`
		}
		if err := row.JSON("entry", &entry); err != nil {
			return nil, err
		}
		best := entry.Candidate
		best.Exempt, best.Why = row.Text("exempt"), []string{}
		if entry.Divergence != "" {
			best.Why = append(best.Why, entry.Divergence)
		}
		best.Why = append(best.Why, entry.Reasons...)
		return &best, nil
	}, `SELECT entry, coalesce((SELECT id FROM run WHERE id = entry ->> 'diverges' AND outcome = 'succeeded' AND exempted = ''), '') AS exempt
		FROM thread_entry JOIN thread ON thread.id = thread_entry.thread
		WHERE thread.task = ? AND thread_entry.kind = 'CandidateJudged'
		ORDER BY CASE entry ->> 'verdict' WHEN 'identical' THEN 0 WHEN 'unverifiable' THEN 1 ELSE 2 END,
			entry ->> 'fixer' LIKE 'templates%',
			CASE WHEN entry ->> 'fixer' LIKE 'templates%' THEN revision ELSE -revision END
		LIMIT 1`, task)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

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
