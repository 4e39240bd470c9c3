package process

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

// Host and worker talk in frames: four bytes of length, one of kind, and a payload of
// fields in a fixed order. Both ends are the same binary, so that there is nothing to
// negotiate; what a worker sends is still not trusted, it may have been taken over.
type frameKind byte

const (
	frameReady   frameKind = 'R' // worker: the names of its tools
	frameExecute frameKind = 'X' // host: executions of one code, each of which ends with an outcome
	frameCall    frameKind = 'C' // worker: a call to answer
	frameAhead   frameKind = 'H' // worker: a call that the script did not wait for
	frameBegin   frameKind = 'B' // worker: a read that it does not wait for
	frameWait    frameKind = 'W' // worker: what there is of answers to these
	frameAnswer  frameKind = 'A' // host: the answer to a call, or to that
	frameLog     frameKind = 'L' // worker: a line of the log
	frameOutcome frameKind = 'O' // worker: the end of the execution
	frameCheck   frameKind = 'K' // host: a script to check
	frameChecked frameKind = 'S' // worker: what was found
)

// maxFrame is the largest frame, in bytes.
const maxFrame = 64 << 20

var errFrame = errors.New("malformed frame")

// newFrame starts a frame; writeFrame sends it.
func newFrame(kind frameKind) *encoder { return &encoder{b: []byte{0, 0, 0, 0, byte(kind)}} }

func writeFrame(w io.Writer, e *encoder) error {
	size := len(e.b) - 4
	if size > maxFrame {
		return fmt.Errorf("a frame of %d bytes is more than %d", size, maxFrame)
	}
	binary.BigEndian.PutUint32(e.b, uint32(size)) //nolint:gosec // checked above
	_, err := w.Write(e.b)
	return err
}

// readFrame reads one frame.
func readFrame(r io.Reader) (frameKind, *decoder, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size < 1 || size > maxFrame {
		return 0, nil, fmt.Errorf("%w: %d bytes", errFrame, size)
	}
	payload := make([]byte, size-1)
	if _, err := io.ReadFull(r, payload); err != nil {
		return 0, nil, err
	}
	return frameKind(head[4]), &decoder{b: payload}, nil
}

// encoder appends fields.
type encoder struct{ b []byte }

func (e *encoder) int(n int64)      { e.b = binary.AppendVarint(e.b, n) }
func (e *encoder) text(s string)    { e.int(int64(len(s))); e.b = append(e.b, s...) }
func (e *encoder) bytes(s []byte)   { e.int(int64(len(s))); e.b = append(e.b, s...) }
func (e *encoder) time(t time.Time) { e.int(t.Unix()); e.int(int64(t.Nanosecond())) }

func (e *encoder) bool(b bool) {
	if b {
		e.b = append(e.b, 1)
	} else {
		e.b = append(e.b, 0)
	}
}

// decoder takes fields off. The first fault sticks in err, and everything after it is zero.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) fail() {
	if d.err == nil {
		d.err = errFrame
	}
	d.b = nil
}

func (d *decoder) int() int64 {
	n, size := binary.Varint(d.b)
	if size <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[size:]
	return n
}

// bytes shares the memory of the frame.
func (d *decoder) bytes() []byte {
	n := d.int()
	if n < 0 || n > int64(len(d.b)) {
		d.fail()
		return nil
	}
	if n == 0 {
		return nil
	}
	s := d.b[:n:n]
	d.b = d.b[n:]
	return s
}

func (d *decoder) text() string { return string(d.bytes()) }

func (d *decoder) bool() bool {
	if len(d.b) == 0 {
		d.fail()
		return false
	}
	b := d.b[0]
	d.b = d.b[1:]
	return b != 0
}

func (d *decoder) time() time.Time {
	seconds, nanoseconds := d.int(), d.int()
	return time.Unix(seconds, nanoseconds).UTC()
}

// count is the length of a list, at most limit; its items take at least one byte each.
func (d *decoder) count(limit int) int {
	n := d.int()
	if n < 0 || n > int64(len(d.b)) || n > int64(limit) {
		d.fail()
		return 0
	}
	return int(n)
}

