package eventlogtest

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// errKilled says that the process that was asked was killed before it answered.
var errKilled = errors.New("eventlogtest: the process was killed")

// servedVariable says what log a process serves that is to be killed.
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
		err = answerAll(log)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// LinearizableUnderKills is [Linearizable] with the logs in two processes, of which one or the other is
// killed again and again, and started again. What they were asked then has no answer: it may have
// happened or not. Where is what the open function of [HistoryChild] is given.
func LinearizableUnderKills(t *testing.T, histories int, where string) {
	t.Helper()
	_, child := os.LookupEnv(servedVariable)
	require.False(t, child, "TestMain does not call HistoryChild: this process would start itself for ever")
	var total tally
	kills := 0
	eachSeed(t, histories, func(seed uint64) {
		served := []*remote{startRemote(t, where), startRemote(t, where)}
		callers := []caller{served[0], served[1]}
		stop, stopped := make(chan struct{}), make(chan int)
		go func() { stopped <- killAgainAndAgain(t, served, rand.New(rand.NewPCG(seed, historyClients)), stop) }()
		var last *remote
		h, err := record(t.Context(), seed, false, callers, func() caller {
			close(stop)
			kills += <-stopped
			last = startRemote(t, where)
			return last
		})
		for _, one := range append(served, last) {
			if one != nil {
				one.close()
			}
		}
		require.NoErrorf(t, err, "seed %d", seed)
		total.add(h)
		requireLinearizable(t, h)
	})
	t.Logf("%d kills, %v", kills, total)
	require.Positive(t, kills)
}

func killAgainAndAgain(t *testing.T, served []*remote, random *rand.Rand, stop <-chan struct{}) (kills int) {
	for {
		select {
		case <-stop:
			return kills
		case <-time.After(time.Duration(10+random.IntN(90)) * time.Millisecond):
			served[random.IntN(len(served))].restart(t)
			kills++
		}
	}
}

// question and reply are what goes over the pipes to a served log.
type question struct {
	Number   int
	Kind     string
	Stream   string
	Revision int64 // expected, or from
	Position eventlog.Position
	Prefixes []string
	Events   []eventlog.Event
}

type reply struct {
	Number   int
	Appended eventlog.Appended
	Conflict *eventlog.ConflictError
	Content  *eventlog.ContentError
	Fault    string
	Head     eventlog.Position
	Records  []eventlog.Record
}

func answerAll(log eventlog.Log) error {
	questions, out := gob.NewDecoder(bufio.NewReader(os.Stdin)), bufio.NewWriter(os.Stdout)
	replies := gob.NewEncoder(out)
	var mu sync.Mutex
	var asked sync.WaitGroup
	for {
		var q question
		if err := questions.Decode(&q); err != nil {
			asked.Wait()
			return errors.Join(log.Close(), unlessEnd(err))
		}
		asked.Go(func() {
			r := answer(log, q)
			mu.Lock()
			defer mu.Unlock()
			if replies.Encode(r) == nil {
				_ = out.Flush() // nobody listens any more, then
			}
		})
	}
}

func unlessEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func answer(log eventlog.Log, q question) reply {
	ctx, r := context.Background(), reply{Number: q.Number}
	var records iter.Seq2[eventlog.Record, error]
	var err error
	switch q.Kind {
	case "append":
		r.Appended, err = log.Append(ctx, q.Stream, eventlog.At(q.Revision), q.Events)
	case "head":
		r.Head, err = log.Head(ctx)
	case "stream":
		records = log.Stream(ctx, q.Stream, q.Revision)
	case "backward":
		records = log.StreamBackward(ctx, q.Stream, q.Revision)
	case "all":
		records = log.All(ctx, q.Position, eventlog.Filter{StreamPrefixes: q.Prefixes})
	}
	if records != nil {
		for record, fault := range records {
			if fault != nil {
				err = fault
				break
			}
			r.Records = append(r.Records, record)
		}
	}
	r.Conflict, _ = errors.AsType[*eventlog.ConflictError](err)
	r.Content, _ = errors.AsType[*eventlog.ContentError](err)
	if err != nil && r.Conflict == nil && r.Content == nil {
		r.Fault = err.Error()
	}
	return r
}

