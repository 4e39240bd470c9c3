package handlers_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
)

// Something that only the person has: the question waits without a process, also over a restart, and
// the answer goes on where the model asked.
func TestAQuestionWaitsAndItsAnswerGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := w.open(nil)
	id := n.tallied(workflow.Settings{})
	server := llmtest.Serve(t,
		llmtest.Calls(
			llmtest.ToolCall{Tool: "ask_person", Args: map[string]any{"question": "Are these euros?", "options": []string{"yes", "cents"}}},
			llmtest.ToolCall{Tool: "inspect", Args: map[string]string{"path": "failed.input.day"}},
		),
		fixCall(n.mendedTally(), "Amounts are texts"),
	)
	n.model(server.Model())
	n.runs(id, `{"day":"2026-03-09"}`)
	state := n.state(id)
	require.Len(t, state.Questions, 1)
	require.Equal(t, "Are these euros?", state.Questions[0].Text)
	require.Equal(t, []string{"yes", "cents"}, state.Questions[0].Options)
	require.Equal(t, state.Maintenance.Task, state.Questions[0].Task)
	require.Equal(t, workflow.StatusMaintenance, state.Status)
	said := n.revisions(thread.Stream(state.Maintenance.Thread))
	n.close()

	n = w.open(nil)
	defer n.close()
	n.model(server.Model())
	require.NoError(t, n.settle(t.Context()))
	require.Len(t, server.Requests(), 1, "nothing is asked while it waits")
	require.Equal(t, said, n.revisions(thread.Stream(state.Maintenance.Thread)), "nor claimed")
	require.Len(t, n.state(id).Questions, 1, "the person is asked once")
	_, err := n.commands.AnswerQuestion(t.Context(), id, workflow.AnswerQuestion{Question: state.Questions[0].ID, Answer: "yes, euros"}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	told := server.Request(1).Messages
	require.Equal(t, "The person answered: yes, euros", told[3].Text)
	require.Contains(t, told[4].Text, "2026-03-09", "the rest of the batch is carried out then")
	require.Equal(t, "1.1", n.state(id).Active.String())
	require.Equal(t, workflow.StatusActive, n.state(id).Status)
}

// revisions counts the events of a stream.
func (n *node) revisions(stream string) (count int) {
	n.t.Helper()
	for _, err := range n.commands.History(n.t.Context(), []string{stream}) {
		require.NoError(n.t, err)
		count++
	}
	return count
}

// inEuros has the amounts come with a currency, of which nothing recorded tells what it is, and gives two fixes that differ in that.
func (n *node) inEuros() (euros, cents string) {
	n.outside.answer("/orders", 200, `{"orders":[{"amount":"EUR 4"},{"amount":"EUR 6"},{"amount":"EUR 1"}]}`)
	euros = strings.Replace(n.mendedTally(), "Number(order.amount) :", "Number(order.amount.split(' ')[1]) :", 1)
	return euros, strings.Replace(euros, "[1]) :", "[1]) / 100 :", 1)
}

// Several fixes that pass and differ: the person chooses between them, and sees what each gives.
func TestAlternativesAreHeldForThePerson(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.tallied(workflow.Settings{})
	both, cents := n.inEuros()
	broken := strings.Replace(both, "let total = 0", "let total = 1", 1)
	server := llmtest.Serve(t, llmtest.Call("ask_person", map[string]any{
		"question": "Are these euros or cents?",
		"alternatives": []map[string]string{
			{"code": both, "comment": "They are euros"}, {"code": cents, "comment": "They are cents"}, {"code": broken, "comment": "Nonsense"},
		},
	}))
	n.model(server.Model())
	n.runs(id, `{"day":"2026-03-09"}`)
	state := n.state(id)
	require.Equal(t, workflow.StatusHeld, state.Status)
	held := state.Maintenance.Held
	require.Contains(t, held.Reasons, "Are these euros or cents?")
	require.Len(t, held.Alternatives, 1, "what does not pass is no alternative")
	proposal, _ := state.Proposal(held.Proposal)
	outputs := []string{string(proposal.Verification.Output), string(held.Alternatives[0].Output)}
	require.ElementsMatch(t, []string{`{"orders":3,"total":11}`, `{"orders":3,"total":0.11}`}, outputs)
	_, err := n.commands.AcceptFix(t.Context(), id, workflow.AcceptFix{Proposal: held.Proposal, ScriptID: uuid.NewString(), Alternative: 1}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, workflow.StatusActive, n.state(id).Status)
}

