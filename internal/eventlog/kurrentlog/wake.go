package kurrentlog

import (
	"context"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// watch tells when events come, and when some may have come unseen: whenever it begins to look again.
func (l *Log) watch(ctx context.Context) {
	var waiting delay
	for ctx.Err() == nil {
		err := l.follow(ctx, fromEnd(), eventlog.Everything, func(told) bool {
			waiting = delay{}
			l.wake.Tell()
			return true
		})
		if ctx.Err() != nil {
			return
		}
		if !temporary(err) {
			// A reader of the log will meet the same error; until then it must not wait in vain.
			l.logger.Warn("kurrentlog: the server does not tell of new events", "error", err)
			l.wake.Tell()
		}
		if l.mend(ctx, err, &waiting) != nil {
			return
		}
	}
}
