package terminal

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Progress shows a person at a terminal how far something is. Anywhere else it shows nothing:
// a file or another program has no use for a bar.
type Progress struct {
	bar *progressbar.ProgressBar // nil shows nothing
}

// NewProgress begins to show the progress of what is done, up to a total. A total that is not
// known is -1. End it with [Progress.Done], also after an error.
func NewProgress(cli *CLI, total int64, what string) *Progress {
	if !IsTerminal(cli.Err) {
		return &Progress{}
	}
	return &Progress{bar: progressbar.NewOptions64(total,
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWriter(cli.Err),
		progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionUseANSICodes(true),
	)}
}

// IsTerminal says that a person reads what is written there, as it is written, or types what is read.
func IsTerminal(stream any) bool {
	file, is := stream.(*os.File)
	return is && term.IsTerminal(int(file.Fd()))
}

// Add goes on by n.
func (p *Progress) Add(n int64) {
	if p.bar != nil {
		_ = p.bar.Add64(n) // a bar that cannot be drawn stops nothing
	}
}

// Set goes on to n of the total.
func (p *Progress) Set(n int64) {
	if p.bar != nil {
		_ = p.bar.Set64(n) // as above
	}
}

// Done takes the bar away.
func (p *Progress) Done() {
	if p.bar != nil {
		_ = p.bar.Clear() // as above
		_ = p.bar.Exit()
	}
}
