package engine

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// ToScript builds the script's value of a JSON text. It does not run the script's code
// and does not depend on what the script did to the built-in objects; goja's JSON.parse
// gives the same values five times slower.
func (r *Run) ToScript(raw json.RawMessage) (goja.Value, error) {
	if len(raw) == 0 {
		return goja.Null(), nil
	}
	if !json.Valid(raw) {
		return nil, fmt.Errorf("not valid JSON: %.40q", raw)
	}
	d := valueReader{vm: r.VM, text: raw}
	return d.value(), nil
}

// valueReader reads text that is known to be valid JSON.
type valueReader struct {
	vm   *goja.Runtime
	text []byte
	pos  int
}

func (d *valueReader) space() { d.pos = sandbox.SkipSpace(d.text, d.pos) }

func (d *valueReader) value() goja.Value {
	d.space()
	switch d.text[d.pos] {
	case '{':
		return d.object()
	case '[':
		return d.array()
	case '"':
		s, end := sandbox.ScanString(d.text, d.pos)
		d.pos = end
		return StringValue(d.vm, s)
	case 't':
		d.pos += 4
		return d.vm.ToValue(true)
	case 'f':
		d.pos += 5
		return d.vm.ToValue(false)
	case 'n':
		d.pos += 4
		return goja.Null()
	}
	start := d.pos
	d.pos = sandbox.ScanNumber(d.text, d.pos)
	// Out of range gives the infinities, as in JavaScript.
	f, _ := strconv.ParseFloat(string(d.text[start:d.pos]), 64)
	return d.vm.ToValue(f)
}

func (d *valueReader) array() goja.Value {
	var items []any
	d.pos++ // [
	for {
		d.space()
		switch d.text[d.pos] {
		case ']':
			d.pos++
			return d.vm.NewArray(items...)
		case ',':
			d.pos++
		}
		items = append(items, d.value())
	}
}

func (d *valueReader) object() goja.Value {
	object := d.vm.NewObject()
	d.pos++ // {
	for {
		d.space()
		switch d.text[d.pos] {
		case '}':
			d.pos++
			return object
		case ',':
			d.pos++
			d.space()
		}
		key, end := sandbox.ScanString(d.text, d.pos)
		d.pos = end
		d.space()
		d.pos++ // :
		// Defining, unlike setting, reaches neither a setter that the script put on
		// Object.prototype nor __proto__.
		Define(object, key, d.value(), Visible)
	}
}

// StringValue is the script's string for text as [sandbox.ScanString] returns it.
func StringValue(vm *goja.Runtime, s string) goja.Value {
	if utf8.ValidString(s) {
		return vm.ToValue(s)
	}
	var units []uint16
	for i := 0; i < len(s); {
		if unit, half := sandbox.HalfPair(s[i:]); half {
			units = append(units, unit)
			i += 3
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		units = utf16.AppendRune(units, r)
		i += size
	}
	return goja.StringFromUTF16(units)
}

// ToJSON is the JSON text of a script's value, as JSON.stringify makes it. It may run the script's code
// (toJSON, getters). A value that JSON leaves out gives "". The error is the script's exception.
func (r *Run) ToJSON(v goja.Value) (string, error) {
	holder := r.VM.CreateObject(nil) // so that nothing but the value has a say
	Define(holder, "", v, Visible)
	text, err := holder.MarshalJSON()
	if err != nil || len(text) == len("{}") {
		return "", err
	}
	return string(text[len(`{"":`) : len(text)-len("}")]), nil
}

// toJSONOrNull is the same with null for a value that JSON leaves out, and sooner done.
func (r *Run) toJSONOrNull(v goja.Value) (json.RawMessage, error) {
	switch {
	case isObject(v):
		return v.(*goja.Object).MarshalJSON()
	case goja.IsString(v):
		if text, ok := quoted(v.String()); ok {
			return text, nil
		}
	}
	text, err := r.ToJSON(v)
	if text == "" {
		text = "null"
	}
	return json.RawMessage(text), err
}

// quoted is the JSON of a string of characters that a line may have, in ASCII.
func quoted(s string) (json.RawMessage, bool) {
	text := append(make([]byte, 0, len(s)+len(s)/8+2), '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\n':
			text = append(text, `\n`...)
		case c == '"' || c == '\\':
			text = append(text, '\\', c)
		case c < ' ' || c > '~':
			return nil, false
		default:
			text = append(text, c)
		}
	}
	return append(text, '"'), true
}

// property flags: what a plain assignment would make, and what built-in objects have.
type visibility bool

const (
	Visible visibility = true
	Hidden  visibility = false
)

// Define gives an object a property of its own. It fails only for objects that the
// script may not see before.
func Define(object *goja.Object, name string, value goja.Value, v visibility) {
	enumerable := goja.FLAG_FALSE
	if v == Visible {
		enumerable = goja.FLAG_TRUE
	}
	if err := object.DefineDataProperty(name, value, goja.FLAG_TRUE, goja.FLAG_TRUE, enumerable); err != nil {
		panic(err)
	}
}

// Option is a property of an options object, nil if it is not given. It may run the script's code.
func (r *Run) Option(options goja.Value, name string) goja.Value {
	object, ok := options.(*goja.Object)
	if !ok {
		return nil
	}
	value := object.Get(name)
	if value == nil || goja.IsUndefined(value) || goja.IsNull(value) {
		return nil
	}
	return value
}
