package projections

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
)

// words are what people are told of the events of one type, wherever they are told: in a history, by a server on its
// console, in a timeline and by a notification. A field that is left out tells nothing there.
type words[E event.Event] struct {
	// line stands in a history behind the type of the event.
	line func(e E, in *time.Location) string
	// label begins the line on the console of a server; without one the event is not told there.
	label string

	// kind and matters are an entry's of the timeline, unless the entry says otherwise of itself.
	kind    string
	matters Significance
	// entry is a sentence of the timeline; empty for an event that is only a step of something else that is told.
	entry func(e E, t *telling) string

	// resolves ends what is told of the workflow by these types, but not the notice of an outage, which ends with the outage.
	resolves []NotificationType
	// resolvesThose ends what is told of the workflow as far as it is chosen; nil chooses nothing.
	resolvesThose func(n *notifier, e E) func(*Notification) bool
	// notice is what people hear: its type says who, its About what it is told once for. One without a type is not told.
	notice func(n *notifier, e E) Notification
	// also is done last, with what is kept for notices that come later, and with those that are open.
	also func(n *notifier, e E)
}

// row is the words of one type of events, for events of any type.
type row struct {
	of      string // the type of the events
	label   string
	kind    string
	matters Significance
	line    func(event.Event, *time.Location) string
	entry   func(event.Event, *telling) string
	notify  func(*notifier, event.Event)
}

func of[E event.Event](w words[E]) row {
	var none E
	made := row{of: none.EventType(), label: w.label, kind: w.kind, matters: w.matters}
	if w.line != nil {
		made.line = func(e event.Event, in *time.Location) string { return w.line(e.(E), in) }
	}
	if w.entry != nil {
		made.entry = func(e event.Event, t *telling) string { return w.entry(e.(E), t) }
	}
	if w.resolves == nil && w.resolvesThose == nil && w.notice == nil && w.also == nil {
		return made
	}
	made.notify = func(n *notifier, any event.Event) {
		e := any.(E)
		if w.resolves != nil {
			n.resolve(func(one *Notification) bool { return one.About != aboutOutage && slices.Contains(w.resolves, one.Type) })
		}
		if w.resolvesThose != nil {
			if chosen := w.resolvesThose(n, e); chosen != nil {
				n.resolve(chosen)
			}
		}
		if w.notice != nil {
			if told := w.notice(n, e); told.Type != "" {
				n.add(told)
			}
		}
		if w.also != nil {
			w.also(n, e)
		}
	}
	return made
}

// table has the row of each type of events.
var table = func() map[string]row {
	all := map[string]row{}
	for _, some := range [][]row{workflowWords, runWords, repairWords, stepWords, installationWords, codingWords} {
		for _, one := range some {
			all[one.of] = one
		}
	}
	return all
}()

// Line is an event in one line, as people read it who are in a time zone. It stands behind the type of the event.
func Line(e event.Event, in *time.Location) string {
	if erased, is := e.(event.Erased); is {
		return erased.Text
	}
	if line := table[e.EventType()].line; line != nil {
		return line(e, in)
	}
	return ""
}

// Label is what whoever watches a server is told first of an event of a type; empty for one that they are not told of.
func Label(of string) string { return table[of].label }

// telling is an entry of the timeline while its sentence is made.
type telling struct {
	TimelineEntry
	recorded event.Recorded
	who      string // did it
}

// told is what a timeline tells of an event: what happened, by whom, and why it matters.
func told(recorded event.Recorded) (entry TimelineEntry, tells bool) {
	row := table[recorded.Event.EventType()]
	if row.entry == nil {
		return entry, false
	}
	if _, erased := recorded.Event.(event.Erased); erased {
		return entry, false
	}
	t := telling{TimelineEntry{Kind: row.kind, Significance: row.matters}, recorded, whoDid(recorded.Metadata.Actor)}
	t.Text = row.entry(recorded.Event, &t)
	return t.TimelineEntry, t.Text != ""
}

// longestText bounds what others wrote in a sentence, in bytes.
const longestText = 200

func brieflySaid(text string) string { return failure.Cut(firstLine(text), longestText) }

// withReason adds why, if somebody said it.
func withReason(text, reason string) string {
	if reason == "" {
		return text + "."
	}
	return text + ": " + brieflySaid(reason)
}

// counted is a number with its noun.
func counted(number int, noun string) string {
	if number == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", number, noun)
}

// short is a text on one line of at most so many characters.
func short(text string, runes int) string {
	text = strings.Join(strings.Fields(text), " ")
	if list := []rune(text); len(list) > runes {
		return string(list[:runes-1]) + "…"
	}
	return text
}

// dash stands where there is no text.
func dash(text string) string { return cmp.Or(text, "-") }

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}
