package publisher_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/publisher"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// hostile is a title that somebody may give a workflow.
const hostile = "Refunds\r\nBcc: all@evil.example\n\n<!channel> <https://evil.example|click> *b* `c` :joy: \u202Egnp.exe &amp; =?utf-8?q?x?= \x00\x1b[31m"

// mailbox is an SMTP server.
type mailbox struct {
	mu      sync.Mutex
	letters []letter
	address string
}

type letter struct {
	from    string
	to      []string
	message *mail.Message
	raw     string
	text    string
}

func newMailbox(t *testing.T) *mailbox { return newMailboxWith(t, nil) }

// newMailboxWith offers STARTTLS if it has a certificate.
func newMailboxWith(t *testing.T, encrypted *tls.Config) *mailbox {
	t.Helper()
	m := &mailbox{}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &mailSession{of: m}, nil }))
	server.Domain, server.TLSConfig = "localhost", encrypted
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	m.address = listener.Addr().String()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close(); <-ended })
	return m
}

func (m *mailbox) all() []letter {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]letter(nil), m.letters...)
}

type mailSession struct {
	of  *mailbox
	now letter
}

func (s *mailSession) Mail(from string, _ *smtp.MailOptions) error {
	s.now = letter{from: from}
	return nil
}

func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasPrefix(to, "nobody@") {
		return &smtp.SMTPError{Code: 550, Message: "no such person"}
	}
	s.now.to = append(s.now.to, to)
	return nil
}

func (s *mailSession) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.now.raw = string(raw)
	if s.now.message, err = mail.ReadMessage(strings.NewReader(s.now.raw)); err != nil {
		return err
	}
	text, err := io.ReadAll(quotedprintable.NewReader(s.now.message.Body))
	if err != nil {
		return err
	}
	s.now.text = string(text)
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.of.letters = append(s.of.letters, s.now)
	return nil
}

// AuthMechanisms implements [smtp.AuthSession].
func (*mailSession) AuthMechanisms() []string { return []string{sasl.Plain} }

// Auth implements [smtp.AuthSession].
func (*mailSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "ann" || password != "s3cret" {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}

func (*mailSession) Reset()        {}
func (*mailSession) Logout() error { return nil }

// slackRoom is an incoming webhook as Slack documents it.
type slackRoom struct {
	*httptest.Server
	mu       sync.Mutex
	messages []slackMessage
	path     string
}

type slackMessage struct {
	Text   string
	Blocks []struct {
		Type     string
		Text     struct{ Type, Text string }
		Elements []struct {
			Type, URL string
			Text      struct{ Type, Text string }
		}
	}
}

func newSlackRoom(t *testing.T) *slackRoom {
	t.Helper()
	r := &slackRoom{path: "/services/T000/B000/s3cret"}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		var one slackMessage
		if err := json.NewDecoder(request.Body).Decode(&one); err != nil || request.URL.Path != r.path || request.Method != http.MethodPost {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.messages = append(r.messages, one)
		_, _ = io.WriteString(w, "ok")
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *slackRoom) all() []slackMessage {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]slackMessage(nil), r.messages...)
}

// tell is an event of a workflow as it is sent.
func tell(t *testing.T, id string, happened event.Event) publisher.Outgoing {
	t.Helper()
	subject := workflow.Subject(id)
	if _, is := happened.(plan.JobHeld); is {
		subject = plan.Subject(id)
	}
	metadata, err := json.Marshal(event.Metadata{Subject: subject, RecordedAt: time.Now()})
	require.NoError(t, err)
	payload, err := event.Marshal(happened)
	require.NoError(t, err)
	out, err := publisher.Encode(eventlog.Record{Stream: workflow.Stream(id), Event: eventlog.Event{
		ID: uuid.NewString(), Type: happened.EventType(), SchemaVersion: 1, Payload: payload, Metadata: metadata,
	}}, subscription.Full)
	require.NoError(t, err)
	return out
}

