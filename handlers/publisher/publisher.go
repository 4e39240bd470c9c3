package publisher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/account"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/basics/panics"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/watermillsub"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Config is what a [Publisher] needs.
type Config struct {
	Commands *commands.Commands
	Log      eventlog.Log
	Codec    *event.Registry
	// Groups keeps how far deliveries are; it is asked for when there is a subscription.
	Groups func(ctx context.Context) (watermillsub.Groups, error)
	// Ledger keeps what became of each try; it is asked for when there is one.
	Ledger func(ctx context.Context) (watermillsub.Ledger, error)
	Sinks  Sinks
	// Expressions makes the filters and transforms of subscriptions.
	Expressions sandbox.Runner
	Now         func() time.Time
	Logger      *slog.Logger
	// Fares hears what became of a try to read for a subscription, and of one that cannot begin. Nil for nobody.
	Fares func(ctx context.Context, subscription string, err error)
	// Lease is after what time another node takes over from one that died. Default 10 s.
	Lease time.Duration
	// Timeout bounds one delivery. Default 20 s.
	Timeout time.Duration
	// Pause is how long is waited after the first failure, doubling up to LongestPause. Default 1 s and 5 min.
	Pause, LongestPause time.Duration
}

func (c *Config) setDefaults() {
	for _, one := range []struct {
		value *time.Duration
		usual time.Duration
	}{{&c.Lease, 10 * time.Second}, {&c.Timeout, 20 * time.Second}, {&c.Pause, time.Second}, {&c.LongestPause, 5 * time.Minute}} {
		if *one.value == 0 {
			*one.value = one.usual
		}
	}
}

// Publisher delivers events to subscriptions.
type Publisher struct {
	config      Config
	states      map[string]subscription.State
	supervisors map[string]*supervisor
	encoded     *encodings
	owners      *owners
	attempts    *attempts
}

// New returns a publisher that is not running.
func New(config Config) *Publisher {
	config.setDefaults()
	if config.Fares == nil {
		config.Fares = func(context.Context, string, error) {}
	}
	return &Publisher{config: config, encoded: &encodings{of: map[encoding]encodedEvent{}}, owners: newOwners(config), attempts: newAttempts(config)}
}

// Run delivers until ctx ends. Subscriptions that are added, paused or removed meanwhile, by any node, are seen.
func (p *Publisher) Run(ctx context.Context) error {
	p.states, p.supervisors = map[string]subscription.State{}, map[string]*supervisor{}
	ctx, fail := context.WithCancelCause(ctx)
	defer p.attempts.close(ctx) // once nothing is delivered any more
	var attending sync.WaitGroup
	defer attending.Wait()
	defer fail(nil)
	attending.Go(func() { p.attempts.run(ctx) })
	settle := func(name string) {
		one := p.supervisors[name]
		if one == nil {
			one = &supervisor{publisher: p, name: name, wake: make(chan struct{}, 1)}
			p.supervisors[name] = one
			attending.Go(func() {
				if err := panics.Guard(func() error { return one.run(ctx) }); err != nil {
					fail(fmt.Errorf("publisher: %w", err))
				}
			})
		}
		one.tell(p.states[name])
	}
	live := false
	for next, err := range p.config.Log.Subscribe(ctx, eventlog.Start, eventlog.Filter{StreamPrefixes: []string{subscription.StreamPrefix}}) {
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return fmt.Errorf("publisher: %w", err)
		}
		changed := ""
		if next.Record != nil {
			changed = p.fold(*next.Record)
		}
		switch {
		case live && changed != "":
			settle(changed)
		case next.CaughtUp && !live:
			live = true
			for name := range p.states {
				settle(name)
			}
		}
	}
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// supervisor runs or stops the delivery of one subscription, as its stream says. It has a goroutine of its own, so
// that a slow end delays no other subscription.
type supervisor struct {
	publisher *Publisher
	name      string
	running   *delivery
	forgotten int // epochs, of which nothing is kept any more

	now  atomic.Pointer[subscription.State]
	wake chan struct{}
}

// tell has it do as a state says.
func (a *supervisor) tell(state subscription.State) {
	a.now.Store(&state)
	select {
	case a.wake <- struct{}{}:
	default: // it looks at the newest
	}
}

func (a *supervisor) run(ctx context.Context) error {
	defer func() { a.stop() }()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.wake:
			if err := a.settle(ctx, *a.now.Load()); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
}

func (a *supervisor) stop() {
	if a.running != nil {
		a.running.stop()
		a.running = nil
	}
}

// fold takes an event of a subscription, and returns its name.
func (p *Publisher) fold(record eventlog.Record) string {
	name := strings.TrimPrefix(record.Stream, subscription.StreamPrefix)
	happened, err := p.config.Codec.Decode(record.Type, record.SchemaVersion, record.Payload)
	if err != nil {
		p.config.Logger.Error("an event of a subscription cannot be read: nothing is delivered to it", "subscription", name, "revision", record.Revision, "error", err)
		p.states[name] = subscription.State{}
		return name
	}
	p.states[name] = subscription.Evolve(p.states[name], happened)
	return name
}

