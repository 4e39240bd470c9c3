package hostcall

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// schema is a JSON schema of the kind that tools are declared with: the keywords below
// and no others, so that it can be checked in a fraction of a microsecond on every call
// and answer in the script's own terms ("argument 1 (url) must be a string"). A test
// holds it against a complete implementation.
type schema struct {
	Title                string             `json:"title"` // names an argument
	Type                 types              `json:"type"`
	Enum                 []string           `json:"enum"`
	MaxLength            *int               `json:"maxLength"` // in code points
	MinLength            int                `json:"minLength"`
	Minimum              *float64           `json:"minimum"`
	Maximum              *float64           `json:"maximum"`
	PrefixItems          []*schema          `json:"prefixItems"`
	Items                *schemaOrFalse     `json:"items"`
	MinItems             int                `json:"minItems"`
	MaxItems             *int               `json:"maxItems"`
	Properties           map[string]*schema `json:"properties"`
	AdditionalProperties *schemaOrFalse     `json:"additionalProperties"`
}

// types is "type": one name or a list of them.
type types []string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *types) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return json.Unmarshal(text, (*[]string)(t))
	}
	*t = make(types, 1)
	return json.Unmarshal(text, &(*t)[0])
}

// schemaOrFalse is what items and additionalProperties may be.
type schemaOrFalse struct{ *schema }

// UnmarshalJSON implements [json.Unmarshaler].
func (s *schemaOrFalse) UnmarshalJSON(text []byte) error {
	if string(text) == "false" {
		return nil
	}
	return decodeStrict(text, &s.schema)
}

func decodeStrict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// compileSchema panics on a schema that it cannot check: schemas are written in this package.
func compileSchema(tool Tool) *schema {
	var s schema
	if err := decodeStrict([]byte(tool.Schema), &s); err != nil {
		panic(fmt.Sprintf("hostcall: schema of %s: %v", tool.Name, err))
	}
	return &s
}

// checkArgs checks a call's argument array. The error is written for the script's author.
func (s *schema) checkArgs(tool string, args json.RawMessage) error {
	args = bytes.TrimSpace(args)
	if !json.Valid(args) || args[0] != '[' {
		return fmt.Errorf("%s: the arguments are not a JSON array", tool)
	}
	given := 0
	for range elements(args) {
		given++
	}
	if given > len(s.PrefixItems) {
		return fmt.Errorf("%s: takes at most %s, got %d", tool, count(len(s.PrefixItems), "argument"), given)
	}
	for i, value := range elements(args) {
		if fault := s.PrefixItems[i].check(value); fault != "" {
			return fmt.Errorf("%s: argument %d (%s)%s", tool, i+1, s.PrefixItems[i].Title, fault)
		}
	}
	if given < s.MinItems {
		return fmt.Errorf("%s: argument %d (%s) is missing", tool, given+1, s.PrefixItems[given].Title)
	}
	return nil
}

// check returns what is wrong with value, to be put behind its name, or "".
func (s *schema) check(value []byte) string {
	kind := kindOf(value)
	if len(s.Type) > 0 && !slices.ContainsFunc(s.Type, func(t string) bool { return isType(t, kind, value) }) {
		return " must be " + s.Type.String()
	}
	switch kind {
	case "string":
		return s.checkString(value)
	case "number":
		return s.checkNumber(value)
	case "array":
		return s.checkArray(value)
	case "object":
		return s.checkObject(value)
	}
	return ""
}

func (s *schema) checkString(value []byte) string {
	// Bytes are never fewer than code points, so most strings need not be decoded.
	short := s.MaxLength == nil || len(value)-2 <= *s.MaxLength
	if short && len(value)-2 >= s.MinLength*maxEscape && len(s.Enum) == 0 {
		return ""
	}
	text := unquote(value)
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, text) {
		return " must be one of " + strings.Join(s.Enum, ", ")
	}
	length := utf8.RuneCountInString(text)
	if length < s.MinLength {
		return " must not be empty"
	}
	if s.MaxLength != nil && length > *s.MaxLength {
		return fmt.Sprintf(" must be at most %s, got %d", count(*s.MaxLength, "character"), length)
	}
	return ""
}

// maxEscape is how many bytes one code point takes at most: two \u escapes.
const maxEscape = 12

func (s *schema) checkNumber(value []byte) string {
	if s.Minimum == nil && s.Maximum == nil {
		return ""
	}
	n, err := strconv.ParseFloat(string(value), 64)
	switch {
	case err != nil:
		return " must be a number that a script can hold"
	case s.Minimum != nil && n < *s.Minimum:
		return " must be at least " + strconv.FormatFloat(*s.Minimum, 'f', -1, 64)
	case s.Maximum != nil && n > *s.Maximum:
		return " must be at most " + strconv.FormatFloat(*s.Maximum, 'f', -1, 64)
	}
	return ""
}

func (s *schema) checkArray(value []byte) string {
	if s.Items == nil && s.MaxItems == nil {
		return ""
	}
	n := 0
	for i, item := range elements(value) {
		n++
		if s.Items == nil {
			continue
		}
		if s.Items.schema == nil {
			return " must be empty"
		}
		if fault := s.Items.check(item); fault != "" {
			return fmt.Sprintf("[%d]%s", i, fault)
		}
	}
	if s.MaxItems != nil && n > *s.MaxItems {
		return fmt.Sprintf(" must have at most %s, got %d", count(*s.MaxItems, "item"), n)
	}
	return ""
}

func (s *schema) checkObject(value []byte) string {
	if s.Properties == nil && s.AdditionalProperties == nil {
		return ""
	}
	for key, item := range members(value) {
		name := unquote(key)
		property := s.Properties[name]
		if property == nil {
			if s.AdditionalProperties == nil {
				continue
			}
			if property = s.AdditionalProperties.schema; property == nil {
				return fmt.Sprintf(" has no option %q; it has %s", name, strings.Join(sortedKeys(s.Properties), ", "))
			}
		}
		if fault := property.check(item); fault != "" {
			return "." + name + fault
		}
	}
	return ""
}

// String is t as a person says it: "a string or null".
func (t types) String() string {
	words := make([]string, len(t))
	for i, name := range t {
		switch name {
		case "null":
			words[i] = "null"
		case "integer":
			words[i] = "a whole number"
		case "array", "object":
			words[i] = "an " + name
		default:
			words[i] = "a " + name
		}
	}
	return strings.Join(words, " or ")
}

// kindOf is the JSON type of a well-formed value.
func kindOf(value []byte) string {
	switch value[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

func isType(want, kind string, value []byte) bool {
	if want != "integer" {
		return want == kind
	}
	if kind != "number" {
		return false
	}
	n, err := strconv.ParseFloat(string(value), 64)
	return err == nil && n == math.Trunc(n)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
