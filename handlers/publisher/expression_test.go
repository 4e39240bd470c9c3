package publisher_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/publisher"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/watermillsub"
)

// Rule: what the filter leaves out is counted, the place moves on, and what comes after it in its workflow comes; the count outlives the node.
func TestAFilterLeavesEventsOutAndCountsThem(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.subscribe(func(a *subscription.Add) {
		a.Filter = `event.type === "kintsugi.WorkflowCreated" || event.sequence % 2 === 0`
	})
	stop, _ := p.node()
	p.grow(4, "a", "b")
	p.eventually(func() bool { return count(p.got.first()) == 6 }, "half of the changes come")
	left := func() (count int64, waiting int) {
		progress, err := publisher.New(p.config(p.groups)).Progress(t.Context(), "chat", p.state())
		require.NoError(t, err)
		return progress.LeftOut, progress.Waiting
	}
	settled := func(n int64) func() bool {
		return func() bool { count, waiting := left(); return count == n && waiting == 0 }
	}
	p.eventually(settled(4), "each is counted once")
	stop()
	p.node()
	p.grow(1, "a")
	p.eventually(settled(5), "the next node counts on")
	for id, ids := range p.got.first() {
		require.Len(t, ids, 3, id)
	}
	require.Empty(t, p.attempts(watermillsub.AttemptQuery{Failed: true}))
}

// Rule: an event of which an expression cannot be made is not left out: each attempt is in the ledger with the place in the expression, its
// workflow waits, and it comes when the expression is mended.
func TestAnExpressionThatThrowsIsAnAttempt(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ filter, transform, says string }{
		{filter: "true &&\n  event.nothing.at", says: "filter: TypeError: "},
		{transform: "event.data.nothing.at", says: "transform: TypeError: "},
		{transform: "event.nothing", says: "it gives nothing"},
		{transform: `[1e9].map(n => { while (n) n++ })`, says: "transform: LimitError"},
		{filter: `web.getJSON("https://a.example")`, says: "calls nobody"},
	} {
		t.Run(one.filter+one.transform, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.subscribe(func(a *subscription.Add) { a.Filter, a.Transform = one.filter, one.transform })
			p.node()
			p.grow(0, "w")
			p.eventually(func() bool { return len(p.attempts(watermillsub.AttemptQuery{Failed: true})) > 0 }, "it was tried")
			failed := p.attempts(watermillsub.AttemptQuery{Failed: true})[0]
			require.Contains(t, failed.Error, one.says)
			if strings.Contains(one.filter, "\n") {
				require.Contains(t, failed.Error, "(line 2, column ")
			}
			require.False(t, failed.Next.IsZero(), "it is tried again")
			require.Empty(t, p.got.taken())
			none := ""
			_, err := p.commands.ChangeSubscription(t.Context(), "chat", subscription.Change{Filter: &none, Transform: &none}, ann)
			require.NoError(t, err)
			p.eventually(func() bool { return count(p.got.first()) == 1 }, "it comes")
		})
	}
}

