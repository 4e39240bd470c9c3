package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/handlers/publisher"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/watermillsub"
)

// Attempt is one try to tell an external system of an event.
type Attempt struct {
	ID       string    `json:"id"`
	At       time.Time `json:"at"`
	Event    string    `json:"event"`
	Stream   string    `json:"stream,omitempty"`
	Revision int64     `json:"revision"`
	Type     string    `json:"type"`
	Lane     string    `json:"lane,omitempty" doc:"What the event belongs to: a workflow, as a subject"`
	ByHand   string    `json:"by_hand,omitempty" enum:"test,resend,retry,recover" doc:"How a person had it made; missing for one that was made by itself"`
	Nth      int       `json:"attempt" doc:"Which of this event it was, from 1"`
	Taken    bool      `json:"taken"`
	Status   int       `json:"status,omitempty" doc:"Of HTTP"`
	Error    string    `json:"error,omitempty" doc:"Why it was not taken"`
	Answer   string    `json:"answer,omitempty" doc:"How the answer begins, up to 1 KiB"`
	TookMS   int64     `json:"took_ms"`
	Next     time.Time `json:"next,omitzero" doc:"When it is tried again by itself; missing for never"`
}

// AttemptFilter says which attempts are wanted.
type AttemptFilter struct {
	Failed bool
	Event  string // only of this one; empty for all
	Since  time.Time
	After  string // the id of an attempt: only older ones; empty for all
	Limit  int
}

// Attempts are what the ledger has of a subscription, the newest first.
func (s *Subscriptions) Attempts(ctx context.Context, name string, filter AttemptFilter) ([]Attempt, error) {
	if _, err := s.load(ctx, name); err != nil {
		return nil, err
	}
	before := int64(0)
	if filter.After != "" {
		var err error
		if before, err = strconv.ParseInt(filter.After, 10, 64); err != nil || before < 1 {
			return nil, fault.New(fault.Invalid, "%q is no place in this list: take the next of the page before", filter.After)
		}
	}
	kept, err := s.State.open(ctx)
	if err != nil {
		return nil, err
	}
	found, err := kept.Attempts(ctx, watermillsub.AttemptQuery{Of: name, Failed: filter.Failed, Event: filter.Event, Since: filter.Since, Before: before, Limit: filter.Limit})
	shown := make([]Attempt, len(found))
	for i, a := range found {
		shown[i] = Attempt{
			ID: strconv.FormatInt(a.ID, 10), At: a.At, Event: a.Event, Stream: a.Stream, Revision: a.Revision, Type: a.Type, Lane: a.Lane, ByHand: a.ByHand, Nth: a.Nth,
			Taken: a.Error == "", Status: a.Status, Error: a.Error, Answer: a.Answer, TookMS: a.Took.Milliseconds(), Next: a.Next,
		}
	}
	return shown, err
}

// Delivery is what became of an event that a person had delivered.
type Delivery struct {
	Event     string `json:"event"`
	Delivered bool   `json:"delivered"`
	Status    int    `json:"status,omitempty" doc:"Of HTTP"`
	Said      string `json:"said"` // what came back
	Sent      string `json:"sent,omitempty" doc:"What was sent, of a test"`
	TookMS    int64  `json:"took_ms"`
}

// How a person has an event delivered.
const (
	byTest    = "test"
	byResend  = "resend"
	byRetry   = "retry"
	byRecover = "recover"
)

// hand delivers what a person chose.
type hand struct {
	*publisher.Hand

	of      *Subscriptions
	name    string
	state   subscription.State
	how     string
	meta    commands.Meta
	settled int // dead letters that were delivered
}

func (s *Subscriptions) hand(name string, state subscription.State, how string, meta commands.Meta) (*hand, error) {
	opened, err := s.publisher().Hand(name, state)
	return &hand{Hand: opened, of: s, name: name, state: state, how: how, meta: meta}, err
}

func (h *hand) deliver(ctx context.Context, out publisher.Outgoing, about watermillsub.Attempt) Delivery {
	about.ByHand = h.how
	done, said := h.Deliver(ctx, out, about)
	return Delivery{Event: out.ID, Delivered: done.Error == "", Status: done.Status, Said: said, TookMS: done.Took.Milliseconds()}
}

