package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/api"
	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/gallery"
	"github.com/kintsugi-run/kintsugi/projections"
)

// The triggers of a workflow are set, looked at before and taken away; an input sent twice is one.
func TestWhatStartsAWorkflow(t *testing.T) {
	t.Parallel()
	s := serve(t)
	source, id := s.workflow("Source", "ann"), s.workflow("Follows", "ann")
	path := "/workflows/" + id
	var preview, set app.Scheduled
	s.ok(http.MethodPost, path+"/schedule/preview?next=3", map[string]any{"spec": "every 15m"}).into(t, &preview)
	require.Len(t, preview.Next, 3)
	require.Empty(t, s.ok(http.MethodGet, path+"/schedule", nil).field(t, "spec"), "nothing was changed")
	s.ok(http.MethodPut, path+"/schedule", map[string]any{"spec": "30 7 * * *", "zone": "Europe/Berlin", "jitter": "30s"}).into(t, &set)
	require.Equal(t, "30s", set.Jitter)
	for _, wrong := range []map[string]any{{"spec": "often"}, {"spec": "@daily", "zone": "Mars"}, {"spec": "@daily", "jitter": "soon"}, {"spec": "at 2020-01-01 08:00"}} {
		s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPut, "/api/v1"+path+"/schedule", wrong)
	}
	require.Empty(t, s.ok(http.MethodDelete, path+"/schedule", nil).field(t, "spec"))

	var triggered app.Triggered
	s.ok(http.MethodPut, path+"/triggers/"+source, map[string]any{"outcomes": []string{"succeeded"}}).into(t, &triggered)
	require.Len(t, triggered.Triggers, 1)
	require.Equal(t, "[]", s.ok(http.MethodDelete, path+"/triggers/"+source, nil).field(t, "triggers"))

	send := func() (sent app.Sent) {
		s.ok(http.MethodPost, path+"/inputs", map[string]any{"key": "order-4711", "input": map[string]any{"name": "Bo"}}).into(t, &sent)
		return sent
	}
	first, again := send(), send()
	require.Equal(t, app.SentRun, first.Outcome)
	require.True(t, again.Repeated)
	require.Equal(t, first.Run, again.Run)
}

// A half-done run is started again only by whoever agrees to what is written again; the refusal lists it, and so does the run.
func TestARestartIsAgreedTo(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id := s.ok(http.MethodPost, "/workflows", map[string]any{"title": "Half done", "script": `async function main() { await kv.set("n", 1); null.x }`}).field(t, "id")
	s.ok(http.MethodPut, "/workflows/"+id+"/settings", map[string]any{"auto_fix": "off"})
	run := s.ok(http.MethodPost, "/workflows/"+id+"/runs", map[string]any{"repair": true}).field(t, "id")
	require.Eventually(t, func() bool { return s.ok(http.MethodGet, "/workflows/"+id, nil).field(t, "status") == "escalated" }, patience, time.Millisecond)
	s.ok(http.MethodPost, "/workflows/"+id+"/versions", map[string]any{"code": `async function main() { await kv.set("n", 2) }`})
	require.Contains(t, s.ok(http.MethodGet, "/runs/"+run, nil).field(t, "unfinished"), `kv.set ["n",1]`)
	refused := s.refused(http.StatusConflict, s.admin, http.MethodPost, "/api/v1/runs/"+run+"/restart", nil)
	require.Contains(t, refused, `kv.set ["n",1]`)
	s.ok(http.MethodPost, "/runs/"+run+"/restart", map[string]any{"write_again": true})
}

// A run that waits for an answer is cancelled once, by whoever may start runs: nothing follows from it, and what it had written is said.
func TestARunIsCancelled(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id := s.ok(http.MethodPost, "/workflows", map[string]any{"title": "Asks", "script": `async function main(input) { await kv.set("n", 1); if (input.ask) return await ask("Go on?"); return 7 }`}).field(t, "id")
	run := s.ok(http.MethodPost, "/workflows/"+id+"/runs", map[string]any{"input": map[string]any{"ask": true}}).field(t, "id")
	status := func(run string) string { return s.ok(http.MethodGet, "/runs/"+run, nil).field(t, "status") }
	require.Eventually(t, func() bool { return status(run) == "asking" }, patience, time.Millisecond)
	reader := s.token(installation.CreateToken{Person: "ann", Scopes: []installation.Scope{installation.Read}})
	s.refused(http.StatusForbidden, reader.Token, http.MethodPost, "/api/v1/runs/"+run+"/cancel", nil)
	s.refused(http.StatusNotFound, s.admin, http.MethodPost, "/api/v1/runs/none/cancel", nil)

	var cancelled app.CancelledRun
	s.ok(http.MethodPost, "/runs/"+run+"/cancel", map[string]any{"reason": "not needed"}).into(t, &cancelled)
	require.Equal(t, projections.RunCancelled, cancelled.Status)
	require.Equal(t, "not needed", cancelled.Cancelled)
	require.Nil(t, cancelled.Failure)
	require.Equal(t, []app.Rewrite{{Run: run, Call: `kv.set ["n",1]`}}, cancelled.Writes)
	require.Contains(t, s.ok(http.MethodGet, "/runs/"+run, nil).field(t, "writes"), "kv.set")
	require.Contains(t, s.refused(http.StatusConflict, s.admin, http.MethodPost, "/api/v1/runs/"+run+"/cancel", nil), "was cancelled already")
	var list api.Page[projections.Run]
	s.ok(http.MethodGet, "/runs?status=cancelled", nil).into(t, &list)
	require.Len(t, list.Items, 1)
	require.Equal(t, "[]", s.ok(http.MethodGet, "/notifications?workflow="+id, nil).field(t, "items"), "nobody is told, and nobody is asked any more")

	next := s.ok(http.MethodPost, "/workflows/"+id+"/runs", nil).field(t, "id")
	require.Eventually(t, func() bool { return status(next) == "succeeded" }, patience, time.Millisecond)
	require.Contains(t, s.refused(http.StatusConflict, s.admin, http.MethodPost, "/api/v1/runs/"+next+"/cancel", nil), "has succeeded")
}

