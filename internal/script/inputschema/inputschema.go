package inputschema

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/basics/lru"
)

// Of is what a script's main takes, nil if nothing says so. It never fails: a script that cannot be
// read says nothing.
func Of(code string) *Schema {
	if !strings.Contains(code, "main") && !strings.Contains(code, "default") {
		return nil
	}
	r := newReader(code)
	declaration, open := r.main()
	if declaration < 0 {
		return nil
	}
	documented := docBefore(code, r.list, declaration)
	takes := &Schema{}
	if open >= 0 {
		r.at = open
		var typed bool
		if takes, typed = r.parameter(); takes == nil {
			return nil
		}
		takes = withDocs(takes, typed, paramsOf(documented))
	}
	if takes.Anything() && takes.Values == nil {
		return nil
	}
	return takes
}

// Fits says what of an input a script's main does not take, nil if its types do not say.
func Fits(code string, input json.RawMessage) error {
	takes, found := known.Get(code)
	if !found {
		takes = Of(code)
		known.Put(code, takes)
	}
	if takes == nil {
		return nil
	}
	return takes.Check(input)
}

// known is what scripts take whose runs are asked for again and again.
var known = lru.New[string, *Schema](256)

// main finds the function that runs: the first token of its declaration, and the first of its
// parameters, -1 if it has none.
func (r *reader) main() (declaration, open int) {
	exported := -1
	for i, t := range r.list {
		if t.Depth > 0 {
			continue
		}
		r.at = i
		switch {
		case t.Text == "function" && r.peek(1) == "main" && r.peek(2) == "(":
			return r.declarationOf(i), i + 3
		case (t.Text == "const" || t.Text == "let" || t.Text == "var") && r.peek(1) == "main" && r.peek(2) == "=":
			return r.declarationOf(i), r.functionAt(i + 3)
		case t.Text == "export" && r.peek(1) == "default":
			exported = i
		}
	}
	if exported < 0 {
		return -1, -1
	}
	return exported, r.functionAt(exported + 2)
}

// declarationOf goes back over export, default and async.
func (r *reader) declarationOf(at int) int {
	for at > 0 && slices.Contains([]string{"export", "default", "async"}, r.list[at-1].Text) {
		at--
	}
	return at
}

// functionAt is the first token of the parameters of a function that stands at a place, -1 if none does.
func (r *reader) functionAt(at int) int {
	r.at = at
	r.takes("async")
	if r.takes("function") {
		if isName(r.peek(0)) {
			r.at++
		}
	}
	if !r.takes("(") {
		return -1
	}
	return r.at
}

// parameter reads the first parameter; nil if there is none. typed says that it has a type.
func (r *reader) parameter() (takes *Schema, typed bool) {
	if r.peek(0) == ")" || r.peek(0) == "" {
		return nil, false
	}
	apart := &Schema{}
	if r.peek(0) == "{" {
		apart = r.pattern()
	} else {
		r.at++
	}
	r.takes("?")
	takes = apart
	if r.takes(":") {
		typed = true
		takes = r.kind()
		if !slices.Contains([]string{",", ")", "="}, r.peek(0)) {
			takes = &Schema{} // it goes on in a way that is not known
			r.skip(",", ")", "=")
		}
		takes = withDefaults(takes, apart)
	}
	if r.takes("=") {
		if value, ok := r.literal(); ok && (r.peek(0) == ")" || r.peek(0) == ",") {
			made := *takes
			if members, are := value.(map[string]any); !are || len(members) > 0 {
				made.Default = value
			}
			takes = &made
		}
	}
	return takes, typed
}

// pattern reads { day, limit = 10, of: { id } }. A property that is taken out need not be there, and may be anything: only
// its name and its default are known.
func (r *reader) pattern() *Schema {
	made := &Schema{}
	r.at++
	for r.at < len(r.list) && !r.takes("}") {
		if r.takes(",") {
			continue
		}
		key, isKey := r.key()
		if !isKey {
			r.skip(",", "}")
			continue
		}
		property := &Schema{}
		if r.takes(":") {
			if r.peek(0) == "{" {
				property = r.pattern()
			} else {
				r.at++
			}
		}
		if r.takes("=") {
			if value, ok := r.literal(); ok && (r.peek(0) == "," || r.peek(0) == "}") {
				property.Default = value
			}
		}
		r.skip(",", "}")
		made.Properties = append(made.Properties, Property{key, property})
	}
	return made
}

