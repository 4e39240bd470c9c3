package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A checkpoint is signed, kept outside the data directory, and names the one before it. What is not
// signed by the trusted key is not trusted.
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

	require.Contains(t, h.ends(exitUsage, "store", "checkpoint", "--key", key, "--out", filepath.Join(h.dir, "c.json")).err, "is in the data directory")
	require.Contains(t, h.ends(exitUsage, "store", "checkpoint", "--key", filepath.Join(h.dir, "k"), "--out", filepath.Join(keys, "x.json")).err, "would be in the data directory")
	require.Contains(t, h.ends(exitConflict, "store", "checkpoint", "--key", key, "--out", file).err, "is there already")

	h.ok("store", "checkpoint", "--key", filepath.Join(keys, "other.key"), "--out", filepath.Join(keys, "other.json"))
	require.Contains(t, h.ends(exitBroken, "verify", "--key", key, "--checkpoint", filepath.Join(keys, "other.json")).err, "is not to be trusted")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	forged := h.file("forged.json", strings.Replace(string(text), `"events": `, `"events": 1`, 1))
	require.Contains(t, h.ends(exitBroken, "verify", "--key", key, "--checkpoint", forged).err, "changed after it was signed")
	require.Contains(t, h.ends(exitUsage, "verify", "--key", key, "--checkpoint", h.file("x.json", "{}")).err, "does not say its format")
	require.Contains(t, h.ends(exitUsage, "verify", "--checkpoint", file, "--public-key", "abc").err, "is not a public key")
	require.Contains(t, h.ends(exitUsage, "verify", "--checkpoint", file, "--key", filepath.Join(keys, "none")).err, "there is no key")
	require.Equal(t, exitOK, h.run("verify", "--checkpoint", file, "--public-key", second["public_key"].(string)).code)
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
	require.Contains(t, away.ends(exitBroken, "verify", "--proof", forged, "--public-key", public).err, "is not to be trusted")
	require.Contains(t, away.ends(exitUsage, "verify", "--proof", signed, "--public-key", public).err, "its format is")
	require.Contains(t, h.ends(exitNotFound, "store", "proof", stream, "999", "--checkpoint", signed, "--key", key).err, "nothing of revision 999")
	require.Contains(t, h.ends(exitNotFound, "store", "proof", "run-none", "0", "--checkpoint", signed, "--key", key).err, "has no stream run-none")
	require.Contains(t, h.ends(exitUsage, "store", "proof", stream, "first", "--checkpoint", signed, "--key", key).err, "is not a revision")
	require.Contains(t, h.ends(exitUsage, "verify", "--proof", proof, "--deep").err, "by itself")
}
