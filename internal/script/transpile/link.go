package transpile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

// A script of several files runs as one text. Each file but the first becomes a function around its text, which is called where
// it is imported and gives what it exports, the same at each call:
//
//	function $file1() { if ($file1.made) return $file1.made;
//	…
//	return $file1.made = { … }; }
//
// No text of a file moves, so that every place stays the author's.

// FileFunction begins the name of the function that a file becomes.
const FileFunction = "$file"

// linked is a file of a script.
type linked struct {
	packages.File
	number   int
	list     []token
	commonJS bool              // it hands over by module.exports
	exports  map[string]string // expressions, by the names that others import
	types    map[string]bool   // what it exports that is no value
	whole    []string          // expressions whose members it exports all
	uses     []*linked         // what it imports
	edits    []edit
}

type linker struct {
	files   map[string]*linked
	ordered []*linked
	checks  []func() error // of names that are imported, when all files are read
}

// link reads the files of a code behind the first one, and gives the edits that make functions of them; of the first one what to
// do with imports of the others.
func link(code string, list []token) (*linker, error) {
	l := &linker{files: map[string]*linked{}}
	files := packages.Split(code)
	if len(files) == 1 {
		return l, nil
	}
	at := 0
	for i, file := range files {
		end := at
		for end < len(list) && list[end].start < file.End {
			end++
		}
		one := &linked{File: file, number: i, list: list[at:end], exports: map[string]string{}, types: map[string]bool{}}
		at = end
		if l.files[file.Name] != nil {
			return nil, &Error{Offset: file.Mark, Known: true, Message: fmt.Sprintf("there are two files %s", file.Name)}
		}
		if last := len(one.list) - 1; last >= 0 && (one.list[0].depth != 0 || one.list[last].depth != 0) {
			return nil, &Error{Offset: file.Start, Known: true, Message: fmt.Sprintf("the brackets of %s or of the file before it are not closed", name(file.Name))}
		}
		l.files[file.Name] = one
		l.ordered = append(l.ordered, one)
	}
	for _, one := range l.ordered[1:] {
		if err := l.read(one); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func name(file string) string {
	if file == "" {
		return "the first file"
	}
	return file
}

// round refuses files that import each other.
func (l *linker) round(one *linked, above []*linked) error {
	if slices.Contains(above, one) {
		return &Error{Offset: one.Mark, Known: true, Message: fmt.Sprintf("%s imports what imports it: move what both need into a file of its own", name(one.Name))}
	}
	for _, used := range one.uses {
		if err := l.round(used, append(slices.Clip(above), one)); err != nil {
			return err
		}
	}
	return nil
}

// find is the file that a file imports by a name.
func (l *linker) find(from *linked, module string, t token) (*linked, error) {
	found := l.files[packages.Find(packages.Resolve(from.Name, module), func(name string) bool { return l.files[name] != nil })]
	if found == nil || found.number == 0 {
		return nil, at(t, "there is no file %s: save the folder with it, kintsugi script save WORKFLOW --file FOLDER", module)
	}
	from.uses = append(from.uses, found)
	return found, nil
}

func (one *linked) call() string { return fmt.Sprintf("%s%d()", FileFunction, one.number) }

// taken is what stands in the place of an import.
func (l *linker) taken(from *linked, imports []Import, t token) (string, error) {
	if len(imports) == 0 {
		return ";", nil
	}
	var value string
	var target *linked
	if module := imports[0].Module; packages.Relative(module) {
		found, err := l.find(from, module, t)
		if err != nil {
			return "", err
		}
		target, value = found, found.call()
	} else {
		value = "require('" + module + "')"
	}
	var parts, names []string
	for _, one := range imports {
		if target != nil && one.Local != "" && one.Name != "*" {
			l.checks = append(l.checks, func() error {
				if target.exported(one.Name) {
					return nil
				}
				return at(t, "%s exports no %s", name(target.Name), one.Name)
			})
		}
		switch {
		case one.Local == "":
		case one.Name == "*", one.Name == "default" && target != nil && handsOver(target.list):
			parts = append(parts, one.Local+" = "+value)
		case one.Name == one.Local:
			names = append(names, one.Name)
		default:
			names = append(names, one.Name+": "+one.Local)
		}
	}
	if len(names) > 0 {
		parts = append(parts, "{ "+strings.Join(names, ", ")+" } = "+value)
	}
	if len(parts) == 0 {
		return value + ";", nil
	}
	return "const " + strings.Join(parts, ", ") + ";", nil
}

// exported says that a file exports a name, or may.
func (one *linked) exported(name string) bool {
	if one.commonJS || one.types[name] || len(one.whole) > 0 {
		return true
	}
	_, is := one.exports[name]
	return is
}

// required makes a call of a file of a call of require.
func (l *linker) required(from *linked) error {
	list := from.list
	for i, t := range list {
		if (t.text != "require" && t.text != "import") || t.kind != word || i+3 >= len(list) || list[i+1].text != "(" || list[i+2].kind != quoted || list[i+3].text != ")" || i > 0 && list[i-1].text == "." {
			continue
		}
		if module := strings.Trim(list[i+2].text, `'"`); packages.Relative(module) {
			found, err := l.find(from, module, t)
			if err != nil {
				return err
			}
			from.edits = append(from.edits, edit{t.start, list[i+3].end, found.call()})
		}
	}
	return nil
}

// read makes a function of a file.
func (l *linker) read(one *linked) error {
	list := one.list
	for i := 0; i < len(list); i++ {
		t := list[i]
		if t.kind != word || t.depth > 0 || t.text != "import" && t.text != "export" || i > 0 && (list[i-1].text == "." || list[i-1].text == "?.") || i+1 >= len(list) {
			continue
		}
		next := list[i+1]
		switch {
		case next.text == ":" || next.text == "=" || next.text == "(" || t.text == "import" && next.text == ".":
			continue
		case t.text == "import":
			var m module
			end, err := m.imported(list, i)
			if err != nil {
				return err
			}
			with, err := l.taken(one, m.imports, t)
			if err != nil {
				return err
			}
			one.edits = append(one.edits, edit{t.start, m.edits[0].end, with})
			i = end
		default:
			end, err := l.export(one, i)
			if err != nil {
				return err
			}
			i = end
		}
	}
	if err := l.required(one); err != nil {
		return err
	}
	for _, t := range list {
		if t.text == "await" && t.kind == word && t.depth == 0 {
			return at(t, "await at the top level is supported in the file that runs: put it into a function of %s", one.Name)
		}
	}
	call := one.call()
	function := strings.TrimSuffix(call, "()")
	begins := fmt.Sprintf("function %s { if (%s.made) return %[2]s.made; ", call, function)
	var ends string
	if one.commonJS = handsOver(list); one.commonJS {
		begins += "const module = { exports: {} }; let exports = module.exports; "
		ends = fmt.Sprintf("\n; return %s.made = module.exports; }\n", function)
	} else {
		var members []string
		for _, expression := range one.whole {
			members = append(members, "..."+expression)
		}
		for _, name := range sortedNames(one.exports) {
			members = append(members, fmt.Sprintf("%s: %s", name, one.exports[name]))
		}
		ends = fmt.Sprintf("\n; return %s.made = { %s }; }\n", function, strings.Join(members, ", "))
	}
	one.edits = append(one.edits, edit{one.Mark, one.Start, begins}, edit{one.End, one.End, ends})
	return nil
}

// handsOver says that a file is CommonJS.
func handsOver(list []token) bool {
	for i, t := range list {
		if t.depth == 0 && t.kind == word && (t.text == "export" || t.text == "import") && t.line && i+1 < len(list) && list[i+1].text != "(" && list[i+1].text != "." {
			return false
		}
	}
	return assignsExports(list)
}

func sortedNames(of map[string]string) []string {
	names := make([]string, 0, len(of))
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// export reads an export of a file that others import, and says where what it is about begins.
func (l *linker) export(one *linked, i int) (int, error) {
	list := one.list
	start, next := list[i], list[i+1]
	after := func(n int) token {
		if i+n < len(list) {
			return list[i+n]
		}
		return token{}
	}
	switch {
	case next.text == "default":
		return l.exportDefault(one, i)
	case next.text == "*":
		end := i + 2
		as := ""
		if after(2).text == "as" {
			as, end = after(3).text, i+4
		}
		if end+1 >= len(list) || list[end].text != "from" || list[end+1].kind != quoted {
			return i, at(start, "export * needs from and a file in quotes")
		}
		from, err := l.from(one, list[end+1])
		if err != nil {
			return i, err
		}
		if as != "" {
			one.exports[as] = from
		} else {
			one.whole = append(one.whole, from)
		}
		return l.left(one, i, end+1), nil
	case next.text == "{", next.text == "type" && after(2).text == "{":
		return l.exportList(one, i)
	case next.text == "let" || next.text == "var":
		return i, at(start, "export %s is not supported, for others would see its first value only: export a function that gives it", next.text)
	case declares[next.text]:
		types := next.text == "type" || next.text == "interface" || next.text == "declare"
		j := i + 2
		for j < len(list) && (list[j].text == "function" || list[j].text == "class" || list[j].text == "enum" || list[j].text == "*") {
			j++
		}
		if next.text == "const" && (after(2).text == "{" || after(2).text == "[") {
			return i, at(start, "export const with a pattern is not supported: declare it first, and then export { … }")
		}
		if j < len(list) && list[j].kind == word {
			if types {
				one.types[list[j].text] = true
			} else {
				one.exports[list[j].text] = list[j].text
			}
		}
		if next.text == "const" && after(2).text != "enum" {
			one.others(i + 2)
		}
		one.edits = append(one.edits, edit{start.start, next.start, ""})
		return i, nil
	}
	return i, at(start, "this export is not supported: write export const, export function, export class or export { … }")
}

// others finds the second and later names of export const a = 1, b = 2.
func (one *linked) others(i int) {
	for j := i + 1; j+1 < len(one.list); j++ {
		t := one.list[j]
		if t.depth == 0 && (t.text == ";" || t.line && t.kind == word && (declares[t.text] || t.text == "export" || t.text == "import" || t.text == "if" || t.text == "for")) {
			return
		}
		if t.depth == 0 && t.text == "," && one.list[j+1].kind == word && j+2 < len(one.list) && (one.list[j+2].text == "=" || one.list[j+2].text == ":") {
			one.exports[one.list[j+1].text] = one.list[j+1].text
		}
	}
}

// left leaves a statement out, and says where it ends.
func (l *linker) left(one *linked, i, end int) int {
	if end+1 < len(one.list) && one.list[end+1].text == ";" {
		end++
	}
	one.edits = append(one.edits, edit{one.list[i].start, one.list[end].end, ";"})
	return end
}

// from is the value of a module that something is exported from.
func (l *linker) from(one *linked, t token) (string, error) {
	module := strings.Trim(t.text, `'"`)
	if !packages.Relative(module) {
		return "require('" + module + "')", nil
	}
	found, err := l.find(one, module, t)
	if err != nil {
		return "", err
	}
	return found.call(), nil
}

// exportList reads export { a, b as c } and export { a } from.
func (l *linker) exportList(one *linked, i int) (int, error) {
	list := one.list
	open := i + 1
	types := list[open].text == "type"
	if types {
		open++
	}
	end := open
	for end < len(list) && !(list[end].text == "}" && list[end].depth == 0) {
		end++
	}
	if end >= len(list) {
		return i, at(list[i], "the list of exports has no end")
	}
	last, of := end, ""
	if end+2 < len(list) && list[end+1].text == "from" {
		last = end + 2
		from, err := l.from(one, list[last])
		if err != nil {
			return i, err
		}
		of = from
	}
	for j := open + 1; j < end; j++ {
		if list[j].kind != word {
			continue
		}
		isType := types
		if list[j].text == "type" && j+1 < end && list[j+1].kind == word && list[j+1].text != "as" {
			isType = true
			j++
		}
		local, name := list[j].text, list[j].text
		if j+2 < end && list[j+1].text == "as" {
			name = list[j+2].text
			j += 2
		}
		switch {
		case isType:
			one.types[name] = true
		case of != "":
			one.exports[name] = of + "." + local
		default:
			one.exports[name] = local
		}
	}
	return l.left(one, i, last), nil
}

// exportDefault gives what is exported as default a name.
func (l *linker) exportDefault(one *linked, i int) (int, error) {
	list := one.list
	if i+2 >= len(list) {
		return i, at(list[i], "export default needs something behind it")
	}
	value := list[i+2]
	j := i + 2
	if list[j].text == "async" && j+1 < len(list) && list[j+1].text == "function" || list[j].text == "abstract" {
		j++
	}
	if value.text == "interface" {
		one.types["default"] = true
		one.edits = append(one.edits, edit{list[i].start, value.start, ""})
		return i + 1, nil
	}
	if list[j].text == "function" || list[j].text == "class" {
		k := j + 1
		if k < len(list) && list[k].text == "*" {
			k++
		}
		if k < len(list) && list[k].kind == word && list[k].text != "extends" {
			one.exports["default"] = list[k].text
			one.edits = append(one.edits, edit{list[i].start, value.start, ""})
			return i + 1, nil
		}
		end := bodyEnd(list[j:], one.End)
		one.edits = append(one.edits, edit{end, end, ";"})
	}
	one.exports["default"] = "$default"
	one.edits = append(one.edits, edit{list[i].start, value.start, "const $default = "})
	return i + 1, nil
}

// linked takes the files of a script into it: imports of them become calls of their functions.
func (m *module) linked(l *linker) error {
	first := l.files[""]
	if first == nil {
		return nil
	}
	byStatement := map[int][]Import{}
	m.imports = slices.DeleteFunc(m.imports, func(one Import) bool {
		if packages.Relative(one.Module) {
			byStatement[one.At] = append(byStatement[one.At], one)
			return true
		}
		return false
	})
	for i, e := range m.edits {
		imports := byStatement[e.start]
		if len(imports) == 0 {
			continue
		}
		with, err := l.taken(first, imports, token{start: e.start})
		if err != nil {
			return err
		}
		m.edits[i].with = with
	}
	if err := l.required(first); err != nil {
		return err
	}
	for _, one := range l.ordered {
		if err := l.round(one, nil); err != nil {
			return err
		}
		m.edits = append(m.edits, one.edits...)
	}
	for _, check := range l.checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}
