package process

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// process is the host's end of a worker.
type process struct {
	command *exec.Cmd
	in, out *os.File
	frames  *bufio.Reader // of out
	behind  atomic.Bool   // it goes behind the others: it serves nobody else
	more    func() bool   // says whether whoever waits for it waits on, when a deadline is over; nil for no
	stderr  *head
	gone    chan struct{} // closed when the process ended

	walls    []Wall    // that hold it
	affinity string    // of the executions it ran, empty if it ran none
	packages string    // the digest of those that it was sent
	since    time.Time // when it began to wait for the next one
}

// startProcess starts a worker and waits until it is ready.
func startProcess(config *PoolConfig) (p *process, err error) {
	if IsWorker() {
		return nil, errors.New("this process is itself a worker: its main must call sandbox.WorkerMain")
	}
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdin.Close(), in.Close())
	}
	p = &process{in: in, out: out, stderr: &head{limit: 16 << 10}, gone: make(chan struct{})}
	p.frames = bufio.NewReader(p)
	p.walls, err = startApart(func(attributes *syscall.SysProcAttr) error {
		p.command = exec.Command(config.Command[0], config.Command[1:]...) //nolint:gosec // ours
		p.command.Env = append([]string{workerMark + "=1", "TZ=UTC"}, environment...)
		p.command.Stdin, p.command.Stdout, p.command.Stderr = stdin, stdout, p.stderr
		p.command.SysProcAttr = attributes
		p.command.WaitDelay = time.Second
		return p.command.Start()
	})
	_, _ = stdin.Close(), stdout.Close() // the child has its own
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	go func() {
		_ = p.command.Wait() // how it ended is in ProcessState
		close(p.gone)
	}()
	if err := p.ready(config); err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

// unavailable is why a worker did not start.
func unavailable(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &sandbox.UnavailableError{Reason: "this machine was too busy to start the script", Cause: err}
	}
	return &sandbox.UnavailableError{Reason: "this machine could not start the script: " + err.Error(), Cause: err}
}

// Read reads what the process says, as long as whoever waits for it waits on.
func (p *process) Read(b []byte) (int, error) {
	for {
		n, err := p.out.Read(b)
		if n > 0 || !p.waitsOn(err) {
			return n, err
		}
	}
}

// Write tells the process, as long as whoever waits for it waits on.
func (p *process) Write(b []byte) (n int, err error) {
	for {
		written, err := p.in.Write(b[n:])
		if n += written; !p.waitsOn(err) {
			return n, err
		}
	}
}

func (p *process) waitsOn(err error) bool {
	return errors.Is(err, os.ErrDeadlineExceeded) && p.more != nil && p.more()
}

// until sets when whoever waits for the process is asked whether it waits on.
func (p *process) until(deadline time.Time) error {
	return errors.Join(p.in.SetWriteDeadline(deadline), p.out.SetReadDeadline(deadline))
}

// starved says that a process that had used so much processor time before had next to none in a time on the clock. It must not have
// been waited for.
func (p *process) starved(before time.Duration, wall time.Duration) bool {
	now, least := p.processor(), wall/100
	if p.behind.Load() { // it yields to the others, and yet comes to its end
		least = wall / 1000
	}
	return before >= 0 && now >= 0 && now-before < least
}

func (p *process) ready(config *PoolConfig) error {
	if err := p.out.SetReadDeadline(time.Now().Add(config.StartTime)); err != nil {
		return err
	}
	kind, frame, err := readFrame(p.frames)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("%s did not become a worker within %v: %w", config.Command[0], config.StartTime, err)
	}
	if err != nil || kind != frameReady {
		p.await()
		return fmt.Errorf("%s did not become a worker (does its main call sandbox.WorkerMain?): %v: %s",
			config.Command[0], p.command.ProcessState, p.stderr.firstLine())
	}
	p.walls = append(frame.walls(), p.walls...)
	var names []string
	for len(frame.b) > 0 {
		names = append(names, frame.text())
	}
	if want := bindingNames(config.Bindings); frame.end() != nil || !slices.Equal(names, want) {
		return fmt.Errorf("the worker has the tools %v, the host %v", names, want)
	}
	return nil
}

// ended says that the process is gone.
func (p *process) ended() bool {
	select {
	case <-p.gone:
		return true
	default:
		return false
	}
}

// await waits for the end of a process that closed its output, and kills it if it has
// not the decency to end.
func (p *process) await() {
	impatient := time.AfterFunc(2*time.Second, p.kill)
	defer impatient.Stop()
	<-p.gone
}

// kill ends the process; it is safe to call more than once.
func (p *process) kill() { _ = p.command.Process.Kill() } // it may be gone already

// stop ends the process and waits for it.
func (p *process) stop() {
	p.kill()
	<-p.gone
	_, _ = p.in.Close(), p.out.Close()
}

// death says why a worker ended in the middle of a run.
func (p *process) death(limits sandbox.Limits, readError error) sandbox.Error {
	p.await()
	var (
		state  = p.command.ProcessState
		stderr = p.stderr.text()
		e      sandbox.Error
	)
	switch {
	case strings.Contains(stderr, "stack exceeds"), strings.Contains(stderr, "stack overflow"):
		e = sandbox.LimitError(sandbox.LimitStack, "values are nested, or functions call each other, too deep")
	case state.ExitCode() == exitProcessor, killedBy(state) != 0 && usedProcessor(state) >= limits.CPU:
		e = sandbox.LimitError(sandbox.LimitCPU, fmt.Sprintf("the script used more than %v of processor time", limits.CPU))
	case containsAny(stderr, "out of memory", "cannot allocate memory", "failed to allocate", "failed to create new OS thread", "pthread_create failed"),
		// Where the Go runtime itself gets no memory, on its own stack, it does not always say so.
		strings.Contains(stderr, "SIGSEGV") && strings.Contains(stderr, "\ngoroutine 0 "),
		killedBy(state) == 0 && !containsAny(stderr, "panic: ", "DATA RACE") && peakMemory(state) >= limits.Memory/2:
		e = sandbox.LimitError(sandbox.LimitMemory, fmt.Sprintf("the script used more than %d MiB of memory", limits.Memory>>20))
	case killedBy(state) != 0:
		// Nobody here did: it was the kernel, short of memory.
		e = sandbox.LimitError(sandbox.LimitMemory, fmt.Sprintf("the worker was ended from outside (%v), the machine is probably short of memory", state))
	default:
		e = sandbox.Error{
			Class: sandbox.ClassInternal, Name: "InternalError",
			Message: fmt.Sprintf("the worker failed (%v, %v): %s", state, readError, p.stderr.firstLine()),
		}
	}
	return e
}

func containsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
}

// head keeps the beginning of what is written to it.
type head struct {
	limit int
	mu    sync.Mutex
	kept  bytes.Buffer
}

func (h *head) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept.Write(b[:min(len(b), h.limit-h.kept.Len())])
	return len(b), nil
}

func (h *head) text() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.kept.String()
}

func (h *head) firstLine() string {
	line, _, _ := strings.Cut(strings.TrimSpace(h.text()), "\n")
	return line
}

var _ io.Writer = (*head)(nil)
