package gate

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
)

// faults collects what is wrong with a bundle, each with the path of its field.
type faults struct {
	list []error
	more int
}

func (f *faults) add(path, format string, args ...any) {
	if len(f.list) == maxFaults {
		f.more++
		return
	}
	f.list = append(f.list, fmt.Errorf("gate: bundle: %s: %s", path, fmt.Sprintf(format, args...)))
}

func (f *faults) err() error {
	if f.more > 0 {
		return errors.Join(append(f.list, fmt.Errorf("gate: bundle: and %d more faults", f.more))...)
	}
	return errors.Join(f.list...)
}

// need says whether a field may be left out.
type need bool

const (
	required need = true
	optional need = false
)

// field is a JSON value and where in the bundle it is.
type field struct {
	path  string
	value json.RawMessage
}

func (v field) first() byte {
	for _, b := range v.value {
		switch b {
		case ' ', '\t', '\r', '\n':
		default:
			return b
		}
	}
	return 0
}

func (v field) isObject() bool { return v.first() == '{' }
func (v field) isArray() bool  { return v.first() == '[' }

// kind names the JSON type of the value in words.
func (v field) kind() string {
	switch v.first() {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// fields splits an object. It must be one.
func (v field) fields() object {
	prefix := ""
	if v.path != "" {
		prefix = v.path + "."
	}
	o := object{prefix: prefix, values: map[string]json.RawMessage{}}
	// The whole text was checked to be JSON, so a failure is impossible here.
	_ = json.Unmarshal(v.value, &o.values)
	return o
}

func (v field) asObject(f *faults) (object, bool) {
	if !v.isObject() {
		f.add(v.path, "must be an object, is %s", v.kind())
		return object{}, false
	}
	return v.fields(), true
}

// object is the fields of a JSON object of the bundle.
type object struct {
	prefix string
	values map[string]json.RawMessage
}

// path is the JSON path of a field, quoted where its name is no identifier.
func (o object) path(name string) string {
	if isIdentifier(name) {
		return o.prefix + name
	}
	return strings.TrimSuffix(o.prefix, ".") + "[" + quote(name) + "]"
}

func (o object) has(name string) bool { _, ok := o.values[name]; return ok }

func (o object) raw(name string) json.RawMessage { return o.values[name] }

func (o object) get(name string) field { return field{path: o.path(name), value: o.values[name]} }

// present says that the field is there, and reports a required one that is not.
func (o object) present(f *faults, name string, n need) bool {
	if !o.has(name) {
		if n == required {
			f.add(o.path(name), "is missing")
		}
		return false
	}
	return n == required || o.get(name).kind() != "null"
}

func (o object) text(f *faults, name string, n need) string {
	if !o.present(f, name, n) {
		return ""
	}
	v := o.get(name)
	var text string
	if json.Unmarshal(v.value, &text) != nil || v.kind() == "null" {
		f.add(v.path, "must be a string, is %s", v.kind())
	}
	return text
}

func (o object) oneOf(f *faults, name string, allowed ...string) string {
	text := o.text(f, name, required)
	if v := o.get(name); !o.has(name) || v.kind() != "a string" {
		return ""
	}
	for _, a := range allowed {
		if text == a {
			return text
		}
	}
	last := len(allowed) - 1
	list := quote(allowed[0])
	for i, a := range allowed[1:] {
		if i+1 == last {
			list += " or " + quote(a)
		} else {
			list += ", " + quote(a)
		}
	}
	f.add(o.path(name), "must be %s, is %q", list, text)
	return ""
}

// whole reads a number that is whole and not negative; absent is 0.
func (o object) whole(f *faults, name string) int64 {
	if !o.present(f, name, optional) {
		return 0
	}
	v := o.get(name)
	var number float64
	if json.Unmarshal(v.value, &number) != nil {
		f.add(v.path, "must be a number, is %s", v.kind())
		return 0
	}
	if number < 0 || number != math.Trunc(number) || number > 1<<53 {
		f.add(v.path, "must be a whole number from 0, is %s", strings.TrimSpace(string(v.value)))
		return 0
	}
	return int64(number)
}

// flag reads a boolean; absent is false.
func (o object) flag(f *faults, name string) (set bool) {
	if o.present(f, name, optional) && json.Unmarshal(o.get(name).value, &set) != nil {
		f.add(o.path(name), "must be true or false, is %s", o.get(name).kind())
	}
	return set
}

func (o object) object(f *faults, name string, n need) (object, bool) {
	if !o.present(f, name, n) {
		return object{}, false
	}
	return o.get(name).asObject(f)
}

func (o object) list(f *faults, name string, n need) []field {
	if !o.present(f, name, n) {
		return nil
	}
	v := o.get(name)
	var items []json.RawMessage
	if !v.isArray() {
		f.add(v.path, "must be an array, is %s", v.kind())
		return nil
	}
	_ = json.Unmarshal(v.value, &items) // checked to be JSON before
	out := make([]field, len(items))
	for i, item := range items {
		out[i] = field{path: fmt.Sprintf("%s[%d]", v.path, i), value: item}
	}
	return out
}

func isIdentifier(name string) bool {
	for i, r := range name {
		letter := r == '_' || r == '$' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

func quote(text string) string {
	b, err := marshal(text)
	if err != nil {
		return fmt.Sprintf("%q", text)
	}
	return string(b)
}
