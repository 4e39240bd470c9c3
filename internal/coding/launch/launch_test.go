package launch_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/coding/launch"
)

func TestMain(m *testing.M) {
	if launch.IsSupervisor() {
		launch.SupervisorMain()
	}
	os.Exit(m.Run())
}

func setup(t *testing.T) (*launch.Launcher, string) {
	t.Helper()
	launcher, err := launch.New()
	require.NoError(t, err)
	place, err := os.MkdirTemp("", "launch")
	require.NoError(t, err)
	dir := filepath.Join(place, "launch")
	t.Cleanup(func() {
		_, err := launcher.End(t.Context(), dir)
		if t.Context().Err() == nil {
			require.NoError(t, err)
		}
		// A supervisor that came too late to have the launch may still be looking at it.
		require.Eventually(t, func() bool { return os.RemoveAll(place) == nil }, time.Minute, time.Millisecond)
	})
	return launcher, dir
}

func shell(script string) launch.Spec {
	return launch.Spec{
		Argv: []string{"sh", "-c", script}, Dir: os.TempDir(), Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"},
		Timeout: time.Minute, MaxOutput: 1 << 20,
	}
}

func run(t *testing.T, launcher *launch.Launcher, dir string, spec launch.Spec) (launch.Ended, string) {
	t.Helper()
	require.NoError(t, launcher.Start(t.Context(), dir, spec))
	ended, err := launcher.Wait(t.Context(), dir)
	require.NoError(t, err)
	output, err := launch.Tail(dir, 1<<20)
	require.NoError(t, err)
	return ended, output
}

// Rule: a program has the environment that it is given, its input, and nothing of ours.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	launcher, dir := setup(t)
	spec := shell("cat; env | sort; exit 3")
	spec.Env, spec.Stdin = append(spec.Env, "NAME=value"), "the task\n"
	ended, output := run(t, launcher, dir, spec)
	require.Equal(t, launch.Exited, ended.Reason)
	require.Equal(t, 3, ended.Code)
	require.Equal(t, int64(len(output)), ended.Output)
	output = strings.ReplaceAll(output, "_=/usr/bin/env\n", "")
	require.Equal(t, "the task\nKINTSUGI_LAUNCH="+dir+"\nNAME=value\nPATH=/usr/local/bin:/usr/bin:/bin\nPWD="+os.TempDir()+"\n", output)
}

// Rule: a directory is one launch, however often and by whomever it is started.
func TestOnce(t *testing.T) {
	t.Parallel()
	launcher, dir := setup(t)
	count := filepath.Join(t.TempDir(), "count")
	spec := shell("echo x >>" + count)
	begun := make(chan error)
	for range 4 {
		other, err := launch.New() // as another life of the server
		require.NoError(t, err)
		go func() { begun <- other.Start(t.Context(), dir, spec) }()
	}
	for range 4 {
		require.NoError(t, <-begun)
	}
	ended, _ := run(t, launcher, dir, spec)
	require.True(t, ended.OK(), "%s", ended)
	text, err := os.ReadFile(count)
	require.NoError(t, err)
	require.Equal(t, "x\n", string(text))
}

// Rule: a program that writes more than is kept goes on to its end: the middle of its output is left out, and a hidden value is
// in neither half.
func TestLongOutputIsCutInTheMiddle(t *testing.T) {
	t.Parallel()
	launcher, dir := setup(t)
	spec := shell("seq 1 20000; printf 'sesame-open\\nlast\\n'")
	spec.MaxOutput, spec.Hide = 1000, map[string]string{"KEY": "sesame-open"}
	ended, output := run(t, launcher, dir, spec)
	require.True(t, ended.OK(), "%s", ended)
	require.True(t, strings.HasPrefix(output, "1\n2\n3\n"), output)
	require.True(t, strings.HasSuffix(output, "\n20000\n[KEY]\nlast\n"), output)
	require.Contains(t, output, "bytes are left out")
	require.Less(t, len(output), 1100)
	spec.Argv[2] = "seq 1 20"
	_, whole := run(t, launcher, t.TempDir(), spec)
	require.NotContains(t, whole, "left out")
}

// Rule: how a program ended is told apart, and it never has more time than it may.
func TestEnds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*launch.Spec)
		want   launch.Reason
	}{
		"time":       {func(s *launch.Spec) { s.Argv[2], s.Timeout = "sleep 1000", time.Millisecond }, launch.TimedOut},
		"no program": {func(s *launch.Spec) { s.Argv[0] = "no-such-program" }, launch.Unable},
		"no place":   {func(s *launch.Spec) { s.Dir = "/nowhere" }, launch.Unable},
		"a signal":   {func(s *launch.Spec) { s.Argv[2] = "kill -KILL $$" }, launch.Signaled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			launcher, dir := setup(t)
			spec := shell("true")
			test.change(&spec)
			ended, _ := run(t, launcher, dir, spec)
			require.Equal(t, test.want, ended.Reason, "%s", ended)
			require.False(t, ended.OK())
		})
	}
}

