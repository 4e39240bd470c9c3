package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// moment is a place in a workflow's history: when a version became active, an event of the
// workflow's stream, or a time. One of the three is set.
type moment struct {
	version  workflow.Version
	revision *int64
	end      time.Time // of the time that was named
}

func parseMoment(at string) (moment, error) {
	if version, err := workflow.ParseVersion(at); err == nil {
		return moment{version: version}, nil
	}
	if revision, err := strconv.ParseInt(at, 10, 64); err == nil && revision >= 0 {
		return moment{revision: &revision}, nil
	}
	if end, err := endOf(at); err == nil {
		return moment{end: end}, nil
	}
	return moment{}, fault.New(fault.Invalid,
		"--at %q is not a version like 1.1, a revision like 14, or a time like 2026-03-01T08:00:00Z or \"2026-03-01 08:00\"", at)
}

// endOf is the end of what a time names: of the day, minute or second, or of its last
// digit. So a time that was read off a clock holds what happened while the clock showed it.
func endOf(text string) (time.Time, error) {
	if day, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return day.AddDate(0, 0, 1), nil
	}
	if minute, err := time.ParseInLocation("2006-01-02 15:04", text, time.Local); err == nil {
		return minute.Add(time.Minute), nil
	}
	unit := time.Second
	if _, fraction, found := strings.Cut(text, "."); found {
		for range len(fraction) - len(strings.TrimLeft(fraction, "0123456789")) {
			unit = max(unit/10, 1)
		}
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, "2006-01-02T15:04:05"} {
		if second, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return second.Add(unit), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time", text)
}

// cut is how many events of a history are up to the moment. A version's moment is the end
// of the append that made it active.
func (m moment) cut(stream string, recorded []event.Recorded) (int, error) {
	if !m.end.IsZero() {
		return m.cutAtTime(recorded)
	}
	var state workflow.State
	for i, one := range recorded {
		if one.Stream != stream {
			continue
		}
		was := state.Active
		state = workflow.Evolve(state, one.Event)
		switch {
		case m.revision != nil && one.Revision == *m.revision:
			return i + 1, nil
		case m.revision == nil && was != m.version && state.Active == m.version:
			command := one.Metadata.CommandID
			for i++; i < len(recorded) && recorded[i].Stream == stream && recorded[i].Metadata.CommandID == command; i++ {
			}
			return i, nil
		}
	}
	if m.revision != nil {
		return 0, fault.New(fault.NotFound, "the workflow's history has no revision %d: see 'kintsugi history'", *m.revision)
	}
	return 0, fault.New(fault.NotFound, "version %s was never active: see 'kintsugi script list'", m.version)
}

func (m moment) cutAtTime(recorded []event.Recorded) (int, error) {
	for i, one := range recorded {
		if one.Metadata.RecordedAt.Before(m.end) {
			continue
		}
		if i == 0 {
			return 0, fault.New(fault.NotFound, "the workflow did not exist then: it was created at %s", one.Metadata.RecordedAt.Local().Format(time.DateTime))
		}
		return i, nil
	}
	return len(recorded), nil
}

func foldOf(stream string, recorded []event.Recorded) workflow.State {
	var state workflow.State
	for _, one := range recorded {
		if one.Stream == stream {
			state = workflow.Evolve(state, one.Event)
		}
	}
	return state
}

// shownMoment is a workflow as it was, and what is different now.
type shownMoment struct {
	At     string        `json:"at"`
	State  snapshot      `json:"state"`
	Now    snapshot      `json:"now"`
	Diff   string        `json:"diff"` // of the script, from then to now; empty if it is the same
	Events []historyLine `json:"events"`
}

// snapshot is where a workflow stands at a moment.
type snapshot struct {
	Title       string            `json:"title"`
	Intent      string            `json:"intent"`
	Status      workflow.Status   `json:"status"`
	Version     string            `json:"version"` // empty before the first save
	Comment     string            `json:"comment"` // of that version
	SHA256      string            `json:"sha256"`  // of its code
	Fixes       int               `json:"fixes"`   // since the budget was whole
	Unconfirmed []string          `json:"unconfirmed"`
	UnderWay    []string          `json:"under_way"` // runs
	Settings    workflow.Settings `json:"settings"`
	Escalation  string            `json:"escalation,omitempty"`
	// Local is what the workflow kept for itself.
	Local projections.Local `json:"local"`

	code string
}

func snapshotOf(s workflow.State, local projections.Local) snapshot {
	shot := snapshot{
		Local: local,
		Title: s.Title, Intent: s.Intent, Status: s.Status, Fixes: s.FixCount, Settings: s.Settings.WithDefaults(),
		Unconfirmed: []string{}, UnderWay: []string{},
	}
	if script, found := s.Script(s.Active); found {
		shot.Version, shot.Comment, shot.SHA256, shot.code = script.Version.String(), script.Comment, script.SHA256, script.Code
	}
	for _, version := range s.Unconfirmed() {
		shot.Unconfirmed = append(shot.Unconfirmed, version.String())
	}
	for run := range s.Admitted {
		shot.UnderWay = append(shot.UnderWay, run)
	}
	slices.Sort(shot.UnderWay)
	if e := s.Escalation; e != nil {
		shot.Escalation = e.Reason + ": " + e.Explanation
	}
	return shot
}

// fields are what people compare, by name, in one order.
func (s snapshot) fields() [][2]string {
	return [][2]string{
		{"title", s.Title}, {"intent", s.Intent}, {"status", string(s.Status)}, {"version", dash(s.Version)}, {"comment", dash(s.Comment)},
		{"fixes", fmt.Sprintf("%d since the budget was whole, %d unconfirmed", s.Fixes, len(s.Unconfirmed))},
		{"auto-fix", string(s.Settings.AutoFix)}, {"hosts", dash(strings.Join(s.Settings.AllowedHosts, ", "))},
		{"under way", fmt.Sprintf("%d runs", len(s.UnderWay))}, {"escalated", dash(s.Escalation)},
		{"kept", dash(strings.Join(localLines(s.Local), ", "))},
	}
}

func writeMoment(w io.Writer, m shownMoment, later int) {
	fmt.Fprintf(w, "\nAt %s\n", m.At)
	then, now := m.State.fields(), m.Now.fields()
	for _, field := range then {
		if field[1] != "-" && field[1] != "" {
			fmt.Fprintf(w, "  %-10s %s\n", field[0], wrapped(field[1], "             ", 80))
		}
	}
	if later == 0 {
		return
	}
	fmt.Fprintf(w, "\nSince then, in %d events\n", later)
	for i, field := range now {
		if field[1] != then[i][1] {
			fmt.Fprintf(w, "  %-10s %s → %s\n", field[0], line(short(then[i][1], 60)), line(short(field[1], 60)))
		}
	}
	if m.Diff != "" {
		fmt.Fprintf(w, "\n%s", clean(m.Diff))
	}
}

func momentBetween(at string, then, now snapshot, events []historyLine) shownMoment {
	m := shownMoment{At: at, State: then, Now: now, Events: events}
	if then.code != now.code {
		m.Diff = udiff.Unified(dash(then.Version), now.Version, then.code, now.code)
	}
	return m
}

// localLines are the keys with their values, and the files with their sizes, briefly.
func localLines(local projections.Local) []string {
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(local.KV)) {
		lines = append(lines, key+" = "+short(string(local.KV[key]), 40))
	}
	for _, path := range slices.Sorted(maps.Keys(local.Files)) {
		lines = append(lines, fmt.Sprintf("%s (%d bytes)", path, len(local.Files[path].Text)))
	}
	return lines
}
