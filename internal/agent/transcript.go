package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
)

// transcript is a conversation under way.
type transcript struct {
	messages []llm.Message
	answers  map[string]string // of calls, by id
	ids      map[string]bool   // of calls
}

func newTranscript(messages []llm.Message) *transcript {
	t := &transcript{answers: map[string]string{}, ids: map[string]bool{}}
	for _, message := range messages {
		t.add(message)
	}
	return t
}

func (t *transcript) add(message llm.Message) {
	t.messages = append(t.messages, message)
	for _, call := range message.Calls {
		t.ids[call.ID] = true
	}
	if message.Role == llm.ToolRole {
		t.answers[message.Call] = message.Text
	}
}

// named gives every call an id of its own: some providers count from 0 in each answer, or leave it out.
func (t *transcript) named(calls []llm.Call) []llm.Call {
	taken := map[string]bool{}
	calls = slices.Clone(calls)
	for i := range calls {
		id := calls[i].ID
		for n := i; id == "" || len(id) > maxID || t.ids[id] || taken[id]; n++ {
			id = fmt.Sprintf("call_%d_%d", len(t.messages), n)
		}
		calls[i].ID, taken[id] = id, true
	}
	return calls
}

// maxID is how long a provider's id for a call may be: proxies put what a model thought into it, and
// want it back.
const maxID = 4 << 10

// bounded is an answer's calls as a journal can keep them.
func bounded(calls []llm.Call) []llm.Call {
	calls = calls[:min(len(calls), maxKept)]
	bytes := 0
	for i := range calls {
		calls[i].Tool = clean(cut(calls[i].Tool, maxName))
		if calls[i].Tool == "" {
			calls[i].Tool = "(no name)"
		}
		if !isObject(calls[i].Arguments) {
			calls[i].Arguments = clean(calls[i].Arguments)
		}
		if bytes += len(calls[i].Arguments); bytes > maxArguments {
			calls[i].Arguments = fmt.Sprintf("(left out: an answer may have %d bytes of arguments)", maxArguments)
		}
	}
	return calls
}

// maxExtra is how many bytes that only the provider knows a journal keeps of one answer.
const maxExtra = 256 << 10

// boundExtras drops members of the provider's own that are too large: first those of the turn, which hold thoughts,
// then all.
func boundExtras(answer *llm.Answer) {
	calls := 0
	for _, call := range answer.Calls {
		calls += len(call.Extra)
	}
	if calls+len(answer.Extra) > maxExtra {
		answer.Extra = nil
	}
	if calls > maxExtra {
		for i := range answer.Calls {
			answer.Calls[i].Extra = nil
		}
	}
}

// maxName is how long the name of a tool may be that a model calls.
const maxName = 200

// clean is text without what cannot be shown or stored: broken encoding and control characters.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}

// thought is what some models write down before they answer. It is neither their answer nor meant for
// people.
var (
	thought     = lazyregexp.New(`(?is)<think(?:ing)?>.*?</think(?:ing)?>`)
	halfThought = lazyregexp.New(`(?is)^.*</think(?:ing)?>|<think(?:ing)?>.*$`) // the other mark is missing
)

func withoutThoughts(text string) string {
	said := halfThought.ReplaceAllString(thought.ReplaceAllString(text, ""), "")
	if said == text {
		return text
	}
	return strings.TrimSpace(said)
}

// over says that the model had the last word and called nothing.
func (t *transcript) over() bool {
	last := t.last()
	return last.Role == llm.Assistant && len(last.Calls) == 0 && strings.TrimSpace(last.Text) != ""
}

// answering says that it is the tools' turn, or was the last.
func (t *transcript) answering() bool {
	last := t.last()
	return last.Role == llm.ToolRole || len(last.Calls) > 0
}

func (t *transcript) last() llm.Message {
	if len(t.messages) == 0 {
		return llm.Message{}
	}
	return t.messages[len(t.messages)-1]
}

// pending are the calls without an answer, in order.
func (t *transcript) pending() []llm.Call {
	var open []llm.Call
	for _, message := range t.messages {
		for _, call := range message.Calls {
			if _, answered := t.answers[call.ID]; !answered {
				open = append(open, call)
			}
		}
	}
	return open
}

