package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/api"
	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/projections"
)

// finished starts a run and waits for its end.
func (s *server) finished(workflow string, input any) string {
	s.t.Helper()
	id := s.ok(http.MethodPost, "/workflows/"+workflow+"/runs", map[string]any{"input": input}).field(s.t, "id")
	require.Eventually(s.t, func() bool {
		status := s.ok(http.MethodGet, "/runs/"+id, nil).field(s.t, "status")
		return status == "succeeded" || status == "failed"
	}, patience, 10*time.Millisecond)
	return id
}

// strangers are refused what is another owner's as if it were not there.
func (s *server) strangers(workflow string) {
	s.t.Helper()
	bob := s.token(installation.CreateToken{Person: "bob", Owner: "bob", Scopes: []installation.Scope{installation.Read, installation.Run, installation.Edit, installation.Judge}})
	for _, path := range []string{"/history", "/moment?at=0", "/changes?from=0", "/chains", "/keys", "/files", "/threads", "/exempt?since=monday"} {
		s.refused(http.StatusNotFound, bob.Token, http.MethodGet, "/api/v1/workflows/"+workflow+path, nil)
	}
	s.refused(http.StatusNotFound, bob.Token, http.MethodPost, "/api/v1/workflows/"+workflow+"/messages", map[string]any{"text": "hello"})
	s.refused(http.StatusForbidden, bob.Token, http.MethodPost, "/api/v1/verify", nil)
}

// The state of a workflow is told at any moment, and what it kept then.
func TestThePastOfAWorkflow(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id := s.workflow("Greets", "ann")
	path := "/workflows/" + id
	s.finished(id, map[string]any{"name": "Ann"})
	s.ok(http.MethodPost, path+"/versions", map[string]any{"code": greeting + "\n// new"})
	s.finished(id, map[string]any{"name": "Bob"})

	var whole, part api.Page[app.HistoryLine]
	s.ok(http.MethodGet, path+"/history?all=true&limit=500", nil).into(t, &whole)
	for after := ""; ; after = part.Next {
		var one api.Page[app.HistoryLine]
		s.ok(http.MethodGet, path+"/history?all=true&limit=3&after="+after, nil).into(t, &one)
		part.Items, part.Next = append(part.Items, one.Items...), one.Next
		if one.Next == "" {
			break
		}
	}
	require.Equal(t, whole.Items, part.Items, "pages are the whole, with nothing missing and nothing twice")
	var moment app.ShownMoment
	s.ok(http.MethodGet, path+"/moment?at=1.0", nil).into(t, &moment)
	require.Equal(t, "1.0", moment.State.Version)
	require.Equal(t, "2.0", moment.Now.Version)
	require.Contains(t, moment.Diff, "+// new")
	var change app.ShownChange
	s.ok(http.MethodGet, path+"/changes?from=1.0&to=2.0", nil).into(t, &change)
	require.Equal(t, map[string]int{"succeeded": 1}, change.Counts)
	require.Equal(t, `"Bob"`, string(s.ok(http.MethodGet, path+"/keys/greeted", nil).body[:5]))
	require.Equal(t, `"Ann"`, string(s.ok(http.MethodGet, path+"/keys/greeted?at=2.0", nil).body[:5]))
	s.refused(http.StatusNotFound, s.admin, http.MethodGet, "/api/v1"+path+"/keys/none", nil)
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodGet, "/api/v1"+path+"/moment?at=soon", nil)
	require.Equal(t, "true", s.ok(http.MethodGet, path+"/chains", nil).field(t, "whole"))
	require.Equal(t, "true", s.ok(http.MethodPost, "/verify", map[string]any{"deep": true}).field(t, "whole"))
	s.strangers(id)
}

