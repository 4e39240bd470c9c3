package workflow

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// maxKeyPath bounds the setting concurrency_key, in bytes.
const maxKeyPath = 200

// keyBytes is how much of a digest is a key: two things do not meet in it.
const keyBytes = 16

// keyOf stands for what an input is about, by the setting concurrency_key: the text, number or truth value there. An input without one is about
// nothing that another is. It is a digest, as the value may be anybody's name, and with the path, as another setting speaks of something else.
func (s State) keyOf(input json.RawMessage) string {
	path := s.Settings.ConcurrencyKey
	if path == "" {
		return ""
	}
	if len(input) == 0 {
		input = s.Settings.DefaultInput()
	}
	for name := range strings.SplitSeq(path, ".") {
		var members map[string]json.RawMessage
		if json.Unmarshal(input, &members) != nil {
			return ""
		}
		input = members[name]
	}
	var value any
	if json.Unmarshal(input, &value) != nil {
		return ""
	}
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
