package publisher

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/watermillsub"
)

// Limits of the ledger, which docs/cli.md names.
const (
	// MostAttempts is how many attempts of a subscription are kept that were taken, and how many that were not.
	MostAttempts = 10_000
	// OldestAttempt is for how long they are.
	OldestAttempt = 30 * 24 * time.Hour

	trimEvery     = 500                    // attempts of a subscription
	mostUnwritten = 10_000                 // attempts, while the ledger cannot be written
	writeEvery    = 250 * time.Millisecond // what a kill leaves out of the ledger
)

// attempts writes attempts down, many at once: waiting for each would slow deliveries.
type attempts struct {
	open   func(ctx context.Context) (watermillsub.Ledger, error)
	now    func() time.Time
	logger *slog.Logger

	wake chan struct{}

	mu      sync.Mutex
	waiting []watermillsub.Attempt
	since   map[string]int // by subscription, written since it was trimmed
	failing bool
}

func newAttempts(c Config) *attempts {
	return &attempts{open: c.Ledger, now: c.Now, logger: c.Logger, wake: make(chan struct{}, 1), since: map[string]int{}}
}

// note has an attempt written soon.
func (a *attempts) note(one watermillsub.Attempt) {
	a.mu.Lock()
	if len(a.waiting) == mostUnwritten {
		a.waiting = a.waiting[1:]
	}
	a.waiting = append(a.waiting, one)
	a.mu.Unlock()
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// run writes until ctx ends.
func (a *attempts) run(ctx context.Context) {
	pace := time.NewTicker(writeEvery)
	defer pace.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.wake:
		}
		a.write(ctx)
		select {
		case <-ctx.Done():
			return
		case <-pace.C:
		}
	}
}

// close writes the rest.
func (a *attempts) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	a.write(ctx)
}

func (a *attempts) write(ctx context.Context) {
	a.mu.Lock()
	batch := a.waiting
	a.waiting = nil
	a.mu.Unlock()
	if len(batch) == 0 {
		return
	}
	err := a.record(ctx, batch)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil {
		a.failing = false
		return
	}
	if !a.failing && ctx.Err() == nil {
		a.logger.Warn("what became of deliveries cannot be written down, trying again; events are delivered meanwhile", "error", err)
		a.failing = true
	}
	a.waiting = append(batch, a.waiting...)
	a.waiting = a.waiting[max(0, len(a.waiting)-mostUnwritten):]
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

func (a *attempts) record(ctx context.Context, batch []watermillsub.Attempt) error {
	ledger, err := a.open(ctx)
	if err != nil {
		return err
	}
	if err := ledger.Record(ctx, batch); err != nil {
		return err
	}
	for _, name := range a.due(batch) {
		if err := ledger.Trim(ctx, name, MostAttempts, a.now().Add(-OldestAttempt)); err != nil {
			a.logger.Warn("old deliveries are not forgotten, trying again later", "subscription", name, "error", err)
		}
	}
	return nil
}

// due counts what was written, and names the subscriptions of which enough was.
func (a *attempts) due(written []watermillsub.Attempt) (names []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, one := range written {
		if a.since[one.Of]++; a.since[one.Of] == trimEvery {
			delete(a.since, one.Of)
			names = append(names, one.Of)
		}
	}
	return names
}

// ended is an attempt as it ended.
func ended(a *watermillsub.Attempt, answer Answer, err error, now time.Time) {
	a.Status, a.Answer, a.Took = answer.Status, answer.Body, now.Sub(a.At)
	if err != nil {
		a.Error = failure.Cut(cmp.Or(err.Error(), "it was not taken"), maxWhy)
	}
}

// Hand delivers events that a person chose, one by one, now and from here: signed as all are, and in the ledger.
type Hand struct {
	publisher *Publisher
	name      string
	sink      Sink
	pace      *pace
	shape     expressions
}

// Hand opens the target of a subscription.
func (p *Publisher) Hand(name string, state subscription.State) (*Hand, error) {
	sink, err := p.config.Sinks.Open(name, state.Definition)
	if err != nil {
		return nil, err
	}
	pace, err := paceOf(state.Definition)
	return &Hand{publisher: p, name: name, sink: sink, pace: pace, shape: p.config.expressions(name, state.Definition)}, err
}

// Close lets go of connections.
func (h *Hand) Close() { h.sink.Close() }

// errLeftOut is why an event is not sent that a person chose.
var errLeftOut = errors.New("the filter of the subscription leaves this event out")

// Deliver delivers an event, if the filter lets it through. About is what it is, and how a person had it delivered.
func (h *Hand) Deliver(ctx context.Context, out Outgoing, about watermillsub.Attempt) (attempt watermillsub.Attempt, said string) {
	out, wanted, err := h.shape.apply(ctx, out)
	if err == nil && !wanted {
		err = errLeftOut
	}
	return h.deliver(ctx, out, about, err)
}

// Try delivers an event that never happened, whatever the filter says of it, and gives what was sent.
func (h *Hand) Try(ctx context.Context, out Outgoing, about watermillsub.Attempt) (attempt watermillsub.Attempt, said string, sent []byte) {
	unfiltered := h.shape
	unfiltered.filter = ""
	out, _, err := unfiltered.apply(ctx, out)
	if err == nil {
		sent, _ = out.Sent()
	}
	attempt, said = h.deliver(ctx, out, about, err)
	return attempt, said, sent
}

func (h *Hand) deliver(ctx context.Context, out Outgoing, about watermillsub.Attempt, err error) (attempt watermillsub.Attempt, said string) {
	c := h.publisher.config
	if err == nil {
		err = h.pace.wait(ctx)
	}
	about.Of, about.At, about.Event = h.name, c.Now(), out.ID
	var answer Answer
	if err == nil {
		answer, err = sendTo(ctx, h.sink, out, c.Timeout)
	}
	ended(&about, answer, err, c.Now())
	keeping, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing) // it was delivered, whatever becomes of who asked
	defer cancel()
	if err := h.publisher.attempts.record(keeping, []watermillsub.Attempt{about}); err != nil {
		c.Logger.Warn("what became of a delivery cannot be written down", "subscription", h.name, "event", out.ID, "error", err)
	}
	return about, cmp.Or(about.Error, answer.Said)
}
