package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// A checkpoint is signed, kept outside the data directory, and names the one before it. A checkpoint that another key
// signed is not trusted.
func TestCheckpoints(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	keys := t.TempDir()
	key := filepath.Join(keys, "audit.key")
	first := h.object("store", "checkpoint", "--key", key)
	second := h.object("store", "checkpoint", "--key", key)
	require.NotContains(t, first, "previous")
	require.NotEmpty(t, second["previous"])
	require.Equal(t, first["root"], second["root"])
	file := second["file"].(string)
	require.NotContains(t, file, h.dir)

	inData := filepath.Join(h.dir, "sub")
	require.NoError(t, os.Mkdir(inData, 0o700))
	link := filepath.Join(keys, "link")
	require.NoError(t, os.Symlink(inData, link))
	require.Contains(t, h.ends(terminal.ExitUsage, "store", "checkpoint", "--key", key, "--out", filepath.Join(link, "c.json")).err, "is in the data directory")
	require.Contains(t, h.ends(terminal.ExitUsage, "store", "checkpoint", "--key", filepath.Join(link, "k")).err, "would be in the data directory")
	require.Contains(t, h.ends(terminal.ExitUsage, "store", "checkpoint", "--key", key, "--out", filepath.Join(keys, "none", "c.json")).err, "no such file or directory")
	require.Contains(t, h.ends(terminal.ExitUsage, "store", "checkpoint", "extra").err, "1 arguments given")
	require.Contains(t, h.ends(terminal.ExitUsage, "store", "checkpoint", "--key", key, "--out", filepath.Join(h.dir, "c.json")).err, "is in the data directory")
	require.Contains(t, h.ends(terminal.ExitUsage, "store", "checkpoint", "--key", filepath.Join(h.dir, "k"), "--out", filepath.Join(keys, "x.json")).err, "would be in the data directory")
	require.Contains(t, h.ends(terminal.ExitConflict, "store", "checkpoint", "--key", key, "--out", file).err, "is there already")

	h.ok("store", "checkpoint", "--key", filepath.Join(keys, "other.key"), "--out", filepath.Join(keys, "other.json"))
	require.Contains(t, h.ends(terminal.ExitBroken, "verify", "--key", key, "--checkpoint", filepath.Join(keys, "other.json")).err, "is not to be trusted")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	forged := h.file("forged.json", strings.Replace(string(text), `"events": `, `"events": 1`, 1))
	require.Contains(t, h.ends(terminal.ExitBroken, "verify", "--key", key, "--checkpoint", forged).err, "changed after it was signed")
	require.Contains(t, h.ends(terminal.ExitUsage, "verify", "--key", key, "--checkpoint", h.file("x.json", "{}")).err, "does not say its format")
	require.Contains(t, h.ends(terminal.ExitUsage, "verify", "--checkpoint", file, "--public-key", "abc").err, "is not a public key")
	require.Contains(t, h.ends(terminal.ExitUsage, "verify", "--checkpoint", file, "--key", filepath.Join(keys, "none")).err, "there is no key")
	require.Equal(t, terminal.ExitOK, h.run("verify", "--checkpoint", file, "--public-key", second["public_key"].(string)).code)
}

// Nobody signs by mistake what was done to a history: the next checkpoint is only made if the
// history begins with the one before, and that is of the same key.
func TestCheckpointsFollowEachOther(t *testing.T) {
	t.Parallel()
	s := newSigned(t)
	first := s.object("store", "checkpoint", "--key", s.key)
	s.ok("workflow", "run", "--repair", "Orders", "--input", day(8))
	other := s.forge(t, func(r []eventlog.Record) []eventlog.Record { return r[:len(r)/2] })
	require.NoError(t, os.Rename(filepath.Join(other.dir, app.LogFile), filepath.Join(s.dir, app.LogFile)))
	for _, rest := range []string{"-wal", "-shm"} {
		_ = os.Remove(filepath.Join(s.dir, app.LogFile+rest)) // it may have none
	}
	found := s.ends(terminal.ExitBroken, "store", "checkpoint", "--key", s.key)
	require.Contains(t, found.err, "the history was changed: ")
	require.Contains(t, found.err, "other streams end too early or are gone")
	entries, err := os.ReadDir(filepath.Dir(first["file"].(string)))
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing was signed")

	require.Contains(t, s.ends(terminal.ExitBroken, "store", "checkpoint", "--key", filepath.Join(t.TempDir(), "k")).err, "to begin anew name a file with --out")
	begun := s.object("store", "checkpoint", "--key", s.key, "--out", filepath.Join(t.TempDir(), "anew.json"))
	require.NotContains(t, begun, "previous")
}