// forPeople are sinks whose workflows all have one title.
func forPeople(title, secret string) publisher.Sinks {
	return publisher.Sinks{
		Now: time.Now, Gather: time.Nanosecond,
		Secret: func(context.Context, string, string) (string, bool, error) { return secret, true, nil },
		Workflow: func(_ context.Context, id string) (workflow.State, error) {
			state := workflow.Evolve(workflow.State{}, workflow.WorkflowCreated{ID: id, Title: title})
			return workflow.Evolve(state, workflow.FixProposed{Proposal: "p1", Comment: "amount is read from total"}), nil
		},
		Links: func(_ context.Context, about publisher.Asked, person string) (string, error) {
			if about.Plan != "" {
				return fmt.Sprintf("https://k.example/%s/%s/%d/%s", about.Plan, about.Job, about.Checkpoint, url.PathEscape(person)), nil
			}
			if about.Question != "" {
				return "https://k.example/q/" + url.PathEscape(person), nil
			}
			return "https://k.example/" + about.Fix + "/" + url.PathEscape(person), nil
		},
	}
}

func sendTo(t *testing.T, sinks publisher.Sinks, target string, all ...publisher.Outgoing) error {
	t.Helper()
	sink, err := sinks.Open("chat", subscription.Definition{Target: target, AllowPrivate: true})
	require.NoError(t, err)
	defer sink.Close()
	failed := make(chan error, len(all))
	for _, one := range all {
		go func() {
			_, err := sink.Send(t.Context(), one)
			failed <- err
		}()
	}
	for range all {
		if one := <-failed; one != nil {
			err = one
		}
	}
	return err
}

// A person reads which workflow it is about, what happened and why, and where to decide.
var readings = []struct {
	happened event.Event
	reads    []string
}{
	{workflow.FixApplied{Proposal: "p1", Version: workflow.Version{Major: 1, Minor: 2}}, []string{"Fixed: Refunds", "Version 1.2 is active: amount is read from total", "kintsugi fix show p1"}},
	{workflow.FixHeld{Proposal: "p2", Reasons: []string{"it writes elsewhere"}}, []string{"Waits for you: Refunds", "it writes elsewhere", "https://k.example/p2/", "?answer=accept", "?answer=decline"}},
	{workflow.Escalated{Reason: "budget", Explanation: "three fixes did not hold"}, []string{"Gave up: Refunds", "Because three fixes did not hold", "kintsugi workflow show w"}},
	{workflow.AuthErrorClassified{Classified: workflow.Classified{Loose: "l", Evidence: "api.example answered 401"}}, []string{"Waits for you: Refunds", "refused access: api.example answered 401"}},
	{workflow.RunUnfinished{Run: "r1", Problem: "the second write failed"}, []string{"Waits for you", "half done: the second write failed", "kintsugi run show r1"}},
	{workflow.QuestionAsked{Text: "Net or gross?"}, []string{"Asks you: Refunds", "Net or gross?", "https://k.example/q/"}},
	{plan.JobHeld{Job: "prices", Checkpoint: 7, Kind: plan.KindTouchset, Attempt: 1, Reason: "it changed README.md", Count: 1, Violations: []plan.Violation{{Path: "README.md", Change: "modified", Why: "not in the touch set"}}}, []string{
		"Waits for you: job prices", "it changed README.md; README.md (modified): not in the touch set", "https://k.example/w/prices/7/", "?answer=accept", "?answer=relaunch", "?answer=retry",
	}},
}

func TestPeopleReadNotesInMail(t *testing.T) {
	t.Parallel()
	box := newMailbox(t)
	to := "smtp://" + box.address + "?from=Kintsugi+%3Ck%40k.example%3E&to=ann@a.example&to=bob@b.example"
	before := 0
	for _, one := range readings {
		out := tell(t, "w", one.happened)
		require.NoError(t, sendTo(t, forPeople("Refunds", ""), to, out))
		got := box.all()[before]
		require.Equal(t, "k@k.example", got.from)
		if asks := strings.Contains(got.text, "https://"); asks { // a link is one person's
			bobs := box.all()[before+1]
			require.Equal(t, [][]string{{"ann@a.example"}, {"bob@b.example"}}, [][]string{got.to, bobs.to})
			require.Contains(t, got.text, "/ann@a.example")
			require.Contains(t, bobs.text, "/bob@b.example")
			require.NotContains(t, bobs.raw, "ann@a.example")
			require.NotEqual(t, got.message.Header.Get("Message-Id"), bobs.message.Header.Get("Message-Id"))
		} else {
			require.Equal(t, []string{"ann@a.example", "bob@b.example"}, got.to)
		}
		before = len(box.all())
		require.Equal(t, "<"+out.ID+"@k.example>", got.message.Header.Get("Message-Id"))
		require.Equal(t, "auto-generated", got.message.Header.Get("Auto-Submitted"))
		require.Contains(t, got.text, one.reads[0])
		require.Contains(t, got.message.Header.Get("Subject"), strings.SplitN(one.reads[0], ":", 2)[0])
		for _, words := range one.reads {
			require.Contains(t, got.text, words)
		}
	}
	require.Contains(t, box.all()[0].message.Header.Get("Subject"), "Fixed: Refunds (amount is read from total)")
	require.ErrorContains(t, sendTo(t, forPeople("Refunds", ""), "smtp://"+box.address+"?from=k@k.example&to=nobody@a.example", tell(t, "w", readings[0].happened)), "no such person")
}