// remote is a log in another process, which may be killed at any moment.
type remote struct {
	where string

	mu      sync.Mutex
	current *served
}

// served is one life of such a process.
type served struct {
	command *exec.Cmd
	in      io.WriteCloser
	done    chan struct{} // closed when nothing is answered any more

	mu      sync.Mutex
	encoder *gob.Encoder
	number  int
	waiting map[int]chan reply
}

func startRemote(t *testing.T, where string) *remote {
	t.Helper()
	life, err := startServed(where)
	require.NoError(t, err)
	return &remote{where: where, current: life}
}

func startServed(where string) (*served, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.Command(self, "-test.run=^$")
	command.Env = append(os.Environ(), servedVariable+"="+where, "GORACE=atexit_sleep_ms=0")
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	s := &served{command: command, in: in, encoder: gob.NewEncoder(in), waiting: map[int]chan reply{}, done: make(chan struct{})}
	go s.listen(gob.NewDecoder(bufio.NewReader(out)))
	return s, nil
}

func (s *served) listen(replies *gob.Decoder) {
	defer close(s.done)
	for {
		var r reply
		if replies.Decode(&r) != nil {
			return
		}
		s.mu.Lock()
		waiting := s.waiting[r.Number]
		delete(s.waiting, r.Number)
		s.mu.Unlock()
		waiting <- r
	}
}

func (s *served) ask(q question) (reply, error) {
	answered := make(chan reply, 1)
	s.mu.Lock()
	s.number++
	q.Number = s.number
	s.waiting[q.Number] = answered
	err := s.encoder.Encode(q)
	s.mu.Unlock()
	if err != nil {
		return reply{}, errKilled
	}
	select {
	case r := <-answered:
		return r, nil
	case <-s.done:
		select {
		case r := <-answered:
			return r, nil
		default:
			return reply{}, errKilled
		}
	}
}

func (s *served) kill() {
	_ = s.command.Process.Kill() // it may be gone
	<-s.done
	_ = s.command.Wait() // it was killed
}

// restart kills the process in the middle of what it is doing, and starts the next.
func (r *remote) restart(t *testing.T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current.kill()
	next, err := startServed(r.where)
	if err != nil {
		t.Error(err)
		return
	}
	r.current = next
}

func (r *remote) close() {
	_ = r.current.in.Close() // it ends by itself
	<-r.current.done
	_ = r.current.command.Wait()
}

func (r *remote) ask(q question) (reply, error) {
	r.mu.Lock()
	life := r.current
	r.mu.Unlock()
	answered, err := life.ask(q)
	switch {
	case err != nil:
		return reply{}, err
	case answered.Conflict != nil:
		return reply{}, answered.Conflict
	case answered.Content != nil:
		return reply{}, answered.Content
	case answered.Fault != "":
		return reply{}, errors.New(answered.Fault)
	}
	return answered, nil
}

// Append implements caller.
func (r *remote) Append(_ context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	answered, err := r.ask(question{Kind: "append", Stream: stream, Revision: expected.Revision(), Events: events})
	return answered.Appended, err
}

// Head implements caller. A history begins with it, so that it is asked until it is answered.
func (r *remote) Head(context.Context) (eventlog.Position, error) {
	for {
		answered, err := r.ask(question{Kind: "head"})
		if !errors.Is(err, errKilled) {
			return answered.Head, err
		}
	}
}

// Stream implements caller.
func (r *remote) Stream(_ context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	return r.read(question{Kind: "stream", Stream: stream, Revision: from})
}

// StreamBackward implements caller.
func (r *remote) StreamBackward(_ context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	return r.read(question{Kind: "backward", Stream: stream, Revision: from})
}

// All implements caller.
func (r *remote) All(_ context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return r.read(question{Kind: "all", Position: after, Prefixes: filter.StreamPrefixes})
}

func (r *remote) read(q question) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		answered, err := r.ask(q)
		if err != nil {
			yield(eventlog.Record{}, err)
			return
		}
		for _, record := range answered.Records {
			if !yield(record, nil) {
				return
			}
		}
	}
}
