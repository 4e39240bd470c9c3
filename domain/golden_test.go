package domain_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/event"
)

var update = flag.Bool("update", false, "write the golden events of the current schema versions")

func golden(name string, version int) string {
	return filepath.Join("..", "testdata", "events", fmt.Sprintf("%s.v%d.json", name, version))
}

func TestTheRegistryIsWhole(t *testing.T) {
	t.Parallel()
	require.NoError(t, domain.NewCodec().Check())
}

// Every field of every event, as it is stored. If this fails, a stored form has changed: if old
// logs still decode to the same meaning, write the file anew with -run Silently -update; if
// not, raise the schema version, add an upcaster, and keep the old file.
func TestStoredFormsDoNotChangeSilently(t *testing.T) {
	t.Parallel()
	r := domain.NewCodec()
	for _, name := range r.Types() {
		version := r.Version(name)
		sample := sampleOf(t, r, name)
		_, _, payload, err := r.Encode(sample)
		require.NoError(t, err)
		var readable bytes.Buffer
		require.NoError(t, json.Indent(&readable, payload, "", "  "))
		readable.WriteByte('\n')
		if *update {
			require.NoError(t, os.MkdirAll(filepath.Dir(golden(name, version)), 0o755))
			require.NoError(t, os.WriteFile(golden(name, version), readable.Bytes(), 0o644))
		}
		stored, err := os.ReadFile(golden(name, version))
		require.NoError(t, err)
		require.Equal(t, string(stored), readable.String(), "the stored form of %s has changed", name)
		var compact bytes.Buffer
		require.NoError(t, json.Compact(&compact, stored))
		decoded, err := r.Decode(name, version, compact.Bytes())
		require.NoError(t, err)
		require.Equal(t, sample, decoded, "%s does not come back as it was", name)
	}
}

// Old versions decode, each has its file, and no file is left over.
func TestEveryVersionThatEverWasDecodes(t *testing.T) {
	t.Parallel()
	r := domain.NewCodec()
	want := map[string]bool{}
	for _, name := range r.Types() {
		for version := 1; version <= r.Version(name); version++ {
			want[filepath.Base(golden(name, version))] = true
			stored, err := os.ReadFile(golden(name, version))
			require.NoError(t, err)
			_, err = r.Decode(name, version, stored)
			require.NoError(t, err)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(golden("x", 1)))
	require.NoError(t, err)
	for _, entry := range entries {
		require.True(t, want[entry.Name()], "%s is of no registered event: a type that was ever stored stays registered", entry.Name())
	}
}

// sampleOf is an event of a type with every field set to something of its own.
func sampleOf(t *testing.T, r *event.Registry, name string) event.Event {
	t.Helper()
	empty, err := r.Decode(name, r.Version(name), []byte(`{}`))
	require.NoError(t, err)
	value := reflect.New(reflect.TypeOf(empty)).Elem()
	count := 0
	fill(t, value, "value", &count)
	return value.Interface().(event.Event)
}

func fill(t *testing.T, v reflect.Value, field string, count *int) {
	t.Helper()
	*count++
	n := *count
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 3, 1, 7, 0, n, 0, time.UTC)))
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf(json.RawMessage(fmt.Sprintf(`{"%s":%d}`, field, n))))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("%s-%d", field, n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(n))
	case reflect.Uint16:
		v.SetUint(uint64(n))
	case reflect.Float64:
		v.SetFloat(float64(n) + 0.5)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), field, count)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(0), field, count)
		fill(t, v.Index(1), field, count)
	case reflect.Map:
		element := reflect.New(v.Type().Elem()).Elem()
		fill(t, element, field, count)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("key"), element)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), strings.ToLower(v.Type().Field(i).Name), count)
		}
	default:
		require.Fail(t, "fill does not know this kind", "%s", v.Type())
	}
}
