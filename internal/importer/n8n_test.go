package importer_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/internal/importer"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// node is one of a workflow; to are the nodes behind it: by ways out, each as NAME or NAME:WAY IN.
type node struct {
	name, kind string
	version    float64
	parameters string
	to         [][]string
	more       string
}

func workflowOf(nodes ...node) string {
	var list []string
	connections := map[string]any{}
	for i, one := range nodes {
		kind := one.kind
		if !strings.Contains(kind, ".") {
			kind = "n8n-nodes-base." + kind
		}
		list = append(list, fmt.Sprintf(`{"name":%q,"type":%q,"typeVersion":%v,"position":[0,%d],"parameters":%s%s}`, one.name, kind, one.version, i*100, one.parameters, one.more))
		ways := make([][]map[string]any, len(one.to))
		for way, targets := range one.to {
			for _, target := range targets {
				name, in, _ := strings.Cut(target, ":")
				index := 0
				_, _ = fmt.Sscan(in, &index)
				ways[way] = append(ways[way], map[string]any{"node": name, "type": "main", "index": index})
			}
		}
		connections[one.name] = map[string]any{"main": ways}
	}
	made, _ := json.Marshal(connections)
	return `{"name":"W","nodes":[` + strings.Join(list, ",") + `],"connections":` + string(made) + `,"settings":{"executionOrder":"v1"}}`
}

// through is a workflow of a trigger, a node, and what is behind it.
func through(kind string, version float64, parameters string, rest ...node) string {
	to := [][]string{}
	for way, one := range rest {
		for len(to) <= way {
			to = append(to, nil)
		}
		to[way] = append(to[way], one.name)
	}
	return workflowOf(append([]node{{name: "T", kind: "manualTrigger", version: 1, parameters: "{}", to: [][]string{{"N"}}}, {name: "N", kind: kind, version: version, parameters: parameters, to: to}}, rest...)...)
}

func runWorkflow(t *testing.T, text, input string) (sandbox.Outcome, importer.Brought) {
	t.Helper()
	brought, err := importer.Script("n8n", text)
	require.NoError(t, err, text)
	require.NoError(t, process.Check(brought.Script), brought.Script)
	require.NoError(t, hostcall.Lint(brought.Script), brought.Script)
	h := &host{kv: map[string]json.RawMessage{}, files: map[string]string{}}
	outcome, err := process.InProcess{Bindings: hostcall.Bindings()}.Run(t.Context(), sandbox.Execution{Code: brought.Script, Input: json.RawMessage(input), Seed: "s", Clock: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)}, h)
	require.NoError(t, err)
	return outcome, brought
}

const filterOf = `{"options":{"caseSensitive":true,"typeValidation":"strict","version":2},"combinator":"and","conditions":[%s]}`

func condition(left, kind, operation, right string) string {
	return fmt.Sprintf(`{"id":"x","leftValue":%s,"rightValue":%s,"operator":{"type":%q,"operation":%q}}`, left, right, kind, operation)
}

