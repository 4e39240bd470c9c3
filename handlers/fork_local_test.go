package handlers_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// Rule 18: the keys and files of a fork begin as they were at the fork point, and stay its own: it sets
// back nothing that later runs have written.
func TestAForkHasItsOwnKeysAndFiles(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	// Calls: 1 kv.get, 2 kv.set, 3 files.append, 4 kv.get, 5 files.append.
	id := n.create(`async function main(input) {
		const n = (await kv.get("n")) || 0;
		await kv.set("n", n + 1);
		await files.append("log.txt", "a" + n);
		const now = await kv.get("n");
		await files.append("log.txt", "b" + now);
		return { n: now, log: await files.read("log.txt") };
	}`, workflow.Settings{})
	first := n.admit(id, `{}`)
	require.NoError(t, n.settle(t.Context()))
	n.runs(id, `{}`, `{}`)
	fork := func(of string, from int) string {
		made := uuid.NewString()
		_, err := n.commands.AdmitRun(t.Context(), id, workflow.AdmitRun{
			Run: made, Trigger: workflow.TriggerFork, Fork: &workflow.Fork{Run: of, FromCall: from},
		}, person())
		require.NoError(t, err)
		require.NoError(t, n.settle(t.Context()))
		return made
	}
	forked := fork(first, 4)
	require.JSONEq(t, `{"n":1,"log":"a0b1"}`, string(n.run(forked).Output))
	require.JSONEq(t, `{"n":1,"log":"a0b1"}`, string(n.run(fork(forked, 5)).Output), "a fork of a fork sees what that one had")
	require.JSONEq(t, `{"n":1,"log":"a0b1"}`, string(n.run(fork(first, 1)).Output), "from the first call on there was nothing")

	local, err := n.LocalState(t.Context(), id)
	require.NoError(t, err)
	value, _ := local.KV("n")
	require.JSONEq(t, `3`, string(value), "no fork sets back what later runs wrote")
	file, _ := local.File("log.txt")
	require.Equal(t, "a0b1a1b2a2b3", file.Text)
	again := n.admit(id, `{}`)
	require.NoError(t, n.settle(t.Context()))
	require.JSONEq(t, `{"n":4,"log":"a0b1a1b2a2b3a3b4"}`, string(n.run(again).Output))
}
