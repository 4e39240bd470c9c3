package automation_test

import (
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/measure/automation"
	"github.com/kintsugi-run/kintsugi/testdata"
)

const root = "../../../testdata/automations"

func embedded(t *testing.T) fs.FS {
	t.Helper()
	files, err := fs.Sub(testdata.Automations, "automations")
	require.NoError(t, err)
	return files
}

func loadAll(t *testing.T) []*automation.Automation {
	t.Helper()
	slugs, err := automation.Slugs(embedded(t))
	require.NoError(t, err)
	var all []*automation.Automation
	for _, slug := range slugs {
		a, err := automation.Load(embedded(t), slug)
		require.NoError(t, err)
		all = append(all, a)
	}
	return all
}

// The folder must hold enough automations, recorded runs and labelled scripts, a
// named source for each change, and no script without a label or label without a script.
func TestAutomationsAreComplete(t *testing.T) {
	t.Parallel()
	all := loadAll(t)
	require.GreaterOrEqual(t, len(all), 9)

	good, bad, fixable := 0, 0, 0
	for _, a := range all {
		require.Regexp(t, `^\d\d-[a-z-]+$`, a.Slug)
		require.NotEmpty(t, a.Title, a.Slug)
		require.NotEmpty(t, a.Intent, a.Slug)
		require.GreaterOrEqual(t, len(a.Runs), 6, "%s: five successes and a failure", a.Slug)
		require.NotEmpty(t, a.Case.Change, a.Slug)
		require.NotEmpty(t, a.Case.Source, a.Slug)
		require.NotEmpty(t, a.Case.Date, a.Slug)

		goodScripts := scripts(t, a.Slug, "good")
		require.Equal(t, a.Case.Expected.Good == "", len(goodScripts) == 0, a.Slug)
		badScripts := scripts(t, a.Slug, "bad")
		require.GreaterOrEqual(t, len(badScripts), 4, a.Slug)
		for name := range badScripts {
			require.Contains(t, []string{"different", "held", "unverifiable", "hard"}, a.Case.Expected.Bad[name], "%s: %s", a.Slug, name)
		}
		require.Len(t, badScripts, len(a.Case.Expected.Bad), a.Slug)

		good += len(goodScripts)
		bad += len(badScripts)
		if a.Case.TemplatesCouldFix {
			fixable++
		}
	}
	require.GreaterOrEqual(t, good, 12)
	require.GreaterOrEqual(t, bad, 30)
	require.GreaterOrEqual(t, fixable, 7)
}

// scripts reads good/ or bad/ of an automation, by file name.
func scripts(t *testing.T, slug, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	paths, err := filepath.Glob(filepath.Join(root, slug, folder, "*.js"))
	require.NoError(t, err)
	for _, path := range paths {
		code, err := os.ReadFile(path)
		require.NoError(t, err)
		found[filepath.Base(path)] = string(code)
	}
	return found
}

// A faulty automation is refused with its name and the faulty file.
func TestLoadNamesTheFault(t *testing.T) {
	t.Parallel()
	_, err := automation.Load(fstest.MapFS{}, "99-nothing")
	require.ErrorContains(t, err, "99-nothing")
	require.ErrorIs(t, err, fs.ErrNotExist)

	_, err = automation.Load(fstest.MapFS{
		"01-x/automation.js": {Data: []byte("function main() {}")},
		"01-x/runs.json":     {Data: []byte(`{"title": 7}`)},
		"01-x/case.json":     {Data: []byte(`{}`)},
	}, "01-x")
	require.ErrorContains(t, err, "01-x: runs.json")
}

// The server answers as in the run it was last given, whatever the order of the query,
// and says so where it knows no answer.
func TestServerAnswersAsInTheRun(t *testing.T) {
	t.Parallel()
	a := &automation.Automation{Runs: []automation.Run{
		{Answers: []automation.Answer{
			{Method: "GET", URL: "https://api.example.test/v1/things?a=1&b[x]=2", Status: 200, Body: json.RawMessage(`{"old": true}`)},
			{Method: "POST", URL: "https://api.example.test/v1/things", Status: 201, Body: json.RawMessage(`{"id": 1}`)},
		}},
		{Answers: []automation.Answer{
			{Method: "GET", URL: "https://api.example.test/v1/things?a=1&b[x]=2", Status: 200, Body: json.RawMessage(`{"new": true}`)},
		}},
	}}
	server := automation.NewServer()
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)

	ask := func(method, path string) (status int, body string) {
		request, err := http.NewRequestWithContext(t.Context(), method, web.URL+path, http.NoBody)
		require.NoError(t, err)
		response, err := web.Client().Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, string(text)
	}
	status, _ := ask("GET", "/api.example.test/v1/things?a=1&b[x]=2")
	require.Equal(t, 404, status)

	server.Answer(a.Runs[0])
	status, body := ask("GET", "/api.example.test/v1/things?b%5Bx%5D=2&a=1")
	require.Equal(t, 200, status)
	require.JSONEq(t, `{"old": true}`, body)
	status, body = ask("POST", "/api.example.test/v1/things")
	require.Equal(t, 201, status)
	require.JSONEq(t, `{"id": 1}`, body)

	server.Answer(a.Runs[1])
	_, body = ask("GET", "/api.example.test/v1/things?a=1&b[x]=2")
	require.JSONEq(t, `{"new": true}`, body)
	status, body = ask("GET", "/api.example.test/v1/others")
	require.Equal(t, 404, status)
	require.Contains(t, body, "no recorded answer for GET /api.example.test/v1/others")
}

// At moves every address that the automation asks, in the code and in the inputs, and
// leaves other addresses alone.
func TestAtMovesTheAddresses(t *testing.T) {
	t.Parallel()
	a, err := automation.Load(embedded(t), "08-order-sync")
	require.NoError(t, err)
	require.Equal(t, []string{"books.example.test", "shop.example.test"}, a.Hosts())
	local := a.At("http://127.0.0.1:4711/")
	require.Contains(t, local.Code, `'http://127.0.0.1:4711/books.example.test/api/entries'`)
	require.NotContains(t, local.Code, "https://")
	require.Contains(t, string(local.Runs[0].Input), `"http://127.0.0.1:4711/shop.example.test/wp-json/wc/v1"`)
	require.Contains(t, a.Code, "https://books.example.test", "the original stays as it is")
	require.Equal(t, "https://other.example.test/", a.Localize("https://other.example.test/", "http://127.0.0.1"))
	require.True(t, strings.HasPrefix(a.Runs[0].Answers[0].URL, "https://"))
}
