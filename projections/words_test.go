package projections_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Every type of events has a row in the table of words, and the table has no others: whoever adds an event says there
// what people are told of it, or that they are told nothing.
func TestEveryEventHasItsWords(t *testing.T) {
	t.Parallel()
	require.Equal(t, domain.NewCodec().Types(), projections.TypesWithWords())
}

// People read the same of an event in every version of the program: the golden file has what a history, the console of a
// server and a timeline say of one event of each type.
func TestWordsOfEachEvent(t *testing.T) {
	t.Parallel()
	codec := domain.NewCodec()
	var said strings.Builder
	for _, name := range codec.Types() {
		version := codec.Version(name)
		payload, err := os.ReadFile(filepath.Join("..", "testdata", "events", fmt.Sprintf("%s.v%d.json", name, version)))
		require.NoError(t, err)
		e, err := codec.Decode(name, version, json.RawMessage(payload))
		require.NoError(t, err)
		fmt.Fprintf(&said, "%s\n  history: %s\n", name, projections.Line(e, time.UTC))
		if label := projections.Label(name); label != "" {
			fmt.Fprintf(&said, "  console: %s\n", label)
		}
		recorded := event.Recorded{Stream: "workflow-w", Event: e, Metadata: event.Metadata{Actor: "person:ann", Subject: "workflow/w"}}
		if entry, tells := projections.TimelineTells(recorded); tells {
			fmt.Fprintf(&said, "  timeline, %s, %s: %s\n", entry.Kind, entry.Significance, entry.Text)
			require.Contains(t, projections.TimelineKinds, entry.Kind)
		}
	}
	const golden = "testdata/words.txt"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(said.String()), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), said.String(), "go test ./projections -run Words -update writes it anew: look at the diff")
}

// An erased event says that it was erased, whatever its type would say.
func TestAnErasedEventSaysOnlyThat(t *testing.T) {
	t.Parallel()
	for _, name := range domain.NewCodec().Types() {
		erased := event.Erased{Type: name, Text: "erased by ann"}
		require.Equal(t, "erased by ann", projections.Line(erased, time.UTC), name)
		_, tells := projections.TimelineTells(event.Recorded{Event: erased})
		require.False(t, tells, name)
	}
}
