package api_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/api"
	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/handlers/healer"
	"github.com/kintsugi-run/kintsugi/projections"
)

// repository is one with a file and a commit.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) {
		program := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=P", "-c", "user.email=p@example.com"}, args...)...)
		out, err := program.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	git("init", "-q", "-b", "main")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a\n"), 0o600))
	git("add", "-A")
	git("commit", "-qm", "first")
	return dir
}

// repoPlan starts a plan; the path at which it is.
func (s *server) repoPlan(dir, text string) string {
	s.t.Helper()
	definition, faults, err := app.ReadRepoPlan(s.t.Context(), []byte(text), dir)
	require.NoError(s.t, err)
	require.Empty(s.t, faults)
	started, err := s.node.Plans.Start(s.t.Context(), "person:ann", definition)
	require.NoError(s.t, err)
	return "/repo-plans/" + started.ID
}

func (s *server) becomes(path, status string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return s.ok(http.MethodGet, path, nil).field(s.t, "status") == status }, patience, 10*time.Millisecond, status)
}

// A job that left its touch set is seen and answered over HTTP: once, for what was seen, and by nobody who sees only what is somebody's.
func TestRepoPlans(t *testing.T) {
	t.Parallel()
	s := serve(t)
	agent := `echo b >>a.txt; echo made >b.txt; printf '\000\001' >c.bin; echo x >"\"<b>; \t.txt"; printf 'caf\303\251 at work'; seq 20000`
	path := s.repoPlan(repository(t), "title: t\nbase: main\nintegration: agents/t\njobs:\n- {id: one, task: x, agent: '"+strings.ReplaceAll(agent, "'", "''")+"', touch: [b.txt]}\n")
	s.becomes(path, "held")
	got := s.ok(http.MethodGet, path, nil)
	seen := got.header.Get("ETag")
	var whole app.RepoPlanView
	got.into(t, &whole)
	require.Len(t, whole.Checkpoints, 1)
	require.Equal(t, 3, whole.Checkpoints[0].Count)
	require.Equal(t, []string{"b.txt"}, whole.Checkpoints[0].Allowed)
	require.Len(t, whole.Steps, 1)
	require.Equal(t, agent, whole.Work[0].Agent)

	// Its changes are shown file by file: a file that is no text is named, and a name is what it is, whatever it has in it.
	var diff app.RepoDiff
	s.ok(http.MethodGet, path+"/jobs/one/diff", nil).into(t, &diff)
	files := map[string]app.RepoDiffFile{}
	for _, file := range diff.Files {
		files[file.Path] = file
	}
	require.Len(t, files, 4)
	require.Contains(t, files["a.txt"].Patch, "+b")
	require.Empty(t, files["b.txt"].Outside)
	require.Contains(t, files["a.txt"].Outside, "not in the touch set")
	require.True(t, files["c.bin"].Binary)
	hostile := files["\"<b>; \\t.txt"]
	require.Contains(t, hostile.Patch, "+x", "each has its own part of the patch")
	s.ok(http.MethodGet, path+"/jobs/one/diff?held=true", nil).into(t, &diff)
	require.Len(t, diff.Files, 3)

	// Its output comes in parts that begin and end with whole characters.
	part := func(query string) (out app.RepoOutput) {
		s.ok(http.MethodGet, path+"/jobs/one/output"+query, nil).into(t, &out)
		return out
	}
	end := part("?limit=16")
	require.True(t, end.Ended)
	require.Equal(t, end.Size, end.To)
	require.Equal(t, "9999\n20000\n", end.Text[len(end.Text)-11:])
	first := part("?from=3&limit=16")
	require.Equal(t, "é at work1\n2\n3\n", first.Text)
	require.EqualValues(t, 3, first.From)
	require.Equal(t, "caf", part("?from=0&limit=16").Text[:3])
	require.Empty(t, part("?from=999999").Text)
	s.refused(http.StatusNotFound, s.admin, http.MethodGet, "/api/v1"+path+"/jobs/one/output?launch=..%2F..%2Fsecret", nil)
	s.refused(http.StatusNotFound, s.admin, http.MethodGet, "/api/v1"+path+"/jobs/none/output", nil)

	bob := s.token(installation.CreateToken{Person: "bob", Owner: "bob", Scopes: []installation.Scope{installation.Read, installation.Judge}})
	for _, of := range []string{"", "/steps", "/checkpoints", "/history", "/jobs/one/diff", "/jobs/one/output"} {
		s.refused(http.StatusNotFound, bob.Token, http.MethodGet, "/api/v1"+path+of, nil)
	}
	reader := s.token(installation.CreateToken{Person: "eve", Scopes: []installation.Scope{installation.Read}})
	s.refused(http.StatusForbidden, reader.Token, http.MethodPost, "/api/v1"+path+"/jobs/one/accept", map[string]any{"checkpoint": 1, "reason": "r"})

	accept := func() reply {
		return s.ok(http.MethodPost, path+"/jobs/one/accept", map[string]any{"checkpoint": 1, "reason": "it is right"}, "If-Match", seen, "Idempotency-Key", "once")
	}
	accept().into(t, &whole)
	require.Equal(t, "accept", whole.Checkpoints[0].Answer, "who answers sees the answer")
	accept()
	s.refused(http.StatusPreconditionFailed, s.admin, http.MethodPost, "/api/v1"+path+"/cancel", nil, "If-Match", seen)
	s.refused(http.StatusConflict, s.admin, http.MethodPost, "/api/v1"+path+"/jobs/one/relaunch", map[string]any{"checkpoint": 1})
	s.becomes(path, "completed")
	got = s.ok(http.MethodGet, path+"/checkpoints", nil)
	require.Contains(t, string(got.body), `"answered_by":"person:ann","why":"it is right"`)
	var history api.StreamPage
	s.ok(http.MethodGet, path+"/history?limit=1", nil).into(t, &history)
	require.Equal(t, "PlanCompleted", history.Items[0].Type)
	s.ok(http.MethodGet, path+"/history?limit=1&after="+history.Next, nil).into(t, &history)
	require.Equal(t, "JobMerged", history.Items[0].Type)
}

