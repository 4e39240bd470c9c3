package planning

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/projections"
)

// The speakers of a conversation.
const (
	ByPerson  = "person"
	ByPlanner = "planner" // in Markdown
	ByTool    = "tool"    // the planner did something
	ByProgram = "program"
)

// Line is one thing of a conversation with the planner, as a person reads it.
type Line struct {
	At   time.Time `json:"at"`
	By   string    `json:"by" enum:"person,planner,tool,program"`
	Text string    `json:"text"`
	// Failed says that what the planner did was refused, or did not work.
	Failed bool `json:"failed,omitempty"`
	// Question says that the text asks the person. Options are answers that it offers, beside one in the person's own words.
	Question bool     `json:"question,omitempty"`
	Options  []string `json:"options,omitempty"`
	// Revision is that of the tool call in the conversation.
	Revision int64 `json:"revision,omitempty"`
}

// Talk is a conversation as a person reads it: their words as they said them, and a line of meaning for each thing that the planner did.
func Talk(of projections.Thread, conversation []projections.ThreadEntry) []Line {
	lines, said, calls := []Line{}, of.Said, map[string]projections.ThreadEntry{}
	people := func(until time.Time) {
		for len(said) > 0 && !said[0].At.After(until) {
			lines = append(lines, Line{At: said[0].At, By: ByPerson, Text: said[0].Text})
			said = said[1:]
		}
	}
	last := ""
	for _, entry := range conversation {
		people(entry.At)
		switch {
		case entry.Message != nil && entry.Message.Role == string(llm.Assistant) && strings.TrimSpace(entry.Message.Text) != "":
			last = entry.Message.Text
			lines = append(lines, Line{At: entry.At, By: ByPlanner, Text: last})
		case entry.Invoked != nil:
			calls[entry.Invoked.Call] = entry
			if line, asks := questionIn(entry); asks {
				lines = append(lines, line)
			}
		case entry.Resulted != nil:
			lines = append(lines, came(calls[entry.Resulted.Call], *entry.Resulted, entry.At))
		case entry.Unavailable != nil:
			lines = append(lines, Line{At: entry.At, By: ByProgram, Failed: true, Text: "The language model does not answer (" + entry.Unavailable.Kind + "). It is asked again."})
		}
	}
	people(time.Unix(1<<40, 0))
	ended := strings.TrimPrefix(of.Outcome, stoppedPrefix)
	if !of.Closed.IsZero() && strings.TrimSpace(ended) != strings.TrimSpace(last) {
		lines = append(lines, Line{At: of.Closed, By: ByProgram, Text: ended})
	}
	return lines
}

func questionIn(entry projections.ThreadEntry) (Line, bool) {
	var asked askArgs
	if entry.Invoked.Tool != "ask" || json.Unmarshal(entry.Invoked.Args, &asked) != nil || asked.Question == "" {
		return Line{}, false
	}
	return Line{At: entry.At, By: ByPlanner, Text: asked.Question, Question: true, Options: asked.Options, Revision: entry.Revision}, true
}

// done are what the planner did with each of its tools, and what it could not do if that failed.
var done = map[string]struct{ did, failed string }{
	"save":     {"", "Could not save the script"},
	"ask":      {"", "Could not ask"},
	"schedule": {"", "Could not set when it runs"},
	"dry_run":  {"Tried it out, and sent nothing.", "Could not try it out"},
	"eval":     {"Tried it on a recorded run.", "Could not try it on a recorded run"},
	"history":  {"Looked at what happened.", "Could not look at what happened"},
	"inspect":  {"Looked into a run or a script.", "Could not look into it"},
}

// came says what came of a tool call: for a question, the person's answer.
func came(call projections.ThreadEntry, result thread.ToolResulted, at time.Time) Line {
	line, name := Line{At: at, By: ByTool, Revision: call.Revision}, ""
	if call.Invoked != nil {
		name = call.Invoked.Tool
	}
	words := done[name]
	if result.Error != "" {
		first, _, _ := strings.Cut(result.Error, "\n")
		line.Text, line.Failed = cmp.Or(words.failed, "The planner called "+name+" in vain")+": "+first, true
		return line
	}
	var text string
	_ = json.Unmarshal(result.Result, &text) // what is no text says nothing more
	first, rest, _ := strings.Cut(text, "\n")
	next, _, _ := strings.Cut(rest, "\n")
	switch name {
	case "ask":
		return Line{At: at, By: ByPerson, Text: strings.TrimPrefix(text, answers)}
	case "save", "dry_run", "eval":
		line.Text = strings.TrimSpace(words.did + " " + first)
	case "schedule":
		line.Text = strings.TrimSpace(first + " " + next)
	default:
		line.Text = cmp.Or(words.did, "The planner called "+name+".")
	}
	return line
}