// end is the error of the whole frame.
func (d *decoder) end() error {
	if d.err == nil && len(d.b) > 0 {
		d.fail()
	}
	return d.err
}

// executionSize is about how many bytes an execution takes, without its code.
func executionSize(x *sandbox.Execution) int {
	const fields = 64 // what else there is of an execution, and of a call
	size := fields + len(x.Input) + len(x.Around)
	for i := range x.Journal {
		size += fields + len(x.Journal[i].Args) + len(x.Journal[i].Result)
	}
	return size
}

func (e *encoder) execution(x *sandbox.Execution, code string) {
	e.text(code)
	e.bytes(x.Input)
	e.text(x.Seed)
	e.time(x.Clock)
	e.text(x.Zone)
	e.bool(x.Overlap)
	e.bool(x.Ahead)
	e.text(x.Around)
	l := x.Limits
	for _, n := range []int64{int64(l.Wall), int64(l.CPU), l.Memory, int64(l.Calls), int64(l.LogBytes), int64(l.ResultBytes)} {
		e.int(n)
	}
	e.int(int64(len(x.Journal)))
	for i := range x.Journal {
		entry := &x.Journal[i]
		e.text(entry.Tool)
		e.bytes(entry.Args)
		e.text(string(entry.Effect))
		e.bytes(entry.Result)
		e.failure(entry.Error)
		e.int(entry.MS)
	}
}

func (d *decoder) execution() sandbox.Execution {
	x := sandbox.Execution{Code: d.text(), Input: d.bytes(), Seed: d.text(), Clock: d.time(), Zone: d.text(), Overlap: d.bool(), Ahead: d.bool(), Around: d.text()}
	x.Limits = sandbox.Limits{
		Wall: time.Duration(d.int()), CPU: time.Duration(d.int()), Memory: d.int(),
		Calls: int(d.int()), LogBytes: int(d.int()), ResultBytes: int(d.int()),
	}
	if n := d.count(maxFrame); n > 0 {
		x.Journal = make([]sandbox.Entry, n)
	}
	for i := range x.Journal {
		x.Journal[i] = sandbox.Entry{
			Tool: d.text(), Args: d.bytes(), Effect: sandbox.Effect(d.text()),
			Result: d.bytes(), Error: d.failure(), MS: d.int(),
		}
	}
	return x
}

func (e *encoder) failure(f *sandbox.Error) {
	e.bool(f != nil)
	if f == nil {
		return
	}
	for _, s := range []string{f.Class, f.Name, f.Code, f.Message, f.Stack, f.Tool, f.Body, f.Host, f.Strict, f.Loose} {
		e.text(s)
	}
	e.int(int64(f.Status))
	e.int(f.RetryAfterMS)
	e.int(int64(len(f.Frames)))
	for _, frame := range f.Frames {
		e.text(frame.Function)
		e.int(int64(frame.Line))
		e.int(int64(frame.Column))
	}
}

func (d *decoder) failure() *sandbox.Error {
	if !d.bool() {
		return nil
	}
	f := &sandbox.Error{}
	for _, s := range []*string{&f.Class, &f.Name, &f.Code, &f.Message, &f.Stack, &f.Tool, &f.Body, &f.Host, &f.Strict, &f.Loose} {
		*s = d.text()
	}
	f.Status = int(d.int())
	f.RetryAfterMS = d.int()
	if n := d.count(engine.MaxFrames); n > 0 {
		f.Frames = make([]sandbox.Frame, n)
	}
	for i := range f.Frames {
		f.Frames[i] = sandbox.Frame{Function: d.text(), Line: int(d.int()), Column: int(d.int())}
	}
	return f
}

func (e *encoder) call(c sandbox.Call) {
	e.int(int64(c.Seq))
	e.text(c.Tool)
	e.bytes(c.Args)
	e.text(string(c.Effect))
	e.int(int64(c.Line))
	e.int(int64(c.Column))
	e.int(c.At)
}

func (d *decoder) call() sandbox.Call {
	return sandbox.Call{Seq: int(d.int()), Tool: d.text(), Args: d.bytes(), Effect: sandbox.Effect(d.text()), Line: int(d.int()), Column: int(d.int()), At: d.int()}
}

