package eventlogtest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// rewritten changes the deliveries of subscriptions one by one; none is given on where there is none.
func rewritten(change func(eventlog.Delivery) []eventlog.Delivery) func(context.Context, deliveries) deliveries {
	return func(_ context.Context, subscription deliveries) deliveries {
		return func(yield func(eventlog.Delivery, error) bool) {
			for delivery, err := range subscription {
				if err != nil {
					yield(delivery, err)
					return
				}
				for _, changed := range change(delivery) {
					if !yield(changed, nil) {
						return
					}
				}
			}
		}
	}
}

var subscribeFaults = []fault{
	{
		"misses what comes while it turns live",
		func(f *faulty) {
			f.subscribe = func(ctx context.Context, after eventlog.Position, filter eventlog.Filter) deliveries {
				return func(yield func(eventlog.Delivery, error) bool) {
					hint, release := f.Wake()
					defer release()
					for record, err := range f.All(ctx, after, filter) {
						if err != nil || !yield(eventlog.Delivery{Record: &record, Position: record.Position}, nil) {
							return
						}
						after = record.Position
					}
					if !yield(eventlog.Delivery{Position: after, CaughtUp: true}, nil) {
						return
					}
					select {
					case <-hint: // so that something comes meanwhile
					case <-ctx.Done():
					}
					head, err := f.Head(ctx)
					if err != nil {
						return
					}
					for delivery, err := range eventlog.Follow(ctx, f, head, filter) {
						if !yield(delivery, err) {
							return
						}
					}
				}
			}
		},
		[]string{"a subscription waits for its consumer", "readers who follow 8 writers miss nothing"},
	},
	{
		"repeats the newest event when it turns live",
		func(f *faulty) {
			var last eventlog.Delivery
			f.deliver = rewritten(func(delivery eventlog.Delivery) []eventlog.Delivery {
				if delivery.CaughtUp && last.Record != nil {
					return []eventlog.Delivery{delivery, last}
				}
				last = delivery
				return []eventlog.Delivery{delivery}
			})
		},
		[]string{"a subscription catches up and goes on", "a subscription is resumed from any delivery"},
	},
	{
		"begins with the event at the position",
		func(f *faulty) {
			f.subscribe = func(ctx context.Context, after eventlog.Position, filter eventlog.Filter) deliveries {
				if n := number(after); n > 0 {
					after = eventlog.PositionOf(n - 1)
				}
				return eventlog.Follow(ctx, f, after, filter)
			}
		},
		[]string{"a subscription is resumed from any delivery", "readers who follow 8 writers miss nothing"},
	},
	{
		"begins at the start when it does not know a position",
		func(f *faulty) {
			f.subscribe = func(ctx context.Context, after eventlog.Position, filter eventlog.Filter) deliveries {
				if _, err := after.Number(); err != nil {
					after = eventlog.Start
				}
				return eventlog.Follow(ctx, f, after, filter)
			}
		},
		[]string{"a position that is none is an error"},
	},
	{
		"never says that it has caught up",
		func(f *faulty) {
			f.deliver = rewritten(func(delivery eventlog.Delivery) []eventlog.Delivery {
				delivery.CaughtUp = false
				return []eventlog.Delivery{delivery}
			})
		},
		[]string{"a subscription catches up and goes on", "a subscription to an empty log catches up and goes on"},
	},
	{
		"says with its first event that it has caught up",
		func(f *faulty) {
			f.deliver = rewritten(func(delivery eventlog.Delivery) []eventlog.Delivery {
				return []eventlog.Delivery{{Position: delivery.Position, CaughtUp: true}, delivery}
			})
		},
		[]string{"a subscription catches up and goes on", "a subscription finds the few in a long log"},
	},
	{
		"says nothing about an empty log",
		func(f *faulty) {
			f.deliver = rewritten(func(delivery eventlog.Delivery) []eventlog.Delivery {
				if delivery.Position == eventlog.Start {
					return nil
				}
				return []eventlog.Delivery{delivery}
			})
		},
		[]string{"a subscription to an empty log catches up and goes on", "a subscription is resumed from any delivery"},
	},
	{
		"has checkpoints that stand still",
		func(f *faulty) {
			f.deliver = func(ctx context.Context, subscription deliveries) deliveries {
				last := eventlog.Start
				return rewritten(func(delivery eventlog.Delivery) []eventlog.Delivery {
					if delivery.Record != nil {
						last = delivery.Position
					}
					delivery.Position = last
					return []eventlog.Delivery{delivery}
				})(ctx, subscription)
			}
		},
		[]string{"a subscription that finds nothing says how far it looked"},
	},
	{
		"has checkpoints for what it did not look at",
		func(f *faulty) {
			f.deliver = rewritten(func(delivery eventlog.Delivery) []eventlog.Delivery {
				if delivery.Record == nil {
					delivery.Position = eventlog.PositionOf(number(delivery.Position) + 5)
				}
				return []eventlog.Delivery{delivery}
			})
		},
		[]string{"a subscription is resumed from any delivery", "a subscription catches up and goes on"},
	},
	{
		"drops what a slow consumer does not take",
		func(f *faulty) {
			f.deliver = func(ctx context.Context, subscription deliveries) deliveries {
				return func(yield func(eventlog.Delivery, error) bool) {
					buffer := make(chan eventlog.Delivery, 1024)
					ended := make(chan error, 1)
					go func() {
						for delivery, err := range subscription {
							if err != nil {
								ended <- err
								return
							}
							select {
							case buffer <- delivery:
							default:
							}
						}
					}()
					for {
						select {
						case delivery := <-buffer:
							if !yield(delivery, nil) {
								return
							}
						case err := <-ended:
							yield(eventlog.Delivery{}, err)
							return
						}
					}
				}
			}
		},
		[]string{"a subscription waits for its consumer"},
	},
	{
		"keeps a subscription that is broken out of",
		func(f *faulty) { f.deliver = keeping[eventlog.Delivery]() },
		[]string{"a subscription that is broken out of lets go"},
	},
	{
		"ends without saying why",
		func(f *faulty) { f.deliver = silent[eventlog.Delivery] },
		[]string{"a subscription ends with its context", "a closed log says so", "a position that is none is an error"},
	},
	{
		"goes on when its context has ended",
		func(f *faulty) {
			f.subscribe = func(_ context.Context, after eventlog.Position, filter eventlog.Filter) deliveries {
				return eventlog.Follow(f.t.Context(), f, after, filter)
			}
		},
		[]string{"a subscription ends with its context"},
	},
	{
		"waits for its subscribers before it closes",
		func(f *faulty) {
			var open sync.WaitGroup
			f.deliver = func(_ context.Context, subscription deliveries) deliveries {
				return func(yield func(eventlog.Delivery, error) bool) {
					open.Add(1)
					defer open.Done()
					subscription(yield)
				}
			}
			f.close = func() error {
				open.Wait()
				return f.Log.Close()
			}
		},
		[]string{"a closed log says so"},
	},
	{
		"gives each event to one subscription",
		func(f *faulty) {
			var mu sync.Mutex
			given := make(map[eventlog.Position]bool)
			f.deliver = rewritten(func(delivery eventlog.Delivery) []eventlog.Delivery {
				mu.Lock()
				defer mu.Unlock()
				if delivery.Record != nil {
					if given[delivery.Position] {
						return nil
					}
					given[delivery.Position] = true
				}
				return []eventlog.Delivery{delivery}
			})
		},
		[]string{"subscriptions are independent", "a subscription is resumed from any delivery", "a subscription waits for its consumer"},
	},
	{
		"takes no append while a subscriber looks",
		func(f *faulty) {
			var looking atomic.Int64
			f.deliver = func(_ context.Context, subscription deliveries) deliveries {
				return func(yield func(eventlog.Delivery, error) bool) {
					for delivery, err := range subscription {
						looking.Add(1)
						more := yield(delivery, err)
						looking.Add(-1)
						if !more {
							return
						}
					}
				}
			}
			f.append = func(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				if looking.Load() > 0 {
					return eventlog.Appended{}, errors.New("somebody reads")
				}
				return f.Log.Append(ctx, stream, expected, events)
			}
		},
		[]string{"a subscriber may read and append inside its loop", "a subscription waits for its consumer"},
	},
	{
		"reads past what is not there yet",
		// As a reader of a sequence does, where numbers are drawn before they are committed.
		func(f *faulty) {
			var mu sync.Mutex
			seen := make(map[eventlog.Position]bool)
			f.read = rearranged(func(all []eventlog.Record) []eventlog.Record {
				mu.Lock()
				defer mu.Unlock()
				var visible []eventlog.Record
				for i, record := range all {
					if late := number(record.Position)%5 == 0 && i < len(all)-1 && !seen[record.Position]; !late {
						visible = append(visible, record)
					}
					seen[record.Position] = true
				}
				return visible
			})
		},
		[]string{"readers who follow 8 writers miss nothing", "readers who follow 8 writers of another process miss nothing"},
	},
	{
		"says how far it looked before it has looked",
		func(f *faulty) {
			f.subscribe = func(ctx context.Context, after eventlog.Position, filter eventlog.Filter) deliveries {
				return func(yield func(eventlog.Delivery, error) bool) {
					hint, release := f.Wake()
					defer release()
					for {
						for record, err := range f.All(ctx, after, filter) {
							if err != nil || !yield(eventlog.Delivery{Record: &record, Position: record.Position}, nil) {
								return
							}
							after = record.Position
						}
						select {
						case <-hint: // so that events come between the look and the head
						case <-ctx.Done():
						}
						head, err := f.Head(ctx)
						if err != nil {
							yield(eventlog.Delivery{}, err)
							return
						}
						after = max(after, head)
						if !yield(eventlog.Delivery{Position: after, CaughtUp: true}, nil) {
							return
						}
					}
				}
			}
		},
		[]string{"readers who follow 8 writers miss nothing"},
	},
}
