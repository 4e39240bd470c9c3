package main

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows a person at a terminal how far something is. Anywhere else it shows nothing:
// a file or another program has no use for a bar.
type progress struct {
	bar *progressbar.ProgressBar // nil shows nothing
}

// newProgress begins to show the progress of what is done, up to a total. A total that is not
// known is -1. End it with [progress.done], also after an error.
func newProgress(a *app, total int64, what string) *progress {
	if !isTerminal(a.err) {
		return &progress{}
	}
	return &progress{bar: progressbar.NewOptions64(total,
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWriter(a.err),
		progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionUseANSICodes(true),
	)}
}

// isTerminal says that a person reads what is written there, as it is written, or types what is read.
func isTerminal(stream any) bool {
	file, is := stream.(*os.File)
	return is && term.IsTerminal(int(file.Fd()))
}

// add goes on by n.
func (p *progress) add(n int64) {
	if p.bar != nil {
		_ = p.bar.Add64(n) // a bar that cannot be drawn stops nothing
	}
}

// set goes on to n of the total.
func (p *progress) set(n int64) {
	if p.bar != nil {
		_ = p.bar.Set64(n) // as above
	}
}

// done takes the bar away.
func (p *progress) done() {
	if p.bar != nil {
		_ = p.bar.Clear() // as above
		_ = p.bar.Exit()
	}
}
