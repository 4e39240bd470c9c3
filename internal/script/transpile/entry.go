package transpile

import (
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

// CallsMain says that the top level of a script calls a main that takes nothing, or is given something: as in Node the top
// level is what runs, and the host does not call main once more.
func CallsMain(code string) bool {
	code = first(code)
	return strings.Count(code, "main(") > strings.Count(code, "function main(") && callsMain(tokens(code))
}

// first is the text of the file that runs, of a script that may have several.
func first(code string) string { return code[:packages.Split(code)[0].End] }

// controls are the words whose braces belong to what is around them.
var controls = []string{"else", "try", "finally", "do"}

func callsMain(list []token) bool {
	if ifAlone(list) && exportsMain(list) {
		return false // the importer of the export calls it
	}
	called, takesNothing := false, false
	var plain []bool // of each bracket that is open, whether what is in it is done when the top level is
	for i, t := range list {
		open := len(plain) == 0 || plain[len(plain)-1]
		switch {
		case t.kind == mark && (t.text == "(" || t.text == "["):
			plain = append(plain, false)
		case t.kind == mark && t.text == "{":
			plain = append(plain, open && i > 0 && (slices.Contains(controls, list[i-1].text) || list[i-1].text == ")" && ofIf(list, i-1)))
		case t.kind == mark && (t.text == ")" || t.text == "]" || t.text == "}"):
			plain = plain[:max(len(plain)-1, 0)]
		case t.text == "export" && i+1 < len(list) && list[i+1].text == "default" && t.depth == 0:
			return false
		}
		if t.text != mainName || t.kind != word || !open || i+2 >= len(list) {
			continue
		}
		before := token{line: true}
		if i > 0 {
			before = list[i-1]
		}
		switch next := list[i+1].text; {
		case before.text == "function":
			takesNothing = takesNothing || next == "(" && list[i+2].text == ")"
		case next == "=":
			at := i + 2
			if list[at].text == "async" {
				at++
			}
			for at < len(list) && (list[at].text == "function" || list[at].kind == word && list[at-1].text == "function") {
				at++
			}
			takesNothing = takesNothing || at+1 < len(list) && list[at].text == "(" && list[at+1].text == ")"
		case next == "(" && (t.line || slices.Contains([]string{"", ";", "}", "{", ")", "await", "void", "else", "return"}, before.text)):
			called = true
			takesNothing = takesNothing || list[i+2].text != ")"
		}
	}
	return called && takesNothing
}

// ifAlone says that a script asks whether it runs by itself: require.main === module.
func ifAlone(list []token) bool {
	for i := 2; i < len(list); i++ {
		if list[i].text == mainName && list[i-1].text == "." && list[i-2].text == "require" {
			return true
		}
	}
	return false
}

// exportsMain says that main is among what a script hands over as CommonJS does.
func exportsMain(list []token) bool {
	for i, t := range list {
		if t.text != "exports" || t.kind != word || t.depth > 0 || i+2 >= len(list) {
			continue
		}
		if list[i+1].text == "." && list[i+2].text == mainName {
			return true
		}
		if list[i+1].text != "=" {
			continue
		}
		if list[i+2].text == mainName && (i+3 == len(list) || list[i+3].text == ";" || list[i+3].line) {
			return true
		}
		if list[i+2].text == "{" && hasMember(list, i+2, mainName) {
			return true
		}
	}
	return false
}

// hasMember says that an object that is written out from a bracket on has, or may have, a member of one of some names.
func hasMember(list []token, open int, names ...string) bool {
	for i := open + 1; i < len(list) && list[i].depth > list[open].depth; i++ {
		if t := list[i]; t.depth == list[open].depth+1 && slices.Contains(names, strings.Trim(t.text, "'\"")) && list[i-1].text != ":" {
			return true
		}
	}
	return false
}

// ofIf says that a closing parenthesis ends the condition of an if.
func ofIf(list []token, closes int) bool {
	open := opening(list, closes)
	return open > 0 && list[open-1].text == "if"
}

// opening is where the bracket opens that closes at a place; -1 if none does.
func opening(list []token, closes int) int {
	for i := closes - 1; i >= 0; i-- {
		if list[i].depth == list[closes].depth && (list[i].text == "(" || list[i].text == "{" || list[i].text == "[") {
			return i
		}
	}
	return -1
}

// lastCatch takes away what the last statement of a top level does about a failure of the whole, if it is to say so and to end
// the process: main().catch((e) => { console.error(e); process.exit(1) }). Here such a failure is the run's.
func lastCatch(list []token) []edit {
	at := len(list) - 1
	for at > 0 && list[at].text == ";" {
		at--
	}
	for at > 2 && list[at].text == ")" && list[at].depth == 0 {
		open := opening(list, at)
		if open < 2 || list[open-2].text != "." {
			return nil
		}
		if list[open-1].text == "catch" {
			inside := list[open+1 : at]
			says := slices.ContainsFunc(inside, func(t token) bool { return t.text == "console" || t.text == "process" })
			acts := slices.ContainsFunc(inside, func(t token) bool { return slices.Contains([]string{"await", "return", "throw", "new"}, t.text) })
			for i, t := range inside {
				if t.kind != word || i+1 >= len(inside) || inside[i+1].text != "(" || t.text == "async" || t.text == "function" || t.text == "if" {
					continue
				}
				// A call of something else than what writes, or ends the process.
				acts = acts || i < 2 || inside[i-1].text != "." || !slices.Contains([]string{"console", "process", "stderr", "stdout"}, inside[i-2].text)
			}
			if !says || acts {
				return nil
			}
			return []edit{{list[open-2].start, list[at].end, ""}}
		}
		if list[open-1].text != "finally" && list[open-1].text != "then" {
			return nil
		}
		at = open - 3
	}
	return nil
}

// entries are the names of what runs, of what a module of other places exports.
var entries = []string{"handler", "run", "scheduled"}

// This is put around an object that is exported as default, of which a function runs: what Workers, and steps of workflows
// elsewhere, hand over.
const (
	objectBegins = `var main = ((made) => { const run = ['main', 'default', 'handler', 'run', 'scheduled'].map((name) => made[name]).find((one) => typeof one === 'function'); ` +
		`if (!run) throw new TypeError('the default export has no function main, handler, run or scheduled'); ` +
		`return async (input) => { const waits = []; const value = await run.call(made, input, process.env, { waitUntil(one) { waits.push(one); }, passThroughOnException() {} }); await Promise.all(waits); return value; }; })(`
	objectEnds = ");"
)
