package importer_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/importer"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

const stale = `name: Stale issues
on:
  schedule:
    - cron: '0 6 * * 1'
    - cron: '0 6 * * 4'
  workflow_dispatch:
jobs:
  stale:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Tell
        id: tell
        uses: actions/github-script@v7
        env:
          LABEL: stale
          HOOK: ${{ secrets.SLACK_HOOK }}
        with:
          script: |
            const issues = await github.paginate(github.rest.issues.listForRepo, { ...context.repo, state: 'open' });
            for (const issue of issues) {
              await github.rest.issues.addLabels({ ...context.repo, issue_number: issue.number, labels: [process.env.LABEL] });
            }
            core.setOutput('count', issues.length);
            if (context.payload.dry) await github.rest.teams.list({ org: 'x' });
            return issues.map((issue) => issue.title);
      - name: Build
        if: success()
        run: make build
`

// Rule: the github-script steps of a workflow make the requests that they made at GitHub, and what else the workflow does is named.
func TestGitHubScript(t *testing.T) {
	t.Parallel()
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = append(seen, r.Method+" "+r.URL.String()+" "+string(body))
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `[{"number":7,"title":"Old"},{"number":9,"title":"Older"}]`)
			return
		}
		_, _ = io.WriteString(w, `[]`)
	}))
	t.Cleanup(server.Close)
	brought, err := importer.Script("github-script", stale)
	require.NoError(t, err)
	require.Equal(t, "Stale issues", brought.Title)
	require.Equal(t, "0 6 * * 1", brought.Cron)
	require.NoError(t, process.Check(brought.Script), brought.Script)
	require.NoError(t, hostcall.Lint(brought.Script), brought.Script)
	var said []string
	for _, note := range brought.Notes {
		said = append(said, note.Fate+": "+note.Text)
	}
	for _, part := range []string{
		"not possible: a workflow has one schedule: 0 6 * * 4 is left out", "not possible: actions/checkout: there is no checkout", "not possible: github.rest.teams.list is not known",
		"not possible: it runs make build", "wrapped: process.env.HOOK is the secret HOOK", "wrapped: github sends the secret GITHUB_TOKEN",
	} {
		require.Contains(t, strings.Join(said, "\n"), part)
	}
	x := sandbox.Execution{Code: strings.ReplaceAll(brought.Script, "https://api.github.com", server.URL), Input: json.RawMessage(`{"repository":"ann/shop"}`), Seed: "s", Clock: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)}
	outcome, err := process.InProcess{Bindings: hostcall.Bindings()}.Run(t.Context(), x, &host{})
	require.NoError(t, err)
	require.Nil(t, outcome.Error, "%+v\n%s", outcome.Error, brought.Script)
	require.JSONEq(t, `{"results":{"tell":["Old","Older"]},"outputs":{"count":2}}`, string(outcome.Output))
	require.Equal(t, []string{
		"GET /repos/ann/shop/issues?per_page=100&state=open&page=1 ", `POST /repos/ann/shop/issues/7/labels {"labels":["stale"]}`, `POST /repos/ann/shop/issues/9/labels {"labels":["stale"]}`,
	}, seen)
	for kind, text := range map[string]string{"github-script": "jobs: {}", "lambda": "async function main() {}", "pipedream": "async function main() {}", "cloudflare": "export default { async fetch(request) { return new Response('x') } }"} {
		_, err := importer.Script(kind, text)
		require.Error(t, err, kind)
	}
}
