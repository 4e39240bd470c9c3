package bring

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// workflow is what n8n exports; all other fields are of its editor.
type workflow struct {
	Name        string                                          `json:"name"`
	Nodes       []step                                          `json:"nodes"`
	Connections map[string]map[string][][]struct{ Node string } `json:"connections"`
}

type step struct {
	Name       string          `json:"name"`
	Type       string          `json:"type"`
	Disabled   bool            `json:"disabled"`
	Parameters json.RawMessage `json:"parameters"`
}

var n8n = []sign{
	signOf(`(\$input|\$json|\$node|\$items|\bitems)\b`, Kept, "$1"),
	signOf(`(\$now|\$today|\bDateTime)\b`, Kept, "$1, of Luxon"),
	signOf(`(\$?getWorkflowStaticData)\b`, Wrapped, "$1 is the value under static of kv"),
	signOf(`\b(helpers\.(?:httpRequest|request))\b`, Wrapped, "$1 is web.fetch"),
	signOf(`\b(helpers\.(?:httpRequestWithAuthentication\w*|requestWithAuthentication\w*|prepareBinaryData|getBinaryDataBuffer))`, Impossible, "$1 is not there; for credentials use secret('NAME') in a header"),
	signOf(`(\$)\(['"]`, Kept, "$1('NAME'), what another node gave"),
	signOf(`(\$env)\b`, Wrapped, "$1 holds handles of secrets, which only a request's headers and query may hold"),
	signOf(`(\$vars|\$secrets|\$binary|\$jmespath|\$parameter|\$fromAI)\b`, Impossible, "$1 is not there"),
}

const (
	found = "{ $input, $json, $item, $itemIndex, $runIndex, items, item, $, $node, $items, $now, $today, DateTime, Duration, Interval, $workflow, $execution, $env, $vars, $prevNode, $getWorkflowStaticData, getWorkflowStaticData, $helpers }"
	begin = "import { begin } from 'kintsugi:n8n';\n\nexport async function main(input) {\n"
)

// fromN8N makes a script of an exported workflow, or of the code of a single Code node.
func fromN8N(text string) (Brought, error) {
	if trimmed := strings.TrimSpace(text); !strings.HasPrefix(trimmed, "{") || !json.Valid([]byte(trimmed)) {
		each := !regexp.MustCompile(`\bitems\b|\$input\.(all|first|last)`).MatchString(text) && regexp.MustCompile(`\$json\b|\$input\.item\b`).MatchString(text)
		b := Brought{Notes: sorted(notes(text, n8n, "")), Script: begin + "  const n8n = begin(input);\n" + codeStep("Code", nil, each, text) + "  return n8n.result();\n}\n"}
		return b, nil
	}
	var w workflow
	if err := json.Unmarshal([]byte(text), &w); err != nil {
		return Brought{}, fmt.Errorf("it is no workflow of n8n: %w", err)
	}
	if len(w.Nodes) == 0 {
		return Brought{}, fmt.Errorf("it is no workflow of n8n: it has no nodes")
	}
	b := Brought{Title: w.Name}
	before := map[string][]string{}
	for from, ports := range w.Connections {
		for i, port := range ports["main"] {
			for _, to := range port {
				if !slices.Contains(before[to.Node], from) {
					before[to.Node] = append(before[to.Node], from)
				}
				if i > 0 {
					b.Notes = append(b.Notes, Note{Impossible, lineOf(text, `"`+from+`"`), from, "its second way out, to " + to.Node + ", is taken as the first one is"})
				}
			}
		}
	}
	for _, list := range before {
		slices.Sort(list)
	}
	order, err := inOrder(w.Nodes, before)
	if err != nil {
		return Brought{}, err
	}
	var script strings.Builder
	fmt.Fprintf(&script, "%s  const n8n = begin(input, %s);\n", begin, inQuotes(w.Name))
	triggers := map[string]bool{}
	for _, s := range order {
		s.write(&script, &b, text, slices.DeleteFunc(slices.Clone(before[s.Name]), func(name string) bool { return triggers[name] }), triggers)
	}
	script.WriteString("  return n8n.result();\n}\n")
	b.Script, b.Notes = script.String(), sorted(b.Notes)
	return b, nil
}

