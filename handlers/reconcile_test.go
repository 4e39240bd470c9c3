package handlers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/projections"
)

// shop keeps orders by their idempotency key, and does not mind an order that comes twice: it makes two.
type shop struct {
	server *httptest.Server

	mu     sync.Mutex
	orders map[string]int // by key
	asked  int
	// drop says what becomes of an order: "" is answered, "before" and "after" it was made the connection is
	// cut, or status is answered.
	drop   string
	status int
	broken bool // orders cannot be looked up
}

func openShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{orders: map[string]int{}}
	s.server = httptest.NewServer(s)
	t.Cleanup(s.server.Close)
	return s
}

func (s *shop) settings() workflow.Settings {
	host := strings.TrimPrefix(s.server.URL, "http://")
	return workflow.Settings{
		AllowedHosts: []string{host},
		Reconcile:    []workflow.Reconcile{{Host: host, Lookup: s.server.URL + "/orders?key={key}", Result: "/data/0"}},
	}
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	key := r.Header.Get("Idempotency-Key")
	switch {
	case r.Method == http.MethodGet && s.broken:
		w.WriteHeader(http.StatusInternalServerError)
		s.asked++
	case r.Method == http.MethodGet:
		s.asked++
		found := []any{}
		for range s.orders[r.URL.Query().Get("key")] {
			found = append(found, map[string]any{"order": 7})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": found})
	case s.drop == "before":
		s.giveUp(w)
	default:
		s.orders[key]++
		if s.drop == "after" {
			s.giveUp(w)
			return
		}
		_, _ = io.WriteString(w, `{"order":7}`)
	}
}

// giveUp leaves an order without an answer of the shop's own.
func (s *shop) giveUp(w http.ResponseWriter) {
	s.drop = ""
	if s.status == 0 {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(s.status)
	if s.status == http.StatusOK {
		_, _ = io.WriteString(w, "<!doctype html><h1>Back soon</h1>")
	}
}

func (s *shop) made() (orders []int, asked int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, times := range s.orders {
		orders = append(orders, times)
	}
	return orders, s.asked
}

// A 502, 504 or 500 of a write says no more than no answer, and neither does a web page in the place of JSON: the other side is asked,
// whichever tool sent it, and nothing is sent twice. Whether the shop made the order it does not say either.
func TestAWriteAnsweredByAGatewayIsInDoubt(t *testing.T) {
	t.Parallel()
	const fetching = `async function main() {
  const r = await web.fetch("BASE/orders", { method: "POST", body: "{}" });
  return JSON.parse(r.body).order;
}`
	w := newWorld(t)
	const notes = `async function main() {
  const r = await fetch("BASE/orders", { method: "POST", body: "{}" });
  await kv.set("asked", r.status === 200 ? "yes" : "no");
  const text = await r.text();
  await kv.set("length", text.length);
  await kv.set("of", JSON.parse(text).order);
  return await kv.get("of");
}`
	for name, code := range map[string]string{"postJSON": ordering, "fetch": fetching, "fetch, and notes": notes} {
		for _, status := range []int{500, 502, 504, 200} {
			for drop, want := range map[string]string{"before": run.ResolvedDidNot, "after": run.ResolvedHappened} {
				t.Run(fmt.Sprint(name, " ", status, " ", drop), func(t *testing.T) {
					t.Parallel()
					s := openShop(t)
					s.drop, s.status = drop, status
					n := (&world{t: t, dir: t.TempDir(), outside: w.outside, clock: &clock{}, pool: w.pool}).open(nil)
					defer n.close()
					id := n.create(strings.ReplaceAll(code, "BASE", s.server.URL), s.settings())
					of := n.admit(id, `{}`)
					require.NoError(t, n.settle(t.Context()))
					require.Len(t, n.run(of).InDoubt(), 1)
					n.clock.advance(time.Minute)
					require.NoError(t, n.settle(t.Context()))
					require.Equal(t, "7", string(n.run(of).Output))
					require.Equal(t, want, n.run(of).Calls[0].Resolved)
					orders, _ := s.made()
					require.Equal(t, []int{1}, orders)
				})
			}
		}
	}
}

// If only a person can be asked, they are told the answer that came back. For a host that does all or nothing a 500
// is a refusal: the write is sent again. So is a 503 for every host.
func TestAnswersAfterWhichAWriteIsSentAgain(t *testing.T) {
	t.Parallel()
	const reading = `async function main() { const r = await fetch("BASE/orders", { method: "POST", body: "{}" }); return (await r.json()).order; }`
	w := newWorld(t)
	for name, test := range map[string]struct {
		status   int
		settings func(host string) workflow.Settings
		doubt    bool
	}{
		"a page":                              {200, func(string) workflow.Settings { return workflow.Settings{} }, true},
		"a page of one that tells by the key": {200, func(host string) workflow.Settings { return workflow.Settings{IdempotentHosts: []string{host}} }, false},
		"502":                                 {502, func(string) workflow.Settings { return workflow.Settings{} }, true},
		"500":                                 {500, func(string) workflow.Settings { return workflow.Settings{} }, true},
		"503":                                 {503, func(string) workflow.Settings { return workflow.Settings{} }, false},
		"429":                                 {429, func(string) workflow.Settings { return workflow.Settings{} }, false},
		"500 of an atomic host":               {500, func(host string) workflow.Settings { return workflow.Settings{AtomicHosts: []string{host}} }, false},
		"502 of an atomic host":               {502, func(host string) workflow.Settings { return workflow.Settings{AtomicHosts: []string{host}} }, true},
		"502 of one that tells by the key":    {502, func(host string) workflow.Settings { return workflow.Settings{IdempotentHosts: []string{host}} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openShop(t)
			s.drop, s.status = "before", test.status
			n := (&world{t: t, dir: t.TempDir(), outside: w.outside, clock: &clock{}, pool: w.pool}).open(nil)
			defer n.close()
			host := strings.TrimPrefix(s.server.URL, "http://")
			settings := test.settings(host)
			settings.AllowedHosts = []string{host}
			code := ordering
			if test.status == http.StatusOK {
				code = reading
			}
			id := n.create(strings.ReplaceAll(code, "BASE", s.server.URL), settings)
			of := n.admit(id, `{}`)
			require.NoError(t, n.settle(t.Context()))
			n.clock.advance(time.Hour)
			require.NoError(t, n.settle(t.Context()))
			orders, _ := s.made()
			if !test.doubt {
				require.Equal(t, []int{1}, orders)
				require.Empty(t, n.doubts(id))
				return
			}
			require.Empty(t, orders)
			require.Len(t, n.run(of).InDoubt(), 1)
			told := n.doubts(id)
			require.Len(t, told, 1)
			require.Contains(t, told[0].Text, fmt.Sprintf("status %d", test.status))
		})
	}
}

const ordering = `async function main() { return (await web.postJSON("BASE/orders", { n: 1 })).order; }`

// The other side is asked about a write that was not answered, not before the call could have been given up.
// Happened: the run goes on with the answer. Did not: it is sent again.
func TestAWriteInDoubtIsReconciled(t *testing.T) {
	t.Parallel()
	for drop, want := range map[string]string{"before": run.ResolvedDidNot, "after": run.ResolvedHappened} {
		t.Run(drop, func(t *testing.T) {
			t.Parallel()
			s := openShop(t)
			s.drop = drop
			n := newWorld(t).open(nil)
			defer n.close()
			id := n.create(strings.ReplaceAll(ordering, "BASE", s.server.URL), s.settings())
			of := n.admit(id, `{}`)
			require.NoError(t, n.settle(t.Context()))
			require.Len(t, n.run(of).InDoubt(), 1)
			n.clock.advance(25 * time.Second)
			require.NoError(t, n.settle(t.Context()))
			_, asked := s.made()
			require.Zero(t, asked, "the call may still be under way")
			require.Empty(t, n.doubts(id), "nobody is bothered")

			n.clock.advance(10 * time.Second)
			require.NoError(t, n.settle(t.Context()))
			require.True(t, n.run(of).Ended)
			require.Equal(t, "7", string(n.run(of).Output))
			require.Equal(t, want, n.run(of).Calls[0].Resolved)
			orders, asked := s.made()
			require.Equal(t, []int{1}, orders)
			require.Equal(t, 1, asked)
			require.Empty(t, n.doubts(id))
			require.Equal(t, workflow.StatusActive, n.state(id).Status)
			require.Equal(t, []string{"system:executor", "system:reconciler"}, n.actors(of))
		})
	}
}

// If the other side does not say, it is asked three times, and then a person is.
func TestAWriteThatCannotBeReconciledIsForAPerson(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.drop, s.broken = "after", true
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(strings.ReplaceAll(ordering, "BASE", s.server.URL), s.settings())
	of := n.admit(id, `{}`)
	for range 12 {
		require.NoError(t, n.settle(t.Context()))
		n.clock.advance(20 * time.Second)
	}
	_, asked := s.made()
	require.Equal(t, run.MaxLookUps, asked)
	told := n.doubts(id)
	require.Len(t, told, 1)
	require.Contains(t, told[0].Text, "The other side was asked 3 times and does not say")
	n.clock.advance(time.Hour)
	require.NoError(t, n.settle(t.Context()))
	_, asked = s.made()
	require.Equal(t, run.MaxLookUps, asked)
	require.Equal(t, 1, n.resolve(id, run.ResolvedHappened))
	require.NoError(t, n.settle(t.Context()))
	require.True(t, n.run(of).Ended)
	require.Empty(t, n.doubts(id))
}

// The process may die at any moment of a run, also between the write that it sent and the answer: asked
// later, the other side knows, and the order is made exactly once.
func TestCrashAfterAnyAppendOfAReconciledWrite(t *testing.T) {
	t.Parallel()
	reconciled := 0
	shared := newWorld(t)
	for survived := int64(0); ; survived++ {
		s := openShop(t)
		w := &world{t: t, dir: t.TempDir(), outside: shared.outside, clock: &clock{}, pool: shared.pool}
		n := w.open(nil)
		id := n.create(strings.ReplaceAll(ordering, "BASE", s.server.URL), s.settings())
		of := n.admit(id, `{}`)
		n.close()

		ctx, die := context.WithCancel(t.Context())
		var doomed *mortal
		n = w.open(func(log eventlog.Log) eventlog.Log {
			doomed = &mortal{Log: log, die: die}
			doomed.left.Store(survived)
			return doomed
		})
		_ = n.settle(ctx) // ends as a killed process does: in the middle
		n.close()
		die()

		n = w.open(nil)
		require.NoError(t, n.settle(t.Context()))
		w.clock.advance(time.Minute)
		require.NoError(t, n.settle(t.Context()))
		require.True(t, n.run(of).Ended, "after %d appends", survived)
		require.Equal(t, "7", string(n.run(of).Output))
		orders, asked := s.made()
		require.Equal(t, []int{1}, orders)
		reconciled += asked
		n.close()
		if doomed.left.Load() >= 0 { // a whole run took fewer appends
			require.Positive(t, reconciled, "no crash fell between a write and its answer")
			return
		}
	}
}

// doubts are the open notifications that ask what became of a write.
func (n *node) doubts(id string) []projections.Notification {
	n.t.Helper()
	require.NoError(n.t, n.views.CatchUp(context.Background()))
	told, err := n.queries.Notifications(context.Background(), projections.NotificationFilter{Workflow: id, Type: projections.NotifyInDoubt, Open: true})
	require.NoError(n.t, err)
	return told
}

// actors are who wrote on a run's stream, in the order they first did.
func (n *node) actors(of string) []string {
	n.t.Helper()
	var all []string
	seen := map[string]bool{}
	for one, err := range n.commands.History(context.Background(), []string{"run-" + of}) {
		require.NoError(n.t, err)
		if actor := one.Metadata.Actor; !seen[actor] {
			seen[actor], all = true, append(all, actor)
		}
	}
	return all
}
