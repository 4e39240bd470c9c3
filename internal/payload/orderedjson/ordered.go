// Package orderedjson reads and writes JSON whose objects keep the order of their members.
package orderedjson

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Object is a JSON object that keeps the order of its members. The two fields name the same members.
type Object struct {
	Keys   []string
	Fields map[string]any
}

// New is an object of names and values, in turn.
func New(pairs ...any) *Object {
	o := &Object{Fields: map[string]any{}}
	for i := 0; i < len(pairs); i += 2 {
		key, _ := pairs[i].(string)
		o.Put(key, pairs[i+1])
	}
	return o
}

// Put adds a member, false if there is one of that name, or the name is empty.
func (o *Object) Put(key string, value any) bool {
	if _, taken := o.Fields[key]; taken || key == "" {
		return false
	}
	o.Keys = append(o.Keys, key)
	o.Fields[key] = value
	return true
}

// Remove takes a member away, if it is there.
func (o *Object) Remove(key string) {
	o.Keys = slices.DeleteFunc(o.Keys, func(k string) bool { return k == key })
	delete(o.Fields, key)
}

// Rename gives a member another name, false if that is taken. It keeps the member's place.
func (o *Object) Rename(key, to string) bool {
	if _, taken := o.Fields[to]; taken || to == "" {
		return false
	}
	o.Keys[slices.Index(o.Keys, key)] = to
	o.Fields[to] = o.Fields[key]
	delete(o.Fields, key)
	return true
}

// MarshalJSON implements [json.Marshaler].
func (o *Object) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	text.WriteByte('{')
	for i, key := range o.Keys {
		if i > 0 {
			text.WriteByte(',')
		}
		name, err := Encode(key)
		if err != nil {
			return nil, err
		}
		value, err := Encode(o.Fields[key])
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

// Encode is JSON as services write it: without escapes for HTML.
func Encode(value any) (json.RawMessage, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(text.Bytes()), nil
}
