package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// NewReport is a problem that somebody tells of.
type NewReport struct {
	Text     string   `json:"text" minLength:"1" maxLength:"20000" doc:"What happened, and what was expected"`
	Page     string   `json:"page,omitempty" maxLength:"2000" doc:"Where it happened"`
	Browser  []string `json:"browser,omitempty" maxItems:"20" doc:"What the browser says of itself, a line each"`
	Errors   []string `json:"errors,omitempty" maxItems:"50" doc:"The last errors that were met, a line each"`
	Workflow string   `json:"workflow,omitempty" maxLength:"200" doc:"The workflow that it is about: its last events are told, too"`
	Payloads bool     `json:"payloads,omitempty" doc:"Also what those events say, with the data that is in them"`
	// The picture is PNG.
	Screenshot []byte `json:"screenshot,omitempty" maxLength:"4000000" doc:"A picture of the page: PNG, in base64"`
	Preview    bool   `json:"preview,omitempty" doc:"Only say what the report would be"`
}

// SentReport is a report, and where it went.
type SentReport struct {
	Title string `json:"title"`
	Body  string `json:"body" doc:"The whole report, in Markdown"`
	app.Reported
	Sent     bool `json:"sent" doc:"False of a preview"`
	Pictures bool `json:"pictures" doc:"Whether a picture can go with it: where it goes may take none"`
}

// Bounds of what a report tells of a workflow.
const (
	reportedEvents  = 30
	reportedPayload = 2000 // characters of each event's
)

func (s *Server) reports() {
	command(s, op{method: http.MethodPost, path: "/reports", id: "reportProblem", summary: "Tell those who look after this installation of a problem; it says where that went", tag: "system", scope: installation.Read, maxBody: 8 << 20,
		about: "It goes where the server was told to with --report-to: a file, a webhook, or the issues of a repository."},
		func(ctx context.Context, c *call, in *struct{ Body NewReport }) (SentReport, error) {
			report, err := s.report(ctx, c, in.Body)
			if err != nil {
				return SentReport{}, err
			}
			sent := SentReport{Title: report.Title, Body: report.Body, Reported: app.Reported{Where: s.config.Tracker.Where()}, Pictures: s.config.Tracker.TakesPictures()}
			if in.Body.Preview {
				return sent, nil
			}
			sent.Reported, err = s.config.Tracker.Send(ctx, report)
			sent.Sent = err == nil
			return sent, err
		})
}

// report writes one down. Text of others is quoted line by line, so that it stays what it is.
func (s *Server) report(ctx context.Context, c *call, in NewReport) (app.Report, error) {
	if len(in.Screenshot) > 0 && http.DetectContentType(in.Screenshot) != "image/png" {
		return app.Report{}, fault.New(fault.Invalid, "screenshot is no PNG")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n## Where\n\n", strings.TrimSpace(in.Text))
	lines := append([]string{
		"page: " + in.Page, "version: " + s.config.Version, "store: " + string(s.node.Address.Backend), "node: " + s.node.Name,
		"reported by: " + c.Person, "at: " + s.node.Now().UTC().Format(time.RFC3339),
	}, in.Browser...)
	writeLines(&b, lines)
	b.WriteString("\n## The last errors of the page\n\n")
	if len(in.Errors) == 0 {
		b.WriteString("none\n")
	}
	writeLines(&b, in.Errors)
	if in.Workflow != "" {
		recorded, err := s.recorded(ctx, in.Workflow, true, "", 0)
		if err != nil {
			return app.Report{}, err
		}
		fmt.Fprintf(&b, "\n## The last events of workflow %s\n\n", code(in.Workflow))
		writeLines(&b, eventLines(recorded[max(0, len(recorded)-reportedEvents):], in.Payloads))
	}
	return app.Report{Title: titleOf("", strings.SplitN(strings.TrimSpace(in.Text), "\n", 2)[0]), Body: b.String(), Screenshot: in.Screenshot}, nil
}

// eventLines tell of events. Their words are left out unless somebody wants it told.
func eventLines(recorded []event.Recorded, payloads bool) []string {
	var lines []string
	for _, one := range recorded {
		line := fmt.Sprintf("%s %s %d %s", one.Metadata.RecordedAt.UTC().Format(time.RFC3339), one.Stream, one.Revision, one.Event.EventType())
		if payloads {
			if text, err := event.Marshal(one.Event); err == nil {
				said := []rune(string(text))
				line += " " + string(said[:min(len(said), reportedPayload)])
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func writeLines(b *strings.Builder, lines []string) {
	for _, line := range lines {
		b.WriteString("- " + code(line) + "\n")
	}
}

// code shows a text as it is, in Markdown: no marks, no links, nobody's name.
func code(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + " " + text + " " + fence
}