// Rule: a value that is hidden is nowhere in the output, in whatever pieces it is written.
func TestHidden(t *testing.T) {
	t.Parallel()
	launcher, dir := setup(t)
	spec := shell(`printf 'a sesame-'; sleep 0.02; printf 'open b ses'; sleep 0.02; printf 'ame c'`)
	spec.Hide = map[string]string{"KEY": "sesame-open", "EMPTY": ""}
	_, output := run(t, launcher, dir, spec)
	require.Equal(t, "a [KEY] b sesame c", output)
}

// Rule: what a program left running has ended before it counts as ended, in whatever session it hides.
func TestDaemons(t *testing.T) {
	t.Parallel()
	launcher, dir := setup(t)
	pids := filepath.Join(t.TempDir(), "pids")
	ended, _ := run(t, launcher, dir, shell(`
		sleep 1000 & echo $! >>`+pids+`
		setsid sh -c 'echo $$ >>`+pids+`; env -i sleep 1001 & echo $! >>`+pids+`; wait' </dev/null >/dev/null 2>&1 &
		until [ $(wc -l <`+pids+`) = 3 ]; do sleep 0.01; done`))
	require.Equal(t, launch.Exited, ended.Reason, "%s %s", ended, ended.Detail)
	require.GreaterOrEqual(t, ended.Left, 3)
	requireGone(t, pids)
}

func requireGone(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
			return err != nil || strings.Contains(string(stat), ") Z ")
		}, time.Minute, time.Millisecond, "process %d is still there", pid)
	}
}

// Rule: a later life finds the launch, waits for it, and learns how it ended.
func TestLaterLife(t *testing.T) {
	t.Parallel()
	launcher, dir := setup(t)
	gate := filepath.Join(t.TempDir(), "gate")
	require.NoError(t, launcher.Start(t.Context(), dir, shell("until [ -e "+gate+" ]; do sleep 0.01; done; exit 7")))
	later, err := launch.New()
	require.NoError(t, err)
	require.NoError(t, later.Start(t.Context(), dir, shell("exit 1")), "it goes on with the one that is there")
	require.NoError(t, os.WriteFile(gate, nil, 0o600))
	ended, err := later.Wait(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, 7, ended.Code)
}

// Rule: if the supervisor is killed, too, the launch is lost, and nothing of it goes on working.
func TestLost(t *testing.T) {
	t.Parallel()
	launcher, dir := setup(t)
	pids := filepath.Join(t.TempDir(), "pids")
	require.NoError(t, launcher.Start(t.Context(), dir, shell("echo $$ >"+pids+"; sleep 1000")))
	require.Eventually(t, func() bool { text, err := os.ReadFile(pids); return err == nil && len(text) > 0 }, time.Minute, time.Millisecond)
	process, there, err := launch.Supervisor(dir)
	require.NoError(t, err)
	require.True(t, there)
	require.NoError(t, syscall.Kill(process.PID, syscall.SIGKILL))
	ended, err := launcher.Wait(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, launch.Lost, ended.Reason)
	requireGone(t, pids)
}

// Rule: what is ended is gone with its descendants when End returns; what was ended before it began never begins.
func TestEnd(t *testing.T) {
	t.Parallel()
	launcher, dir := setup(t)
	pids := filepath.Join(t.TempDir(), "pids")
	require.NoError(t, launcher.Start(t.Context(), dir, shell("trap '' TERM; echo $$ >"+pids+"; setsid sleep 1000 & echo $! >>"+pids+"; wait; sleep 1000")))
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(pids)
		return err == nil && strings.Count(string(text), "\n") == 2
	}, time.Minute, time.Millisecond)
	ended, err := launcher.End(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, launch.Killed, ended.Reason)
	requireGone(t, pids)
	again, err := launcher.End(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, ended, again)

	never := filepath.Join(t.TempDir(), "never")
	_, err = launcher.End(t.Context(), never)
	require.NoError(t, err)
	ended, _ = run(t, launcher, never, shell("echo it ran"))
	require.Equal(t, launch.Killed, ended.Reason)
	require.NoFileExists(t, launch.OutputPath(never))
}

// Rule: a process that got the id of one that we launched is not ours, and is never ended.
func TestNotOurs(t *testing.T) {
	t.Parallel()
	launcher, dir := setup(t)
	require.NoError(t, os.Mkdir(dir, 0o700))
	text, err := json.Marshal(launch.Process{PID: os.Getpid(), Start: "long ago"})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "process.json"), text, 0o600))
	ended, err := launcher.Wait(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, launch.Lost, ended.Reason)
}
