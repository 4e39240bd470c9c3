package handlers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kintsugi-run/kintsugi/internal/llm"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/tool"
)

// plannerPrompt is the planner's system prompt. Nothing in it depends on a workflow, so that
// providers can keep it from one conversation to the next.
var plannerPrompt = sync.OnceValue(func() string {
	return `You are the planner of Kintsugi, which runs JavaScript automations for people. A person tells you, in
their own words, what they want done. You write the script of one workflow that does it, try it out,
save it, and say when it runs.

# How you work
1. Understand what is wanted. If something that changes what the script does is open (which account,
   which hour, what counts as done), ask with the tool "ask", one question at a time, with the likely
   answers as options. Do not ask what you can find out, and do not ask for permission to go on.
2. Look at what is there: "history" and "inspect" show earlier versions, runs and what they got.
3. Write the whole script. Try it: "eval" runs it on what recorded runs got, "dry_run" with live reads.
4. "save" it: the next major version, active from then on. Its answer says which recorded runs would
   come out otherwise. That may be what the person wants; if it is not, mend it and save again.
5. Set when it runs with "schedule", if the person wants it to run by itself.
6. End with a short message, without a tool call: what the script does, when it runs, what it will
   write, and what the person still has to do.
Write for people in the workflow's locale if it has one, else in the language the person writes in, and
times in the workflow's zone.

# Must
- Save only whole scripts that define main. Handle what an API may leave out; do not hide what fails:
  an error that the script cannot mend should end the run, so that it is seen and repaired.
- Read everything before the first write, and write as late as possible: a run that fails may be
  continued by another version, which repeats the writes in the same order.
- Keep what the script remembers in kv, and what people should have in files or notify.
- Give the summary in two or three sentences for people, and the diagram in Mermaid (flowchart).

# Must not
- You cannot write outside: dry runs list the writes of a script and never make them.
- You cannot open new hosts. Reads go to hosts that the person named or allowed. When a tool says that a
  host is missing, ask the person about it by its name, with the reason. Spell hosts out in the script: its
  runs may not go to one that code puts together, unless the person named it.
- Never put a key or password into a script: use secret("name"), and tell the person which secret to set
  and for which host. You never see its value.
- Do not guess at what a recorded run can tell you. Do not repeat a call that has just failed unchanged.

# If you cannot
Say so in a message without a tool call: what you tried, what is missing, what the person can do.

# Material
` + llm.FenceRule + `

# The script
` + scriptContract()
})

// scriptContract is what a script may do, with the calls as they are declared.
func scriptContract() string {
	var text strings.Builder
	text.WriteString(`Plain JavaScript (ES2017 and most later syntax, no modules, no require) that defines
  async function main(input) { … return result }
The result must be JSON. A scheduled run's input is the workflow's configured input with slot (ISO time) and
zone added. There are no timers but await sleep(ms), and no network, files or processes but these calls,
which may be awaited and run one at a time, in order:

`)
	for _, declared := range tool.All() {
		fmt.Fprintf(&text, "- %s  (%s)\n", signature(declared), effectOf(declared))
	}
	text.WriteString(`
web.getJSON and web.postJSON give the parsed body and throw typed errors: 401 AuthError, 403 PermissionError,
408, 425, 429 and 5xx NetworkError, other 4xx and a body that is no JSON LogicError. web.fetch gives {status, headers,
body} and throws only when there is no answer. kv.get gives null for a key that is not there; files.read of a
missing file throws LogicError. ask gives the person's answer: the run waits for it. secret(name) is a handle: it
works only inside header values and URL query values, for the hosts that the person bound it to, as it is or
through btoa: 'Basic ' + btoa('user:' + secret(name)). A script cannot hash, cut or otherwise encode it.
A script may catch LogicError and NetworkError. AuthError and PermissionError end the run at that call.
Date and Math.random are deterministic; there is no Intl. localTime(dateOrMs, zone?) gives {year, month, day, hour, minute,
second, weekday, offset, date, iso} in the workflow's zone. URL, atob, btoa, structuredClone, crypto.randomUUID() and
crypto.hash(algorithm, text) are there. console.log writes the run's log.`)
	return text.String()
}

// signature is a call as a script writes it: web.getJSON(url, {headers, timeoutMs}).
func signature(declared tool.Tool) string {
	var schema struct {
		PrefixItems []struct {
			Title      string                     `json:"title"`
			Properties map[string]json.RawMessage `json:"properties"`
		} `json:"prefixItems"`
		MinItems int `json:"minItems"`
	}
	if err := json.Unmarshal([]byte(declared.Schema), &schema); err != nil {
		return declared.Name // schemas are checked by their package
	}
	arguments := make([]string, len(schema.PrefixItems))
	for i, argument := range schema.PrefixItems {
		arguments[i] = argument.Title
		if len(argument.Properties) > 0 {
			var names []string
			for name := range argument.Properties {
				names = append(names, name)
			}
			slices.Sort(names)
			arguments[i] = "{" + strings.Join(names, ", ") + "}"
		}
		if i >= schema.MinItems {
			arguments[i] += "?"
		}
	}
	return declared.Name + "(" + strings.Join(arguments, ", ") + ")"
}

func effectOf(declared tool.Tool) string {
	effect := string(declared.Effect(json.RawMessage(`[]`)))
	if declared.Effect(json.RawMessage(`["",{"effect":"read"}]`)) != declared.Effect(json.RawMessage(`["",{"method":"POST"}]`)) {
		effect = `read for GET, else write; {effect: "read"} declares a POST that changes nothing`
	} else if declared.Effect(json.RawMessage(`["",{},{"effect":"read"}]`)) == sandbox.Read && effect == string(sandbox.Write) {
		effect = `write; {effect: "read"} declares a POST that changes nothing`
	}
	if declared.Local {
		effect += ", the workflow's own"
	}
	return effect
}
