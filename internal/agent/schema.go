package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// schema is a JSON schema of the kind that agents' tools are declared with: these keywords and
// no others, so that what is offered to a model is also what is checked.
type schema struct {
	Type                 string             `json:"type"`
	Description          string             `json:"description"`
	Enum                 []any              `json:"enum"`
	Properties           map[string]*schema `json:"properties"`
	Required             []string           `json:"required"`
	AdditionalProperties *bool              `json:"additionalProperties"`
	Items                *schema            `json:"items"`
	MinItems             int                `json:"minItems"`
	MaxItems             *int               `json:"maxItems"`
	MinLength            int                `json:"minLength"` // in code points
	MaxLength            *int               `json:"maxLength"`
	Minimum              *float64           `json:"minimum"`
	Maximum              *float64           `json:"maximum"`
}

// compileSchema reads the schema of a tool's arguments, which are an object.
func compileSchema(text json.RawMessage) (*schema, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var s schema
	if err := d.Decode(&s); err != nil {
		return nil, err
	}
	if s.Type != "object" {
		return nil, fmt.Errorf("its type is %q: the arguments of a tool are an object", s.Type)
	}
	return &s, nil
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
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return nil, "the arguments are not JSON: " + err.Error()
	}
	if _, object := value.(map[string]any); !object {
		return nil, "the arguments are not a JSON object"
	}
	if fault := s.check(value); fault != "" {
		return nil, "the arguments" + fault
	}
	return json.RawMessage(text), ""
}

// check says what is wrong with a value, to be put behind its name; nothing if it is right.
func (s *schema) check(value any) string {
	if s.Type != "" && !isType(s.Type, value) {
		return " must be of type " + s.Type
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, value) {
		return fmt.Sprintf(" must be one of %v", s.Enum)
	}
	switch value := value.(type) {
	case string:
		return s.checkString(value)
	case float64:
		switch {
		case s.Minimum != nil && value < *s.Minimum:
			return fmt.Sprintf(" must be at least %v", *s.Minimum)
		case s.Maximum != nil && value > *s.Maximum:
			return fmt.Sprintf(" must be at most %v", *s.Maximum)
		}
	case []any:
		return s.checkArray(value)
	case map[string]any:
		return s.checkObject(value)
	}
	return ""
}

func (s *schema) checkString(value string) string {
	switch length := utf8.RuneCountInString(value); {
	case length < s.MinLength && length == 0:
		return " must not be empty"
	case length < s.MinLength:
		return fmt.Sprintf(" must have at least %d characters, and has %d", s.MinLength, length)
	case s.MaxLength != nil && length > *s.MaxLength:
		return fmt.Sprintf(" must have at most %d characters, and has %d", *s.MaxLength, length)
	}
	return ""
}

func (s *schema) checkArray(value []any) string {
	switch {
	case len(value) < s.MinItems:
		return fmt.Sprintf(" must have at least %d items, and has %d", s.MinItems, len(value))
	case s.MaxItems != nil && len(value) > *s.MaxItems:
		return fmt.Sprintf(" must have at most %d items, and has %d", *s.MaxItems, len(value))
	case s.Items == nil:
		return ""
	}
	for i, item := range value {
		if fault := s.Items.check(item); fault != "" {
			return fmt.Sprintf("[%d]%s", i, fault)
		}
	}
	return ""
}

func (s *schema) checkObject(value map[string]any) string {
	for _, name := range s.Required {
		if _, there := value[name]; !there {
			return fmt.Sprintf(" lack %q", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(value)) {
		property := s.Properties[name]
		if property == nil {
			if s.AdditionalProperties != nil && !*s.AdditionalProperties {
				return fmt.Sprintf(" have no %q: there are %s", cutRunes(name, 100), strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", "))
			}
			continue
		}
		if fault := property.check(value[name]); fault != "" {
			return "." + name + fault
		}
	}
	return ""
}

func isType(want string, value any) bool {
	switch value := value.(type) {
	case nil:
		return want == "null"
	case bool:
		return want == "boolean"
	case string:
		return want == "string"
	case float64:
		return want == "number" || want == "integer" && value == float64(int64(value))
	case []any:
		return want == "array"
	case map[string]any:
		return want == "object"
	}
	return false
}
