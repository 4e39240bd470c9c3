// Package yamlfile reads YAML files that people write: as JSON, checked by a schema, with the line of everything in it, so that
// whatever is wrong can be said with the line where it is.
//
//	file, faults := form.Read(text)
//	line := file.Line("/jobs/2/touch/0")
package yamlfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/kintsugi-run/kintsugi/internal/basics/jsonschema"
	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
)

// Form is of all files of a kind.
type Form struct {
	Name   string // of the kind, as in "the plan"
	Fields string // some that each has, for whoever gave a file that is something else
	Schema func() *jsonschema.Schema
}

// Compiled compiles a schema when it is first asked for. One that cannot be compiled is a fault of the program.
func Compiled(text []byte) func() *jsonschema.Schema {
	return sync.OnceValue(func() *jsonschema.Schema {
		compiled, err := jsonschema.Compile(text)
		if err != nil {
			panic(err)
		}
		return compiled
	})
}

// MaxBytes bounds a file.
const MaxBytes = 1 << 20

// File is one that was read.
type File struct {
	JSON  []byte
	lines map[string]int
}

// Fault is something wrong at a line; line 0 is the whole file.
type Fault struct {
	Line int    `json:"line"`
	Path string `json:"path,omitempty"`
	Text string `json:"text"`
}

// String is for people.
func (f Fault) String() string {
	if f.Line == 0 {
		return f.Text
	}
	return fmt.Sprintf("line %d: %s", f.Line, f.Text)
}

// Error is all that is wrong in a file, a line for each.
func Error(path string, faults []Fault) error {
	lines := make([]string, len(faults))
	for i, one := range faults {
		at := path
		if one.Line > 0 { // else it is about the whole file
			at += ":" + strconv.Itoa(one.Line)
		}
		lines[i] = at + ": " + one.Text
	}
	return errors.New(strings.Join(lines, "\n"))
}

// Line is where the value is that a JSON pointer leads to, or what is nearest above it.
func (f File) Line(path string) int {
	for ; path != ""; path = path[:strings.LastIndexByte(path, '/')] {
		if line := f.lines[path]; line > 0 {
			return line
		}
	}
	return f.lines[""]
}

// yamlLine is where the reader of YAML names a line.
var yamlLine = lazyregexp.New(`line (\d+): (.*)`)

// Read reads a file. If there are faults, it is not of the form.
func (form Form) Read(text []byte) (File, []Fault) {
	f := File{lines: map[string]int{}}
	if len(text) > MaxBytes {
		return f, []Fault{{Text: fmt.Sprintf("the file has %d bytes: at most %d", len(text), MaxBytes)}}
	}
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&document); err != nil {
		if errors.Is(err, io.EOF) {
			return f, []Fault{{Text: "the file is empty"}}
		}
		fault := Fault{Text: "it is no YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
		if at := yamlLine.FindStringSubmatch(err.Error()); at != nil {
			fault.Line, _ = strconv.Atoi(at[1])
			fault.Text = "it is no YAML: " + at[2]
		}
		return f, []Fault{fault}
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return f, []Fault{{Text: "there is more than one document in the file: " + form.Name + " is one"}}
	}
	r := reader{file: &f, form: form}
	value := r.value(document.Content[0], "", 0)
	if len(r.faults) == 0 {
		for _, found := range form.Schema().Faults(value) {
			r.invalid(found)
		}
	}
	if len(r.faults) > 0 {
		slices.SortStableFunc(r.faults, func(a, b Fault) int { return a.Line - b.Line })
		return f, r.faults
	}
	var err error
	if f.JSON, err = json.Marshal(value); err != nil {
		return f, []Fault{{Text: err.Error()}}
	}
	return f, nil
}

type reader struct {
	form   Form
	file   *File
	faults []Fault
}

func (r *reader) fault(line int, path, format string, args ...any) {
	r.faults = append(r.faults, Fault{Line: line, Path: path, Text: fmt.Sprintf(format, args...)})
}

// maxDepth bounds how deep values are nested.
const maxDepth = 20

// value is a node as JSON has it.
func (r *reader) value(node *yaml.Node, path string, depth int) any {
	if r.file.lines[path] == 0 { // a field's line is that of its name
		r.file.lines[path] = node.Line
	}
	if depth > maxDepth {
		r.fault(node.Line, path, "values are nested more than %d deep", maxDepth)
		return nil
	}
	switch node.Kind {
	case yaml.MappingNode:
		object := map[string]any{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			name, at := node.Content[i], path+"/"+jsonschema.Escape(node.Content[i].Value)
			if name.Kind != yaml.ScalarNode {
				r.fault(name.Line, path, "the name of a field is a text")
				continue
			}
			if _, twice := object[name.Value]; twice {
				r.fault(name.Line, at, "%q is there twice, first in line %d", name.Value, r.file.lines[at])
				continue
			}
			r.file.lines[at] = name.Line
			object[name.Value] = r.value(node.Content[i+1], at, depth+1)
		}
		return object
	case yaml.SequenceNode:
		list := make([]any, len(node.Content))
		for i, one := range node.Content {
			list[i] = r.value(one, path+"/"+strconv.Itoa(i), depth+1)
		}
		return list
	case yaml.ScalarNode:
		return r.scalar(node, path)
	}
	r.fault(node.Line, path, "anchors and aliases are not read: write the value out")
	return nil
}

func (r *reader) scalar(node *yaml.Node, path string) any {
	var value any
	if err := node.Decode(&value); err != nil {
		r.fault(node.Line, path, "%v", err)
	}
	switch value := value.(type) {
	case nil, string, bool:
		return value
	case int:
		return json.Number(strconv.Itoa(value))
	case float64:
		return json.Number(strconv.FormatFloat(value, 'g', -1, 64))
	}
	return node.Value // a time is what was written
}

// a is a kind of JSON with its article.
func a(kind string) string {
	if strings.ContainsAny(kind[:1], "aio") {
		return "an " + kind
	}
	return "a " + kind
}

// invalid adds what a schema finds.
func (r *reader) invalid(found jsonschema.Fault) {
	path := found.Path
	switch found.Keyword {
	case "additionalProperties":
		for _, name := range found.Names {
			at := path + "/" + jsonschema.Escape(name)
			r.fault(r.file.Line(at), at, "there is no field %q here", name)
		}
	case "oneOf":
		r.fault(r.file.Line(path), path, "the value of %s is a text or a list of texts", path)
	case "type":
		if path == "" {
			r.fault(r.file.Line(path), path, "%s is fields, as %s, and this is %s", r.form.Name, r.form.Fields, a(found.Got))
			return
		}
		r.fault(r.file.Line(path), path, "the value of %s is %s, not %s%s", path, a(found.Got), a(strings.Join(found.Want, " or ")), quotes(found))
	default:
		r.fault(r.file.Line(path), path, "%s: %s", cmp.Or(path, r.form.Name), found.Text)
	}
}

func quotes(of jsonschema.Fault) string {
	if slices.Contains(of.Want, "string") && (of.Got == "number" || of.Got == "boolean") {
		return ": write it in quotes"
	}
	return ""
}
