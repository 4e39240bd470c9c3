package watermillsub

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"github.com/kintsugi-run/kintsugi/internal/basics/panics"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// delivery is a topic of a group while this process delivers it. One goroutine owns it; readers and those who wait for an
// acknowledgement send to it.
type delivery struct {
	config Config
	owner  *Subscriber
	filter eventlog.Filter
	logger *slog.Logger

	lanes   map[string]*lane
	ready   []*lane            // with an event to deliver, in the order they became so
	again   map[*lane]struct{} // behind and with nothing pending: to be read again when they are due
	offered *message.Message   // the first event of the first lane that is ready
	// answeredOffer ends the context of what is offered.
	answeredOffer  context.CancelFunc
	read           eventlog.Checkpoint
	reads          int     // events that were read from the head on
	leftOut        int64   // events of the group that were not wanted when their turn came
	buffered       int     // events in lanes
	out            int     // lanes with a message under way, or one whose acknowledgement is not kept
	acked, keeping []*lane // with an acknowledgement that is not kept: in no save yet, and in the save that is under way

	noted   eventlog.Checkpoint // what was read when it was noted in the log last how far it is
	notedAt time.Time

	records  chan entry  // the next events of the log
	answers  chan answer // to messages
	scans    chan scan   // lanes that were read again
	scanning bool
	// hold says that the head waits for the lanes that are read again, or they would never catch up with it.
	hold bool
}

// lane is a lane with something to do; others are not held.
type lane struct {
	key      string
	pending  []entry // to be delivered in this order; the first may be under way
	underWay bool
	// acked says that an acknowledgement is not kept: what comes next waits for that, or a kill would repeat both.
	acked    bool
	failures int       // of its first event, in a row
	since    time.Time // of the first of these failures
	why      string    // of the last of them
	due      time.Time // not before, after a failure
	// behind says that the lane has events in the log after this one which are not pending.
	behind bool
	after  eventlog.Checkpoint
	// known is up to where the lane was read again, or the last event that was acknowledged: the head may not have come so far, now or in
	// the life after this.
	known eventlog.Checkpoint
}

// Tries is how often an event was delivered before and not acknowledged, in a row, and since when.
type Tries struct {
	Failures int
	Since    time.Time // zero if there were none
}

type triesKey struct{}

// TriesOf is what was tried before with the message of a context.
func TriesOf(ctx context.Context) Tries {
	tries, _ := ctx.Value(triesKey{}).(Tries)
	return tries
}

// entry is an event with what was read before it.
type entry struct {
	record eventlog.Record
	before eventlog.Checkpoint
}

type answer struct {
	lane    *lane
	ack     bool
	leftOut bool
}

// deliver delivers until ctx ends, the claim is lost, or the log or the groups fail.
func (s *Subscriber) deliver(
	ctx context.Context, group, topic string, claim Claim, out chan<- *message.Message, logger *slog.Logger,
) (reads int, err error) {
	config := s.config
	began, err := load(ctx, config, claim.State)
	if err == nil && began.found {
		err = config.Found(ctx, began.lost, began.Read)
	}
	if err == nil && !began.noted && config.Note != nil {
		err = config.Note(ctx, began.Place)
	}
	if err != nil {
		return 0, errors.Join(err, config.Groups.Release(context.WithoutCancel(ctx), group, claim.Token, claim.State))
	}
	d := &delivery{
		config: config, owner: s, filter: config.Filter(topic), logger: logger, lanes: map[string]*lane{}, again: map[*lane]struct{}{}, read: began.Read, leftOut: began.LeftOut,
		noted: began.Read, notedAt: time.Now(),
		records: make(chan entry), answers: make(chan answer), scans: make(chan scan, 1),
	}
	for key, saved := range began.Lanes {
		of := &lane{key: key, behind: true, after: saved.After, failures: saved.Failures, since: saved.Since, why: saved.Why, due: saved.Due}
		d.lanes[key], d.again[of] = of, struct{}{}
	}
	if began.found || !began.noted && config.Note != nil { // it is said once
		if claim.State, err = d.save(); err != nil {
			return 0, err
		}
		if err := config.Groups.Save(ctx, group, claim.Token, claim.State, config.Lease); err != nil {
			return 0, err
		}
	}
	// Messages that are under way outlive ctx for a while: their work may be done, and is to be acknowledged.
	working, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	keep := &positionSaver{
		save:  func(state []byte) error { return config.Groups.Save(ctx, group, claim.Token, state, config.Lease) },
		state: claim.State, at: time.Now(), lease: config.Lease, saved: make(chan error, 1),
	}
	err = d.run(ctx, working, out, keep)
	if errors.Is(err, ErrLost) {
		return d.reads, err // another one delivers: what is under way comes twice
	}
	d.drain()
	state, encoding := d.save()
	if encoding == nil {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), config.Drain)
		defer cancel()
		if encoding = config.Groups.Release(last, group, claim.Token, state); encoding == nil {
			encoding = d.note(last, state)
		}
	}
	return d.reads, errors.Join(err, encoding)
}

