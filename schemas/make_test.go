package schemas_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/account"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/schemas"
)

// streams are the kinds of streams, as the page has them.
var streams = []struct {
	title, about string
	register     func(*event.Registry)
}{
	{"Workflows", "On `workflow-<id>`: what becomes of a workflow. Subscribers that name no types are told of these.", workflow.Register},
	{"Runs", "On `run-<id>`: what a run did, call by call.", run.Register},
	{"Conversations", "On `thread-<id>`: what an agent tried and said.", thread.Register},
	{"Accounts", "On `account-<owner>`: what an owner may spend.", account.Register},
	{"The installation", "On `admin`: what is decided for all workflows.", installation.Register},
	{"Subscriptions", "On `subscription-<name>`: what was decided about a subscription. Others are told of `SubscriptionFailing` and `SubscriptionRecovered` alone, and none of itself: each delivery that failed would be another event to deliver.", subscription.Register},
	{"Sessions", "On `session-<id>`: what failed in a coding agent's session, and what the Healer did. Its outcome is decided by what the server saw.", session.Register},
	{"Plans", "On `plan-<id>`: what coding agents did in a git repository, and what people let pass.", plan.Register},
}

// schema is the part of JSON Schema 2020-12 that events need.
type schema struct {
	Dialect     string             `json:"$schema,omitempty"`
	ID          string             `json:"$id,omitempty"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	Type        kinds              `json:"type,omitempty"`
	Format      string             `json:"format,omitempty"`
	Encoding    string             `json:"contentEncoding,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	Values      *schema            `json:"additionalProperties,omitempty"`
}

// kinds is one name or several.
type kinds []string

func (k kinds) MarshalJSON() ([]byte, error) {
	if len(k) == 1 {
		return json.Marshal(k[0])
	}
	return json.Marshal([]string(k))
}

func (k *kinds) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte("[")) {
		return json.Unmarshal(text, (*[]string)(k))
	}
	*k = kinds{""}
	return json.Unmarshal(text, &(*k)[0])
}

// words is a type as people read it.
func (s *schema) words() string {
	switch {
	case len(s.Type) == 0:
		return "any JSON"
	case s.Format != "":
		return s.Format
	case s.Items != nil:
		return "list of " + s.Items.words()
	case s.Values != nil:
		return "object of " + s.Values.words()
	}
	return s.Type[0]
}

func encode(t *testing.T, value any) []byte {
	t.Helper()
	text, err := event.Marshal(value)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, json.Indent(&out, text, "", "  "))
	out.WriteByte('\n')
	return out.Bytes()
}

// schemaOf makes the schema of the current version of a type.
func schemaOf(t *testing.T, r *event.Registry, texts comments, name string) *schema {
	t.Helper()
	empty, err := r.Decode(name, r.Version(name), []byte(`{}`))
	require.NoError(t, err)
	kind := reflect.TypeOf(empty)
	made := of(t, texts, kind)
	require.NotEmpty(t, texts[key(kind)], "%s has no comment that says what happened", name)
	made.Dialect, made.ID, made.Title = "https://json-schema.org/draft/2020-12/schema", schemas.URL(name, r.Version(name)), name
	made.Description = texts[key(kind)]
	return made
}

func of(t *testing.T, texts comments, kind reflect.Type) *schema {
	t.Helper()
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	switch kind {
	case reflect.TypeFor[time.Time]():
		return &schema{Type: kinds{"string"}, Format: "date-time"}
	case reflect.TypeFor[json.RawMessage]():
		return &schema{}
	}
	require.False(t, kind.Implements(reflect.TypeFor[json.Marshaler]()), "%s has a JSON form of its own: say it here", kind)
	switch kind.Kind() {
	case reflect.String:
		return &schema{Type: kinds{"string"}}
	case reflect.Bool:
		return &schema{Type: kinds{"boolean"}}
	case reflect.Int, reflect.Int64, reflect.Uint16:
		return &schema{Type: kinds{"integer"}}
	case reflect.Float64:
		return &schema{Type: kinds{"number"}}
	case reflect.Slice:
		if kind.Elem().Kind() == reflect.Uint8 {
			return &schema{Type: kinds{"string"}, Encoding: "base64"}
		}
		return &schema{Type: kinds{"array"}, Items: of(t, texts, kind.Elem())}
	case reflect.Map:
		return &schema{Type: kinds{"object"}, Values: of(t, texts, kind.Elem())}
	case reflect.Struct:
		made := &schema{Type: kinds{"object"}}
		fields(t, texts, kind, made)
		return made
	default:
		require.Fail(t, "of does not know this kind", "%s", kind)
		return nil
	}
}

// fields adds the fields of a struct, and of those in it that have no name of their own.
func fields(t *testing.T, texts comments, kind reflect.Type, made *schema) {
	t.Helper()
	for i := range kind.NumField() {
		field := kind.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" {
			fields(t, texts, field.Type, made)
			continue
		}
		if name == "-" || !field.IsExported() {
			continue
		}
		require.NotEmpty(t, name, "%s.%s has no name in JSON", kind, field.Name)
		one := of(t, texts, field.Type)
		one.Description = texts[key(kind)+"."+field.Name]
		if !strings.Contains(options, "omit") {
			made.Required = append(made.Required, name)
			switch field.Type.Kind() {
			case reflect.Pointer, reflect.Slice, reflect.Map:
				if len(one.Type) > 0 {
					one.Type = append(one.Type, "null")
				}
			}
		}
		if made.Properties == nil {
			made.Properties = map[string]*schema{}
		}
		made.Properties[name] = one
	}
}

// comments are what the sources of domain say of types, by package.Type, and of fields, by package.Type.Field.
type comments map[string]string

func key(kind reflect.Type) string { return path.Base(kind.PkgPath()) + "." + kind.Name() }

func readComments(t *testing.T) comments {
	t.Helper()
	texts := comments{}
	require.NoError(t, filepath.WalkDir("../domain", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, one := range parsed.Decls {
			declared, is := one.(*ast.GenDecl)
			if !is || declared.Tok != token.TYPE {
				continue
			}
			group := ""
			for _, spec := range declared.Specs {
				spec := spec.(*ast.TypeSpec)
				// Siblings share one comment.
				if own := line(spec.Doc, spec.Comment); own != "" {
					group = own
				} else if group == "" {
					group = line(declared.Doc)
				}
				texts.add(parsed.Name.Name, spec, group)
			}
		}
		return nil
	}))
	return texts
}

func (c comments) add(of string, spec *ast.TypeSpec, text string) {
	name := of + "." + spec.Name.Name
	c[name] = text
	made, is := spec.Type.(*ast.StructType)
	if !is {
		return
	}
	for _, field := range made.Fields.List {
		for _, one := range field.Names {
			c[name+"."+one.Name] = line(field.Doc, field.Comment)
		}
	}
}

// line is the text of comments, in one line.
func line(of ...*ast.CommentGroup) string {
	parts := []string{}
	for _, one := range of {
		if text := strings.Join(strings.Fields(one.Text()), " "); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}
