package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/agent/atif/atiftest"
)

// repositoryWith is a git repository of a person with one commit, and a policy of the Healer if there is one.
func repositoryWith(t *testing.T, policy string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shop")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".kintsugi"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "price.txt"), []byte("3\n"), 0o600))
	if policy != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, ".kintsugi", "healer.yaml"), []byte(policy), 0o600))
	}
	inRepository(t, dir, "init", "-q", "-b", "main")
	inRepository(t, dir, "add", "-A")
	inRepository(t, dir, "commit", "-qm", "first")
	return dir
}

// inRepository is the person's own git.
func inRepository(t *testing.T, dir string, args ...string) {
	t.Helper()
	git := exec.Command("git", append([]string{"-c", "user.name=P", "-c", "user.email=p@example.com"}, args...)...)
	git.Dir, git.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}
	out, err := git.CombinedOutput()
	require.NoError(t, err, "git %v: %s", args, out)
}

// Rule: in any repository, without a workflow or a server: what fails is healed or contained with its exit code, a person is told
// until it is unblocked, and the history can be read and verified.
func TestHealerInARepository(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	dir := repositoryWith(t, "checks:\n  price: grep -qx 4 price.txt\nagent:\n  command: [sh, -c, 'cat > /dev/null; echo 4 > price.txt']\nclean: true\n")
	mended := h.object("healer", "invoke", dir, "--session", "s1", "--subtask", "prices")
	require.Equal(t, "resolved", mended["outcome"])
	require.Equal(t, "passes", h.object("healer", "invoke", dir, "--session", "s1", "--subtask", "prices")["outcome"])
	found := decodeAs[[]map[string]any](t, h.ends(terminal.ExitEscalated, "healer", "scan", dir, "-o", "json").out)
	require.Equal(t, []any{false, true}, []any{found[0]["passed"], found[1]["passed"]}, "what the agent did is committed by nobody")
	inRepository(t, dir, "commit", "-qam", "price")
	h.ok("healer", "scan", dir, "--session", "s2")
	require.Len(t, h.object("healer", "show", "s2")["green"], 1)
	require.Contains(t, h.ends(terminal.ExitEscalated, "healer", "invoke", repositoryWith(t, ""), "--session", "s4", "--check", "false").out,
		"kintsugi healer show s4 --data-dir "+h.dir, "what is to be pasted says which data it is about")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "half.txt"), []byte("half\n"), 0o600))
	h.ok("healer", "scan", dir, "--session", "s3", "--fix")
	require.NoFileExists(t, filepath.Join(dir, "half.txt"))
}

// Rule: what could not be mended waits for a person, who is told; mended, it is let go on.
func TestHealerTellsAPerson(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	dir := repositoryWith(t, "clean: true\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "half.txt"), []byte("half\n"), 0o600))
	r := h.ends(terminal.ExitEscalated, "healer", "invoke", dir, "--session", "n1", "--subtask", "prices", "--check", "grep -qx 4 price.txt", "-o", "json")
	require.Equal(t, "contained", decodeAs[map[string]any](t, r.out)["outcome"])
	require.NoFileExists(t, filepath.Join(dir, "half.txt"))
	require.Len(t, h.objects("notification", "list", "--type", "healing"), 1)
	h.ends(terminal.ExitConflict, "healer", "invoke", dir, "--session", "n1", "--subtask", "prices", "--check", "grep -qx 4 price.txt")
	h.ok("healer", "unblock", "n1", "--subtask", "prices", "--reason", "looked")
	require.Empty(t, h.objects("notification", "list", "--type", "healing"))

	require.Contains(t, h.ok("history", "session-n1", "--verify"), "HealerConcluded")
	h.ok("verify")
	require.Empty(t, atiftest.Faults([]byte(h.ok("healer", "show", "n1", "--trajectory", "1"))))

	for text, args := range map[string][]string{
		"no git repository": {"healer", "scan", t.TempDir()},
		"no session":        {"healer", "show", "nobody"},
		"is none of":        {"healer", "invoke", dir, "--trigger", "later"},
		"which check":       {"healer", "invoke", dir},
		"no id":             {"healer", "invoke", dir, "--session", "../x", "--check", "true"},
	} {
		r := h.run(args...)
		require.NotEqual(t, terminal.ExitOK, r.code)
		require.Contains(t, r.err, text)
	}
	wrong := repositoryWith(t, "mode: aggressive\nspell:\n  allowed: []\n")
	require.Contains(t, h.ends(terminal.ExitUsage, "healer", "policy", wrong).err, "line 2")
}
