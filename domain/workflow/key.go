package workflow

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
)

// maxKeyPath bounds a setting that names a place of an input, in bytes.
const maxKeyPath = 200

// keyBytes is how much of a digest is a key: two things do not meet in it.
const keyBytes = 16

// keyOf stands for what an input is about, by the setting concurrency_key: the text, number or truth value there. An input without one is about
// nothing that another is. It is a digest, as the value may be anybody's name, and with the path, as another setting speaks of something else.
func (s State) keyOf(input json.RawMessage) string {
	path := s.Settings.ConcurrencyKey
	value, input := s.valueAt(input, path)
	switch value.(type) {
	case string, float64, bool:
	default:
		return ""
	}
	text, err := json.Marshal(value) // 1.0 is 1, and a letter is itself however it was written
	if err != nil {
		return ""
	}
	if _, number := value.(float64); number && len(input) > maxExactNumber {
		text = input // two numbers that differ far behind stay two
	}
	sum := sha256.Sum256([]byte(path + "\x00" + string(text)))
	return hex.EncodeToString(sum[:keyBytes])
}

// valueAt is what an input has at a place, nil for nothing, and as it was written.
func (s State) valueAt(input json.RawMessage, path string) (value any, text json.RawMessage) {
	if path == "" {
		return nil, nil
	}
	if len(input) == 0 {
		input = s.Settings.DefaultInput()
	}
	for name := range strings.SplitSeq(path, ".") {
		var members map[string]json.RawMessage
		if json.Unmarshal(input, &members) != nil {
			return nil, nil
		}
		input = members[name]
	}
	if json.Unmarshal(input, &value) != nil {
		return nil, nil
	}
	return value, input
}

// validPath refuses a setting that names no place of an input.
func validPath(setting, path string) error {
	if path != "" && (len(path) > maxKeyPath || slices.Contains(strings.Split(path, "."), "") || strings.ContainsFunc(path, unicode.IsControl)) {
		return invalid("setting %s is %q: write names of members of the input with dots between, like customer.id, in at most %d bytes", setting, path, maxKeyPath)
	}
	return nil
}

// mostUrgent bounds a priority on both sides.
const mostUrgent = 1000

// priorityOf is how urgent an input is, by the setting priority_key: the number there, 0 if there is none.
func (s State) priorityOf(input json.RawMessage) int {
	value, _ := s.valueAt(input, s.Settings.PriorityKey)
	number, _ := value.(float64)
	return int(math.Trunc(min(max(number, -mostUrgent), mostUrgent)))
}

// debounceAtMost is how often the setting debounce_ms an input waits at most, counted from the first that it replaces: a sender that never
// stops is heard, too.
const debounceAtMost = 10

// debounce says whether an input waits for a newer one about the same, until when, and which one that waits it replaces.
func (s State) debounce(key string, now time.Time) (queued InputQueued, replaces string, waits bool) {
	pause := time.Duration(s.Settings.DebounceMS) * time.Millisecond
	if pause == 0 || key == "" && s.Settings.ConcurrencyKey != "" { // then it is about nothing that another is
		return queued, "", false
	}
	queued.Since = now
	for _, q := range s.Queue {
		if q.Waits == "" && q.Key == key && now.Before(q.At) {
			replaces, queued.Since = q.Run, q.Since
		}
	}
	queued.At = now.Add(pause)
	if last := queued.Since.Add(debounceAtMost * pause); last.Before(queued.At) {
		queued.At = last
	}
	return queued, replaces, true
}

// maxExactNumber is how many digits a number may have that is compared as a number.
const maxExactNumber = 15

// keyFor is what a run will be about: the same as the one that it goes on with.
func (s State) keyFor(c AdmitRun) string {
	if c.Trigger.isolated() {
		return ""
	}
	for _, run := range []string{c.Run, c.Continues} {
		if place, waits := s.queued(run); waits {
			return s.Queue[place].Key
		}
	}
	switch c.Trigger {
	case TriggerRetry:
		return s.Retries[c.Continues].Info.Key
	case TriggerContinuation:
		if s.Continuation != nil {
			return s.Continuation.Info.Key
		}
		return ""
	case TriggerManual:
		if u, unfinished := s.Unfinished[c.Restarts]; unfinished {
			return u.Info.Key
		}
	}
	return s.keyOf(c.Input)
}

// priorityFor is how urgent the input of a run is: as that of the run that it goes on with.
func (s State) priorityFor(c AdmitRun) int {
	for _, run := range []string{c.Run, c.Continues} {
		if place, waits := s.queued(run); waits {
			return s.Queue[place].Priority
		}
	}
	switch {
	case c.Trigger.isolated():
		return 0
	case c.Trigger == TriggerRetry:
		return s.Retries[c.Continues].Info.Priority
	case c.Trigger == TriggerContinuation && s.Continuation != nil:
		return s.Continuation.Info.Priority
	}
	return s.priorityOf(c.Input)
}

// aboutTheSame is a run that is under way about what the key stands for, or has failed and goes on by itself; empty for none. One that goes
// on with a run does not wait for that, nor for another that does.
func (s State) aboutTheSame(key, continues string) string {
	if key == "" {
		return ""
	}
	first := ""
	found := func(run string) {
		if first == "" || run < first {
			first = run
		}
	}
	for run, info := range s.Admitted {
		if info.Key == key {
			found(run)
		}
	}
	if _, goesOn := s.Retries[continues]; !goesOn {
		for run, retry := range s.Retries {
			if retry.Info.Key == key && !retry.Info.Aside {
				found(run)
			}
		}
	}
	return first
}
