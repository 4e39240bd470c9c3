package process

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

// workerMark is the environment variable that makes a process a worker.
const workerMark = "KINTSUGI_SANDBOX_WORKER"

// IsWorker says that this process was started by a [Pool] to run scripts: main must call
// [WorkerMain] before anything else.
func IsWorker() bool { return os.Getenv(workerMark) != "" }

const (
	// watchEvery is how often a running script is looked at.
	watchEvery = 5 * time.Millisecond
	// unwindTime is how long a script may take to stop once it was told to; after it the
	// worker reports what it knows and ends.
	unwindTime = 50 * time.Millisecond
	// maxGoStack bounds recursion inside the engine, in bytes.
	maxGoStack = 64 << 20
	// exitProcessor is the exit code of a worker that the kernel told to stop for its use
	// of the processor.
	exitProcessor = 44
	// runtimeBytes is what a worker needs besides the memory of the script. It is ample,
	// because the Go runtime fails in strange ways when it is short itself.
	runtimeBytes = 128 << 20
)

// WorkerMain serves a [Pool] over standard input and output. It does not return.
func WorkerMain(list []sandbox.Binding) {
	time.Local = time.UTC      // goja's Date reads it
	runtime.MemProfileRate = 0 // nobody asks a worker for it
	debug.SetMaxStack(maxGoStack)
	debug.SetTraceback("single")
	w := &serving{in: bufio.NewReader(os.Stdin), out: os.Stdout, bindings: sandbox.NewBindings(list)}
	os.Stdout = os.Stderr // nothing but frames may reach the host
	walls, err := raiseWalls()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sandbox: worker:", err)
		os.Exit(1)
	}
	w.warm()
	ready := newFrame(frameReady)
	ready.walls(walls)
	for _, name := range bindingNames(list) {
		ready.text(name)
	}
	err = w.send(ready)
	for err == nil {
		err = w.serve()
	}
	if errors.Is(err, io.EOF) {
		os.Exit(0)
	}
	fmt.Fprintln(os.Stderr, "sandbox: worker:", err)
	os.Exit(1)
}

func bindingNames(list []sandbox.Binding) []string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	slices.Sort(names)
	return names
}

// serving is the worker's end.
type serving struct {
	in       io.Reader
	bindings *sandbox.Bindings
	walls    walls

	mu   sync.Mutex
	out  io.Writer
	held bytes.Buffer // frames that go out with the next one that is sent
	sent time.Time    // when the last one was

	garbage garbage

	used  time.Duration // of the processor, as it was asked for last
	asked time.Time
}

// Outcomes of many executions in a row are held back, so that the host is not woken for each, up to so much and so long.
const (
	mostHeld    = 32 << 10
	longestHeld = 10 * time.Millisecond
)

// send sends a frame, after those that were held back.
func (w *serving) send(frame *encoder) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held.Len() == 0 {
		return writeFrame(w.out, frame)
	}
	if err := writeFrame(&w.held, frame); err != nil {
		return err
	}
	return w.flushLocked()
}

// hold keeps a frame back if there is reason to.
func (w *serving) hold(frame *encoder) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := writeFrame(&w.held, frame); err != nil {
		return err
	}
	if w.held.Len() < mostHeld && time.Since(w.sent) < longestHeld {
		return nil
	}
	return w.flushLocked()
}

// collect keeps a frame back until something is sent, or there is much of it.
func (w *serving) collect(frame *encoder) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := writeFrame(&w.held, frame); err != nil || w.held.Len() < mostHeld {
		return err
	}
	return w.flushLocked()
}

func (w *serving) flushLocked() error {
	_, err := w.held.WriteTo(w.out)
	w.held.Reset()
	w.sent = time.Now()
	return err
}

// warm makes the first run as fast as the others, as long as nothing is wrong with it.
func (w *serving) warm() {
	engine.NewRun(sandbox.Execution{Code: "async function main() { return Promise.resolve(JSON.stringify([new Date(), Math.random()])) }"}, w.bindings, nil).Execute()
}

func (w *serving) serve() error {
	kind, frame, err := readFrame(w.in)
	if err != nil {
		return err
	}
	switch kind {
	case frameExecute:
		if text := frame.text(); text != "" {
			packages.Keep(text)
		}
		list := make([]sandbox.Execution, frame.count(maxFrame))
		for i := range list {
			list[i] = frame.execution()
			list[i].Code = list[0].Code
		}
		if err := frame.end(); err != nil {
			return err
		}
		w.garbage.busy()
		if err := w.executeAll(list); err != nil {
			return err
		}
		w.garbage.idle()
		return nil
	case frameCheck:
		code := frame.text()
		if err := frame.end(); err != nil {
			return err
		}
		return w.check(code)
	}
	return fmt.Errorf("%w: kind %q", errFrame, kind)
}