// Key and checkpoints are in the user's configuration, or where the environment says, and never
// in the data directory.
func TestAuditPlaces(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "W", "--script", h.file("s.js", "function main() {}"))
	config := t.TempDir()
	process := func(env []string, args ...string) result {
		command := h.command(args...)
		command.Env = append(append(command.Env, "XDG_CONFIG_HOME="+config), env...)
		var out, errs bytes.Buffer
		command.Stdout, command.Stderr = &out, &errs
		err := command.Run()
		require.NotNil(t, command.ProcessState, "%v", err)
		return result{code: command.ProcessState.ExitCode(), out: out.String(), err: errs.String()}
	}
	first := process(nil, "store", "checkpoint", "-o", "json")
	require.Equal(t, terminal.ExitOK, first.code, first.err)
	require.Contains(t, first.err, "Made a signing key: "+filepath.Join(config, "kintsugi", "audit.key"))
	file := decodeAs[map[string]any](t, first.out)["file"].(string)
	require.True(t, strings.HasPrefix(file, filepath.Join(config, "kintsugi", "checkpoints")+string(filepath.Separator)), file)
	require.Equal(t, terminal.ExitOK, process(nil, "verify", "--checkpoint", file).code)
	second := process(nil, "store", "checkpoint")
	require.Equal(t, terminal.ExitOK, second.code, second.err)
	require.Empty(t, second.err, "the key is there")

	named := filepath.Join(t.TempDir(), "named.key")
	env := []string{app.AuditKeyEnv + "=" + named}
	out := filepath.Join(t.TempDir(), "c.json")
	third := process(env, "store", "checkpoint", "--out", out)
	require.Equal(t, terminal.ExitOK, third.code, third.err)
	require.FileExists(t, named)
	require.FileExists(t, named+".pub")
	require.Equal(t, terminal.ExitOK, process(env, "verify", "--checkpoint", out).code)
	require.Equal(t, terminal.ExitBroken, process(nil, "verify", "--checkpoint", out).code, "it is of another key")

	inside := process([]string{app.AuditKeyEnv + "=" + filepath.Join(h.dir, "k")}, "store", "checkpoint")
	require.Equal(t, terminal.ExitUsage, inside.code)
	require.Contains(t, inside.err, "would be in the data directory")
	nowhere := process([]string{"HOME=", "XDG_CONFIG_HOME="}, "store", "checkpoint")
	require.Equal(t, terminal.ExitFailure, nowhere.code)
	require.Contains(t, nowhere.err, "name one with --out")
	nowhere = process([]string{"HOME=", "XDG_CONFIG_HOME="}, "store", "checkpoint", "--out", filepath.Join(t.TempDir(), "c.json"))
	require.Contains(t, nowhere.err, "name it with --key or "+app.AuditKeyEnv)
	within := process([]string{"XDG_CONFIG_HOME=" + h.dir}, "store", "checkpoint")
	require.Equal(t, terminal.ExitUsage, within.code)
	require.Contains(t, within.err, "is in the data directory")
}

