package publisher

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/internal/basics/panics"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/watermillsub"
)

// delivery is a subscription while this node may deliver to it.
type delivery struct {
	config Config
	name   string
	epoch  int
	sink   Sink
	pace   *pace
	state  atomic.Pointer[subscription.State]

	subscriber *watermillsub.Subscriber
	cancel     context.CancelFunc
	ended      chan struct{} // closed when nothing of it runs any more

	attempts *attempts

	mu     sync.Mutex
	failed map[string]failedTry // by event that is about to be tried again
	since  map[string]time.Time // when the next event of a lane was not taken first, by lane of which that is known
}

// failedTry is why an event was not taken. The attempt is noted once it is known when the next one is; nil if there was none.
type failedTry struct {
	err     error
	attempt *watermillsub.Attempt
}

const (
	// parallel is how many events are under way to one subscription, or taken and not kept as such: a kill repeats no more.
	parallel = 32
	// blockedPause is after how long a lane behind a dead letter is looked at, if nobody woke it.
	blockedPause = 5 * time.Minute
	// maxWhy bounds what is kept of why an event was not delivered.
	maxWhy = 500
	// longestUntold is how long an event is not taken at most before people are told.
	longestUntold = 30 * time.Minute
	// closing is how long what is under way may go on when deliveries end.
	closing = 15 * time.Second
)

// errBlocked is why a lane waits behind a dead letter.
var errBlocked = errors.New("it waits behind a dead letter: retry it or drop it")

func (p *Publisher) start(ctx context.Context, name string, state subscription.State) (*delivery, error) {
	sink, err := p.config.Sinks.Open(name, state.Definition)
	if err != nil {
		return nil, err
	}
	pace, err := paceOf(state.Definition)
	if err != nil {
		return nil, err
	}
	d := &delivery{config: p.config, name: name, epoch: state.Epoch, sink: sink, pace: pace, ended: make(chan struct{}), attempts: p.attempts, failed: map[string]failedTry{}, since: map[string]time.Time{}}
	if failing := state.Failing; failing != nil {
		if _, dead := state.Letters[failing.Event.EventID]; !dead {
			d.since[failing.Lane] = failing.Since
		}
	}
	d.state.Store(&state)
	if d.subscriber, err = p.subscriber(ctx, name, state, d.configure(p)); err != nil {
		return nil, err
	}
	router, err := message.NewRouter(message.RouterConfig{CloseTimeout: closing}, watermill.NopLogger{})
	if err != nil {
		return nil, err
	}
	router.AddConsumerHandler(name, topic, d.subscriber, d.handle)
	var working context.Context
	working, d.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(d.ended)
		if err := errors.Join(router.Run(working), d.subscriber.Close()); err != nil {
			p.config.Logger.Error("deliveries ended in disorder", "subscription", name, "error", err)
		}
		sink.Close()
		d.noteRest()
	}()
	return d, nil
}

// configure has its subscriber deliver, and keep how far it is in the log as well.
func (d *delivery) configure(p *Publisher) func(*watermillsub.Config) {
	now := func(ctx context.Context) (subscription.State, error) {
		return d.config.Commands.LoadSubscription(ctx, d.name)
	}
	return func(c *watermillsub.Config) {
		c.Backoff, c.AtOnce = d.backoff, parallel
		c.Noted = func(ctx context.Context) (*watermillsub.Place, error) {
			state, err := now(ctx)
			return noted(state), err
		}
		c.Current = func(ctx context.Context) (bool, error) {
			state, err := now(ctx)
			return state.Exists && state.Epoch == d.epoch, err
		}
		c.Note = func(ctx context.Context, at watermillsub.Place) error { return p.note(ctx, d.name, d.epoch, at) }
		c.Found = func(ctx context.Context, lost, at eventlog.Checkpoint) error {
			d.config.Logger.Warn("what was kept of how far a subscription is, is not of this log: it goes on where the log says it was, and what came after that may come again",
				"subscription", d.name, "after", at.String(), "kept", lost.String())
			_, err := d.config.Commands.NotePlaceFound(ctx, d.name, subscription.FindPlace{Lost: PlaceOf(lost), Place: PlaceOf(at)}, commands.Meta{Actor: "system:publisher"})
			return err
		}
	}
}

// stop ends deliveries, after what is under way had some time.
func (d *delivery) stop() {
	d.cancel()
	<-d.ended
}