// answer is a reply, or why the run ends at this call.
func (e *encoder) answer(reply sandbox.Reply, stop *sandbox.Error) {
	e.failure(stop)
	e.bytes(reply.Result)
	e.failure(reply.Error)
	e.int(reply.MS)
	e.bool(reply.Opaque)
}

func (d *decoder) answer() (reply sandbox.Reply, stop *sandbox.Error) {
	stop = d.failure()
	return sandbox.Reply{Result: d.bytes(), Error: d.failure(), MS: d.int(), Opaque: d.bool()}, stop
}

func (e *encoder) news(n engine.News) {
	e.bool(n.More)
	e.int(int64(len(n.Heard)))
	for _, one := range n.Heard {
		e.int(int64(one.Seq))
		e.answer(one.Reply, one.Stop)
	}
}

func (d *decoder) news() engine.News {
	n := engine.News{More: d.bool()}
	if count := d.count(maxFrame); count > 0 {
		n.Heard = make([]engine.Heard, count)
	}
	for i := range n.Heard {
		n.Heard[i].Seq = int(d.int())
		n.Heard[i].Reply, n.Heard[i].Stop = d.answer()
	}
	return n
}

func (e *encoder) line(line sandbox.LogLine) {
	e.text(line.Level)
	e.text(line.Text)
}

func (d *decoder) line() sandbox.LogLine { return sandbox.LogLine{Level: d.text(), Text: d.text()} }

// outcome leaves out what the host has: the log, the replies, of calls that were made as they are in the journal what is
// there, and of those that the host answered all but the number, since their arguments together may be more than a frame holds.
func (e *encoder) outcome(o sandbox.Outcome, journal []sandbox.Entry) {
	e.bytes(o.Output)
	e.failure(o.Error)
	e.int(o.VirtualMS)
	e.int(int64(len(o.Calls)))
	for i := range o.Calls {
		call := &o.Calls[i].Call
		e.int(int64(o.Calls[i].Journal))
		e.int(int64(call.Seq))
		if at := o.Calls[i].Journal; at >= 0 {
			recorded := &journal[at]
			e.int(int64(call.Line))
			e.int(int64(call.Column))
			e.int(call.At)
			same := call.Tool == recorded.Tool && call.Effect == recorded.Effect && bytes.Equal(call.Args, recorded.Args)
			if e.bool(same); !same {
				e.text(call.Tool)
				e.bytes(call.Args)
				e.text(string(call.Effect))
			}
		}
	}
}

// outcome fills in the replies from the journal; those of the host are not there yet ([readScheduler.complete]). A
// worker that was taken over may send anything that stays inside the limits.
func (d *decoder) outcome(limits sandbox.Limits, journal []sandbox.Entry) (sandbox.Outcome, error) {
	o := sandbox.Outcome{Output: json.RawMessage(d.bytes()), Error: d.failure(), VirtualMS: d.int()}
	if len(o.Output) > 0 && (len(o.Output) > limits.ResultBytes || !json.Valid(o.Output) || sandbox.TooDeep(o.Output)) {
		d.fail()
	}
	if n := d.count(limits.Calls); n > 0 {
		o.Calls = make([]sandbox.TracedCall, n)
	}
	for i := range o.Calls {
		at := int(d.int())
		call := sandbox.Call{Seq: int(d.int())}
		switch {
		case at < 0:
			o.Calls[i] = sandbox.TracedCall{Call: call, Journal: -1}
		case at < len(journal):
			recorded := &journal[at]
			call.Line, call.Column, call.At = int(d.int()), int(d.int()), d.int()
			if call.Tool, call.Args, call.Effect = recorded.Tool, recorded.Args, recorded.Effect; !d.bool() {
				call.Tool, call.Args, call.Effect = d.text(), d.bytes(), sandbox.Effect(d.text())
			}
			o.Calls[i] = sandbox.TracedCall{Call: call, Reply: recorded.Reply(), Journal: at}
		default:
			d.fail()
		}
	}
	return o, d.end()
}
