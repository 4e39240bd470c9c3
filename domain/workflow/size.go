package workflow

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/domain/failure"
)

// One append is at most 1 MiB in all, also of the largest decision: a verified fix with alternatives that becomes a
// version. A text of a person or a planner that is too long is refused. A machine's findings are cut instead, so that
// no repair fails because of their size.
const (
	maxLine         = 1 << 10   // titles
	maxText         = 16 << 10  // comments, explanations, reasons, questions
	maxDocument     = 64 << 10  // summaries and diagrams
	maxCode         = 256 << 10 // a script
	maxInput        = 512 << 10 // a run's input
	maxValue        = 32 << 10  // one output or list of writes in a verdict
	maxAlternatives = 96 << 10  // all alternatives together
	maxReasons      = 32
)

// fits refuses text that is too long for an event or is no text.
func fits(what, text string, most int) error {
	if len(text) > most {
		return invalid("the %s has %d bytes, %d are allowed", what, len(text), most)
	}
	if !utf8.ValidString(text) {
		return invalid("the %s is not UTF-8 text", what)
	}
	return nil
}

// CheckCode refuses a text that no version of a script can be.
func CheckCode(code string) error { return fits("script", code, maxCode) }

// cutValue leaves a large value out, and says so in its place.
func cutValue(value json.RawMessage) json.RawMessage {
	if len(value) <= maxValue {
		return value
	}
	return json.RawMessage(fmt.Sprintf(`"(%d bytes, left out)"`, len(value)))
}

// bounded is the verification as an event can carry it.
func (v Verification) bounded() Verification {
	v.FailingRun = failure.Cut(v.FailingRun, maxText)
	v.Divergence = failure.Cut(v.Divergence, maxText)
	v.Reasons = cutReasons(v.Reasons)
	v.Doubts = cutReasons(v.Doubts)
	v.Unverified = v.Unverified[:min(len(v.Unverified), maxReasons)]
	v.Widens = v.Widens.bounded()
	v.Output, v.Writes = cutValue(v.Output), cutValue(v.Writes)
	if v.Rehearsal != nil {
		r := *v.Rehearsal
		r.Output, r.Writes = cutValue(r.Output), cutValue(r.Writes)
		r.Problem = failure.Cut(r.Problem, maxText)
		v.Rehearsal = &r
	}
	return v
}

// bounded is the widening cut to what an event can carry. The parts that are cut are not widened.
func (w *Widening) bounded() *Widening {
	if w == nil {
		return nil
	}
	return &Widening{
		Hosts: w.Hosts[:min(len(w.Hosts), maxReasons)], Writes: w.Writes[:min(len(w.Writes), maxReasons)],
		Secrets: w.Secrets[:min(len(w.Secrets), maxReasons)],
	}
}

func cutReasons(reasons []string) []string {
	if len(reasons) > maxReasons {
		reasons = append(reasons[:maxReasons:maxReasons], fmt.Sprintf("and %d more", len(reasons)-maxReasons))
	}
	var cut []string
	for _, reason := range reasons {
		cut = append(cut, failure.Cut(reason, maxLine))
	}
	return cut
}

// cutAlternatives keeps the first ones that fit.
func cutAlternatives(alternatives []Alternative) []Alternative {
	var kept []Alternative
	room := maxAlternatives
	for _, a := range alternatives {
		a.Comment = failure.Cut(a.Comment, maxLine)
		a.Output, a.Writes, a.Widens = cutValue(a.Output), cutValue(a.Writes), a.Widens.bounded()
		if room -= len(a.Code) + len(a.Comment) + len(a.Output) + len(a.Writes); room < 0 {
			break
		}
		kept = append(kept, a)
	}
	return kept
}