// A person's choice of what to see of timelines is remembered for them, and for nobody else.
func TestATimelineIsRememberedForItsViewer(t *testing.T) {
	t.Parallel()
	s := serve(t)
	path := "/workflows/" + s.workflow("Watched", "ann") + "/timeline"
	bob := s.token(installation.CreateToken{Person: "bob", Scopes: []installation.Scope{installation.Read}})
	entries := func(token, query string) int {
		var timeline struct{ Entries []map[string]any }
		s.ask(token, http.MethodGet, "/api/v1"+path+query, nil).into(t, &timeline)
		return len(timeline.Entries)
	}
	all := entries(s.admin, "")
	require.Positive(t, all)
	s.ok(http.MethodPut, "/timeline-choice", map[string]any{"significance": []string{"person_facing"}, "kinds": []string{}})
	require.Zero(t, entries(s.admin, ""))
	require.Equal(t, all, entries(s.admin, "?significance=person_facing,notable,routine"))
	require.Equal(t, all, entries(bob.Token, ""))
	require.Equal(t, `[person_facing]`, s.ok(http.MethodGet, "/timeline-choice", nil).field(t, "significance"))
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPut, "/api/v1/timeline-choice", map[string]any{"significance": []string{"big"}, "kinds": []string{}})
}

// silent is a language model that does not answer before the test is over.
type silent struct{ over <-chan struct{} }

func (silent) Name() string { return "silent" }

func (m silent) Chat(ctx context.Context, _ llm.Request) (llm.Answer, error) {
	select {
	case <-ctx.Done():
	case <-m.over:
	}
	return llm.Answer{}, context.Canceled
}

// Where nobody would read a wish it is refused, with what to do, and nothing is made of it.
func TestNoWishWithoutAModel(t *testing.T) {
	t.Parallel()
	s := serve(t)
	path := "/api/v1/workflows/" + s.workflow("Refunds", "ann")
	for target, body := range map[string]any{"/api/v1/plans": map[string]any{"wish": "List the refunds"}, path + "/plans": map[string]any{"wish": "More"}, path + "/messages": map[string]any{"text": "hello"}} {
		require.Contains(t, s.refused(http.StatusConflict, s.admin, http.MethodPost, target, body), "kintsugi serve --model", target)
	}
	var list api.Page[projections.Workflow]
	s.ok(http.MethodGet, "/workflows", nil).into(t, &list)
	require.Len(t, list.Items, 1)
}

// A sentence makes a workflow and gives the planner its task; words go on with it, until its person ends it.
func TestTheConversationWithThePlanner(t *testing.T) {
	t.Parallel()
	s := serveWith(t, silent{t.Context().Done()})
	var plan app.Planned
	wish := map[string]any{"wish": "Every morning, list the refunds"}
	s.ok(http.MethodPost, "/plans", wish, "Idempotency-Key", "wish").into(t, &plan)
	require.Equal(t, app.PlanWorking, plan.State, "the model has not answered")
	var again app.Planned
	s.ok(http.MethodPost, "/plans", wish, "Idempotency-Key", "wish").into(t, &again)
	require.Equal(t, plan, again)
	path := "/workflows/" + plan.Workflow
	var whole app.WorkflowView
	s.ok(http.MethodGet, path, nil).into(t, &whole)
	require.Equal(t, "Every morning, list the refunds", whole.Title)
	require.Equal(t, "ann", whole.Owner)
	require.Contains(t, s.refused(http.StatusConflict, s.admin, http.MethodPost, "/api/v1"+path+"/messages", map[string]any{"text": "and the amounts"}), "a planner at work")
	s.ok(http.MethodDelete, path+"/conversation", nil)
	require.Equal(t, app.PlanDone, s.ok(http.MethodGet, path+"/plans/"+plan.Task, nil).field(t, "state"))
	require.NotEqual(t, plan.Task, s.ok(http.MethodPost, path+"/messages", map[string]any{"text": "again"}).field(t, "task"), "a new wish is a new task")
	s.refused(http.StatusNotFound, s.admin, http.MethodGet, "/api/v1"+path+"/plans/none", nil)
	s.refused(http.StatusConflict, s.admin, http.MethodPost, "/api/v1"+path+"/plans", map[string]any{"replan": true})
}