// Rule: the nodes that n8n has for lists, ways and dates do here what they do there.
func TestNodesAboutItems(t *testing.T) {
	t.Parallel()
	const rows = `[{"id":3,"name":"Ann","tags":["x","y"],"at":{"city":"B"}},{"id":1,"name":"bob","tags":[],"at":{"city":"A"}},{"id":2,"name":"Cid","tags":["y"],"at":{"city":"B"}}]`
	mark := func(name string) node {
		return node{name: name, kind: "set", version: 3.4, parameters: `{"includeOtherFields":true,"assignments":{"assignments":[{"id":"1","name":"by","value":"` + name + `","type":"string"}]},"options":{}}`}
	}
	ids := node{name: "I", kind: "code", version: 2, parameters: `{"jsCode":"return [{json:{ids:$input.all().map((i) => i.json.id + (i.json.by || ''))}}]"}`}
	for name, one := range map[string][2]string{
		"limit":       {through("limit", 1, `{"maxItems":2,"keep":"lastItems"}`, ids), `[{"ids":["1","2"]}]`},
		"sort":        {through("sort", 1, `{"sortFieldsUi":{"sortField":[{"fieldName":"at.city"},{"fieldName":"name","order":"descending"}]},"options":{}}`, ids), `[{"ids":["1","2","3"]}]`},
		"split out":   {through("splitOut", 1, `{"fieldToSplitOut":"tags","options":{}}`), `[{"tags":"x"},{"tags":"y"},{"tags":"y"}]`},
		"split out 2": {through("splitOut", 1, `{"fieldToSplitOut":"tags","include":"selectedOtherFields","fieldsToInclude":"id","options":{"destinationFieldName":"tag"}}`), `[{"id":3,"tag":"x"},{"id":3,"tag":"y"},{"id":2,"tag":"y"}]`},
		"aggregate":   {through("aggregate", 1, `{"fieldsToAggregate":{"fieldToAggregate":[{"fieldToAggregate":"at.city","renameField":true,"outputFieldName":"cities"},{"fieldToAggregate":"id"}]},"options":{}}`), `[{"cities":["B","A","B"],"id":[3,1,2]}]`},
		"all of it":   {through("aggregate", 1, `{"aggregate":"aggregateAllItemData","include":"specifiedFields","fieldsToInclude":"id","options":{}}`), `[{"data":[{"id":3},{"id":1},{"id":2}]}]`},
		"duplicates":  {through("removeDuplicates", 1, `{"compare":"selectedFields","fieldsToCompare":"at.city","options":{}}`, ids), `[{"ids":["3","1"]}]`},
		"item lists":  {through("itemLists", 3, `{"operation":"limit","maxItems":1}`, ids), `[{"ids":["3"]}]`},
		"if": {through("if", 2, `{"conditions":`+fmt.Sprintf(filterOf, condition(`"={{ $json.id }}"`, "number", "gt", "1")+","+condition(`"={{ $json.name }}"`, "string", "startsWith", `"A"`))+`,"options":{}}`, mark("yes"), ids),
			`[{"ids":["1","2"]}]`},
		"filter":   {through("filter", 1, `{"combineConditions":"OR","conditions":{"string":[{"value1":"={{ $json.name }}","operation":"contains","value2":"o"}],"number":[{"value1":"={{ $json.id }}","operation":"equal","value2":2}]}}`, ids), `[{"ids":["1","2"]}]`},
		"of lists": {through("filter", 2.2, `{"conditions":`+fmt.Sprintf(filterOf, condition(`"={{ $json.tags }}"`, "array", "contains", `"x"`)+","+condition(`"={{ $json.none }}"`, "string", "notExists", `""`))+`,"options":{}}`, ids), `[{"ids":["3"]}]`},
		"switch": {through("switch", 3.2, `{"rules":{"values":[{"conditions":`+fmt.Sprintf(filterOf, condition(`"={{ $json.id }}"`, "number", "lt", "2"))+`,"outputKey":"a"},{"conditions":`+fmt.Sprintf(filterOf, condition(`"={{ $json.id }}"`, "number", "lt", "3"))+`}]},"options":{"fallbackOutput":"extra"}}`,
			mark("a"), mark("b"), ids), `[{"ids":["3"]}]`},
		"switch 1":         {through("switch", 1, `{"value1":"={{ $json.id }}","rules":{"rules":[{"operation":"equal","value2":1,"output":1}]},"fallbackOutput":0}`, mark("a"), ids), `[{"ids":["1"]}]`},
		"date":             {through("dateTime", 2, `{"operation":"addToDate","magnitude":"2026-03-01","duration":2,"timeUnit":"days","options":{}}`), `[{"newDate":"2026-03-03T00:00:00.000Z"},{"newDate":"2026-03-03T00:00:00.000Z"},{"newDate":"2026-03-03T00:00:00.000Z"}]`},
		"format":           {through("dateTime", 2, `{"operation":"formatDate","date":"2026-03-01T10:00:00Z","format":"yyyy/MM/dd","outputFieldName":"d","options":{"includeInputFields":true}}`, node{name: "L", kind: "limit", version: 1, parameters: "{}"}), `[{"id":3,"name":"Ann","tags":["x","y"],"at":{"city":"B"},"d":"2026/03/01"}]`},
		"wait":             {through("wait", 1.1, `{"amount":90,"unit":"minutes"}`, node{name: "C", kind: "code", version: 2, parameters: `{"jsCode":"return [{json:{at:new Date().toISOString()}}]"}`}), `[{"at":"2026-03-01T12:30:00.000Z"}]`},
		"respond":          {through("respondToWebhook", 1.1, `{"respondWith":"json","responseBody":"={ \"n\": {{ $input.all().length }} }","options":{}}`, mark("later")), `{"n":3}`},
		"html":             {through("html", 1.2, `{"html":"=<b>{{ $json.name }}</b>"}`, node{name: "X", kind: "html", version: 1.2, parameters: `{"operation":"extractHtmlContent","dataPropertyName":"html","extractionValues":{"values":[{"key":"t","cssSelector":"b"}]},"options":{}}`}), `[{"t":"Ann"},{"t":"bob"},{"t":"Cid"}]`},
		"markdown":         {through("markdown", 1, `{"mode":"markdownToHtml","markdown":"=*{{ $json.id }}*","options":{}}`, node{name: "L", kind: "code", version: 2, parameters: `{"jsCode":"return [{json:{d:$json.data}}]"}`}), `[{"d":"<p><em>3</em></p>\n"}]`},
		"pairing":          {through("sort", 1, `{"sortFieldsUi":{"sortField":[{"fieldName":"id"}]}}`, node{name: "P", kind: "set", version: 3.4, parameters: `{"assignments":{"assignments":[{"name":"n","value":"={{ $('T').item.json.name }}","type":"string"}]}}`}), `[{"n":"bob"},{"n":"Cid"},{"n":"Ann"}]`},
		"by index":         {through("set", 3.4, `{"assignments":{"assignments":[{"name":"n","value":"={{ $node[\"T\"].json.name }}","type":"string"}]}}`), `[{"n":"Ann"},{"n":"bob"},{"n":"Cid"}]`},
		"no trigger leads": {workflowOf(node{name: "T", kind: "manualTrigger", version: 1, parameters: "{}"}, node{name: "E", kind: "stopAndError", version: 1, parameters: `{"errorMessage":"x"}`}), rows},
	} {
		outcome, brought := runWorkflow(t, one[0], rows)
		require.Nil(t, outcome.Error, "%s: %+v\n%s", name, outcome.Error, brought.Script)
		require.JSONEq(t, one[1], string(outcome.Output), "%s\n%s", name, brought.Script)
		for _, note := range brought.Notes {
			require.NotEqual(t, importer.Impossible, note.Fate, "%s: %s", name, note.Text)
		}
	}
}

