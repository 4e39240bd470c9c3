package handlers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// waiting has no script go ahead of an answer.
type waiting struct{ sandbox.Runner }

func (w waiting) Run(ctx context.Context, execution sandbox.Execution, host sandbox.Host) (sandbox.Outcome, error) {
	execution.Ahead = false
	return w.Runner.Run(ctx, execution, host)
}

// Rule: what is recorded of a run whose script goes ahead of answers is what is recorded of one that waits for each, also
// where a call is refused or the process dies.
func TestARunIsTheSameAhead(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"well":          `await kv.set('a', 1); await notify('b', 'c'); await kv.set('a', await kv.get('a') + 1); return await kv.get('a')`,
		"limit":         `await kv.set('a', 1); try { await kv.set('b', 'x'.repeat(2 << 20)) } catch (e) { console.log('caught') } finally { console.log('on') } await notify('c')`,
		"logic":         `await kv.set('a', 1); console.log('one'); try { await files.write('../b', 'c') } catch (e) { await notify('caught', e.message) } return 1`,
		"throws":        `await kv.set('a', 1); await kv.set('b', 1); throw new Error('no')`,
		"dies":          `await kv.set('a', 1); console.log('one'); await kv.get('a'); await kv.set('b', 2); console.log('two'); 'x'.repeat(1e9)`,
		"unreadable":    `await kv.set('a', 1n)`,
		"out and ahead": `await kv.set('a', 1); await web.postJSON('BASE/orders', {}); await kv.set('b', 'x'.repeat(2 << 20)); return 1`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := map[bool]string{}
			for _, waits := range []bool{false, true} {
				w := newWorld(t).inWorkers()
				if waits {
					w.pool = waiting{w.pool}
				}
				n := w.open(nil)
				n.outside.answer("/orders", 200, `{}`)
				// A minute, for a busy machine: the limit is of the call.
				of := n.admit(n.create(`async function main() { `+script+` }`, workflow.Settings{Limits: workflow.Limits{WallMS: 60_000, CPUMS: 60_000}}), `{}`)
				require.NoError(t, n.settle(t.Context()))
				recorded, err := n.commands.LoadRun(t.Context(), of)
				require.NoError(t, err)
				require.True(t, recorded.Ended)
				recorded.Run, recorded.Workflow, recorded.Seed, recorded.Keys, recorded.Node, recorded.Usage = "", "", "", "", "", run.Usage{Calls: recorded.Usage.Calls}
				recorded.Clock, recorded.LeaseUntil = time.Time{}, time.Time{}
				for i, call := range recorded.Calls {
					of := *call
					of.Key, of.MS = "", 0
					recorded.Calls[i] = &of
				}
				text, err := json.MarshalIndent(recorded, "", " ")
				require.NoError(t, err)
				made[waits] = fmt.Sprintf("%s\n%d requests", strings.ReplaceAll(string(text), w.outside.server.URL, "BASE"), w.outside.count("POST /orders"))
				n.close()
			}
			require.Equal(t, made[true], made[false])
		})
	}
}