// inOrder puts nodes behind those that they get their items from.
func inOrder(nodes []step, before map[string][]string) ([]step, error) {
	var order []step
	state := map[string]int{}
	byName := map[string]step{}
	for _, one := range nodes {
		byName[one.Name] = one
	}
	var visit func(name string) error
	visit = func(name string) error {
		one, known := byName[name]
		switch {
		case !known || state[name] == 2:
			return nil
		case state[name] == 1:
			return fmt.Errorf("the nodes go in a circle through %q: a loop has to be written by hand", name)
		}
		state[name] = 1
		for _, earlier := range before[name] {
			if err := visit(earlier); err != nil {
				return err
			}
		}
		state[name] = 2
		order = append(order, one)
		return nil
	}
	for _, one := range nodes {
		if err := visit(one.Name); err != nil {
			return nil, err
		}
	}
	return order, nil
}

func list(names []string) string {
	written := make([]string, len(names))
	for i, name := range names {
		written[i] = inQuotes(name)
	}
	return "[" + strings.Join(written, ", ") + "]"
}

func codeStep(name string, before []string, each bool, code string) string {
	return fmt.Sprintf("  await n8n.code(%s, %s, %t, async function (%s) {\n%s\n  });\n", inQuotes(name), list(before), each, found, strings.TrimRight(code, "\n"))
}

// write adds a node to the script.
func (s step) write(script *strings.Builder, b *Brought, text string, before []string, triggers map[string]bool) {
	line := lineOf(text, `"name": `+inJSON(s.Name))
	if line == 0 {
		line = lineOf(text, inJSON(s.Name))
	}
	say := func(fate, format string, values ...any) {
		b.Notes = append(b.Notes, Note{fate, line, s.Name, fmt.Sprintf(format, values...)})
	}
	pass := func() { fmt.Fprintf(script, "  await n8n.pass(%s, %s);\n", inQuotes(s.Name), list(before)) }
	if s.Disabled {
		say(Kept, "it is disabled, and passes its items on")
		pass()
		return
	}
	kind := s.Type[strings.LastIndex(s.Type, ".")+1:]
	switch kind {
	case "code", "function", "functionItem":
		var p struct{ Mode, Language, JsCode, FunctionCode string }
		if json.Unmarshal(s.Parameters, &p) != nil || p.JsCode+p.FunctionCode == "" {
			say(Impossible, "its code is not JavaScript: write it anew")
			break
		}
		code := p.JsCode + p.FunctionCode
		for _, note := range notes(code, n8n, s.Name) {
			note.Text, note.Line = fmt.Sprintf("%s (line %d of its code)", note.Text, note.Line), line
			b.Notes = append(b.Notes, note)
		}
		script.WriteString(codeStep(s.Name, before, kind == "functionItem" || p.Mode == "runOnceForEachItem", code))
		return
	case "httpRequest":
		if options, ok := s.request(say); ok {
			fmt.Fprintf(script, "  await n8n.request(%s, %s, (%s) => (%s));\n", inQuotes(s.Name), list(before), found, options)
			say(Wrapped, "it is a request of the host, once for each item")
			return
		}
	case "set":
		if values, keep, ok := s.values(); ok {
			fmt.Fprintf(script, "  await n8n.set(%s, %s, (%s) => (%s), %t);\n", inQuotes(s.Name), list(before), found, values, keep)
			say(Kept, "its fields are set")
			return
		}
		say(Impossible, "its fields are not understood: its items are passed on as they are")
		pass()
		return
	case "noOp", "stickyNote", "merge":
		if kind != "stickyNote" {
			pass()
			say(Kept, "it passes its items on")
		}
		return
	}
	if strings.HasSuffix(strings.ToLower(kind), "trigger") || kind == "webhook" || kind == "start" || kind == "cron" || kind == "interval" {
		triggers[s.Name] = true
		if cron := regexp.MustCompile(`"(?:expression|cronExpression)":\s*"([^"]+)"`).FindSubmatch(s.Parameters); cron != nil {
			b.Cron = string(cron[1])
		}
		say(Wrapped, "the trigger's items are the run's input%s", map[bool]string{true: "; give the workflow the schedule " + b.Cron}[b.Cron != ""])
		return
	}
	say(Impossible, "nodes of the type %s are not there: the script stops here, until you write what it did", s.Type)
	fmt.Fprintf(script, "  throw new LogicError(%s);\n", inQuotes(fmt.Sprintf("the node %q (%s) was not brought: write here what it did", s.Name, s.Type)))
}