// changed takes what people decided meanwhile.
func (d *delivery) changed(state subscription.State) {
	before := d.state.Swap(&state)
	if state.Asked > before.Asked {
		d.subscriber.WakeAll()
	}
	for id, letter := range state.Letters {
		if letter.Settled && !before.Letters[id].Settled {
			d.subscriber.Wake(letter.Lane)
		}
	}
}

// messageOf makes the message of an event. Where the event is goes with it.
func (e *encodings) messageOf(definition subscription.Definition) func(eventlog.Record) (*message.Message, error) {
	return func(record eventlog.Record) (*message.Message, error) {
		one := e.encode(record, definition.Payload)
		m := message.NewMessage(record.ID, one.out.Body)
		if one.fault != nil {
			m.Metadata.Set("fault", one.fault.Error()) // it is given up like one that is not taken
		}
		m.Metadata.Set("type", record.Type)
		m.Metadata.Set("key", one.out.Key)
		m.Metadata.Set("place", eventlog.CheckpointOf(record).String())
		m.Metadata.Set("lane", one.lane)
		return m, nil
	}
}

// handle delivers an event. An error has it delivered again, after a pause.
func (d *delivery) handle(m *message.Message) error {
	var attempt *watermillsub.Attempt
	err := panics.Guard(func() (err error) {
		attempt, err = d.deliver(m)
		return err
	})
	if err != nil {
		d.mu.Lock()
		d.failed[m.UUID] = failedTry{err, attempt}
		d.mu.Unlock()
	}
	return err
}

// deliver gives the attempt if it failed and the event is to be tried again.
func (d *delivery) deliver(m *message.Message) (*watermillsub.Attempt, error) {
	state := d.state.Load()
	if letter, dead := state.Letters[m.UUID]; dead {
		if letter.Settled || state.Lanes == subscription.Skip {
			return nil, nil //nolint:nilnil // there was none
		}
		return nil, errBlocked
	}
	place, err := eventlog.ParseCheckpoint(m.Metadata.Get("place"))
	if err != nil {
		return nil, err
	}
	tries := watermillsub.TriesOf(m.Context())
	out, wanted, err := d.shape(m)
	if err == nil && !wanted {
		m.Metadata.Set(watermillsub.LeftOut, "yes")
		return nil, d.took(m.Context(), m.Metadata.Get("lane"))
	}
	if pacing := d.pace.wait(m.Context()); pacing != nil {
		return nil, pacing
	}
	attempt := watermillsub.Attempt{
		Of: d.name, At: d.config.Now(), Event: m.UUID, Stream: place.Stream, Revision: place.Revision, Type: m.Metadata.Get("type"), Lane: m.Metadata.Get("lane"),
		Nth: tries.Failures + 1,
	}
	var answer Answer
	if err == nil {
		answer, err = sendTo(m.Context(), d.sink, out, d.config.Timeout)
	}
	ended(&attempt, answer, err, d.config.Now())
	// The outcome is recorded even if the time of the delivery is over.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(m.Context()), closing)
	defer cancel()
	if err == nil {
		d.attempts.note(attempt)
		return nil, d.took(ctx, attempt.Lane)
	}
	if errors.Is(err, ErrGone) {
		_, pausing := d.config.Commands.PauseSubscription(ctx, d.name, subscription.Pause{Reason: err.Error()}, d.meta("gone", m.UUID))
		d.attempts.note(attempt)
		return nil, errors.Join(err, pausing)
	}
	since := tries.Since
	if since.IsZero() {
		since = attempt.At
	}
	limit, trouble := time.Duration(state.GiveUpSeconds)*time.Second, d.config.Now().Sub(since)
	d.mu.Lock()
	d.since[attempt.Lane] = since
	d.mu.Unlock()
	if trouble >= tellAfter(limit) && state.Failing == nil {
		if _, telling := d.config.Commands.NoteFailing(ctx, d.name, subscription.NoteFailing{
			Event: PlaceOf(place), Type: attempt.Type, Lane: attempt.Lane, Since: since.UTC(), Attempts: attempt.Nth, Reason: err.Error(), GivesUpAt: since.Add(limit).UTC(),
		}, commands.Meta{CausationID: m.UUID, Actor: "system:publisher"}); telling != nil {
			return &attempt, errors.Join(err, telling)
		}
	}
	if tries.Since.IsZero() || trouble < limit {
		return &attempt, err
	}
	if _, giving := d.config.Commands.GiveUpDelivery(ctx, d.name, subscription.GiveUp{
		Event: PlaceOf(place), Type: attempt.Type, Lane: attempt.Lane, Attempts: attempt.Nth, Reason: err.Error(),
	}, d.meta("dead", m.UUID)); giving != nil {
		return &attempt, errors.Join(err, giving)
	}
	d.attempts.note(attempt)
	d.mu.Lock()
	delete(d.since, attempt.Lane) // people were told that it was given up
	d.mu.Unlock()
	if state.Lanes == subscription.Skip {
		return nil, nil //nolint:nilnil // it is not tried again
	}
	return nil, errBlocked
}

