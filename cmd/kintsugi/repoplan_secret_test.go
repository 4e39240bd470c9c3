package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Rule: a secret that a plan names reaches the environment of the programs that it is for, and nothing else: not the log, the output
// that is kept, prompts, answers or exports, in whatever spelling and pieces a program prints it. Nothing of the server's
// environment reaches an agent.
func TestRepoPlanSecrets(t *testing.T) {
	t.Parallel()
	g := newGitHome(t)
	values := map[string]string{"agents": "sk-agent/4711+y&x", "checks": `sk-check "0815" end`}
	sum := func(name string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(values[name]))) }
	// Programs that have a secret print it: whole, in two writes, encoded, and as arguments of a failure.
	const tells = `
		tell() { echo "it is $1"; printf '%s' "${1%????????}"; sleep 0.03; printf '%s\n' "${1#"${1%????????}"}"
			printf 'user:%s' "$1" | base64 -w0; printf '%s' "$1" | od -An -tx1 -v | tr -d ' \n'; echo "$2" >&2; }
		sum() { printf '%s' "$1" | sha256sum | cut -d' ' -f1; }
	`
	library := filepath.Join(g.scripts, "library")
	require.NoError(t, os.WriteFile(library, []byte(tells), 0o600))
	g.agent("a", `. `+library+`
		cat >"$HOME/told-$KINTSUGI_ATTEMPT"; tell "$TOKEN" '`+url.QueryEscape(values["agents"])+`'
		mkdir -p a; sum "$TOKEN" >a/sum; env | grep -o '^[A-Z_]*=' | sort | tr -d '=\n' >a/env; test "$KINTSUGI_ATTEMPT" = 3`)
	check := `. ` + library + `; tell "$CHECKS"; sum "$CHECKS" >>"$HOME/sums"; test -z "$TOKEN"; `
	file := g.plan("secret", "secrets: {CHECKS: checks}\ninit: '"+strings.ReplaceAll(check, "'", "''")+"'\nverify: ['"+strings.ReplaceAll(check, "'", "''")+"']\n",
		"a\ntouch: ['a/**']\nsecrets: {TOKEN: agents}\nattempts: 2\nverify: ['"+strings.ReplaceAll(check+`test -e "$HOME/once" || { : >"$HOME/once"; exit 1; }`, "'", "''")+"']")
	id := g.start(file)
	for name, value := range values {
		set := g.runWith(value, "secret", "set", name, "--all", "--host", "coding-agent")
		require.Zero(t, set.code, set.err)
	}
	g.dev()
	held := g.until(id, "held", ends)
	require.Equal(t, "held", held.Status)
	require.Equal(t, 2, held.job("a").Attempt)
	g.ok("repo", "plan", "relaunch", id, "a", "--note", "again")
	held = g.until(id, "held after its verification", func(p shownPlan) bool { return ends(p) && p.job("a").Attempt == 3 })
	require.Equal(t, "test_failure", held.job("a").Checkpoint.Kind)
	g.ok("repo", "plan", "retry", id, "a")
	done := g.until(id, "completed", ends)
	require.Equal(t, "completed", done.Status, g.ok("repo", "plan", "show", id))

	require.Equal(t, sum("agents"), g.git("show", "agents/secret:a/sum"), "the agent had it")
	sums, err := os.ReadFile(filepath.Join(done.Place, "jobs", "a", "home", "sums"))
	require.NoError(t, err)
	require.Equal(t, strings.Repeat(sum("checks")+"\n", 6), string(sums), "init, the checks and those of the merge had theirs")
	require.Equal(t, "GIT_AUTHOR_EMAILGIT_AUTHOR_NAMEGIT_COMMITTER_EMAILGIT_COMMITTER_NAMEHOMEKINTSUGI_ATTEMPTKINTSUGI_JOBKINTSUGI_LAUNCHKINTSUGI_PLANKINTSUGI_TASK_FILEKINTSUGI_TRAJECTORYLANGPATHPWDTMPDIRTOKEN",
		g.git("show", "agents/secret:a/env"), "nothing of the server's environment, nor of the checks'")
	told, err := os.ReadFile(filepath.Join(done.Place, "jobs", "a", "home", "told-3"))
	require.NoError(t, err)
	require.Contains(t, string(told), "it is [agents]", "what failed is told, without it")

	spelled := map[string]string{}
	for name, value := range values {
		for spelling, text := range map[string]string{
			"plain": value, "the beginning": value[:10], "the end": value[len(value)-8:], "URL": url.QueryEscape(value), "hexadecimal": hex.EncodeToString([]byte(value)),
			"base64": base64.StdEncoding.EncodeToString([]byte("user:" + value))[8:20], "JSON": strings.ReplaceAll(value, `"`, `\"`),
		} {
			spelled[name+" "+spelling] = text
		}
	}
	clean := func(where string, text []byte) {
		for what, spelling := range spelled {
			require.False(t, bytes.Contains(text, []byte(spelling)), "%s has the %s: %s", where, what, spelling)
		}
	}
	exported := filepath.Join(t.TempDir(), "backup")
	g.ok("store", "backup", exported)
	text, err := os.ReadFile(exported)
	require.NoError(t, err)
	require.Contains(t, string(text), "it is [agents]")
	clean("the backup", text)
	for _, args := range [][]string{{"repo", "plan", "show", id, "-o", "json"}, {"history", "plan-" + id, "-o", "json"}, {"notification", "list", "--all", "-o", "json"}} {
		clean(fmt.Sprint(args), []byte(g.run(args...).out))
	}
	clean("git", []byte(g.git("log", "--all", "-p", "--format=fuller")))
	// The data directory has the log, what views keep, outputs, prompts and what was launched.
	require.NoError(t, filepath.WalkDir(g.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		clean(path, text)
		return nil
	}))
}
