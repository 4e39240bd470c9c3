package api_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/api"
	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/handlers/stall"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/coding/launch"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

func TestMain(m *testing.M) {
	if launch.IsSupervisor() {
		launch.SupervisorMain()
	}
	if process.IsWorker() {
		process.WorkerMain(hostcall.Bindings())
		return
	}
	// The key of the vault is for the tests alone: no file of whoever runs them is touched.
	if err := os.Setenv("KINTSUGI_SECRET_KEY", base64.StdEncoding.EncodeToString(make([]byte, 32))); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// patience is how long a test waits for something that takes a moment.
const patience = 3 * time.Minute

// server is a whole one, with a node at work, reached over a real connection.
type server struct {
	t     testing.TB
	node  *app.Node
	base  string
	admin string
	// reports is where reports of problems are kept.
	reports string
}

func serve(t testing.TB) *server { return serveWith(t, nil) }

// serveWith serves with a language model, if it is one.
func serveWith(t testing.TB, model llm.Model) *server {
	t.Helper()
	return serveIn(t, t.TempDir(), model)
}

// serveIn serves what a directory has.
func serveIn(t testing.TB, dir string, model llm.Model) *server {
	t.Helper()
	return serveAt(t, dir, "", "", model)
}

// serveAt serves a log at an address, with views and state at another.
func serveAt(t testing.TB, dir, log, beside string, model llm.Model) *server {
	t.Helper()
	address, err := app.ParseStore(log, dir)
	require.NoError(t, err)
	views, err := app.ParseViews(beside, dir, address)
	require.NoError(t, err)
	logger := slog.New(slog.DiscardHandler)
	node, err := app.Open(t.Context(), dir, address, views, time.Second, logger)
	require.NoError(t, err)
	node.State.Address, err = app.ParseState(beside, dir, address)
	require.NoError(t, err)
	node.Model = model
	lock, err := app.LockServer(dir, "test")
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	reports := filepath.Join(dir, "reports")
	tracker, err := app.ParseTracker("file:"+reports, "", time.Now)
	require.NoError(t, err)
	web := api.New(api.Config{Tracker: tracker, Node: node, Logger: logger, Hosts: []string{"kintsugi.test"}, Version: "test"})
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	serving := make(chan struct{})
	served := app.Server{
		Node: node, Lock: lock, Grace: patience, Logger: logger, Serving: func() { close(serving) }, Stopping: func() {},
		Beside: []stall.Part{{Name: "serving over HTTP", Run: func(ctx context.Context) error { return web.Serve(ctx, listener) }}},
	}
	ended := make(chan error, 1)
	go func() { _, err := served.Run(ctx); ended <- err }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, errors.Join(<-ended, lock.Release(), node.Close()))
	})
	select {
	case <-serving:
	case err := <-ended:
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { return node.Generations.Readiness().Ready }, patience, time.Millisecond) // until then views answer 503
	first, err := node.Tokens.First(t.Context(), "ann")
	require.NoError(t, err)
	return &server{t: t, node: node, base: "http://" + listener.Addr().String(), admin: first.Token, reports: reports}
}

func (s *server) token(create installation.CreateToken) app.Token {
	s.t.Helper()
	made, err := s.node.Tokens.Create(s.t.Context(), app.By("person:ann"), create)
	require.NoError(s.t, err)
	return made
}

// reply is what came back.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func (r reply) into(t testing.TB, value any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(r.body, value), "%d %s", r.status, r.body)
}

func (r reply) field(t testing.TB, name string) string {
	t.Helper()
	fields := map[string]any{}
	r.into(t, &fields)
	return fmt.Sprint(fields[name])
}

// ask asks with a token and headers, given as name and value.
func (s *server) ask(token, method, path string, body any, headers ...string) reply {
	s.t.Helper()
	var in io.Reader
	switch body := body.(type) {
	case nil:
	case string:
		in = strings.NewReader(body)
	default:
		text, err := json.Marshal(body)
		require.NoError(s.t, err)
		in = bytes.NewReader(text)
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, s.base+path, in)
	require.NoError(s.t, err)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			request.Host = headers[i+1]
			continue
		}
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(s.t, err)
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	require.NoError(s.t, err)
	return reply{response.StatusCode, response.Header, answer}
}

// ok asks for something that has to be granted.
func (s *server) ok(method, path string, body any, headers ...string) reply {
	s.t.Helper()
	got := s.ask(s.admin, method, "/api/v1"+path, body, headers...)
	require.Less(s.t, got.status, 300, "%s %s: %s", method, path, got.body)
	return got
}

