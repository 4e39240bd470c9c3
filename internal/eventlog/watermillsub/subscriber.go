package watermillsub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"github.com/kintsugi-run/kintsugi/internal/basics/panics"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Config says what a [Subscriber] is made of.
type Config struct {
	Log    eventlog.Log
	Groups Groups
	// Group is the durable name of who reads: several subscribers of a group and a topic share the work of one.
	Group string
	// Filter is what a topic selects of the log; nil for everything.
	Filter func(topic string) eventlog.Filter
	// Lane is the lane of an event; wanted is false for events that are not to be delivered. With an error deliveries end, and begin again.
	Lane func(context.Context, eventlog.Record) (lane string, wanted bool, err error)
	// Message is the event as it is delivered. An error is as if the message had not been acknowledged.
	Message func(eventlog.Record) (*message.Message, error)
	// From is where a group begins that has no state yet; the zero Position is the start of the log.
	From eventlog.Position
	// Noted gives the place of the group that the log itself has, nil for none. It holds where nothing is kept in Groups, or what is kept is
	// of another log: the log was copied, or restored from an older copy. Nil for a log that has none.
	Noted func(ctx context.Context) (*Place, error)
	// Note has the log have a place of the group: before anything is delivered, now and then, and at the end. Nil for a log that has none.
	Note func(ctx context.Context, at Place) error
	// Found hears that a group goes on after the place that the log has, and which one was kept, zero for none.
	Found func(ctx context.Context, lost, at eventlog.Checkpoint) error
	// Current says that the log has the group as one that is not over. Nil if no group of this kind is ever over.
	Current func(ctx context.Context) (bool, error)
	// Backoff is the pause after an event was not acknowledged so many times in a row, from 1, and what is kept of why.
	// Default: from a tenth of a second, doubling, to five minutes, give or take a fifth.
	Backoff func(event eventlog.Record, failures int) (pause time.Duration, why string)
	// AtOnce is how many messages are out at once, in as many lanes: not answered, or acknowledged and that not kept yet. A process
	// that is killed repeats no others. Default 32.
	AtOnce int
	// Lease is after what time another process takes over from one that died. Default 10 s.
	Lease time.Duration
	// Drain is how long an end waits for messages that are under way. Default 10 s.
	Drain  time.Duration
	Logger *slog.Logger // nil for nobody
	// Fares hears of each time that deliveries end because of something, and with nil whenever they are saved. Nil for nobody.
	Fares func(ctx context.Context, err error)
}

// Limits of what a topic of a group holds in memory.
const (
	window      = 1024 // events that were read and not acknowledged
	laneWindow  = 32   // of one lane
	lanesBehind = 1024 // lanes that are to be read again: with more of them the receiver as a whole does not work
)

