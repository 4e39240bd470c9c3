package api_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/api"
	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// hostile is what a title, an error, a comment, a script or a question may be.
const hostile = "</pre><script>alert(1)</script><img src=x onerror=alert(2)>\u202Egnp\x1b[31m\"'{{.}}"

// desk is an installation at which nothing happens by itself, with a fix and a question that wait for a person.
type desk struct {
	t      *testing.T
	node   *app.Node
	server *httptest.Server
	log    *strings.Builder
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, log: &strings.Builder{}}
	dir := t.TempDir()
	address, err := app.ParseStore("", dir)
	require.NoError(t, err)
	logger := slog.New(slog.NewTextHandler(d.log, nil))
	d.node, err = app.Open(t.Context(), dir, address, app.ViewsPlace{}, time.Second, logger)
	require.NoError(t, err)
	d.server = httptest.NewServer(api.New(api.Config{Node: d.node, Logger: logger, Hosts: []string{"kintsugi.test"}, Version: "test"}))
	t.Cleanup(func() { d.server.Close(); require.NoError(t, d.node.Close()) })
	d.node.Links.Public = d.server.URL
	d.wait("w", "f")
	return d
}

// wait makes a workflow with a fix that waits.
func (d *desk) wait(id, fix string) {
	d.t.Helper()
	ctx, c := d.t.Context(), d.node.Commands
	did := func(_ commands.Result, err error) { d.t.Helper(); require.NoError(d.t, err) }
	ann, system := app.By("person:ann"), func() commands.Meta { return app.By("system:test") }
	did(c.CreateWorkflow(ctx, workflow.Create{ID: id, Title: "Refunds " + hostile, Owner: "ann", Zone: "UTC", Intent: "x"}, ann))
	did(c.SaveScript(ctx, id, workflow.SaveScript{Code: "function main() {\n  return 1\n}\n", Origin: workflow.OriginPerson}, app.By("person:ann")))
	did(c.ActivateWorkflow(ctx, id, workflow.Activate{}, app.By("person:ann")))
	admitted := "run-" + fix
	did(c.AdmitRun(ctx, id, workflow.AdmitRun{Run: admitted, Trigger: workflow.TriggerManual, Repair: true, Input: json.RawMessage(`{}`)}, system()))
	journal, err := c.StartRun(ctx, run.Start{
		Run: admitted, Workflow: id, Version: "1.0", Trigger: "manual", Input: json.RawMessage(`{}`), Seed: "s", Clock: time.Now(), Zone: "UTC",
		LeaseUntil: time.Now().Add(time.Hour), Node: "here",
	}, system())
	require.NoError(d.t, err)
	require.NoError(d.t, journal.Record(ctx, run.RecordCall{Seq: 1, Tool: "kv.set", Args: json.RawMessage(`["paid",true]`), Effect: run.EffectWrite}))
	require.NoError(d.t, journal.Record(ctx, run.RecordReturn{Seq: 1, Result: json.RawMessage("null")}))
	why := failure.Failure{Class: failure.Logic, Name: "TypeError", Message: "it broke " + hostile, Strict: "s", Loose: "l"}
	_, err = journal.End(ctx, run.End{Failure: &why})
	require.NoError(d.t, err)
	did(c.SettleRun(ctx, id, workflow.SettleRun{
		Run: admitted, Failure: &why, Rehearsed: workflow.RehearsedReproduced, Task: "task-" + fix, Thread: "thread-" + fix, Item: "item-" + fix,
	}, system()))
	did(c.ProposeFix(ctx, id, workflow.ProposeFix{
		Proposal: fix, Task: "task-" + fix, Code: "function main() {\n  return 2 // " + hostile + "\n}\n", Comment: "Reads the new field " + hostile, Fixer: workflow.Fixer{Kind: "templates"},
	}, system()))
	did(c.JudgeFix(ctx, id, workflow.JudgeFix{Proposal: fix, Verification: workflow.Verification{
		Verdict: workflow.VerdictIdentical, FailingRun: "succeeded", Replayed: 4, Identical: 4, Reasons: []string{"it reaches elsewhere " + hostile}, GateVersion: "1", Certificate: "00",
		Widens: &workflow.Widening{Hosts: []string{"new.example.com"}},
	}}, system()))
}