// Rule: a transform's value is what is sent, in each form: an object as JSON, a text as it is, as the payload of the binary form, and to Slack in
// place of our words.
func TestATransformIsWhatIsSent(t *testing.T) {
	t.Parallel()
	requests := make(chan *http.Request, 1)
	bodies := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			requests <- r
			bodies <- string(body)
		}
	}))
	defer server.Close()
	p := newPlace(t)
	p.key = "/T/B"
	publish := publisher.New(p.config(p.groups))
	send := func(d subscription.Definition, happened event.Event) (*http.Request, string) {
		d.AllowPrivate = true
		out, wanted, err := publish.Shape(t.Context(), "chat", d, tell(t, "w", happened))
		require.NoError(t, err)
		require.True(t, wanted)
		sinks := p.sinks()
		if strings.HasPrefix(d.Target, "webhook") {
			p.key = publisher.NewKey()
		}
		sink, err := sinks.Open("chat", d)
		require.NoError(t, err)
		defer sink.Close()
		_, err = sink.Send(t.Context(), out)
		require.NoError(t, err)
		return <-requests, <-bodies
	}
	question := workflow.QuestionAsked{Text: "Net?"}
	r, body := send(subscription.Definition{Target: "slack:" + server.URL, Transform: "({text: event.data.text})"}, question)
	require.Equal(t, "/T/B", r.URL.Path)
	require.JSONEq(t, `{"text": "Net?"}`, body)
	r, body = send(subscription.Definition{Target: "webhook:" + server.URL, Transform: "`asks: ${event.data.text}`"}, question)
	require.Equal(t, "asks: Net?", body)
	require.Equal(t, "text/plain; charset=utf-8", r.Header.Get("Content-Type"))
	require.True(t, publisher.Proves(p.key, r.Header, []byte(body), time.Now(), time.Minute), "what is sent is signed")
	r, body = send(subscription.Definition{Target: "webhook:" + server.URL, Binary: true, Transform: "[event.data.text]"}, question)
	require.JSONEq(t, `["Net?"]`, body)
	require.Equal(t, "kintsugi.QuestionAsked", r.Header.Get("Ce-Type"))
	require.Empty(t, r.Header.Get("Ce-Dataschema"), "it is not the payload of which there is a schema")
	require.Equal(t, "application/json; charset=utf-8", r.Header.Get("Content-Type"))
}

var documented = regexp.MustCompile(`--(filter|transform) '([^']*)'`)

// Rule: the examples of docs/api.md do what they say.
func TestExamplesOfExpressions(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/api.md")
	require.NoError(t, err)
	_, section, _ := strings.Cut(string(text), "## Filters and transforms")
	section, _, _ = strings.Cut(section, "## Hooks")
	p := newPlace(t)
	publish := publisher.New(p.config(p.groups))
	commands := strings.Split(section, "kintsugi subscription add ")[1:]
	given := map[string]struct {
		happened event.Event
		sent     string // empty for what is left out, any for the event itself
	}{
		"fixes":    {workflow.FixApplied{Version: workflow.Version{Major: 2, Minor: 1}}, `{"text": "Fixed: version 2.1 of w"}`},
		"ann":      {workflow.WorkflowCreated{Owner: "ann@example.com"}, "any"},
		"ann no":   {workflow.WorkflowCreated{Owner: "ben@example.com"}, ""},
		"majors":   {workflow.ScriptSaved{Version: workflow.Version{Major: 3}}, "any"},
		"majors a": {workflow.ScriptSaved{Version: workflow.Version{Major: 3, Minor: 1}}, ""},
		"pager":    {workflow.RunFailed{Run: "r1", Failure: failure.Failure{Class: failure.Auth, Message: "401"}}, "Run r1 was refused: 401"},
		"pager no": {workflow.RunFailed{Run: "r1", Failure: failure.Failure{Class: failure.Logic}}, ""},
		"audit":    {workflow.ScriptSaved{Origin: workflow.OriginAgent, Comment: "c", Version: workflow.Version{Major: 1}}, `["", "w", "1", "c"]`},
		"audit no": {workflow.ScriptSaved{Origin: workflow.OriginPerson}, ""},
	}
	require.Len(t, commands, 5)
	for name, one := range given {
		name, _, _ := strings.Cut(name, " ")
		var d subscription.Definition
		for _, command := range commands {
			if !strings.HasPrefix(command, name+" ") {
				continue
			}
			for _, said := range documented.FindAllStringSubmatch(command, -1) {
				if said[1] == "filter" {
					d.Filter = said[2]
				} else {
					d.Transform = said[2]
				}
			}
		}
		require.NotEmpty(t, d.Filter+d.Transform, name)
		out, wanted, err := publish.Shape(t.Context(), name, d, tell(t, "w", one.happened))
		require.NoError(t, err, name)
		require.Equal(t, wanted, one.sent != "", name)
		body, contentType := out.Sent()
		switch {
		case one.sent == "any":
			require.Equal(t, publisher.StructuredType, contentType)
		case strings.HasPrefix(one.sent, "["):
			require.Contains(t, string(body), `"w","1","c"]`)
		case strings.HasPrefix(one.sent, "{"):
			require.JSONEq(t, one.sent, string(body))
		case one.sent != "":
			require.Equal(t, one.sent, string(body))
		}
	}
}