// settle has delivered to a subscription, or not, as a state says.
func (a *supervisor) settle(ctx context.Context, state subscription.State) error {
	changed := a.running != nil && !reflect.DeepEqual(a.running.state.Load().Definition, state.Definition)
	if a.running != nil && (!state.Active() || a.running.epoch != state.Epoch || changed) {
		a.stop()
	}
	if err := a.forget(ctx, state); err != nil {
		return err
	}
	switch {
	case a.running != nil:
		a.running.changed(state)
		return nil
	case !state.Active():
		a.publisher.config.Fares(ctx, a.name, nil) // nothing is to be delivered
		return nil
	}
	started, err := a.publisher.start(ctx, a.name, state)
	if lost, is := errors.AsType[*eventlog.NotOfLogError](err); is {
		a.publisher.config.Logger.Error("nothing is delivered to a subscription: where it begins is not in this log; replay it from elsewhere", "subscription", a.name, "error", lost)
		a.publisher.config.Fares(ctx, a.name, fmt.Errorf("%s: %w", LostRemedy(a.name), lost))
		return nil
	}
	a.running = started
	if changed && err == nil {
		started.subscriber.WakeAll() // what failed may be taken now
	}
	return err
}

// forget retires the groups of epochs that are over.
func (a *supervisor) forget(ctx context.Context, state subscription.State) error {
	over := state.Epoch
	if state.Exists {
		over--
	}
	if a.forgotten >= over {
		return nil
	}
	groups, err := a.publisher.config.Groups(ctx)
	for err == nil && a.forgotten < over {
		if err = groups.Retire(ctx, watermillsub.Key(groupOf(a.name, a.forgotten+1), topic)); err == nil {
			a.forgotten++
		}
	}
	return err
}

// groupOf is the group of a subscription in an epoch.
func groupOf(name string, epoch int) string { return fmt.Sprintf("subscription/%s/%d", name, epoch) }

// CheckpointOf is a place as the log knows it.
func CheckpointOf(p subscription.Place) eventlog.Checkpoint {
	return eventlog.Checkpoint{Position: eventlog.Position(p.Position), Stream: p.Stream, Revision: p.Revision, EventID: p.EventID}
}

// PlaceOf is the other way round.
func PlaceOf(c eventlog.Checkpoint) subscription.Place {
	return subscription.Place{Position: string(c.Position), Stream: c.Stream, Revision: c.Revision, EventID: c.EventID}
}

// topic is the one of each group.
const topic = "events"

// subscriber reads for a subscription in an epoch.
func (p *Publisher) subscriber(ctx context.Context, name string, state subscription.State, change func(*watermillsub.Config)) (*watermillsub.Subscriber, error) {
	c := p.config
	groups, err := c.Groups(ctx)
	if err != nil {
		return nil, err
	}
	from, err := eventlog.Resolve(ctx, c.Log, CheckpointOf(state.From))
	if err != nil {
		return nil, err
	}
	config := watermillsub.Config{
		Log: c.Log, Groups: groups, Group: groupOf(name, state.Epoch), From: from, Lease: c.Lease, Logger: c.Logger,
		Fares: func(ctx context.Context, err error) {
			if _, lost := errors.AsType[*eventlog.NotOfLogError](err); lost {
				err = fmt.Errorf("%s: %w", LostRemedy(name), err)
			}
			c.Fares(ctx, name, err)
		},
		Noted:  func(context.Context) (*watermillsub.Place, error) { return noted(state), nil },
		Filter: func(string) eventlog.Filter { return filterOf(state.Definition) }, Lane: p.lanesOf(name, state.Definition), Message: p.encoded.messageOf(state.Definition),
	}
	if change != nil {
		change(&config)
	}
	return watermillsub.New(config)
}

// mostLanes is of how many workflows it is noted in the log where they are. If more are elsewhere than most, some that was taken is taken
// again where such a place is gone back to.
const mostLanes = 100

// noted is the place that the log has of a subscription, nil for none.
func noted(state subscription.State) *watermillsub.Place {
	if state.Advanced == nil {
		return nil
	}
	at := &watermillsub.Place{Read: CheckpointOf(state.Advanced.Place), Lanes: map[string]watermillsub.LanePlace{}, LeftOut: state.Advanced.LeftOut}
	for lane, of := range state.Advanced.Lanes {
		at.Lanes[lane] = watermillsub.LanePlace{After: CheckpointOf(of.After), Failures: of.Failures, Since: of.Since}
	}
	return at
}

// note has the log have how far a subscription is.
func (p *Publisher) note(ctx context.Context, name string, epoch int, at watermillsub.Place) error {
	oldest, lanes := at.Read, map[string]subscription.LanePlace{}
	for lane, of := range at.Lanes {
		if of.After.Position < oldest.Position {
			oldest = of.After
		}
		lanes[lane] = subscription.LanePlace{After: PlaceOf(of.After), Failures: of.Failures, Since: of.Since}
	}
	advance := subscription.Advance{Epoch: epoch, Place: PlaceOf(at.Read), Lanes: lanes, LeftOut: at.LeftOut}
	if len(lanes) > mostLanes {
		advance.Place, advance.Lanes = PlaceOf(oldest), nil
	}
	if len(lanes) == 0 {
		advance.Lanes = nil
	}
	_, err := p.config.Commands.NotePlace(ctx, name, advance, commands.Meta{Actor: "system:publisher"})
	return err
}

