package importer

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// parameters are those of a node, or of a part of it. One that nobody has asked for is not understood.
type parameters struct {
	values map[string]any
	asked  map[string]bool
	name   string // of the part, before the names of its members
	parts  []*parameters
}

func parametersOf(name string, value any) *parameters {
	members, _ := value.(map[string]any)
	return &parameters{values: members, asked: map[string]bool{}, name: name}
}

func (s *step) parameters() *parameters {
	var value any
	if len(s.Parameters) > 0 {
		_ = json.Unmarshal(s.Parameters, &value) // it was JSON as a part of the workflow
	}
	return parametersOf("", value)
}

func (p *parameters) value(name string) any {
	p.asked[name] = true
	return p.values[name]
}

// text is a parameter that is a text, otherwise if it is not given.
func (p *parameters) text(name, otherwise string) string {
	switch value := p.value(name).(type) {
	case nil:
		return otherwise
	case string:
		if value == "" {
			return otherwise
		}
		return value
	default:
		return inJSON(value)
	}
}

// is says that a parameter is true; a text, such as an expression, is not, and stays to be named.
func (p *parameters) is(name string, otherwise bool) bool {
	value, is := p.values[name].(bool)
	if is {
		p.asked[name] = true
		return value
	}
	if p.values[name] == nil {
		return otherwise
	}
	return false
}

// has says that a parameter is given, and does not ask for it.
func (p *parameters) has(name string) bool { return p.values[name] != nil }

// said is the value of a parameter as JavaScript, otherwise if it is not given.
func (p *parameters) said(name, otherwise string) string {
	value := p.value(name)
	if value == nil {
		return otherwise
	}
	return expression(value)
}

// part is a parameter that has parameters.
func (p *parameters) part(name string) *parameters {
	value := p.value(name)
	made := parametersOf(p.name+name+".", value)
	if _, is := value.(map[string]any); value != nil && !is {
		p.asked[name] = false
	}
	p.parts = append(p.parts, made)
	return made
}

// list are the parameters of each member of a list, which a part of the name within it is, if that is given.
func (p *parameters) list(name, within string) []*parameters {
	if within != "" {
		return p.part(within).list(name, "")
	}
	members, is := p.value(name).([]any)
	if !is && p.values[name] != nil {
		p.asked[name] = false
	}
	made := make([]*parameters, len(members))
	for i, one := range members {
		made[i] = parametersOf(p.name+name+".", one)
	}
	p.parts = append(p.parts, made...)
	return made
}

// ignore says that parameters change nothing here.
func (p *parameters) ignore(names ...string) {
	for _, name := range names {
		p.asked[name] = true
	}
}

// unknown are those that nobody asked for and that say something.
func (p *parameters) unknown() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(p.values)) {
		if !p.asked[name] && says(p.values[name]) {
			names = append(names, p.name+name)
		}
	}
	for _, part := range p.parts {
		names = append(names, part.unknown()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// says leaves out what is empty. A false says something: n8n writes down what is not the default, so that the default is true.
func says(value any) bool {
	switch value := value.(type) {
	case nil:
		return false
	case string:
		return value != ""
	case []any:
		return len(value) > 0
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(value)), says)
	}
	return true
}

// fault is of what is not understood; empty if all is.
func (p *parameters) fault() fault {
	if names := p.unknown(); len(names) > 0 {
		return faultOf("its parameter %s is not understood", strings.Join(names, ", "))
	}
	return ""
}

// constant refuses an expression where only a text that is there is understood.
func constant(name, text string) fault {
	if strings.HasPrefix(text, "=") {
		return faultOf("its parameter %s is an expression", name)
	}
	return ""
}

// fieldNames are names of fields that a node has in one text, between commas, or in a list.
func (p *parameters) fieldNames(name string) ([]string, fault) {
	var names []string
	switch value := p.value(name).(type) {
	case nil:
	case string:
		if why := constant(name, value); why != "" {
			return nil, why
		}
		for one := range strings.SplitSeq(value, ",") {
			if one = strings.TrimSpace(one); one != "" {
				names = append(names, one)
			}
		}
	case []any:
		for _, one := range value {
			text, is := one.(string)
			if !is || strings.HasPrefix(text, "=") {
				return nil, faultOf("its parameter %s is not understood", name)
			}
			names = append(names, text)
		}
	default:
		return nil, faultOf("its parameter %s is not understood", name)
	}
	return names, ""
}

var (
	alone  = regexp.MustCompile(`(?s)^\s*\{\{(.*)\}\}\s*$`)
	placed = regexp.MustCompile(`(?s)\{\{(.*?)\}\}`)
)

// expression is a parameter's value as JavaScript: a text, or one with {{ }} in it that begins with =. An expression that
// does not find something is undefined in n8n, and nothing within a text.
func expression(value any) string {
	text, ok := value.(string)
	if !ok {
		return inJSON(value)
	}
	inside, is := strings.CutPrefix(text, "=")
	if !is {
		return inQuotes(text)
	}
	if one := alone.FindStringSubmatch(inside); one != nil && !strings.Contains(one[1], "{{") {
		return got(one[1])
	}
	var parts []string
	at := 0
	add := func(text string) {
		if text != "" {
			parts = append(parts, inQuotes(text))
		}
	}
	for _, place := range placed.FindAllStringSubmatchIndex(inside, -1) {
		add(inside[at:place[0]])
		parts = append(parts, got(inside[place[2]:place[3]]))
		at = place[1]
	}
	add(inside[at:])
	if len(parts) == 0 {
		return "''"
	}
	if len(parts) == 1 && at == 0 {
		return parts[0]
	}
	return "[" + strings.Join(parts, ", ") + "].join('')"
}

func got(code string) string {
	code = strings.TrimRight(strings.TrimSpace(code), "; \n\t")
	if code == "" {
		return "undefined"
	}
	return "get(() => (" + code + "))"
}

// function is what a node hands over to say its parameters for an item.
func function(body string) string { return fmt.Sprintf("(%s) => %s", found, body) }

func list(names []string) string {
	written := make([]string, len(names))
	for i, name := range names {
		written[i] = inQuotes(name)
	}
	return "[" + strings.Join(written, ", ") + "]"
}