// speaking is a model that says its pieces, breaks off once, and ends the conversation.
type speaking struct{ silent }

func (m speaking) Chat(_ context.Context, request llm.Request) (llm.Answer, error) {
	for _, piece := range []llm.Delta{{Text: "<think>hm"}, {Text: "</think>Which "}, {Again: true}, {Text: "Which "}, {Thinking: true}, {Text: "shop?"}, {Tool: "ask"}} {
		request.Heard(piece)
	}
	return llm.Answer{Text: "Which shop?"}, nil
}

// A watcher hears what an agent says while it says it, and has it whole as an event; the pieces have no id, so that who comes
// back misses no event. A watcher of another workflow, or one who did not ask for words, hears none.
func TestWordsOfAgentsAreHeardAsTheyCome(t *testing.T) {
	t.Parallel()
	s := serveWith(t, speaking{silent{t.Context().Done()}})
	other := s.workflow("Other", "ann")
	id := s.workflow("Spoken of", "ann")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	streams := map[string]*bufio.Scanner{}
	for _, query := range []string{"words=true", "words=true&workflow=" + other, "workflow=" + id} {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+"/api/v1/events?"+query, nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+s.admin)
		response, err := http.DefaultTransport.RoundTrip(request)
		require.NoError(t, err)
		t.Cleanup(func() { _ = response.Body.Close() })
		streams[query] = bufio.NewScanner(response.Body)
		require.True(t, streams[query].Scan()) // it is begun
	}
	s.ok(http.MethodPost, "/workflows/"+id+"/plans", map[string]any{"wish": "List the orders"})
	s.ok(http.MethodPatch, "/workflows/"+other, map[string]any{"intent": "the end"})
	heard := func(query, last string) (text string) {
		for stream := streams[query]; stream.Scan(); {
			if text += stream.Text() + "\n"; strings.HasPrefix(stream.Text(), "data: ") && strings.Contains(stream.Text(), last) {
				return text
			}
		}
		t.Fatalf("%s ended without %q: %s", query, last, text)
		return ""
	}
	text := heard("words=true", `tokens: Which shop?`)
	var said string
	for line := range strings.Lines(text) {
		var piece agents.Saying
		if data, is := strings.CutPrefix(line, "data: "); is && json.Unmarshal([]byte(data), &piece) == nil && piece.Agent != "" {
			require.Equal(t, id, piece.Workflow)
			require.NotEmpty(t, piece.Thread)
			if piece.Begins {
				said = ""
			}
			said += piece.Text + piece.Tool
		}
	}
	require.Equal(t, "Which shop?ask", said)
	require.NotContains(t, text, "hm")
	require.NotRegexp(t, `id: .*\nevent: words`, text)
	require.NotContains(t, heard("words=true&workflow="+other, "the end"), "event: words")
	require.NotContains(t, heard("workflow="+id, "MessageAppended"), "event: words")
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodGet, "/api/v1/events?words=loud", nil)
}