// withDefaults puts what a pattern says of defaults into a type.
func withDefaults(typed, apart *Schema) *Schema {
	if typed.Type != "object" {
		return typed
	}
	made := *typed
	made.Properties = slices.Clone(typed.Properties)
	for i, property := range made.Properties {
		if of := apart.property(property.Name); of != nil && of.Default != nil {
			changed := *property.Schema
			changed.Default = of.Default
			made.Properties[i].Schema = &changed
			made.Required = without(made.Required, property.Name)
		}
	}
	return &made
}

func without(list []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(one string) bool { return one == name })
}

// param is a line of JSDoc: @param {string} [input.day=today] - which day.
type param struct {
	path     []string
	of       *Schema
	optional bool
	text     string
}

var (
	paramLine = lazyregexp.New(`^\s*(\[)?\s*([\w$.]+)\s*(?:=([^\]]*))?\]?\s*-?\s*(.*)$`)
	paramTag  = lazyregexp.New(`(?m)^@param(?:eter)?\s+`)
)

func paramsOf(documented string) []param {
	var list []param
	tags := paramTag.FindAllStringIndex(documented, -1)
	for _, at := range tags {
		text := documented[at[1]:]
		if end := strings.Index(text, "\n@"); end >= 0 {
			text = text[:end]
		}
		one := param{of: &Schema{}}
		if strings.HasPrefix(text, "{") {
			end := closingBrace(text)
			if end < 0 {
				continue
			}
			inside := strings.TrimSpace(text[1:end])
			if of, is := strings.CutSuffix(inside, "="); is {
				inside, one.optional = of, true
			}
			r := newReader(inside)
			of := r.kind()
			if r.at < len(r.list) {
				of = &Schema{}
			}
			one.of, text = of, text[end+1:]
		}
		parts := paramLine.FindStringSubmatch(strings.Join(strings.Fields(text), " "))
		if parts == nil {
			continue
		}
		one.path, one.optional, one.text = strings.Split(parts[2], "."), one.optional || parts[1] != "", parts[4]
		if parts[3] != "" {
			r := newReader(parts[3])
			copied := *one.of
			if value, ok := r.literal(); ok && r.at == len(r.list) {
				copied.Default = value
			} else if copied.Type == "string" {
				copied.Default = strings.TrimSpace(parts[3])
			}
			one.of = &copied
		}
		list = append(list, one)
	}
	return list
}

func closingBrace(text string) int {
	depth := 0
	for i, c := range text {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// withDocs adds what JSDoc says: what members are for, and, if the parameter has no type, of which they are.
func withDocs(takes *Schema, typed bool, params []param) *Schema {
	if len(params) == 0 {
		return takes
	}
	root := params[0].path[0]
	made := *takes
	made.Properties, made.Required = slices.Clone(takes.Properties), slices.Clone(takes.Required)
	for _, one := range params {
		if one.path[0] != root {
			break // another parameter, which the host does not give
		}
		if len(one.path) == 1 {
			if !typed && !one.of.Anything() {
				of := withDefaults(one.of, &made)
				if made.Default != nil {
					copied := *of
					copied.Default = made.Default
					of = &copied
				}
				if of.Type != "object" || len(of.Properties) > 0 || len(made.Properties) == 0 {
					made = *of
				}
			}
			continue
		}
		if len(one.path) > 2 {
			continue // of a member of a member: its own type says enough
		}
		i := slices.IndexFunc(made.Properties, func(p Property) bool { return p.Name == one.path[1] })
		switch {
		case i < 0 && typed:
			continue
		case i < 0:
			made.Properties = append(made.Properties, Property{one.path[1], &Schema{}})
			i = len(made.Properties) - 1
		}
		changed := *made.Properties[i].Schema
		if !typed {
			changed = *one.of
			if of := made.Properties[i].Default; of != nil {
				changed.Default = of
			}
			if made.Type == "" && !one.of.Anything() {
				made.Type = "object"
			}
			if !one.optional && changed.Default == nil && !one.of.Anything() && !slices.Contains(made.Required, one.path[1]) {
				made.Required = append(made.Required, one.path[1])
			}
		}
		changed.Description = one.text
		made.Properties[i].Schema = &changed
	}
	return &made
}
