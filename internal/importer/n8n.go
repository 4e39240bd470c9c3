package importer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// workflow is what n8n exports; all other fields are of its editor.
type workflow struct {
	Name        string                           `json:"name"`
	Nodes       []step                           `json:"nodes"`
	Connections map[string]map[string][][]target `json:"connections"`
}

// target is where items go: into which of a node's ways in.
type target struct {
	Node  string
	Index int
}

type step struct {
	Name       string          `json:"name"`
	Type       string          `json:"type"`
	Disabled   bool            `json:"disabled"`
	Parameters json.RawMessage `json:"parameters"`

	Once     bool    `json:"executeOnce"`
	Continue bool    `json:"continueOnFail"`
	OnError  string  `json:"onError"`
	Retry    bool    `json:"retryOnFail"`
	Tries    float64 `json:"maxTries"`
	Wait     float64 `json:"waitBetweenTries"`
	Always   bool    `json:"alwaysOutputData"`

	unknown []string // members that nobody knows
	into    []string // the nodes before it, by its ways in
}

// ofEditor are the members of a node that change nothing about what it does, or whose place is taken by what a person does
// here. Credentials are told where a request needs them.
var ofEditor = []string{"id", "typeVersion", "position", "notes", "notesInFlow", "credentials", "webhookId", "color", "cid", "extendsCredential"}

// UnmarshalJSON implements json.Unmarshaler.
func (s *step) UnmarshalJSON(text []byte) error {
	type plain step
	if err := json.Unmarshal(text, (*plain)(s)); err != nil {
		return err
	}
	unknown, err := others(text, append(slices.Clone(ofEditor), "name", "type", "disabled", "parameters", "executeOnce", "continueOnFail", "onError", "retryOnFail", "maxTries", "waitBetweenTries", "alwaysOutputData")...)
	s.unknown = unknown
	return err
}