// record delivers an event of the log.
func (h *hand) record(ctx context.Context, record eventlog.Record, lane string, nth int) (Delivery, error) {
	out, err := publisher.Encode(record, h.state.Payload)
	if err != nil {
		return Delivery{}, err
	}
	return h.deliver(ctx, out, watermillsub.Attempt{Stream: record.Stream, Revision: record.Revision, Type: record.Type, Lane: lane, Nth: nth}), nil
}

// letter delivers a dead letter, which waits no more if it is taken.
func (h *hand) letter(ctx context.Context, letter subscription.DeadLettered) (Delivery, error) {
	record, found, err := h.of.at(ctx, letter.Event)
	if err != nil {
		return Delivery{}, err
	}
	if !found {
		return Delivery{Event: letter.Event.EventID, Said: "the log does not have the event any more"}, nil
	}
	done, err := h.record(ctx, record, letter.Lane, letter.Attempts+1)
	if err != nil || !done.Delivered {
		return done, err
	}
	_, err = h.of.Commands.SettleRetried(ctx, h.name, subscription.Retried{EventID: done.Event}, ofLetter(h.meta, h.settled, done.Event))
	h.settled++
	return done, err
}

// at is the event at a place, if the log has it there.
func (s *Subscriptions) at(ctx context.Context, place subscription.Place) (record eventlog.Record, found bool, err error) {
	for record, err := range s.Log.Stream(ctx, place.Stream, place.Revision) {
		return record, err == nil && record.ID == place.EventID, err
	}
	return record, false, nil
}

// Test sends an event that never happened, from here, as any other is sent, and says what came back.
func (s *Subscriptions) Test(ctx context.Context, name string) (Delivery, error) {
	state, err := s.load(ctx, name)
	if err != nil {
		return Delivery{}, err
	}
	out, err := publisher.Sample(NewID(), name, s.Now())
	if err != nil {
		return Delivery{}, err
	}
	h, err := s.hand(name, state, byTest, commands.Meta{})
	if err != nil {
		return Delivery{}, err
	}
	defer h.Close()
	tried, said, sent := h.Try(ctx, out, watermillsub.Attempt{Stream: subscription.Stream(name), Type: "test", Nth: 1, ByHand: byTest})
	if sent == nil {
		said += fmt.Sprintf("; this event never happened, and has little to make something of: 'kintsugi subscription test %s --event newest' shows what a real one gives", name)
	}
	return Delivery{Event: out.ID, Delivered: tried.Error == "", Status: tried.Status, Said: said, Sent: string(sent), TookMS: tried.Took.Milliseconds()}, nil
}

// RetryDeadLetters delivers dead letters, from here; none named is all. A delivered letter waits no more. Once some of them were,
// the same command delivers no others, which came meanwhile.
func (s *Subscriptions) RetryDeadLetters(ctx context.Context, meta commands.Meta, name string, ids []string) ([]Delivery, error) {
	if earlier, err := s.Commands.Earlier(ctx, subscription.Stream(name), meta.CommandID); err != nil || earlier != nil {
		return []Delivery{}, err
	}
	letters, err := s.chosen(ctx, name, ids)
	if err != nil {
		return nil, err
	}
	state, err := s.load(ctx, name)
	if err != nil {
		return nil, err
	}
	h, err := s.hand(name, state, byRetry, meta)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	done := []Delivery{}
	for _, letter := range letters {
		one, err := h.letter(ctx, letter)
		if err != nil {
			return done, err
		}
		done = append(done, one)
	}
	return done, nil
}