// A password is sent to a server that it is encrypted for, and to no other.
func TestMailIsEncrypted(t *testing.T) {
	t.Parallel()
	certified := httptest.NewTLSServer(nil) // for its certificate
	defer certified.Close()
	roots := x509.NewCertPool()
	roots.AddCert(certified.Certificate())
	box, open := newMailboxWith(t, certified.TLS), newMailbox(t)
	mail := func(address, secret string) error {
		sinks := forPeople("Refunds", secret)
		sinks.RootCAs = roots
		return sendTo(t, sinks, "smtp://ann@"+address+"?from=k@k.example&to=a@a.example", tell(t, "w", readings[0].happened))
	}
	require.NoError(t, mail(box.address, "s3cret"))
	require.Len(t, box.all(), 1)
	err := mail(box.address, "wr0ng")
	require.Error(t, err)
	require.NotContains(t, err.Error(), "wr0ng")
	require.Error(t, mail(open.address, "s3cret"))
	require.Empty(t, open.all())
	sinks := forPeople("Refunds", "s3cret") // who does not trust the certificate
	require.ErrorContains(t, sendTo(t, sinks, "smtp://ann@"+box.address+"?from=k@k.example&to=a@a.example", tell(t, "w", readings[0].happened)), "certificate")
}

// A decision that was given to somebody is sent to them, wherever they are: an address by mail, a group by its
// subscription; with links that are theirs. Other readers get no link.
func TestADelegatedDecisionIsSentToItsPerson(t *testing.T) {
	t.Parallel()
	box, room := newMailbox(t), newSlackRoom(t)
	mail := "smtp://" + box.address + "?from=k@k.example&to=ann@a.example"
	before := 0
	news := func() []letter {
		all := box.all()[before:]
		before += len(all)
		return all
	}
	due := time.Date(2026, 3, 4, 5, 6, 0, 0, time.UTC)
	given := workflow.DecisionDelegated{Notification: "n", Proposal: "p", To: "ben@b.example", Note: "it is your API"}
	require.NoError(t, sendTo(t, forPeople("Refunds", ""), mail, tell(t, "w", given)))
	got := news()
	require.Len(t, got, 1)
	require.Equal(t, []string{"ben@b.example"}, got[0].to)
	for _, words := range []string{"Given to ben@b.example: Refunds", "it is your API", "https://k.example/p/ben@b.example?answer=accept"} {
		require.Contains(t, got[0].text, words)
	}
	reminded := workflow.DecisionReminded{Proposal: "p", Due: due, OnDeadline: workflow.DeadlineDecline, To: "ben@b.example"}
	require.NoError(t, sendTo(t, forPeople("Refunds", ""), mail, tell(t, "w", reminded)))
	got = news()
	require.Equal(t, []string{"ben@b.example"}, got[0].to)
	for _, words := range []string{"Still waits for you: Refunds", "is declined on 4 March 2026 at 05:06 UTC, unless", "https://k.example/p/ben@b.example?answer=decline"} {
		require.Contains(t, got[0].text, words)
	}

	given.To = "ben" // whose address nobody knows
	require.NoError(t, sendTo(t, forPeople("Refunds", ""), mail, tell(t, "w", given)))
	got = news()
	require.Equal(t, []string{"ann@a.example"}, got[0].to)
	require.Contains(t, got[0].text, "kintsugi fix accept p")
	require.NotContains(t, got[0].text, "https://")
	require.NoError(t, sendTo(t, forPeople("Refunds", room.path), "slack:"+room.URL, tell(t, "w", given)))
	require.Equal(t, "https://k.example/p/ben?answer=accept", room.all()[0].Blocks[1].Elements[0].URL)

	given.To = "group:finance" // the subscription of these tests is called chat
	require.NoError(t, sendTo(t, forPeople("Refunds", ""), mail, tell(t, "w", given)))
	require.Empty(t, news())
	given.To = "group:chat"
	require.NoError(t, sendTo(t, forPeople("Refunds", ""), mail, tell(t, "w", given)))
	got = news()
	require.Equal(t, []string{"ann@a.example"}, got[0].to)
	require.Contains(t, got[0].text, "https://k.example/p/ann@a.example?answer=accept")

	asks := workflow.DecisionDelegated{Notification: "n7", Question: "q", To: "ben@b.example"}
	require.NoError(t, sendTo(t, forPeople("Refunds", ""), mail, tell(t, "w", asks)))
	require.Contains(t, news()[0].text, "https://k.example/q/ben@b.example")
	require.NoError(t, sendTo(t, forPeople("Refunds", ""), mail, tell(t, "w", workflow.DecisionDelegated{Notification: "n8", To: "ben@b.example"})))
	require.Contains(t, news()[0].text, "kintsugi notification list --workflow w")
}