// ask has an agent ask.
func (d *desk) ask(id string, options ...string) string {
	d.t.Helper()
	ctx, c := d.t.Context(), d.node.Commands
	_, err := c.CreateWorkflow(ctx, workflow.Create{ID: id, Title: "Asks", Owner: "ann", Zone: "UTC", Intent: "x"}, app.By("person:ann"))
	require.NoError(d.t, err)
	_, err = c.OpenPlannerTask(ctx, id, workflow.OpenPlannerTask{Task: "t" + id, Thread: "h" + id, Ask: "do"}, app.By("person:ann"))
	require.NoError(d.t, err)
	asked, err := c.AskQuestion(ctx, id, workflow.AskQuestion{Question: "q" + id, Task: "t" + id, Text: "Net or gross? " + hostile, Options: options}, app.By("planner:t"))
	require.NoError(d.t, err)
	return asked.Events[0].Metadata.EventID
}

func (d *desk) link(to app.Link) string {
	d.t.Helper()
	address, err := d.node.Links.Make(to, time.Hour)
	require.NoError(d.t, err)
	return address
}

// browse sends what a browser would, without following anything.
func (d *desk) browse(method, address string, form url.Values, headers ...string) reply {
	d.t.Helper()
	request, err := http.NewRequestWithContext(d.t.Context(), method, address, strings.NewReader(form.Encode()))
	require.NoError(d.t, err)
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", d.server.URL)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(d.t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(d.t, err)
	return reply{response.StatusCode, response.Header, body}
}

var seenField = regexp.MustCompile(`name="seen" value="([0-9a-f]+)"`)

// press looks at the page and presses a button of it.
func (d *desk) press(address, answer, note string) reply {
	d.t.Helper()
	return d.send(address, d.browse(http.MethodGet, address, nil), answer, note)
}

func (d *desk) send(address string, page reply, answer, note string) reply {
	d.t.Helper()
	seen := seenField.FindSubmatch(page.body)
	require.NotNil(d.t, seen, "%s", page.body)
	return d.browse(http.MethodPost, address, url.Values{"answer": {answer}, "note": {note}, "seen": {string(seen[1])}})
}

func (d *desk) fix(id string) projections.Fix {
	d.t.Helper()
	require.NoError(d.t, d.node.Approvals.Views.CatchUp(d.t.Context()))
	fix, err := d.node.Queries.Fix(d.t.Context(), id)
	require.NoError(d.t, err)
	return fix
}

func (d *desk) events(id string) (all []event.Recorded) {
	d.t.Helper()
	for one, err := range d.node.Commands.History(d.t.Context(), []string{workflow.Stream(id)}) {
		require.NoError(d.t, err)
		all = append(all, one)
	}
	return all
}

// The page shows what broke, what would change, the proof, what it allows and what was written; whatever others wrote is text on
// it. Looking at it decides nothing, whoever looks how often.
func TestALinkShowsWhatItDoesAndDoesNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	address := d.link(app.Link{Fix: "f", Person: "ann@example.com"})
	before := len(d.events("w"))
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodGet} {
		for _, query := range []string{"", "?answer=accept", "?answer=decline"} {
			require.Equal(t, http.StatusOK, d.browse(method, address+query, nil, "Sec-Purpose", "prefetch", "Sec-Fetch-Site", "cross-site").status)
		}
	}
	require.Len(t, d.events("w"), before)
	require.Equal(t, projections.FixHeld, d.fix("f").State)

	page := d.browse(http.MethodGet, address, nil)
	text := html.UnescapeString(string(page.body))
	for _, shown := range []string{
		"ann@example.com", "it broke", "Reads the new field", "-  return 1", "+  return 2", "4 of 4 recorded successes identical", "it reaches elsewhere",
		"reading from new.example.com", "kv.set", `value="accept"`, `value="decline"`, "Nothing happens until you press a button",
	} {
		require.Contains(t, text, shown)
	}
	for _, never := range []string{"<script", "<img", "\u202E", "\x1b"} {
		require.NotContains(t, string(page.body), never)
	}
	require.Contains(t, page.header.Get("Content-Security-Policy"), "default-src 'none'; style-src 'sha256-")
	require.Contains(t, page.header.Get("Content-Security-Policy"), "form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	require.Equal(t, "no-store", page.header.Get("Cache-Control"))
	require.Equal(t, "same-origin", page.header.Get("Referrer-Policy"), "with none a browser sends no origin with the form")
	declines := string(d.browse(http.MethodGet, address+"?answer=decline", nil).body)
	require.Less(t, strings.Index(declines, ">Decline<"), strings.Index(declines, ">Accept<"), "what the person came for is first")
}

