package commands_test

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// BenchmarkHotStream is one command after the other on one workflow, each durable.
func BenchmarkHotStream(b *testing.B) {
	c := on(openLog(b))
	create(b, c, "w1")
	for b.Loop() {
		_, err := c.SkipSlot(b.Context(), "w1", workflow.SkipSlot{Reason: "r"}, ann)
		require.NoError(b, err)
	}
}

// BenchmarkManyStreams is commands on 16 workflows at once: their appends share syncs.
func BenchmarkManyStreams(b *testing.B) {
	c := on(openLog(b))
	var next atomic.Int64
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		id := fmt.Sprintf("w%d", next.Add(1))
		create(b, c, id)
		for pb.Next() {
			if _, err := c.SkipSlot(b.Context(), id, workflow.SkipSlot{Reason: "r"}, ann); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkJournaledRun is the journal of a run with ten reads and one write.
func BenchmarkJournaledRun(b *testing.B) {
	c := on(openLog(b))
	ctx, by, n := b.Context(), commands.Meta{Actor: "system:executor"}, 0
	for b.Loop() {
		n++
		start := startR1
		start.Run = fmt.Sprintf("r%d", n)
		journal, err := c.StartRun(ctx, start, by)
		require.NoError(b, err)
		for seq := 1; seq <= 11; seq++ {
			called := call(seq)
			if seq == 11 {
				called.Effect = run.EffectWrite
			}
			require.NoError(b, journal.Record(ctx, called))
			if seq == 11 {
				require.NoError(b, journal.Flush(ctx))
			}
			require.NoError(b, journal.Record(ctx, run.RecordReturn{Seq: seq, Result: json.RawMessage(`{"data":[1,2,3]}`)}))
		}
		_, err = journal.End(ctx, run.End{Output: json.RawMessage(`1`)})
		require.NoError(b, err)
	}
}
