package crash

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// process is one that appends, seen from the test.
type process struct {
	command *exec.Cmd
	stderr  bytes.Buffer
	read    chan struct{} // closed when its output was read to the end

	mu           sync.Mutex
	acknowledged int
	changed      chan struct{} // closed and replaced when acknowledged changes
	killed       bool

	// Written by the reader of the output until read is closed.
	batches []*batch
	fault   error
}

func start(o order) (*process, error) {
	if _, ordered := os.LookupEnv(orderVariable); ordered {
		// Each would start the next for ever.
		return nil, errors.New("crash: this process should append and runs tests instead: call crash.Child in TestMain")
	}
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	p := &process{command: exec.Command(os.Args[0], "-test.run=^$"), read: make(chan struct{}), changed: make(chan struct{})}
	p.command.Env = append(os.Environ(), orderVariable+"="+string(text))
	p.command.Stderr = &p.stderr
	output, err := p.command.StdoutPipe()
	if err == nil {
		_, err = p.command.StdinPipe() // whose end it sees, should the test die
	}
	if err == nil {
		err = p.command.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("crash: start a process that appends: %w", err)
	}
	go func() {
		defer close(p.read)
		p.fault = p.listen(output)
	}()
	return p, nil
}

// listen reads what the process says until its end.
func (p *process) listen(output io.Reader) error {
	current := make(map[int]*batch) // by writer
	reader := bufio.NewReader(output)
	for {
		line, err := reader.ReadString('\n')
		if err == io.EOF && line == "" {
			return nil
		}
		if err != nil {
			return fmt.Errorf("crash: the output of a process ends with %q: %w", line, err)
		}
		if err := p.hear(current, line); err != nil {
			return fmt.Errorf("crash: a process said %q: %w", line, err)
		}
	}
}

func (p *process) hear(current map[int]*batch, line string) error {
	var writer int
	switch kind, rest, _ := strings.Cut(line, " "); kind {
	case "?":
		b := &batch{}
		if _, err := fmt.Sscan(rest, &writer, &b.stream, &b.expected); err != nil {
			return err
		}
		b.ids = strings.Fields(rest)[3:]
		current[writer] = b
		p.batches = append(p.batches, b)
	case "x":
		if _, err := fmt.Sscan(rest, &writer); err != nil {
			return err
		}
		current[writer].outcome = refused
	case "!":
		var result eventlog.Appended
		if _, err := fmt.Sscan(rest, &writer, &result.First, &result.Last, &result.Position); err != nil {
			return err
		}
		current[writer].outcome, current[writer].result = acknowledged, result
		p.mu.Lock()
		p.acknowledged++
		close(p.changed)
		p.changed = make(chan struct{})
		p.mu.Unlock()
	default:
		return fmt.Errorf("unknown line")
	}
	return nil
}

// count is the number of appends that were acknowledged so far.
func (p *process) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.acknowledged
}

// await waits for a moment in the life of the process. An earlier death is no error here.
func (p *process) await(ctx context.Context, m moment) error {
	for {
		p.mu.Lock()
		enough, changed := p.acknowledged >= m.acknowledged, p.changed
		p.mu.Unlock()
		if enough {
			break
		}
		select {
		case <-changed:
		case <-p.read:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("crash: wait for the acknowledgements of a process: %w", context.Cause(ctx))
		}
	}
	timer := time.NewTimer(m.after)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}

// kill kills the process, with SIGKILL on Unix.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.killed {
		p.killed = p.command.Process.Kill() == nil
	}
}

// wait waits until the process is dead and gives what it said. To die by itself is an error.
func (p *process) wait() ([]*batch, error) {
	<-p.read
	_ = p.command.Wait() // it says no more than the state of the process
	switch {
	case p.fault != nil:
		return p.batches, p.fault
	case p.stderr.Len() > 0, !p.killed, p.command.ProcessState.Exited():
		return p.batches, fmt.Errorf("crash: a process ended by itself (%v): %s", p.command.ProcessState, p.stderr.String())
	}
	return p.batches, nil
}
