package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Moment is a place in a workflow's history: when a version became active, an event of the
// workflow's stream, or a time. One of the three is set.
type Moment struct {
	version  workflow.Version
	revision *int64
	end      time.Time // of the time that was named
}

// ParseMoment reads a version, a revision or a time, of a time zone if it says none.
func ParseMoment(at string, in *time.Location) (Moment, error) {
	if version, err := workflow.ParseVersion(at); err == nil {
		return Moment{version: version}, nil
	}
	if revision, err := strconv.ParseInt(at, 10, 64); err == nil && revision >= 0 {
		return Moment{revision: &revision}, nil
	}
	if end, err := endOf(at, in); err == nil {
		return Moment{end: end}, nil
	}
	return Moment{}, fault.New(fault.Invalid,
		"--at %q is not a version like 1.1, a revision like 14, or a time like 2026-03-01T08:00:00Z or \"2026-03-01 08:00\"", at)
}

// endOf is the end of what a time names: of the day, minute or second, or of its last
// digit. So a time that was read off a clock holds what happened while the clock showed it.
func endOf(text string, in *time.Location) (time.Time, error) {
	if day, err := time.ParseInLocation(time.DateOnly, text, in); err == nil {
		return day.AddDate(0, 0, 1), nil
	}
	if minute, err := time.ParseInLocation("2006-01-02 15:04", text, in); err == nil {
		return minute.Add(time.Minute), nil
	}
	unit := time.Second
	if _, fraction, found := strings.Cut(text, "."); found {
		for range len(fraction) - len(strings.TrimLeft(fraction, "0123456789")) {
			unit = max(unit/10, 1)
		}
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, "2006-01-02T15:04:05"} {
		if second, err := time.ParseInLocation(layout, text, in); err == nil {
			return second.Add(unit), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time", text)
}

// ParseBetween reads two times of which either may be left out: how long ago they were (2h, 7d), or what [ParseSince] reads.
func ParseBetween(since, until string, now time.Time) (between Between, err error) {
	for _, one := range []struct {
		text string
		at   *time.Time
	}{{since, &between.From}, {until, &between.Before}} {
		if one.text == "" {
			continue
		}
		if span, wrong := ParseSpan(one.text); wrong == nil {
			*one.at = now.Add(-span)
		} else if *one.at, err = ParseSince(one.text, now); err != nil {
			return between, err
		}
	}
	return between, nil
}

// ParseSince is when a day, a time, or the last weekday of that name began where somebody is whose clock shows now.
func ParseSince(text string, now time.Time) (time.Time, error) {
	in := now.Location()
	for day := range 7 {
		at := now.AddDate(0, 0, -day)
		if name := at.Weekday().String(); strings.EqualFold(text, name) || strings.EqualFold(text, name[:3]) {
			return time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, in), nil
		}
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02 15:04", time.RFC3339, time.DateTime, "2006-01-02T15:04:05"} {
		if at, err := time.ParseInLocation(layout, text, in); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fault.New(fault.Invalid, "%q is not a day like 2026-03-03, a time like \"2026-03-03 08:00\", or a weekday like tuesday", text)
}

// Cut is how many events of a history are up to the moment. A version's moment is the end
// of the append that made it active.
func (m Moment) Cut(stream string, recorded []event.Recorded) (int, error) {
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

func (m Moment) cutAtTime(recorded []event.Recorded) (int, error) {
	for i, one := range recorded {
		if one.Metadata.RecordedAt.Before(m.end) {
			continue
		}
		if i == 0 {
			return 0, fault.New(fault.NotFound, "the workflow did not exist then: it was created at %s", one.Metadata.RecordedAt.In(m.end.Location()).Format(time.DateTime))
		}
		return i, nil
	}
	return len(recorded), nil
}

// FoldOf is the state that a stream among recorded events comes to.
func FoldOf(stream string, recorded []event.Recorded) workflow.State {
	var state workflow.State
	for _, one := range recorded {
		if one.Stream == stream {
			state = workflow.Evolve(state, one.Event)
		}
	}
	return state
}

// ShownMoment is a workflow as it was, and what is different now.
type ShownMoment struct {
	At     string        `json:"at"`
	State  Snapshot      `json:"state"`
	Now    Snapshot      `json:"now"`
	Diff   string        `json:"diff"` // of the script, from then to now; empty if it is the same
	Events []HistoryLine `json:"events"`
}

// Snapshot is where a workflow stands at a moment.
type Snapshot struct {
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

// SnapshotOf shows a state.
func SnapshotOf(s workflow.State, local projections.Local) Snapshot {
	shot := Snapshot{
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

// ShownChange is what changed of a workflow between two moments.
type ShownChange struct {
	From   string         `json:"from"`
	To     string         `json:"to"`
	Before Snapshot       `json:"before"`
	After  Snapshot       `json:"after"`
	Words  []string       `json:"words,omitempty"` // of the script
	Diff   string         `json:"diff"`            // of the script; empty if it is the same
	Kept   []KeptChange   `json:"kept"`            // keys and files
	Runs   []RunBetween   `json:"runs"`            // that were admitted or settled in between, oldest first
	Counts map[string]int `json:"counts"`          // of them, by what became of them
	Events []HistoryLine  `json:"events"`          // of the workflow's own stream
}

// KeptChange is a key or a file that is not what it was.
type KeptChange struct {
	Key    string          `json:"key,omitempty"`
	File   string          `json:"file,omitempty"`
	Before json.RawMessage `json:"before,omitempty"` // of a key; not set if there was none
	After  json.RawMessage `json:"after,omitempty"`
	// Bytes are the sizes of a file, -1 for none.
	BytesBefore int `json:"bytes_before,omitempty"`
	BytesAfter  int `json:"bytes_after,omitempty"`
}

// RunBetween is a run that something happened of between two moments.
type RunBetween struct {
	Run     string `json:"run"`
	Version string `json:"version"`
	Outcome string `json:"outcome"` // succeeded, failed, cancelled or under_way
	Failure string `json:"failure,omitempty"`
}

// ChangeBetween folds a history up to two places in it and says what is different. The later one may come first:
// then it says what it takes to go back.
func ChangeBetween(stream string, recorded []event.Recorded, from, to int, in *time.Location) (ShownChange, error) {
	change := ShownChange{Kept: []KeptChange{}, Runs: []RunBetween{}, Counts: map[string]int{}}
	snapshot := func(end int) (Snapshot, projections.Local, error) {
		local, err := projections.LocalOf(recorded[:end])
		return SnapshotOf(FoldOf(stream, recorded[:end]), local), local, err
	}
	before, kept, err := snapshot(from)
	if err != nil {
		return change, err
	}
	after, keeps, err := snapshot(to)
	if err != nil {
		return change, err
	}
	change.Before, change.After, change.Kept = before, after, keptBetween(kept, keeps)
	if before.code != after.code {
		change.Diff = udiff.Unified(plain.Dash(before.Version), plain.Dash(after.Version), before.code, after.code)
		change.Words = ChangeInWords(before.code, after.code)
	}
	var own []event.Recorded
	at := map[string]int{} // in Runs
	for _, one := range recorded[min(from, to):max(from, to)] {
		if one.Stream != stream {
			continue
		}
		own = append(own, one)
		var of RunBetween
		switch e := one.Event.(type) {
		case workflow.RunAdmitted:
			of = RunBetween{Run: e.Run, Version: e.Version.String(), Outcome: "under_way"}
		case workflow.RunSucceeded:
			of = RunBetween{Run: e.Run, Version: e.Version.String(), Outcome: "succeeded"}
		case workflow.RunFailed:
			of = RunBetween{Run: e.Run, Version: e.Version.String(), Outcome: "failed", Failure: e.Failure.Message}
		case workflow.RunCancelled:
			of = RunBetween{Run: e.Run, Version: e.Version.String(), Outcome: "cancelled"}
		default:
			continue
		}
		if i, known := at[of.Run]; known {
			change.Runs[i] = of
		} else {
			at[of.Run] = len(change.Runs)
			change.Runs = append(change.Runs, of)
		}
	}
	for _, one := range change.Runs {
		change.Counts[one.Outcome]++
	}
	change.Events, err = HistoryLines(own, in)
	return change, err
}

func keptBetween(before, after projections.Local) []KeptChange {
	changes := []KeptChange{}
	keys := maps.Clone(before.KV)
	if keys == nil {
		keys = map[string]json.RawMessage{}
	}
	maps.Copy(keys, after.KV)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if was, is := before.KV[key], after.KV[key]; string(was) != string(is) {
			changes = append(changes, KeptChange{Key: key, Before: was, After: is})
		}
	}
	files := map[string]bool{}
	for path := range before.Files {
		files[path] = true
	}
	for path := range after.Files {
		files[path] = true
	}
	size := func(of map[string]projections.LocalFile, path string) int {
		file, there := of[path]
		if !there {
			return -1
		}
		return len(file.Text)
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if was, is := size(before.Files, path), size(after.Files, path); was != is || before.Files[path].Text != after.Files[path].Text {
			changes = append(changes, KeptChange{File: path, BytesBefore: was, BytesAfter: is})
		}
	}
	return changes
}

// MomentBetween compares what a workflow was with what it is now.
func MomentBetween(at string, then, now Snapshot, events []HistoryLine) ShownMoment {
	m := ShownMoment{At: at, State: then, Now: now, Events: events}
	if then.code != now.code {
		m.Diff = udiff.Unified(plain.Dash(then.Version), now.Version, then.code, now.code)
	}
	return m
}

// MomentOf is a workflow as it was at a moment of its whole history, and what is different now. Its events are those up
// to then, of the workflow's own stream unless all are asked for; later is how many came since.
func MomentOf(id string, recorded []event.Recorded, at string, all bool, in *time.Location) (shown ShownMoment, later int, err error) {
	stream := workflow.Stream(id)
	if err := wholeHistory(stream, recorded); err != nil {
		return shown, 0, err
	}
	m, err := ParseMoment(at, in)
	if err != nil {
		return shown, 0, err
	}
	n, err := m.Cut(stream, recorded)
	if err != nil {
		return shown, 0, err
	}
	then, err := projections.LocalOf(recorded[:n])
	if err != nil {
		return shown, 0, err
	}
	now, err := projections.LocalOf(recorded)
	if err != nil {
		return shown, 0, err
	}
	before, after := recorded[:n], recorded[n:]
	if !all {
		ofOthers := func(one event.Recorded) bool { return one.Stream != stream }
		before, after = slices.DeleteFunc(slices.Clone(before), ofOthers), slices.DeleteFunc(slices.Clone(after), ofOthers)
	}
	lines, err := HistoryLines(before, in)
	return MomentBetween(at, SnapshotOf(FoldOf(stream, recorded[:n]), then), SnapshotOf(FoldOf(stream, recorded), now), lines), len(after), err
}

// ChangeOf is what changed between two moments of a whole history, written FROM..TO; without TO, until now.
func ChangeOf(id string, recorded []event.Recorded, between string, in *time.Location) (change ShownChange, err error) {
	from, to, found := strings.Cut(between, "..")
	if !found || from == "" {
		return change, fault.New(fault.Invalid, "--diff %q: write FROM..TO, like 1.0..1.1, or FROM.. for until now", between)
	}
	stream := workflow.Stream(id)
	if err := wholeHistory(stream, recorded); err != nil {
		return change, err
	}
	ends := [2]int{0, len(recorded)}
	for i, at := range []string{from, to} {
		if at == "" {
			continue
		}
		m, err := ParseMoment(at, in)
		if err != nil {
			return change, err
		}
		if ends[i], err = m.Cut(stream, recorded); err != nil {
			return change, err
		}
	}
	change, err = ChangeBetween(stream, recorded, ends[0], ends[1], in)
	change.From, change.To = from, cmp.Or(to, "now")
	return change, err
}

// wholeHistory refuses to fold what was erased in part.
func wholeHistory(stream string, recorded []event.Recorded) error {
	for _, one := range recorded {
		if _, erased := one.Event.(event.Erased); erased && one.Stream == stream {
			return fault.New(fault.Conflict, "what the workflow was is not known: revision %d (%s) was erased; see 'kintsugi history' without --at and --diff", one.Revision, one.Event.EventType())
		}
	}
	return nil
}
