//go:build forge

package forge_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/coding/forge"
)

// gitea is a real forge with a user and an empty repository, for as long as a test.
type gitea struct {
	t     *testing.T
	url   string
	token string
}

func startGitea(t *testing.T) *gitea {
	t.Helper()
	program, source := os.Getenv("KINTSUGI_GITEA"), os.Getenv("KINTSUGI_GITEA_SOURCE")
	require.FileExists(t, program, "run make test/forge, which builds it")
	dir := t.TempDir()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	config := filepath.Join(dir, "app.ini")
	require.NoError(t, os.WriteFile(config, []byte(fmt.Sprintf(`RUN_USER = %s
WORK_PATH = %s
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = %s
ROOT_URL = http://%s/
STATIC_ROOT_PATH = %s
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
%s
[security]
INSTALL_LOCK = true
[repository]
ROOT = %[2]s/repositories
[log]
LEVEL = Warn
`, user(t), dir, port, address, source, cmp.Or(os.Getenv("KINTSUGI_GITEA_DATABASE"), "DB_TYPE = sqlite3"))), 0o600))
	run := func(args ...string) string {
		command := exec.Command(program, append([]string{"--config", config}, args...)...)
		command.Env = append(os.Environ(), "HOME="+dir, "GITEA_I_AM_BEING_UNSAFE_RUNNING_AS_ROOT=true")
		said, err := command.CombinedOutput()
		require.NoError(t, err, string(said))
		return string(said)
	}
	run("migrate")
	run("admin", "user", "create", "--username", "ann", "--password", "a-long-password-4711", "--email", "ann@example.com", "--admin", "--must-change-password=false")
	words := strings.Fields(run("admin", "user", "generate-access-token", "--username", "ann", "--scopes", "all", "--raw"))
	web := exec.Command(program, "--config", config, "web")
	web.Env = append(os.Environ(), "HOME="+dir, "GITEA_I_AM_BEING_UNSAFE_RUNNING_AS_ROOT=true")
	require.NoError(t, web.Start())
	t.Cleanup(func() {
		_ = web.Process.Kill()
		_ = web.Wait()
	})
	g := &gitea{t: t, url: "http://" + address, token: words[len(words)-1]}
	require.Eventually(t, func() bool {
		answer, err := http.Get(g.url + "/api/healthz")
		if err != nil {
			return false
		}
		_ = answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	}, 2*time.Minute, 50*time.Millisecond)
	g.ask(http.MethodPost, "/user/repos", map[string]any{"name": "shop", "private": true})
	return g
}

func user(t *testing.T) string {
	t.Helper()
	name, err := exec.Command("id", "-un").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(name))
}

// ask is what people and other programs do at the forge.
func (g *gitea) ask(method, path string, body any) map[string]any {
	g.t.Helper()
	text, err := json.Marshal(body)
	require.NoError(g.t, err)
	request, err := http.NewRequest(method, g.url+"/api/v1"+path, bytes.NewReader(text))
	require.NoError(g.t, err)
	request.Header.Set("Authorization", "token "+g.token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	require.NoError(g.t, err)
	defer func() { _ = answer.Body.Close() }()
	read, err := io.ReadAll(answer.Body)
	require.NoError(g.t, err)
	require.Less(g.t, answer.StatusCode, 300, "%s %s: %s", method, path, read)
	var said map[string]any
	_ = json.Unmarshal(read, &said) // some answers are lists, or empty
	return said
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	said, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...).CombinedOutput()
	require.NoError(t, err, string(said))
	return strings.TrimSpace(string(said))
}

// Rule: at a real forge a pull request is opened once, however often it is asked for, and a token that is none is named.
func TestGitea(t *testing.T) {
	g := startGitea(t)
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	remote := strings.Replace(g.url, "http://", "http://ann:"+g.token+"@", 1) + "/ann/shop.git"
	git(t, dir, "remote", "add", "origin", remote)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o600))
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "one")
	git(t, dir, "push", "-q", "origin", "main")
	git(t, dir, "checkout", "-qb", "agents/shop")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\nTWO\n"), 0o600))
	git(t, dir, "commit", "-qam", "two")
	git(t, dir, "push", "-q", "origin", "agents/shop")

	of, err := forge.Locate(remote, "")
	require.NoError(t, err)
	of.Token = g.token
	wish := forge.Wish{Title: "shop", Body: "by agents", Head: "agents/shop", Base: "main"}
	opened, err := of.Open(t.Context(), wish)
	require.NoError(t, err)
	require.Equal(t, "open", opened.State)
	again, err := of.Open(t.Context(), wish)
	require.NoError(t, err)
	require.Equal(t, opened, again)

	of.Token = "none"
	_, err = of.Open(t.Context(), wish)
	require.ErrorContains(t, err, "token")
}
