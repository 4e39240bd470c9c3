package hostcall

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

// Reference is what a script may do, in Markdown, made of what is declared: docs/scripts.md for
// people, and a part of the prompts of agents.
var Reference = sync.OnceValue(func() string {
	var text strings.Builder
	text.WriteString("A script is JavaScript (ES2023) or TypeScript that defines\n\n" +
		"    async function main(input) { … return result }\n\n" +
		"or exports such a function as default (or by module.exports); or its top level is what runs, may await, and returns\n" +
		"the result. It may have several files and packages of npm, which are saved with it from its folder. Whoever calls main is the host: a script does not call it itself.\n" +
		"The result must be JSON. input is what the run was given: of a scheduled run the configured input with slot (an ISO\n" +
		"time) and zone added, of a run that was given nothing the workflow's default, else {}. There is no network and no file\n" +
		"but these.\n\n" +
		"What main takes is read from its types, or from JSDoc: main(input: { day: string; limit?: number }), or\n" +
		"@param {string} input.day. A form asks for it, and a run by hand is refused if its input does not fit. Defaults in\n" +
		"main({ day, limit = 10 }) are shown and refuse nothing.\n\n" +
		"## Calls\n\n" +
		"They may be awaited. A read changes nothing; a write is made once, also if the run is continued after a failure: it\n" +
		"is then answered from what was recorded. Behind each stands what it gives.\n\n")
	for _, declared := range declared() {
		fmt.Fprintf(&text, "- `%s` (%s): %s\n", signature(declared), effectText(declared), declared.Doc)
	}
	fmt.Fprintf(&text, "\nReads over the web that a script does not await one by one are made at the same time, %d at most: the others wait for\n"+
		"their turn, which costs no time on the script's clock. Their answers come as in Node, so that Promise.all, allSettled,\n"+
		"race and any do what they do there. Every other call is made before its function returns, one after the other, and a\n"+
		"write when the reads are over that were begun before. A run ends when its reads are over, also those that nobody\n"+
		"awaits: what one of them throws, and nobody catches, fails the run. If main throws, what it has begun is recorded.\n", sandbox.ReadsAtOnce)
	text.WriteString("\nheaders is an object of texts, timeoutMs bounds the wait. Keys and files are the workflow's own, and stay from run to\n" +
		"run. Runs at the same time (setting max_active) leave them as if one had been after the other: each sees what was there\n" +
		"when it began and its own writes, which count when it ends. If another one has changed what it read, its script begins\n" +
		"again by itself: reads and writes outside are answered from the record, and not made twice. If it would then write\n" +
		"something else outside, a person is asked. kv.update and files.append never have a script begin again. Addresses that are not public are refused with PermissionError unless a person has allowed them.\n\n" +
		"## Without a call\n\n")
	for _, builtin := range engine.Builtins() {
		fmt.Fprintf(&text, "- `%s`: %s\n", builtin.Use, builtin.Doc)
	}
	text.WriteString("\n## Modules\n\nImported by name, or with require. They are parts of Kintsugi, so that a script runs on as it was recorded.\n\n")
	for _, library := range engine.Libraries() {
		also := ""
		if len(library.Packages) > 0 {
			also = " or '" + strings.Join(library.Packages, "', '") + "'"
		}
		fmt.Fprintf(&text, "- `%s`%s: %s\n", library.Use(), also, library.Doc)
	}
	text.WriteString("\n## Files and packages\n\n" +
		"kintsugi script save WORKFLOW --file main.ts saves also the files that main.ts imports by ./ and ../, JSON too, and the packages of npm\n" +
		"that they import: of node_modules, in the versions of package-lock.json, and of these what is needed. --file may be the\n" +
		"folder, with main.ts, index.ts or what package.json calls main. In the version each file stands behind a line //# file, and the packages behind the\n" +
		"last ones; whoever edits a version leaves those lines as they are. export let, files that import each other in a circle, and await at the top level of any file but\n" +
		"the first are refused. A package reaches what a script reaches, and no code is made of text: new Function(text) throws.\n" +
		"Modules of Node that are not above fail where a package uses them. A repair changes the files, and no package.\n")
	text.WriteString("\nDate shows the time at which the run began, and moves when a call returns.\n\n" +
		"## Errors\n\n" +
		"A script may catch LogicError, NetworkError and its own. AuthError, PermissionError and a limit of the host end the\n" +
		"run at that call: no catch and no finally runs. What a script does not catch ends the run; NetworkError has it tried\n" +
		"again later, AuthError and PermissionError wait for a person, everything else is repaired. An error of the script's\n" +
		"own that follows on a status of web.fetch (429, 5xx, 401, 403), or on a page in the place of JSON, counts as that. A failed run\n" +
		"shows the values that its error carries, such as new Error('no price', { cause: e }) and Object.assign(e, { row }).\n\n" +
		"## What is otherwise than in Node\n\n" +
		"Refused when a script is saved: regular expressions with the flags d and v and with two groups of a name,\n" +
		"RegExp.$1 and its kin, decorators, using, import() but for await import('node:crypto'), namespace beside code at the top level, and names and members that are nowhere. Without a word:\n\n" +
		"- A tagged template hands its function another array of texts at each call: a WeakMap finds none again.\n" +
		"- A pattern with u matches nothing between the halves of a surrogate pair, where \\B and a look behind do in Node.\n" +
		"- -0 is not found by includes where 0 is looked for; parseInt('-0') is 0, and String.fromCodePoint refuses -0.\n" +
		"- Half of a surrogate pair becomes U+FFFD in trim, toUpperCase, toLowerCase, normalize and JSON.parse. What localeCompare makes of it, and what toLocaleUpperCase and toLocaleLowerCase make of a language that is none, is otherwise.\n" +
		"- toLocaleLowerCase does not look at the language it is given: of I in Turkish it makes i.\n" +
		"- Numbers of 2**63 and more are 0 to ~, |, <<, Math.imul and the like.\n" +
		"- The last digits of **, of Math's functions, of numbers to another base and of parseInt of long texts may differ, and to another base numbers between -1 and 0 lose their sign.\n" +
		"- Date.parse takes and refuses other texts, where they are neither ISO nor such as dates are written in mails or in English: of digits alone, such as '1772359200000', it takes the first for a year, and T and Z must be capitals. setMilliseconds of a time before 1970 counts from the second after it.\n" +
		"- The length of a BigInt is 0, and not undefined.\n" +
		"- Letters that Unicode has had since version 16 have no other case.\n" +
		"- Names and lengths of some functions, and Array.prototype[Symbol.unscopables].\n" +
		"- Some calls throw where Node throws nothing, or another error: Object.getOwnPropertyDescriptors of an array, BigInt of what is no number, symbols in a WeakMap, JSON.parse of 1e400, toLocaleString of what is no number; Number of an object around a BigInt does not.\n" +
		"- Not there, so that a call throws: Temporal, bold, link and their kin of texts, __defineGetter__ and its kin, getYear, setYear and toGMTString, Intl.Segmenter, Intl.DisplayNames; and Symbol.dispose, hasIndices and Error.stackTraceLimit are undefined.\n" +
		"- A catch at the end of the top level that does nothing but log an error, or end the process, is taken away: main().catch(console.error) fails the run.\n" +
		"- String(date) names the zone UTC, and not Coordinated Universal Time.\n" +
		"- Messages of the language's own errors have other words: do not compare them.\n\n" +
		"## Limits\n\n")
	limits := sandbox.DefaultLimits
	fmt.Fprintf(&text, "Unless the workflow's settings say otherwise a run has %.0f seconds, %.0f of them computing, %d MiB of memory, %d calls,\n"+
		"%d KiB of log, and %d MiB for one result; a script has at most %d KiB. Functions call each\n"+
		"other %d deep at most, of Node's 10,000 or so; a call that goes deeper ends the run, and no catch sees it.\n",
		limits.Wall.Seconds(), limits.CPU.Seconds(), limits.Memory>>20, limits.Calls, limits.LogBytes>>10, limits.ResultBytes>>20, sandbox.MaxCodeBytes>>10, engine.MaxCallStack)
	return text.String()
})

