package api_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// secretBody sets a secret.
var secretBody = map[string]any{"value": "v4lue-of-a-secret", "hosts": []string{"127.0.0.1"}}

// Callers hear when to come back, and not that the server failed, while the log, or only views and state, are in a PostgreSQL
// that is away. All is there when it is back.
func TestWhileTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	database := pgtest.Start(t)
	all := serveAt(t, t.TempDir(), database.Database(t), "", nil)
	beside := serveAt(t, t.TempDir(), "", database.Database(t), nil)
	ids := map[*server]map[string]string{}
	for _, s := range []*server{all, beside} {
		id := s.workflow("Orders", "ann")
		ids[s] = map[string]string{"workflow": id, "run": s.ok(http.MethodPost, "/workflows/"+id+"/runs", nil).field(t, "id")}
		s.ok(http.MethodPut, "/secrets/API", secretBody)
	}
	database.Stop(t, "fast")
	type answered struct {
		reply
		by *server
		to string
	}
	var mu sync.Mutex
	var answers []answered
	var asking sync.WaitGroup
	for s, known := range ids {
		for _, operation := range append(s.operations(), operation{method: http.MethodPut, path: "/api/v1/secrets/API"}) {
			path := operation.path
			for _, one := range operation.Parameters {
				if one.In == "path" {
					value := known[one.Name]
					if value == "" {
						value = "API"
					}
					path = strings.ReplaceAll(path, "{"+one.Name+"}", value)
				}
			}
			var body any
			if operation.method != http.MethodGet {
				body = map[string]any{"title": "More", "code": "function main() {}"}
			}
			if strings.Contains(path, "/secrets/") {
				body = secretBody
			}
			asking.Go(func() {
				got := s.ask(s.admin, operation.method, path, body)
				mu.Lock()
				defer mu.Unlock()
				answers = append(answers, answered{got, s, operation.method + " " + path})
			})
		}
	}
	asking.Wait()
	refused := map[*server]int{}
	for _, got := range answers {
		if got.status >= http.StatusInternalServerError {
			require.Equal(t, http.StatusServiceUnavailable, got.status, "%s: %s", got.to, got.body)
			require.NotEmpty(t, got.header.Get("Retry-After"), "%s: %s", got.to, got.body)
			refused[got.by]++
		}
	}
	require.Greater(t, refused[all], 50)
	require.Greater(t, refused[beside], 10)
	database.Restart(t)
	for s, known := range ids {
		require.Eventually(t, func() bool {
			return s.ask(s.admin, http.MethodGet, "/api/v1/workflows/"+known["workflow"], nil).status == http.StatusOK
		}, patience, 10*time.Millisecond)
		s.ok(http.MethodPut, "/secrets/API", secretBody)
		s.ok(http.MethodGet, "/secrets", nil)
		s.ok(http.MethodGet, "/runs", nil)
	}
}
