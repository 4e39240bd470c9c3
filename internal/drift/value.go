package drift

import (
	"bytes"
	"encoding/json"
	"slices"
)

// object is a JSON object that keeps the order of its members, as services do.
type object struct {
	keys   []string
	fields map[string]any
}

func newObject(pairs ...any) *object {
	o := &object{fields: map[string]any{}}
	for i := 0; i < len(pairs); i += 2 {
		key, _ := pairs[i].(string)
		o.put(key, pairs[i+1])
	}
	return o
}

// put adds a member, false if there is one of that name.
func (o *object) put(key string, value any) bool {
	if _, taken := o.fields[key]; taken || key == "" {
		return false
	}
	o.keys = append(o.keys, key)
	o.fields[key] = value
	return true
}

func (o *object) remove(key string) {
	o.keys = slices.DeleteFunc(o.keys, func(k string) bool { return k == key })
	delete(o.fields, key)
}

// rename keeps the member's place.
func (o *object) rename(key, to string) bool {
	if _, taken := o.fields[to]; taken || to == "" {
		return false
	}
	o.keys[slices.Index(o.keys, key)] = to
	o.fields[to] = o.fields[key]
	delete(o.fields, key)
	return true
}

// MarshalJSON implements [json.Marshaler].
func (o *object) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	text.WriteByte('{')
	for i, key := range o.keys {
		if i > 0 {
			text.WriteByte(',')
		}
		name, err := encode(key)
		if err != nil {
			return nil, err
		}
		value, err := encode(o.fields[key])
		if err != nil {
			return nil, err
		}
		text.Write(name)
		text.WriteByte(':')
		text.Write(value)
	}
	text.WriteByte('}')
	return text.Bytes(), nil
}

// encode is JSON as services write it: without escapes for HTML.
func encode(value any) (json.RawMessage, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(text.Bytes()), nil
}

// decode reads JSON with its objects in order.
func decode(text json.RawMessage) (any, error) {
	return decodeNext(json.NewDecoder(bytes.NewReader(text)))
}

func decodeNext(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		made := newObject()
		for decoder.More() {
			key, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			value, err := decodeNext(decoder)
			if err != nil {
				return nil, err
			}
			name, _ := key.(string)
			made.put(name, value)
		}
		_, err := decoder.Token()
		return made, err
	case json.Delim('['):
		list := []any{}
		for decoder.More() {
			value, err := decodeNext(decoder)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err := decoder.Token()
		return list, err
	}
	return token, nil
}

// visit calls change for every value at a path, "[]" being any element.
func visit(value any, path []string, change func(any)) {
	if len(path) == 0 {
		change(value)
		return
	}
	if path[0] == "[]" {
		list, _ := value.([]any)
		for _, element := range list {
			visit(element, path[1:], change)
		}
		return
	}
	if o, ok := value.(*object); ok {
		if inner, ok := o.fields[path[0]]; ok {
			visit(inner, path[1:], change)
		}
	}
}
