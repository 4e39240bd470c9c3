package sqlitelog

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

func TestSmoke(t *testing.T) {
	ctx := context.Background()
	log, err := Open(ctx, filepath.Join(t.TempDir(), "events.db"), Options{})
	require.NoError(t, err)
	ev := eventlog.Event{ID: uuid.NewString(), Type: "T", SchemaVersion: 1, Payload: []byte("{}"), Metadata: []byte("m")}
	a, err := log.Append(ctx, "s", eventlog.NoStream{}, []eventlog.Event{ev})
	require.NoError(t, err)
	fmt.Println(a)
	a, err = log.Append(ctx, "s", eventlog.NoStream{}, []eventlog.Event{ev})
	require.NoError(t, err)
	fmt.Println(a)
	for r, err := range log.All(ctx, "") {
		require.NoError(t, err)
		require.Equal(t, ev, r.Event)
		fmt.Println(r)
	}
	for r, err := range log.Stream(ctx, "s", 0) {
		require.NoError(t, err)
		fmt.Println(r)
	}
	require.NoError(t, log.Close())
}