func (d *delivery) run(ctx, working context.Context, out chan<- *message.Message, keep *positionSaver) error {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	failed := make(chan error, 1)
	last := d.read
	go func() { failed <- panics.Guard(func() error { return d.follow(reading, last) }) }()
	renew := time.NewTicker(d.config.Lease / 5)
	defer renew.Stop()
	var err error
	for err == nil && ctx.Err() == nil {
		d.readAgain(reading)
		if err = keep.soon(d); err != nil {
			break
		}
		records := d.records
		if d.hold || d.buffered >= window || len(d.again) >= lanesBehind {
			records = nil
		}
		sink := out
		if d.offer(working); d.offered == nil {
			sink = nil
		}
		due, release := d.firstDue()
		select {
		case <-ctx.Done():
		case err = <-failed:
			failed <- nil
		case entry := <-records:
			err = d.take(ctx, entry)
		case sink <- d.offered:
			d.sent(working)
		case answer := <-d.answers:
			d.answered(answer)
			keep.due = true
		case found := <-d.scans:
			err = d.found(found)
		case <-d.owner.wakes:
			woken, all := d.owner.takeWoken()
			for key, of := range d.lanes {
				if all || woken[key] {
					of.due = time.Time{}
				}
			}
		case <-due:
		case <-renew.C:
			keep.due = true
		case err = <-keep.saved:
			if keep.busy = false; err == nil {
				d.kept()
				d.config.Fares(ctx, nil)
				if time.Since(d.notedAt) > noteEvery {
					err = d.note(ctx, keep.state)
				}
			}
		}
		release()
	}
	stop()
	err = errors.Join(err, <-failed) // none if it ended because it was stopped
	if d.scanning {
		<-d.scans
	}
	return errors.Join(err, keep.end())
}

// follow sends the events from the head on.
func (d *delivery) follow(ctx context.Context, last eventlog.Checkpoint) error {
	for delivery, err := range d.config.Log.Subscribe(ctx, last.Position, d.filter) {
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if delivery.Record == nil {
			continue
		}
		select {
		case d.records <- entry{*delivery.Record, last}:
			last = eventlog.CheckpointOf(*delivery.Record)
		case <-ctx.Done():
			return nil
		}
	}
	return errors.New("watermillsub: the log ended")
}

// take puts an event that was read from the head into its lane.
func (d *delivery) take(ctx context.Context, e entry) error {
	key, wanted, err := d.config.Lane(ctx, e.record)
	if err != nil {
		return err
	}
	d.read = eventlog.CheckpointOf(e.record)
	d.reads++
	if !wanted {
		return nil
	}
	of := d.lanes[key]
	switch {
	case of == nil:
		of = &lane{key: key}
		d.lanes[key] = of
	case of.behind || e.record.Position <= of.known.Position:
		return nil // it is read again, or was
	case len(of.pending) >= laneWindow:
		of.behind, of.after = true, eventlog.CheckpointOf(of.pending[len(of.pending)-1].record)
		return nil
	}
	d.push(of, e)
	return nil
}

func (d *delivery) push(of *lane, entries ...entry) {
	if len(entries) == 0 {
		return
	}
	d.buffered += len(entries)
	of.pending = append(of.pending, entries...)
	if len(of.pending) == len(entries) && !of.acked {
		d.ready = append(d.ready, of)
	}
}

// offer makes the message of the lane that has waited longest, unless enough are out.
func (d *delivery) offer(working context.Context) {
	for d.offered == nil && len(d.ready) > 0 && d.out < d.config.AtOnce {
		record := d.ready[0].pending[0].record
		msg, err := d.config.Message(record)
		if err == nil {
			var ctx context.Context
			ctx, d.answeredOffer = context.WithCancel(context.WithValue(working, triesKey{}, Tries{d.ready[0].failures, d.ready[0].since}))
			msg.SetContext(ctx)
			d.offered = msg
			return
		}
		d.logger.Error("an event cannot be made into a message; its lane waits", "stream", record.Stream, "revision", record.Revision, "error", err)
		d.fail(d.ready[0])
		d.ready = d.ready[1:]
	}
}

// sent waits for the answer to the message that was offered, which somebody has taken.
func (d *delivery) sent(working context.Context) {
	of, msg, done := d.ready[0], d.offered, d.answeredOffer
	d.ready, d.offered = d.ready[1:], nil
	of.underWay = true
	d.out++
	go func() {
		defer done()
		select {
		case <-msg.Acked():
			d.answer(working, answer{of, true, msg.Metadata.Get(LeftOut) != ""})
		case <-msg.Nacked():
			d.answer(working, answer{lane: of})
		case <-working.Done():
		}
	}()
}

