package importer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// workflow is what n8n exports; all other fields are of its editor.
type workflow struct {
	Name        string                           `json:"name"`
	Nodes       []*step                          `json:"nodes"`
	Connections map[string]map[string][][]target `json:"connections"`
	Settings    struct {
		Order    string `json:"executionOrder"`
		Timezone string `json:"timezone"`
		OnError  string `json:"errorWorkflow"`
	} `json:"settings"`
	Pinned map[string]json.RawMessage `json:"pinData"` // items, by nodes
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
	Version    any             `json:"typeVersion"`
	Position   []float64       `json:"position"`

	Credentials json.RawMessage `json:"credentials"`

	Once     bool    `json:"executeOnce"`
	Continue bool    `json:"continueOnFail"`
	OnError  string  `json:"onError"`
	Retry    bool    `json:"retryOnFail"`
	Tries    float64 `json:"maxTries"`
	Wait     float64 `json:"waitBetweenTries"`
	Always   bool    `json:"alwaysOutputData"`

	unknown []string // members that nobody knows
	from    []origin // what it gets items from
	parts   []part   // of an agent
	ways    int      // how many ways out lead on
}

// part is what an agent works with: a model, a tool and the like.
type part struct {
	kind string
	of   *step
}

// origin is a node whose items another one gets: out of which of its ways, and into which of the other's.
type origin struct {
	node    string
	out, in int
}

// ofEditor are the members of a node that change nothing about what it does, or whose place is taken by what a person does
// here. Credentials are told where a request needs them.
var ofEditor = []string{"id", "notes", "notesInFlow", "webhookId", "color", "cid", "extendsCredential"}

