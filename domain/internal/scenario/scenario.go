// Package scenario tells the rules of the domain as examples. It is for tests only; the
// steps are separate types, so that Then before When does not compile.
//
//	scenario.Of(t, workflow.Decide, workflow.Evolve).
//		Given(created, saved).
//		When(workflow.Activate{}).
//		Then(workflow.WorkflowActivated{})
package scenario

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// Start is the time of the first step of every scenario.
var Start = time.Date(2026, time.March, 2, 7, 0, 0, 0, time.UTC)

// Empty is a scenario about which nothing is given yet.
type Empty[S, C any] struct{ story[S, C] }

// Given is a scenario with a history.
type Given[S, C any] struct{ story[S, C] }

// When is a scenario in which something was asked.
type When[S, C any] struct {
	story[S, C]
	command C
	events  []event.Event
	err     error
}

type story[S, C any] struct {
	t      testing.TB
	decide func(S, C, time.Time) ([]event.Event, error)
	evolve func(S, event.Event) S
	state  S
	now    time.Time
}

// Of starts a scenario about a decider.
func Of[S, C any](t testing.TB, decide func(S, C, time.Time) ([]event.Event, error), evolve func(S, event.Event) S) Empty[S, C] {
	return Empty[S, C]{story[S, C]{t: t, decide: decide, evolve: evolve, now: Start}}
}

// Given says what has happened. Nothing may be given: the stream is empty then.
func (e Empty[S, C]) Given(history ...event.Event) Given[S, C] {
	return Given[S, C]{e.fold(history)}
}

// And adds to what has happened.
func (g Given[S, C]) And(history ...event.Event) Given[S, C] {
	return Given[S, C]{g.fold(history)}
}

// After moves the clock.
func (g Given[S, C]) After(d time.Duration) Given[S, C] {
	g.now = g.now.Add(d)
	return g
}

// Now is the clock.
func (g Given[S, C]) Now() time.Time { return g.now }

// State is what the history folds to.
func (g Given[S, C]) State() S { return g.state }

// When says what is asked.
func (g Given[S, C]) When(command C) When[S, C] {
	g.t.Helper()
	events, err := g.decide(g.state, command, g.now)
	if err != nil && len(events) > 0 {
		g.t.Fatalf("%T is refused (%v) and decided at once: %s", command, err, names(events))
	}
	return When[S, C]{g.story, command, events, err}
}

// Then is exactly what must happen. It has happened for the steps that follow.
func (w When[S, C]) Then(want ...event.Event) Given[S, C] {
	w.t.Helper()
	w.accepted()
	if !reflect.DeepEqual(w.events, want) {
		w.t.Fatalf("%T led to\n%swant\n%s", w.command, show(w.events), show(want))
	}
	return Given[S, C]{w.fold(w.events)}
}

// ThenTypes is which events must happen, by name and in order.
func (w When[S, C]) ThenTypes(want ...string) Given[S, C] {
	w.t.Helper()
	w.accepted()
	if got := names(w.events); got != strings.Join(want, " ") {
		w.t.Fatalf("%T led to %s\nwant %s", w.command, got, strings.Join(want, " "))
	}
	return Given[S, C]{w.fold(w.events)}
}

// Given takes what was decided as having happened, if it includes events of these
// types: a step on the way, that another scenario is about.
func (w When[S, C]) Given(includes ...string) Given[S, C] {
	w.t.Helper()
	w.accepted()
	for _, one := range includes {
		if !strings.Contains(" "+names(w.events)+" ", " "+one+" ") {
			w.t.Fatalf("%T led to %s, want a %s in it", w.command, names(w.events), one)
		}
	}
	return Given[S, C]{w.fold(w.events)}
}

// ThenNothing says that there is nothing to do, and no refusal either.
func (w When[S, C]) ThenNothing() Given[S, C] {
	w.t.Helper()
	return w.ThenTypes()
}

// ThenRefused is the kind of a refusal, and what its text must say.
func (w When[S, C]) ThenRefused(kind fault.Kind, says string) Given[S, C] {
	w.t.Helper()
	if w.err == nil {
		w.t.Fatalf("%T led to %s, want a refusal that says %q", w.command, names(w.events), says)
	}
	if fault.KindOf(w.err) != kind || !strings.Contains(w.err.Error(), says) {
		w.t.Fatalf("%T is refused as %s: %v\nwant %s that says %q", w.command, fault.KindOf(w.err), w.err, kind, says)
	}
	return Given[S, C]{w.story}
}

// Events are what was decided.
func (w When[S, C]) Events() []event.Event {
	w.t.Helper()
	w.accepted()
	return w.events
}

// The finds the one event of a type in a list.
func The[E event.Event](t testing.TB, events []event.Event) E {
	t.Helper()
	var found []E
	for _, happened := range events {
		if e, is := happened.(E); is {
			found = append(found, e)
		}
	}
	if len(found) != 1 {
		var want E
		t.Fatalf("%d events are %s, want one, in: %s", len(found), want.EventType(), names(events))
	}
	return found[0]
}

func (w When[S, C]) accepted() {
	w.t.Helper()
	if w.err != nil {
		w.t.Fatalf("%T is refused: %v", w.command, w.err)
	}
}

func (s story[S, C]) fold(events []event.Event) story[S, C] {
	for _, happened := range events {
		s.state = s.evolve(s.state, happened)
	}
	return s
}

func names(events []event.Event) string {
	types := make([]string, len(events))
	for i, happened := range events {
		types[i] = happened.EventType()
	}
	return strings.Join(types, " ")
}

func show(events []event.Event) string {
	var text strings.Builder
	for _, happened := range events {
		payload, err := event.Marshal(happened)
		if err != nil {
			payload = fmt.Append(nil, err)
		}
		fmt.Fprintf(&text, "  %s %s\n", happened.EventType(), payload)
	}
	return text.String()
}