// Plans, and what was done for one, come in pages.
func TestRepoPlansComeInPages(t *testing.T) {
	t.Parallel()
	s := serve(t)
	dir := repository(t)
	first := s.repoPlan(dir, "title: first\nbase: main\nintegration: agents/one\njobs:\n- {id: one, task: x, agent: 'echo x >b.txt', touch: [b.txt], verify: ['true', 'false']}\n")
	s.becomes(first, "held")
	second := s.repoPlan(dir, "title: second\nbase: main\nintegration: agents/two\njobs:\n- {id: one, task: x, agent: 'echo x >b.txt', touch: [b.txt]}\n")
	s.becomes(second, "completed")
	var list api.Page[projections.RepoPlan]
	s.ok(http.MethodGet, "/repo-plans?limit=1", nil).into(t, &list)
	require.Equal(t, "second", list.Items[0].Title)
	next := list.Next
	list = api.Page[projections.RepoPlan]{}
	s.ok(http.MethodGet, "/repo-plans?limit=1&after="+next, nil).into(t, &list)
	require.Equal(t, "first", list.Items[0].Title)
	require.Empty(t, list.Next)
	list = api.Page[projections.RepoPlan]{}
	s.ok(http.MethodGet, "/repo-plans?status=held", nil).into(t, &list)
	require.Len(t, list.Items, 1)
	require.Equal(t, map[string]int{"held": 1}, list.Items[0].States)
	var steps api.Page[projections.RepoStep]
	s.ok(http.MethodGet, first+"/steps?limit=2&job=one", nil).into(t, &steps)
	require.Equal(t, []string{"false", "true"}, []string{steps.Items[0].Line, steps.Items[1].Line})
	require.False(t, steps.Items[0].OK)
	s.ok(http.MethodGet, first+"/steps?limit=2&after="+steps.Next, nil).into(t, &steps)
	require.Equal(t, "agent", steps.Items[0].Phase)
	require.Contains(t, s.refused(http.StatusConflict, s.admin, http.MethodPost, "/api/v1"+first+"/jobs/one/accept", map[string]any{"reason": "r"}), "nothing to accept")
	stream := "plan-" + strings.TrimPrefix(second, "/repo-plans/")
	for _, one := range s.watch("stream="+stream, "start", func(one api.LiveEvent) bool { return one.Type == "PlanCompleted" }) {
		require.Equal(t, stream, one.Stream)
	}
}

// A healing is seen over HTTP with what was done and what the server saw, and its subtask goes on when a person says so.
func TestHealSessions(t *testing.T) {
	t.Parallel()
	s := serve(t)
	dir := repository(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("broken\n"), 0o600))
	policy := session.DefaultPolicy()
	_, err := s.node.Sessions.Open(t.Context(), "night", dir, &policy, app.By("person:ann"))
	require.NoError(t, err)
	healed, err := s.node.Sessions.Invoke(t.Context(), "night", healer.Call{Trigger: session.VerificationFailed, Subtask: "prices", Check: session.Check{Name: "never", Command: "echo it fails; false"}}, app.By("person:ann"))
	require.NoError(t, err)
	require.Equal(t, "contained", healed.Outcome, healed.Reason)

	var list api.Page[projections.HealSession]
	require.Eventually(t, func() bool {
		s.ok(http.MethodGet, "/healer/sessions", nil).into(t, &list)
		return len(list.Items) == 1 && list.Items[0].Outcome == "contained"
	}, patience, 10*time.Millisecond)
	require.Contains(t, list.Items[0].Blocked, "prices")
	got := s.ok(http.MethodGet, "/healer/sessions/night", nil)
	var shown app.HealSessionView
	got.into(t, &shown)
	require.Len(t, shown.Heals, 1)
	require.Equal(t, "it fails\n", shown.Heals[0].Failure.Tail)
	require.False(t, shown.Heals[0].Checked.Passed)
	require.NotEmpty(t, shown.Heals[0].Spells)
	var report app.HealingReport
	s.ok(http.MethodGet, "/healer/sessions/night/healings/1", nil).into(t, &report)
	require.Equal(t, shown.Heals[0], report)
	require.Contains(t, string(s.ok(http.MethodGet, "/healer/sessions/night/healings/1/trajectory", nil).body), `"schema_version":"ATIF`)
	for _, path := range []string{"/healer/sessions/none", "/healer/sessions/night/healings/2", "/healer/sessions/night/healings/2/trajectory"} {
		s.refused(http.StatusNotFound, s.admin, http.MethodGet, "/api/v1"+path, nil)
	}
	bob := s.token(installation.CreateToken{Person: "bob", Owner: "bob", Scopes: []installation.Scope{installation.Read, installation.Judge}})
	s.refused(http.StatusNotFound, bob.Token, http.MethodGet, "/api/v1/healer/sessions/night", nil)
	s.refused(http.StatusPreconditionFailed, s.admin, http.MethodPost, "/api/v1/healer/sessions/night/unblock", map[string]any{"subtask": "prices"}, "If-Match", `"1"`)
	shown = app.HealSessionView{}
	s.ok(http.MethodPost, "/healer/sessions/night/unblock", map[string]any{"subtask": "prices", "reason": "done"}, "If-Match", got.header.Get("ETag")).into(t, &shown)
	require.Empty(t, shown.Blocked)
}
