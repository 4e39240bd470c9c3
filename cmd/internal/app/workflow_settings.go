package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// SettingsMembers are the settings that are not their defaults, by name.
func SettingsMembers(settings workflow.Settings) (members map[string]json.RawMessage, err error) {
	text, err := json.Marshal(settings)
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, &members)
	return members, err
}

// PatchSettings are settings with those of a merge patch in their place.
func PatchSettings(now map[string]json.RawMessage, patch json.RawMessage) (settings workflow.Settings, err error) {
	whole, err := json.Marshal(now)
	if err != nil {
		return settings, err
	}
	merged, err := mergePatched(whole, patch)
	if err != nil {
		return settings, err
	}
	reader := json.NewDecoder(bytes.NewReader(merged))
	reader.DisallowUnknownFields()
	err = reader.Decode(&settings)
	if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		return settings, fault.New(fault.Invalid, "the setting %s does not take a %s: /openapi.json says which values it takes", wrong.Field, wrong.Value)
	}
	if err != nil {
		name, _ := strings.CutPrefix(err.Error(), "json: unknown field ")
		return settings, fault.New(fault.Invalid, "there is no setting %s: /openapi.json lists them all", name)
	}
	return settings, nil
}

// mergePatched is a document with a JSON merge patch applied (RFC 7396, section 2).
func mergePatched(document, patch json.RawMessage) (json.RawMessage, error) {
	var changes map[string]json.RawMessage
	if json.Unmarshal(patch, &changes) != nil || changes == nil {
		return patch, nil //nolint:nilerr // what is no object replaces the whole
	}
	members := map[string]json.RawMessage{}
	if json.Unmarshal(document, &members) != nil || members == nil {
		members = map[string]json.RawMessage{}
	}
	for name, change := range changes {
		if string(change) == "null" {
			delete(members, name)
			continue
		}
		merged, err := mergePatched(members[name], change)
		if err != nil {
			return nil, err
		}
		members[name] = merged
	}
	return json.Marshal(members)
}
