package projections_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// whole are the questions that read more than they answer, and why that is not much.
var whole = map[string]string{
	"tallies":                                "some thirty rows, whatever is in the log",
	"related fixes":                          "the fixes for one cause",
	"runs of a major version":                "the newest runs are of the version that is asked for",
	"open notifications of a workflow":       "what is open for people is little",
	"notifications of a type and a workflow": "the notifications of a workflow",
	"inbox of a workflow":                    "the tasks of a workflow",
	"inbox of a kind":                        "there are two kinds",
}

// No query reads a table from its beginning to its end, sorts what it finds before it takes a page of it, or looks at
// rows that a filter leaves out: each has an index, so that it takes as long with a million runs as with ten.
func TestQueriesUseIndexes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.filled()
	conn, err := sqlite.OpenConn(w.store.Path(), sqlite.OpenReadOnly)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	eachQuery(t, w, func(name, query string, args []any) {
		plan := ""
		require.NoError(t, sqlitex.Execute(conn, "EXPLAIN QUERY PLAN "+query, &sqlitex.ExecOptions{Args: args, ResultFunc: func(stmt *sqlite.Stmt) error {
			step := stmt.GetText("detail")
			plan += step + "\n"
			if slow(step, query) && whole[name] == "" {
				t.Errorf("%s: %s\n%s", name, step, query)
			}
			return nil
		}}), query)
		if !strings.Contains(query, "LIMIT") || strings.Contains(plan, "USING PRIMARY KEY") || whole[name] != "" {
			return
		}
		for _, filter := range filters.FindAllStringSubmatch(query, -1) {
			if !strings.Contains(plan, filter[1]+"=?") {
				t.Errorf("%s: no index has %s\n%s\n%s", name, filter[1], query, plan)
			}
		}
	})
}

// filled has a workflow that succeeded, and two that failed of the same.
func (w *world) filled() {
	w.queries.Few(1) // so that searches go through lists
	w.create("w", "Orders")
	labelled := manual("r1")
	labelled.Labels = workflow.Labels{"team": "billing", "env": "prod"}
	w.did(w.commands.ChangeSettings(w.t.Context(), "w", workflow.ChangeSettings{Settings: workflow.Settings{Labels: labelled.Labels}}, ann))
	w.succeed("w", labelled)
	for _, id := range []string{"v", "u"} {
		w.create(id, id+" orders")
		w.fail(id, manual("run-"+id), because(failure.Auth, "place"))
	}
	playAgents(w)
	w.catchUp()
}

var filters = regexp.MustCompile(`(\w+) = \?`)

// The same in PostgreSQL, which plans by what is in the tables. With the scan of a whole table and sorting switched off
// it does either only if no index can serve at all.
func TestQueriesUseIndexesOfPostgres(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t, pgtest.Database(t))
	w.filled()
	conn := pgtest.Connect(t, w.database)
	_, err := conn.Exec(t.Context(), "SET search_path = "+strings.TrimPrefix(w.store.Path(), "schema ")+"; SET enable_seqscan = off; SET enable_sort = off", pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err)
	eachQuery(t, w, func(name, query string, args []any) {
		for n := 1; strings.Contains(query, "?"); n++ {
			query = strings.Replace(query, "?", fmt.Sprint("$", n), 1)
		}
		rows, err := conn.Query(t.Context(), "EXPLAIN (COSTS OFF) "+query, append([]any{pgx.QueryExecModeExec}, args...)...)
		require.NoError(t, err, query)
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err, query)
		for _, step := range plan {
			sorts := strings.Contains(step, "Sort") && strings.Contains(query, "LIMIT")
			if (strings.Contains(step, "Seq Scan") || sorts) && whole[name] == "" && !few.MatchString(step) {
				t.Errorf("%s: %s\n%s\n%s", name, step, query, strings.Join(plan, "\n"))
			}
		}
	})
}

// few are tables of which all rows are read, as there are few.
var few = regexp.MustCompile(`Seq Scan on (tally|queued_input|readmodel_\w+)`)

// eachQuery gives fn every query of all questions.
func eachQuery(t *testing.T, w *world, fn func(name, query string, args []any)) {
	t.Helper()
	for name, ask := range questions(w.queries, "w", "r1") {
		count := 0
		_, err := ask(readmodel.Watch(t.Context(), func(query string, args []any) {
			count++
			fn(name, query, args)
		}))
		require.NoError(t, err, name)
		require.Positive(t, count, name)
	}
}