// repeats says that the newest batch came before and leads nowhere: it is the same as the two
// before it, or it came twice at any time and got the same answers.
func (t *transcript) repeats() bool {
	type batch struct{ calls, answers string }
	var batches []batch
	for _, message := range t.messages {
		if len(message.Calls) == 0 {
			continue
		}
		one := batch{calls: signature(message.Calls)}
		for _, call := range message.Calls {
			one.answers += t.answers[call.ID] + "\x00"
		}
		batches = append(batches, one)
	}
	if len(batches) < sameBatches {
		return false
	}
	newest, earlier := batches[len(batches)-1], batches[:len(batches)-1]
	inARow := true
	for _, one := range earlier[len(earlier)-(sameBatches-1):] {
		inARow = inARow && one.calls == newest.calls
	}
	same := map[string]int{}
	for _, one := range earlier {
		if one.calls == newest.calls {
			if same[one.answers]++; same[one.answers] == sameBatches-1 {
				return true
			}
		}
	}
	return inARow
}

// signature is equal for batches that ask for the same, in whatever order and spelling.
func signature(calls []llm.Call) string {
	parts := make([]string, len(calls))
	for i, call := range calls {
		parts[i] = call.Tool + "\x00" + canonical(call.Arguments)
	}
	slices.Sort(parts)
	return strings.Join(parts, "\x01")
}

// canonical is JSON without its spaces and with its keys sorted; other text stays as it is.
func canonical(arguments string) string {
	var value any
	if json.Unmarshal([]byte(arguments), &value) != nil {
		return arguments
	}
	text, err := json.Marshal(value)
	if err != nil {
		return arguments
	}
	return string(text)
}

// sendable is the conversation as providers take it: arguments are JSON objects, also where the
// model wrote something else, which the answer to the call repeats.
func (t *transcript) sendable() []llm.Message {
	messages := slices.Clone(t.messages)
	for i, message := range messages {
		for j, call := range message.Calls {
			if isObject(call.Arguments) {
				continue
			}
			if len(messages[i].Calls) > 0 && &messages[i].Calls[0] == &t.messages[i].Calls[0] {
				messages[i].Calls = slices.Clone(message.Calls)
			}
			messages[i].Calls[j].Arguments = "{}"
		}
	}
	return messages
}

// tokens estimates the request, as llm does where a provider does not count.
func (t *transcript) tokens() int64 {
	bytes := 0
	for _, message := range t.messages {
		bytes += len(message.Text) + len(message.Extra)
		for _, call := range message.Calls {
			bytes += len(call.Tool) + len(call.Arguments) + len(call.Extra)
		}
	}
	return int64(bytes) / 4
}

// lastText is the last thing the model said.
func (t *transcript) lastText() string {
	for _, message := range slices.Backward(t.messages) {
		if text := strings.TrimSpace(message.Text); message.Role == llm.Assistant && text != "" {
			return text
		}
	}
	return ""
}

// Text is the answer to a call as the model reads it. A caller that rebuilds a [Conversation] from its [Journal] uses
// it too, so that a resumed conversation is the same.
func Text(value json.RawMessage, problem string) string {
	if problem != "" {
		return "Error: " + problem
	}
	var text string
	if json.Unmarshal(value, &text) == nil && len(value) > 0 && value[0] == '"' {
		return text
	}
	if len(value) == 0 {
		return "null"
	}
	return string(value)
}

// cutResult is a value that is not too long to be read. One that was cut is text.
func cutResult(value json.RawMessage) json.RawMessage {
	told := Text(value, "")
	if len(told) <= MaxResult {
		return value
	}
	short, err := json.Marshal(cut(told, MaxResult))
	if err != nil {
		return json.RawMessage(`"(cannot be shown)"`)
	}
	return short
}

// cut leaves out the middle of a text that is too long: the end of a fenced block stays.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	note := fmt.Sprintf("\n… (%d bytes in all, the middle is left out) …\n", len(text))
	head, tail := (limit-len(note))*3/4, (limit-len(note))/4
	from := len(text) - tail
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[:head] + note + text[from:]
}

func cutRunes(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return string(runes[:limit]) + "…"
}