// Rule: of two triggers a scheduled run begins with the schedule, and another one with what was sent; a third one is named.
func TestTriggersOfN8N(t *testing.T) {
	t.Parallel()
	says := func(name string) node {
		return node{name: name, kind: "code", version: 2, parameters: `{"jsCode":"return [{json:{by:'` + name + `', got:$json.body}}]"}`}
	}
	triggers := []node{{name: "S", kind: "scheduleTrigger", version: 1.2, parameters: `{}`, to: [][]string{{"A"}}}, {name: "W", kind: "webhook", version: 2, parameters: `{}`, to: [][]string{{"B"}}}, says("A"), says("B")}
	for input, want := range map[string]string{`{"slot":"2026-03-01T08:00:00Z","zone":"UTC"}`: `[{"by":"A"}]`, `{"n":1}`: `[{"by":"B","got":{"n":1}}]`} {
		outcome, brought := runWorkflow(t, workflowOf(triggers...), input)
		require.Nil(t, outcome.Error, "%+v\n%s", outcome.Error, brought.Script)
		require.JSONEq(t, want, string(outcome.Output))
		require.NotEqual(t, importer.Impossible, brought.Notes[0].Fate)
	}
	_, brought := runWorkflow(t, workflowOf(append(triggers, node{name: "F", kind: "formTrigger", version: 1, parameters: `{}`, to: [][]string{{"C"}}}, says("C"))...), `{}`)
	require.Equal(t, importer.Note{Fate: importer.Impossible, Line: 1, Node: "F", Text: "it is another trigger, and 'C' follows it alone: import that as a workflow of its own"}, brought.Notes[0])
}