// Note has the log have how far a subscription is now, for a copy that is about to be made of it.
func (p *Publisher) Note(ctx context.Context, name string, state subscription.State) error {
	subscriber, err := p.subscriber(ctx, name, state, nil)
	if err != nil {
		return err
	}
	at, kept, err := subscriber.Kept(ctx, topic)
	if err != nil || !kept {
		return err
	}
	return p.note(ctx, name, state.Epoch, at)
}

// Wants says that a subscription is to be told of an event.
func (p *Publisher) Wants(ctx context.Context, name string, state subscription.State, record eventlog.Record) (bool, error) {
	_, wanted, err := p.lanesOf(name, state.Definition)(ctx, record)
	return wanted && filterOf(state.Definition).Passes(record.Stream, record.Type), err
}

// Came says that an event is behind where a subscription is: it was taken, or a person did without.
func (p *Publisher) Came(ctx context.Context, name string, state subscription.State, record eventlog.Record) (bool, error) {
	subscriber, err := p.subscriber(ctx, name, state, nil)
	if err != nil {
		return false, err
	}
	at, kept, err := subscriber.Kept(ctx, topic)
	if err != nil || !kept {
		return false, err
	}
	after := at.Read.Position
	if lane, elsewhere := at.Lanes[LaneOf(record)]; elsewhere {
		after = lane.After.Position
	}
	return record.Position <= after, nil
}

// mostBehind is up to how many events are counted that a subscription is behind.
const mostBehind = 100_000

// Progress is how far a subscription is.
func (p *Publisher) Progress(ctx context.Context, name string, state subscription.State) (watermillsub.Progress, error) {
	subscriber, err := p.subscriber(ctx, name, state, nil)
	if err != nil {
		return watermillsub.Progress{}, err
	}
	return subscriber.Progress(ctx, topic, mostBehind)
}

// LostRemedy says what to do about a subscription whose place is not in this log.
func LostRemedy(name string) string {
	return fmt.Sprintf("nothing is delivered: where it was is not in this log, which was restored or is another one. 'kintsugi subscription replay %s --from WHEN' begins there", name)
}

// Since counts the events that a subscription wants and that came after it was begun, which is all that is known of one whose place is lost.
func (p *Publisher) Since(ctx context.Context, name string, state subscription.State) (int, error) {
	from, err := eventlog.Resolve(ctx, p.config.Log, CheckpointOf(state.From))
	if _, lost := errors.AsType[*eventlog.NotOfLogError](err); lost {
		from, err = eventlog.Start, nil
	}
	if err != nil {
		return 0, err
	}
	count, lane := 0, p.lanesOf(name, state.Definition)
	for record, err := range p.config.Log.All(ctx, from, filterOf(state.Definition)) {
		if err != nil {
			return count, err
		}
		_, wanted, err := lane(ctx, record)
		if err != nil {
			return count, err
		}
		if wanted {
			count++
		}
		if count == mostBehind {
			break
		}
	}
	return count, nil
}

// filterOf is the filter of a subscription: the events of workflows themselves, unless it names types.
func filterOf(d subscription.Definition) eventlog.Filter {
	if len(d.Types) == 0 && d.ForPeople() {
		return eventlog.Filter{StreamPrefixes: []string{workflow.StreamPrefix}, Types: ForPeople}
	}
	if len(d.Types) == 0 {
		return eventlog.Filter{StreamPrefixes: []string{workflow.StreamPrefix}}
	}
	return eventlog.Filter{
		StreamPrefixes: []string{workflow.StreamPrefix, run.StreamPrefix, thread.StreamPrefix, account.StreamPrefix, session.StreamPrefix, plan.StreamPrefix, subscription.StreamPrefix, installation.Stream}, Types: d.Types,
	}
}

// lanesOf is the lane of an event: its subject, which is the workflow, for events of its runs as well. No subscription is told of
// itself: that it fails would be one more event that fails.
func (p *Publisher) lanesOf(name string, d subscription.Definition) func(context.Context, eventlog.Record) (string, bool, error) {
	wanted := map[string]bool{}
	for _, id := range d.Workflows {
		wanted[workflow.Subject(id)] = true
	}
	return func(ctx context.Context, record eventlog.Record) (string, bool, error) {
		if !domain.OwnStream(record.Stream) || record.Stream == subscription.Stream(name) {
			return "", false, nil
		}
		one, is := p.encoded.kept(encoding{record.ID, d.Payload})
		if !is {
			one.lane = LaneOf(record) // it may not be wanted: it is encoded when it is
		}
		if len(wanted) > 0 && !wanted[one.lane] {
			return one.lane, false, nil
		}
		if d.Owner == "" || record.Stream == account.Stream(d.Owner) {
			return one.lane, true, nil
		}
		owner, err := p.owners.of(ctx, one.lane)
		return one.lane, owner == d.Owner, err
	}
}
