package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ReadsAtOnce is how many reads of one run are made at the same time. Browsers make six to one host over HTTP/1.1, so
// that servers are used to about as many; and each may hold an answer of many megabytes while the script waits.
const ReadsAtOnce = 8

// Beginner is a [Host] that makes reads at the same time.
type Beginner interface {
	Host
	// Begin begins a read. If it knows the answer already, nothing is begun. It is called like Call: one at a time, in the
	// order in which the script makes its calls. An error is as of Call.
	Begin(ctx context.Context, call Call) (known Reply, begun *Begun, err error)
}

// Begun is a read that goes out.
type Begun struct {
	// Make makes it, at the same time as others and in another goroutine.
	Make func(ctx context.Context) (Reply, error)
	// Answered takes the answer, with the time that it took for the script, before the script has it. It is called like Begin.
	Answered func(ctx context.Context, reply Reply) error
}

// reads are the calls of a run as its host sees them, and what it has begun of them.
//
// In which order a script has the answers follows from when it began its reads and how long each took, in virtual time,
// so that a run is made again from its record. Live it is the order in which they come: what comes after an answer that
// the script has already took longer, if need be by a millisecond. Its timers wait as long as a read is under way that
// may come before them: what takes no real time does not overtake what does.
type reads struct {
	host     Host
	made     map[int]TracedCall // by number, answered or not
	under    []*read            // that the script has not heard of, in the order in which it began them
	queued   []*read            // of these, those that wait until others are over
	running  int
	came     chan *read
	stopped  bool  // the host wanted the run to end
	furthest int64 // virtual moment that the script may have come to
}

// read is one that a script has begun.
type read struct {
	call    Call
	begun   *Begun    // nil if the answer was known
	started time.Time // zero while it is queued
	over    bool      // reply is there, or stop
	settled bool      // and it is known how long it took
	reply   Reply
	stop    error
}

// heard is the answer to a read, or why the run ends with it.
type heard struct {
	seq   int
	reply Reply
	stop  *Error
}

// news is what a script has to hear before it goes on. If there is more, it has to ask for that as well.
type news struct {
	heard []heard
	more  bool
}

func newReads(host Host) *reads { return &reads{host: host} }

// note notes a call that was made.
func (r *reads) note(call TracedCall) {
	if r.made == nil {
		r.made = map[int]TracedCall{}
	}
	r.made[call.Seq] = call
}

// call answers a call that the script waits for. A write goes out when no read is under way any more: what is recorded
// before it is all that the script can have known, also after a crash.
func (r *reads) call(ctx context.Context, call Call) (Reply, error) {
	if call.Effect == Write {
		r.all(ctx)
	}
	r.settle(ctx, call.At)
	reply, err := answer(ctx, r.host, call)
	if err == nil {
		r.note(TracedCall{Call: call, Reply: reply, Journal: -1})
	} else {
		r.stopped = errors.As(err, new(*StopError))
	}
	return reply, err
}

// begin takes a read that the script has begun.
func (r *reads) begin(ctx context.Context, call Call) {
	one := &read{call: call, over: true}
	r.under = append(r.under, one)
	r.note(TracedCall{Call: call, Journal: unanswered})
	host, is := r.host.(Beginner)
	if !is {
		one.reply, one.stop = answer(ctx, r.host, call)
		return
	}
	one.reply, one.stop = careful(call, func() (reply Reply, err error) {
		reply, one.begun, err = host.Begin(ctx, call)
		return reply, err
	})
	if one.over = one.begun == nil; !one.over {
		if r.came == nil {
			r.came = make(chan *read, ReadsAtOnce)
		}
		r.queued = append(r.queued, one)
		r.send(ctx)
	}
}

// send sends what is queued, as far as there is room.
func (r *reads) send(ctx context.Context) {
	for len(r.queued) > 0 && r.running < ReadsAtOnce {
		one := r.queued[0]
		r.queued = r.queued[1:]
		r.running++
		one.started = time.Now()
		go func() {
			one.reply, one.stop = careful(one.call, func() (Reply, error) { return one.begun.Make(ctx) })
			r.came <- one
		}()
	}
}

func (r *reads) take(ctx context.Context, one *read) {
	one.over = true
	r.running--
	if ctx.Err() == nil {
		r.send(ctx)
	}
}

