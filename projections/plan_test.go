package projections_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// whole are the questions that read more than they answer, and why that is not much.
var whole = map[string]string{
	"all groups":    "each cause of each workflow, which are few beside runs",
	"related fixes": "the fixes for one cause",
	"tallies":       "some thirty rows, whatever is in the log",
	"waiting":       "inputs that wait, which settings bound for each workflow",
}

// No query reads a table from its beginning to its end, or sorts what it finds before it takes a page of it: each has an
// index, so that it takes as long with a million runs as with ten.
func TestQueriesUseIndexes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create("w", "W")
	w.succeed("w", manual("r1"))
	w.catchUp()
	conn, err := sqlite.OpenConn(w.store.Path(), sqlite.OpenReadOnly)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	for name, ask := range questions(w.queries, "w", "r1") {
		count := 0
		_, err := ask(readmodel.Watch(t.Context(), func(query string, args []any) {
			count++
			err := sqlitex.Execute(conn, "EXPLAIN QUERY PLAN "+query, &sqlitex.ExecOptions{Args: args, ResultFunc: func(stmt *sqlite.Stmt) error {
				if step := stmt.GetText("detail"); slow(step, query) && whole[name] == "" {
					t.Errorf("%s: %s\n%s", name, step, query)
				}
				return nil
			}})
			require.NoError(t, err, query)
		}))
		require.NoError(t, err, name)
		require.Positive(t, count, name)
	}
}

