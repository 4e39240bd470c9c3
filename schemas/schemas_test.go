package schemas_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/schemas"
)

var update = flag.Bool("update", false, "write the schemas of the current versions, and docs/events.md")

// The schema of each type follows from its struct. An existing schema changes only by additions, also with -update:
// its readers understand later events as well.
func TestSchemasAreTheTypes(t *testing.T) {
	t.Parallel()
	r := domain.NewCodec()
	texts := readComments(t)
	for _, name := range r.Types() {
		file := schemas.Name(name, r.Version(name))
		made := schemaOf(t, r, texts, name)
		written, err := os.ReadFile(file)
		if err == nil {
			var before schema
			require.NoError(t, json.Unmarshal(written, &before))
			require.NoError(t, additive(name, &before, made), "subscribers know %s as it is in %s: give it a new version (CONTRIBUTING.md, an event) and leave this file beside the new one", name, file)
		}
		if *update {
			require.NoError(t, os.WriteFile(file, encode(t, made), 0o644))
			continue
		}
		require.NoError(t, err, "a type without a schema: go test ./schemas -update")
		require.Equal(t, string(encode(t, made)), string(written), "the schema of %s is not what its struct says: go test ./schemas -update", name)
	}
}

// Each version that was ever stored, and so may be replayed to a subscriber, has its schema, and none is left over. The golden
// event of a version is one that its schema allows.
func TestEveryVersionHasItsSchema(t *testing.T) {
	t.Parallel()
	r := domain.NewCodec()
	want := []string{}
	for _, name := range r.Types() {
		for version := 1; version <= r.Version(name); version++ {
			want = append(want, schemas.Name(name, version))
		}
	}
	slices.Sort(want)
	entries, err := schemas.Files.ReadDir(".")
	require.NoError(t, err)
	got := []string{}
	for _, entry := range entries {
		got = append(got, entry.Name())
		require.NoError(t, validate(t, entry.Name(), read(t, "../testdata/events/"+entry.Name())), entry.Name())
	}
	require.Equal(t, want, got)
}

// Events of real histories, also of those that older programs wrote, are as their schemas say: what was added to a version
// later is not required of what was stored before.
func TestStoredEventsAreAsTheirSchemasSay(t *testing.T) {
	t.Parallel()
	seen := 0
	histories, err := filepath.Glob("../testdata/histories/good/*.jsonl")
	require.NoError(t, err)
	for _, path := range histories {
		for line := range bytes.Lines(read(t, path)) {
			var one struct {
				Type          string
				SchemaVersion int `json:"schema_version"`
				Payload       json.RawMessage
			}
			require.NoError(t, json.Unmarshal(line, &one))
			seen++
			require.NoError(t, validate(t, schemas.Name(one.Type, one.SchemaVersion), one.Payload), "%s: %s", path, line)
		}
	}
	require.Greater(t, seen, 50)
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return text
}

func validate(t *testing.T, file string, payload []byte) error {
	t.Helper()
	text, err := schemas.Files.ReadFile(file)
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource(schemas.Base+file, document))
	compiled, err := compiler.Compile(schemas.Base + file)
	require.NoError(t, err)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(payload))
	require.NoError(t, err)
	return compiled.Validate(value)
}