// Resend delivers one event once more, now and from here, beside what is under way: an id of the ledger or of a dead letter, or a
// position in the log. One whose turn has not come is refused, as it would overtake what is before it. A dead letter that is taken
// waits no more. The same command sends once, and says the same the second time.
func (s *Subscriptions) Resend(ctx context.Context, meta commands.Meta, name, text string) (done Delivery, err error) {
	state, err := s.load(ctx, name)
	if err != nil {
		return done, err
	}
	earlier, err := s.Commands.Earlier(ctx, subscription.Stream(name), meta.CommandID)
	if asked, is := earlier.(subscription.RedeliveryAsked); is || err != nil {
		return s.resent(ctx, name, asked.EventID, err)
	}
	record, err := s.find(ctx, name, state, text)
	if err != nil {
		return done, err
	}
	letter, dead := state.Letters[record.ID]
	dead = dead && !letter.Settled
	came, err := s.came(ctx, name, state, record)
	switch {
	case err != nil:
		return done, err
	case !dead && !came:
		return done, fault.New(fault.Conflict, "event %s was not taken yet, and comes in its turn, after what is before it: 'kintsugi subscription recover %s --since WHEN' has it tried now", record.ID, name)
	}
	if _, err := s.Commands.AskForRedelivery(ctx, name, subscription.Redeliver{EventID: record.ID}, meta); err != nil {
		return done, err
	}
	meta.CommandID, meta.Expected = commands.DerivedID(meta.CommandID, record.ID), nil
	h, err := s.hand(name, state, byResend, meta)
	if err != nil {
		return done, err
	}
	defer h.Close()
	if dead {
		return h.letter(ctx, letter.DeadLettered)
	}
	return h.record(ctx, record, publisher.LaneOf(record), 1)
}

// resent is what became of an event that was sent once more, as the ledger has it.
func (s *Subscriptions) resent(ctx context.Context, name, event string, err error) (Delivery, error) {
	done := Delivery{Event: event, Said: "it was to be sent before, and the ledger does not say what became of that: see 'kintsugi subscription deliveries " + name + "'"}
	if err != nil {
		return done, err
	}
	kept, err := s.State.open(ctx)
	if err != nil {
		return done, err
	}
	known, err := kept.Attempts(ctx, watermillsub.AttemptQuery{Of: name, Event: event, Limit: mostTries})
	for _, a := range known {
		if a.ByHand == byResend {
			return Delivery{Event: event, Delivered: a.Error == "", Status: a.Status, Said: cmp.Or(a.Error, a.Answer), TookMS: a.Took.Milliseconds()}, err
		}
	}
	return done, err
}

// find is the event of the log that a person names.
func (s *Subscriptions) find(ctx context.Context, name string, state subscription.State, text string) (eventlog.Record, error) {
	place := subscription.Place{EventID: text}
	if number, err := strconv.ParseInt(text, 10, 64); err == nil && number > 0 {
		checkpoint, err := eventlog.CheckpointAt(ctx, s.Log, eventlog.PositionOf(number))
		if err != nil {
			return eventlog.Record{}, err
		}
		if checkpoint.Position != eventlog.PositionOf(number) {
			return eventlog.Record{}, fault.New(fault.NotFound, "there is no event at position %s", text)
		}
		place = publisher.PlaceOf(checkpoint)
	} else if letter, dead := state.Letters[text]; dead {
		place = letter.Event
	} else {
		kept, err := s.State.open(ctx)
		if err != nil {
			return eventlog.Record{}, err
		}
		known, err := kept.Attempts(ctx, watermillsub.AttemptQuery{Of: name, Event: text, Limit: 1})
		switch {
		case err != nil:
			return eventlog.Record{}, err
		case len(known) == 0:
			return eventlog.Record{}, fault.New(fault.NotFound, "the ledger of %s has no event %q: 'kintsugi subscription deliveries %s' shows what it has; an older event is named by its position in the log", name, text, name)
		case known[0].ByHand == byTest:
			return eventlog.Record{}, fault.New(fault.Invalid, "event %s never happened: 'kintsugi subscription test %s' sends another one", text, name)
		}
		place.Stream, place.Revision = known[0].Stream, known[0].Revision
	}
	record, found, err := s.at(ctx, place)
	wanted := false
	if err == nil && found {
		wanted, err = s.publisher().Wants(ctx, name, state, record)
	}
	switch {
	case err != nil:
		return record, err
	case !found:
		return record, fault.New(fault.NotFound, "the log does not have event %s any more", place.EventID)
	case !wanted && s.Owner != "": // what it is, is not for everybody
		return record, fault.New(fault.Invalid, "%s is not told of event %s: see 'kintsugi subscription show %s'", name, text, name)
	case !wanted:
		return record, fault.New(fault.Invalid, "%s is not told of event %s, a %s: see 'kintsugi subscription show %s'", name, record.ID, record.Type, name)
	}
	return record, nil
}