// executeAll makes executions one after the other. The outcome of one changes nothing for the next; if a worker should do
// no more after one, the host sees it in the outcome, and ends it.
func (w *serving) executeAll(list []sandbox.Execution) error {
	if len(list) == 1 {
		say := w.send
		if list[0].Ahead {
			say = w.collect
		}
		return w.send(w.execute(list[0], say))
	}
	w.garbage.many()
	w.sent = time.Now()
	last := len(list) - 1
	for i := range last {
		if err := w.hold(w.execute(list[i], w.hold)); err != nil {
			return err
		}
	}
	return w.send(w.execute(list[last], w.hold))
}

// execute makes an execution, whose log goes out at once or is held, and gives the frame with its outcome.
func (w *serving) execute(execution sandbox.Execution, say func(*encoder) error) *encoder {
	g := &guard{serving: w}
	g.run = engine.NewRun(execution, w.bindings, &hostAnswerer{serving: w, guard: g})
	g.run.Tell = func(line sandbox.LogLine) {
		frame := newFrame(frameLog)
		frame.line(line)
		_ = say(frame) // a host that is gone shows when the outcome is sent
	}
	g.used = w.processorTime()
	w.walls.before(g.run.Limits, g.used)
	g.start()
	outcome := g.run.Execute()
	g.done()
	frame := newFrame(frameOutcome)
	frame.outcome(outcome, execution.Journal)
	return frame
}

// processorTime is what this process had used the last time that it was asked. For many short executions in a row that is
// not each time, so that one may be charged with what those before it used within watchEvery.
func (w *serving) processorTime() time.Duration {
	if now := time.Now(); now.Sub(w.asked) > watchEvery {
		w.used, w.asked = processorTime(), now
	}
	return w.used
}

// hostAnswerer is who answers the calls of a run in a worker.
type hostAnswerer struct {
	serving *serving
	guard   *guard
}

func (h *hostAnswerer) Ask(call sandbox.Call) (sandbox.Reply, engine.News, error) {
	frame := newFrame(frameCall)
	frame.call(call)
	heard, answer, err := h.hear(frame)
	if err != nil {
		return sandbox.Reply{}, heard, err
	}
	reply, stop := answer.answer()
	if err = answer.end(); err == nil && stop != nil {
		err = &sandbox.StopError{Reason: *stop}
	}
	return reply, heard, err
}

func (h *hostAnswerer) GoAhead(call sandbox.Call) error {
	frame := newFrame(frameAhead)
	frame.call(call)
	return h.serving.collect(frame)
}

// Begin has a read sent with what is sent next, so that one that is waited for at once costs no message more.
func (h *hostAnswerer) Begin(call sandbox.Call) error {
	frame := newFrame(frameBegin)
	frame.call(call)
	return h.serving.collect(frame)
}

func (h *hostAnswerer) Wait(moment, until int64, patient bool) (engine.News, error) {
	frame := newFrame(frameWait)
	frame.int(moment)
	frame.int(until)
	frame.bool(patient)
	heard, answer, err := h.hear(frame)
	if err == nil {
		err = answer.end()
	}
	return heard, err
}

// hear sends a frame, and gives the answers to reads that come back, with what else there is.
func (h *hostAnswerer) hear(frame *encoder) (engine.News, *decoder, error) {
	h.guard.pause()
	defer h.guard.resume()
	if err := h.serving.send(frame); err != nil {
		return engine.News{}, nil, err
	}
	kind, answer, err := readFrame(h.serving.in)
	if err != nil {
		return engine.News{}, nil, err
	}
	if kind != frameAnswer {
		return engine.News{}, nil, fmt.Errorf("%w: kind %q instead of an answer", errFrame, kind)
	}
	heard := answer.news()
	return heard, answer, nil
}

func (w *serving) check(code string) error {
	w.walls.before(sandbox.DefaultLimits, processorTime())
	frame := newFrame(frameChecked)
	err := engine.Check(code)
	frame.bool(err != nil)
	if err != nil {
		var syntax *sandbox.SyntaxError
		if !errors.As(err, &syntax) {
			syntax = &sandbox.SyntaxError{Message: err.Error()}
		}
		frame.int(int64(syntax.Line))
		frame.int(int64(syntax.Column))
		frame.text(syntax.Message)
	}
	return w.send(frame)
}