func (c *Config) complete() error {
	var faults []error
	for name, missing := range map[string]bool{
		"Log": c.Log == nil, "Groups": c.Groups == nil, "Group": c.Group == "", "Lane": c.Lane == nil, "Message": c.Message == nil,
	} {
		if missing {
			faults = append(faults, fmt.Errorf("watermillsub: Config.%s is missing", name))
		}
	}
	if c.Filter == nil {
		c.Filter = func(string) eventlog.Filter { return eventlog.Everything }
	}
	if c.Backoff == nil {
		c.Backoff = func(_ eventlog.Record, failures int) (time.Duration, string) { return backoff(failures), "" }
	}
	if c.Noted == nil {
		c.Noted = func(context.Context) (*Place, error) { return nil, nil } //nolint:nilnil // the log has none
	}
	if c.Found == nil {
		c.Found = func(context.Context, eventlog.Checkpoint, eventlog.Checkpoint) error { return nil }
	}
	if c.AtOnce == 0 {
		c.AtOnce = 32
	}
	if c.Lease == 0 {
		c.Lease = 10 * time.Second
	}
	if c.Drain == 0 {
		c.Drain = 10 * time.Second
	}
	if c.Fares == nil {
		c.Fares = func(context.Context, error) {}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return errors.Join(faults...)
}

func backoff(failures int) time.Duration {
	pause := min(100*time.Millisecond<<min(failures-1, 12), 5*time.Minute)
	return time.Duration(float64(pause) * (0.8 + 0.4*rand.Float64()))
}

// Subscriber delivers the events of a log. It implements [message.Subscriber].
type Subscriber struct {
	config Config

	mu     sync.Mutex
	closed bool
	end    context.CancelFunc
	ended  context.Context
	topics sync.WaitGroup

	woken map[string]bool // lanes
	all   bool            // lanes are woken
	wakes chan struct{}   // receives when there are any
}

var _ message.Subscriber = (*Subscriber)(nil)

// ErrClosed is returned by a [Subscriber] after Close.
var ErrClosed = errors.New("watermillsub: closed")

// New returns an error that names everything that is missing in the configuration.
func New(config Config) (*Subscriber, error) {
	if err := config.complete(); err != nil {
		return nil, err
	}
	s := &Subscriber{config: config, woken: map[string]bool{}, wakes: make(chan struct{}, 1)}
	s.ended, s.end = context.WithCancel(context.Background())
	return s, nil
}

// Subscribe implements [message.Subscriber]. The channel is closed when ctx ends or the subscriber is closed.
// While another process delivers for the group, nothing comes. Troubles of the log or of the groups are told to
// the logger, and tried again.
func (s *Subscriber) Subscribe(ctx context.Context, topic string) (<-chan *message.Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	ctx, cancel := context.WithCancel(ctx)
	release := context.AfterFunc(s.ended, cancel)
	out := make(chan *message.Message)
	s.topics.Go(func() {
		defer cancel()
		defer release()
		defer close(out)
		s.attend(ctx, topic, out)
	})
	return out, nil
}

// Close ends all subscriptions, after what is under way had some time to be acknowledged, and saves what was done.
func (s *Subscriber) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end()
	s.topics.Wait()
	return nil
}

// Wake has a lane tried at once that waits after a failure. Where another process delivers, it does nothing.
func (s *Subscriber) Wake(lane string) {
	s.mu.Lock()
	s.woken[lane] = true
	s.mu.Unlock()
	select {
	case s.wakes <- struct{}{}:
	default:
	}
}

// WakeAll is [Subscriber.Wake] for every lane.
func (s *Subscriber) WakeAll() {
	s.mu.Lock()
	s.all = true
	s.mu.Unlock()
	s.Wake("")
}

func (s *Subscriber) takeWoken() (woken map[string]bool, all bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	woken, all = s.woken, s.all
	s.woken, s.all = map[string]bool{}, false
	return woken, all
}

// attend delivers whenever it is this subscriber's turn, until ctx ends.
func (s *Subscriber) attend(ctx context.Context, topic string, out chan<- *message.Message) {
	group := Key(s.config.Group, topic)
	logger := s.config.Logger.With("group", s.config.Group, "topic", topic)
	troubles := 0
	for ctx.Err() == nil {
		claim, claimed, err := s.config.Groups.Claim(ctx, group, s.config.Lease)
		if claimed {
			var read int
			err = panics.Guard(func() (err error) {
				read, err = s.deliver(ctx, group, topic, claim, out, logger)
				return err
			})
			if read > 0 {
				troubles = 0
			}
		} else if err == nil && s.config.Current != nil {
			// A group that is over is current in a log that was restored from a copy of before.
			err = s.config.Groups.Revive(ctx, group, func() (bool, error) { return s.config.Current(ctx) })
		}
		pause := s.config.Lease / 10
		if err != nil && ctx.Err() == nil {
			troubles++
			pause = backoff(troubles)
			s.config.Fares(ctx, err)
			logger.Warn("events are not delivered for now, trying again", "error", err, "after", pause)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}
