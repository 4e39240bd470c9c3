package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/projections"
)

// gated is a service that answers when a test lets it.
func gated(t *testing.T) (address string, asked, answer chan struct{}) {
	t.Helper()
	asked, answer = make(chan struct{}, 8), make(chan struct{})
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-answer:
		case <-r.Context().Done():
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte("7"))
	}))
	t.Cleanup(service.Close)
	return service.URL, asked, answer
}

// A client that starts a run and waits is answered with what became of it, if that comes in time, and else with the run that goes on.
func TestARunIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := serve(t)
	address, asked, answer := gated(t)
	id := s.ok(http.MethodPost, "/workflows", map[string]any{
		"title": "Waits", "script": `async function main(input) { if (input.bad) throw new Error("no"); return input.far ? await web.getJSON("` + address + `/") : input.n + 1 }`,
		"allowed_hosts": []string{strings.TrimPrefix(address, "http://")},
	}).field(t, "id")
	s.ok(http.MethodPatch, "/workflows/"+id+"/settings", map[string]any{"max_active": 9})
	runs := "/workflows/" + id + "/runs"
	quick, far := map[string]any{"input": map[string]any{"n": 6}}, map[string]any{"input": map[string]any{"far": true}}

	for name, headers := range map[string][]string{"query": nil, "header": {"Prefer", "respond-async, WAIT=60;x=1"}, "with a key": {"Idempotency-Key", "k"}} {
		path := runs
		if name != "header" {
			path += "?wait=1m"
		}
		for range 2 { // the same again, if it has a key
			got := s.ask(s.admin, http.MethodPost, "/api/v1"+path, quick, headers...)
			require.Equal(t, http.StatusOK, got.status, "%s: %s", name, got.body)
			var result app.RunResult
			got.into(t, &result)
			require.Equal(t, projections.RunSucceeded, result.Final.Status)
			require.Equal(t, "7", string(result.Final.Output))
			require.Equal(t, "/api/v1/runs/"+result.Run.ID, got.header.Get("Location"))
			if name == "header" {
				require.Equal(t, "wait=60", got.header.Get("Preference-Applied"))
				continue
			}
			require.Empty(t, got.header.Get("Preference-Applied"))
		}
	}
	failed := s.ok(http.MethodPost, runs+"?wait=60", map[string]any{"input": map[string]any{"bad": true}})
	require.Equal(t, http.StatusOK, failed.status)
	require.Contains(t, failed.field(t, "final"), "failed")

	// It goes on after the time, and when nobody waits any more.
	later := s.ask(s.admin, http.MethodPost, "/api/v1"+runs, far, "Prefer", "wait=0")
	require.Equal(t, http.StatusAccepted, later.status)
	require.Equal(t, "wait=0", later.header.Get("Preference-Applied"))
	<-asked
	ctx, leave := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base+"/api/v1"+runs+"?wait=60s", strings.NewReader(`{"input": {"far": true}}`))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+s.admin)
	request.Header.Set("Content-Type", "application/json")
	go func() { <-asked; leave() }()
	_, err = http.DefaultTransport.RoundTrip(request)
	require.ErrorIs(t, err, context.Canceled)
	close(answer)
	for _, of := range s.page(t, "/runs?workflow="+id) {
		require.Eventually(t, func() bool {
			status := s.ok(http.MethodGet, "/runs/"+of, nil).field(t, "status")
			return status == "succeeded" || status == "failed"
		}, patience, time.Millisecond)
	}
	require.Len(t, s.page(t, "/runs?status=succeeded&workflow="+id), 7)
}

// page is the ids of a list.
func (s *server) page(t *testing.T, path string) (ids []string) {
	t.Helper()
	var list struct{ Items []struct{ ID string } }
	s.ok(http.MethodGet, path, nil).into(t, &list)
	for _, one := range list.Items {
		ids = append(ids, one.ID)
	}
	return ids
}