func (d *delivery) answer(working context.Context, a answer) {
	select {
	case d.answers <- a:
	case <-working.Done():
	}
}

func (d *delivery) answered(a answer) {
	of := a.lane
	of.underWay = false
	if !a.ack {
		d.out--
		d.fail(of)
		return
	}
	if a.leftOut {
		d.leftOut++
	}
	d.buffered--
	of.failures, of.since, of.why = 0, time.Time{}, ""
	if last := of.pending[0].record; last.Position > of.known.Position {
		of.known = eventlog.CheckpointOf(last)
	}
	of.pending = of.pending[1:]
	of.acked = true
	d.acked = append(d.acked, of)
}

// kept lets the lanes go on whose acknowledgements were in the save that has ended.
func (d *delivery) kept() {
	for _, of := range d.keeping {
		d.out--
		of.acked = false
		if len(of.pending) > 0 {
			d.ready = append(d.ready, of)
			continue
		}
		d.rest(of)
	}
	d.keeping = nil
}

// rest is called when a lane has nothing pending: it is read again if there is more.
func (d *delivery) rest(of *lane) {
	if of.pending = nil; of.behind {
		d.again[of] = struct{}{}
	}
}

// fail lets a lane wait, and frees what it holds: it is read again.
func (d *delivery) fail(of *lane) {
	failed := of.pending[0]
	of.behind, of.after = true, failed.before
	d.buffered -= len(of.pending)
	of.pending = nil
	if of.failures++; of.since.IsZero() {
		of.since = time.Now()
	}
	pause, why := d.config.Backoff(failed.record, of.failures)
	of.due, of.why = time.Now().Add(pause), why
	d.again[of] = struct{}{}
}

// firstDue receives when a lane that waits may be read again.
func (d *delivery) firstDue() (due <-chan time.Time, release func()) {
	if d.scanning || len(d.again) == 0 {
		return nil, func() {}
	}
	first := time.Time{}
	for of := range d.again {
		if first.IsZero() || of.due.Before(first) {
			first = of.due
		}
	}
	timer := time.NewTimer(time.Until(first))
	return timer.C, func() { timer.Stop() }
}

// drain waits for what is under way.
func (d *delivery) drain() {
	late := time.NewTimer(d.config.Drain)
	defer late.Stop()
	for {
		underWay := false
		for _, of := range d.lanes {
			underWay = underWay || of.underWay
		}
		if !underWay {
			return
		}
		select {
		case answer := <-d.answers:
			d.answered(answer)
		case <-late.C:
			return
		}
	}
}

// save is the state as it is now. It lists few lanes: with nothing done after Read, a lane is read again from there.
func (d *delivery) save() ([]byte, error) {
	s := state{Place: Place{Read: d.read, Lanes: map[string]LanePlace{}, LeftOut: d.leftOut}, Noted: d.config.Note != nil}
	for _, of := range d.lanes {
		if of.waits() && of.pending[0].before.Position < s.Read.Position {
			s.Read = of.pending[0].before
		}
	}
	for key, of := range d.lanes {
		ahead := of.known.Position > s.Read.Position
		switch {
		case len(of.pending) > 0:
			if before := of.pending[0].before; of.behind || of.failures > 0 || ahead || before.Position < s.Read.Position {
				s.Lanes[key] = LanePlace{After: before, Failures: of.failures, Since: of.since, Why: of.why}
			}
		case of.behind:
			s.Lanes[key] = LanePlace{After: of.after, Failures: of.failures, Since: of.since, Why: of.why, Due: of.due}
		case ahead:
			s.Lanes[key] = LanePlace{After: of.known}
		case !of.acked:
			delete(d.lanes, key)
		}
	}
	return json.Marshal(s)
}

// noteEvery is how often it is noted in the log itself how far a group is, beside its end.
const noteEvery = time.Hour

// note notes in the log what was saved.
func (d *delivery) note(ctx context.Context, saved []byte) error {
	if d.config.Note == nil {
		return nil
	}
	var s state
	err := json.Unmarshal(saved, &s)
	if err == nil && s.Read != d.noted {
		ctx, cancel := context.WithTimeout(ctx, d.config.Lease/2)
		defer cancel()
		err = d.config.Note(ctx, s.Place)
	}
	d.noted, d.notedAt = s.Read, time.Now()
	return err
}

// waits says that all a lane has are events that were read from the head on, and none of them is out.
func (of *lane) waits() bool {
	return len(of.pending) > 0 && !of.underWay && !of.acked && !of.behind && of.failures == 0 && of.known.Position < of.pending[0].record.Position
}
