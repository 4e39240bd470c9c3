// Package jsonschema checks JSON by the JSON Schemas of this program: the keywords below and no others, and no document
// but the schema itself. A schema that says more is refused when it is read, so that nothing is taken for checked
// that is not.
//
//	schema, err := jsonschema.Compile(text)
//	for _, fault := range schema.Faults(value) { … fault.Path, fault.Text … }
//
// Complete implementations compile the schemas of all schemas whenever a program begins that has them, which takes longer
// than most commands; the tests hold this one against one of these.
package jsonschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Schema is a schema that was compiled.
type Schema struct {
	keywords
	root *Schema
	not  bool // the schema false: nothing fits
	want *regexp.Regexp
	one  []any // of enum, decoded
}

type keywords struct {
	Type                 names              `json:"type"`
	Enum                 []json.RawMessage  `json:"enum"`
	MinLength            *int               `json:"minLength"` // in code points
	MaxLength            *int               `json:"maxLength"`
	Pattern              string             `json:"pattern"`
	Minimum              *json.Number       `json:"minimum"`
	Maximum              *json.Number       `json:"maximum"`
	Items                *Schema            `json:"items"`
	MinItems             *int               `json:"minItems"`
	MaxItems             *int               `json:"maxItems"`
	Properties           map[string]*Schema `json:"properties"`
	Required             []string           `json:"required"`
	AdditionalProperties *Schema            `json:"additionalProperties"`
	OneOf                []*Schema          `json:"oneOf"`
	Ref                  string             `json:"$ref"` // to #/$defs/NAME
	Defs                 map[string]*Schema `json:"$defs"`

	// Said for readers.
	Dialect     string          `json:"$schema"`
	ID          string          `json:"$id"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Default     json.RawMessage `json:"default"`
	Examples    json.RawMessage `json:"examples"`
	Format      string          `json:"format"`
}

type names []string

// UnmarshalJSON implements [json.Unmarshaler].
func (n *names) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return json.Unmarshal(text, (*[]string)(n))
	}
	*n = make(names, 1)
	return json.Unmarshal(text, &(*n)[0])
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *Schema) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "true":
		return nil
	case "false":
		s.not = true
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(&s.keywords)
}

// Compile reads a schema.
func Compile(text []byte) (*Schema, error) {
	root := &Schema{}
	if err := json.Unmarshal(text, root); err != nil {
		return nil, fmt.Errorf("jsonschema: %w", err)
	}
	if err := root.compile(root); err != nil {
		return nil, fmt.Errorf("jsonschema: %w", err)
	}
	return root, nil
}

var known = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

func (s *Schema) compile(root *Schema) error {
	if s == nil {
		return nil
	}
	s.root = root
	for _, name := range s.Type {
		if !slices.Contains(known, name) {
			return fmt.Errorf("there is no type %q", name)
		}
	}
	if s.OneOf != nil && len(s.OneOf) == 0 || s.Enum != nil && len(s.Enum) == 0 {
		return errors.New("oneOf and enum are lists of at least one")
	}
	for _, text := range s.Enum {
		value, err := Decode(text)
		if err != nil {
			return err
		}
		s.one = append(s.one, value)
	}
	if s.Pattern != "" {
		var err error
		if s.want, err = regexp.Compile(s.Pattern); err != nil {
			return err
		}
	}
	if s.Ref != "" && root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")] == nil {
		return fmt.Errorf("$ref %s does not lead to a definition in the schema", s.Ref)
	}
	for _, inner := range slices.Concat(s.OneOf, []*Schema{s.Items, s.AdditionalProperties}, sorted(s.Properties), sorted(s.Defs)) {
		if err := inner.compile(root); err != nil {
			return err
		}
	}
	return nil
}

func sorted(schemas map[string]*Schema) []*Schema {
	var all []*Schema
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		all = append(all, schemas[name])
	}
	return all
}

// Decode reads JSON as [Schema.Faults] takes it: numbers are json.Number.
func Decode(text []byte) (any, error) {
	if !json.Valid(text) { // a decoder would not look behind the first value
		return nil, json.Unmarshal(text, new(any))
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// Fault is something in a value that does not fit.
type Fault struct {
	Path    string // JSON pointer to what does not fit
	Keyword string // of the schema
	Text    string

	Got   string   // of type: what it is
	Want  []string // of type: what it should be
	Names []string // of additionalProperties: those that should not be there
}

// Faults are what is wrong with a value, the outer before the inner; none if it fits.
func (s *Schema) Faults(value any) []Fault {
	c := check{}
	c.value(s, value, "")
	return c.faults
}

type check struct{ faults []Fault }

func (c *check) fault(path, keyword, format string, args ...any) *Fault {
	c.faults = append(c.faults, Fault{Path: path, Keyword: keyword, Text: fmt.Sprintf(format, args...)})
	return &c.faults[len(c.faults)-1]
}

func (c *check) value(s *Schema, value any, path string) {
	if s == nil {
		return
	}
	if s.not {
		c.fault(path, "false", "nothing is allowed here")
		return
	}
	if s.Ref != "" {
		c.value(s.root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")], value, path)
	}
	got := kind(value)
	if len(s.Type) > 0 && !slices.ContainsFunc(s.Type, func(want string) bool { return want == got || want == "integer" && whole(value) }) {
		f := c.fault(path, "type", "got %s, want %s", got, strings.Join(s.Type, " or "))
		f.Got, f.Want = got, s.Type
		return
	}
	if len(s.one) > 0 && !slices.ContainsFunc(s.one, func(one any) bool { return equal(one, value) }) {
		c.fault(path, "enum", "%s", s.choice())
	}
	if len(s.OneOf) > 0 {
		c.oneOf(s, value, path)
	}
	switch value := value.(type) {
	case string:
		c.text(s, value, path)
	case json.Number:
		c.number(s, value, path)
	case []any:
		c.list(s, value, path)
	case map[string]any:
		c.object(s, value, path)
	}
}

func (s *Schema) choice() string {
	said := make([]string, len(s.one))
	for i, one := range s.one {
		if said[i] = string(s.Enum[i]); kind(one) == "string" {
			said[i] = quoted(one.(string))
		}
	}
	if len(said) == 1 {
		return "value must be " + said[0]
	}
	return "value must be one of " + strings.Join(said, ", ")
}

func (c *check) oneOf(s *Schema, value any, path string) {
	fits := 0
	for _, choice := range s.OneOf {
		if len(choice.Faults(value)) == 0 {
			fits++
		}
	}
	if fits != 1 {
		c.fault(path, "oneOf", "it fits %d of %d alternatives, and should fit one", fits, len(s.OneOf))
	}
}

func (c *check) text(s *Schema, value, path string) {
	length := utf8.RuneCountInString(value)
	if s.MinLength != nil && length < *s.MinLength {
		c.fault(path, "minLength", "minLength: got %d, want %d", length, *s.MinLength)
	}
	if s.MaxLength != nil && length > *s.MaxLength {
		c.fault(path, "maxLength", "maxLength: got %d, want %d", length, *s.MaxLength)
	}
	if s.want != nil && !s.want.MatchString(value) {
		c.fault(path, "pattern", "%s does not match pattern %s", quoted(value), quoted(s.Pattern))
	}
}

func (c *check) number(s *Schema, value json.Number, path string) {
	if s.Minimum != nil && float(value) < float(*s.Minimum) {
		c.fault(path, "minimum", "minimum: got %s, want %s", value, *s.Minimum)
	}
	if s.Maximum != nil && float(value) > float(*s.Maximum) {
		c.fault(path, "maximum", "maximum: got %s, want %s", value, *s.Maximum)
	}
}

func (c *check) list(s *Schema, list []any, path string) {
	if s.MinItems != nil && len(list) < *s.MinItems {
		c.fault(path, "minItems", "minItems: got %d, want %d", len(list), *s.MinItems)
	}
	if s.MaxItems != nil && len(list) > *s.MaxItems {
		c.fault(path, "maxItems", "maxItems: got %d, want %d", len(list), *s.MaxItems)
	}
	for i, item := range list {
		c.value(s.Items, item, path+"/"+strconv.Itoa(i))
	}
}

func (c *check) object(s *Schema, object map[string]any, path string) {
	var missing, unknown []string
	for _, name := range s.Required {
		if _, there := object[name]; !there {
			missing = append(missing, quoted(name))
		}
	}
	if len(missing) > 0 {
		c.fault(path, "required", "missing propert%s %s", plural(missing), strings.Join(missing, ", "))
	}
	inside := slices.Sorted(maps.Keys(object))
	if other := s.AdditionalProperties; other != nil && other.not {
		for _, name := range inside {
			if s.Properties[name] == nil {
				unknown = append(unknown, name)
			}
		}
		if len(unknown) > 0 {
			said := make([]string, len(unknown))
			for i, name := range unknown {
				said[i] = quoted(name)
			}
			c.fault(path, "additionalProperties", "additional properties %s not allowed", strings.Join(said, ", ")).Names = unknown
		}
	}
	for _, name := range inside {
		at := path + "/" + Escape(name)
		if known := s.Properties[name]; known != nil {
			c.value(known, object[name], at)
		} else if other := s.AdditionalProperties; other != nil && !other.not {
			c.value(other, object[name], at)
		}
	}
}

func plural(of []string) string {
	if len(of) == 1 {
		return "y"
	}
	return "ies"
}

// Escape is a name as a part of a JSON pointer.
func Escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

func quoted(text string) string {
	text = strconv.Quote(text)
	text = strings.ReplaceAll(text, `\"`, `"`)
	return "'" + strings.ReplaceAll(text[1:len(text)-1], "'", `\'`) + "'"
}

func kind(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// float is a number as every reader of JSON here takes it; what is too large is infinite, which compares as it should.
func float(n json.Number) float64 {
	f, _ := strconv.ParseFloat(string(n), 64)
	return f
}

func whole(value any) bool {
	n, is := value.(json.Number)
	return is && (!strings.ContainsAny(string(n), ".eE") || math.Trunc(float(n)) == float(n))
}

func equal(one, other any) bool {
	a, isA := one.(json.Number)
	b, isB := other.(json.Number)
	if isA && isB {
		return float(a) == float(b)
	}
	switch one := one.(type) {
	case nil, bool, string:
		return one == other
	case []any:
		list, is := other.([]any)
		return is && slices.EqualFunc(one, list, equal)
	case map[string]any:
		object, is := other.(map[string]any)
		return is && maps.EqualFunc(one, object, equal)
	}
	return false
}
