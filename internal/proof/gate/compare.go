package gate

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// The places where a replay may part from what was recorded.
const (
	inOutput = "output"
	inWrite  = "write"
	inCall   = "call"
	inError  = "error"
)

// compareSuccess says where a replay of a recorded success parts from the record, or nil.
// A replay that needed an answer that was never recorded parts only if the writes it had
// made by then are not the beginning of the recorded ones.
func compareSuccess(run *Run, outcome *replayed) *Divergence {
	complete := outcome.Error == nil
	write := compareWrites(run.ID, recordedWrites(run), writesOf(outcome), complete)
	if isUnanswerable(outcome) {
		return write
	}
	if outcome.Error != nil {
		return &Divergence{Run: run.ID, What: inError, Want: "the run succeeds", Got: showError(outcome.Error)}
	}
	want, got := orNull(run.Outcome.Output), orNull(outcome.Output)
	if sandbox.SameValue(want, got) {
		return write
	}
	d, _ := diffValues("$", decode(want), decode(got))
	return smaller(&Divergence{Run: run.ID, What: inOutput, Path: d.path, Want: d.want, Got: d.got}, write)
}

func orNull(value json.RawMessage) json.RawMessage {
	if len(value) == 0 {
		return json.RawMessage("null")
	}
	return value
}

// compareWrites finds the first write that is not as recorded. If the run is not
// complete, writes that are still to come are not missed.
func compareWrites(runID string, want, got []Write, complete bool) *Divergence {
	for i := range max(len(want), len(got)) {
		if i < len(got) && i < len(want) && want[i].Tool == got[i].Tool && sandbox.SameArgs(want[i].Args, got[i].Args) {
			continue
		}
		at := fmt.Sprintf("writes[%d]", i)
		switch {
		case i >= len(got) && !complete:
			return nil
		case i >= len(got):
			return &Divergence{Run: runID, What: inWrite, Path: at, Want: showCall(want[i].Tool, want[i].Args), Got: "no such write"}
		case i >= len(want):
			return &Divergence{Run: runID, What: inWrite, Path: at, Want: "no further write", Got: showCall(got[i].Tool, got[i].Args)}
		case want[i].Tool != got[i].Tool:
			return &Divergence{
				Run: runID, What: inWrite, Path: at,
				Want: showCall(want[i].Tool, want[i].Args), Got: showCall(got[i].Tool, got[i].Args),
			}
		}
		d, _ := diffValues(at+".args", decode(want[i].Args), decode(got[i].Args))
		return &Divergence{Run: runID, What: inWrite, Path: d.path, Want: d.want, Got: d.got}
	}
	return nil
}

// comparePrefix says where the writes made before a failure are not the beginning of the
// writes that the candidate makes, or nil. An incomplete replay may have made fewer.
func comparePrefix(run *Run, outcome *replayed) *Divergence {
	want, got := recordedWrites(run), writesOf(outcome)
	if len(got) > len(want) {
		got = got[:len(want)]
	}
	return compareWrites(run.ID, want, got, outcome.Error == nil)
}

// smaller picks the divergence that a person sees through sooner: a value before a
// missing write, a short one before a long one, and an error last.
func smaller(a, b *Divergence) *Divergence {
	if a == nil || b != nil && weight(b) < weight(a) {
		return b
	}
	return a
}

func weight(d *Divergence) int {
	w := len(d.Want) + len(d.Got) + len(d.Path)
	if d.What == inError {
		w += 1 << 16
	}
	return w
}

func showError(e *sandbox.Error) string {
	if e == nil {
		return "no error"
	}
	return cut(e.Name + ": " + e.Message)
}

// End identifies what a run that succeeded came to: its output and its ordered writes.
func End(output json.RawMessage, writes []Write) string {
	var text strings.Builder
	text.WriteString(sandbox.CanonicalValue(output))
	for _, write := range writes {
		text.WriteString("\n" + write.Tool + " " + sandbox.Canonical(write.Args))
	}
	return text.String()
}

// End is empty for a run that failed.
func (r *Run) End() string {
	if r.Outcome.Status != "succeeded" {
		return ""
	}
	return End(r.Outcome.Output, recordedWrites(r))
}
