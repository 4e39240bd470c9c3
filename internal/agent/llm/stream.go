package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// The SDK has an accumulator of streams, too. It joins calls that share an index, takes a stream that
// breaks off for a whole one and loses what it does not know.

// assembly is an answer that comes in pieces, put together to what would have come at once.
type assembly struct {
	heard   func(Delta)
	top     map[string]any // members of the completion, the newest of each
	message map[string]any
	choice  map[string]any // members of the choice but its message
	calls   []*callPieces
	chosen  bool // there is an answer, be it empty
	ended   bool // the provider said that this is all
}

// callPieces is a call under way.
type callPieces struct {
	index     int
	members   map[string]any // without the function
	function  map[string]any // without the arguments
	arguments strings.Builder
	given     bool // any arguments came
}

// assemble reads a stream of events to its end, and returns the completion that they come to. An error
// means that the stream broke off.
func assemble(body io.Reader, heard func(Delta)) ([]byte, error) {
	a := &assembly{heard: heard, top: map[string]any{}, message: map[string]any{}, choice: map[string]any{}}
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, mostRead)
	var data []byte
	for lines.Scan() {
		line := lines.Bytes()
		if value, is := bytes.CutPrefix(line, []byte("data:")); is {
			data = append(append(data, bytes.TrimPrefix(value, []byte(" "))...), '\n')
			continue
		}
		if len(line) > 0 {
			continue // a comment, or what else an event has
		}
		if err := a.take(bytes.TrimSpace(data)); err != nil { // the event is whole
			return nil, err
		}
		data = data[:0]
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if err := a.take(bytes.TrimSpace(data)); err != nil {
		return nil, err
	}
	if !a.ended {
		return nil, io.ErrUnexpectedEOF
	}
	return a.completion()
}

// take adds one event.
func (a *assembly) take(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	if string(data) == "[DONE]" {
		a.ended = true
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var chunk map[string]any
	if err := decoder.Decode(&chunk); err != nil {
		return fmt.Errorf("an event of the stream is no JSON object")
	}
	choices, _ := chunk["choices"].([]any)
	delete(chunk, "choices")
	newest(a.top, chunk)
	a.ended = a.ended || chunk["error"] != nil
	for _, one := range choices {
		choice, _ := one.(map[string]any)
		if n, told := choice["index"].(json.Number); told && n != "0" {
			continue // nobody asked for another one
		}
		a.chosen = true
		said, _ := choice["delta"].(map[string]any)
		if said == nil {
			said, _ = choice["message"].(map[string]any)
		}
		a.add(said)
		delete(choice, "delta")
		delete(choice, "message")
		newest(a.choice, choice)
		a.ended = a.ended || a.choice["finish_reason"] != nil
	}
	return nil
}

// newest takes over what has a value.
func newest(into, from map[string]any) {
	for name, value := range from {
		if value != nil {
			into[name] = value
		}
	}
}

func (a *assembly) add(said map[string]any) {
	calls, _ := said["tool_calls"].([]any)
	delete(said, "tool_calls")
	heard := Delta{}
	if text, is := said["content"].(string); is {
		heard.Text = text
	}
	merge(a.message, said)
	for _, one := range calls {
		if piece, is := one.(map[string]any); is {
			if name := a.addCall(piece); name != "" {
				a.tell(Delta{Tool: name})
			}
		}
	}
	heard.Thinking = heard.Text == ""
	a.tell(heard)
}

func (a *assembly) tell(heard Delta) {
	if a.heard != nil {
		a.heard(heard)
	}
}

// addCall adds a piece of a call, and returns the name of one that begins.
func (a *assembly) addCall(piece map[string]any) (began string) {
	function, _ := piece["function"].(map[string]any)
	delete(piece, "function")
	call := a.callOf(piece, function)
	if call == nil {
		call = &callPieces{index: len(a.calls), members: map[string]any{}, function: map[string]any{}}
		if n, told := indexOf(piece); told {
			call.index = n
		}
		began, _ = function["name"].(string)
		a.calls = append(a.calls, call)
	}
	switch arguments := function["arguments"].(type) {
	case nil:
	case string:
		call.given = true
		call.arguments.WriteString(arguments)
	default: // some servers send the object
		text, err := json.Marshal(arguments)
		if err == nil {
			call.given = true
			call.arguments.Write(text)
		}
	}
	delete(function, "arguments")
	merge(call.members, piece)
	merge(call.function, function)
	return began
}

func indexOf(piece map[string]any) (int, bool) {
	n, told := piece["index"].(json.Number)
	if !told {
		return 0, false
	}
	i, err := n.Int64()
	return int(i), err == nil
}

// callOf is the call that a piece continues, nil for another one. Servers are about that give every
// call the same index, or none: a new id, or a name after whole arguments, begins a call.
func (a *assembly) callOf(piece, function map[string]any) *callPieces {
	id, _ := piece["id"].(string)
	name, _ := function["name"].(string)
	index, told := indexOf(piece)
	for _, call := range slices.Backward(a.calls) {
		if told && call.index != index {
			continue
		}
		has, _ := call.members["id"].(string)
		another := id != "" && has != "" && id != has
		again := name != "" && (id == "" || has == "") && json.Valid([]byte(call.arguments.String()))
		if another || again {
			return nil
		}
		return call
	}
	return nil
}

// merge adds a piece to what there is: texts and lists grow, objects are merged, elements of lists that
// have an index are found by it. Names of things do not grow.
func merge(into, piece map[string]any) {
	for name, value := range piece {
		into[name] = merged(name, into[name], value)
	}
}

// growing is a text of many pieces.
type growing struct{ strings.Builder }

// MarshalJSON implements [json.Marshaler].
func (g *growing) MarshalJSON() ([]byte, error) { return json.Marshal(g.String()) }

func merged(name string, has, value any) any {
	switch value := value.(type) {
	case nil:
		return has
	case string:
		if value == "" && has != nil {
			return has
		}
		if slices.Contains([]string{"id", "type", "role", "format", "name"}, name) {
			return value
		}
		text, is := has.(*growing)
		if !is {
			text = &growing{}
			old, _ := has.(string)
			text.WriteString(old)
		}
		text.WriteString(value)
		return text
	case map[string]any:
		if old, is := has.(map[string]any); is {
			merge(old, value)
			return old
		}
	case []any:
		if old, is := has.([]any); is {
			for _, element := range value {
				old = withElement(old, element)
			}
			return old
		}
	}
	return value
}

func withElement(list []any, element any) []any {
	piece, is := element.(map[string]any)
	index, told := indexOf(piece)
	if !is || !told {
		return append(list, element)
	}
	for _, one := range list {
		old, is := one.(map[string]any)
		if at, told := indexOf(old); is && told && at == index && old["type"] == piece["type"] {
			merge(old, piece)
			return list
		}
	}
	return append(list, element)
}

// completion is the whole, as a server writes it that was not asked for a stream.
func (a *assembly) completion() ([]byte, error) {
	if len(a.calls) > 0 {
		calls := make([]any, len(a.calls))
		for i, call := range a.calls {
			if call.given {
				call.function["arguments"] = call.arguments.String()
			}
			call.members["function"] = call.function
			calls[i] = call.members
		}
		a.message["tool_calls"] = calls
	}
	choices := []any{}
	if a.chosen {
		a.choice["message"] = a.message
		choices = append(choices, a.choice)
	}
	a.top["choices"] = choices
	a.top["object"] = "chat.completion"
	return json.Marshal(a.top)
}