// Rule: a Merge node joins by fields as n8n does, by each join.
func TestMergeByFields(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{
		`"options":{}`:                                          `[{"id":1,"a":1,"in":{"a":1,"b":2},"b":2},{"id":1,"a":1,"in":{"a":1},"b":3}]`,
		`"options":{"multipleMatches":"first"}`:                 `[{"id":1,"a":1,"in":{"a":1,"b":2},"b":2}]`,
		`"joinMode":"enrichInput1","options":{}`:                `[{"id":1,"a":1,"in":{"a":1,"b":2},"b":2},{"id":1,"a":1,"in":{"a":1},"b":3},{"id":2,"a":2}]`,
		`"joinMode":"keepEverything"`:                           `[{"id":1,"a":1,"in":{"a":1,"b":2},"b":2},{"id":1,"a":1,"in":{"a":1},"b":3},{"id":2,"a":2},{"id":9,"b":9}]`,
		`"outputDataFrom":"input1"`:                             `[{"id":1,"a":1,"in":{"a":1}}]`,
		`"joinMode":"keepNonMatches","outputDataFrom":"input2"`: `[{"id":9,"b":9}]`,
	} {
		text := workflowOf(node{name: "T", kind: "manualTrigger", version: 1, parameters: "{}", to: [][]string{{"A", "B"}}},
			node{name: "A", kind: "code", version: 2, parameters: `{"jsCode":"return [{id:1,a:1,in:{a:1}},{id:2,a:2}].map((json) => ({json}))"}`, to: [][]string{{"M"}}},
			node{name: "B", kind: "code", version: 2, parameters: `{"jsCode":"return [{id:1,b:2,in:{b:2}},{id:1,b:3},{id:9,b:9}].map((json) => ({json}))"}`, to: [][]string{{"M:1"}}},
			node{name: "M", kind: "merge", version: 3, parameters: `{"mode":"combine","fieldsToMatchString":"id",` + how + `}`})
		outcome, brought := runWorkflow(t, text, `{}`)
		require.Nil(t, outcome.Error, "%s: %+v\n%s", how, outcome.Error, brought.Script)
		require.JSONEq(t, want, string(outcome.Output), how)
	}
}

// Rule: a loop gives its items in parts until they are done, and what came back goes on; each branch runs to its end before the next
// one begins, and a node that two lead to runs twice.
func TestLoopsAndBranches(t *testing.T) {
	t.Parallel()
	note := func(name, to string) node {
		one := node{name: name, kind: "code", version: 2, parameters: `{"jsCode":"const s = $getWorkflowStaticData('global'); s.seen = (s.seen || []).concat('` + name + `' + $input.all().map((i) => i.json.n).join('')); return $input.all()"}`}
		if to != "" {
			one.to = [][]string{{to}}
		}
		return one
	}
	end := node{name: "E", kind: "code", version: 2, parameters: `{"jsCode":"return [{json:{seen:$getWorkflowStaticData('global').seen, n:$input.all().map((i) => i.json.n), last:$('W').all().length}}]"}`}
	loop := workflowOf(node{name: "T", kind: "manualTrigger", version: 1, parameters: "{}", to: [][]string{{"L"}}},
		node{name: "L", kind: "splitInBatches", version: 3, parameters: `{"batchSize":2,"options":{}}`, to: [][]string{{"E"}, {"W"}}}, note("W", "L"), end)
	outcome, brought := runWorkflow(t, loop, `[{"n":1},{"n":2},{"n":3}]`)
	require.Nil(t, outcome.Error, "%+v\n%s", outcome.Error, brought.Script)
	require.JSONEq(t, `[{"seen":["W12","W3"],"n":[1,2,3],"last":1}]`, string(outcome.Output))

	branches := workflowOf(node{name: "T", kind: "manualTrigger", version: 1, parameters: "{}", to: [][]string{{"B", "A"}}},
		note("A", "A2"), note("A2", "W"), note("B", "W"), note("W", "E"), end)
	outcome, brought = runWorkflow(t, branches, `[{"n":1}]`)
	require.Nil(t, outcome.Error, "%+v\n%s", outcome.Error, brought.Script)
	require.JSONEq(t, `[{"seen":["A1","A21","W1","B1","W1"],"n":[1],"last":1}]`, string(outcome.Output))

	errors := workflowOf(node{name: "T", kind: "manualTrigger", version: 1, parameters: "{}", to: [][]string{{"C"}}},
		node{name: "C", kind: "code", version: 2, parameters: `{"mode":"runOnceForEachItem","jsCode":"if ($json.n === 2) throw new Error('two'); return { json: { ok: $json.n } }"}`, to: [][]string{{}, {"X"}}, more: `,"onError":"continueErrorOutput"`},
		node{name: "X", kind: "noOp", version: 1, parameters: "{}"})
	outcome, brought = runWorkflow(t, errors, `[{"n":1},{"n":2}]`)
	require.Nil(t, outcome.Error, "%+v\n%s", outcome.Error, brought.Script)
	require.JSONEq(t, `[{"n":2,"error":"two"}]`, string(outcome.Output))
}