// signature is a call as a script writes it: web.getJSON(url, {headers, timeoutMs}?).
func signature(declared Tool) string {
	s := compileSchema(declared)
	arguments := make([]string, len(s.PrefixItems))
	for i, argument := range s.PrefixItems {
		arguments[i] = argument.Title
		if len(argument.Properties) > 0 {
			arguments[i] = "{" + strings.Join(sortedKeys(argument.Properties), ", ") + "}"
		}
		if i >= s.MinItems {
			arguments[i] += "?"
		}
	}
	return declared.Name + "(" + strings.Join(arguments, ", ") + ")"
}

// effectText is what a call does, asked of the declaration.
func effectText(declared Tool) string {
	var seen []string
	for _, args := range []string{`[""]`, `["",{"method":"POST"}]`} {
		if effect := string(declared.Effect(json.RawMessage(args))); !slices.Contains(seen, effect) {
			seen = append(seen, effect)
		}
	}
	text := seen[0]
	if len(seen) > 1 {
		text = "read for GET and HEAD, else write"
	}
	asRead := []string{`["",{"method":"POST","effect":"read"}]`, `["",null,{"effect":"read"}]`}
	if seen[len(seen)-1] == string(sandbox.Write) && slices.ContainsFunc(asRead, func(args string) bool {
		return declared.Effect(json.RawMessage(args)) == sandbox.Read
	}) {
		text += "; {effect: 'read'} declares one that changes nothing, such as a search"
	}
	return text
}