// A link decides once. A person who comes later, with the same link or another one, is told what became of it, and by whom.
func TestALinkDecidesOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	anns, bobs := d.link(app.Link{Fix: "f", Person: "ann@example.com"}), d.link(app.Link{Fix: "f", Person: "bob"})
	looked := d.browse(http.MethodGet, anns, nil)
	done := d.press(anns, "accept", "it is right "+hostile)
	require.Equal(t, http.StatusOK, done.status, "%s", done.body)
	require.Contains(t, string(done.body), "accepted by ann@example.com")
	require.NotContains(t, string(done.body), "<script")
	after := len(d.events("w"))
	fix := d.fix("f")
	require.Equal(t, projections.FixAccepted, fix.State)
	require.Equal(t, "person:ann@example.com", fix.DecidedBy)
	require.Contains(t, fix.Why, "it is right")
	for _, one := range d.events("w") {
		if _, is := one.Event.(workflow.FixAccepted); is {
			require.Regexp(t, "^link:[0-9a-f]{16}$", one.Metadata.CausationID, "the event says that it came by a link")
		}
	}

	for _, address := range []string{anns, bobs} {
		for _, answer := range []string{"accept", "decline"} {
			again := d.send(address, looked, answer, "")
			require.Equal(t, http.StatusConflict, again.status)
			require.Contains(t, string(again.body), "accepted by ann@example.com")
			require.Contains(t, string(again.body), "Nothing was done now")
		}
		page := d.browse(http.MethodGet, address, nil)
		require.Equal(t, http.StatusOK, page.status)
		require.Contains(t, string(page.body), "accepted by ann@example.com")
		require.NotContains(t, string(page.body), "<form")
	}
	require.Len(t, d.events("w"), after)
}

// When two people press at once, one decides, and the other hears who it was; never both.
func TestTwoLinksAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	answers := map[string]string{"ann": "accept", "bob": "decline", "cleo": "accept", "dan": "decline"}
	pages, links := map[string]reply{}, map[string]string{}
	for person := range answers {
		links[person] = d.link(app.Link{Fix: "f", Person: person})
		pages[person] = d.browse(http.MethodGet, links[person], nil)
	}
	type came struct {
		person string
		reply  reply
	}
	replies := make(chan came, len(answers))
	for person, answer := range answers {
		go func() { replies <- came{person, d.send(links[person], pages[person], answer, "")} }()
	}
	winner, lost := "", 0
	for range answers {
		switch one := <-replies; one.reply.status {
		case http.StatusOK:
			require.Empty(t, winner)
			winner = one.person
		case http.StatusConflict:
			lost++
		default:
			t.Errorf("%d %s", one.reply.status, one.reply.body)
		}
	}
	require.Equal(t, 3, lost)
	require.Equal(t, "person:"+winner, d.fix("f").DecidedBy)
	decided := 0
	for _, one := range d.events("w") {
		switch one.Event.(type) {
		case workflow.FixAccepted, workflow.FixDeclined:
			decided++
		}
	}
	require.Equal(t, 1, decided)
}

// A decision is about what its person saw: what changed since is shown first.
func TestALinkDecidesAboutWhatWasSeen(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	address := d.link(app.Link{Fix: "f", Person: "ann"})
	page := d.browse(http.MethodGet, address, nil)
	_, err := d.node.Commands.RecheckFix(t.Context(), "w", workflow.RecheckFix{Proposal: "f", Verification: workflow.Verification{
		Verdict: workflow.VerdictIdentical, FailingRun: "succeeded", Replayed: 4, Identical: 4, Widens: &workflow.Widening{Hosts: []string{"evil.example.com"}},
	}}, app.By("system:test"))
	require.NoError(t, err)
	refused := d.send(address, page, "accept", "")
	require.Equal(t, http.StatusConflict, refused.status)
	require.Contains(t, string(refused.body), "It has changed since you looked")
	require.Contains(t, string(refused.body), "reading from evil.example.com")
	require.Equal(t, projections.FixHeld, d.fix("f").State)
	require.Equal(t, http.StatusUnprocessableEntity, d.press(address, "maybe", "").status)
	require.Equal(t, http.StatusUnprocessableEntity, d.press(address, "accept-7", "").status)
	require.Equal(t, http.StatusOK, d.press(address, "decline", "no").status)
	require.Equal(t, projections.FixDeclined, d.fix("f").State)
}