func TestPeopleReadNotesInSlack(t *testing.T) {
	t.Parallel()
	room := newSlackRoom(t)
	for i, one := range readings {
		require.NoError(t, sendTo(t, forPeople("Refunds", room.path), "slack:"+room.URL, tell(t, "w", one.happened)))
		got := room.all()[i]
		text := &strings.Builder{}
		for _, block := range got.Blocks {
			fmt.Fprintln(text, block.Text.Text)
			for _, button := range block.Elements {
				fmt.Fprintln(text, button.Text.Text, button.URL)
			}
		}
		for _, words := range one.reads {
			require.Contains(t, text.String(), words)
		}
		require.Contains(t, got.Text, strings.SplitN(one.reads[0], ":", 2)[0])
	}
	err := sendTo(t, forPeople("Refunds", "/services/wrong"), "slack:"+room.URL, tell(t, "w", readings[0].happened))
	require.ErrorContains(t, err, "answered 403")
	require.NotContains(t, err.Error(), "services")
}

// A workflow's title writes no header of a mail, mentions nobody and hides no link.
func TestHostileTitles(t *testing.T) {
	t.Parallel()
	box, room := newMailbox(t), newSlackRoom(t)
	for i, happened := range []event.Event{
		workflow.FixHeld{Proposal: "p", Reasons: []string{hostile}}, workflow.Escalated{Explanation: hostile}, workflow.QuestionAsked{Text: hostile},
	} {
		require.NoError(t, sendTo(t, forPeople(hostile, ""), "smtp://"+box.address+"?from=k@k.example&to=a@a.example", tell(t, "w", happened)))
		got := box.all()[i]
		require.Equal(t, []string{"a@a.example"}, got.to)
		require.Len(t, got.message.Header, 9, "no header but ours: %s", got.raw)
		subject, err := new(mime.WordDecoder).DecodeHeader(got.message.Header.Get("Subject"))
		require.NoError(t, err)
		require.Contains(t, subject, "Refunds Bcc: all@evil.example")
		for _, r := range got.text + subject {
			require.False(t, r != '\r' && r != '\n' && (r < ' ' || r == '\u202E'), "%q", r)
		}

		require.NoError(t, sendTo(t, forPeople(hostile, room.path), "slack:"+room.URL, tell(t, "w", happened)))
		message := room.all()[i]
		require.NotContains(t, message.Text, "<")
		require.Contains(t, message.Text, "&lt;!channel&gt;")
		for _, block := range message.Blocks {
			if block.Type == "section" {
				require.Equal(t, "plain_text", block.Text.Type)
				require.Contains(t, block.Text.Text, "<!channel>", "as it was written, in a block that reads no marks")
			}
			for _, button := range block.Elements {
				require.True(t, strings.HasPrefix(button.URL, "https://k.example/"), button.URL)
			}
		}
	}
}

