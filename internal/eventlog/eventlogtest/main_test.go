package eventlogtest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

func TestMain(m *testing.M) {
	HistoryChild(openPlanted)
	goleak.VerifyTestMain(m)
}

// openPlanted opens a log in a file with a bug planted: where is the name of the bug, a colon, and the path.
func openPlanted(ctx context.Context, where string) (eventlog.Log, error) {
	plant, path, _ := strings.Cut(where, ":")
	log, err := sqlitelog.Open(ctx, path, sqlitelog.Options{})
	if err != nil {
		return nil, err
	}
	switch plant {
	case "early":
		return &early{Log: log}, nil
	case "racing":
		return &racing{Log: log}, nil
	}
	return nil, fmt.Errorf("there is no bug %q", plant)
}

// deciding decides by what it reads, as somebody may who has not heard of transactions.
func deciding(ctx context.Context, log eventlog.Log, stream string, expected eventlog.Expected, events []eventlog.Event) (result eventlog.Appended, decided bool, err error) {
	there, err := gather(log.Stream(ctx, stream, 0))
	if err != nil {
		return result, true, err
	}
	result, repeat, err := decide(there, stream, expected, events)
	return result, repeat || err != nil, err
}

// early acknowledges an append before it is committed.
type early struct {
	eventlog.Log
	mu      sync.Mutex
	pending sync.WaitGroup
}

func (e *early) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pending.Wait()
	if result, decided, err := deciding(ctx, e.Log, stream, expected, events); decided {
		return result, err
	}
	e.pending.Go(func() {
		_, _ = e.Log.Append(ctx, stream, expected, events) // who would be told?
	})
	return eventlog.Appended{First: expected.Revision() + 1, Last: expected.Revision() + int64(len(events))}, nil
}

// racing looks first and appends then, wherever the stream has come to meanwhile.
type racing struct{ eventlog.Log }

func (r *racing) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	if result, decided, err := deciding(ctx, r.Log, stream, expected, events); decided {
		return result, err
	}
	appended, err := r.Log.Append(ctx, stream, expected, events)
	for err != nil && !appended.Repeated {
		there, readErr := gather(r.Log.Stream(ctx, stream, 0))
		if readErr != nil {
			return appended, readErr
		}
		appended, err = r.Log.Append(ctx, stream, eventlog.At(int64(len(there))-1), events)
	}
	return eventlog.Appended{First: expected.Revision() + 1, Last: expected.Revision() + int64(len(events)), Position: appended.Position}, nil
}
