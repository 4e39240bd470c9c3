package sqlitelog_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// An erased payload is in no file of the log, whatever SQLite moved while it was erased: events of all sizes lie among
// others, which are erased later or never. Only the transaction that erases changes an event.
func TestErasedIsGoneFromTheFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events.db")
	log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	markers := regexp.MustCompile(`<s\d+/\d+>`)
	random := rand.New(rand.NewPCG(1, 0))
	const streams = 60
	ends, gone := map[string]int64{}, map[string]bool{}
	appended := 0
	for round := range 6 {
		for range 60 {
			name := fmt.Sprintf("s%d", random.IntN(streams))
			last, there := ends[name]
			if !there {
				last = -1
			}
			var events []eventlog.Event
			for i := range 1 + random.Int64N(20) {
				size, text := 1<<random.IntN(14), fmt.Sprintf("<%s/%d>", name, last+1+i)
				events = append(events, newEvent([]byte(text+strings.Repeat(text+strings.Repeat(".", 64-len(text)), size/64))))
			}
			done, err := log.Append(t.Context(), name, eventlog.At(last), events)
			require.NoError(t, err)
			ends[name] = done.Last
			appended += len(events)
		}
		var parts []eventlog.Part
		for i := round; i < streams; i += 7 {
			name := fmt.Sprintf("s%d", i)
			if last, there := ends[name]; there {
				parts = append(parts, eventlog.Part{Stream: name, Last: last})
				for revision := range last + 1 {
					gone[fmt.Sprintf("<%s/%d>", name, revision)] = true
				}
			}
		}
		_, err := log.Erase(t.Context(), parts)
		require.NoError(t, err)
		files, err := filepath.Glob(path + "*")
		require.NoError(t, err)
		for _, file := range files {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, marker := range markers.FindAllString(string(content), -1) {
				require.False(t, gone[marker], "round %d: %s is in %s", round, marker, file)
			}
		}
	}
	require.NoError(t, log.Examine(t.Context()))
	require.Error(t, execute(t, path, "UPDATE event SET payload = x'00'"))
	n := 0
	for record, err := range log.All(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		marker := fmt.Sprintf("<%s/%d>", record.Stream, record.Revision)
		require.Equal(t, gone[marker], eventlog.IsErased(record.Payload))
		require.Equal(t, !gone[marker], bytes.HasPrefix(record.Payload, []byte(marker)))
		n++
	}
	require.Equal(t, appended, n)
}