// Rule: a parameter that is not understood is named as not possible, wherever in a node it stands: each of these nodes is given one
// that is not there.
func TestEveryMemberThatIsNotUnderstoodIsNamed(t *testing.T) {
	t.Parallel()
	known := map[string]string{
		"if": `{"conditions":` + fmt.Sprintf(filterOf, condition(`"a"`, "string", "equals", `"a"`)) + `,"options":{}}`, "filter": `{"conditions":{"string":[{"value1":"a","value2":"b"}]}}`,
		"switch": `{"rules":{"values":[{"conditions":` + fmt.Sprintf(filterOf, condition(`"a"`, "string", "equals", `"a"`)) + `}]},"options":{}}`, "splitInBatches": `{"options":{}}`,
		"splitOut": `{"fieldToSplitOut":"a","options":{}}`, "aggregate": `{"fieldsToAggregate":{"fieldToAggregate":[{"fieldToAggregate":"a"}]},"options":{}}`, "limit": `{}`,
		"sort": `{"sortFieldsUi":{"sortField":[{"fieldName":"a"}]},"options":{}}`, "removeDuplicates": `{"options":{}}`, "set": `{"assignments":{"assignments":[{"name":"a","value":"b"}]},"options":{}}`,
		"wait": `{}`, "respondToWebhook": `{"options":{}}`, "html": `{"operation":"extractHtmlContent","extractionValues":{"values":[{"key":"a","cssSelector":"b"}]},"options":{}}`, "markdown": `{"mode":"markdownToHtml"}`,
		"dateTime": `{"options":{}}`, "stopAndError": `{}`, "noOp": `{}`, "merge": `{"mode":"combine","combineBy":"combineByPosition","options":{"clashHandling":{"values":{"resolveClash":"preferInput2"}}}}`,
		"httpRequest": `{"url":"https://a.test","sendHeaders":true,"headerParameters":{"parameters":[{"name":"a","value":"b"}]},"options":{"response":{"response":{"neverError":true}}}}`,
		"code":        `{"jsCode":"return []"}`, "slack": `{"select":"channel","channelId":{"__rl":true,"mode":"id","value":"C"},"text":"x","otherOptions":{}}`, "openAi": `{"resource":"chat","prompt":{"messages":[{"content":"x"}]},"options":{}}`,
		"emailSend": `{"toEmail":"a@b.c","subject":"s","text":"t","options":{}}`,
		"airtable":  `{"operation":"get","base":{"value":"b"},"table":{"value":"t"},"id":"r"}`, "notion": `{"operation":"get","simple":false,"pageId":{"value":"p"}}`,
	}
	impossible := func(kind, parameters, more string) (text string) {
		_, brought := runWorkflow(t, workflowOf(node{name: "N", kind: kind, version: 3, parameters: parameters, more: more}), `[]`)
		for _, note := range brought.Notes {
			if note.Fate == importer.Impossible {
				text += note.Text + "\n"
			}
		}
		return text
	}
	kinds := slices.Sorted(maps.Keys(known))
	for _, kind := range kinds {
		require.Empty(t, impossible(kind, known[kind], ""), kind)
	}
	rapid.Check(t, func(r *rapid.T) {
		kind := rapid.SampledFrom(kinds).Draw(r, "kind")
		name := "z" + rapid.StringMatching(`[a-zA-Z]{3,8}`).Draw(r, "name")
		value := rapid.SampledFrom([]any{true, 1.0, "x", "={{ 1 }}", map[string]any{"a": 1}, []any{"a"}}).Draw(r, "value")
		if rapid.Bool().Draw(r, "member") {
			given, _ := json.Marshal(map[string]any{name: value})
			require.Contains(r, impossible(kind, known[kind], ","+string(given[1:len(given)-1])), name)
			return
		}
		var parameters any
		require.NoError(r, json.Unmarshal([]byte(known[kind]), &parameters))
		var places []map[string]any
		var visit func(value any)
		visit = func(value any) {
			switch value := value.(type) {
			case map[string]any:
				places = append(places, value)
				for _, key := range slices.Sorted(maps.Keys(value)) {
					visit(value[key])
				}
			case []any:
				for _, one := range value {
					visit(one)
				}
			}
		}
		visit(parameters)
		rapid.SampledFrom(places).Draw(r, "place")[name] = value
		given, _ := json.Marshal(parameters)
		require.Contains(r, impossible(kind, string(given), ""), name, string(given))
	})
}