// refused asks for something that is answered with a problem.
func (s *server) refused(status int, token, method, path string, body any, headers ...string) string {
	s.t.Helper()
	got := s.ask(token, method, path, body, headers...)
	require.Equal(s.t, status, got.status, "%s %s: %s", method, path, got.body)
	s.isProblem(got)
	return got.field(s.t, "detail")
}

func (s *server) isProblem(got reply) {
	s.t.Helper()
	require.Equal(s.t, "application/problem+json", got.header.Get("Content-Type"), "%s", got.body)
	var problem api.Problem
	got.into(s.t, &problem)
	require.Equal(s.t, got.status, problem.Status)
	require.NotEmpty(s.t, problem.Detail)
	require.Equal(s.t, http.StatusText(got.status), problem.Title)
}

const greeting = `async function main(input) { await kv.set("greeted", input.name ?? "nobody"); return {hello: input.name ?? "nobody"} }`

func (s *server) workflow(title, owner string) string {
	s.t.Helper()
	return s.ok(http.MethodPost, "/workflows", map[string]any{"title": title, "script": greeting, "owner": owner}).field(s.t, "id")
}

// The main job: somebody makes a workflow, starts it, and sees what became of it.
func TestAWorkflowRunsOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id := s.workflow("Greets <b>", "ann")
	run := s.ok(http.MethodPost, "/workflows/"+id+"/runs", map[string]any{"input": map[string]any{"name": "Bo & Co"}})
	var result app.RunResult
	require.Eventually(t, func() bool {
		s.ok(http.MethodGet, "/runs/"+run.field(t, "id")+"/result", nil).into(t, &result)
		return result.Run.Status == "succeeded"
	}, patience, 10*time.Millisecond)
	whole := s.ok(http.MethodGet, "/runs/"+run.field(t, "id"), nil)
	require.Contains(t, string(whole.body), `"output":{"hello":"Bo & Co"}`, "signs of HTML stay what they are")
	var timeline struct{ Entries []map[string]any }
	s.ok(http.MethodGet, "/workflows/"+id+"/timeline", nil).into(t, &timeline)
	require.NotEmpty(t, timeline.Entries)
	require.Equal(t, "person:ann", s.ok(http.MethodGet, "/workflows/"+id+"/versions/1.0", nil).field(t, "author"), "the token's person is in the history")
}

// Asking again with the same key does nothing more; what was written is read by whoever waits for its position.
func TestAskingTwiceIsAskingOnce(t *testing.T) {
	t.Parallel()
	s := serve(t)
	make := func(key string) reply {
		return s.ok(http.MethodPost, "/workflows", map[string]any{"title": "Once " + key, "script": greeting}, "Idempotency-Key", key)
	}
	first, again, other := make("a"), make("a"), make("b")
	require.Equal(t, first.field(t, "id"), again.field(t, "id"))
	require.NotEqual(t, first.field(t, "id"), other.field(t, "id"))
	start := func() string {
		return s.ok(http.MethodPost, "/workflows/"+first.field(t, "id")+"/runs", nil, "Idempotency-Key", "run").field(t, "id")
	}
	run := start()
	require.Equal(t, run, start())
	var list api.Page[map[string]any]
	s.ok(http.MethodGet, "/workflows?limit=1", nil, "Kintsugi-Wait-For", other.header.Get("Kintsugi-Position")).into(t, &list)
	require.Len(t, list.Items, 1)
	require.NotEmpty(t, list.Next)
	s.ok(http.MethodGet, "/workflows?limit=1&after="+list.Next, nil).into(t, &list)
	require.Equal(t, other.field(t, "id"), list.Items[0]["id"])
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodGet, "/api/v1/workflows", nil, "Kintsugi-Wait-For", "99999999")
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodGet, "/api/v1/workflows", nil, "Kintsugi-Wait-For", "soon")
}

// Nobody overwrites what they have not seen: they are told where the stream is.
func TestAStaleWriteIsRefused(t *testing.T) {
	t.Parallel()
	s := serve(t)
	path := "/workflows/" + s.workflow("Shared", "ann")
	seen := s.ok(http.MethodGet, path, nil).header.Get("ETag")
	s.ok(http.MethodPost, path+"/pause", nil, "If-Match", seen)
	got := s.ask(s.admin, http.MethodPost, "/api/v1"+path+"/archive", nil, "If-Match", seen)
	require.Equal(t, http.StatusPreconditionFailed, got.status)
	s.isProblem(got)
	require.Equal(t, strings.Trim(s.ok(http.MethodGet, path, nil).header.Get("ETag"), `"`), got.field(t, "revision"))
	require.Equal(t, "paused", s.ok(http.MethodGet, path, nil).field(t, "status"))
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPost, "/api/v1"+path+"/archive", nil, "If-Match", `"yesterday"`)
}

