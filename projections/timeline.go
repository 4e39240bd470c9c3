package projections

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// Significance is how much an entry of a timeline matters to whoever looks.
type Significance string

// The significances, the greatest first.
const (
	PersonFacing Significance = "person_facing" // it asks something of its person
	Notable      Significance = "notable"
	Routine      Significance = "routine" // folded with what is routine before and after it
)

// TimelineEntry is something that happened to a workflow, or all that was routine between two such things.
type TimelineEntry struct {
	Workflow     string       `json:"workflow" col:"workflow"`
	Number       int64        `json:"number" col:"number,key"` // rises along the timeline
	Significance Significance `json:"significance" col:"significance"`
	Kind         string       `json:"kind" col:"kind"` // run, fix, script, …; see the words of entries
	Type         string       `json:"type,omitempty" col:"type"`
	At           time.Time    `json:"at" col:"at"`               // of what is folded, the newest
	From         time.Time    `json:"from,omitzero" col:"since"` // of what is folded, the oldest
	Actor        string       `json:"actor,omitempty" col:"actor"`
	Text         string       `json:"text" col:"text"` // one sentence
	Run          string       `json:"run,omitempty" col:"run"`
	Fix          string       `json:"fix,omitempty" col:"fix"`
	Version      string       `json:"version,omitempty" col:"version"`
	// Counts are what is folded, by the type of the event; First and Last the revisions of the workflow's stream
	// that it lies between.
	Counts map[string]int `json:"counts,omitempty" col:"counts,json"`
	First  int64          `json:"first,omitempty" col:"first_revision"`
	Last   int64          `json:"last,omitempty" col:"last_revision"`
}

// timelineEnd is where a timeline ends.
type timelineEnd struct {
	Workflow string           `col:"workflow,key"`
	Open     int64            `col:"open_number"` // the routine that is folded further, 0 for none
	Day      string           `col:"day"`         // in UTC, of the newest slot that was skipped because of a status
	Slots    map[string]int64 `col:"slots,json"`  // the entries of that day that tell of them, by status
}

var (
	timeline = readmodel.NewTable[TimelineEntry]("timeline",
		// One for each choice of filters: of two that are both common, no index for one finds few. SQLite takes the first
		// of those that it holds for equally good.
		readmodel.Index("workflow", "actor", "significance", "kind", "number"), readmodel.Index("workflow", "actor", "significance", "number"),
		readmodel.Index("workflow", "significance", "kind", "number"), readmodel.Index("workflow", "significance", "number"),
		readmodel.Index("workflow", "at", "number"))
	timelineEnds  = readmodel.NewTable[timelineEnd]("timeline_end")
	timelineFixes = readmodel.NewTable[judgedFix]("timeline_fix", readmodel.Lookup("version", "version", "workflow"))
)

// applyTimeline keeps what matters one by one, and of the routine between how much there was: it is read from the
// workflow's stream when somebody opens it.
func applyTimeline(tx *readmodel.Tx, recorded event.Recorded) error {
	noteFix(tx, timelineFixes, recorded)
	entry, tells := told(recorded)
	if !tells {
		return nil
	}
	if entry.Kind == "fix" {
		entry.Text = withFix(tx, recorded, entry)
	}
	entry.Workflow, entry.Type, entry.At = cmp.Or(workflowOf(recorded), entry.Workflow), recorded.Event.EventType(), recorded.Metadata.RecordedAt
	if entry.Workflow == "" {
		return nil
	}
	end := timelineEnds.Edit(tx, entry.Workflow)
	if end == nil {
		timelineEnds.Insert(tx, timelineEnd{Workflow: strings.Clone(entry.Workflow)})
		end = timelineEnds.Edit(tx, entry.Workflow)
	}
	if entry.Significance != Routine {
		skipped, isSlot := recorded.Event.(workflow.SlotSkipped)
		if isSlot && countSlot(tx, end, entry, skipped) {
			return nil
		}
		end.Open = 0
		entry.Number, entry.Actor, entry.Workflow = tx.Next("timeline"), strings.Clone(recorded.Metadata.Actor), strings.Clone(entry.Workflow)
		if isSlot {
			entry.Counts, end.Slots[strings.Clone(string(skipped.Status))] = map[string]int{entry.Type: 1}, entry.Number
		}
		timeline.Insert(tx, entry)
		return nil
	}
	if end.Open != 0 {
		if folded := timeline.Edit(tx, end.Open); folded != nil {
			folded.Counts[entry.Type]++
			folded.At, folded.Last = entry.At, recorded.Revision
			return nil
		}
	}
	end.Open = tx.Next("timeline")
	timeline.Insert(tx, TimelineEntry{
		Workflow: end.Workflow, Number: end.Open, Significance: Routine, Kind: "routine", At: entry.At, From: entry.At,
		Counts: map[string]int{entry.Type: 1}, First: recorded.Revision, Last: recorded.Revision,
	})
	return nil
}