// Events with one cause are one message: with all of them, or as many as fit.
func TestOneCauseIsToldOnce(t *testing.T) {
	t.Parallel()
	box, room := newMailbox(t), newSlackRoom(t)
	var all []publisher.Outgoing
	for i := range 20 {
		all = append(all, tell(t, fmt.Sprintf("w%d", i), workflow.AuthErrorClassified{Classified: workflow.Classified{Loose: "same", Evidence: "401"}}))
	}
	for target, secret := range map[string]string{"smtp://" + box.address + "?from=k@k.example&to=a@a.example": "", "slack:" + room.URL: room.path} {
		sinks := forPeople("Refunds", secret)
		sinks.Gather = time.Hour // it is full before
		require.NoError(t, sendTo(t, sinks, target, all...))
	}
	require.Len(t, box.all(), 1)
	require.Equal(t, 20, strings.Count(box.all()[0].text, "Waits for you: Refunds"))
	require.Contains(t, box.all()[0].message.Header.Get("Subject"), "and 19 more")
	require.Len(t, room.all(), 1)
	require.Len(t, room.all()[0].Blocks, 20)

	other := tell(t, "w", workflow.AuthErrorClassified{Classified: workflow.Classified{Loose: "other", Evidence: "401"}})
	require.NoError(t, sendTo(t, forPeople("Refunds", room.path), "slack:"+room.URL, all[0], other))
	require.Len(t, room.all(), 3)
}

// If it is not brought, nobody of those who waited for it may think so.
func TestAnUndeliveredNoteIsNotAcknowledged(t *testing.T) {
	t.Parallel()
	room := newSlackRoom(t)
	sinks := forPeople("Refunds", "/services/wrong")
	sinks.Gather = time.Hour
	sink, err := sinks.Open("chat", subscription.Definition{Target: "slack:" + room.URL, AllowPrivate: true})
	require.NoError(t, err)
	defer sink.Close()
	failed := make(chan error)
	for i := range 20 {
		out := tell(t, fmt.Sprintf("w%d", i), workflow.Escalated{Explanation: "same"})
		go func() { _, err := sink.Send(t.Context(), out); failed <- err }()
	}
	for range 20 {
		require.ErrorContains(t, <-failed, "403")
	}
}

// Mail and chat of a subscription that names no types are told of what concerns people, and of nothing else.
func TestPeopleAreToldWhatConcernsThem(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	room := newSlackRoom(t)
	p.key = room.path
	_, err := p.commands.AddSubscription(t.Context(), "chat", subscription.Add{Definition: subscription.Definition{Target: "slack:" + room.URL, AllowPrivate: true}}, ann)
	require.NoError(t, err)
	p.grow(2, "w")
	_, err = p.commands.OpenPlannerTask(t.Context(), "w", workflow.OpenPlannerTask{Task: "t", Thread: "h", Ask: "do"}, ann)
	require.NoError(t, err)
	_, err = p.commands.AskQuestion(t.Context(), "w", workflow.AskQuestion{Question: "q", Task: "t", Text: "Net or gross?"}, ann)
	require.NoError(t, err)
	p.node()
	p.eventually(func() bool { return len(room.all()) == 1 }, "it comes")
	require.Equal(t, "Asks you: w", room.all()[0].Text)
}

// In the binary form the payload is the body, the rest is in headers, and the body that is sent is what is signed.
func TestTheBinaryForm(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	requests, bodies := make(chan *http.Request, 2), make(chan string, 2)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		requests <- r
		bodies <- string(body)
	}))
	defer server.Close()
	sink, err := p.sinks().Open("chat", subscription.Definition{Target: "webhook:" + server.URL, AllowPrivate: true, Binary: true})
	require.NoError(t, err)
	defer sink.Close()
	out := tell(t, "ü \"1\" %\r\nX: y", workflow.QuestionAsked{Text: "Net?"})
	_, err = sink.Send(t.Context(), out)
	require.NoError(t, err)
	r := <-requests
	require.JSONEq(t, `{"question":"","task":"","text":"Net?"}`, <-bodies)
	require.Equal(t, "application/json", r.Header.Get("Content-Type"))
	for name, want := range map[string]string{
		"ce-specversion": "1.0", "ce-id": out.ID, "ce-type": "kintsugi.QuestionAsked", "ce-partitionkey": "%C3%BC%20%221%22%20%25%0D%0AX:%20y", "ce-schemaversion": "1",
	} {
		require.Equal(t, want, r.Header.Get(name), name)
	}
	require.Empty(t, r.Header.Get("X"))
	require.NotEmpty(t, r.Header.Get("webhook-signature"))
}
