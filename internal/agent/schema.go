package agent

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/basics/jsonschema"
)

// schema is what the arguments of a tool have to be, as it is offered to the model.
type schema struct{ compiled *jsonschema.Schema }

// compileSchema reads the schema of a tool's arguments, which are an object.
func compileSchema(text json.RawMessage) (*schema, error) {
	var top struct{ Type any }
	if err := json.Unmarshal(text, &top); err == nil && top.Type != "object" {
		return nil, fmt.Errorf("its type is %v: the arguments of a tool are an object", top.Type)
	}
	compiled, err := jsonschema.Compile(text)
	return &schema{compiled}, err
}

func isObject(arguments string) bool {
	trimmed := strings.TrimSpace(arguments)
	return strings.HasPrefix(trimmed, "{") && json.Valid([]byte(trimmed))
}

// arguments checks what a model wrote. The fault is for the model; there is none if they can be used.
func (s *schema) arguments(text string) (json.RawMessage, string) {
	if strings.TrimSpace(text) == "" || strings.TrimSpace(text) == "null" {
		text = "{}" // some models write nothing for a call that needs nothing
	}
	value, err := jsonschema.Decode([]byte(text))
	if err != nil {
		return nil, "the arguments are not JSON: " + err.Error()
	}
	if _, object := value.(map[string]any); !object {
		return nil, "the arguments are not a JSON object"
	}
	faults := s.compiled.Faults(value)
	if len(faults) == 0 {
		return json.RawMessage(text), ""
	}
	var said []string
	for _, fault := range faults[:min(len(faults), 5)] { // a model that gets five wrong has to read the schema
		said = append(said, "at '"+cutRunes(fault.Path, 300)+"': "+cutRunes(fault.Text, 500))
	}
	return nil, "the arguments do not fit their schema: " + strings.Join(said, "; ")
}