// expression is a parameter's value as JavaScript: a text, or one with {{ }} in it that begins with =.
func expression(value any) string {
	text, ok := value.(string)
	if !ok {
		return inJSON(value)
	}
	inside, is := strings.CutPrefix(text, "=")
	if !is {
		return inQuotes(text)
	}
	if alone := regexp.MustCompile(`(?s)^\s*\{\{(.*)\}\}\s*$`).FindStringSubmatch(inside); alone != nil && !strings.Contains(alone[1], "{{") {
		return "(" + strings.TrimSpace(alone[1]) + ")"
	}
	var out strings.Builder
	out.WriteByte('`')
	at := 0
	for _, place := range regexp.MustCompile(`(?s)\{\{(.*?)\}\}`).FindAllStringSubmatchIndex(inside, -1) {
		out.WriteString(templateText(inside[at:place[0]]) + "${" + strings.TrimSpace(inside[place[2]:place[3]]) + "}")
		at = place[1]
	}
	out.WriteString(templateText(inside[at:]) + "`")
	return out.String()
}

func templateText(text string) string {
	return strings.NewReplacer("\\", "\\\\", "`", "\\`", "${", "\\${").Replace(text)
}

type pair struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
	Type  string `json:"type"`
}

func object(pairs []pair) string {
	parts := make([]string, len(pairs))
	for i, one := range pairs {
		parts[i] = inQuotes(one.Name) + ": " + expression(one.Value)
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

// request are the options of an HTTP Request node.
func (s step) request(say func(fate, format string, values ...any)) (string, bool) {
	var p struct {
		Method, RequestMethod                             string
		URL                                               any `json:"url"`
		SendQuery, SendHeaders, SendBody                  bool
		QueryParameters, HeaderParameters, BodyParameters struct {
			Parameters []pair `json:"parameters"`
		}
		SpecifyBody, ContentType, Authentication string
		JSONBody                                 any `json:"jsonBody"`
	}
	if json.Unmarshal(s.Parameters, &p) != nil || p.URL == nil {
		say(Impossible, "its request is not understood")
		return "", false
	}
	parts := []string{"url: " + expression(p.URL)}
	if method := p.Method + p.RequestMethod; method != "" && method != "GET" {
		parts = append(parts, "method: "+inQuotes(method))
	}
	if p.SendQuery && len(p.QueryParameters.Parameters) > 0 {
		parts = append(parts, "qs: "+object(p.QueryParameters.Parameters))
	}
	if p.SendHeaders && len(p.HeaderParameters.Parameters) > 0 {
		parts = append(parts, "headers: "+object(p.HeaderParameters.Parameters))
	}
	if p.SendBody {
		switch {
		case p.SpecifyBody == "json" && p.JSONBody != nil:
			body := expression(p.JSONBody)
			if text, ok := p.JSONBody.(string); ok && !strings.HasPrefix(text, "=") && json.Valid([]byte(text)) {
				body = text
			}
			parts = append(parts, "body: "+body)
		case len(p.BodyParameters.Parameters) > 0:
			parts = append(parts, "body: "+object(p.BodyParameters.Parameters))
		}
	}
	if p.Authentication != "" && p.Authentication != "none" {
		say(Impossible, "its credentials are not in the export: add a header with secret('NAME')")
	}
	return "{ " + strings.Join(parts, ", ") + " }", true
}

// values are the fields of a Set node, of its newer and its older form.
func (s step) values() (string, bool, bool) {
	var p struct {
		Mode               string
		IncludeOtherFields bool
		KeepOnlySet        bool
		Assignments        struct {
			Assignments []pair `json:"assignments"`
		}
		Values map[string][]pair
	}
	if json.Unmarshal(s.Parameters, &p) != nil || p.Mode == "raw" {
		return "", false, false
	}
	if len(p.Assignments.Assignments) > 0 {
		return object(p.Assignments.Assignments), p.IncludeOtherFields, true
	}
	var pairs []pair
	for _, kind := range []string{"string", "number", "boolean"} {
		pairs = append(pairs, p.Values[kind]...)
	}
	return object(pairs), !p.KeepOnlySet, len(pairs) > 0
}
