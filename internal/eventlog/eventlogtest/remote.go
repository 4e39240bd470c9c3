package eventlogtest

import (
	"bufio"
	"bytes"
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

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// errKilled says that the process that was asked was killed before it answered.
var errKilled = errors.New("eventlogtest: the process was killed")

// pack is some processes that serve one log and are killed after a while, each time.
type pack struct {
	where   string
	members []*remote

	mu     sync.Mutex
	random *rand.Rand
	spared bool // they are not killed
	kills  int
}

func newPack(where string, seed uint64, members int) *pack {
	p := &pack{where: where, random: rand.New(rand.NewPCG(seed, historyClients))}
	for range members {
		p.members = append(p.members, &remote{pack: p})
	}
	return p
}

func (p *pack) callers() []caller {
	all := make([]caller, len(p.members))
	for i, member := range p.members {
		all[i] = member
	}
	return all
}

// spare lets the processes live until the end.
func (p *pack) spare() { p.spared = true }

// lifetime is the number of answers that a new process gives before it is killed.
func (p *pack) lifetime() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.spared {
		return -1
	}
	return 20 + p.random.IntN(130)
}

// hunt kills a process, and one time in three the others with it: then nobody has the log open.
func (p *pack) hunt(life *served) {
	p.mu.Lock()
	p.kills++
	all := p.random.IntN(3) == 0
	p.mu.Unlock()
	life.kill()
	if !all {
		return
	}
	for _, member := range p.members {
		if other := member.living(); other != nil && other != life {
			other.kill()
		}
	}
}

// close kills every process. Later calls start new ones.
func (p *pack) close() {
	for _, member := range p.members {
		member.end()
	}
}

// remote is a log in another process, which may be killed at any moment and is started when it is needed.
type remote struct {
	pack *pack

	mu      sync.Mutex
	current *served // nil before the first question
}

func (r *remote) living() *served {
	// A process that is being started is not killed: who starts it holds the lock.
	if !r.mu.TryLock() {
		return nil
	}
	defer r.mu.Unlock()
	return r.current
}

// life is the process to ask, a new one if the last is dead.
func (r *remote) life() (*served, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != nil {
		select {
		case <-r.current.done:
			if err := r.current.exitError(); err != nil {
				return nil, err
			}
		default:
			return r.current, nil
		}
	}
	next, err := startServed(r.pack.where, r.pack.lifetime(), r.pack.hunt)
	if err != nil {
		return nil, err
	}
	r.current = next
	return next, nil
}

func (r *remote) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != nil {
		r.current.kill()
		<-r.current.done
		_ = r.current.exitError() // its clients have met it
	}
}

func (r *remote) ask(q question) (reply, error) {
	life, err := r.life()
	if err != nil {
		return reply{}, err
	}
	answered, err := life.ask(q)
	switch {
	case err != nil:
		return reply{}, err
	case answered.Conflict != nil:
		return reply{}, answered.Conflict
	case answered.Content != nil:
		return reply{}, answered.Content
	case answered.Unavailable:
		return reply{}, fmt.Errorf("%w: %s", eventlog.ErrUnavailable, answered.Fault)
	case answered.Fault != "":
		return reply{}, errors.New(answered.Fault)
	}
	return answered, nil
}

// Append implements caller.
func (r *remote) Append(_ context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	answered, err := r.ask(question{Kind: appending, Stream: stream, Revision: expected.Revision(), Events: events})
	return answered.Appended, err
}

// Head implements caller.
func (r *remote) Head(context.Context) (eventlog.Position, error) {
	answered, err := r.ask(question{Kind: askingHead})
	return answered.Head, err
}

// Stream implements caller.
func (r *remote) Stream(_ context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	return r.read(question{Kind: reading, Stream: stream, Revision: from})
}

// StreamBackward implements caller.
func (r *remote) StreamBackward(_ context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	return r.read(question{Kind: readingBackward, Stream: stream, Revision: from})
}

// All implements caller.
func (r *remote) All(_ context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return r.read(question{Kind: readingAll, Position: after, Prefixes: filter.StreamPrefixes})
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

// served is one life of such a process.
type served struct {
	command *exec.Cmd
	stderr  bytes.Buffer
	done    chan struct{} // closed when nothing is answered any more

	mu      sync.Mutex
	encoder *gob.Encoder
	number  int
	waiting map[int]chan reply
	killed  bool

	buried func() error
}

// startServed starts a process that is killed by hunt after it has answered for a lifetime.
func startServed(where string, lifetime int, hunt func(*served)) (*served, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &served{command: exec.Command(self, "-test.run=^$"), waiting: make(map[int]chan reply), done: make(chan struct{})}
	s.buried = sync.OnceValue(s.command.Wait)
	s.command.Env = append(os.Environ(), servedVariable+"="+where, "GORACE=atexit_sleep_ms=0")
	s.command.Stderr = &s.stderr
	in, err := s.command.StdinPipe() // whose end the process sees, should the test die
	if err != nil {
		return nil, err
	}
	out, err := s.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	s.encoder = gob.NewEncoder(in)
	go s.listen(out, lifetime, hunt)
	return s, nil
}

func (s *served) listen(out io.Reader, lifetime int, hunt func(*served)) {
	defer close(s.done)
	replies := gob.NewDecoder(bufio.NewReader(out))
	for answers := 1; ; answers++ {
		var r reply
		if replies.Decode(&r) != nil {
			return
		}
		s.mu.Lock()
		waiting := s.waiting[r.Number]
		delete(s.waiting, r.Number)
		s.mu.Unlock()
		waiting <- r
		if answers == lifetime {
			hunt(s)
		}
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
		<-s.done // the other end of the pipe is gone
	}
	select {
	case r := <-answered:
		return r, nil
	case <-s.done:
	}
	select {
	case r := <-answered: // the last words
		return r, nil
	default:
	}
	if err := s.exitError(); err != nil {
		return reply{}, err
	}
	return reply{}, errKilled
}

func (s *served) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.killed = true
	_ = s.command.Process.Kill() // it may be gone
}

// exitError says why a process that is done has ended, if it was not killed.
func (s *served) exitError() error {
	err := s.buried()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killed {
		return nil
	}
	return fmt.Errorf("eventlogtest: the process that serves the log has ended by itself: %w\n%s", err, s.stderr.String())
}