// A proof shows to somebody without the log that an event was in it.
func TestProofOfOneEvent(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	stream := "run-" + h.objects("run", "list")[0]["id"].(string)
	keys := t.TempDir()
	key, signed, proof := filepath.Join(keys, "k"), filepath.Join(keys, "c.json"), filepath.Join(keys, "p.json")
	public := h.object("store", "checkpoint", "--key", key, "--out", signed)["public_key"].(string)
	h.ok("store", "proof", stream, "1", "--checkpoint", signed, "--key", key, "--out", proof)

	away := newHome(t) // it has no log
	shown := away.object("verify", "--proof", proof, "--public-key", public)
	require.Equal(t, "ToolCalled", shown["type"])
	text, err := os.ReadFile(proof)
	require.NoError(t, err)
	forged := away.file("f.json", strings.Replace(string(text), "ToolCalled", "ToolSaid", 1))
	require.Contains(t, away.ends(terminal.ExitBroken, "verify", "--proof", forged, "--public-key", public).err, "is not to be trusted")
	// It is of the very event that he was given.
	history := filepath.Join(keys, "history.jsonl")
	h.ok("workflow", "export", "Orders", "--file", history)
	require.Contains(t, away.ok("verify", "--proof", proof, "--event", history, "--public-key", public), "Revision 1 of stream "+stream)
	content, err := os.ReadFile(history)
	require.NoError(t, err)
	other := away.file("other.jsonl", strings.ReplaceAll(string(content), `"tool":"web.postJSON"`, `"tool":"web.putJSON"`))
	require.Contains(t, away.ends(terminal.ExitBroken, "verify", "--proof", proof, "--event", other, "--public-key", public).err, "the event has another payload than the one that is proved")
	first, _, _ := strings.Cut(string(content), "\n")
	require.Contains(t, away.ends(terminal.ExitNotFound, "verify", "--proof", proof, "--event", away.file("e.jsonl", first), "--public-key", public).err, "has no revision 1 of stream")
	require.Contains(t, away.ends(terminal.ExitUsage, "verify", "--proof", proof, "--event", away.file("e.jsonl", "x"), "--public-key", public).err, "line 1: it is not a JSON object")
	require.Contains(t, away.ends(terminal.ExitUsage, "verify", "--proof", proof, "--event", "nowhere", "--public-key", public).err, "nowhere")
	// Later changes of the log do not touch what was proved; a proof of a changed log cannot be made.
	damaged := h.copy()
	damaged.change("UPDATE event SET payload = CAST('{}' AS BLOB) WHERE revision = 1 AND stream = (SELECT id FROM stream WHERE name = '" + stream + "')")
	require.Contains(t, damaged.ends(terminal.ExitBroken, "store", "proof", stream, "1", "--checkpoint", signed, "--key", key).err, "the history was changed")
	cut := h.forge(t, func(r []eventlog.Record) []eventlog.Record { return r[:len(r)/2] })
	require.Contains(t, cut.ends(terminal.ExitBroken, "store", "proof", workflowStream(h), "0", "--checkpoint", signed, "--key", key).err, "is not what was signed")
	require.Contains(t, h.ends(terminal.ExitConflict, "store", "proof", stream, "1", "--checkpoint", signed, "--key", key, "--out", proof).err, "is there already")
	require.Contains(t, h.ends(terminal.ExitUsage, "store", "proof", stream, "1").err, `"checkpoint" not set`)
	require.Contains(t, h.ends(terminal.ExitUsage, "store", "proof", stream).err, "wanted: kintsugi store proof STREAM REVISION")
	printed := decodeAs[map[string]any](t, h.ok("store", "proof", stream, "1", "--checkpoint", signed, "--key", key))
	require.Equal(t, "kintsugi.proof/1", printed["format"])
	require.Contains(t, away.ends(terminal.ExitUsage, "verify", "--proof", signed, "--public-key", public).err, "its format is")
	require.Contains(t, h.ends(terminal.ExitNotFound, "store", "proof", stream, "999", "--checkpoint", signed, "--key", key).err, "nothing of revision 999")
	require.Contains(t, h.ends(terminal.ExitNotFound, "store", "proof", "run-none", "0", "--checkpoint", signed, "--key", key).err, "has no stream run-none")
	require.Contains(t, h.ends(terminal.ExitUsage, "store", "proof", stream, "first", "--checkpoint", signed, "--key", key).err, "is not a revision")
	require.Contains(t, h.ends(terminal.ExitUsage, "verify", "--proof", proof, "--deep").err, "by itself")
}

// workflowStream is the first stream that there was.
func workflowStream(h *home) string { return h.records()[0].Stream }