// Any run that failed is tried again when it is asked for, once, and with its input.
func TestAFailedRunIsTriedAgain(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id := s.ok(http.MethodPost, "/workflows", map[string]any{"title": "Fails", "script": `async function main(input) { if (input.n > 0) throw new Error("not yet") }`}).field(t, "id")
	run := s.ok(http.MethodPost, "/workflows/"+id+"/runs", map[string]any{"input": map[string]any{"n": 7}}).field(t, "id")
	is := func(run, status string) bool {
		return s.ok(http.MethodGet, "/runs/"+run, nil).field(t, "status") == status
	}
	require.Eventually(t, func() bool { return is(run, "failed") }, patience, time.Millisecond)
	s.ok(http.MethodPost, "/workflows/"+id+"/versions", map[string]any{"code": `async function main(input) { return input.n + 1 }`})
	require.Equal(t, "true", s.ok(http.MethodGet, "/runs/"+run, nil).field(t, "retriable"))
	s.ok(http.MethodPost, "/runs/"+run+"/retry", nil)
	again := func() (list api.Page[projections.Run]) {
		s.ok(http.MethodGet, "/runs?status=succeeded&workflow="+id, nil).into(t, &list)
		return list
	}
	require.Eventually(t, func() bool { return len(again().Items) == 1 }, patience, time.Millisecond)
	require.Equal(t, "8", s.ok(http.MethodGet, "/runs/"+again().Items[0].ID, nil).field(t, "output"))
	s.refused(http.StatusConflict, s.admin, http.MethodPost, "/api/v1/runs/"+run+"/retry", nil)
}

// Drafts are tended many at once, and only one's own by whom a token limits to an owner.
func TestDraftsAreTendedTogether(t *testing.T) {
	t.Parallel()
	s := serve(t)
	draft := func(title, owner string) string {
		return s.ok(http.MethodPost, "/workflows", map[string]any{"title": title, "owner": owner}).field(t, "id")
	}
	anns, bobs := draft("Ann's", "ann"), draft("Bob's", "bob")
	bob := s.token(installation.CreateToken{Person: "bob", Owner: "bob", Scopes: []installation.Scope{installation.Read, installation.Edit}})
	var list api.Page[app.Draft]
	s.ask(bob.Token, http.MethodGet, "/api/v1/drafts", nil).into(t, &list)
	require.Len(t, list.Items, 1)
	s.refused(http.StatusConflict, bob.Token, http.MethodPost, "/api/v1/drafts", map[string]any{"do": "archived", "workflows": []string{anns}})
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPost, "/api/v1/drafts", map[string]any{"do": "archived"})
	s.ok(http.MethodPost, "/drafts", map[string]any{"do": "archived", "workflows": []string{anns, bobs}, "reason": "old"}).into(t, &list)
	require.Len(t, list.Items, 2)
	require.Equal(t, "archived", s.ok(http.MethodGet, "/workflows/"+anns, nil).field(t, "status"))
	s.ok(http.MethodPut, "/drafts/archiving", map[string]any{"on": true})
	require.Equal(t, "true", s.ok(http.MethodGet, "/drafts/archiving", nil).field(t, "on"))
}