// A link that was not made here, or not so, leads nowhere, and neither does one that has expired; none of it says anything about the fix.
func TestAForgedLinkLeadsNowhere(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	address := d.link(app.Link{Fix: "f", Person: "ann"})
	payload, signed, _ := strings.Cut(strings.TrimPrefix(address, d.server.URL+app.DecidePath), ".")
	plain, err := base64.RawURLEncoding.DecodeString(payload)
	require.NoError(t, err)
	bobs := base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(plain), "ann", "bob", 1)))
	later := base64.RawURLEncoding.EncodeToString([]byte(regexp.MustCompile(`"u":\d+`).ReplaceAllString(string(plain), `"u":99999999999`)))
	flipped := []byte(signed)
	flipped[0] ^= 1
	for name, text := range map[string]string{
		"another person": bobs + "." + signed, "another time": later + "." + signed, "another signature": payload + "." + string(flipped), "no signature": payload + ".",
		"cut": payload + "." + signed[:20], "long": strings.Repeat("a", 5000), "none": payload, "padded": payload + "." + signed + "=",
	} {
		for _, got := range []reply{
			d.browse(http.MethodGet, d.server.URL+app.DecidePath+text, nil),
			d.browse(http.MethodPost, d.server.URL+app.DecidePath+text, url.Values{"answer": {"accept"}}),
		} {
			require.Equal(t, http.StatusForbidden, got.status, name)
			require.Contains(t, string(got.body), "not made by this installation", name)
			require.NotContains(t, string(got.body), "Refunds", name)
		}
	}
	elsewhere := d.link(app.Link{Fix: "of another installation", Person: "ann"}) // one with the same key
	require.Equal(t, http.StatusNotFound, d.browse(http.MethodGet, elsewhere, nil).status)

	d.node.Links.Now = func() time.Time { return time.Now().Add(time.Hour) }
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		got := d.browse(method, address, url.Values{"answer": {"accept"}})
		require.Equal(t, http.StatusGone, got.status)
		require.Contains(t, string(got.body), "expired")
	}
	require.Equal(t, projections.FixHeld, d.fix("f").State)
}

// A page of another site decides nothing in the name of whoever looks at it.
func TestAnotherSiteDecidesNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	address := d.link(app.Link{Fix: "f", Person: "ann"})
	seen := string(seenField.FindSubmatch(d.browse(http.MethodGet, address, nil).body)[1])
	form := url.Values{"answer": {"accept"}, "seen": {seen}}
	for _, headers := range [][]string{{"Origin", "https://evil.example"}, {"Origin", "null"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}} {
		require.Equal(t, http.StatusForbidden, d.browse(http.MethodPost, address, form, headers...).status, headers)
	}
	require.Equal(t, http.StatusUnprocessableEntity, d.browse(http.MethodPost, address, url.Values{"answer": {"accept"}, "seen": {seen}, "note": {strings.Repeat("n", 70<<10)}}).status)
	require.Equal(t, projections.FixHeld, d.fix("f").State)
	require.Equal(t, http.StatusOK, d.browse(http.MethodPost, address, form, "Sec-Fetch-Site", "same-origin").status)
}

// A question is answered by what its person writes, or chooses where there is something to choose from.
func TestAQuestionIsAnsweredByLink(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for id, options := range map[string][]string{"free": nil, "chosen": {"net", "gross " + hostile}} {
		address := d.link(app.Link{Question: d.ask(id, options...), Person: "ann"})
		page := d.browse(http.MethodGet, address, nil)
		require.Equal(t, http.StatusOK, page.status)
		require.Contains(t, string(page.body), "Net or gross?")
		require.NotContains(t, string(page.body), "<script")
		require.Equal(t, len(options), strings.Count(string(page.body), `name="answer" value=`))
		require.Equal(t, http.StatusUnprocessableEntity, d.send(address, page, "", "").status, "nothing is no answer")
		require.Equal(t, http.StatusOK, d.send(address, page, "net", "").status)
		again := d.send(address, page, "gross", "")
		require.Equal(t, http.StatusConflict, again.status)
		require.Contains(t, string(again.body), "answered by ann")
		require.Contains(t, string(again.body), "net")
	}
}