// wait waits for what the script can go on with: an answer, or the moment of its next timer, if no read that is under way
// can come before. Without a timer until is negative.
func (r *reads) wait(ctx context.Context, until int64) {
	for ctx.Err() == nil && r.running > 0 && !r.someOver(ctx) {
		var passed <-chan time.Time // nil: it does not
		if left, sure := r.before(until); sure {
			if left <= 0 {
				return
			}
			passed = time.After(left)
		}
		select {
		case one := <-r.came:
			r.take(ctx, one)
		case <-passed:
		case <-ctx.Done():
		}
	}
}

func (r *reads) someOver(ctx context.Context) (some bool) {
	for len(r.came) > 0 {
		r.take(ctx, <-r.came)
	}
	for _, one := range r.under {
		some = some || one.over && !one.settled
	}
	return some
}

// before is for how long an answer may come that is before a virtual moment. As long as a read waits for others that is not known.
func (r *reads) before(until int64) (left time.Duration, sure bool) {
	if until < 0 || len(r.queued) > 0 {
		return 0, false
	}
	for _, one := range r.under {
		if !one.over {
			left = max(left, time.Duration(until-one.call.At)*time.Millisecond-time.Since(one.started))
		}
	}
	return left, true
}

// all waits until all reads are over that were begun; if ctx ends, those that are under way.
func (r *reads) all(ctx context.Context) {
	for r.running > 0 {
		r.take(ctx, <-r.came)
	}
}

// settle says of the reads that are over how long they took for the script, which is at a moment and has none of these
// answers yet.
func (r *reads) settle(ctx context.Context, moment int64) {
	r.furthest = max(r.furthest, moment)
	for _, one := range r.under {
		if !one.over || one.settled {
			continue
		}
		one.settled = true
		if one.stop == nil && one.begun != nil {
			one.reply.MS = max(one.reply.MS, moment+1-one.call.At)
			_, one.stop = careful(one.call, func() (Reply, error) { return Reply{}, one.begun.Answered(ctx, one.reply) })
		}
		if one.stop == nil {
			r.note(TracedCall{Call: one.call, Reply: one.reply, Journal: -1})
		} else {
			r.stopped = r.stopped || errors.As(one.stop, new(*StopError))
		}
	}
}

// mostTold is about how many bytes of answers a script is told in one message.
const mostTold = 8 << 20

// tell gives the answers that are settled.
func (r *reads) tell() (told news) {
	var rest []*read
	size := 0
	for _, one := range r.under {
		switch {
		case !one.settled:
			rest = append(rest, one)
		case size > mostTold:
			rest, told.more = append(rest, one), true
		default:
			heard := heard{seq: one.call.Seq, reply: one.reply}
			if one.stop != nil {
				heard.stop = stopReason(one.stop)
			}
			told.heard = append(told.heard, heard)
			size += len(one.reply.Result)
			r.furthest = max(r.furthest, one.call.At+one.reply.MS) // it goes on to there without a word
		}
	}
	r.under = rest
	return told
}

// finish ends with a run, which came to a moment: what it has begun is waited for and recorded, so that whoever mends its
// script has the answers.
func (r *reads) finish(ctx context.Context, moment int64) {
	r.all(ctx)
	if ctx.Err() == nil {
		r.settle(ctx, moment)
	}
}

// unanswered is the journal entry of a call that was begun.
const unanswered = -2

// complete puts the answers into the calls of a run, and leaves out those that were begun and never answered. A worker
// that was taken over may tell of calls that it never made.
func (r *reads) complete(calls []TracedCall) ([]TracedCall, error) {
	done := calls[:0]
	for _, call := range calls {
		if call.Journal < 0 {
			made, is := r.made[call.Seq]
			if !is {
				return nil, fmt.Errorf("%w: no call %d", errFrame, call.Seq)
			}
			call = made
		}
		if call.Journal != unanswered {
			done = append(done, call)
		}
	}
	return done, nil
}

// careful turns a panic of the host into an error.
func careful(call Call, do func() (Reply, error)) (reply Reply, err error) {
	defer func() {
		if p := recover(); p != nil {
			reply, err = Reply{}, fmt.Errorf("%s: the host panicked: %v", call.Tool, p)
		}
	}()
	return do()
}