// A dry run that is refused an address says which, and whether a setting of the workflow opens it or only an admin does.
func TestADryRunNamesTheAddressItWasRefused(t *testing.T) {
	t.Parallel()
	s := serve(t)
	path := "/workflows/" + s.workflow("Tried", "ann")
	for address, refused := range map[string]*app.RefusedHost{
		"http://127.0.0.1:9/x":    {Host: "127.0.0.1:9"},
		"http://169.254.169.254/": {Host: "169.254.169.254:80", Closed: true},
		"http://localhost:-1/":    nil, // fails of another thing
	} {
		var dry app.DriedRun
		s.ok(http.MethodPost, path+"/dry-run", map[string]any{"code": "async function main() { return (await web.fetch('" + address + "')).status; }", "input": map[string]any{"name": "Zoe"}}).into(t, &dry)
		require.NotEmpty(t, dry.Failure, address)
		require.Equal(t, refused, dry.Refused, dry.Failure)
	}
	settings := s.ok(http.MethodPut, path+"/settings", map[string]any{"allowed_hosts": []string{"127.0.0.1:9"}})
	require.Contains(t, string(settings.body), "127.0.0.1:9")
	var dry app.DriedRun
	s.ok(http.MethodPost, path+"/dry-run", map[string]any{"code": "async function main() { return (await web.fetch('http://127.0.0.1:9/x')).status; }", "input": map[string]any{"name": "Zoe"}}).into(t, &dry)
	require.Nil(t, dry.Refused, "what is allowed is refused no more: %s", dry.Failure)
	var account egress.Account
	s.ok(http.MethodPost, path+"/versions", map[string]any{"code": "async function main() { await web.fetch('http://169.254.169.254/'); return {}; }", "comment": "asks the metadata service"})
	s.ok(http.MethodGet, path+"/account", nil).into(t, &account)
	require.Len(t, account.Hosts, 1)
	require.True(t, account.Hosts[0].Closed)
	require.Empty(t, account.Hosts[0].Command, "no setting of the workflow opens it")
}

// Runs are tried, replayed and forked without a write of what was not asked for.
func TestTryingOut(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id := s.workflow("Tried", "ann")
	path := "/workflows/" + id
	run := s.finished(id, map[string]any{"name": "Ann"})
	var dry app.DriedRun
	s.ok(http.MethodPost, path+"/dry-run", map[string]any{"input": map[string]any{"name": "Zoe"}}).into(t, &dry)
	require.Len(t, dry.Writes, 1)
	require.Contains(t, dry.Diff, "Zoe")
	require.Equal(t, `"Ann"`, string(s.ok(http.MethodGet, path+"/keys/greeted", nil).body[:5]), "nothing was written")
	var replayed app.ReplayedOn
	s.ok(http.MethodPost, path+"/what-if", map[string]any{"code": `async function main() { return 1 }`}).into(t, &replayed)
	require.Len(t, replayed.Different, 1)
	fork := s.ok(http.MethodPost, "/runs/"+run+"/fork", map[string]any{"from_call": 1})
	require.Equal(t, "fork", fork.field(t, "trigger"))
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPost, "/api/v1/runs/"+run+"/fork", map[string]any{"from_call": 99})
	require.Equal(t, "[]", s.ok(http.MethodGet, "/runs/"+run+"/logs", nil).field(t, "items"))
	// A rollback that also declares runs wrong takes a token that may, or does nothing.
	editor := s.token(installation.CreateToken{Person: "eve", Scopes: []installation.Scope{installation.Read, installation.Edit}})
	back := map[string]any{"comment": "wrong names", "exempt_since": time.Now().Format(time.DateOnly)}
	s.refused(http.StatusForbidden, editor.Token, http.MethodPost, "/api/v1"+path+"/versions/1.0/rollback", back)
	require.Equal(t, "1.0", s.ok(http.MethodGet, path, nil).field(t, "version"))
	var preview, done app.ExemptedAll
	s.ok(http.MethodGet, path+"/exempt?since="+time.Now().Format(time.DateOnly), nil).into(t, &preview)
	require.Contains(t, preview.Runs, run)
	require.NotEmpty(t, preview.Writes)
	s.ok(http.MethodPost, path+"/exempt", map[string]any{"since": time.Now().Format(time.DateOnly), "reason": "wrong names"}).into(t, &done)
	require.Contains(t, done.Runs, run)
	require.Equal(t, "wrong names", s.ok(http.MethodGet, "/runs/"+run, nil).field(t, "exempted"))
	again := s.finished(id, map[string]any{"name": "Bob"})
	s.ok(http.MethodPost, path+"/versions/1.0/rollback", back)
	require.Equal(t, "wrong names", s.ok(http.MethodGet, "/runs/"+again, nil).field(t, "exempted"))
	require.Equal(t, "2.0", s.ok(http.MethodGet, path, nil).field(t, "version"))
}