// A person who is given a decision decides by their link; the links of others say to whom it went, when and by whom, and decide nothing.
// A group is the readers of a subscription: what that brought them decides, whoever of them it is.
func TestLinksFollowADecisionThatIsGivenAway(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	token, err := d.node.Tokens.Create(ctx, app.By("person:ann"), installation.CreateToken{Person: "ann", Scopes: []installation.Scope{installation.Read, installation.Judge}})
	require.NoError(t, err)
	give := func(id, to, note string) {
		require.NoError(t, d.node.Approvals.Views.CatchUp(ctx))
		body, err := json.Marshal(map[string]string{"to": to, "note": note})
		require.NoError(t, err)
		for range 2 { // once
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.server.URL+"/api/v1/notifications/"+id+"/delegate", bytes.NewReader(body))
			require.NoError(t, err)
			request.Header = http.Header{"Authorization": {"Bearer " + token.Token}, "Content-Type": {"application/json"}, "Idempotency-Key": {"to " + to}}
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.Equal(t, http.StatusOK, response.StatusCode)
		}
	}
	require.NoError(t, d.node.Approvals.Views.CatchUp(ctx))
	waiting, err := d.node.Queries.Notifications(ctx, projections.NotificationFilter{Workflow: "w", Type: projections.NotifyFixWaiting})
	require.NoError(t, err)
	anns, bens := d.link(app.Link{Fix: "f", Person: "ann@example.com"}), d.link(app.Link{Fix: "f", Person: "ben@example.com"})
	looked := d.browse(http.MethodGet, anns, nil)
	give(waiting[0].ID, "Ben <ben@example.com>", "you know it "+hostile)
	page := d.browse(http.MethodGet, anns, nil)
	require.Equal(t, http.StatusOK, page.status)
	require.Regexp(t, `ann gave this to ben@example.com on .* UTC: it is for them to decide. They said: you know it`, string(page.body))
	require.NotContains(t, string(page.body), "<form")
	require.NotContains(t, string(page.body), "<script")
	refused := d.send(anns, looked, "accept", "")
	require.Equal(t, http.StatusConflict, refused.status)
	require.Contains(t, string(refused.body), "gave this to ben@example.com")
	require.Equal(t, projections.FixHeld, d.fix("f").State)

	_, err = d.node.Commands.AddSubscription(ctx, "finance", subscription.Add{Definition: subscription.Definition{
		Target: "smtp://mail.example?from=k@k.example&to=cleo@example.com",
	}}, app.By("person:ann"))
	require.NoError(t, err)
	give(waiting[0].ID, "group:finance", "")
	page = d.browse(http.MethodGet, bens, nil)
	require.Contains(t, string(page.body), "ann gave this to the readers of finance")
	require.NotContains(t, string(page.body), "<form")
	cleos := d.link(app.Link{Fix: "f", Person: "cleo@example.com", Via: "finance"})
	require.Equal(t, http.StatusOK, d.press(cleos, "accept", "").status)
	require.Equal(t, "person:cleo@example.com", d.fix("f").DecidedBy)
	given := 0
	for _, one := range d.events("w") {
		if one.Event.EventType() == workflow.TypeDecisionDelegated {
			given++
		}
	}
	require.Equal(t, 2, given)
	listed := d.browse(http.MethodGet, d.server.URL+"/api/v1/notifications?all=true&for=group:finance", nil, "Authorization", "Bearer "+token.Token)
	require.Contains(t, string(listed.body), `"delegated_to":"group:finance","delegated_by":"person:ann"`)
	none := d.browse(http.MethodGet, d.server.URL+"/api/v1/notifications?all=true&for=ben@example.com", nil, "Authorization", "Bearer "+token.Token)
	require.Contains(t, string(none.body), `"items":[]`)

	question := d.ask("asks")
	give(question, "ben", "")
	require.Contains(t, string(d.browse(http.MethodGet, d.link(app.Link{Question: question, Person: "ann"}), nil).body), "gave this to ben")
	require.Equal(t, http.StatusOK, d.press(d.link(app.Link{Question: question, Person: "ben"}), "net", "").status)
}

