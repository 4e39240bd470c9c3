package gate

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// replayOrder sorts successes for replay: the newest of each kind first, then the others,
// newest first. Where time is short, that sees the most different behaviour soonest.
// Runs are given oldest first.
func replayOrder(templates *templates, successes []Run) []*Run {
	runs := make([]*Run, len(successes))
	for i := range successes {
		runs[len(successes)-1-i] = &successes[i]
	}
	seen := map[string]bool{}
	again := make(map[*Run]bool, len(runs))
	for _, run := range runs {
		kind := kindOf(templates, run)
		again[run] = seen[kind]
		seen[kind] = true
	}
	slices.SortStableFunc(runs, func(a, b *Run) int {
		switch {
		case again[a] == again[b]:
			return 0
		case again[b]:
			return -1
		}
		return 1
	})
	return runs
}

// The bounds of the replayed successes: everything that is learned from them is held in memory, many times as large
// as the text. The first few are replayed at any size.
const (
	mostReplayed   = 300
	mostAnswers    = 8 << 20 // bytes of what they were given
	alwaysReplayed = 5
)

// Sample says which of many recorded successes were replayed.
type Sample struct {
	Given      int `json:"given"`
	Duplicates int `json:"duplicates"` // given the same and came to the same as another: judged once
	Beyond     int `json:"beyond"`     // left out, the newest of each kind first, to bound count and size
}

func (s *Sample) String() string {
	return fmt.Sprintf("of %d recorded successes %d repeat another and %d are beyond the bound of %d runs and %d MiB of answers; the newest of each kind come first",
		s.Given, s.Duplicates, s.Beyond, mostReplayed, mostAnswers>>20)
}

// sampleOf picks the successes to replay, in order of replay. The sample is nil if it is all of
// them. It does not depend on how long anything takes.
func sampleOf(templates *templates, successes []Run) ([]*Run, *Sample) {
	sample := Sample{Given: len(successes)}
	var picked []*Run
	seen := map[string]bool{}
	size := 0
	for _, run := range replayOrder(templates, successes) {
		print := run.fingerprint()
		if seen[print] {
			sample.Duplicates++
			continue
		}
		seen[print] = true
		given := len(run.Input)
		for _, call := range run.Calls {
			given += len(call.Result)
		}
		if len(picked) >= alwaysReplayed && (size+given > mostAnswers || len(picked) >= mostReplayed) {
			sample.Beyond++
			continue
		}
		size += given
		picked = append(picked, run)
	}
	if len(picked) == len(successes) {
		return picked, nil
	}
	return picked, &sample
}

// fingerprint is the same for runs that were given the same and came to the same, whenever it was.
func (r *Run) fingerprint() string {
	h := sha256.New()
	part := func(texts ...string) {
		for _, text := range texts {
			_, _ = fmt.Fprintf(h, "%d:%s", len(text), text)
		}
	}
	part(string(r.Input), string(r.Outcome.Output), strconv.FormatBool(r.Overlap))
	for _, call := range r.Calls {
		part(call.Tool, string(call.Args), call.Effect, string(call.Result))
		if call.Error != nil {
			part(call.Error.Class, call.Error.Name, call.Error.Message, call.Error.Body)
		}
	}
	return string(h.Sum(nil))
}

// kindOf is a rough picture of what a run did: which calls, how they ended, and the
// shape of the output. Loops of different length are the same kind.
func kindOf(templates *templates, run *Run) string {
	var kinds []string
	for _, call := range run.Calls {
		kind := templates.of(call.Tool, call.Args)
		if call.Error != nil {
			kind += "!" + call.Error.Class
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return strings.Join(kinds, "\n") + "\n" + outline(decode(run.Outcome.Output))
}

// outline is the structure of a value without its contents.
func outline(value any) string {
	switch v := value.(type) {
	case map[string]any:
		parts := make([]string, 0, len(v))
		for key, member := range v {
			parts = append(parts, key+":"+outline(member))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		if len(v) == 0 {
			return "[]"
		}
		return "[" + outline(v[0]) + "]"
	}
	return fmt.Sprintf("%T", value)
}
