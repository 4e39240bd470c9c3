package eventlogtest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest/crash"
)

// seedVariable is in the environment the seed of the first history, to run one again. It decides what the
// clients ask for, not in which order the machine lets them.
const seedVariable = "KINTSUGI_SEED"

// checkTime is how long one history may take to be checked; usual are milliseconds.
const checkTime = 2 * time.Minute

// Linearizable records concurrent histories (8 clients with 100 calls each: appends right and wrong, repeats,
// repeats with other content, appends whose context ends midway, reads in both directions and of the whole log)
// and asserts that each can be explained by calls that were done one after the other, each at some
// moment between its beginning and its end. The clients take turns with the logs given, which
// share what they store, as processes do.
func Linearizable(t *testing.T, histories int, logs ...eventlog.Log) {
	t.Helper()
	callers := make([]caller, len(logs))
	for i, log := range logs {
		callers[i] = log
	}
	var total tally
	eachSeed(t, histories, func(seed uint64) {
		h, err := record(t.Context(), seed, true, callers, func() caller { return callers[0] })
		require.NoErrorf(t, err, "seed %d", seed)
		total.add(h)
		requireLinearizable(t, h)
	})
	t.Log(total)
}

// eachSeed calls run with the seeds of so many histories, as [crash.Rounds] has it.
func eachSeed(t testing.TB, histories int, run func(seed uint64)) {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv(seedVariable); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err, seedVariable)
	}
	histories = crash.Rounds(histories)
	t.Logf("%d histories, the first with %s=%d", histories, seedVariable, seed)
	for i := range histories {
		run(seed + uint64(i))
	}
}

func requireLinearizable(t testing.TB, h *history) {
	t.Helper()
	stream, result := h.check()
	if result == porcupine.Ok {
		return
	}
	picture := filepath.Join(t.ArtifactDir(), "history.html") // kept with go test -artifacts
	require.Failf(t, "the history of a stream is not linearizable", "%s: %s\n%s\nAgain: %s=%d\nPicture: %s",
		stream, result, h.explain(stream, picture), seedVariable, h.seed, picture)
}

// check finds the first stream whose history nothing explains, or that cannot be checked in time.
func (h *history) check() (stream string, result porcupine.CheckResult) {
	for _, stream := range h.streams {
		if result := porcupine.CheckOperationsTimeout(streamModel(), h.operations(stream), checkTime); result != porcupine.Ok {
			return stream, result
		}
	}
	return "", porcupine.Ok
}

// explain shows the longest explanation that begins at the beginning, and the calls that cannot follow. It draws
// porcupine's picture into a file, if one is given.
func (h *history) explain(stream, picture string) string {
	operations := h.operations(stream)
	_, info := porcupine.CheckOperationsVerbose(streamModel(), operations, checkTime)
	var longest []porcupine.Operation
	for _, partial := range info.PartialLinearizationsOperations()[0] {
		if len(partial) > len(longest) {
			longest = partial
		}
	}
	explained := make(map[*call]bool)
	for _, operation := range longest {
		explained[operation.Input.(*call)] = true
	}
	rest := slices.DeleteFunc(slices.Clone(operations), func(o porcupine.Operation) bool { return explained[o.Input.(*call)] })
	slices.SortFunc(rest, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })

	var text strings.Builder
	fmt.Fprintf(&text, "%d of its %d calls can be explained, the last of them:\n", len(longest), len(operations))
	list(&text, longest[max(0, len(longest)-8):])
	text.WriteString("None of these can come next:\n")
	list(&text, rest[:min(8, len(rest))])
	if picture != "" {
		if err := porcupine.VisualizePath(streamModel(), info, picture); err != nil {
			fmt.Fprintf(&text, "There is no picture: %v\n", err)
		}
	}
	return text.String()
}

func list(text *strings.Builder, operations []porcupine.Operation) {
	for _, operation := range operations {
		fmt.Fprintf(text, "  [%d, %d] %s\n", operation.Call, operation.Return, operation.Input)
	}
}

// tally counts what histories came to, to see that they are worth something.
type tally struct{ histories, calls, appended, repeated, conflicts, contents, unknown, reads int }

func (n *tally) add(h *history) {
	n.histories++
	for _, c := range h.calls {
		n.calls++
		switch {
		case c.kind != appending:
			n.reads++
		case c.unknown:
			n.unknown++
		case c.content != nil:
			n.contents++
		case c.conflict != nil:
			n.conflicts++
		case c.appended.Repeated:
			n.repeated++
		default:
			n.appended++
		}
	}
}

// String implements fmt.Stringer.
func (n tally) String() string {
	return fmt.Sprintf("%d histories of %d calls: %d appends, %d repeats, %d conflicts, %d with other content, %d without an answer but there, %d reads",
		n.histories, n.calls, n.appended, n.repeated, n.conflicts, n.contents, n.unknown, n.reads)
}
