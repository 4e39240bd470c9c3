package commands_test

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

var ann = commands.Meta{Actor: "person:ann"}

// as is a person's command with an id.
func as(commandID string) commands.Meta {
	return commands.Meta{Actor: "person:ann", CommandID: commandID}
}

func newCodec() *event.Registry {
	codec := domain.NewCodec()
	return codec
}

// openLog opens an empty log that the test closes.
func openLog(t testing.TB) *sqlitelog.Log {
	t.Helper()
	log, err := sqlitelog.Open(t.Context(), filepath.Join(t.TempDir(), "events.db"), sqlitelog.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	return log
}

// errNotParsed is what the tests' script check says.
var errNotParsed = errors.New("line 3, column 14: unexpected token")

func checkScript(code string) error {
	if strings.Contains(code, "syntax error") {
		return errNotParsed
	}
	return nil
}

// on gives commands over a log, with a clock that stands at noon.
func on(log eventlog.Log) *commands.Commands {
	return onClock(log, func() time.Time { return noon })
}

// onClock gives commands over a log.
func onClock(log eventlog.Log, now func() time.Time) *commands.Commands {
	return commands.New(commands.Config{
		Log: log, Codec: newCodec(), CheckScript: checkScript, Now: now,
		NewID: func() string { return uuid.Must(uuid.NewV7()).String() },
	})
}

// create makes a workflow with a script, ready to run.
func create(t testing.TB, c *commands.Commands, id string) {
	t.Helper()
	_, err := c.CreateWorkflow(t.Context(), workflow.Create{ID: id, Title: "Refunds of " + id, Owner: "ann", Intent: "List them."}, ann)
	require.NoError(t, err)
	_, err = c.SaveScript(t.Context(), id, workflow.SaveScript{Code: "function main() {}", Comment: "first", Origin: workflow.OriginPerson}, ann)
	require.NoError(t, err)
	_, err = c.ActivateWorkflow(t.Context(), id, workflow.Activate{}, ann)
	require.NoError(t, err)
}

// records reads a stream.
func records(t testing.TB, log eventlog.Log, stream string) []eventlog.Record {
	t.Helper()
	var all []eventlog.Record
	for record, err := range log.Stream(t.Context(), stream, 0) {
		require.NoError(t, err)
		all = append(all, record)
	}
	return all
}

// troubled is a log that can be made to misbehave, with a real one behind it.
type troubled struct {
	eventlog.Log
	beforeAppend func(stream string)
	afterAppend  func() error
	onRecord     func(eventlog.Record) (eventlog.Record, bool)
}

func (l *troubled) Append(
	ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event,
) (eventlog.Appended, error) {
	if l.beforeAppend != nil {
		l.beforeAppend(stream)
	}
	appended, err := l.Log.Append(ctx, stream, expected, events)
	if err == nil && l.afterAppend != nil {
		err = l.afterAppend()
	}
	return appended, err
}

func (l *troubled) Stream(ctx context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for record, err := range l.Log.Stream(ctx, stream, from) {
			keep := true
			if err == nil && l.onRecord != nil {
				record, keep = l.onRecord(record)
			}
			if keep && !yield(record, err) {
				return
			}
		}
	}
}