// questions are all that is asked of views, with a workflow and a run to ask about.
func questions(q *projections.Queries, of, run string) map[string]func(ctx context.Context) (any, error) {
	version := workflow.Version{Major: 1}
	all := map[string]func(ctx context.Context) (any, error){
		"workflows": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, After: of}))
		},
		"workflows and archived ones": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, After: of, Archived: true}))
		},
		"workflows of a status": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, After: of, Status: workflow.StatusActive}))
		},
		"workflows by title": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, After: of, Order: projections.ByTitle}))
		},
		"workflows of a status by title": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, After: of, Order: projections.ByTitle, Status: workflow.StatusActive}))
		},
		"workflows by their last change": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, After: "1~" + of, Order: projections.ByUpdated}))
		},
		"workflows of a status by their last change": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, After: "1~" + of, Order: projections.ByUpdated, Status: workflow.StatusActive}))
		},
		"workflows by trouble": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, Order: projections.ByTrouble}))
		},
		"workflows of an owner": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, Owner: "ann", After: of}))
		},
		"workflows of an owner by title": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, Owner: "ann", Order: projections.ByTitle, After: of, Archived: true}))
		},
		"workflows of an owner by their last change": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, Owner: "ann", Order: projections.ByUpdated, Status: workflow.StatusActive}))
		},
		"workflows of an owner by trouble": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, Owner: "ann", Order: projections.ByTrouble}))
		},
		"workflows that contain something": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, After: of, Contains: "order"}))
		},
		"workflows that contain a letter": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, Contains: "o"}))
		},
		"workflows that contain some parts by title": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, Contains: "order rs", Order: projections.ByTitle}))
		},
		"workflows that contain something by their last change": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, Contains: "order", Order: projections.ByUpdated}))
		},
		"workflows that contain something by trouble": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, Contains: "order", Order: projections.ByTrouble}))
		},
		"workflows of an owner that contain something": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, Owner: "ann", Contains: "order", Status: workflow.StatusActive}))
		},
		"workflows by what their id begins with": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Limit: 20, Contains: "w0001"}))
		},
		"recent runs": func(ctx context.Context) (any, error) { return answer(q.Recent(ctx, "", []string{of}, 30)) },
		"drafts": func(ctx context.Context) (any, error) {
			return answer(q.Drafts(ctx, projections.DraftFilter{Limit: 20, Untouched: noon}))
		},
		"drafts of an owner": func(ctx context.Context) (any, error) {
			return answer(q.Drafts(ctx, projections.DraftFilter{Limit: 20, Untouched: noon, Owner: "ann"}))
		},
		"outages": func(ctx context.Context) (any, error) { return answer(q.Outages(ctx, "")) },
		"outages of an owner": func(ctx context.Context) (any, error) {
			return answer(q.Outages(ctx, "ann"))
		},
		"a workflow": func(ctx context.Context) (any, error) { return answer(q.Workflow(ctx, of)) },
		"runs": func(ctx context.Context) (any, error) {
			return answer(q.Runs(ctx, projections.RunFilter{Limit: 20, Before: run}))
		},
		"runs of a label": func(ctx context.Context) (any, error) {
			return answer(q.Runs(ctx, projections.RunFilter{Labels: []string{"team=billing"}, Limit: 20}))
		},
		"runs of labels of a status of an owner": func(ctx context.Context) (any, error) {
			return answer(q.Runs(ctx, projections.RunFilter{Labels: []string{"team=billing", "env=prod"}, Owner: "ann", Status: projections.RunFailed, Limit: 20, Before: run}))
		},
		"runs of a time": func(ctx context.Context) (any, error) {
			return answer(q.Runs(ctx, projections.RunFilter{Since: noon, Until: noon.Add(time.Hour), Limit: 20, Before: run}))
		},
		"runs of an error": func(ctx context.Context) (any, error) {
			return answer(q.Runs(ctx, projections.RunFilter{Error: "broke", Limit: 20}))
		},
		"runs of an error of an owner": func(ctx context.Context) (any, error) {
			return answer(q.Runs(ctx, projections.RunFilter{Error: "broke", Owner: "ann", Limit: 20, Before: run}))
		},
		"workflows of a label": func(ctx context.Context) (any, error) {
			return answer(q.Workflows(ctx, projections.WorkflowFilter{Labels: []string{"team=billing"}, Limit: 20}))
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
		"runs of a status of a workflow": func(ctx context.Context) (any, error) {
			return answer(q.Runs(ctx, projections.RunFilter{Workflow: of, Status: projections.RunFailed, Limit: 20, Before: run}))
		},
		"runs of an owner": func(ctx context.Context) (any, error) {
			return answer(q.Runs(ctx, projections.RunFilter{Owner: "ann", Limit: 20, Before: run}))
		},
		"runs of a status of an owner": func(ctx context.Context) (any, error) {
			return answer(q.Runs(ctx, projections.RunFilter{Owner: "ann", Status: projections.RunFailed, Limit: 20}))
		},
		"runs of an owner's workflow": func(ctx context.Context) (any, error) {
			return answer(q.Runs(ctx, projections.RunFilter{Owner: "ann", Workflow: of, Limit: 20}))
		},
		"recent runs of an owner's workflow": func(ctx context.Context) (any, error) {
			return answer(q.Recent(ctx, "ann", []string{of}, 30))
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
		"fixes": func(ctx context.Context) (any, error) {
			return answer(q.Fixes(ctx, projections.FixFilter{Limit: 20, Before: "f"}))
		},
		"fixes of a workflow": func(ctx context.Context) (any, error) {
			return answer(q.Fixes(ctx, projections.FixFilter{Workflow: of, Limit: 20}))
		},
		"fixes of a state": func(ctx context.Context) (any, error) {
			return answer(q.Fixes(ctx, projections.FixFilter{State: projections.FixHeld, Limit: 20}))
		},
		"fixes of an owner": func(ctx context.Context) (any, error) {
			return answer(q.Fixes(ctx, projections.FixFilter{Owner: "ann", Limit: 20}))
		},
		"fixes of a state of an owner": func(ctx context.Context) (any, error) {
			return answer(q.Fixes(ctx, projections.FixFilter{Owner: "ann", State: projections.FixHeld, Limit: 20}))
		},
		"fixes of a cause": func(ctx context.Context) (any, error) {
			return answer(q.Fixes(ctx, projections.FixFilter{SameCause: "p", State: projections.FixHeld, Limit: 20}))
		},
		"a fix": func(ctx context.Context) (any, error) { return lenient(q.Fix(ctx, "p")) },
		"notifications": func(ctx context.Context) (any, error) {
			return answer(q.Notifications(ctx, projections.NotificationFilter{Limit: 20, Before: "n"}))
		},
		"open notifications": func(ctx context.Context) (any, error) {
			return answer(q.Notifications(ctx, projections.NotificationFilter{Open: true, Limit: 20}))
		},
		"open notifications before one": func(ctx context.Context) (any, error) {
			return answer(q.Notifications(ctx, projections.NotificationFilter{Open: true, Operator: true, Limit: 20, Before: "n"}))
		},
		"open notifications of a type": func(ctx context.Context) (any, error) {
			return answer(q.Notifications(ctx, projections.NotificationFilter{Open: true, Type: projections.NotifyError, Limit: 20}))
		},
		"open escalations of an owner": func(ctx context.Context) (any, error) {
			return answer(q.Notifications(ctx, projections.NotificationFilter{Open: true, Owner: "ann", Type: projections.NotifyEscalated, Limit: 20}))
		},
		"notifications of an owner": func(ctx context.Context) (any, error) {
			return answer(q.Notifications(ctx, projections.NotificationFilter{Owner: "ann", Operator: true, Limit: 20}))
		},
		"notifications of a type of an owner": func(ctx context.Context) (any, error) {
			return answer(q.Notifications(ctx, projections.NotificationFilter{Owner: "ann", Type: projections.NotifyError, Limit: 20}))
		},
		"notifications for a delegate": func(ctx context.Context) (any, error) {
			return answer(q.Notifications(ctx, projections.NotificationFilter{Open: true, DelegatedTo: "ben", Limit: 20}))
		},
		"what a notification stands for": func(ctx context.Context) (any, error) { return answer(q.StandsFor(ctx, "ann", "n")) },
		"what stands for a cause":        func(ctx context.Context) (any, error) { return lenient(q.NewestOf(ctx, "", "cause-0")) },
		"notifications of a workflow": func(ctx context.Context) (any, error) {
			return answer(q.Notifications(ctx, projections.NotificationFilter{Workflow: of, Limit: 20}))
		},
		"notifications of a type": func(ctx context.Context) (any, error) {
			return answer(q.Notifications(ctx, projections.NotificationFilter{Type: projections.NotifyError, Limit: 20}))
		},
		"notifications of a type and a workflow": func(ctx context.Context) (any, error) {
			return answer(q.Notifications(ctx, projections.NotificationFilter{Workflow: of, Type: projections.NotifyError, Limit: 20}))
		},
		"open notifications of a workflow": func(ctx context.Context) (any, error) {
			return answer(q.Notifications(ctx, projections.NotificationFilter{Workflow: of, Open: true, Limit: 20}))
		},
		"timeline": func(ctx context.Context) (any, error) {
			return answer(q.Timeline(ctx, projections.TimelineFilter{Workflow: of}))
		},
		"timeline of a time": func(ctx context.Context) (any, error) {
			return answer(q.Timeline(ctx, projections.TimelineFilter{Workflow: of, Since: noon, Until: noon.Add(time.Hour), Before: 100}))
		},
		"timeline of kinds": func(ctx context.Context) (any, error) {
			return answer(q.Timeline(ctx, projections.TimelineFilter{Workflow: of, Kinds: []string{"run", "fix"}}))
		},
		"timeline of an actor": func(ctx context.Context) (any, error) {
			return answer(q.Timeline(ctx, projections.TimelineFilter{Workflow: of, Actor: "person:ann"}))
		},
		"timeline of a kind and an actor": func(ctx context.Context) (any, error) {
			return answer(q.Timeline(ctx, projections.TimelineFilter{Workflow: of, Kinds: []string{"run"}, Actor: "person:ann", Before: 100}))
		},
		"an entry of a timeline": func(ctx context.Context) (any, error) { return lenient(q.TimelineEntry(ctx, of, 1)) },
		"a notification":         func(ctx context.Context) (any, error) { return lenient(q.Notification(ctx, "n")) },
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
		"open inbox of an owner": func(ctx context.Context) (any, error) {
			return answer(q.Inbox(ctx, projections.InboxFilter{Owner: "ann", Open: true, Limit: 20}))
		},
		"inbox of a state of an owner": func(ctx context.Context) (any, error) {
			return answer(q.Inbox(ctx, projections.InboxFilter{Owner: "ann", State: projections.InboxWaiting, Limit: 20}))
		},
		"inbox of a kind": func(ctx context.Context) (any, error) {
			return answer(q.Inbox(ctx, projections.InboxFilter{Kind: projections.KindPlanner, Limit: 20}))
		},
		"inbox of a state": func(ctx context.Context) (any, error) {
			return answer(q.Inbox(ctx, projections.InboxFilter{State: projections.InboxWaiting, Limit: 20}))
		},
		"groups": func(ctx context.Context) (any, error) {
			return answer(q.Groups(ctx, projections.GroupFilter{Limit: 20}))
		},
		"groups of an owner": func(ctx context.Context) (any, error) {
			return answer(q.Groups(ctx, projections.GroupFilter{Owner: "ann", Limit: 20}))
		},
		"groups after one": func(ctx context.Context) (any, error) {
			return answer(q.Groups(ctx, projections.GroupFilter{Limit: 20, After: "g"}))
		},
		"related fixes": func(ctx context.Context) (any, error) { return answer(q.RelatedFixes(ctx, of, run, 3)) },
		"hosts":         func(ctx context.Context) (any, error) { return answer(q.Hosts(ctx, of, 1)) },
		"input":         func(ctx context.Context) (any, error) { return lenient(q.QueuedInput(ctx, run)) },
		"inputs":        func(ctx context.Context) (any, error) { return answer(q.QueuedInputs(ctx, of)) },
		"triggers":      func(ctx context.Context) (any, error) { return answer(q.EventTriggers(ctx, of)) },
		"local":         func(ctx context.Context) (any, error) { return answer(q.Local(ctx, of)) },
		"streams":       func(ctx context.Context) (any, error) { return answer(q.Streams(ctx, of)) },
		"spent":         func(ctx context.Context) (any, error) { return answer(q.Spent(ctx, noon)) },
		"spent for":     func(ctx context.Context) (any, error) { return answer(q.SpentFor(ctx, "ann", noon)) },
		"usage": func(ctx context.Context) (any, error) {
			return answer(q.Usage(ctx, projections.UsageFilter{Limit: 20, After: "2026-01-02 " + of}))
		},
		"usage by day": func(ctx context.Context) (any, error) { return answer(q.UsageByDay(ctx, projections.UsageFilter{})) },
		"usage of a workflow by day": func(ctx context.Context) (any, error) {
			return answer(q.UsageByDay(ctx, projections.UsageFilter{Workflow: of}))
		},
		"usage of an owner": func(ctx context.Context) (any, error) {
			return answer(q.Usage(ctx, projections.UsageFilter{Owner: "ann", From: "2026-01-01", To: "2026-03-31", Limit: 20}))
		},
		"usage of a workflow": func(ctx context.Context) (any, error) {
			return answer(q.Usage(ctx, projections.UsageFilter{Workflow: of, From: "2026-03-01"}))
		},
		"tallies":   func(ctx context.Context) (any, error) { return answer(q.Tallies(ctx)) },
		"waiting":   func(ctx context.Context) (any, error) { return answer(q.Waiting(ctx)) },
		"uncounted": func(ctx context.Context) (any, error) { return answer(q.Uncounted(ctx, noon)) },
	}
	maps.Copy(all, agentQuestions(q))
	return all
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
	case strings.HasPrefix(step, "SEARCH open_notice USING PRIMARY KEY (owner=? AND of_type=?)"):
		return true // all that is open
	}
	return strings.Contains(step, "TEMP B-TREE") && strings.Contains(query, "LIMIT")
}