// A change that takes something away from readers, or sends them what they were not promised, is no addition.
func TestAChangeThatIsNoAdditionIsRefused(t *testing.T) {
	t.Parallel()
	before := func() *schema {
		return &schema{Type: kinds{"object"}, Required: []string{"id"}, Properties: map[string]*schema{
			"id": {Type: kinds{"string"}}, "list": {Type: kinds{"array"}, Items: &schema{Type: kinds{"object"}, Properties: map[string]*schema{"n": {Type: kinds{"integer"}}}}},
		}}
	}
	require.NoError(t, additive("E", before(), before()))
	more := before()
	more.Properties["new"] = &schema{Type: kinds{"string"}}
	more.Properties["id"].Description = "other words"
	require.NoError(t, additive("E", before(), more))
	for says, change := range map[string]func(*schema){
		"E/list is gone":          func(s *schema) { delete(s.Properties, "list") },
		"E/id was always there":   func(s *schema) { s.Required = nil },
		"E/list is required":      func(s *schema) { s.Required = []string{"id", "list"} },
		"E/id was [string] , and": func(s *schema) { s.Properties["id"].Type = kinds{"string", "null"} },
		"is [string] date-time":   func(s *schema) { s.Properties["id"].Format = "date-time" },
		"E/list[]/n is gone":      func(s *schema) { delete(s.Properties["list"].Items.Properties, "n") },
		"E/new is required":       func(s *schema) { s.Properties["new"], s.Required = &schema{}, []string{"id", "new"} },
		"E/list[] was":            func(s *schema) { s.Properties["list"].Items = &schema{Type: kinds{"string"}} },
		"E/list[] changed":        func(s *schema) { s.Properties["list"].Items = nil },
	} {
		after := before()
		change(after)
		require.ErrorContains(t, additive("E", before(), after), says)
	}
}

// additive says why a reader of the schema before may not understand what is as the one after says.
func additive(at string, before, after *schema) error {
	if before == nil || after == nil {
		if before != after {
			return fmt.Errorf("%s changed its form", at)
		}
		return nil
	}
	if !slices.Equal(before.Type, after.Type) || before.Format != after.Format || before.Encoding != after.Encoding {
		return fmt.Errorf("%s was %v %s, and is %v %s", at, before.Type, before.Format, after.Type, after.Format)
	}
	for name, one := range before.Properties {
		later := after.Properties[name]
		if later == nil {
			return fmt.Errorf("%s/%s is gone", at, name)
		}
		if err := additive(at+"/"+name, one, later); err != nil {
			return err
		}
		if slices.Contains(before.Required, name) && !slices.Contains(after.Required, name) {
			return fmt.Errorf("%s/%s was always there", at, name)
		}
	}
	for _, name := range after.Required {
		if !slices.Contains(before.Required, name) {
			return fmt.Errorf("%s/%s is required, and events of this version are stored without it", at, name)
		}
	}
	if err := additive(at+"[]", before.Items, after.Items); err != nil {
		return err
	}
	return additive(at+"/*", before.Values, after.Values)
}

// The page of the catalogue is written from the same types.
func TestEventsPage(t *testing.T) {
	t.Parallel()
	made := page(t)
	if *update {
		require.NoError(t, os.WriteFile("../docs/events.md", []byte(made), 0o644))
	}
	require.Equal(t, made, string(read(t, "../docs/events.md")), "docs/events.md is not what the types say: go test ./schemas -update")
}

func page(t *testing.T) string {
	t.Helper()
	r := domain.NewCodec()
	texts := readComments(t)
	out := &strings.Builder{}
	out.Write(read(t, "testdata/events.head.md"))
	for _, kind := range streams {
		fmt.Fprintf(out, "\n## %s\n\n%s\n", kind.title, kind.about)
		own := event.NewRegistry()
		kind.register(own)
		for _, name := range own.Types() {
			one := schemaOf(t, r, texts, name)
			versions := []string{}
			for version := r.Version(name); version >= 1; version-- {
				versions = append(versions, fmt.Sprintf("[v%d](../schemas/%s)", version, schemas.Name(name, version)))
			}
			fmt.Fprintf(out, "\n### %s\n\n%s %s\n", name, one.Description, strings.Join(versions, ", "))
			if len(one.Properties) == 0 {
				continue
			}
			fmt.Fprint(out, "\n| field | is | |\n|---|---|---|\n")
			for _, field := range slices.Sorted(maps.Keys(one.Properties)) {
				value, there := one.Properties[field], ""
				if !slices.Contains(one.Required, field) {
					there = ", or not there"
				}
				fmt.Fprintf(out, "| `%s` | %s%s | %s |\n", field, value.words(), there, strings.ReplaceAll(value.Description, "|", `\|`))
			}
		}
	}
	return out.String()
}
