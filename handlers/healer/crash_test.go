package healer_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/handlers/healer"
)

// crash heals in a process that is killed with an append, or with a call of git, and then goes on here. It says whether the
// process was killed, and how often the agent was launched.
func (w *world) crash(append, git int) (killed bool, launches int) {
	w.t.Helper()
	path := os.Getenv("PATH")
	if git > 0 {
		real, err := exec.LookPath("git")
		require.NoError(w.t, err)
		bin, count := filepath.Join(w.data, "bin"), filepath.Join(w.data, "calls")
		require.NoError(w.t, os.Mkdir(bin, 0o700))
		script := fmt.Sprintf("#!/bin/sh\necho x >> %s\n[ $(wc -l < %[1]s) -ne %d ] || kill -9 $PPID\nexec %s \"$@\"\n", count, git, real)
		require.NoError(w.t, os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o700))
		path = bin + ":" + path
	}
	text, err := json.Marshal(order{Data: w.data, Append: append})
	require.NoError(w.t, err)
	process := exec.Command(os.Args[0])
	process.Env = []string{childVariable + "=" + string(text), "PATH=" + path, "HOME=" + w.data, "TMPDIR=" + w.t.TempDir()}
	process.Stderr = os.Stderr
	err = process.Run()
	if err != nil {
		status := process.ProcessState.Sys().(syscall.WaitStatus)
		require.True(w.t, status.Signaled() && status.Signal() == syscall.SIGKILL, "%v", err)
		killed = true
	}
	require.NoError(w.t, w.healer.Run(w.t.Context(), "s1"))
	starts, err := os.ReadFile(filepath.Join(w.data, "launched"))
	require.NoError(w.t, err)
	return killed, strings.Count(string(starts), "x")
}

// broken is a world in which an agent left work that no one can mend, and the healer was called.
func broken(t *testing.T) *world {
	w := setup(t)
	w.write("price.txt", "5\n")
	w.write("new.txt", "new work\n")
	w.doing("cat > /dev/null; echo x >> " + filepath.Join(w.data, "launched") + "; echo 6 > price.txt; echo made > made.txt; git -c user.name=a -c user.email=a@b commit -qam done")
	require.True(t, w.invoke(healer.Call{}))
	return w
}

// comesToTheSame says that a healing that was killed came to the end to which it comes otherwise, with all bytes kept.
func (w *world) comesToTheSame(launches int) {
	w.t.Helper()
	healing := w.last()
	require.Equal(w.t, session.Contained, healing.Ended.Outcome, healing.Ended.Reason)
	require.Equal(w.t, 1, launches, "the agent was launched once")
	require.Equal(w.t, w.base, w.git("rev-parse", "main"))
	require.Equal(w.t, "?? progress.md", w.git("status", "--porcelain"))
	require.Equal(w.t, 1, strings.Count(w.read("progress.md"), "<!-- kintsugi"))
	kept := map[string]bool{}
	for line := range strings.Lines(w.git("for-each-ref", "--format=%(objectname)", "refs/kintsugi")) {
		commit := strings.TrimSpace(line)
		for path := range strings.Lines(w.git("ls-tree", "-r", "--name-only", commit)) {
			path = strings.TrimSpace(path)
			kept[path+"="+w.git("show", commit+":"+path)] = true
		}
	}
	for _, bytes := range []string{"price.txt=5", "new.txt=new work", "price.txt=6", "made.txt=made"} {
		require.True(w.t, kept[bytes], "%s is lost", bytes)
	}
	w.events()
}

// points are which of the points of a kill are tried: all in a campaign, else the ones that are named.
func points(t *testing.T, all int, few ...int) []int {
	t.Helper()
	if os.Getenv("KINTSUGI_CAMPAIGN") == "" {
		return few
	}
	every := make([]int, all)
	for i := range every {
		every[i] = i + 1
	}
	return every
}

// Rule: killed with any event of a healing, it goes on in the next life to the same end: no agent is launched twice, and no byte
// that one wrote is lost. Between a spell and the conclusion in each build, everywhere in a campaign.
func TestKilledAtAnEvent(t *testing.T) {
	t.Parallel()
	for _, point := range points(t, 13, 5) {
		t.Run(strconv.Itoa(point), func(t *testing.T) {
			t.Parallel()
			w := broken(t)
			killed, launches := w.crash(point, 0)
			require.Equal(t, point <= 12, killed)
			w.comesToTheSame(launches)
		})
	}
}

// Rule: the same at every call of git, which is in the middle of spells.
func TestKilledAtACallOfGit(t *testing.T) {
	t.Parallel()
	for _, point := range points(t, 130, 34, 68) {
		t.Run(strconv.Itoa(point), func(t *testing.T) {
			t.Parallel()
			w := broken(t)
			killed, launches := w.crash(0, point)
			t.Logf("killed: %t", killed)
			w.comesToTheSame(launches)
		})
	}
}
