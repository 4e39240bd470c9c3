package transpile

import (
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Uses is what a file takes of modules and of other files, names of types left out. A name that is required is *, and one that is
// exported again is what it is exported of. The error is an *Error.
func Uses(code string) ([]Import, error) {
	list := tokens(code)
	o := options(api.LoaderTS)
	if _, err := build(textOf(code), api.LoaderJS, false); err != nil { // TypeScript: what it does not use is a type
		if made, err := transform(textOf(code), o); err == nil {
			list = tokens(made.code)
		}
	}
	var found []Import
	for i, t := range list {
		if t.kind != word || i+1 >= len(list) || i > 0 && (list[i-1].text == "." || list[i-1].text == "?.") {
			continue
		}
		next := list[i+1]
		switch {
		case (t.text == "require" || t.text == "import") && next.text == "(":
			if i+3 < len(list) && list[i+2].kind == quoted && list[i+3].text == ")" {
				name := "*"
				if t.text == "require" {
					name = ""
				}
				found = append(found, Import{Module: strings.Trim(list[i+2].text, `'"`), Name: name, At: t.start})
			}
		case t.depth > 0 || next.text == ":" || next.text == "=" || next.text == ".":
		case t.text == "import":
			var m module
			if _, err := m.imported(list, i); err != nil {
				return nil, err
			}
			found = append(found, m.imports...)
		case t.text == "export" && (next.text == "*" || next.text == "{"):
			found = append(found, exportedFrom(list, i)...)
		}
	}
	return found, nil
}

// exportedFrom reads export … from.
func exportedFrom(list []token, i int) []Import {
	end := i + 1
	for end < len(list) && !(list[end].text == "from" && list[end].depth == 0) {
		if list[end].text == ";" || list[end].line && list[end].depth == 0 && end > i+1 && list[end-1].text == "}" {
			return nil
		}
		end++
	}
	if end+1 >= len(list) || list[end+1].kind != quoted {
		return nil
	}
	module := strings.Trim(list[end+1].text, `'"`)
	if list[i+1].text == "*" {
		return []Import{{Module: module, Name: "*", Local: "*", At: list[i].start}}
	}
	var found []Import
	for j := i + 2; j < end; j++ {
		if list[j].kind == word && (list[j-1].text == "{" || list[j-1].text == ",") && !slices.Contains([]string{"type"}, list[j].text) {
			found = append(found, Import{Module: module, Name: list[j].text, Local: list[j].text, At: list[i].start})
		}
	}
	return found
}