// UnmarshalJSON implements json.Unmarshaler.
func (s *step) UnmarshalJSON(text []byte) error {
	type plain step
	if err := json.Unmarshal(text, (*plain)(s)); err != nil {
		return err
	}
	unknown, err := others(text, append(slices.Clone(ofEditor), "name", "type", "typeVersion", "position", "credentials", "disabled", "parameters", "executeOnce", "continueOnFail", "onError", "retryOnFail", "maxTries", "waitBetweenTries", "alwaysOutputData")...)
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
		// Other programs mark nodes by names that begin so.
		if !strings.HasPrefix(name, "_") && !slices.Contains(known, name) && !slices.Contains([]string{"null", "{}", "[]", `""`, "false"}, string(value)) {
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
	add(s.OnError == "continueErrorOutput", "errors: true")
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
	signOf(`(\$prevNode|\$execution\.\w+|\$workflow\.(?:id|active))`, Wrapped, "$1 is that of the script: a run has another number, and its workflow another name"),
	signOf(`\.(extractEmail|extractDomain|extractUrl|toTitleCase|toSentenceCase|toSnakeCase|removeTags|removeMarkdown|isEmail|isUrl|isNumeric|isDomain|toDateTime|pluck|chunk|compact|randomItem|removeDuplicates|renameKeys|removeField|keepFieldsContaining|removeFieldsContaining|toJsonString|parseJson|ifEmpty|beginningOf|urlEncode|urlDecode|hash|smartJoin|toDecimalNumber|toWholeNumber|isEmpty|isNotEmpty|base64Encode|base64Decode)\(`, Impossible, "$1, which n8n adds to values, is not there"),
	signOf(`(\$vars|\$secrets|\$binary|\$jmespath|\$parameter|\$fromAI|\$credentials|\$evaluateExpression|\$pageCount|\$response|\$input\.(?:params|context))\b`, Impossible, "$1 is not there"),
}

const (
	found = "{ $input, $json, $item, $itemIndex, $runIndex, items, item, $, $node, $items, $now, $today, DateTime, Duration, Interval, $workflow, $execution, $env, $vars, $prevNode, $getWorkflowStaticData, getWorkflowStaticData, $helpers, $if, $ifEmpty, $min, $max, get, is, choose, as, parsed }"
	// No import: a module is strict, and the code of a node may assign to what it has not declared.
	begin = "const { workflow } = require('kintsugi:n8n');\n\nasync function main(input) {\n"
)

// fromN8N makes a script of an exported workflow, or of the code of a single Code node.
func fromN8N(text string) (Brought, error) {
	if trimmed := strings.TrimSpace(text); !strings.HasPrefix(trimmed, "{") || !json.Valid([]byte(trimmed)) {
		each := !regexp.MustCompile(`\bitems\b|\$input\.(all|first|last)`).MatchString(text) && regexp.MustCompile(`\$json\b|\$input\.item\b`).MatchString(text)
		b := Brought{Notes: sorted(notes(text, n8n, "")), Script: begin + "  const n8n = workflow(input);\n" + codeStep("Code", "[]", fmt.Sprint(each), text, "") + ends}
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
	ordered, triggers, err := w.order(&b, text)
	if err != nil {
		return Brought{}, err
	}
	var script strings.Builder
	fmt.Fprintf(&script, "%s  const n8n = workflow(input, %s);\n", begin, inQuotes(w.Name))
	for _, s := range ordered {
		s.write(&script, &b, text, triggers)
	}
	script.WriteString(ends)
	b.Script, b.Notes = script.String(), sorted(b.Notes)
	return b, nil
}

const ends = "  return n8n.run();\n}\n"

// order connects the nodes, and puts them in the order in which they run. A node that no trigger leads to is left out.
func (w *workflow) order(b *Brought, text string) (ordered []*step, triggers map[string]bool, err error) {
	byName, before := map[string]*step{}, map[string]bool{}
	for _, one := range w.Nodes {
		if one == nil || one.Name == "" {
			return nil, nil, fmt.Errorf("it is no workflow of n8n: one of its nodes has no name")
		}
		if one.kind() == "stickyNote" {
			continue
		}
		if byName[one.Name] != nil { // n8n takes the last one
			b.Notes = append(b.Notes, Note{Wrapped, lineOf(text, inJSON(one.Name)), one.Name, "two nodes are called so: the last one runs"})
		}
		byName[one.Name] = one
	}
	w.Nodes = slices.DeleteFunc(w.Nodes, func(one *step) bool { return byName[one.Name] != one })
	next := map[string][]*step{}
	parts := map[string]bool{} // of nodes that are parts of agents
	for _, from := range slices.Sorted(maps.Keys(w.Connections)) {
		for kind, ports := range w.Connections[from] {
			if kind != "main" {
				parts[from] = true
				for _, to := range slices.Concat(ports...) {
					if one := byName[to.Node]; one != nil && byName[from] != nil {
						one.parts = append(one.parts, part{kind, byName[from]})
					}
				}
				continue
			}
			for out, port := range ports {
				for _, to := range port {
					one := byName[to.Node]
					if one == nil || byName[from] == nil {
						b.Notes = append(b.Notes, Note{Impossible, lineOf(text, inJSON(from)), from, fmt.Sprintf("it is connected with %s, and one of them is no node: connect them in n8n, and export it again", inQuotes(to.Node))})
						continue
					}
					one.from = append(one.from, origin{from, out, to.Index})
					before[to.Node] = true
					byName[from].ways = max(byName[from].ways, out+1)
					if !slices.Contains(next[from], one) {
						next[from] = append(next[from], one)
					}
				}
			}
		}
	}
	for _, list := range next {
		slices.SortStableFunc(list, above)
	}
	say := func(fate string, of *step, format string, values ...any) {
		b.Notes = append(b.Notes, Note{fate, lineOf(text, inJSON(of.Name)), of.Name, fmt.Sprintf(format, values...)})
	}
	var starts, others []*step
	triggers = map[string]bool{}
	for _, one := range w.Nodes {
		if one.trigger() && !one.Disabled {
			triggers[one.Name] = true
			starts = append(starts, one)
		}
	}
	slices.SortStableFunc(starts, func(a, b *step) int {
		return cmp.Or(cmp.Compare(a.rank(len(next[a.Name])), b.rank(len(next[b.Name]))), above(a, b))
	})
	// A run that is scheduled can be told from one that is not, so one of each kind begins.
	for i := len(starts) - 1; i > 0; i-- {
		if slices.ContainsFunc(starts[:i], func(one *step) bool { return one.scheduled() == starts[i].scheduled() }) {
			others = slices.Insert(others, 0, starts[i])
			starts = slices.Delete(starts, i, i+1)
		}
	}
	if len(starts) == 0 {
		for _, one := range w.Nodes {
			if !before[one.Name] && !parts[one.Name] {
				starts = append(starts, one)
			}
		}
	}
	if len(starts) == 0 {
		return nil, nil, fmt.Errorf("the nodes go in a circle, and none of them begins: add a trigger")
	}
	seen := map[*step]bool{}
	var visit func(one *step)
	visit = func(one *step) {
		if seen[one] {
			return
		}
		seen[one] = true
		ordered = append(ordered, one)
		for _, to := range next[one.Name] {
			visit(to)
		}
	}
	for _, one := range starts {
		visit(one)
	}
	here := len(ordered)
	for _, one := range others {
		visit(one)
		if alone := ordered[here:]; len(alone) > 1 {
			say(Impossible, one, "it is another trigger, and %s follows it alone: import that as a workflow of its own", inQuotes(alone[1].Name))
		} else {
			say(Wrapped, one, "it is another trigger: give the workflow both")
		}
		ordered = ordered[:here]
	}
	for _, one := range w.Nodes {
		if !seen[one] && !parts[one.Name] {
			say(Kept, one, "no trigger leads to it, so it never runs")
		}
	}
	for _, one := range ordered {
		one.from = slices.DeleteFunc(one.from, func(from origin) bool {
			return !slices.ContainsFunc(ordered, func(s *step) bool { return s.Name == from.node })
		})
	}
	if w.Settings.Order != "v1" && slices.ContainsFunc(ordered, func(s *step) bool { return len(next[s.Name]) > 1 }) {
		b.Notes = append(b.Notes, Note{Wrapped, 0, "", "where it divides, one branch runs to its end before the next one begins; there each node ran before those behind it (execution order v0)"})
	}
	if w.Settings.Timezone != "" && w.Settings.Timezone != "DEFAULT" {
		b.Notes = append(b.Notes, Note{Wrapped, 0, "", "give the workflow the zone " + w.Settings.Timezone})
	}
	if w.Settings.OnError != "" {
		b.Notes = append(b.Notes, Note{Wrapped, 0, "", "another workflow was started when it failed: here a person is told"})
	}
	return ordered, triggers, nil
}

// above says which of two nodes n8n runs first.
func above(a, b *step) int {
	at := func(s *step, i int) float64 {
		if i < len(s.Position) {
			return s.Position[i]
		}
		return 0
	}
	return cmp.Or(cmp.Compare(at(a, 1), at(b, 1)), cmp.Compare(at(a, 0), at(b, 0)))
}

func (s *step) kind() string { return s.Type[strings.LastIndex(s.Type, ".")+1:] }

// trigger says that the node begins a run.
func (s *step) trigger() bool {
	kind := s.kind()
	return strings.HasSuffix(strings.ToLower(kind), "trigger") || slices.Contains([]string{"webhook", "start", "cron", "interval", "emailReadImap"}, kind)
}

func (s *step) scheduled() bool {
	return slices.Contains([]string{"scheduleTrigger", "cron", "interval"}, s.kind())
}

// rank says which trigger of several is meant: one that leads on, and that no person pulls.
func (s *step) rank(ways int) int {
	switch kind := s.kind(); {
	case ways == 0:
		return 3
	case kind == "errorTrigger":
		return 2
	case kind == "manualTrigger" || kind == "start":
		return 1
	}
	return 0
}

// before is what a node gets items from, as the script says it.
func (s *step) before() string {
	parts := make([]string, len(s.from))
	for i, one := range s.from {
		switch {
		case one.in > 0:
			parts[i] = fmt.Sprintf("[%s, %d, %d]", inQuotes(one.node), one.out, one.in)
		case one.out > 0:
			parts[i] = fmt.Sprintf("[%s, %d]", inQuotes(one.node), one.out)
		default:
			parts[i] = inQuotes(one.node)
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// codeStep has the code in a block, for it may declare what it is handed once more.
func codeStep(name, before, each, code, settings string) string {
	return fmt.Sprintf("  n8n.code(%s, %s, %s, async function (%s) {{\n%s\n  }}%s);\n", inQuotes(name), before, each, found, strings.TrimRight(code, "\n"), settings)
}

// a fault says what of a node is not understood.
type fault string

func faultOf(format string, values ...any) fault { return fault(fmt.Sprintf(format, values...)) }

// write adds a node to the script.
func (s *step) write(script *strings.Builder, b *Brought, text string, triggers map[string]bool) {
	line := lineOf(text, `"name": `+inJSON(s.Name))
	if line == 0 {
		line = lineOf(text, inJSON(s.Name))
	}
	say := func(fate, format string, values ...any) {
		b.Notes = append(b.Notes, Note{fate, line, s.Name, fmt.Sprintf(format, values...)})
	}
	if s.Disabled {
		say(Kept, "it is disabled, and passes its items on")
		fmt.Fprintf(script, "  n8n.pass(%s, %s);\n", inQuotes(s.Name), s.before())
		return
	}
	made, why := s.made(say)
	if why != "" {
		say(Impossible, "%s: the script stops here, until you write what it did", string(why))
		what := inQuotes(fmt.Sprintf("the node %q (%s) was not brought: write here what it did", s.Name, s.Type))
		fmt.Fprintf(script, "  n8n.code(%s, %s, false, async function () {\n    throw new LogicError(%s);\n  });\n", inQuotes(s.Name), s.before(), what)
		return
	}
	for _, note := range notes(s.texts(), n8n, s.Name) {
		if note.Fate != Kept {
			note.Line = line
			b.Notes = append(b.Notes, note)
		}
	}
	if triggers[s.Name] {
		if cron := regexp.MustCompile(`"(?:expression|cronExpression)":\s*"([^"]+)"`).FindSubmatch(s.Parameters); cron != nil {
			b.Cron = string(cron[1])
		}
	}
	script.WriteString("  " + made + ";\n")
}

// made is the line of the script that a node becomes.
func (s *step) made(say func(fate, format string, values ...any)) (string, fault) {
	if s.OnError != "" && !slices.Contains([]string{"stopWorkflow", "continueRegularOutput", "continueErrorOutput"}, s.OnError) {
		s.unknown = append(s.unknown, "onError")
	}
	if len(s.unknown) > 0 {
		return "", faultOf("its member %s is not understood", strings.Join(s.unknown, ", "))
	}
	if s.trigger() {
		return s.begins(say), ""
	}
	kind := s.kind()
	if !strings.HasPrefix(s.Type, "n8n-nodes-base.") && strings.Contains(s.Type, ".") {
		kind = s.Type
	}
	how, known := nodesOfN8N[kind]
	if !known {
		if why := whyNot[s.kind()]; why != "" {
			return "", faultOf("nodes of the type %s are not there: %s", s.Type, why)
		}
		return "", faultOf("nodes of the type %s are not there", s.Type)
	}
	made, why := how(s, say)
	if why != "" {
		return "", why
	}
	if settings := s.settings(); settings != "" {
		say(Kept, "it runs with its settings%s", strings.TrimPrefix(settings, ","))
	}
	return made, ""
}

// begins is what a trigger becomes.
func (s *step) begins(say func(fate, format string, values ...any)) string {
	cron := regexp.MustCompile(`"(?:expression|cronExpression)":\s*"([^"]+)"`).FindSubmatch(s.Parameters)
	switch {
	case s.scheduled():
		if cron != nil {
			say(Wrapped, "the trigger's items are the run's input; give the workflow the schedule %s", cron[1])
		} else {
			say(Wrapped, "the trigger's items are the run's input; give the workflow its schedule")
		}
		return fmt.Sprintf("n8n.trigger(%s, { schedule: true })", inQuotes(s.Name))
	case s.kind() == "webhook":
		say(Wrapped, "it is a hook of the workflow: what was sent is the run's input, and here under body; headers and query are empty")
		return fmt.Sprintf("n8n.trigger(%s, { webhook: true })", inQuotes(s.Name))
	default:
		say(Wrapped, "the trigger's items are the run's input")
	}
	return fmt.Sprintf("n8n.trigger(%s)", inQuotes(s.Name))
}

// texts are all texts of the node's parameters, which may be expressions.
func (s *step) texts() string {
	var value any
	if s.kind() == "code" || s.kind() == "function" || s.kind() == "functionItem" || json.Unmarshal(s.Parameters, &value) != nil {
		return ""
	}
	var found []string
	var visit func(value any)
	visit = func(value any) {
		switch value := value.(type) {
		case string:
			if strings.HasPrefix(value, "=") {
				found = append(found, value)
			}
		case []any:
			for _, one := range value {
				visit(one)
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(value)) {
				visit(value[name])
			}
		}
	}
	visit(value)
	return strings.Join(found, "\n")
}