// A time that nobody can wait is refused, with what is allowed, and starts nothing. A preference that cannot be followed is none.
func TestATimeToWaitIsBounded(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id := s.ok(http.MethodPost, "/workflows", map[string]any{"title": "Quick", "script": `async function main() { return 1 }`}).field(t, "id")
	for _, wrong := range []string{"61", "61s", "-1s", "soon", "1h"} {
		require.Contains(t, s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPost, "/api/v1/workflows/"+id+"/runs?wait="+wrong, nil), "from 0s to 1m0s, such as 20s")
	}
	require.Empty(t, s.page(t, "/runs?workflow="+id))
	for _, none := range []string{"wait=soon", "wait", "waits=3", "return=minimal", "wait=-1"} {
		got := s.ask(s.admin, http.MethodPost, "/api/v1/workflows/"+id+"/runs", nil, "Prefer", none)
		require.Equal(t, http.StatusCreated, got.status, "%s: %s", none, got.body)
		require.Empty(t, got.header.Get("Preference-Applied"))
		require.Eventually(t, func() bool {
			return s.ok(http.MethodGet, "/runs/"+got.field(t, "id"), nil).field(t, "status") == "succeeded"
		}, patience, time.Millisecond)
	}
	long := s.ask(s.admin, http.MethodPost, "/api/v1/workflows/"+id+"/runs", nil, "Prefer", `wait="900"`)
	require.Equal(t, http.StatusOK, long.status)
	require.Equal(t, "wait=60", long.header.Get("Preference-Applied"))
}

// Runs and workflows are chosen by the labels that they were given, by time and by the text of an error, in pages.
func TestListsAreChosenByLabels(t *testing.T) {
	t.Parallel()
	s := serve(t)
	made := s.ok(http.MethodPost, "/workflows", map[string]any{"title": "Labelled", "script": `async function main(input) { if (input.bad) throw new Error("no such Order"); return 1 }`})
	id := made.field(t, "id")
	s.ok(http.MethodPost, "/workflows", map[string]any{"title": "Other"})
	require.Contains(t, s.ok(http.MethodPatch, "/workflows/"+id+"/settings", map[string]any{"labels": map[string]any{"team": "billing"}}).field(t, "labels"), "billing")
	start := func(bad bool, labels map[string]any) string {
		got := s.ok(http.MethodPost, "/workflows/"+id+"/runs?wait=60s", map[string]any{"input": map[string]any{"bad": bad}, "labels": labels})
		var result app.RunResult
		got.into(t, &result)
		return result.Run.ID
	}
	first, second := start(false, map[string]any{"order": "4711"}), start(true, map[string]any{"order": "4711"})
	third := start(false, nil)
	require.Equal(t, []string{third, second, first}, s.page(t, "/runs?label=team%3Dbilling"))
	require.Equal(t, []string{second, first}, s.page(t, "/runs?label=order%3D4711&label=team%3Dbilling&since=2h"))
	require.Equal(t, []string{second}, s.page(t, "/runs?label=order%3D4711&limit=1"))
	next := s.ok(http.MethodGet, "/runs?label=order%3D4711&limit=1", nil).field(t, "next")
	require.Equal(t, []string{first}, s.page(t, "/runs?label=order%3D4711&limit=1&after="+next))
	require.Equal(t, []string{second}, s.page(t, "/runs?error=such+order&status=failed"))
	require.Empty(t, s.page(t, "/runs?until=2h"))
	require.Equal(t, []string{id}, s.page(t, "/workflows?label=team%3Dbilling"))
	for _, wrong := range []string{"/runs?label=team", "/workflows?label=%3Dx", "/runs?since=soon", "/runs?until=yesteryear"} {
		s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodGet, "/api/v1"+wrong, nil)
	}
	require.Contains(t, s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPost, "/api/v1/workflows/"+id+"/runs", map[string]any{"labels": map[string]any{"a b": "x"}}), "a label is key=value")
}
