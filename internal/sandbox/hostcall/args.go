package hostcall

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// decode puts a call's arguments, which validate has accepted, into the given pointers, in
// order. Arguments that were left out or are null leave their pointer's value alone.
func decode(call sandbox.Call, into ...any) *sandbox.Error {
	for i, value := range elements(bytes.TrimSpace(call.Args)) {
		if i >= len(into) {
			break
		}
		if value[0] == 'n' {
			continue
		}
		switch target := into[i].(type) {
		case *string:
			*target = unquote(value)
		case *json.RawMessage:
			*target = bytes.Clone(value)
		default:
			if err := json.Unmarshal(value, target); err != nil {
				return fail(sandbox.ClassInternal, "", "hostcall: arguments of %s: %v", call.Tool, err)
			}
		}
	}
	return nil
}

// toJSON is value as JSON, with <, > and & as they are.
func toJSON(value any) json.RawMessage {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		// Only strings, numbers, and maps, structs and slices of them come here.
		panic("hostcall: " + err.Error())
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}

// always is the Effect of a tool whose arguments do not matter to it.
func always(effect sandbox.Effect) func(json.RawMessage) sandbox.Effect {
	return func(json.RawMessage) sandbox.Effect { return effect }
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