// came says whether an event was taken before, or a person did without.
func (s *Subscriptions) came(ctx context.Context, name string, state subscription.State, record eventlog.Record) (bool, error) {
	if came, err := s.publisher().Came(ctx, name, state, record); err != nil || came {
		return came, err
	}
	// How far it is, is saved every few seconds; the ledger may know more.
	kept, err := s.State.open(ctx)
	if err != nil {
		return false, err
	}
	known, err := kept.Attempts(ctx, watermillsub.AttemptQuery{Of: name, Event: record.ID, Limit: mostTries})
	return slices.ContainsFunc(known, func(a watermillsub.Attempt) bool { return a.Error == "" }), err
}

// mostTries is how many attempts of an event are looked at.
const mostTries = 1000

// Recovered is what became of what was not taken since a time.
type Recovered struct {
	Trying     int        `json:"trying" doc:"Workflows with an event that is being tried again by itself: a server tries it now"`
	Deliveries []Delivery `json:"deliveries" nullable:"false" doc:"Of dead letters, in the order of the log"`
	Left       int        `json:"left" doc:"Dead letters that were not sent, as one before them in their workflow was not taken"`
}

// Recover has all tried now that was not taken since a time. An event that is being tried again is tried at once, by the server that
// delivers. A dead letter is delivered from here, in the order of the log; behind one that is not taken, those of its workflow are left.
func (s *Subscriptions) Recover(ctx context.Context, meta commands.Meta, name string, since time.Time) (r Recovered, err error) {
	r.Deliveries = []Delivery{}
	state, err := s.load(ctx, name)
	if err != nil {
		return r, err
	}
	if earlier, err := s.Commands.Earlier(ctx, subscription.Stream(name), meta.CommandID); err != nil || earlier != nil {
		return r, err
	}
	letters, err := s.givenUpSince(ctx, name, state, since)
	if err != nil {
		return r, err
	}
	progress, err := s.publisher().Progress(ctx, name, state)
	if err != nil {
		return r, err
	}
	blocked := map[string]bool{}
	for _, letter := range state.Letters {
		blocked[letter.Lane] = blocked[letter.Lane] || !letter.Settled && state.Lanes == subscription.Block
	}
	for lane := range progress.Failing {
		if !blocked[lane] {
			r.Trying++
		}
	}
	if _, err := s.Commands.AskForRedelivery(ctx, name, subscription.Redeliver{Since: since.UTC()}, meta); err != nil {
		return r, err
	}
	meta.CommandID, meta.Expected = commands.DerivedID(meta.CommandID, "letters"), nil
	h, err := s.hand(name, state, byRecover, meta)
	if err != nil {
		return r, err
	}
	defer h.Close()
	stuck := map[string]bool{}
	for _, letter := range letters {
		if stuck[letter.Lane] {
			r.Left++
			continue
		}
		done, err := h.letter(ctx, letter)
		if err != nil {
			return r, err
		}
		stuck[letter.Lane] = !done.Delivered
		r.Deliveries = append(r.Deliveries, done)
	}
	return r, nil
}

// givenUpSince are the dead letters that wait and became so since a time, in the order of the log.
func (s *Subscriptions) givenUpSince(ctx context.Context, name string, state subscription.State, since time.Time) (letters []subscription.DeadLettered, err error) {
	for one, err := range s.Commands.History(ctx, []string{subscription.Stream(name)}) {
		if err != nil {
			return nil, err
		}
		dead, is := one.Event.(subscription.DeadLettered)
		if !is || one.Metadata.RecordedAt.Before(since) {
			continue
		}
		same := func(other subscription.DeadLettered) bool { return other.Event.EventID == dead.Event.EventID }
		if letter, kept := state.Letters[dead.Event.EventID]; kept && !letter.Settled && !slices.ContainsFunc(letters, same) {
			letters = append(letters, letter.DeadLettered)
		}
	}
	slices.SortFunc(letters, func(a, b subscription.DeadLettered) int { return cmp.Compare(a.Event.Position, b.Event.Position) })
	return letters, nil
}
