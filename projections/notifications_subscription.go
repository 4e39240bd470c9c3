package projections

import (
	"fmt"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// openLetter is an event that could not be delivered, and waits for a person.
type openLetter struct {
	Subscription string `col:"subscription,key"`
	Event        string `col:"event,key"`
}

var openLetters = readmodel.NewTable[openLetter]("open_letter", readmodel.Lookup("of", "subscription"))

// undelivered tells the operator of a subscription to which something is not delivered any more, once of each kind.
func (n notifier) undelivered(of event.Event) {
	name := strings.TrimPrefix(n.recorded.Stream, subscription.StreamPrefix)
	aboutLetters, aboutPause := "letters "+name, "paused "+name
	settled := func(chosen func(*openLetter) bool) {
		for _, one := range openLetters.Where(n.tx, "of", name) {
			if chosen(one) {
				openLetters.Delete(n.tx, name, one.Event)
			}
		}
		if len(openLetters.Where(n.tx, "of", name)) == 0 {
			n.resolve(about(aboutLetters))
		}
	}
	all := func(*openLetter) bool { return true }
	switch e := of.(type) {
	case subscription.DeadLettered:
		if openLetters.Get(n.tx, name, e.Event.EventID) == nil {
			openLetters.Insert(n.tx, openLetter{name, e.Event.EventID})
		}
		n.add(Notification{
			Type: NotifyInternal, Title: "Events could not be delivered to " + name,
			Text: fmt.Sprintf("%s\nIt was given up after %s. Deliver it now, or do without: kintsugi subscription dead-letters list %s", e.Reason, attempts(e.Attempts), name),
		}, aboutLetters)
	case subscription.SubscriptionPaused:
		if n.recorded.Metadata.Actor == "system:publisher" { // else a person knows
			n.add(Notification{
				Type: NotifyInternal, Title: "Nothing is delivered to " + name + " any more",
				Text: fmt.Sprintf("%s\nOnce it can be delivered to again: kintsugi subscription resume %s", e.Reason, name),
			}, aboutPause)
		}
	case subscription.SubscriptionResumed:
		n.resolve(about(aboutPause))
	case subscription.SubscriptionReplayed: // what was given up may come again
		settled(all)
	case subscription.SubscriptionRemoved:
		n.resolve(about(aboutPause))
		settled(all)
	case subscription.DeadLetterRetried:
		settled(func(one *openLetter) bool { return one.Event == e.EventID })
	case subscription.DeadLetterDropped:
		settled(func(one *openLetter) bool { return one.Event == e.EventID })
	}
}

func attempts(n int) string {
	if n == 1 {
		return "one attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}
