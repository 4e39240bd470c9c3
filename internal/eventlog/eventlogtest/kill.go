package eventlogtest

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// servedVariable says where the log is that a process serves until it is killed.
const servedVariable = "KINTSUGI_HISTORY_CHILD"

// HistoryChild is called first thing in TestMain. In a process that [LinearizableUnderKills] started
// it opens the log and answers until it is killed; in every other it does nothing.
func HistoryChild(open func(ctx context.Context, where string) (eventlog.Log, error)) {
	where, served := os.LookupEnv(servedVariable)
	if !served {
		return
	}
	log, err := open(context.Background(), where)
	if err == nil {
		err = answerAll(log, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// LinearizableUnderKills is [Linearizable] with the logs in two processes, each of which is killed with SIGKILL after
// a random number of answers, sometimes both at once, and started again. Calls that a kill interrupts have no answer:
// they may have happened or not. In the end both are killed, and a new process reads the log. Where is given to the
// open function of [HistoryChild].
func LinearizableUnderKills(t *testing.T, histories int, where string) {
	t.Helper()
	_, child := os.LookupEnv(servedVariable)
	require.False(t, child, "TestMain does not call HistoryChild: this process would start itself for ever")
	var total tally
	kills := 0
	eachSeed(t, histories, func(seed uint64) {
		h, killed, err := recordUnderKills(t.Context(), seed, where)
		require.NoErrorf(t, err, "seed %d", seed)
		total.add(h)
		kills += killed
		requireLinearizable(t, h)
	})
	t.Logf("%d kills, %v", kills, total)
	require.Positive(t, kills)
}

func recordUnderKills(ctx context.Context, seed uint64, where string) (*history, int, error) {
	pack := newPack(where, seed, 2)
	reader := newPack(where, seed, 1)
	reader.spare()
	defer pack.close()
	defer reader.close()
	h, err := record(ctx, seed, false, pack.callers(), func() caller {
		pack.close()
		return reader.members[0]
	})
	return h, pack.kills, err
}

// question and reply are what goes over the pipes to a served log.
type question struct {
	Number   int
	Kind     kind
	Stream   string
	Revision int64 // expected, or from
	Position eventlog.Position
	Prefixes []string
	Events   []eventlog.Event
}

type reply struct {
	Number      int
	Appended    eventlog.Appended
	Conflict    *eventlog.ConflictError
	Content     *eventlog.ContentError
	Unavailable bool
	Fault       string
	Head        eventlog.Position
	Records     []eventlog.Record
}

func answerAll(log eventlog.Log, in io.Reader, to io.Writer) error {
	questions, out := gob.NewDecoder(bufio.NewReader(in)), bufio.NewWriter(to)
	replies := gob.NewEncoder(out)
	var mu sync.Mutex
	var asked sync.WaitGroup
	for {
		var q question
		if err := questions.Decode(&q); err != nil {
			asked.Wait()
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return errors.Join(err, log.Close())
		}
		asked.Go(func() {
			r := answer(log, q)
			mu.Lock()
			defer mu.Unlock()
			if replies.Encode(r) == nil {
				_ = out.Flush() // if it fails, nobody listens any more
			}
		})
	}
}

func answer(log eventlog.Log, q question) reply {
	ctx, r := context.Background(), reply{Number: q.Number}
	var records iter.Seq2[eventlog.Record, error]
	var err error
	switch q.Kind {
	case appending:
		r.Appended, err = log.Append(ctx, q.Stream, eventlog.At(q.Revision), q.Events)
	case askingHead:
		r.Head, err = log.Head(ctx)
	case reading:
		records = log.Stream(ctx, q.Stream, q.Revision)
	case readingBackward:
		records = log.StreamBackward(ctx, q.Stream, q.Revision)
	case readingAll:
		records = log.All(ctx, q.Position, eventlog.Filter{StreamPrefixes: q.Prefixes})
	}
	if records != nil {
		r.Records, err = gather(records)
	}
	r.Conflict, _ = errors.AsType[*eventlog.ConflictError](err)
	r.Content, _ = errors.AsType[*eventlog.ContentError](err)
	if err != nil && r.Conflict == nil && r.Content == nil {
		r.Fault, r.Unavailable = err.Error(), errors.Is(err, eventlog.ErrUnavailable)
	}
	return r
}

func gather(records iter.Seq2[eventlog.Record, error]) ([]eventlog.Record, error) {
	var all []eventlog.Record
	for record, err := range records {
		if err != nil {
			return nil, err
		}
		all = append(all, record)
	}
	return all, nil
}