// countSlot counts a skipped slot in the entry of its day and reason. False if there is none yet.
func countSlot(tx *readmodel.Tx, end *timelineEnd, entry TimelineEntry, e workflow.SlotSkipped) bool {
	if day := entry.At.UTC().Format(time.DateOnly); end.Day != day {
		end.Day, end.Slots = day, map[string]int64{}
	}
	of := timeline.Edit(tx, end.Slots[string(e.Status)])
	if of == nil {
		return false
	}
	of.Counts[entry.Type]++
	of.Text = slotsText(of.Counts[entry.Type], e)
	return true
}

// TimelineFilter chooses entries of a workflow's timeline; empty fields choose all.
type TimelineFilter struct {
	Workflow     string
	Significance []Significance
	Kinds        []string
	Actor        string
	Since, Until time.Time // by when it was recorded
	Before       int64     // only entries with lower numbers: the next page
	Limit        int       // default 50, at most 500
}

// TimelinePage is a page of a timeline, the newest entry first.
type TimelinePage struct {
	Entries []TimelineEntry `json:"entries"`
	Next    int64           `json:"next,omitempty"` // Before of the next page; 0 if this is the last
}

const (
	timelineLimit    = 50
	timelineMostRows = 500
)

// Timeline is a page of a workflow's timeline.
func (q *Queries) Timeline(ctx context.Context, filter TimelineFilter) (page TimelinePage, err error) {
	limit := filter.Limit
	if limit <= 0 {
		limit = timelineLimit
	}
	limit = min(limit, timelineMostRows)
	err = q.store.Read(ctx, func(query *readmodel.Query) error {
		bounds, some, err := timelineBounds(query, filter)
		if err != nil || !some {
			return err
		}
		for _, one := range timelineQueries(filter, bounds, limit+1) {
			found, err := readmodel.Select(query, timeline, one.where, one.args...)
			if err != nil {
				return err
			}
			page.Entries = append(page.Entries, found...)
		}
		return nil
	})
	slices.SortFunc(page.Entries, func(a, b TimelineEntry) int { return int(b.Number - a.Number) })
	if len(page.Entries) > limit {
		page.Entries = page.Entries[:limit]
		page.Next = page.Entries[limit-1].Number
	}
	if page.Entries == nil {
		page.Entries = []TimelineEntry{}
	}
	for i := range page.Entries {
		if one := &page.Entries[i]; one.Significance == Routine {
			one.Text = foldedText(one.Counts)
		}
	}
	return page, err
}

// timelineQuery is one of the questions whose answers, together, are a page.
type timelineQuery struct {
	where string
	args  []any
}

// timelineQueries asks for each significance and kind by itself, so that an index gives the rows in order and no more
// of them are looked at than are shown.
func timelineQueries(filter TimelineFilter, bounds [2]int64, limit int) []timelineQuery {
	significances := filter.Significance
	if len(significances) == 0 {
		significances = []Significance{PersonFacing, Notable, Routine}
	}
	kinds := filter.Kinds
	if len(kinds) == 0 {
		kinds = []string{""}
	}
	var queries []timelineQuery
	for _, significance := range significances {
		for _, kind := range kinds {
			var chosen conditions
			chosen.equal("workflow", filter.Workflow)
			chosen.equal("significance", string(significance))
			chosen.equal("kind", kind)
			chosen.equal("actor", filter.Actor)
			chosen.add("number >= ? AND number <= ?", bounds[0], bounds[1])
			queries = append(queries, timelineQuery{chosen.limit(chosen.where()+" ORDER BY number DESC", limit), chosen.args})
		}
	}
	return queries
}

