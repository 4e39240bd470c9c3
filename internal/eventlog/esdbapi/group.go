package esdbapi

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// groups are those that deliver, or did since the server began.
type groups struct {
	mu      sync.Mutex
	running map[groupID]*group
	ending  sync.WaitGroup
}

// group delivers for a group. One goroutine has its fields; others ask it to do something.
type group struct {
	*Server
	state groupState
	tasks chan func()
	ended chan struct{} // closed when it delivers no more
	why   error         // then: why

	consumers []*consumer
	turn      int        // whose turn it is among consumers
	reading   []*message // read and not yet before the place, in the order of the log
	waiting   []*message // for a consumer, the next first
	open      int        // messages that are neither taken nor parked
	acked     int        // since the place was told
	told      time.Time
	handed    int64     // how many events were handed to consumers
	nextDue   time.Time // when the first is taken from its consumer, zero for never
}

// message is an event on its way.
type message struct {
	sourced
	retries  int
	consumer *consumer // nil while it waits
	due      time.Time // when it is taken from its consumer; zero for never
	done     bool
	parked   bool // it was parked, and is tried once more
}

// delivered is an event as a consumer gets it.
type delivered struct {
	sourced
	retries int
}

// consumer is a client that reads of a group.
type consumer struct {
	size    int // of how many events it may not have said anything
	out     chan delivered
	at      map[string]*message
	dropped chan struct{} // closed when the group delivers to it no more
	address string
	name    string
	taken   int64
}

// group gives a group that delivers, and has it begin if it does not.
func (s *Server) group(ctx context.Context, id groupID) (*group, error) {
	s.groups.mu.Lock()
	defer s.groups.mu.Unlock()
	if running := s.groups.running[id]; running != nil {
		return running, nil
	}
	state, found, err := s.loadGroup(ctx, id)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, noSuchGroup(id)
	}
	if s.stopping.Err() != nil {
		return nil, errStopping
	}
	g := &group{Server: s, state: state, tasks: make(chan func()), ended: make(chan struct{}), told: time.Now()}
	if s.groups.running == nil {
		s.groups.running = map[groupID]*group{}
	}
	s.groups.running[id] = g
	s.groups.ending.Go(g.run)
	return g, nil
}

// running gives a group if it delivers.
func (s *Server) running(id groupID) *group {
	s.groups.mu.Lock()
	defer s.groups.mu.Unlock()
	return s.groups.running[id]
}

