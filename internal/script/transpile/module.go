package transpile

import (
	"fmt"
	"slices"
	"strings"
)

// Import is a name that a script takes from a module.
type Import struct {
	Module string // without quotes
	Name   string // what the module calls it; * for all of it, default
	Local  string // what the script calls it
	At     int    // offset of the statement
}

// module is what a script's imports and exports come to.
type module struct {
	is      bool // there are some: the script is in strict mode
	imports []Import
	main    bool    // there is a default export
	names   []token // of functions that are exported
	edits   []edit
}

// declares are the words that may follow export and stay without it.
var declares = map[string]bool{
	"const": true, "let": true, "var": true, "function": true, "async": true, "class": true, "type": true, "interface": true,
	"enum": true, "abstract": true, "declare": true, "namespace": true,
}

// readModule finds imports and exports, and how the text reads without them.
func readModule(code string, list []token) (module, error) {
	var m module
	for i := 0; i < len(list); i++ {
		t := list[i]
		if t.kind != word || t.depth > 0 || t.text != "import" && t.text != "export" || i > 0 && (list[i-1].text == "." || list[i-1].text == "?.") || i+1 >= len(list) {
			continue
		}
		next := list[i+1]
		var err error
		switch {
		case t.text == "import" && next.text == ".", next.text == ":" || next.text == "=" || next.text == "(":
			continue // a call of import, or a name; what follows says what is wrong with it
		case t.text == "import":
			i, err = m.imported(list, i)
		default:
			i, err = m.exported(code, list, i)
		}
		if err != nil {
			return m, err
		}
		m.is = true
	}
	return m, nil
}

// ownURL is the address of a script, which is the file that process.argv says was started.
const ownURL = "'file:///script.js'"

// ofMeta are the members of import.meta, as Node 20 has them and __dirname and __filename say.
var ofMeta = map[string]string{"url": ownURL, "dirname": "'.'", "filename": "'./script.js'", "main": "undefined"}

// readAtRun finds await import('name'), which is require('name') here: all modules are there from the beginning. And it
// finds import.meta.
func (m *module) readAtRun(list []token) error {
	for i, t := range list {
		if t.text != "import" || t.kind != word || i+2 >= len(list) || i > 0 && (list[i-1].text == "." || list[i-1].text == "?.") {
			continue
		}
		switch next := list[i+1]; {
		case next.text == ".":
			made, known := "", false
			if i+4 < len(list) && list[i+2].text == "meta" && list[i+3].text == "." {
				made, known = ofMeta[list[i+4].text]
			}
			if !known {
				return at(t, "of import.meta there are url, dirname and filename here")
			}
			m.edits = append(m.edits, edit{t.start, list[i+4].end, made})
			m.is = true
		case next.text == "(" && list[i+2].text != ")" && !(i > 0 && list[i-1].text == "function"):
			if i > 0 && (list[i-1].text == "{" || list[i-1].text == "," || list[i-1].text == "async" || list[i-1].text == "get") && declaresMethod(list[i+1:]) {
				continue // a method of this name
			}
			if list[i+2].kind != quoted || i+3 >= len(list) || list[i+3].text != ")" {
				return at(t, "import() needs the name of a module in quotes here: write await import('node:crypto')")
			}
			if i == 0 || list[i-1].text != "await" {
				return at(t, "import() is supported behind await here: write await import(%[1]s), or import { … } from %[1]s at the top", list[i+2].text)
			}
			m.edits = append(m.edits, edit{t.start, t.end, "require"})
		}
	}
	return nil
}

// declaresMethod says that a list of tokens is the parameters of a method and its body.
func declaresMethod(list []token) bool {
	for i, t := range list {
		if t.text == ")" && t.depth == list[0].depth {
			return i+1 < len(list) && list[i+1].text == "{"
		}
	}
	return false
}

func at(t token, format string, values ...any) error {
	return &Error{Offset: t.start, Message: fmt.Sprintf(format, values...), Known: true}
}

// imported reads an import, and says where it ends.
func (m *module) imported(list []token, i int) (int, error) {
	start, types, onlyTypes := list[i], false, false
	if list[i+1].text == "type" && i+2 < len(list) && list[i+2].text != "from" && list[i+2].text != "," {
		types = true
		i++
	}
	var found []Import
	for i++; i < len(list) && list[i].kind != quoted; i++ {
		t := list[i]
		switch {
		case t.kind != word || t.text == "from" && t.depth == 0 || t.text == "as":
			continue
		case list[i-1].text == "as" && list[i-2].text == "*":
			found = append(found, Import{Name: "*", Local: t.text})
			continue
		case list[i-1].text == "as" && len(found) > 0:
			found[len(found)-1].Local = t.text
			continue
		case t.text == "type" && i+1 < len(list) && list[i+1].kind == word && list[i+1].text != "as":
			i++ // a type among names
			onlyTypes = true
			continue
		}
		one := Import{Name: t.text, Local: t.text}
		if t.depth == 0 {
			one.Name = "default"
		}
		found = append(found, one)
	}
	if i >= len(list) {
		return i, at(start, "import needs a module in quotes")
	}
	name := strings.Trim(list[i].text, `'"`)
	if i+1 < len(list) && (list[i+1].text == "with" || list[i+1].text == "assert") && !list[i+1].line {
		if !strings.HasSuffix(name, ".json") || !saysJSON(list[i+2:]) {
			return i, at(list[i+1], "import attributes are supported for files of JSON: with { type: 'json' }")
		}
		i += 6
	}
	end := list[i].end
	if i+1 < len(list) && list[i+1].text == ";" {
		i++
		end = list[i].end
	}
	if !types {
		if len(found) == 0 && !onlyTypes {
			found = []Import{{}}
		}
		for _, one := range found {
			one.Module, one.At = name, start.start
			m.imports = append(m.imports, one)
		}
	}
	m.edits = append(m.edits, edit{start.start, end, ";"})
	return i, nil
}

