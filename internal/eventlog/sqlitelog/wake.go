package sqlitelog

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

const (
	// rest is the least time between two looks because of the notify file: our own appends rewrite it, too, and
	// thousands of times a second.
	rest = 2 * time.Millisecond
	// seldom is how many times longer nobody looks without being told, once the file was seen to change.
	seldom = 10
)

// broadcast tells listeners that the log may have grown. Appends of this process tell it at once. Those of other
// processes rewrite the notify file; besides, the log is looked at from time to time. Both only while somebody
// listens.
type broadcast struct {
	interval time.Duration
	others   *notifyFile
	head     func(context.Context) (int64, error)
	hints    *eventlog.Hints
	known    atomic.Int64 // the highest position that was told
}

func newBroadcast(interval time.Duration, others *notifyFile, head func(context.Context) (int64, error)) *broadcast {
	b := &broadcast{interval: interval, others: others, head: head}
	b.hints = eventlog.NewHints(b.watch)
	return b
}

// appended tells everybody, unless they know, and says whether it was news.
func (b *broadcast) appended(head int64) bool {
	for {
		known := b.known.Load()
		if head <= known {
			return false
		}
		if b.known.CompareAndSwap(known, head) {
			b.hints.Tell()
			return true
		}
	}
}

// look tells everybody if the log has grown, and says whether it has.
func (b *broadcast) look(ctx context.Context) bool {
	// An error is no news here: a reader of the log will meet it.
	head, err := b.head(ctx)
	return err == nil && b.appended(head)
}

func (b *broadcast) watch(ctx context.Context) {
	b.others.create()
	watch := b.others.watch()
	defer func() { watch.stop() }()
	b.others.notify() // to know whether the watch works here
	b.look(ctx)       // for what was appended before it was
	pause := b.interval
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-watch.changed:
		case <-watch.trouble: //nolint:errcheck // too many events at once, say: then it is time to look
		case <-timer.C:
			if b.look(ctx) {
				pause = b.interval // no notification came: some process writes none, or they do not arrive
			}
			if b.others.create() { // the file was taken away
				watch.stop()
				watch, pause = b.others.watch(), b.interval
			}
			timer.Reset(pause)
			continue
		}
		b.look(ctx)
		pause = seldom * b.interval
		select {
		case <-ctx.Done():
			return
		case <-time.After(rest):
		}
	}
}
