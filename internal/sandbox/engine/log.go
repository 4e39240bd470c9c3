package engine

import (
	"fmt"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// LineBytes is what a log line costs besides its text, so that a flood of empty lines
// ends too.
const LineBytes = 16

// WriteLog writes a line of the log.
func (r *Run) WriteLog(line sandbox.LogLine) {
	if r.logBytes += len(line.Text) + LineBytes; r.logBytes > r.Limits.LogBytes {
		r.end(sandbox.LimitError(sandbox.LimitLog, fmt.Sprintf("the log has more than %d bytes", r.Limits.LogBytes)))
	}
	if r.Tell != nil {
		r.Tell(line)
		return
	}
	r.mu.Lock()
	r.log = append(r.log, line)
	r.mu.Unlock()
}
