package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
)

// WriteGoOn says which runs go on.
func WriteGoOn(w io.Writer, runs []app.Unfinished) {
	for _, one := range runs {
		fmt.Fprintf(w, "Run %s goes on where it stopped: %s done.\n", one.Run, one.WritesText())
	}
}

// WriteReleased says which workflows have the access that they waited for, and which of their runs go on.
func WriteReleased(w io.Writer, workflows []string, runs []app.Unfinished) {
	for _, id := range workflows {
		fmt.Fprintf(w, "Workflow %s waited for it and is active again.\n", id)
	}
	WriteGoOn(w, runs)
}

// WriteAccount says what is switched on with a version.
func WriteAccount(w io.Writer, account egress.Account, now time.Time) {
	fmt.Fprintf(w, "What version %s does:\n", account.Version)
	part := func(name string, lines []string) {
		for i, text := range lines {
			if i > 0 {
				name = ""
			}
			fmt.Fprintf(w, "  %-8s %s\n", name, plain.Line(text))
		}
	}
	hosts := make([]string, len(account.Hosts))
	for i, host := range account.Hosts {
		if hosts[i] = host.Host; !host.Named {
			hosts[i] += " (nobody has named it)"
		}
	}
	none := func(lines []string) []string {
		if len(lines) == 0 {
			return []string{"none"}
		}
		return lines
	}
	part("hosts", none(hosts))
	part("writes", none(account.Writes))
	part("secrets", none(account.Secrets))
	part("unclear", account.Unclear)
	part("runs", whenItRuns(account, now))
	for _, one := range account.Hosts {
		switch {
		case one.Closed:
			fmt.Fprintf(w, "A run may not go there: %s.\n", plain.Line(one.Refused))
		case one.Refused != "":
			fmt.Fprintf(w, "A run may not go there yet: %s. Allow it: kintsugi %s\n", plain.Line(one.Refused), plain.Line(one.Command))
		}
	}
	for _, one := range account.Unset {
		fmt.Fprintf(w, "The secret %s is not set. Set it: kintsugi %s\n", plain.Line(one.Name), plain.Line(one.Command))
		if len(one.Hosts) > 1 {
			fmt.Fprintf(w, "  HOST is where the script sends it: %s\n", plain.Line(strings.Join(one.Hosts, ", ")))
		}
	}
}

// whenItRuns is what starts a workflow, besides people.
func whenItRuns(account egress.Account, now time.Time) []string {
	var when []string
	if account.Schedule != "" {
		text := fmt.Sprintf("%s, zone %s", account.Schedule, account.Zone)
		of := workflow.State{Schedule: workflow.Schedule{Spec: account.Schedule, Zone: account.Zone}}
		if coming, err := app.ScheduledOf(of, now, 1); err == nil && len(coming.Next) > 0 {
			text += ", next " + coming.Next[0].Format("Mon 2006-01-02 15:04:05 MST")
		}
		when = append(when, text)
	}
	for _, source := range account.On {
		when = append(when, "on outcomes of workflow "+source)
	}
	if len(when) == 0 {
		return []string{"by hand only"}
	}
	return when
}
