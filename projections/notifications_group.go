package projections

import (
	"context"
	"maps"
	"slices"
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
	Title         string `json:"title"` // why, of this workflow: the others may have other reasons
	Text          string `json:"text,omitempty"`

	At time.Time `json:"at"`

	number int64
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

// BestCandidate is the best candidate of a maintainer's task; nil if it had none. Among those with the
// best verdict it is the first of the templates, which offer their best first, or the last of a
// fixer that learns from what it is told: [Thread.Best].
func (q *Queries) BestCandidate(ctx context.Context, task string) (best *Candidate, err error) {
	err = q.store.Read(ctx, func(query *readmodel.Query) error {
		all, err := bestCandidates(query, []any{task})
		best = all[task]
		return err
	})
	return best, err
}

// bestCandidates are those of tasks, by task.
func bestCandidates(query *readmodel.Query, tasks []any) (map[string]*Candidate, error) {
	chosen := map[string]thread.CandidateJudged{}
	judged := query.Rows("SELECT "+threadCandidates.Columns()+`, thread.task AS of_task FROM thread JOIN thread_candidate ON thread_candidate.thread = thread.id AND thread_candidate.revision = thread.best
		WHERE thread.task <> '' AND thread.task IN (?`+strings.Repeat(", ?", len(tasks)-1)+`)`, tasks...)
	for row, err := range judged {
		if err != nil {
			return nil, err
		}
		one, err := threadCandidates.Scan(row)
		if err != nil {
			return nil, err
		}
		chosen[row.Text("of_task")] = one.Judged
	}
	best := map[string]*Candidate{}
	recorded := []any{RunSucceeded} // that could be exempted, if they are what it changes
	for task, one := range chosen {
		best[task] = &Candidate{Fixer: one.Fixer, Comment: one.Comment, Diff: one.Diff, Verdict: one.Verdict, Why: []string{}}
		if one.Divergence != "" {
			best[task].Why = append(best[task].Why, one.Divergence)
		}
		best[task].Why = append(best[task].Why, one.Reasons...)
		if one.Diverges != "" {
			recorded = append(recorded, one.Diverges)
		}
	}
	if len(recorded) == 1 {
		return best, nil
	}
	rows := query.Rows(`SELECT id FROM run WHERE outcome = ? AND exempted = '' AND id IN (?`+strings.Repeat(", ?", len(recorded)-2)+`)`, recorded...)
	found, err := readmodel.Collect(rows, func(row readmodel.Row) (string, error) { return row.Text("id"), nil })
	for task, one := range chosen {
		if one.Diverges != "" && slices.Contains(found, one.Diverges) {
			best[task].Exempt = one.Diverges
		}
	}
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

// addCandidates adds the best candidates of escalated tasks.
func addCandidates(query *readmodel.Query, list []Notification) error {
	var tasks []any
	for _, one := range list {
		if one.Task != "" && one.Type.mixed() {
			tasks = append(tasks, one.Task)
		}
	}
	best := map[string]*Candidate{}
	for some := range slices.Chunk(tasks, mostArguments) {
		found, err := bestCandidates(query, some)
		if err != nil {
			return err
		}
		maps.Copy(best, found)
	}
	for i, one := range list {
		if one.Type.mixed() {
			list[i].Candidate = best[one.Task]
		}
	}
	return nil
}