// A token lets in whom it stands for, within its scopes and to its owner's workflows, until it is revoked.
func TestWhoMayAsk(t *testing.T) {
	t.Parallel()
	s := serve(t)
	anns, bobs := s.workflow("Ann's", "ann"), s.workflow("Bob's", "bob")
	reader := s.token(installation.CreateToken{Person: "ann", Scopes: []installation.Scope{installation.Read}})
	bob := s.token(installation.CreateToken{Person: "bob", Owner: "bob", Scopes: []installation.Scope{installation.Read, installation.Run, installation.Edit, installation.Judge}})
	s.refused(http.StatusUnauthorized, "", http.MethodGet, "/api/v1/workflows", nil)
	s.refused(http.StatusUnauthorized, "kin_pat_guessed", http.MethodGet, "/api/v1/workflows", nil)
	require.Contains(t, s.refused(http.StatusForbidden, reader.Token, http.MethodPost, "/api/v1/workflows/"+anns+"/pause", nil), "edit")
	s.refused(http.StatusForbidden, reader.Token, http.MethodGet, "/api/v1/tokens", nil)
	s.refused(http.StatusForbidden, bob.Token, http.MethodPost, "/api/v1/tokens", map[string]any{"scopes": []string{"read"}})

	var list api.Page[map[string]any]
	s.refused(http.StatusForbidden, bob.Token, http.MethodGet, "/api/v1/workflows?owner=ann", nil)
	s.ask(bob.Token, http.MethodGet, "/api/v1/workflows", nil).into(t, &list)
	require.Len(t, list.Items, 1, "another owner's are not listed")
	require.Equal(t, bobs, list.Items[0]["id"])
	run := s.ok(http.MethodPost, "/workflows/"+anns+"/runs", nil).field(t, "id")
	for _, path := range []string{"/workflows/" + anns, "/workflows/" + anns + "/timeline", "/workflows/" + anns + "/versions/1.0", "/runs/" + run, "/runs/" + run + "/calls"} {
		s.refused(http.StatusNotFound, bob.Token, http.MethodGet, "/api/v1"+path, nil)
	}
	s.refused(http.StatusNotFound, bob.Token, http.MethodPost, "/api/v1/workflows/"+anns+"/runs", nil)
	s.ask(bob.Token, http.MethodGet, "/api/v1/runs", nil).into(t, &list)
	require.Empty(t, list.Items)
	s.refused(http.StatusForbidden, bob.Token, http.MethodPost, "/api/v1/workflows", map[string]any{"title": "For Ann", "owner": "ann"})
	made := s.ask(bob.Token, http.MethodPost, "/api/v1/workflows", map[string]any{"title": "His own"})
	require.Equal(t, "bob", made.field(t, "owner"))

	s.ok(http.MethodDelete, "/tokens/"+reader.ID+"?reason=lost", nil)
	s.refused(http.StatusUnauthorized, reader.Token, http.MethodGet, "/api/v1/workflows", nil)
}

// A title is one workflow's, among those that a person sees; an archived one has no part in it. Asking twice with a key is asking once.
func TestATitleIsOneWorkflows(t *testing.T) {
	t.Parallel()
	s := serve(t)
	key := []string{"Idempotency-Key", "one"}
	body := map[string]any{"title": "Orders", "script": "function main() { return 1 }"}
	first := s.ask(s.admin, http.MethodPost, "/api/v1/workflows", body, key...).field(t, "id")
	require.Equal(t, first, s.ask(s.admin, http.MethodPost, "/api/v1/workflows", body, key...).field(t, "id"))
	require.Contains(t, s.refused(http.StatusConflict, s.admin, http.MethodPost, "/api/v1/workflows", map[string]any{"title": " orders "}), first)
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPost, "/api/v1/workflows", map[string]any{"title": "Broken", "script": "function main( {"})
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPost, "/api/v1/workflows", map[string]any{"title": "Nowhere", "allowed_hosts": []string{"http://a b"}})
	var list api.Page[map[string]any]
	s.ok(http.MethodGet, "/workflows", nil).into(t, &list)
	require.Len(t, list.Items, 1, "what is refused leaves no draft")
	s.ok(http.MethodPost, "/workflows/"+first+"/archive", nil)
	s.ok(http.MethodPost, "/workflows", body)
}

