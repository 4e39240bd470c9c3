package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// schema is what the arguments of a tool have to be, as it is offered to the model.
type schema struct{ compiled *jsonschema.Schema }

// compileSchema reads the schema of a tool's arguments, which are an object.
func compileSchema(text json.RawMessage) (*schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if top, _ := document.(map[string]any); top["type"] != "object" {
		return nil, fmt.Errorf("its type is %v: the arguments of a tool are an object", top["type"])
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(jsonschema.SchemeURLLoader{}) // a schema refers to nothing outside
	if err := compiler.AddResource("arguments", document); err != nil {
		return nil, err
	}
	compiled, err := compiler.Compile("arguments")
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
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, "the arguments are not JSON: " + err.Error()
	}
	if _, object := value.(map[string]any); !object {
		return nil, "the arguments are not a JSON object"
	}
	if invalid, is := errors.AsType[*jsonschema.ValidationError](s.compiled.Validate(value)); is {
		return nil, "the arguments do not fit their schema: " + strings.Join(faults(invalid), "; ")
	}
	return json.RawMessage(text), ""
}

var english = message.NewPrinter(language.English)

// faults says what is wrong, and where as a JSON pointer.
func faults(invalid *jsonschema.ValidationError) []string {
	if len(invalid.Causes) == 0 {
		at := ""
		for _, part := range invalid.InstanceLocation {
			at += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(cutRunes(part, 100))
		}
		return []string{"at '" + at + "': " + cutRunes(invalid.ErrorKind.LocalizedString(english), 500)}
	}
	var all []string
	for _, cause := range invalid.Causes {
		all = append(all, faults(cause)...)
		if len(all) >= 5 {
			return all[:5] // whoever gets five wrong reads the schema
		}
	}
	return all
}
