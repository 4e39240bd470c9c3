package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// orderVariable holds the order of a process that is to be killed.
const orderVariable = "KINTSUGI_CRASH_CHILD"

// order is what such a process is told.
type order struct {
	Where        string
	Writers      int
	Streams      int
	PayloadBytes int
}

// Child is called first thing in TestMain. In a process that [Run] started it appends to the log until
// it is killed, and never returns; in every other it does nothing.
func Child(open Opener) {
	text, ordered := os.LookupEnv(orderVariable)
	if !ordered {
		return
	}
	var o order
	err := json.Unmarshal([]byte(text), &o)
	if err == nil {
		err = appendForEver(open, o)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func appendForEver(open Opener, o order) error {
	// The input ends when the test does, in whatever way.
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	ctx := context.Background()
	log, err := open(ctx, o.Where)
	if err != nil {
		return err
	}
	failures := make(chan error)
	for writer := range o.Writers {
		w := &childWriter{log: log, number: writer, stream: fmt.Sprintf("s%d", writer%o.Streams), payloadBytes: o.PayloadBytes}
		go func() { failures <- w.run(ctx) }()
	}
	return <-failures
}

type childWriter struct {
	log          eventlog.Log
	number       int
	stream       string
	payloadBytes int
}

func (w *childWriter) run(ctx context.Context) error {
	last := int64(-1)
	for {
		ids := make([]string, 1+w.number%2*3)
		for i := range ids {
			ids[i] = uuid.NewString()
		}
		if err := say("? %d %s %d %s", w.number, w.stream, last, strings.Join(ids, " ")); err != nil {
			return err
		}
		appended, err := w.append(ctx, last, makeEvents(ids, w.payloadBytes))
		if conflict, ok := errors.AsType[*eventlog.ConflictError](err); ok {
			last = conflict.Actual
			if err := say("x %d", w.number); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		last = appended.Last
		if err := say("! %d %d %d %s", w.number, appended.First, appended.Last, appended.Position); err != nil {
			return err
		}
	}
}

// append repeats an append for as long as the backend cannot be reached.
func (w *childWriter) append(ctx context.Context, last int64, events []eventlog.Event) (eventlog.Appended, error) {
	for {
		appended, err := w.log.Append(ctx, w.stream, eventlog.At(last), events)
		if !errors.Is(err, eventlog.ErrUnavailable) {
			return appended, err
		}
		<-time.After(10 * time.Millisecond)
	}
}

// say writes a line in one call of the system: it is in the pipe whole, or not at all.
func say(format string, args ...any) error {
	_, err := fmt.Fprintf(os.Stdout, format+"\n", args...)
	return err
}
