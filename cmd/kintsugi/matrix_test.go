package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// sixCalls reads and writes three times each. SAFE tells a repeat by its key.
const sixCalls = `async function main(input) {
  const a = await web.getJSON('BASE/a');
  await web.postJSON('BASE/one', { day: input.day, a: a.v });
  const b = await web.getJSON('BASE/b');
  await web.postJSON('SAFE/two', { b: b.v });
  const c = await web.getJSON('BASE/c');
  await web.postJSON('BASE/three', { c: c.v });
  return a.v + b.v + c.v;
}`

var sixPaths = []string{"/a", "/one", "/b", "/two", "/c", "/three"}

// counter is the world of one run: it counts what comes, and says when.
type counter struct {
	base, safe *httptest.Server

	mu     sync.Mutex
	got    map[string]int
	keys   map[string][]string // of writes, by path
	came   func(request int)   // before the answer
	gone   func(request int)   // after it
	number int
}

func newCounter(t *testing.T) *counter {
	c := &counter{got: map[string]int{}, keys: map[string][]string{}}
	c.base, c.safe = httptest.NewServer(c), httptest.NewServer(c)
	t.Cleanup(c.base.Close)
	t.Cleanup(c.safe.Close)
	return c
}

// ServeHTTP implements [http.Handler].
func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return // who asked is gone
	}
	c.mu.Lock()
	request := c.number
	c.number++
	c.got[r.URL.Path]++
	if r.Method == http.MethodPost {
		c.keys[r.URL.Path] = append(c.keys[r.URL.Path], r.Header.Get("Idempotency-Key"))
	}
	came, gone := c.came, c.gone
	c.mu.Unlock()
	if came != nil {
		came(request)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"v":2}`)
	if gone != nil {
		_ = http.NewResponseController(w).Flush() // who asked may be gone
		gone(request)
	}
}

func (c *counter) count(path string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.got[path]
}

// TestKilledAtEveryMoment kills the server with signal 9: while each of the six requests of a run is out, right after
// each was answered, and as each append is in the log. The next server brings the run to its end; the request that
// was out is in doubt, and nothing else. A campaign tries all of these moments, other test runs a few.
func TestKilledAtEveryMoment(t *testing.T) {
	t.Parallel()
	template := newHome(t)
	template.ok("workflow", "create", "Template", "--script", template.file("script.js", sixCalls))
	const lanes = 2
	moments := killings(t)
	var mu sync.Mutex
	told := map[string]int{}
	t.Run("lanes", func(t *testing.T) {
		for lane := range lanes {
			t.Run(strconv.Itoa(lane), func(t *testing.T) {
				t.Parallel()
				for i := lane; i < len(moments); i += lanes {
					underWay, doubt := killedAt(t, moments[i])
					mu.Lock()
					told["kills"]++
					if underWay {
						told["with the run under way, "+moments[i].kind]++
					}
					if doubt {
						told["left a write in doubt, visibly"]++
					}
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("%v", told)
}

// killings are some moments of each kind; in a campaign they are all, many times.
func killings(t *testing.T) (moments []killing) {
	t.Helper()
	given := os.Getenv("KINTSUGI_CAMPAIGN")
	if given == "" {
		return []killing{{"request", 1}, {"request", 4}, {"answer", 5}, {"append", 2}, {"append", 14}}
	}
	rounds, err := strconv.Atoi(given)
	require.NoError(t, err, "KINTSUGI_CAMPAIGN")
	for _, kind := range []string{"request", "answer", "append"} {
		for at := range map[string]int{"request": len(sixPaths), "answer": len(sixPaths), "append": mostAppends}[kind] {
			moments = append(moments, killing{kind, at})
		}
	}
	return slices.Repeat(moments, rounds)
}

// killing is when a server is killed: at the nth request, answer or append.
type killing struct {
	kind string
	at   int
}

// mostAppends is how many events the server appends for a run of [sixCalls], and some more: then the
// run is over, and the server has nothing to do.
const mostAppends = 19

// killedAt is a run whose first server is killed at a moment. It says whether the run was under way
// then, and whether that left a write in doubt.
func killedAt(t *testing.T, m killing) (underWay, doubtful bool) {
	t.Helper()
	where := fmt.Sprintf("%s %d", m.kind, m.at)
	h, c := newHome(t), newCounter(t)
	code := strings.ReplaceAll(strings.ReplaceAll(sixCalls, "BASE", c.base.URL), "SAFE", c.safe.URL)
	base, safe := strings.TrimPrefix(c.base.URL, "http://"), strings.TrimPrefix(c.safe.URL, "http://")
	h.ok("workflow", "create", "Orders", "--script", h.file("script.js", code), "--allow-host", base, "--allow-host", safe)
	h.ok("workflow", "settings", "Orders", "--idempotent-host", safe)
	h.ok("workflow", "run", "--repair", "Orders", "--input", `{"day":7}`, "--detach")

	underWay = h.killAt(c, m.kind, m.at)
	out := ""
	if m.kind == "request" {
		out = sixPaths[m.at]
		require.Equal(t, 1, c.count(out), where)
	}

	server := h.dev()
	doubt := h.settles()
	switch out {
	case "/one", "/three":
		require.Equal(t, out, doubt, "%s: a write was out and is not in doubt", where)
	case "":
		require.NotEqual(t, "/two", doubt, where)
	default:
		require.Empty(t, doubt, "%s: nothing was out that could not be sent again", where)
	}
	if doubt != "" {
		effects := h.objects("effect", "list")
		require.Len(t, effects, 1, where)
		how := "--did-not"
		if c.count(doubt) > 0 {
			how = "--happened"
		}
		h.ok("effect", "resolve", effects[0]["run"].(string), fmt.Sprint(effects[0]["seq"]), how)
		require.Empty(t, h.settles(), where)
	}
	server.interrupt()
	require.Equal(t, terminal.ExitOK, server.wait(), server.err.String())

	require.Equal(t, 1, c.count("/one"), where)
	require.Equal(t, 1, c.count("/three"), where)
	require.Positive(t, c.count("/two"), where)
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(c.keys["/two"]))), 1, "%s: a repeat keeps its key", where)
	require.NotContains(t, slices.Concat(c.keys["/one"], c.keys["/two"], c.keys["/three"]), "", where)
	require.Contains(t, h.ends(terminal.ExitOK, "history", "Orders", "--verify").err, "streams are whole", where)
	return underWay, doubt != ""
}

// killAt starts a server and kills it at a moment. It says whether the run was under way then.
func (h *home) killAt(c *counter, kind string, at int) bool {
	h.t.Helper()
	reached, dead := make(chan struct{}), make(chan struct{})
	meet := func(request int) {
		if request == at {
			close(reached)
			<-dead
		}
	}
	c.mu.Lock()
	switch kind {
	case "request":
		c.came = meet
	case "answer":
		c.gone = func(request int) {
			if request == at {
				close(reached)
			}
		}
	}
	c.mu.Unlock()
	var appended func() bool
	if kind == "append" {
		appended = h.appends()
	}
	server := h.start("dev")
	if kind == "append" {
		for range at + 1 {
			if !appended() {
				break
			}
		}
	} else {
		select {
		case <-reached:
		case <-time.After(patience):
			require.Fail(h.t, "no request came", server.err.String())
		}
	}
	require.NoError(h.t, server.command.Process.Kill())
	server.wait()
	close(dead)
	c.mu.Lock()
	c.came, c.gone = nil, nil
	c.mu.Unlock()
	return c.count("/three") == 0 || len(h.objects("run", "list", "--status", "succeeded")) == 0
}

// appends gives a function that waits for another process's next append to the log.
func (h *home) appends() func() bool {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	log, err := sqlitelog.Open(ctx, filepath.Join(h.dir, app.LogFile), sqlitelog.Options{})
	require.NoError(h.t, err)
	h.t.Cleanup(func() { cancel(); require.NoError(h.t, log.Close()) })
	seen, err := log.Head(ctx)
	require.NoError(h.t, err)
	over := false
	return func() bool {
		if over {
			return false
		}
		for given := time.After(5 * time.Second); ; {
			head, err := log.Head(ctx)
			require.NoError(h.t, err)
			if head != seen {
				for record, err := range log.All(ctx, seen, eventlog.Everything) {
					require.NoError(h.t, err)
					seen, over = record.Position, record.Type == workflow.TypeRunSucceeded
					break
				}
				return true
			}
			select {
			case <-given:
				return false
			case <-time.After(100 * time.Microsecond):
			}
		}
	}
}

// settles waits until the run has ended well, or stands still: then it gives the path of the write
// that is in doubt.
func (h *home) settles() (doubt string) {
	h.t.Helper()
	require.Eventually(h.t, func() bool {
		if len(h.objects("run", "list", "--status", "succeeded")) == 1 {
			return true
		}
		for _, effect := range h.objects("effect", "list") {
			for _, path := range sixPaths {
				if strings.Contains(fmt.Sprint(effect["args"]), path+" ") {
					doubt = path
				}
			}
		}
		return doubt != ""
	}, patience, 100*time.Millisecond)
	return doubt
}
