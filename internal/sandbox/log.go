package sandbox

import "fmt"

// lineBytes is what a log line costs besides its text, so that a flood of empty lines
// ends too.
const lineBytes = 16

// write writes a line of the log.
func (r *run) write(line LogLine) {
	if r.logBytes += len(line.Text) + lineBytes; r.logBytes > r.limits.LogBytes {
		r.end(limitError(LimitLog, fmt.Sprintf("the log has more than %d bytes", r.limits.LogBytes)))
	}
	if r.tell != nil {
		r.tell(line)
		return
	}
	r.mu.Lock()
	r.log = append(r.log, line)
	r.mu.Unlock()
}
