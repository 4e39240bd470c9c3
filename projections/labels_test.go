package projections_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// ids are those of the runs chosen.
func (w *world) ids(filter projections.RunFilter) []string {
	w.t.Helper()
	w.catchUp()
	list, err := w.queries.Runs(w.t.Context(), filter)
	require.NoError(w.t, err)
	ids := []string{}
	for _, one := range list {
		ids = append(ids, one.ID)
	}
	return ids
}

// Runs are found by labels, of which a run has those of its workflow as well, by when they were admitted and by the text of their failure, all
// at once, and in pages.
func TestRunsAreFoundByLabelTimeAndError(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.queries.Few(2) // so that what a page lacks is looked for on
	w.create("w", "Orders")
	w.did(w.commands.ChangeSettings(t.Context(), "w", workflow.ChangeSettings{Settings: workflow.Settings{Labels: workflow.Labels{"team": "billing"}}}, ann))
	w.create("v", "Others")
	with := func(id string, labels workflow.Labels) workflow.AdmitRun {
		admit := manual(id)
		admit.Labels, admit.Repair = labels, false
		return admit
	}
	w.succeed("w", with("r1", nil))
	w.fail("w", with("r2", workflow.Labels{"order": "a=1"}), because(failure.Auth, "100%_sure"))
	w.succeed("v", with("r3", workflow.Labels{"order": "a=1"}))
	w.catchUp()
	third, err := w.queries.Run(t.Context(), "r3")
	require.NoError(t, err)
	w.fail("v", with("r4", nil), because(failure.Auth, `a "place"`))
	w.succeed("w", with("r5", workflow.Labels{"team": "sales"}))

	for name, test := range map[string]struct {
		filter projections.RunFilter
		want   []string
	}{
		"a label":                  {projections.RunFilter{Labels: []string{"order=a=1"}}, []string{"r3", "r2"}},
		"the workflow's":           {projections.RunFilter{Labels: []string{"team=billing"}}, []string{"r2", "r1"}},
		"the run's own before it":  {projections.RunFilter{Labels: []string{"team=sales"}}, []string{"r5"}},
		"all of several":           {projections.RunFilter{Labels: []string{"team=billing", "order=a=1"}}, []string{"r2"}},
		"none":                     {projections.RunFilter{Labels: []string{"team"}}, []string{}},
		"a label and a status":     {projections.RunFilter{Labels: []string{"team=billing"}, Status: projections.RunSucceeded}, []string{"r1"}},
		"a label and a workflow":   {projections.RunFilter{Labels: []string{"order=a=1"}, Workflow: "v"}, []string{"r3"}},
		"a label of another owner": {projections.RunFilter{Labels: []string{"order=a=1"}, Owner: "bob"}, []string{}},
		"a page":                   {projections.RunFilter{Labels: []string{"order=a=1"}, Before: "r3", Limit: 1}, []string{"r2"}},
		"since":                    {projections.RunFilter{Since: third.Admitted}, []string{"r5", "r4", "r3"}},
		"until":                    {projections.RunFilter{Until: third.Admitted}, []string{"r2", "r1"}},
		"between":                  {projections.RunFilter{Since: third.Admitted, Until: third.Admitted.Add(time.Microsecond), Limit: 9}, []string{"r3"}},
		"later than all":           {projections.RunFilter{Since: third.Admitted.Add(time.Hour)}, []string{}},
		"a label of a time":        {projections.RunFilter{Labels: []string{"team=billing"}, Until: third.Admitted}, []string{"r2", "r1"}},
		"an error":                 {projections.RunFilter{Error: "IT BROKE AT"}, []string{"r4", "r2"}},
		"an error that is no form": {projections.RunFilter{Error: "0%_s"}, []string{"r2"}},
		"no form matches":          {projections.RunFilter{Error: "it%at"}, []string{}},
		"quotes":                   {projections.RunFilter{Error: `at a "place"`, Workflow: "v"}, []string{"r4"}},
		"an error and a label":     {projections.RunFilter{Error: "broke", Labels: []string{"team=billing"}}, []string{"r2"}},
	} {
		require.Equal(t, test.want, w.ids(test.filter), name)
	}

	var want []string
	for i := range 7 {
		id := "p" + strconv.Itoa(i)
		w.succeed("v", with(id, workflow.Labels{"many": "yes"}))
		want = append([]string{id}, want...)
	}
	var got []string
	page := projections.RunFilter{Labels: []string{"many=yes"}, Limit: 3}
	for ; len(got) < len(want); page.Before = got[len(got)-1] {
		some := w.ids(page)
		require.NotEmpty(t, some)
		got = append(got, some...)
	}
	require.Equal(t, want, got)
}

// Workflows are found by the labels that they have now, also among those that are searched for.
func TestWorkflowsAreFoundByLabel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.queries.Few(1)
	for _, id := range []string{"a", "b", "c"} {
		w.create(id, "Orders "+id)
	}
	labelled := func(id string, labels workflow.Labels) {
		w.did(w.commands.ChangeSettings(t.Context(), id, workflow.ChangeSettings{Settings: workflow.Settings{Labels: labels}}, ann))
		w.catchUp()
	}
	found := func(filter projections.WorkflowFilter) (ids []string) {
		list, err := w.queries.Workflows(t.Context(), filter)
		require.NoError(t, err)
		for _, one := range list {
			ids = append(ids, one.ID)
		}
		return ids
	}
	labelled("a", workflow.Labels{"team": "billing", "env": "prod"})
	labelled("c", workflow.Labels{"team": "billing"})
	for _, order := range []projections.WorkflowOrder{"", projections.ByTitle, projections.ByTrouble} {
		require.Equal(t, []string{"a", "c"}, found(projections.WorkflowFilter{Labels: []string{"team=billing"}, Order: order}))
	}
	require.Equal(t, []string{"a"}, found(projections.WorkflowFilter{Labels: []string{"team=billing", "env=prod"}}))
	require.Equal(t, []string{"c"}, found(projections.WorkflowFilter{Labels: []string{"team=billing"}, After: "a", Limit: 1}))
	require.Equal(t, []string{"a", "c"}, found(projections.WorkflowFilter{Labels: []string{"team=billing"}, Contains: "orders"}))
	labelled("a", workflow.Labels{"team": "sales"})
	require.Equal(t, []string{"c"}, found(projections.WorkflowFilter{Labels: []string{"team=billing"}}))
	require.Empty(t, found(projections.WorkflowFilter{Labels: []string{"env=prod"}}))
	one, err := w.queries.Workflow(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, workflow.Labels{"team": "sales"}, one.Labels)
}
