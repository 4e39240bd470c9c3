package run

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/projections"
)

// showCalls shows the waterfall of a run's calls.
func showCalls(ctx context.Context, cli *terminal.CLI, n *app.Node, id string) error {
	calls, err := n.Runs.Calls(ctx, id)
	if err != nil {
		return err
	}
	return cli.Show(calls, func(w io.Writer) { writeCalls(w, id, calls) })
}

func writeCalls(w io.Writer, id string, calls projections.Calls) {
	state := "under way"
	if calls.Ended {
		state = "ended"
	}
	fmt.Fprintf(w, "Run %s, %s: %d calls in %s\n", id, state, len(calls.Calls), took(calls.MS))
	if len(calls.Calls) == 0 {
		return
	}
	rows := make([][]string, len(calls.Calls))
	for i, one := range calls.Calls {
		rows[i] = []string{
			fmt.Sprint(one.Seq), what(one), became(one), size(one.Received), "+" + took(one.StartMS), took(one.TookMS), bar(one, calls.MS),
		}
	}
	terminal.Table(w, []string{"#", "CALL", "BECAME", "SIZE", "AT", "TOOK", "WHEN"}, rows)
	for _, one := range calls.Calls {
		if one.Class != "" {
			fmt.Fprintf(w, "%d: %s: %s\n", one.Seq, one.Class, plain.Line(one.Problem))
		}
	}
}

func what(one projections.Call) string {
	text := one.Tool + " " + one.Target
	if one.Host != "" {
		text = one.Method + " " + one.Host + one.Path
	}
	if one.Retries > 0 {
		text += fmt.Sprintf(" (try %d)", one.Retries+1)
	}
	if len(one.Secrets) > 0 {
		text += " with " + strings.Join(one.Secrets, ", ")
	}
	return text
}

func became(one projections.Call) string {
	text := string(one.State)
	switch {
	case one.State == projections.CallAnswered && one.From != "":
		text = "from the journal"
	case one.State == projections.CallAnswered:
		text = "ok"
	case one.State == projections.CallFailed:
		text = string(one.Class)
	case one.State == projections.CallResolved:
		text = strings.ReplaceAll(one.Problem, "_", " ")
	}
	if one.Status != 0 {
		text = fmt.Sprintf("%d %s", one.Status, text)
	}
	return strings.ReplaceAll(text, "_", " ")
}

// barWidth is the width of a waterfall in cells.
const barWidth = 24

// bar is where in the run's time a call stands.
func bar(one projections.Call, whole int64) string {
	whole = max(whole, one.StartMS+one.TookMS, 1)
	from := min(int(one.StartMS*barWidth/whole), barWidth-1)
	if one.From != "" { // it took its time in another run
		return strings.Repeat(" ", from) + "·"
	}
	return strings.Repeat(" ", from) + strings.Repeat("█", min(max(int((one.TookMS*barWidth+whole-1)/whole), 1), barWidth-from))
}

// took is a time in two or three digits.
func took(ms int64) string {
	switch d := time.Duration(ms) * time.Millisecond; {
	case d < time.Second:
		return fmt.Sprintf("%dms", ms)
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	default:
		return strings.TrimSuffix(d.Round(time.Second).String(), "0s")
	}
}

// size is a number of bytes in two or three digits.
func size(bytes int) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}