// others are the members of an object that are none of the known and say something.
func others(object json.RawMessage, known ...string) ([]string, error) {
	members := map[string]json.RawMessage{}
	if len(object) > 0 {
		if err := json.Unmarshal(object, &members); err != nil {
			return nil, err
		}
	}
	var names []string
	for name, value := range members {
		if !slices.Contains(known, name) && !slices.Contains([]string{"null", "{}", "[]", `""`, "false"}, string(value)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// settings are what a node says of how it does what it does.
func (s step) settings() string {
	var parts []string
	add := func(is bool, part string) {
		if is {
			parts = append(parts, part)
		}
	}
	add(s.Once, "once: true")
	add(s.Continue || s.OnError == "continueRegularOutput", "goOn: true")
	add(s.Retry, fmt.Sprintf("tries: %v, wait: %v", cmp.Or(s.Tries, 3), cmp.Or(s.Wait, 1000)))
	add(s.Always, "always: true")
	if len(parts) == 0 {
		return ""
	}
	return ", { " + strings.Join(parts, ", ") + " }"
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
	// No import: a module is strict, and the code of a node may assign to what it has not declared.
	begin = "const { begin } = require('kintsugi:n8n');\n\nasync function main(input) {\n"
)

// fromN8N makes a script of an exported workflow, or of the code of a single Code node.
func fromN8N(text string) (Brought, error) {
	if trimmed := strings.TrimSpace(text); !strings.HasPrefix(trimmed, "{") || !json.Valid([]byte(trimmed)) {
		each := !regexp.MustCompile(`\bitems\b|\$input\.(all|first|last)`).MatchString(text) && regexp.MustCompile(`\$json\b|\$input\.item\b`).MatchString(text)
		b := Brought{Notes: sorted(notes(text, n8n, "")), Script: begin + "  const n8n = begin(input);\n" + codeStep("Code", nil, fmt.Sprint(each), text, "") + "  return n8n.result();\n}\n"}
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
	into := map[string][]string{}
	for from, ports := range w.Connections {
		for i, port := range ports["main"] {
			for _, to := range port {
				if !slices.Contains(before[to.Node], from) {
					before[to.Node] = append(before[to.Node], from)
				}
				for len(into[to.Node]) <= to.Index && to.Index < mostInputs {
					into[to.Node] = append(into[to.Node], "")
				}
				if to.Index >= mostInputs || to.Index < 0 || into[to.Node][to.Index] != "" && into[to.Node][to.Index] != from {
					into[to.Node] = append(into[to.Node], from) // two into one: more than its ways in
				} else {
					into[to.Node][to.Index] = from
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
		s.into = into[s.Name]
		s.write(&script, &b, text, slices.DeleteFunc(slices.Clone(before[s.Name]), func(name string) bool { return triggers[name] }), triggers)
	}
	script.WriteString("  return n8n.result();\n}\n")
	b.Script, b.Notes = script.String(), sorted(b.Notes)
	return b, nil
}

// mostInputs is how many ways in a node of n8n may have.
const mostInputs = 10

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

// codeStep has the code in a block, for it may declare what it is handed once more.
func codeStep(name string, before []string, each, code, settings string) string {
	return fmt.Sprintf("  await n8n.code(%s, %s, %s, async function (%s) {{\n%s\n  }}%s);\n", inQuotes(name), list(before), each, found, strings.TrimRight(code, "\n"), settings)
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
	pass := func() {
		fmt.Fprintf(script, "  await n8n.pass(%s, %s%s);\n", inQuotes(s.Name), list(before), s.settings())
	}
	// stop has the script end where it would do something else than the node did.
	stop := func(what string) {
		say(Impossible, "%s: the script stops here, until you write what it did", what)
		fmt.Fprintf(script, "  throw new LogicError(%s);\n", inQuotes(fmt.Sprintf("the node %q (%s) was not brought: write here what it did", s.Name, s.Type)))
	}
	if s.Disabled {
		say(Kept, "it is disabled, and passes its items on")
		pass()
		return
	}
	kind := s.Type[strings.LastIndex(s.Type, ".")+1:]
	if kind == "stickyNote" {
		return
	}
	if s.OnError != "" && s.OnError != "stopWorkflow" && s.OnError != "continueRegularOutput" {
		s.unknown = append(s.unknown, "onError")
	}
	if len(s.unknown) > 0 {
		stop("its member " + strings.Join(s.unknown, ", ") + " is not understood")
		return
	}
	if settings := s.settings(); settings != "" {
		say(Kept, "it runs with its settings%s", strings.TrimPrefix(settings, ","))
	}
	missing := func(known ...string) bool {
		names, err := others(s.Parameters, known...)
		if err == nil && len(names) == 0 {
			return false
		}
		stop("its parameter " + strings.Join(names, ", ") + " is not understood")
		return true
	}
	switch kind {
	case "code", "function", "functionItem":
		var p struct{ Mode, Language, JsCode, FunctionCode string }
		if json.Unmarshal(s.Parameters, &p) != nil || p.JsCode+p.FunctionCode == "" {
			stop("its code is not JavaScript")
			return
		}
		if missing("mode", "language", "jsCode", "functionCode", "notice") {
			return
		}
		code := p.JsCode + p.FunctionCode
		for _, note := range notes(code, n8n, s.Name) {
			note.Text, note.Line = fmt.Sprintf("%s (line %d of its code)", note.Text, note.Line), line
			b.Notes = append(b.Notes, note)
		}
		each := "false"
		switch {
		case kind == "functionItem":
			each = "'item'" // which has the value itself as item
		case p.Mode == "runOnceForEachItem":
			each = "true"
		}
		script.WriteString(codeStep(s.Name, before, each, code, s.settings()))
		return
	case "httpRequest":
		options, fault := s.request(say)
		if fault != "" {
			stop(fault)
			return
		}
		fmt.Fprintf(script, "  await n8n.request(%s, %s, (%s) => (%s)%s);\n", inQuotes(s.Name), list(before), found, options, s.settings())
		say(Wrapped, "it is a request of the host, once for each item")
		return
	case "set":
		values, keep, fault := s.values()
		if fault != "" {
			stop(fault)
			return
		}
		fmt.Fprintf(script, "  await n8n.set(%s, %s, (%s) => (%s), %t%s);\n", inQuotes(s.Name), list(before), found, values, keep, s.settings())
		say(Kept, "its fields are set")
		return
	case "noOp":
		pass()
		say(Kept, "it passes its items on")
		return
	case "merge":
		how, fault := s.merging()
		if fault != "" {
			stop(fault)
			return
		}
		for i, name := range s.into {
			if triggers[name] {
				s.into[i] = "trigger"
			}
		}
		fmt.Fprintf(script, "  await n8n.merge(%s, %s, %s%s);\n", inQuotes(s.Name), list(s.into), how, s.settings())
		say(Kept, "it puts the items of its ways in together")
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
	stop("nodes of the type " + s.Type + " are not there")
}

// merging is how a Merge node puts the items of its ways in together.
func (s step) merging() (how, fault string) {
	var p struct {
		Mode, CombineBy, CombinationMode, Join, Output, ChooseBranchMode string
		UseDataOfInput                                                   any
		NumberInputs                                                     int
	}
	if len(s.Parameters) > 0 && json.Unmarshal(s.Parameters, &p) != nil {
		return "", "its parameters are not understood"
	}
	if names, err := others(s.Parameters, "mode", "combineBy", "combinationMode", "join", "output", "chooseBranchMode", "useDataOfInput", "numberInputs"); err != nil || len(names) > 0 {
		return "", "its parameter " + strings.Join(names, ", ") + " is not understood"
	}
	if len(s.into) > max(p.NumberInputs, 2) {
		return "", "of its ways in not each one gets items of one node"
	}
	switch {
	case p.Mode == "" || p.Mode == "append":
		return "'append'", ""
	case p.Mode == "mergeByIndex" && (p.Join == "inner"), p.Mode == "combine" && (p.CombineBy == "combineByPosition" || p.CombinationMode == "mergeByPosition"):
		return "'position'", ""
	case p.Mode == "multiplex", p.Mode == "combine" && (p.CombineBy == "combineAll" || p.CombinationMode == "multiplex"):
		return "'all'", ""
	case p.Mode == "passThrough" && (p.Output == "" || p.Output == "input1"), p.Mode == "chooseBranch" && (p.Output == "" || p.Output == "input1" || p.Output == "specifiedInput") && (p.UseDataOfInput == nil || fmt.Sprint(p.UseDataOfInput) == "1"):
		return "0", ""
	case (p.Mode == "passThrough" || p.Mode == "chooseBranch") && (p.Output == "input2" || p.Output == "specifiedInput" && fmt.Sprint(p.UseDataOfInput) == "2"):
		return "1", ""
	}
	return "", "its mode " + strings.TrimSpace(p.Mode+" "+p.CombineBy+p.CombinationMode) + " is not there"
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
		value := expression(one.Value)
		if _, is := one.Value.(string); is && one.Type == "number" {
			value = "Number(" + value + ")"
		}
		parts[i] = inQuotes(one.Name) + ": " + value
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

// request are the options of an HTTP Request node; fault says what of it is not understood.
func (s step) request(say func(fate, format string, values ...any)) (options, fault string) {
	var p struct {
		Method, RequestMethod                             string
		URL                                               any `json:"url"`
		SendQuery, SendHeaders, SendBody                  bool
		QueryParameters, HeaderParameters, BodyParameters struct {
			Parameters []pair `json:"parameters"`
		}
		SpecifyBody, SpecifyQuery, SpecifyHeaders, ContentType, Authentication string
		JSONBody                                                               any `json:"jsonBody"`
		Options                                                                json.RawMessage
	}
	if json.Unmarshal(s.Parameters, &p) != nil || p.URL == nil {
		return "", "its request is not understood"
	}
	names, err := others(s.Parameters, "method", "requestMethod", "url", "sendQuery", "sendHeaders", "sendBody", "queryParameters", "headerParameters", "bodyParameters",
		"specifyBody", "specifyQuery", "specifyHeaders", "contentType", "authentication", "jsonBody", "options", "genericAuthType", "nodeCredentialType")
	if err != nil || len(names) > 0 {
		return "", "its parameter " + strings.Join(names, ", ") + " is not understood"
	}
	if names, err = others(p.Options, "timeout", "response", "redirect"); err != nil || len(names) > 0 {
		return "", "its option " + strings.Join(names, ", ") + " is not understood"
	}
	var o struct {
		Redirect struct {
			Redirect struct{ FollowRedirects *bool }
		}
		Response struct {
			Response struct {
				FullResponse, NeverError bool
				ResponseFormat           string
			}
		}
	}
	if len(p.Options) > 0 && (json.Unmarshal(p.Options, &o) != nil || o.Redirect.Redirect.FollowRedirects != nil && !*o.Redirect.Redirect.FollowRedirects) {
		return "", "its options are not understood"
	}
	for name, how := range map[string]string{"specifyQuery": p.SpecifyQuery, "specifyHeaders": p.SpecifyHeaders} {
		if how != "" && how != "keypair" {
			return "", "its parameter " + name + " is " + how + ", which is not there"
		}
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
		case p.ContentType != "" && p.ContentType != "json" || p.SpecifyBody != "" && p.SpecifyBody != "json" && p.SpecifyBody != "keypair":
			return "", "its body is " + strings.TrimSpace(p.ContentType+" "+p.SpecifyBody) + ", which is not there"
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
	switch format := o.Response.Response.ResponseFormat; format {
	case "", "autodetect":
	case "json":
		parts = append(parts, "json: true")
	default:
		return "", "its option responseFormat is " + format + ", which is not there"
	}
	if o.Response.Response.FullResponse {
		parts = append(parts, "returnFullResponse: true")
	}
	if o.Response.Response.NeverError {
		parts = append(parts, "ignoreHttpStatusErrors: true")
	}
	if p.Authentication != "" && p.Authentication != "none" {
		say(Impossible, "its credentials are not in the export: add a header with secret('NAME')")
	}
	return "{ " + strings.Join(parts, ", ") + " }", ""
}

// values are the fields of a Set node, of its newer and its older form.
func (s step) values() (values string, keep bool, fault string) {
	var p struct {
		Mode               string
		Include            string
		IncludeOtherFields bool
		KeepOnlySet        bool
		Assignments        struct {
			Assignments []pair `json:"assignments"`
		}
		Values map[string][]pair
	}
	if json.Unmarshal(s.Parameters, &p) != nil || p.Mode != "" && p.Mode != "manual" || p.Include != "" && p.Include != "all" && p.Include != "none" {
		return "", false, "its fields are not understood"
	}
	if names, err := others(s.Parameters, "mode", "include", "includeOtherFields", "keepOnlySet", "assignments", "values"); err != nil || len(names) > 0 {
		return "", false, "its parameter " + strings.Join(names, ", ") + " is not understood"
	}
	pairs, keep := p.Assignments.Assignments, p.IncludeOtherFields || p.Include == "all"
	if len(pairs) == 0 {
		keep = !p.KeepOnlySet
		for _, kind := range []string{"string", "number", "boolean"} {
			pairs = append(pairs, p.Values[kind]...)
		}
	}
	for _, one := range pairs {
		if strings.ContainsAny(one.Name, ".[") || strings.HasPrefix(one.Name, "=") {
			return "", false, "its field " + one.Name + " is a path"
		}
	}
	return object(pairs), keep, ""
}