// saysJSON says that a list of tokens begins with { type: 'json' }.
func saysJSON(list []token) bool {
	const long = 5
	if len(list) < long {
		return false
	}
	said := strings.Trim(list[0].text+list[1].text+list[2].text+strings.Trim(list[3].text, `'"`)+list[4].text, ",")
	return said == "{type:json}"
}

// exported reads an export, and says where what it is about begins.
func (m *module) exported(code string, list []token, i int) (int, error) {
	start, next := list[i], list[i+1]
	switch {
	case next.text == "default":
		return m.exportedDefault(code, list, i)
	case next.text == "{":
		end := i + 1
		for end < len(list) && !(list[end].text == "}" && list[end].depth == 0) {
			end++
		}
		if end >= len(list) {
			return i, at(start, "the list of exports has no end")
		}
		if end+1 < len(list) && list[end+1].text == "from" {
			return i, at(start, "a script has nobody to export to: leave this line out")
		}
		with := ";"
		for j := i + 2; j+2 <= end; j++ {
			if list[j+1].text == "as" && (list[j+2].text == "default" || list[j+2].text == mainName) && list[j].text != mainName {
				m.main = true
				with = "; var main = " + list[j].text + ";"
			}
		}
		if end+1 < len(list) && list[end+1].text == ";" {
			end++
		}
		m.edits = append(m.edits, edit{start.start, list[end].end, with})
		return end, nil
	case next.text == "type" && i+2 < len(list) && list[i+2].text == "{": // of types, which nobody takes
		end := i + 2
		for end < len(list) && !(list[end].text == "}" && list[end].depth == 0) {
			end++
		}
		if end+2 < len(list) && list[end+1].text == "from" {
			end += 2
		}
		if end >= len(list) {
			return i, at(start, "the list of exports has no end")
		}
		m.edits = append(m.edits, edit{start.start, list[end].end, ";"})
		return end, nil
	case declares[next.text]:
		j := i + 1
		for j < len(list) && (list[j].text == "async" || list[j].text == "function" || list[j].text == "const" || list[j].text == "let" || list[j].text == "var") {
			j++
		}
		if j < len(list) && list[j].kind == word {
			m.names = append(m.names, list[j])
		}
		m.edits = append(m.edits, edit{start.start, next.start, ""})
		return i, nil
	}
	return i, at(start, "a script has nobody to export to: export default a function, or leave this line out")
}

// exportedDefault makes main of what is exported.
func (m *module) exportedDefault(code string, list []token, i int) (int, error) {
	if m.main {
		return i, at(list[i], "there is a second default export")
	}
	m.main = true
	if i+2 >= len(list) {
		return i, at(list[i], "export default needs a function behind it")
	}
	value := list[i+2]
	switch value.text {
	case "{":
		if !hasMember(list, i+2, "main", "default", "handler", "run", "scheduled", "...", "[") {
			return i, at(list[i], "the default export must be a function, which is what runs, or an object with one that is called main, handler, run or scheduled")
		}
		end := len(list) - 1
		for j := i + 3; j < len(list); j++ {
			if list[j].text == "}" && list[j].depth == value.depth {
				end = j
				break
			}
		}
		m.edits = append(m.edits, edit{list[i].start, value.start, objectBegins}, edit{list[end].end, list[end].end, objectEnds})
		return end, nil
	case "interface", "abstract", "class", "[", "new":
		return i, at(list[i], "the default export must be a function, which is what runs: export default async function (input) { … }")
	}
	j := i + 2
	if list[j].text == "async" && j+1 < len(list) && list[j+1].text == "function" {
		j++
	}
	named := ""
	isFunction := list[j].text == "function"
	if isFunction && j+2 < len(list) {
		k := j + 1
		if list[k].text == "*" {
			k++
		}
		if list[k].kind == word {
			named = list[k].text
		}
	}
	if named == mainName {
		m.edits = append(m.edits, edit{list[i].start, value.start, ""})
		return i, nil
	}
	if value.text == mainName && value.depth == 0 && (i+3 >= len(list) || list[i+3].text == ";" || list[i+3].line) { // export default main
		m.edits = append(m.edits, edit{list[i].start, value.start, ""})
		return i + 2, nil
	}
	// A function's declaration ends with its braces, an expression with its statement.
	end := len(code)
	if isFunction {
		end = bodyEnd(list[j:], end)
	}
	switch {
	case named != "":
		m.edits = append(m.edits, edit{list[i].start, value.start, ""}, edit{end, end, " ; var main = " + named + ";"})
	default:
		m.edits = append(m.edits, edit{list[i].start, value.start, "var main = "})
		if isFunction {
			m.edits = append(m.edits, edit{end, end, ";"})
		}
	}
	return i + 1, nil
}

// beforeTypes is what stands before the braces of a type, and not of a body.
const beforeTypes = ": < | & , => extends"

// bodyEnd is where the body of a function or class ends whose tokens begin the list. A type may stand
// between parameters and body, and have braces of its own.
func bodyEnd(list []token, otherwise int) int {
	open := false
	for i, t := range list {
		switch {
		case t.depth > 0 || i == 0:
		case t.text == "{" && !strings.Contains(beforeTypes, list[i-1].text):
			open = true
		case t.text == "}" && open:
			return t.end
		}
	}
	return otherwise
}

// unused leaves out imports of types: what no word of the script that is run names.
func (m *module) unused(left []token) {
	m.imports = slices.DeleteFunc(m.imports, func(one Import) bool {
		return one.Local != "" && !slices.ContainsFunc(left, func(t token) bool { return t.kind == word && t.text == one.Local })
	})
}