// questions are all that is asked of views, with a workflow and a run to ask about.
func questions(q *projections.Queries, of, run string) map[string]func(ctx context.Context) (any, error) {
	version := workflow.Version{Major: 1}
	return map[string]func(ctx context.Context) (any, error){
		"workflows": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, After: of}))
		},
		"workflows and archived ones": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, After: of, Archived: true}))
		},
		"workflows of a status": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, After: of, Status: workflow.StatusActive}))
		},
		"drafts": func(ctx context.Context) (any, error) {
			return answer(q.Drafts(ctx, projections.DraftFilter{Limit: 20, Untouched: noon}))
		},
		"a workflow": func(ctx context.Context) (any, error) { return answer(q.Workflow(ctx, of)) },
		"runs": func(ctx context.Context) (any, error) {
			return answer(q.Runs(ctx, projections.RunFilter{Limit: 20, Before: run}))
		},
		"runs of a workflow": func(ctx context.Context) (any, error) {
			return answer(q.Runs(ctx, projections.RunFilter{Workflow: of, Limit: 20, Before: run}))
		},
		"runs of a major version": func(ctx context.Context) (any, error) {
			return answer(q.Runs(ctx, projections.RunFilter{Workflow: of, Major: 1, Status: projections.RunSucceeded, Limit: 20}))
		},
		"runs of a status": func(ctx context.Context) (any, error) {
			return answer(q.Runs(ctx, projections.RunFilter{Status: projections.RunFailed, Limit: 20}))
		},
		"a run":    func(ctx context.Context) (any, error) { return answer(q.Run(ctx, run)) },
		"scripts":  func(ctx context.Context) (any, error) { return answer(q.Scripts(ctx, of)) },
		"a script": func(ctx context.Context) (any, error) { return answer(q.Script(ctx, of, version)) },
		"the active script": func(ctx context.Context) (any, error) {
			return answer(q.ActiveScript(ctx, of))
		},
		"threads":              func(ctx context.Context) (any, error) { return answer(q.Threads(ctx, of, projections.KindMaintainer)) },
		"a thread":             func(ctx context.Context) (any, error) { return lenient(q.Thread(ctx, "t")) },
		"the thread of a task": func(ctx context.Context) (any, error) { return lenient(q.ThreadOf(ctx, "task")) },
		"fixes":                func(ctx context.Context) (any, error) { return answer(q.Fixes(ctx, projections.FixFilter{})) },
		"fixes of a workflow": func(ctx context.Context) (any, error) {
			return answer(q.Fixes(ctx, projections.FixFilter{Workflow: of}))
		},
		"fixes of a state": func(ctx context.Context) (any, error) {
			return answer(q.Fixes(ctx, projections.FixFilter{State: projections.FixHeld}))
		},
		"a fix": func(ctx context.Context) (any, error) { return lenient(q.Fix(ctx, "p")) },
		"notifications": func(ctx context.Context) (any, error) {
			return answer(q.Notifications(ctx, projections.NotificationFilter{Limit: 20, Before: "n"}))
		},
		"open notifications": func(ctx context.Context) (any, error) {
			return answer(q.Notifications(ctx, projections.NotificationFilter{Open: true, Limit: 20}))
		},
		"notifications of a workflow": func(ctx context.Context) (any, error) {
			return answer(q.Notifications(ctx, projections.NotificationFilter{Workflow: of, Limit: 20}))
		},
		"notifications of a type": func(ctx context.Context) (any, error) {
			return answer(q.Notifications(ctx, projections.NotificationFilter{Type: projections.NotifyError, Limit: 20}))
		},
		"a notification": func(ctx context.Context) (any, error) { return lenient(q.Notification(ctx, "n")) },
		"the best candidate": func(ctx context.Context) (any, error) {
			return answer(q.BestCandidate(ctx, "task"))
		},
		"inbox": func(ctx context.Context) (any, error) {
			return answer(q.Inbox(ctx, projections.InboxFilter{Limit: 20}))
		},
		"open inbox": func(ctx context.Context) (any, error) {
			return answer(q.Inbox(ctx, projections.InboxFilter{Open: true, Limit: 20}))
		},
		"inbox of a workflow": func(ctx context.Context) (any, error) {
			return answer(q.Inbox(ctx, projections.InboxFilter{Workflow: of, Open: true, Limit: 20}))
		},
		"inbox of a state": func(ctx context.Context) (any, error) {
			return answer(q.Inbox(ctx, projections.InboxFilter{State: projections.InboxWaiting, Limit: 20}))
		},
		"all groups":    func(ctx context.Context) (any, error) { return answer(q.Groups(ctx, false)) },
		"related fixes": func(ctx context.Context) (any, error) { return answer(q.RelatedFixes(ctx, of, run, 3)) },
		"hosts":         func(ctx context.Context) (any, error) { return answer(q.Hosts(ctx, of, 1)) },
		"inputs":        func(ctx context.Context) (any, error) { return answer(q.QueuedInputs(ctx, of)) },
		"triggers":      func(ctx context.Context) (any, error) { return answer(q.EventTriggers(ctx, of)) },
		"local":         func(ctx context.Context) (any, error) { return answer(q.Local(ctx, of)) },
		"streams":       func(ctx context.Context) (any, error) { return answer(q.Streams(ctx, of)) },
		"spent":         func(ctx context.Context) (any, error) { return answer(q.Spent(ctx, noon)) },
		"spent for":     func(ctx context.Context) (any, error) { return answer(q.SpentFor(ctx, "ann", noon)) },
		"usage":         func(ctx context.Context) (any, error) { return answer(q.Usage(ctx, projections.UsageFilter{})) },
		"usage of an owner": func(ctx context.Context) (any, error) {
			return answer(q.Usage(ctx, projections.UsageFilter{Owner: "ann", From: "2026-03-01", To: "2026-03-31"}))
		},
		"usage of a workflow": func(ctx context.Context) (any, error) {
			return answer(q.Usage(ctx, projections.UsageFilter{Workflow: of, From: "2026-03-01"}))
		},
		"tallies":   func(ctx context.Context) (any, error) { return answer(q.Tallies(ctx)) },
		"waiting":   func(ctx context.Context) (any, error) { return answer(q.Waiting(ctx)) },
		"uncounted": func(ctx context.Context) (any, error) { return answer(q.Uncounted(ctx, noon)) },
	}
}

func answer[T any](found T, err error) (any, error) { return found, err }

// lenient is of what need not be there.
func lenient[T any](found T, err error) (any, error) {
	if fault.KindOf(err) == fault.NotFound {
		return "none", nil
	}
	return found, err
}

var indexed = regexp.MustCompile(`^SCAN \w+ USING (COVERING )?INDEX`)

// slow says that a step of a plan takes the longer the more there is. A scan in the order of an index ends with the page.
func slow(step, query string) bool {
	switch {
	case strings.HasPrefix(step, "SCAN CONSTANT ROW"):
		return false
	case strings.HasPrefix(step, "SCAN"):
		return !indexed.MatchString(step)
	}
	return strings.Contains(step, "TEMP B-TREE") && strings.Contains(query, "LIMIT")
}
