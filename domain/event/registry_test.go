package event_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
)

type opened struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

func (opened) EventType() string { return "Opened" }

type closed struct{}

func (closed) EventType() string { return "Closed" }

// third is a registry in which Opened is at its third schema version: the first had a
// "title", the second no size.
func third() *event.Registry {
	r := event.NewRegistry()
	event.Register[opened](r, 3)
	event.Register[closed](r, 1)
	event.Upcast(r, "Opened", 1, func(payload json.RawMessage) (json.RawMessage, error) {
		var v1 struct{ Title string }
		if err := json.Unmarshal(payload, &v1); err != nil {
			return nil, err
		}
		return event.Marshal(map[string]string{"name": v1.Title})
	})
	event.Upcast(r, "Opened", 2, func(payload json.RawMessage) (json.RawMessage, error) {
		var v2 struct{ Name string }
		if err := json.Unmarshal(payload, &v2); err != nil {
			return nil, err
		}
		return event.Marshal(opened{Name: v2.Name, Size: -1})
	})
	return r
}

func TestDecodeLiftsOldVersions(t *testing.T) {
	t.Parallel()
	r := third()
	require.NoError(t, r.Check())
	for version, payload := range map[int]string{1: `{"title":"a"}`, 2: `{"name":"a"}`, 3: `{"name":"a","size":-1}`} {
		e, err := r.Decode("Opened", version, []byte(payload))
		require.NoError(t, err)
		require.Equal(t, opened{Name: "a", Size: -1}, e)
	}
}

func TestEncodeUsesTheCurrentVersion(t *testing.T) {
	t.Parallel()
	name, version, payload, err := third().Encode(opened{Name: "<b> & co", Size: 2})
	require.NoError(t, err)
	require.Equal(t, "Opened", name)
	require.Equal(t, 3, version)
	require.Equal(t, `{"name":"<b> & co","size":2}`, string(payload), "text stays readable")
	require.Equal(t, []string{"Closed", "Opened"}, third().Types())
	require.Equal(t, 3, third().Version("Opened"))
	require.Zero(t, third().Version("Nothing"))
}

func TestUnknownTypesAndVersionsAreSaid(t *testing.T) {
	t.Parallel()
	r := event.NewRegistry()
	event.Register[closed](r, 1)
	_, err := r.Decode("Opened", 1, []byte(`{}`))
	unknown, is := errors.AsType[*event.UnknownTypeError](err)
	require.True(t, is)
	require.Equal(t, "Opened", unknown.Type)
	_, _, _, err = r.Encode(opened{})
	_, is = errors.AsType[*event.UnknownTypeError](err)
	require.True(t, is)

	_, err = r.Decode("Closed", 2, []byte(`{}`))
	newer, is := errors.AsType[*event.VersionError](err)
	require.True(t, is)
	require.Equal(t, event.VersionError{Type: "Closed", Version: 2, Known: 1}, *newer)
	require.ErrorContains(t, err, "this program knows up to 1")
	for _, version := range []int{0, -1} {
		_, err = r.Decode("Closed", version, []byte(`{}`))
		require.ErrorContains(t, err, "versions count from 1")
	}
}

func TestADamagedPayloadIsAnError(t *testing.T) {
	t.Parallel()
	r := third()
	for _, payload := range []string{"", " ", "null", "[]", `"x"`, "1", "{", `{"name":1}`, `{} x`} {
		_, err := r.Decode("Opened", 3, []byte(payload))
		require.ErrorContains(t, err, "event: decode Opened", "%q", payload)
	}
	_, err := r.Decode("Opened", 1, []byte(`{"title":1}`))
	require.ErrorContains(t, err, "lift from version 1")
}

// Check is called at start: a log that cannot be read whole is found before it is written to.
func TestCheckFindsHoles(t *testing.T) {
	t.Parallel()
	same := func(payload json.RawMessage) (json.RawMessage, error) { return payload, nil }
	faults := map[string]func(*event.Registry){
		"Opened has no upcaster from version 1": func(r *event.Registry) {
			event.Register[opened](r, 3)
			event.Upcast(r, "Opened", 2, same)
		},
		"Opened has no upcaster from version 2": func(r *event.Registry) {
			event.Register[opened](r, 3)
			event.Upcast(r, "Opened", 1, same)
		},
		"lifts Opened from version 1, outside 1 to 0": func(r *event.Registry) {
			event.Register[opened](r, 1)
			event.Upcast(r, "Opened", 1, same)
		},
		"lifts Opened from version 0": func(r *event.Registry) {
			event.Register[opened](r, 1)
			event.Upcast(r, "Opened", 0, same)
		},
		"no such type is registered":       func(r *event.Registry) { event.Upcast(r, "Opened", 1, same) },
		"registered with schema version 0": func(r *event.Registry) { event.Register[opened](r, 0) },
	}
	for says, fill := range faults {
		r := event.NewRegistry()
		fill(r)
		require.ErrorContains(t, r.Check(), says)
	}
	require.NoError(t, event.NewRegistry().Check())
}

func TestDecodeWithoutItsUpcasterIsAnError(t *testing.T) {
	t.Parallel()
	r := event.NewRegistry()
	event.Register[opened](r, 2)
	_, err := r.Decode("Opened", 1, []byte(`{}`))
	require.ErrorContains(t, err, "no upcaster from version 1")
}

func TestMistakesInTheProgramPanic(t *testing.T) {
	t.Parallel()
	r := third()
	require.Panics(t, func() { event.Register[opened](r, 3) })
	require.Panics(t, func() { event.Upcast(r, "Opened", 1, nil); event.Upcast(r, "Opened", 2, nil) })
}