// tellAfter is after what time people are told that an event is not taken, of which there is time left before it is given up.
func tellAfter(limit time.Duration) time.Duration { return min(limit/2, longestUntold) }

// took notes that an event of a lane was taken: if nothing else has not been for long, the subscription has recovered.
func (d *delivery) took(ctx context.Context, lane string) error {
	state, now := d.state.Load(), d.config.Now()
	d.mu.Lock()
	delete(d.since, lane)
	troubled := false
	for _, since := range d.since {
		troubled = troubled || now.Sub(since) >= tellAfter(time.Duration(state.GiveUpSeconds)*time.Second)
	}
	d.mu.Unlock()
	if state.Failing == nil || troubled {
		return nil
	}
	_, err := d.config.Commands.NoteRecovered(ctx, d.name, commands.Meta{Actor: "system:publisher"})
	return err
}

// shape gives an event as it is sent, in bounded time, if it is wanted. A fault of ours is a failure as well.
func (d *delivery) shape(m *message.Message) (out Outgoing, wanted bool, err error) {
	if fault := m.Metadata.Get("fault"); fault != "" {
		return out, false, fmt.Errorf("the event cannot be delivered in this form: %s", fault)
	}
	ctx, done := context.WithTimeout(m.Context(), d.config.Timeout)
	defer done()
	return d.config.expressions(d.name, d.state.Load().Definition).apply(ctx, Outgoing{ID: m.UUID, Key: m.Metadata.Get("key"), Body: m.Payload})
}

// sendTo gives an event to a sink, in bounded time.
func sendTo(ctx context.Context, sink Sink, out Outgoing, timeout time.Duration) (answer Answer, err error) {
	ctx, done := context.WithTimeout(ctx, timeout)
	defer done()
	err = panics.Guard(func() (err error) {
		answer, err = sink.Send(ctx, out)
		return err
	})
	return answer, err
}

// noteRest notes the attempts after which deliveries ended here: others go on at once.
func (d *delivery) noteRest() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, failed := range d.failed {
		if failed.attempt != nil {
			failed.attempt.Next = d.config.Now()
			d.attempts.note(*failed.attempt)
		}
	}
	d.failed = map[string]failedTry{}
}

// meta is of what is recorded about an event, once.
func (d *delivery) meta(what, id string) commands.Meta {
	command := fmt.Sprintf("publisher:%s:%s:%d:%s", what, d.name, d.epoch, id)
	if what == "gone" {
		command = "" // it may be resumed, and be gone again
	}
	return commands.Meta{CommandID: command, CausationID: id, Actor: "system:publisher"}
}

// backoff is how long an event waits that was not delivered, and why.
func (d *delivery) backoff(record eventlog.Record, failures int) (time.Duration, string) {
	d.mu.Lock()
	failed := d.failed[record.ID]
	delete(d.failed, record.ID)
	d.mu.Unlock()
	pause, why := d.pauseAfter(record, failures, failed.err)
	if failed.attempt != nil {
		failed.attempt.Next = d.config.Now().Add(pause)
		d.attempts.note(*failed.attempt)
	}
	return pause, why
}

func (d *delivery) pauseAfter(record eventlog.Record, failures int, err error) (time.Duration, string) {
	if errors.Is(err, errBlocked) {
		// Somebody may have decided since it was looked at.
		if letter := d.state.Load().Letters[record.ID]; letter.Settled {
			return 0, ""
		}
		return blockedPause, err.Error()
	}
	pause := min(d.config.Pause<<min(failures-1, 20), d.config.LongestPause)
	pause = time.Duration(float64(pause) * (0.8 + 0.4*rand.Float64()))
	if later, is := errors.AsType[*LaterError](err); is {
		pause = max(pause, later.After)
	}
	if err == nil {
		return pause, "it was not taken"
	}
	why := failure.Cut(err.Error(), maxWhy)
	if failures == 1 {
		d.config.Logger.Warn("an event was not delivered; it is tried again, and what comes after it in its workflow waits",
			"subscription", d.name, "event", record.ID, "type", record.Type, "after", pause.Round(time.Millisecond), "error", why)
	}
	return pause, why
}
