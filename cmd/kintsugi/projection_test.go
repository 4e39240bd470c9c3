package main

import (
	"cmp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/projection"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// Read models can be elsewhere than the log; a build beside a server ends when the server has them; what there is can be
// listed and compared, and what is in use is not dropped.
func TestProjections(t *testing.T) {
	t.Parallel()
	for name, views := range map[string]string{"sqlite": "", "postgres": pgtest.Database(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			at := func(args ...string) []string { return append(args, "--views", cmp.Or(views, h.dir)) }
			h.ok(at("workflow", "create", "Hello", "--script", h.file("h.js", "function main() { return 1 }"))...)
			built := decodeAs[projection.Built](t, h.ok(at("projection", "build", "--once", "-o", "json")...))
			require.Contains(t, h.ok(at("projection", "verify")...), "are as they are when built anew")
			all := decodeAs[[]readmodel.Generation](t, h.ok(at("projection", "list", "-o", "json")...))
			require.Len(t, all, 1)
			require.True(t, all[0].Current)
			require.Equal(t, readmodel.StateLive, all[0].State)
			require.Equal(t, built.Position, all[0].Position)
			require.Contains(t, h.ok(at("projection", "list")...), all[0].Name+"  live, of this version")
			require.Contains(t, h.ends(terminal.ExitConflict, at("projection", "drop", all[0].Name)...).err, "is what this version of the program reads")
			require.Contains(t, h.ends(terminal.ExitNotFound, at("projection", "drop", "views_0")...).err, "there is no generation")

			server := h.dev(at()...)
			require.Contains(t, h.ok(at("workflow", "run", "--repair", "Hello")...), "succeeded")
			require.Len(t, h.objects(at("run", "list")...), 1)
			require.True(t, decodeAs[projection.Built](t, h.ok(at("projection", "build", "-o", "json")...)).Served)
			server.interrupt()
			require.Equal(t, terminal.ExitOK, server.wait(), server.err.String())
		})
	}
}