// The first and the last number of a time: entries are numbered in the order in which they were recorded.
const (
	timelineFirst = " WHERE workflow = ? AND at >= ? ORDER BY at, number LIMIT 1"
	timelineLast  = " WHERE workflow = ? AND at <= ? ORDER BY at DESC, number DESC LIMIT 1"
)

// timelineBounds are the numbers that a page is between; some is false if nothing is.
func timelineBounds(query *readmodel.Query, filter TimelineFilter) (bounds [2]int64, some bool, err error) {
	bounds = [2]int64{0, 1<<63 - 1}
	if filter.Before > 0 {
		bounds[1] = filter.Before - 1
	}
	for i, at := range []time.Time{filter.Since, filter.Until} {
		if at.IsZero() {
			continue
		}
		found, err := readmodel.Select(query, timeline, [2]string{timelineFirst, timelineLast}[i], filter.Workflow, at)
		if err != nil || len(found) == 0 {
			return bounds, false, err
		}
		if i == 0 {
			bounds[0] = found[0].Number
		} else {
			bounds[1] = min(bounds[1], found[0].Number)
		}
	}
	return bounds, bounds[0] <= bounds[1], nil
}

// TimelineEntry is one entry.
func (q *Queries) TimelineEntry(ctx context.Context, of string, number int64) (TimelineEntry, error) {
	return selectedOne(ctx, q, fault.New(fault.NotFound, "the timeline has no entry %d: see the timeline of the workflow", number),
		timeline, "WHERE workflow = ? AND number = ?", of, number)
}

// RoutineOf is what a folded entry holds, read from a part of the workflow's stream, the newest first.
func RoutineOf(recorded []event.Recorded) []TimelineEntry {
	entries := []TimelineEntry{}
	for _, one := range slices.Backward(recorded) {
		if entry, tells := told(one); tells && entry.Significance == Routine {
			entry.Workflow, entry.Type, entry.At = workflowOf(one), one.Event.EventType(), one.Metadata.RecordedAt
			entry.Actor, entry.First, entry.Last = one.Metadata.Actor, one.Revision, one.Revision
			entries = append(entries, entry)
		}
	}
	return entries
}

// TimelineKinds are the kinds of entries.
var TimelineKinds = []string{"workflow", "script", "setting", "run", "repair", "fix", "question", "planner", "trigger", "draft", "routine"}

// whoDid is an actor as a sentence names them.
func whoDid(actor string) string {
	kind, name, _ := strings.Cut(actor, ":")
	switch kind {
	case "person":
		return cmp.Or(name, "somebody")
	case "planner":
		return "the planner"
	case "maintainer":
		return "the maintainer"
	}
	return "Kintsugi"
}

// isNetwork says that a failure may pass by itself.
func isNetwork(e workflow.RunFailed) bool { return e.Failure.Class == "network" }

// withFix adds to what is told of a fix what it does, and if something proves it.
func withFix(tx *readmodel.Tx, recorded event.Recorded, entry TimelineEntry) string {
	comment := func(fix *judgedFix) string { return strings.TrimSuffix(brieflySaid(fix.Comment), ".") }
	switch e := recorded.Event.(type) {
	case workflow.FixProposed:
		return entry.Text // in its own words
	case workflow.FixConfirmed:
		if made := timelineFixes.Where(tx, "version", versionText(e.Version), workflowOf(recorded)); len(made) > 0 {
			return "Fixed: " + comment(made[0]) + ". " + entry.Text
		}
		return entry.Text
	}
	fix := timelineFixes.Get(tx, entry.Fix)
	if fix == nil {
		return entry.Text
	}
	text := entry.Text
	for _, word := range []string{"A fix", "a fix"} {
		if before, after, found := strings.Cut(text, word); found {
			text = before + word + " (" + comment(fix) + ")" + after
			break
		}
	}
	if recorded.Event.EventType() == workflow.TypeFixApplied {
		text += " " + fix.proof()
	}
	return text
}
