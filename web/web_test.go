package web_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/web"
)

func ask(t *testing.T, method, path string, headers ...string) *http.Response {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	web.Handler().ServeHTTP(recorder, request)
	return recorder.Result()
}

func text(t *testing.T, answer *http.Response) string {
	t.Helper()
	content, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(content)
}

// Every link to a page leads to the one document, and nothing runs in it that is not ours.
func TestEveryPathOfThePageIsTheDocumentUnderAStrictPolicy(t *testing.T) {
	t.Parallel()
	nonces := map[string]bool{}
	for path, status := range map[string]int{"/": 200, "/index.html": 200, "/runs/x": 200, "/fixes/../runs": 200, "/nothing/like/that": 404} {
		answer := ask(t, http.MethodGet, path)
		require.Equal(t, status, answer.StatusCode, path)
		require.Equal(t, "no-store", answer.Header.Get("Cache-Control"), path)
		policy, body := answer.Header.Get("Content-Security-Policy"), text(t, answer)
		nonce := regexp.MustCompile(`script-src 'self' 'nonce-([^']+)'`).FindStringSubmatch(policy)
		require.NotNil(t, nonce, policy)
		require.NotContains(t, policy, "unsafe")
		require.Contains(t, policy, "default-src 'none'")
		require.Contains(t, body, `nonce="`+nonce[1]+`"`)
		require.NotContains(t, body, "__NONCE__")
		require.NotRegexp(t, `(src|href)="(https?:)?//`, body, "it loads from elsewhere")
		nonces[nonce[1]] = true
	}
	require.Len(t, nonces, 5, "a nonce is of one answer")
}

// The page's own addresses are those of its router; every other one is not found, for programs that look around, and for people in words.
func TestOnlyThePagesOwnAddressesAreFound(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("src/router.tsx")
	require.NoError(t, err)
	routes := regexp.MustCompile(`'(/[^']*)': at\(`).FindAllStringSubmatch(string(source), -1)
	require.Greater(t, len(routes), 15)
	for _, route := range routes {
		path := strings.ReplaceAll(route[1], ":id", "01a2-b3")
		require.Equal(t, http.StatusOK, ask(t, http.MethodGet, path).StatusCode, path)
		require.Equal(t, http.StatusOK, ask(t, http.MethodGet, path+"/?q=a").StatusCode, path)
	}
	for _, path := range []string{"/.git/config", "/.env", "/debug/pprof/", "/api/v2/workflows", "/hooks/", "/decide/", "/workflows", "/workflows/x/y", "/wp-login.php", "/system/x"} {
		require.Equal(t, http.StatusNotFound, ask(t, http.MethodGet, path).StatusCode, path)
		require.Equal(t, http.StatusNotFound, ask(t, http.MethodHead, path).StatusCode, path)
	}
}

func TestFilesNamedByTheirContentAreKeptForEver(t *testing.T) {
	t.Parallel()
	script := regexp.MustCompile(`/assets/[^"]+\.js`).FindString(text(t, ask(t, http.MethodGet, "/")))
	require.NotEmpty(t, script)
	plain := ask(t, http.MethodGet, script)
	require.Equal(t, http.StatusOK, plain.StatusCode)
	require.Contains(t, plain.Header.Get("Cache-Control"), "immutable")
	require.Contains(t, plain.Header.Get("Content-Type"), "javascript")
	require.Equal(t, "default-src 'none'; connect-src 'self'; frame-ancestors 'none'", plain.Header.Get("Content-Security-Policy"), "a worker may ask this server, and nobody else")
	packed := ask(t, http.MethodGet, script, "Accept-Encoding", "gzip, br")
	require.Equal(t, "gzip", packed.Header.Get("Content-Encoding"))
	unpacked, err := gzip.NewReader(packed.Body)
	require.NoError(t, err)
	content, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	require.Equal(t, text(t, plain), string(content))

	icon := ask(t, http.MethodGet, "/favicon.svg")
	require.Equal(t, "no-cache", icon.Header.Get("Cache-Control"))
	require.Equal(t, http.StatusNotModified, ask(t, http.MethodGet, "/favicon.svg", "If-None-Match", icon.Header.Get("ETag")).StatusCode)
}

// The files that are fetched before anything can be seen stay small: the editor and each page come when they are wanted.
func TestTheFirstViewIsSmall(t *testing.T) {
	t.Parallel()
	size := 0
	for _, script := range regexp.MustCompile(`/assets/[^"]+\.js`).FindAllString(text(t, ask(t, http.MethodGet, "/")), -1) {
		size += len(text(t, ask(t, http.MethodGet, script, "Accept-Encoding", "gzip")))
	}
	t.Logf("%d bytes of script, packed", size)
	require.Greater(t, size, 50_000)
	require.Less(t, size, 150_000)
}

// An open page of an earlier build must see that its parts are gone, and not take a document for a script.
func TestAPartThatIsGoneIsNotFound(t *testing.T) {
	t.Parallel()
	require.Equal(t, http.StatusNotFound, ask(t, http.MethodGet, "/assets/index-old.js").StatusCode)
	require.Equal(t, http.StatusMethodNotAllowed, ask(t, http.MethodPost, "/").StatusCode)
}

// The parts of the page come from the public registry, whatever mirror was near when it was locked.
func TestTheLockNamesNoPrivateHost(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("package-lock.json")
	require.NoError(t, err)
	var lock struct {
		Packages map[string]struct {
			Resolved  string `json:"resolved"`
			Integrity string `json:"integrity"`
		} `json:"packages"`
	}
	require.NoError(t, json.Unmarshal(source, &lock))
	require.Greater(t, len(lock.Packages), 50)
	for name, one := range lock.Packages {
		if name == "" {
			continue
		}
		require.NotEmpty(t, one.Integrity, name)
		if one.Resolved != "" {
			require.True(t, strings.HasPrefix(one.Resolved, "https://registry.npmjs.org/"), "%s: %s", name, one.Resolved)
		}
	}
}