// guard holds a run to its limits from inside the worker. It stops a script that runs
// JavaScript; if that does not help, because the script hangs in native code, it sends
// what is known of the run and ends the process. The host kills the process if not even
// this works.
type guard struct {
	serving *serving
	run     *engine.Run
	clock   wallClock
	looks   wallClock     // it is looked at when this is used up
	used    time.Duration // processor time before the run

	mu    sync.Mutex
	ended bool
	late  bool // its time on the clock is over
	large bool // the heap was, in this run
	last  *time.Timer
}

func (g *guard) start() {
	g.mu.Lock() // the timers may fire before they are in place
	defer g.mu.Unlock()
	g.looks.start(watchEvery, g.watch)
	g.clock.start(g.run.Limits.Wall, g.overdue)
}

// overdue says that the time on the clock is over: it counts as soon as the script had the processor for half of it.
func (g *guard) overdue() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.late = true; processorTime() == 0 || g.usedHalf() {
		g.reachedLocked(sandbox.LimitWall)
	}
}

func (g *guard) usedHalf() bool { return processorTime()-g.used >= g.run.Limits.Wall/2 }

func (g *guard) done() {
	g.clock.pause()
	g.looks.pause()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
	if g.large {
		g.serving.garbage.small()
	}
	if g.last != nil {
		g.last.Stop()
	}
}

// pause says that the host is asked: until it answers the script does nothing, and a process that only waits is not to
// be woken for that.
func (g *guard) pause() {
	g.clock.pause()
	g.looks.pause()
}

func (g *guard) resume() {
	g.looks.resume()
	g.clock.resume()
}

func (g *guard) watch() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended {
		return
	}
	heap := heapBytes()
	if heap > largeHeap && !g.large {
		g.large = true
		g.serving.garbage.large()
	}
	switch limits := g.run.Limits; {
	case heap > uint64(limits.Memory)/10*9: //nolint:gosec // positive
		g.reachedLocked(sandbox.LimitMemory)
	case processorTime()-g.used > limits.CPU:
		g.reachedLocked(sandbox.LimitCPU)
	case g.late && g.usedHalf():
		g.reachedLocked(sandbox.LimitWall)
	default:
		g.looks.again(watchEvery)
	}
}

func (g *guard) reachedLocked(code string) {
	if g.ended || g.last != nil {
		return
	}
	g.run.Limit(code)
	g.last = time.AfterFunc(unwindTime, func() { g.report(code) })
}

// report ends the process.
func (g *guard) report(code string) {
	g.mu.Lock() // and keeps it: the run may not report any more
	if g.ended {
		g.mu.Unlock()
		return
	}
	outcome := g.run.Outcome()
	failure := sandbox.LimitError(code, g.run.LimitMessage(code))
	failure.Stack = engine.StackText(&failure)
	engine.Fingerprint("", &failure)
	outcome.Error = &failure
	frame := newFrame(frameOutcome)
	frame.outcome(outcome, g.run.Execution.Journal)
	if err := g.serving.send(frame); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// heapBytes is what live and not yet collected objects take. Reading it stops nothing.
func heapBytes() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}

// heldBytes is what the heap takes of the system, used or not.
func heldBytes() uint64 {
	var held uint64
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
	}
	metrics.Read(samples)
	for _, sample := range samples {
		if sample.Value.Kind() == metrics.KindUint64 {
			held += sample.Value.Uint64()
		}
	}
	return held
}

// walls are the limits that the operating system holds, as they were set last.
type walls struct {
	memory  int64
	seconds uint64 // of the processor
}

// before sets the limits of the next run, in a process that used so much of the processor.
func (w *walls) before(limits sandbox.Limits, used time.Duration) {
	if limits.Memory != w.memory {
		w.memory = limits.Memory
		debug.SetMemoryLimit(limits.Memory / 4 * 3)
		limitMemory(dataFactor * (limits.Memory/2*3 + runtimeBytes))
	}
	// The kernel counts whole seconds, and comes a second after the watching of the run should have noticed.
	if seconds := uint64(math.Ceil((used + limits.CPU).Seconds())) + 1; seconds != w.seconds {
		w.seconds = seconds
		limitProcessor(seconds)
	}
}