// A caller who guesses is slowed down; one who is known is not.
func TestGuessingIsSlow(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for range 10 {
		s.refused(http.StatusUnauthorized, "kin_pat_guess", http.MethodGet, "/api/v1/workflows", nil)
	}
	got := s.ask("kin_pat_guess", http.MethodGet, "/api/v1/workflows", nil)
	require.Equal(t, http.StatusTooManyRequests, got.status)
	require.NotEmpty(t, got.header.Get("Retry-After"))
	s.ok(http.MethodGet, "/workflows", nil)
}

// A browser shows a token once, and then a cookie that scripts cannot read and other sites cannot send.
func TestASessionOfABrowser(t *testing.T) {
	t.Parallel()
	s := serve(t)
	in := s.ok(http.MethodPost, "/session", nil)
	cookie := in.header.Get("Set-Cookie")
	for _, part := range []string{"HttpOnly", "SameSite=Strict", "Path=/"} {
		require.Contains(t, cookie, part)
	}
	value, _, _ := strings.Cut(cookie, ";")
	require.NotContains(t, value, s.admin)
	with := []string{"Cookie", value}
	require.Equal(t, "ann", s.ask("", http.MethodGet, "/api/v1/session", nil, with...).field(t, "person"))
	s.refused(http.StatusUnauthorized, "", http.MethodPost, "/api/v1/session", nil, with...)
	require.Equal(t, http.StatusForbidden, s.ask("", http.MethodPost, "/api/v1/workflows", map[string]any{"title": "x"}, append(with, "Sec-Fetch-Site", "cross-site")...).status)
	require.Equal(t, http.StatusForbidden, s.ask("", http.MethodPost, "/api/v1/workflows", map[string]any{"title": "x"}, append(with, "Origin", "https://evil.example")...).status)
	require.Equal(t, http.StatusNoContent, s.ask("", http.MethodDelete, "/api/v1/session", nil, with...).status)
	s.refused(http.StatusUnauthorized, "", http.MethodGet, "/api/v1/workflows", nil, with...)
}

// A page that makes its own name point to this machine reaches nothing, not even what needs no token.
func TestOnlyByItsNames(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, host := range []string{"evil.example", "127.0.0.1.evil.example", "evil.example:7480", "10.0.0.1", ""} {
		if host == "" {
			continue // the client puts its own
		}
		for _, path := range []string{"/api/v1/workflows", "/openapi.json", "/livez", "/"} {
			s.refused(http.StatusMisdirectedRequest, s.admin, http.MethodGet, path, nil, "Host", host)
		}
	}
	for _, host := range []string{"localhost:1", "127.0.0.1", "[::1]:7480", "kintsugi.test", "Kintsugi.Test:443"} {
		require.Equal(t, http.StatusOK, s.ask(s.admin, http.MethodGet, "/api/v1/workflows", nil, "Host", host).status, host)
	}
}

// watch reads live events until enough said that it is.
func (s *server) watch(query, last string, enough func(api.LiveEvent) bool) (seen []api.LiveEvent) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+"/api/v1/events?"+query, nil)
	require.NoError(s.t, err)
	request.Header.Set("Authorization", "Bearer "+s.admin)
	if last != "" {
		request.Header.Set("Last-Event-ID", last)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(s.t, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(s.t, http.StatusOK, response.StatusCode)
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, is := strings.CutPrefix(lines.Text(), "data: ")
		if !is {
			continue
		}
		var one api.LiveEvent
		require.NoError(s.t, json.Unmarshal([]byte(data), &one))
		seen = append(seen, one)
		if enough(one) {
			return seen
		}
	}
	s.t.Fatalf("the stream ended after %d events: %v", len(seen), lines.Err())
	return nil
}

// A watcher who comes back with the last position that they saw misses nothing and sees nothing twice, however often they go.
func TestLiveEventsGoOnWhereTheyStopped(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id := s.workflow("Watched", "ann")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 20 {
			s.ok(http.MethodPatch, "/workflows/"+id, map[string]any{"intent": fmt.Sprint("intent ", i)})
		}
	}()
	var seen []string
	last := "start"
	for len(seen) < 20 {
		count := 0
		part := s.watch("workflow="+id+"&types=IntentChanged&payload=full", last, func(api.LiveEvent) bool {
			count++
			return count == min(7, 20-len(seen))
		})
		for _, one := range part {
			seen = append(seen, one.Summary)
			last = one.Position
			require.NotEmpty(t, one.Payload)
		}
	}
	<-done
	for i, summary := range seen {
		require.Equal(t, fmt.Sprint("intent: intent ", i), summary)
	}
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodGet, "/api/v1/events?types=NoSuch", nil)
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodGet, "/api/v1/events?after=tomorrow", nil)
	for _, list := range []string{"runs", "fixes", "notifications", "repo-plans", "healer/sessions", "workflows"} {
		s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodGet, "/api/v1/"+list+"?after=nowhere", nil)
	}
	s.refused(http.StatusUnauthorized, "", http.MethodGet, "/api/v1/events", nil)
}