// A decision can be given away only while it waits, and whom it is given to can be told.
func TestWhatCannotBeGivenAway(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	add := func(name string, definition subscription.Definition) {
		_, err := d.node.Commands.AddSubscription(ctx, name, subscription.Add{Definition: definition}, app.By("person:ann"))
		require.NoError(t, err)
	}
	add("machine", subscription.Definition{Target: "exec:/bin/true"})
	add("fixes", subscription.Definition{Target: "smtp://mail.example?from=k@k.example&to=a@a.example", Types: []string{workflow.TypeFixApplied}})
	require.NoError(t, d.node.Approvals.Views.CatchUp(ctx))
	waiting, err := d.node.Queries.Notifications(ctx, projections.NotificationFilter{Workflow: "w", Type: projections.NotifyFixWaiting})
	require.NoError(t, err)
	give := func(one projections.Notification, to string) error {
		_, err := d.node.Decisions.Delegate(ctx, func() commands.Meta { return app.By("person:ann") }, "", one, to, "")
		return err
	}
	for to, why := range map[string]string{
		"group:nobody": "there is no group", "group:machine": "has no readers", "group:fixes": "would not be told", "": "to a person", "group:": "there is no group",
	} {
		require.ErrorContains(t, give(waiting[0], to), why, to)
	}
	require.ErrorContains(t, give(projections.Notification{ID: "n"}, "ben"), "of the installation")
	require.ErrorContains(t, give(projections.Notification{ID: "n", Workflow: "w"}, "ben"), "only tells")
	_, err = d.node.Commands.DeclineFix(ctx, "w", workflow.DeclineFix{Proposal: "f"}, app.By("person:ann"))
	require.NoError(t, err)
	require.ErrorContains(t, give(waiting[0], "ben"), "does not wait")
	require.NoError(t, d.node.Approvals.Views.CatchUp(ctx))
	decided, err := d.node.Queries.Notification(ctx, waiting[0].ID)
	require.NoError(t, err)
	require.ErrorContains(t, give(decided, "ben"), "waits for nobody any more")
}

// A person is one line: no name gets into a header, and no link into a log.
func TestNoLinkInALog(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, person := range []string{"", " ", "ann\r\nBcc: all@evil.example", "a\x00b", strings.Repeat("x", 300)} {
		_, err := d.node.Links.Make(app.Link{Fix: "f", Person: person}, time.Hour)
		require.Error(t, err, person)
	}
	for _, life := range []time.Duration{0, -time.Hour, 1000 * time.Hour} {
		_, err := d.node.Links.Make(app.Link{Fix: "f", Person: "ann"}, life)
		require.Error(t, err, fmt.Sprint(life))
	}
	address := d.link(app.Link{Fix: "f", Person: "ann"})
	_, payload, _ := strings.Cut(address, app.DecidePath)
	page := d.browse(http.MethodGet, address, nil)
	views := d.node.Approvals.Views
	d.node.Approvals.Views = nil // whatever is asked of the views makes the server panic
	require.Equal(t, http.StatusInternalServerError, d.browse(http.MethodGet, address, nil).status)
	require.Equal(t, http.StatusInternalServerError, d.send(address, page, "accept", "").status)
	d.node.Approvals.Views = views
	require.Contains(t, d.log.String(), "panic")
	require.NotContains(t, d.log.String(), payload)
	require.NotContains(t, d.log.String(), payload[:20])
	d.node.Links.Public = ""
	_, err := d.node.Links.Make(app.Link{Fix: "f", Person: "ann"}, time.Hour)
	require.ErrorContains(t, err, "--public-url")
}

// A person reads of a request that the server panics at, until such a request is answered again.
func TestARequestThatPanicsIsTold(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	told := func() string {
		state, err := d.node.Commands.LoadInstallation(t.Context())
		require.NoError(t, err)
		return fmt.Sprint(state.Stalled)
	}
	address := d.link(app.Link{Fix: "f", Person: "ann"})
	views := d.node.Approvals.Views
	d.node.Approvals.Views = nil // whatever is asked of the views makes the server panic
	for range 2 {
		require.Equal(t, http.StatusInternalServerError, d.browse(http.MethodGet, address, nil).status)
	}
	require.Contains(t, told(), "answering GET "+app.DecidePath)
	d.node.Approvals.Views = views
	require.Equal(t, http.StatusOK, d.browse(http.MethodGet, address, nil).status)
	require.NotContains(t, told(), "answering")
}