// A correction goes to the model, with the person's note, what exactly held the fix, and what a fix
// may reach; templates, which read no notes, are left out.
func TestACorrectionGoesToTheModel(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.tallied(workflow.Settings{AutoFix: workflow.ModePropose})
	euros, cents := n.inEuros()
	server := llmtest.Serve(t, fixCall(cents, "Amounts are texts, in cents"), fixCall(euros, "Amounts are texts, in euros"))
	n.model(server.Model())
	n.runs(id, `{"day":"2026-03-09"}`)
	held := n.state(id)
	require.Equal(t, workflow.StatusHeld, held.Status)
	first, _ := held.Proposal(held.Maintenance.Held.Proposal)
	before := len(server.Requests())

	_, err := n.commands.CorrectFix(t.Context(), id, workflow.CorrectFix{Proposal: first.ID, Note: "They are euros."}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	state := n.state(id)
	require.Equal(t, workflow.StatusHeld, state.Status)
	second, _ := state.Proposal(state.Maintenance.Held.Proposal)
	require.Equal(t, "Amounts are texts, in euros", second.Comment)
	request := server.Request(before)
	require.Len(t, request.Messages, 2, "it is a new conversation")
	told := request.Messages[1].Text
	for _, want := range []string{"They are euros.", "/ 100", "What a fix may reach", "reads from: " + n.outside.host(), "POST " + n.outside.host() + "/done"} {
		require.Contains(t, told, want)
	}
	require.Contains(t, outsideFences(t, told), "They are euros.", "the note is the person's own word")
}

// The one live tool: GET only, to the hosts that the version used, secrets by handle, redirects included. Its answers
// are recorded, and the secret is nowhere.
func TestAFetchStaysInside(t *testing.T) {
	t.Parallel()
	const canary = "canary-6f1d2c"
	n := newWorld(t).open(nil)
	defer n.close()
	var elsewhere int
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	var authorized string
	n.outside.server.Config.Handler = around(n.outside, func(w http.ResponseWriter, r *http.Request) bool {
		switch r.URL.Path {
		case "/leave":
			http.Redirect(w, r, other.URL+"/taken", http.StatusFound)
		case "/docs":
			authorized = r.Header.Get("Authorization")
			_, _ = w.Write([]byte(`{"echo":"` + authorized + `","amounts":"are texts since March"}`))
		default:
			return false
		}
		return true
	})
	n.secrets = func(_, name, host string) (string, bool, error) {
		return canary, name == "token" && host == n.outside.host(), nil
	}
	n.reactions[len(n.reactions)-1] = n.maintainer()
	id := n.tallied(workflow.Settings{AllowedHosts: []string{strings.TrimPrefix(other.URL, "http://")}})
	// A person has allowed the other host, which is in the envelope then: take it out of both.
	_, err := n.commands.ChangeSettings(t.Context(), id, workflow.ChangeSettings{Settings: workflow.Settings{AllowedHosts: []string{n.outside.host()}, Fixers: []string{workflow.FixerModel}}}, person())
	require.NoError(t, err)
	fetch := func(url string, headers map[string]string) llmtest.ToolCall {
		args := map[string]any{"url": url}
		if headers != nil {
			args["headers"] = headers
		}
		return llmtest.ToolCall{Tool: "fetch", Args: args}
	}
	base := n.outside.server.URL
	server := llmtest.Serve(t,
		llmtest.Calls(
			fetch(base+"/docs", map[string]string{"Authorization": "Bearer {{secret:token}}"}),
			fetch(other.URL+"/x", nil), fetch(base+"/leave", nil), fetch(base+"/docs?key={{secret:other}}", nil),
			llmtest.ToolCall{Tool: "fetch", Args: map[string]any{"url": base + "/done", "method": "POST"}},
			llmtest.ToolCall{Tool: "eval", Args: map[string]string{"code": "await web.postJSON('" + base + "/done', {}); return (await web.getJSON('" + base + "/docs')).amounts"}},
		),
		fixCall(n.mendedTally(), "Amounts are texts"),
	)
	n.model(server.Model())
	n.runs(id, `{"day":"2026-03-09"}`)
	require.Equal(t, "1.1", n.state(id).Active.String())
	require.Equal(t, "Bearer "+canary, authorized, "the host puts it in")
	require.Zero(t, elsewhere)
	require.Equal(t, 4, n.outside.count("POST /done"), "no write by a tool")
	told := server.Request(1).Messages[3:]
	require.Contains(t, told[0].Text, "are texts since March")
	require.Contains(t, told[1].Text, "outside of what the version used before")
	require.Contains(t, told[2].Text, "no person has named")
	require.Contains(t, told[3].Text, "no secret")
	require.Contains(t, told[4].Text, `additional properties 'method' not allowed`)
	require.Contains(t, told[5].Text, "never read in the recorded run")
	require.False(t, server.Sees(canary), "the secret is in no request")
	_, entries := n.said(id)
	text, err := json.Marshal(entries)
	require.NoError(t, err)
	require.NotContains(t, string(text), canary)
	require.Contains(t, string(text), "are texts since March", "what it found is recorded")
	for _, message := range server.Request(1).Messages {
		if message.Role != llm.Assistant && message.Role != llm.System {
			require.NotContains(t, outsideFences(t, message.Text), "texts since")
		}
	}
}

// around answers some requests itself.
func around(inner http.Handler, own func(http.ResponseWriter, *http.Request) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !own(w, r) {
			inner.ServeHTTP(w, r)
		}
	})
}
