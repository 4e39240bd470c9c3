package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/api"
	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// A report is shown whole before it is sent, tells of events without what they say unless that is wanted, and says where
// it went. Nobody reports what they do not see.
func TestAProblemIsReported(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id := s.workflow("Greets", "ann")
	s.finished(id, map[string]any{"name": "Ann of the secret street"})
	problem := map[string]any{"text": "It broke\n@everyone", "page": "/x` [a](javascript:b)", "errors": []string{"GET /y: 500\n# no heading"}, "workflow": id, "preview": true}

	var preview, sent api.SentReport
	s.ok(http.MethodPost, "/reports", problem).into(t, &preview)
	require.False(t, preview.Sent)
	require.Contains(t, preview.Body, "RunEnded")
	require.NotContains(t, preview.Body, "secret street")
	require.Contains(t, preview.Body, "- `` page: /x` [a](javascript:b) ``", "what others wrote is shown as it is")
	require.NotContains(t, preview.Body, "\n# no heading")
	require.Empty(t, files(t, s.reports), "a preview goes nowhere")

	problem["preview"], problem["payloads"], problem["screenshot"] = false, true, []byte("\x89PNG\r\n\x1a\n and more")
	s.ok(http.MethodPost, "/reports", problem).into(t, &sent)
	require.True(t, sent.Sent)
	require.Contains(t, sent.Body, "secret street")
	kept := files(t, s.reports)
	require.Len(t, kept, 2, "the report and its picture")
	text, err := os.ReadFile(kept[0])
	require.NoError(t, err)
	require.Equal(t, "# It broke\n\n"+sent.Body, string(text))
	require.Contains(t, sent.Where, filepath.Base(kept[0]))

	problem["screenshot"] = []byte("<svg onload=alert(1)>")
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPost, "/api/v1/reports", problem)
	bob := s.token(installation.CreateToken{Person: "bob", Owner: "bob", Scopes: []installation.Scope{installation.Read}})
	s.refused(http.StatusNotFound, bob.Token, http.MethodPost, "/api/v1/reports", map[string]any{"text": "x", "workflow": id})
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	return found
}

// A report becomes an issue where one speaks as GitHub does, and a webhook is given all of it. A tracker that does not
// take it is named with what it answered, and nobody is sent on to another address with the token.
func TestTrackers(t *testing.T) {
	t.Parallel()
	type request struct {
		path, authorization string
		body                map[string]any
	}
	asked := make(chan request, 10)
	tracker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one := request{path: r.URL.Path, authorization: r.Header.Get("Authorization")}
		_ = json.NewDecoder(r.Body).Decode(&one.body)
		asked <- one
		switch r.URL.Path {
		case "/elsewhere":
			http.Redirect(w, r, "/stolen", http.StatusTemporaryRedirect)
		case "/refused":
			w.WriteHeader(http.StatusForbidden)
		default:
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write([]byte(`{"html_url":"https://git.example.com/acme/shop/issues/7"}`))
		}
	}))
	t.Cleanup(tracker.Close)
	report := app.Report{Title: "It broke", Body: "all of it", Screenshot: []byte("png")}
	send := func(to string) (app.Reported, error) {
		parsed, err := app.ParseTracker(to, "token", time.Now)
		require.NoError(t, err)
		return parsed.Send(t.Context(), report)
	}
	went, err := send("github:" + tracker.URL + "/api/v1/repos/acme/shop")
	require.NoError(t, err)
	require.Equal(t, "https://git.example.com/acme/shop/issues/7", went.URL)
	require.Contains(t, went.Where, "the issues of acme/shop")
	require.Equal(t, request{"/api/v1/repos/acme/shop/issues", "Bearer token", map[string]any{"title": "It broke", "body": "all of it"}}, <-asked)
	_, err = send("webhook:" + tracker.URL + "/hook")
	require.NoError(t, err)
	require.Equal(t, map[string]any{"title": "It broke", "body": "all of it", "screenshot": "cG5n"}, (<-asked).body)
	_, err = send("webhook:" + tracker.URL + "/refused")
	require.ErrorContains(t, err, "403 Forbidden")
	<-asked
	_, err = send("webhook:" + tracker.URL + "/elsewhere")
	require.ErrorContains(t, err, "307")
	<-asked
	require.Empty(t, asked, "it is not sent on")

	named, err := app.ParseTracker("github:acme/shop", "", nil)
	require.NoError(t, err)
	require.Equal(t, "the issues of acme/shop at github.com", named.Where())
	require.False(t, named.TakesPictures(), "issues have no way to attach one")
	for _, wrong := range []string{"", "file:", "webhook:ftp://x", "webhook:https://me:secret@x.example", "github:acme", "github:a/b/c", "mail:x"} {
		_, err := app.ParseTracker(wrong, "", nil)
		require.ErrorContains(t, err, "--report-to", wrong)
	}
}