// do has the group do something between two events, and waits for it.
func (g *group) do(ctx context.Context, task func() error) error {
	var err error
	did := make(chan struct{})
	select {
	case g.tasks <- func() { err = task(); close(did) }:
		<-did
		return err
	case <-g.ended:
		return g.why
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run delivers until the server is to end, or another server delivers for the group.
func (g *group) run() {
	ctx, cancel := context.WithCancel(g.stopping)
	events, failed := make(chan sourced), make(chan error, 1)
	var reader sync.WaitGroup
	reader.Go(func() {
		failed <- g.follow(ctx, g.state, func(e sourced) error {
			select {
			case events <- e:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	})
	g.why = g.deliver(events, failed)
	cancel()
	reader.Wait()
	if g.stopping.Err() != nil {
		g.why = errStopping
		ctx, cancel := context.WithTimeout(context.WithoutCancel(g.stopping), tellTimeout)
		if err := g.advance(ctx); err != nil {
			g.Logger.Warn("esdbapi: a group does not say where it is; some of its events come again", "group", g.state.Name, "of", g.state.Source, "error", err)
		}
		cancel()
	}
	g.groups.mu.Lock()
	if g.groups.running[g.state.groupID] == g {
		delete(g.groups.running, g.state.groupID)
	}
	g.groups.mu.Unlock()
	close(g.ended)
	for _, c := range g.consumers {
		close(c.dropped)
	}
}

// deliver returns why it ended.
func (g *group) deliver(events <-chan sourced, failed <-chan error) error {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		in := events
		if g.open >= g.state.Settings.buffer() || len(g.reading) >= mostBuffered {
			in = nil
		}
		timer.Reset(g.pause())
		select {
		case e := <-in:
			m := &message{sourced: e}
			g.reading, g.waiting = append(g.reading, m), append(g.waiting, m)
			g.open++
		case task := <-g.tasks:
			task()
		case <-timer.C:
		case err := <-failed:
			return err
		case <-g.stopping.Done():
			return errStopping
		}
		if g.why != nil { // a task said so
			return g.why
		}
		if err := g.expire(); err != nil {
			return err
		}
		g.dispatch()
		if g.placeIsDue() {
			if err := g.advance(g.stopping); err != nil {
				return err
			}
		}
	}
}

// pause is how long nothing is to be done if nothing comes.
func (g *group) pause() time.Duration {
	next := time.Hour
	if !g.nextDue.IsZero() {
		next = min(next, time.Until(g.nextDue))
	}
	if g.acked > 0 {
		next = min(next, time.Until(g.told.Add(g.checkpointAfter())))
	}
	return max(next, time.Millisecond)
}

func (g *group) checkpointAfter() time.Duration {
	return time.Duration(g.state.Settings.CheckpointAfter) * time.Millisecond
}

// expire takes events back that a consumer has said nothing of for too long.
func (g *group) expire() error {
	if g.nextDue.IsZero() || time.Now().Before(g.nextDue) {
		return nil
	}
	g.nextDue = time.Time{}
	for _, c := range g.consumers {
		for _, m := range c.at {
			switch {
			case m.due.IsZero():
			case !time.Now().Before(m.due):
				if err := g.again(m, "no consumer has acknowledged it in time"); err != nil {
					return err
				}
			case g.nextDue.IsZero() || m.due.Before(g.nextDue):
				g.nextDue = m.due
			}
		}
	}
	return nil
}

// dispatch hands out what waits, as far as consumers have room.
func (g *group) dispatch() {
	for i := 0; i < len(g.waiting) && slices.ContainsFunc(g.consumers, (*consumer).hasRoom); {
		m := g.waiting[i]
		c := g.choose(m)
		if c == nil {
			i++
			continue
		}
		g.waiting = slices.Delete(g.waiting, i, i+1)
		m.consumer = c
		if timeout := g.state.Settings.MessageTimeout; timeout > 0 {
			m.due = time.Now().Add(time.Duration(timeout) * time.Millisecond)
			if g.nextDue.IsZero() || m.due.Before(g.nextDue) {
				g.nextDue = m.due
			}
		}
		c.at[m.id()] = m
		g.handed++
		c.out <- delivered{m.sourced, m.retries} // which has room for as many as a consumer may have
	}
}

func (c *consumer) hasRoom() bool { return len(c.at) < c.size && len(c.out) < cap(c.out) }

// choose gives the consumer of an event, nil if it has to wait.
func (g *group) choose(m *message) *consumer {
	switch g.state.Settings.Strategy {
	case pinned:
		hash := fnv.New32a()
		_, _ = hash.Write([]byte(m.record.Stream)) // which has no error
		if c := g.consumers[int(hash.Sum32())%len(g.consumers)]; c.hasRoom() {
			return c
		}
	case dispatchToSingle:
		for _, c := range g.consumers {
			if c.hasRoom() {
				return c
			}
		}
	default:
		for range g.consumers {
			g.turn = (g.turn + 1) % len(g.consumers)
			if c := g.consumers[g.turn]; c.hasRoom() {
				return c
			}
		}
	}
	return nil
}

// taken is what a consumer says of an event that it is done with.
func (g *group) taken(c *consumer, id string) error {
	m := c.at[id]
	if m == nil {
		return nil // it came too late, and the event is on its way again
	}
	c.taken++
	return g.finish(m)
}

// finish has an event count as done.
func (g *group) finish(m *message) error {
	if m.consumer != nil {
		delete(m.consumer.at, m.id())
	}
	m.done = true
	g.open--
	if m.parked {
		g.state.Parked--
		return g.say(g.stopping, groupUnparked, parkedEvent{groupState: g.state, Event: eventlog.CheckpointOf(*m.record)})
	}
	g.acked++
	for len(g.reading) > 0 && g.reading[0].done {
		g.state.Place, g.state.Last = g.reading[0].after, g.words(g.reading[0].sourced)
		g.reading = g.reading[1:]
	}
	return nil
}

// words is where an event is, in the protocol's words.
func (g *group) words(e sourced) string {
	if g.state.Source != wholeLog {
		return fmt.Sprint(e.after.Next - 1)
	}
	return positionWords(e.record.Position)
}

// again has an event delivered once more, or parks it if that was often enough.
func (g *group) again(m *message, why string) error {
	m.retries++
	if m.retries > int(g.state.Settings.MaxRetries) {
		return g.park(m, why)
	}
	g.takeBack(m)
	return nil
}

func (g *group) takeBack(m *message) {
	delete(m.consumer.at, m.id())
	m.consumer, m.due = nil, time.Time{}
	g.waiting = slices.Insert(g.waiting, 0, m)
}

// park puts an event aside until somebody asks for it.
func (g *group) park(m *message, why string) error {
	if m.parked { // and it stays that
		delete(m.consumer.at, m.id())
		m.done = true
		g.open--
		return nil
	}
	g.state.Parked++
	one := parkedEvent{groupState: g.state, Event: eventlog.CheckpointOf(*m.record), Reason: why}
	if m.link != nil {
		one.Link = m.link.revision
	}
	if err := g.say(g.stopping, groupParked, one); err != nil {
		return err
	}
	return g.finish(m)
}

// refused is what a consumer says of an event that it could not deal with.
func (g *group) refused(c *consumer, id, why string, what nackAction) error {
	m := c.at[id]
	if m == nil {
		return nil
	}
	switch what {
	case nackPark:
		return g.park(m, why)
	case nackSkip:
		return g.finish(m)
	case nackStop:
		g.leave(c)
		close(c.dropped)
		return nil
	}
	return g.again(m, why)
}

// join adds a consumer.
func (g *group) join(c *consumer) error {
	if most := int(g.state.Settings.MaxSubscribers); most > 0 && len(g.consumers) >= most {
		return groupFault(codes.FailedPrecondition, "maximum-subscribers-reached", g.state.groupID, "Maximum subscriptions reached for group %s of %s: %d read of it", g.state.Name, g.state.Source, most)
	}
	g.consumers = append(g.consumers, c)
	return nil
}

// leave takes a consumer away; what it had is for others, in the old order.
func (g *group) leave(c *consumer) {
	at := slices.Index(g.consumers, c)
	if at < 0 {
		return
	}
	g.consumers = slices.Delete(g.consumers, at, at+1)
	var back []*message
	for _, m := range c.at {
		m.consumer, m.due = nil, time.Time{}
		back = append(back, m)
	}
	slices.SortFunc(back, func(a, b *message) int { return strings.Compare(string(a.record.Position), string(b.record.Position)) })
	g.waiting = append(back, g.waiting...)
	if len(g.consumers) == 0 {
		g.told = time.Time{} // so that the place is told now
	}
}

// placeIsDue says that it is time to say in the log how far the group is.
func (g *group) placeIsDue() bool {
	settings := g.state.Settings
	most := int(settings.MaxCheckpoint)
	if most == 0 {
		most = defaultMaxCheckpoint
	}
	return g.acked > 0 && (g.acked >= most || len(g.consumers) == 0 || g.acked >= int(settings.MinCheckpoint) && time.Since(g.told) >= g.checkpointAfter())
}

// advance says in the log how far the group is.
func (g *group) advance(ctx context.Context) error {
	if g.acked == 0 {
		return nil
	}
	g.acked, g.told = 0, time.Now()
	return g.say(ctx, groupAdvanced, g.state)
}

// say appends to the group's stream. If another server did so meanwhile, that one delivers.
func (g *group) say(ctx context.Context, kind string, payload any) error {
	err := g.tell(ctx, &g.state, kind, payload)
	if isConflict(err) {
		err = dropped(g.state.groupID, "another server delivers for it; connect all consumers of a group to one")
	}
	if err != nil {
		g.why = err // what is not in the log did not happen
	}
	return err
}

// update changes the settings. Those who read are dropped and come again, as they do of the protocol's servers.
func (g *group) update(ctx context.Context, settings groupSettings) error {
	g.state.Settings = settings
	if err := g.say(ctx, groupUpdated, g.state); err != nil {
		return err
	}
	g.why = dropped(g.state.groupID, "it was changed")
	return nil
}

// replay has parked events delivered again, at most so many; they stay parked until a consumer takes them.
func (g *group) replay(ctx context.Context, most int64) error {
	parked, err := g.parkedEvents(ctx, g.state.groupID)
	if err != nil {
		return err
	}
	under := map[string]bool{}
	for _, m := range g.waiting {
		under[m.record.ID] = m.parked
	}
	for _, c := range g.consumers {
		for _, m := range c.at {
			under[m.record.ID] = m.parked
		}
	}
	for _, one := range parked {
		if most--; most < 0 {
			break
		}
		if under[one.Event.EventID] {
			continue
		}
		found, err := one.of(ctx, g.Log)
		if err != nil {
			return err
		}
		g.waiting = append(g.waiting, &message{sourced: found, parked: true})
		g.open++
	}
	return nil
}

func noSuchGroup(id groupID) error {
	return groupFault(codes.NotFound, "persistent-subscription-does-not-exist", id, "Subscription group %s on stream %s does not exist", id.Name, id.Source)
}

func dropped(id groupID, why string) error {
	return groupFault(codes.Canceled, "persistent-subscription-dropped", id, "Subscription group %s on stream %s was dropped: %s", id.Name, id.Source, why)
}
