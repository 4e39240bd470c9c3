package inputschema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

// Schema is what may stand somewhere. As JSON it is a JSON schema; one that says nothing takes anything.
type Schema struct {
	Type        string // string, number, boolean, object, array, null, or empty
	Format      string
	Description string
	Default     any // as JSON has it, nil for none
	Enum        []any
	AnyOf       []*Schema
	Items       *Schema
	Values      *Schema // of members that have no name of their own
	Properties  []Property
	Required    []string
}

// Property is a named member of an object.
type Property struct {
	Name string
	*Schema
}

// MarshalJSON writes a JSON schema, members in the order in which the script has them.
func (s *Schema) MarshalJSON() ([]byte, error) {
	made := orderedjson.New()
	put := func(key string, value any, there bool) {
		if there {
			made.Put(key, value)
		}
	}
	put("type", s.Type, s.Type != "")
	put("format", s.Format, s.Format != "")
	put("description", s.Description, s.Description != "")
	put("enum", s.Enum, len(s.Enum) > 0)
	put("anyOf", s.AnyOf, len(s.AnyOf) > 0)
	put("items", s.Items, s.Items != nil)
	if len(s.Properties) > 0 {
		properties := orderedjson.New()
		for _, one := range s.Properties {
			properties.Put(one.Name, one.Schema)
		}
		put("properties", properties, true)
	}
	put("additionalProperties", s.Values, s.Values != nil)
	put("required", s.Required, len(s.Required) > 0)
	put("default", s.Default, s.Default != nil)
	return json.Marshal(made)
}

// Anything says that nothing is said of what may stand there.
func (s *Schema) Anything() bool {
	return s.Type == "" && len(s.Enum) == 0 && len(s.AnyOf) == 0 && len(s.Properties) == 0 && s.Default == nil
}

func (s *Schema) property(name string) *Schema {
	for _, one := range s.Properties {
		if one.Name == name {
			return one.Schema
		}
	}
	return nil
}

// Check says what of an input does not fit, with the name of the field.
func (s *Schema) Check(input json.RawMessage) error {
	var value any
	if err := json.Unmarshal(input, &value); err != nil {
		return fmt.Errorf("the input is no JSON: %w", err)
	}
	faults := s.faults("input", value)
	if len(faults) == 0 {
		return nil
	}
	more := ""
	if most := 4; len(faults) > most {
		more = fmt.Sprintf("; and %d more", len(faults)-most)
		faults = faults[:most]
	}
	return fmt.Errorf("%s%s", strings.Join(faults, "; "), more)
}

// faults are of the shape, not of formats: main gets a text either way.
func (s *Schema) faults(at string, value any) []string {
	if len(s.AnyOf) > 0 {
		if slices.ContainsFunc(s.AnyOf, func(one *Schema) bool { return len(one.faults(at, value)) == 0 }) {
			return nil
		}
		return []string{fmt.Sprintf("%s is %s: main takes %s there", at, shown(value), s.words())}
	}
	if len(s.Enum) > 0 {
		if slices.ContainsFunc(s.Enum, func(one any) bool { return reflect.DeepEqual(one, value) }) {
			return nil
		}
		return []string{fmt.Sprintf("%s is %s: main takes %s there", at, shown(value), s.words())}
	}
	if s.Type != "" && s.Type != typeOf(value) {
		return []string{fmt.Sprintf("%s is %s: main takes %s there", at, shown(value), s.words())}
	}
	var found []string
	switch value := value.(type) {
	case []any:
		if s.Items != nil {
			for i, one := range value {
				found = append(found, s.Items.faults(fmt.Sprintf("%s[%d]", at, i), one)...)
			}
		}
	case map[string]any:
		for _, name := range s.Required {
			if _, there := value[name]; !there {
				found = append(found, fmt.Sprintf("%s is missing: main takes %s there", member(at, name), s.property(name).words()))
			}
		}
		for _, name := range sortedKeys(value) {
			of := s.property(name)
			if of == nil {
				of = s.Values
			}
			if of != nil {
				found = append(found, of.faults(member(at, name), value[name])...)
			}
		}
	}
	return found
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func member(at, name string) string {
	if isName(name) {
		return at + "." + name
	}
	return fmt.Sprintf("%s[%q]", at, name)
}

// words are what may stand there, for people.
func (s *Schema) words() string {
	var parts []string
	for _, one := range s.AnyOf {
		parts = append(parts, one.words())
	}
	for _, one := range s.Enum {
		parts = append(parts, shown(one))
	}
	if len(parts) > 0 {
		return strings.Join(parts, " or ")
	}
	switch s.Type {
	case "string":
		return "a text"
	case "number":
		return "a number"
	case "boolean":
		return "true or false"
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "null":
		return "null"
	}
	return "something"
}

// shown is a value as far as it is short, else its kind.
func shown(value any) string {
	switch value.(type) {
	case []any, map[string]any:
		return (&Schema{Type: typeOf(value)}).words()
	}
	text, err := json.Marshal(value)
	if err != nil || len(text) > 40 {
		return (&Schema{Type: typeOf(value)}).words()
	}
	if kind := typeOf(value); kind == "string" {
		return "the text " + string(text)
	}
	return string(text)
}

func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "array"
	}
	return "object"
}

// Line is a property in one line: day: a text, default "today".
func (p Property) Line(required bool) string {
	line := p.Name + ": " + p.words()
	if !required && p.Default == nil {
		line += ", or nothing"
	}
	if text, err := json.Marshal(p.Default); err == nil && p.Default != nil {
		line += ", default " + string(text)
	}
	if p.Description != "" {
		line += " (" + p.Description + ")"
	}
	return line
}

// Lines say what main takes, a line for each field.
func (s *Schema) Lines() []string {
	if len(s.Properties) == 0 {
		return []string{s.words()}
	}
	lines := make([]string, len(s.Properties))
	for i, one := range s.Properties {
		lines[i] = one.Line(slices.Contains(s.Required, one.Name))
	}
	return lines
}
