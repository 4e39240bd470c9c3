package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/api"
	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// A run that failed tells what the names had where it did, and what other versions would have made of it; nothing of that
// is sent or kept.
func TestARunIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id := s.workflow("Greets", "ann")
	s.ok(http.MethodPut, "/workflows/"+id+"/settings", map[string]any{"auto_fix": "off"})
	s.ok(http.MethodPost, "/workflows/"+id+"/versions", map[string]any{"code": "async function main(input) {\n  const who = input.who;\n  return { hello: who.name };\n}"})
	s.ok(http.MethodPost, "/workflows/"+id+"/versions", map[string]any{"code": "async function main(input) {\n  return { hello: input.who?.name ?? 'you' };\n}"})
	s.ok(http.MethodPost, "/workflows/"+id+"/versions/2.0/rollback", nil)
	bad := s.finished(id, map[string]any{})

	var values api.Page[gate.Value]
	s.ok(http.MethodGet, "/runs/"+bad+"/values", nil).into(t, &values)
	require.Equal(t, gate.Value{Name: "who", Text: "undefined", Here: true}, values.Items[0])

	replayed := func(on any) (again app.ReplayedRun) {
		s.ok(http.MethodPost, "/runs/"+bad+"/replay", on).into(t, &again)
		return again
	}
	again := replayed(nil)
	require.True(t, again.Same, "on its own version it comes out as it did: %s", again.Divergence)
	again = replayed(map[string]any{"version": "3.0"})
	require.False(t, again.Same)
	require.Empty(t, again.Failure)
	require.JSONEq(t, `{"hello":"you"}`, string(again.Output))
	require.Len(t, replayed(map[string]any{"code": "async function main() { await kv.set('a', 1); }"}).Writes, 1)
	require.JSONEq(t, `{}`, string(s.ok(http.MethodGet, "/workflows/"+id+"/keys", nil).body), "a replay keeps nothing")
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPost, "/api/v1/runs/"+bad+"/replay", map[string]any{"version": "1.0", "code": "x"})
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPost, "/api/v1/runs/"+bad+"/replay", map[string]any{"code": "function ("})
	s.refused(http.StatusNotFound, s.admin, http.MethodPost, "/api/v1/runs/"+bad+"/replay", map[string]any{"version": "9.0"})
}

// The hosts that a workflow reaches are told from its last runs, each thing once.
func TestWhatAWorkflowReaches(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id := s.workflow("Greets", "ann")
	s.finished(id, map[string]any{"name": "Ann"})
	s.finished(id, map[string]any{"name": "Bob"})
	var reach app.Reach
	s.ok(http.MethodGet, "/workflows/"+id+"/reach", nil).into(t, &reach)
	require.Equal(t, 2, reach.Runs)
	require.Contains(t, reach.Reached, app.Reached{Tool: "kv.set", Target: "greeted", Effect: "write", Runs: 2, Calls: 2})
}

// Any stream is read event by event, from its end, with what each changed. A caller who sees only the workflows of one owner
// sees only their streams, and what is of the installation takes an administrator.
func TestStreamsAreExplored(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id := s.workflow("Greets", "ann")
	run := s.finished(id, map[string]any{"name": "Ann"})

	var newest api.Page[app.HistoryLine]
	s.ok(http.MethodGet, "/recorded?limit=1&kind=run", nil).into(t, &newest)
	require.Equal(t, "run-"+run, newest.Items[0].Stream)
	require.Equal(t, "RunEnded", newest.Items[0].Type)
	var before api.Page[app.HistoryLine]
	s.ok(http.MethodGet, "/recorded?limit=1&kind=run&after="+newest.Next, nil).into(t, &before)
	require.Equal(t, newest.Items[0].Revision-1, before.Items[0].Revision, "a page goes on where the one before ended")

	var all, part api.StreamPage
	s.ok(http.MethodGet, "/streams/run-"+run, nil).into(t, &all)
	require.EqualValues(t, len(all.Items)-1, all.Last)
	for after := "0"; after != ""; after = part.Next {
		var one api.StreamPage
		s.ok(http.MethodGet, "/streams/run-"+run+"?limit=2&after="+after, nil).into(t, &one)
		part.Items, part.Next = append(part.Items, one.Items...), one.Next
	}
	require.Equal(t, all.Items, part.Items, "pages are the whole, with nothing missing and nothing twice")

	var moment app.StreamMoment
	s.ok(http.MethodGet, "/streams/workflow-"+id+"/moment?at=0", nil).into(t, &moment)
	require.Equal(t, "WorkflowCreated", moment.Event.Type)
	require.Equal(t, "null", string(moment.Before))
	require.Contains(t, string(moment.After), `"title":"Greets"`)
	s.refused(http.StatusNotFound, s.admin, http.MethodGet, "/api/v1/streams/workflow-"+id+"/moment?at=999", nil)
	s.refused(http.StatusNotFound, s.admin, http.MethodGet, "/api/v1/streams/nothing", nil)
	require.Equal(t, "true", s.ok(http.MethodGet, "/streams/run-"+run+"/chain", nil).field(t, "whole"))

	reader := s.token(installation.CreateToken{Person: "eve", Scopes: []installation.Scope{installation.Read}})
	s.refused(http.StatusForbidden, reader.Token, http.MethodGet, "/api/v1/streams/admin", nil)
	s.ok(http.MethodGet, "/streams/admin", nil)
	bob := s.token(installation.CreateToken{Person: "bob", Owner: "bob", Scopes: []installation.Scope{installation.Read}})
	for _, path := range []string{"/streams/run-" + run, "/streams/run-" + run + "/moment?at=0", "/streams/workflow-" + id + "/chain", "/runs/" + run + "/values", "/workflows/" + id + "/reach"} {
		s.refused(http.StatusNotFound, bob.Token, http.MethodGet, "/api/v1"+path, nil)
	}
	s.refused(http.StatusNotFound, bob.Token, http.MethodPost, "/api/v1/runs/"+run+"/replay", nil)
	var nothing api.Page[app.HistoryLine]
	s.ask(bob.Token, http.MethodGet, "/api/v1/recorded", nil).into(t, &nothing)
	require.Empty(t, nothing.Items)
}
