package projections_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// whole are the questions that read more than they answer, and why that is not much.
var whole = map[string]string{
	"all groups":    "each cause of each workflow, which are few beside runs",
	"related fixes": "the fixes for one cause",
}

// No query reads a table from its beginning to its end, or sorts what it finds before it takes a page of it: each has an
// index, so that it takes as long with a million runs as with ten.
func TestQueriesUseIndexes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create("w", "W")
	w.succeed("w", manual("r1"))
	w.catchUp()
	q := w.queries
	version := workflow.Version{Major: 1}
	asked := map[string]func(ctx context.Context) error{
		"workflows": func(ctx context.Context) error {
			return question(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, After: "w"}))
		},
		"workflows and archived ones": func(ctx context.Context) error {
			return question(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, After: "w", Archived: true}))
		},
		"workflows of a status": func(ctx context.Context) error {
			return question(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, After: "w", Status: workflow.StatusActive}))
		},
		"drafts": func(ctx context.Context) error {
			return question(q.Drafts(ctx, projections.DraftFilter{Limit: 20, Untouched: noon}))
		},
		"a workflow": func(ctx context.Context) error { return question(q.Workflow(ctx, "w")) },
		"runs": func(ctx context.Context) error {
			return question(q.Runs(ctx, projections.RunFilter{Limit: 20, Before: "r1"}))
		},
		"runs of a workflow": func(ctx context.Context) error {
			return question(q.Runs(ctx, projections.RunFilter{Workflow: "w", Limit: 20, Before: "r1"}))
		},
		"runs of a major version": func(ctx context.Context) error {
			return question(q.Runs(ctx, projections.RunFilter{Workflow: "w", Major: 1, Status: projections.RunSucceeded, Limit: 20}))
		},
		"runs of a status": func(ctx context.Context) error {
			return question(q.Runs(ctx, projections.RunFilter{Status: projections.RunFailed, Limit: 20}))
		},
		"a run":    func(ctx context.Context) error { return question(q.Run(ctx, "r1")) },
		"scripts":  func(ctx context.Context) error { return question(q.Scripts(ctx, "w")) },
		"a script": func(ctx context.Context) error { return question(q.Script(ctx, "w", version)) },
		"the active script": func(ctx context.Context) error {
			return question(q.ActiveScript(ctx, "w"))
		},
		"threads":        func(ctx context.Context) error { return question(q.Threads(ctx, "w", projections.KindMaintainer)) },
		"a thread":       func(ctx context.Context) error { _ = question(q.Thread(ctx, "t")); return nil },
		"thread entries": func(ctx context.Context) error { return question(q.ThreadEntries(ctx, "t")) },
		"fixes":          func(ctx context.Context) error { return question(q.Fixes(ctx, projections.FixFilter{})) },
		"fixes of a workflow": func(ctx context.Context) error {
			return question(q.Fixes(ctx, projections.FixFilter{Workflow: "w"}))
		},
		"fixes of a state": func(ctx context.Context) error {
			return question(q.Fixes(ctx, projections.FixFilter{State: projections.FixHeld}))
		},
		"a fix": func(ctx context.Context) error { _ = question(q.Fix(ctx, "p")); return nil },
		"notifications": func(ctx context.Context) error {
			return question(q.Notifications(ctx, projections.NotificationFilter{Limit: 20, Before: "n"}))
		},
		"open notifications": func(ctx context.Context) error {
			return question(q.Notifications(ctx, projections.NotificationFilter{Open: true, Limit: 20}))
		},
		"notifications of a workflow": func(ctx context.Context) error {
			return question(q.Notifications(ctx, projections.NotificationFilter{Workflow: "w", Limit: 20}))
		},
		"notifications of a type": func(ctx context.Context) error {
			return question(q.Notifications(ctx, projections.NotificationFilter{Type: projections.NotifyError, Limit: 20}))
		},
		"a notification": func(ctx context.Context) error { _ = question(q.Notification(ctx, "n")); return nil },
		"the best candidate": func(ctx context.Context) error {
			return question(q.BestCandidate(ctx, "task"))
		},
		"inbox": func(ctx context.Context) error {
			return question(q.Inbox(ctx, projections.InboxFilter{Limit: 20}))
		},
		"open inbox": func(ctx context.Context) error {
			return question(q.Inbox(ctx, projections.InboxFilter{Open: true, Limit: 20}))
		},
		"inbox of a workflow": func(ctx context.Context) error {
			return question(q.Inbox(ctx, projections.InboxFilter{Workflow: "w", Open: true, Limit: 20}))
		},
		"inbox of a state": func(ctx context.Context) error {
			return question(q.Inbox(ctx, projections.InboxFilter{State: projections.InboxWaiting, Limit: 20}))
		},
		"all groups":    func(ctx context.Context) error { return question(q.Groups(ctx, false)) },
		"related fixes": func(ctx context.Context) error { return question(q.RelatedFixes(ctx, "w", "r1", 3)) },
		"hosts":         func(ctx context.Context) error { return question(q.Hosts(ctx, "w", 1)) },
		"inputs":        func(ctx context.Context) error { return question(q.QueuedInputs(ctx, "w")) },
		"triggers":      func(ctx context.Context) error { return question(q.EventTriggers(ctx, "w")) },
		"local":         func(ctx context.Context) error { return question(q.Local(ctx, "w")) },
		"streams":       func(ctx context.Context) error { return question(q.Streams(ctx, "w")) },
		"spent":         func(ctx context.Context) error { return question(q.Spent(ctx, noon)) },
		"spent for":     func(ctx context.Context) error { return question(q.SpentFor(ctx, "ann", noon)) },
		"usage":         func(ctx context.Context) error { return question(q.Usage(ctx, projections.UsageFilter{})) },
		"usage of an owner": func(ctx context.Context) error {
			return question(q.Usage(ctx, projections.UsageFilter{Owner: "ann", From: "2026-03-01", To: "2026-03-31"}))
		},
		"usage of a workflow": func(ctx context.Context) error {
			return question(q.Usage(ctx, projections.UsageFilter{Workflow: "w", From: "2026-03-01"}))
		},
		"uncounted": func(ctx context.Context) error { return question(q.Uncounted(ctx, noon)) },
	}
	conn, err := sqlite.OpenConn(w.store.Path(), sqlite.OpenReadOnly)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	for name, ask := range asked {
		count := 0
		require.NoError(t, ask(readmodel.Watch(t.Context(), func(query string, args []any) {
			count++
			err := sqlitex.Execute(conn, "EXPLAIN QUERY PLAN "+query, &sqlitex.ExecOptions{Args: args, ResultFunc: func(stmt *sqlite.Stmt) error {
				if step := stmt.GetText("detail"); slow(step, query) && whole[name] == "" {
					t.Errorf("%s: %s\n%s", name, step, query)
				}
				return nil
			}})
			require.NoError(t, err, query)
		})), name)
		require.Positive(t, count, name)
	}
}

func question[T any](_ T, err error) error { return err }

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