// Rule: with pinned items each node says whether it makes here what it made there, and where it does not.
func TestProve(t *testing.T) {
	t.Parallel()
	text := workflowOf(node{name: "T", kind: "webhook", version: 2, parameters: "{}", to: [][]string{{"Get"}}},
		node{name: "Get", kind: "httpRequest", version: 4.2, parameters: `{"url":"https://shop.test/orders"}`, to: [][]string{{"Large"}}},
		node{name: "Large", kind: "filter", version: 2, parameters: `{"conditions":` + fmt.Sprintf(filterOf, condition(`"={{ $json.total }}"`, "number", "gt", "5")) + `}`, to: [][]string{{"Sum"}}},
		node{name: "Sum", kind: "code", version: 2, parameters: `{"jsCode":"return [{json:{sum:$input.all().reduce((a, i) => a + i.json.total, 0), who:$('T').first().json.body.who}}]"}`, to: [][]string{{"Fail"}, {}}},
		node{name: "Fail", kind: "stopAndError", version: 1, parameters: `{"errorMessage":"=no {{ $json.sum }}"}`, to: [][]string{{"Never"}}},
		node{name: "Never", kind: "noOp", version: 1, parameters: "{}"})
	pinned := func(sum int) string {
		return strings.TrimSuffix(text, "}") + fmt.Sprintf(`,"pinData":{"T":[{"json":{"headers":{},"body":{"who":"Ann"}}}],"Get":[{"json":{"total":3}},{"json":{"total":7}},{"json":{"total":9}}],
			"Large":[{"json":{"total":7}},{"json":{"total":9}}],"Sum":[{"json":{"sum":%d,"who":"Ann"}}],"Never":[{"json":{}}]}}`, sum)
	}
	proofs, err := importer.Prove(t.Context(), pinned(16))
	require.NoError(t, err)
	require.Equal(t, []importer.Proof{
		{Node: "Large", Says: importer.Same}, {Node: "Sum", Says: importer.Same}, {Node: "T", Says: importer.Given}, {Node: "Get", Says: importer.Given},
		{Node: "Never", Says: importer.NotReached}, {Node: "Fail", Says: importer.Differs, Text: "it fails: no 16"},
	}, proofs)
	proofs, err = importer.Prove(t.Context(), pinned(17))
	require.NoError(t, err)
	require.Equal(t, importer.Proof{Node: "Sum", Says: importer.Differs, Text: "$[0].sum is 17, and here 16"}, proofs[1])
	_, err = importer.Prove(t.Context(), text)
	require.ErrorContains(t, err, "no items are pinned in it")
}