// The allowance of agents is for those who see all; an owner sees their own account.
func TestWhatAgentsMaySpend(t *testing.T) {
	t.Parallel()
	s := serve(t)
	bob := s.token(installation.CreateToken{Person: "bob", Owner: "bob", Scopes: []installation.Scope{installation.Read, installation.Edit}})
	s.ok(http.MethodPut, "/accounts/bob/limit", map[string]any{"per_month": "20"})
	topUp := func() string {
		return s.ok(http.MethodPost, "/accounts/bob/top-up", map[string]any{"amount": "25", "reference": "invoice 7"}).field(t, "left_micros")
	}
	left := topUp()
	require.Equal(t, left, topUp(), "a payment is counted once")
	var account app.Account
	s.ask(bob.Token, http.MethodGet, "/api/v1/accounts/bob", nil).into(t, &account)
	require.Equal(t, int64(20_000_000), account.LimitMicros)
	require.Equal(t, int64(25_000_000), account.PaidMicros)
	s.refused(http.StatusForbidden, bob.Token, http.MethodGet, "/api/v1/accounts/ann", nil)
	s.refused(http.StatusForbidden, bob.Token, http.MethodPut, "/api/v1/accounts/bob/limit", map[string]any{"per_month": "0"})
	s.refused(http.StatusForbidden, bob.Token, http.MethodPost, "/api/v1/autofix/off", nil)
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPost, "/api/v1/accounts/bob/payments", map[string]any{"amount": "25", "return_url": "https://example.com"})
	require.Equal(t, http.StatusUnprocessableEntity, s.ask("", http.MethodPost, "/hooks/payments/stripe", "{}").status, "there is no key to check a signature with")
	require.Equal(t, "off", s.ok(http.MethodPost, "/autofix/off", map[string]any{"reason": "moving"}).field(t, "repairs"))
	require.Equal(t, "on", s.ok(http.MethodPost, "/autofix/on", nil).field(t, "repairs"))
	require.Equal(t, "5", s.ok(http.MethodPatch, "/autofix/cap", map[string]any{"per_day_usd": 5}).field(t, "per_day_usd"))
	require.NotEmpty(t, s.ok(http.MethodGet, "/usage", nil).field(t, "from"))
	for _, path := range []string{"/groups", "/effects"} {
		require.Equal(t, "[]", s.ok(http.MethodGet, path, nil).field(t, "items"))
	}
}

// Workflows are looked for by their words, page by page, and how their last runs went is one question for many; both only
// of what the caller sees.
func TestWorkflowsAreLookedForOnTheServer(t *testing.T) {
	t.Parallel()
	s := serve(t)
	first, second, bobs := s.workflow("Refunds of May", "ann"), s.workflow("REFUNDS of June", "ann"), s.workflow("Refunds of Bob", "bob")
	s.workflow("Else", "ann")
	run := s.finished(first, map[string]any{"name": "Ada"})
	var list api.Page[projections.Workflow]
	s.ok(http.MethodGet, "/workflows?q=refunds&limit=2", nil).into(t, &list)
	require.Equal(t, []string{first, second}, []string{list.Items[0].ID, list.Items[1].ID})
	s.ok(http.MethodGet, "/workflows?q=refunds&limit=2&after="+list.Next, nil).into(t, &list)
	require.Len(t, list.Items, 1)
	require.Equal(t, bobs, list.Items[0].ID)

	var recent map[string][]projections.Lately
	s.ok(http.MethodGet, "/workflows/recent?ids="+first+","+second+",none", nil).into(t, &recent)
	require.Len(t, recent, 3)
	require.Len(t, recent[first], 1)
	require.Equal(t, run, recent[first][0].ID)
	require.Empty(t, recent[second])
	bob := s.token(installation.CreateToken{Person: "bob", Owner: "bob", Scopes: []installation.Scope{installation.Read}})
	s.ask(bob.Token, http.MethodGet, "/api/v1/workflows/recent?ids="+first, nil).into(t, &recent)
	require.Empty(t, recent[first])
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodGet, "/api/v1/workflows/recent", nil)
}

// Rule: an automation of the gallery becomes a draft with the caller's own services and with its recorded runs, once for each key.
func TestTakingFromTheGallery(t *testing.T) {
	t.Parallel()
	s := serve(t)
	var listed api.Page[gallery.Entry]
	s.ok(http.MethodGet, "/gallery?text=frost+weather", nil).into(t, &listed)
	require.Len(t, listed.Items, 1)
	require.Equal(t, []string{"https://weather.example"}, listed.Items[0].Services)
	own := map[string]any{"title": "Frost", "services": map[string]string{"https://weather.example": "https://weather.acme.com"}}
	for wrong, body := range map[string]map[string]any{
		"is an example: name the address": {"services": map[string]string{}},
		"is none of the examples":         {"services": map[string]string{"https://shop.example": "https://x.org"}},
		"without a path":                  {"services": map[string]string{"https://weather.example": "https://x.org/a"}},
	} {
		require.Contains(t, s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPost, "/api/v1/gallery/frost-alert", body), wrong)
	}
	s.refused(http.StatusNotFound, s.admin, http.MethodPost, "/api/v1/gallery/nothing", own)
	id := s.ok(http.MethodPost, "/gallery/frost-alert", own, "Idempotency-Key", "frost").field(t, "id")
	require.Equal(t, id, s.ok(http.MethodPost, "/gallery/frost-alert", own, "Idempotency-Key", "frost").field(t, "id"))
	require.Equal(t, "draft", s.ok(http.MethodGet, "/workflows/"+id, nil).field(t, "status"))
	var runs api.Page[projections.Run]
	s.ok(http.MethodGet, "/runs?workflow="+id, nil).into(t, &runs)
	require.Len(t, runs.Items, 6)
	code := s.ok(http.MethodGet, "/workflows/"+id+"/versions/active", nil).field(t, "code")
	require.Contains(t, code, "https://weather.acme.com")
	require.NotContains(t, code, ".example")
	s.refused(http.StatusConflict, s.admin, http.MethodPost, "/api/v1/gallery/frost-alert", own)
}