// No input makes the server fail by itself, nothing hangs, and every refusal is a problem that says what is wrong.
func TestNoRequestMakesTheServerFail(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id := s.workflow("Fuzzed", "ann")
	run := s.ok(http.MethodPost, "/workflows/"+id+"/runs", nil).field(t, "id")
	seed := uint64(time.Now().UnixNano()) //nolint:gosec // any number will do
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test repeats it
	values := []string{"", "0", "-1", "1", "1.0", "active", "9223372036854775808", "true", id, run, "%00", "\x1b[31m", "'; DROP TABLE run; --", strings.Repeat("x", 300), "ü\u202e", "null", "2026-01-01T00:00:00Z"}
	bodies := []any{nil, "{", "null", "[]", `""`, "{}", map[string]any{"title": "x", "code": "async function main() {", "scopes": []string{"read"}}, map[string]any{"title": 1, "code": "x", "note": nil}, map[string]any{"unknown": true}, map[string]any{"code": "while (true) {}", "how": "happened", "answer": "1", "note": "n", "reason": "\x00"}, strings.Repeat("[", 100_000)}
	value := func() string { return values[random.IntN(len(values))] }
	asked := 0
	for _, operation := range s.operations() {
		for range 6 {
			at, query, headers := operation.path, url.Values{}, []string{}
			for _, one := range operation.Parameters {
				chosen := value()
				if one.In == "path" && random.IntN(2) == 0 {
					chosen = map[string]string{"workflow": id, "run": run}[one.Name]
				}
				switch {
				case one.In == "path":
					at = strings.ReplaceAll(at, "{"+one.Name+"}", url.PathEscape(chosen+"?"[:random.IntN(2)]))
				case one.In == "query" && random.IntN(2) == 0:
					query.Set(one.Name, chosen)
				case one.In == "header" && random.IntN(4) == 0 && !strings.ContainsAny(chosen, "\x1b\x00ü\u202e"):
					headers = append(headers, one.Name, chosen)
				}
			}
			if random.IntN(10) == 0 {
				query.Set("nonsense", "1")
			}
			got := s.ask(s.admin, operation.method, at+"?"+query.Encode(), bodies[random.IntN(len(bodies))], headers...)
			asked++
			require.Less(t, got.status, 500, "%s %s?%s: %s", operation.method, at, query.Encode(), got.body)
			if got.status >= 400 {
				s.isProblem(got)
			}
		}
	}
	require.Greater(t, asked, 200)
}

// operation is one that the server's description names.
type operation struct {
	method, path string
	Parameters   []struct{ Name, In string }
	Responses    map[string]struct{ Content map[string]any }
}

// operations are all whose answers end.
func (s *server) operations() (all []operation) {
	s.t.Helper()
	var spec struct {
		Paths map[string]map[string]operation
	}
	s.ask("", http.MethodGet, "/openapi.json", nil).into(s.t, &spec)
	for _, path := range slices.Sorted(maps.Keys(spec.Paths)) {
		for method, one := range spec.Paths[path] {
			if _, stream := one.Responses["200"].Content["text/event-stream"]; !stream {
				one.method, one.path = strings.ToUpper(method), path
				all = append(all, one)
			}
		}
	}
	require.NotEmpty(s.t, all)
	return all
}

// The endpoints that anybody may watch say nothing that helps anybody.
func TestHealth(t *testing.T) {
	t.Parallel()
	s := serve(t)
	require.Equal(t, "ok\n", string(s.ask("", http.MethodGet, "/livez", nil).body))
	ready := s.ask("", http.MethodGet, "/readyz", nil)
	require.Equal(t, http.StatusOK, ready.status)
	require.Equal(t, "true", ready.field(t, "ready"))
	docs := s.ask("", http.MethodGet, "/docs", nil)
	require.Contains(t, string(docs.body), "POST /api/v1/workflows")
	require.NotContains(t, string(docs.body), "<script")
	require.NotContains(t, string(docs.body), "https://")
}
