package process

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

// readScheduler are the calls of a run as its host sees them, and what it has begun of them.
//
// In which order a script has the answers follows from when it began its reads and how long each took, in virtual time,
// so that a run is made again from its record. Live it is the order in which they come: what comes after an answer that
// the script has already took longer, if need be by a millisecond. Its timers wait as long as a read is under way that
// may come before them: what takes no real time does not overtake what does.
type readScheduler struct {
	host     sandbox.Host
	made     map[int]sandbox.TracedCall // by number, answered or not
	under    []*read                    // that the script has not heard of, in the order in which it began them
	queued   []*read                    // of these, those that wait until others are over
	running  int
	came     chan *read
	stopped  bool  // the host wanted the run to end
	furthest int64 // virtual moment that the script may have come to
}

// read is one that a script has begun.
type read struct {
	call    sandbox.Call
	begun   *sandbox.Begun // nil if the answer was known
	started time.Time      // zero while it is queued
	over    bool           // reply is there, or stop
	settled bool           // and it is known how long it took
	reply   sandbox.Reply
	stop    error
}

func newReadScheduler(host sandbox.Host) *readScheduler { return &readScheduler{host: host} }

// note notes a call that was made.
func (r *readScheduler) note(call sandbox.TracedCall) {
	if r.made == nil {
		r.made = map[int]sandbox.TracedCall{}
	}
	r.made[call.Seq] = call
}

// call answers a call that the script waits for. A write goes out when no read is under way any more: what is recorded
// before it is all that the script can have known, also after a crash.
func (r *readScheduler) call(ctx context.Context, call sandbox.Call) (sandbox.Reply, error) {
	if call.Effect == sandbox.Write {
		r.all(ctx)
	}
	r.settle(ctx, call.At)
	reply, err := answer(ctx, r.host, call)
	if err == nil {
		r.note(sandbox.TracedCall{Call: call, Reply: reply, Journal: -1})
	} else {
		r.stopped = errors.As(err, new(*sandbox.StopError))
	}
	return reply, err
}

// begin takes a read that the script has begun.
func (r *readScheduler) begin(ctx context.Context, call sandbox.Call) {
	one := &read{call: call, over: true}
	r.under = append(r.under, one)
	r.note(sandbox.TracedCall{Call: call, Journal: unanswered})
	host, is := r.host.(sandbox.Beginner)
	if !is {
		one.reply, one.stop = answer(ctx, r.host, call)
		return
	}
	one.reply, one.stop = recoverPanic(call, func() (reply sandbox.Reply, err error) {
		reply, one.begun, err = host.Begin(ctx, call)
		return reply, err
	})
	if one.over = one.begun == nil; !one.over {
		if r.came == nil {
			r.came = make(chan *read, sandbox.ReadsAtOnce)
		}
		r.queued = append(r.queued, one)
		r.send(ctx)
	}
}

// send sends what is queued, as far as there is room.
func (r *readScheduler) send(ctx context.Context) {
	for len(r.queued) > 0 && r.running < sandbox.ReadsAtOnce {
		one := r.queued[0]
		r.queued = r.queued[1:]
		r.running++
		one.started = time.Now()
		go func() {
			one.reply, one.stop = recoverPanic(one.call, func() (sandbox.Reply, error) { return one.begun.Make(ctx) })
			r.came <- one
		}()
	}
}

func (r *readScheduler) take(ctx context.Context, one *read) {
	one.over = true
	r.running--
	if ctx.Err() == nil {
		r.send(ctx)
	}
}

// wait waits for what the script can go on with: an answer, or the moment of its next timer, if no read that is under way
// can come before. Without a timer until is negative.
func (r *readScheduler) wait(ctx context.Context, until int64) {
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

func (r *readScheduler) someOver(ctx context.Context) (some bool) {
	for len(r.came) > 0 {
		r.take(ctx, <-r.came)
	}
	for _, one := range r.under {
		some = some || one.over && !one.settled
	}
	return some
}

// before is for how long an answer may come that is before a virtual moment. As long as a read waits for others that is not known.
func (r *readScheduler) before(until int64) (left time.Duration, sure bool) {
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
func (r *readScheduler) all(ctx context.Context) {
	for r.running > 0 {
		r.take(ctx, <-r.came)
	}
}

// settle says of the reads that are over how long they took for the script, which is at a moment and has none of these
// answers yet.
func (r *readScheduler) settle(ctx context.Context, moment int64) {
	r.furthest = max(r.furthest, moment)
	for _, one := range r.under {
		if !one.over || one.settled {
			continue
		}
		one.settled = true
		if one.stop == nil && one.begun != nil {
			one.reply.MS = max(one.reply.MS, moment+1-one.call.At)
			_, one.stop = recoverPanic(one.call, func() (sandbox.Reply, error) { return sandbox.Reply{}, one.begun.Answered(ctx, one.reply) })
		}
		if one.stop == nil {
			r.note(sandbox.TracedCall{Call: one.call, Reply: one.reply, Journal: -1})
		} else {
			r.stopped = r.stopped || errors.As(one.stop, new(*sandbox.StopError))
		}
	}
}

// mostTold is about how many bytes of answers a script is told in one message.
const mostTold = 8 << 20

// tell gives the answers that are settled.
func (r *readScheduler) tell() (told engine.News) {
	var rest []*read
	size := 0
	for _, one := range r.under {
		switch {
		case !one.settled:
			rest = append(rest, one)
		case size > mostTold:
			rest, told.More = append(rest, one), true
		default:
			heard := engine.Heard{Seq: one.call.Seq, Reply: one.reply}
			if one.stop != nil {
				heard.Stop = sandbox.StopReason(one.stop)
			}
			told.Heard = append(told.Heard, heard)
			size += len(one.reply.Result)
			r.furthest = max(r.furthest, one.call.At+one.reply.MS) // it goes on to there without a word
		}
	}
	r.under = rest
	return told
}

// finish ends with a run, which came to a moment: what it has begun is waited for and recorded, so that whoever mends its
// script has the answers.
func (r *readScheduler) finish(ctx context.Context, moment int64) {
	r.all(ctx)
	if ctx.Err() == nil {
		r.settle(ctx, moment)
	}
}

// unanswered is the journal entry of a call that was begun.
const unanswered = -2

// complete puts the answers into the calls of a run, and leaves out those that were begun and never answered. A worker
// that was taken over may tell of calls that it never made.
func (r *readScheduler) complete(calls []sandbox.TracedCall) ([]sandbox.TracedCall, error) {
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

// recoverPanic turns a panic of the host into an error.
func recoverPanic(call sandbox.Call, do func() (sandbox.Reply, error)) (reply sandbox.Reply, err error) {
	defer func() {
		if p := recover(); p != nil {
			reply, err = sandbox.Reply{}, fmt.Errorf("%s: the host panicked: %v", call.Tool, p)
		}
	}()
	return do()
}
