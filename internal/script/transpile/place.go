package transpile

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
)

// scriptName is the file of a script in stack traces.
const scriptName = "script.js"

// parse reads a text; the nodes stand where place says. The parser panics on some texts.
func parse(s, code string, place func(int) int) (program *ast.Program, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			program, err = nil, &Error{Offset: -1, Message: fmt.Sprintf("the engine cannot read it (%v): a name with letters beyond ASCII behind ... in a list does that; write what is unusual in a simpler way", fault)}
		}
	}()
	// Source maps are off because a comment in the script would make the parser open files of this machine.
	program, err = parser.ParseFile(nil, scriptName, s, 0, parser.WithDisableSourceMaps)
	if err != nil {
		if list, ok := err.(parser.ErrorList); ok && len(list) > 0 {
			return nil, &Error{Offset: place(offsetOf(s, list[0].Position.Line, list[0].Position.Column-1)), Message: list[0].Message}
		}
		return nil, &Error{Offset: -1, Message: err.Error()}
	}
	m := mover{place: place, seen: map[uintptr]bool{}}
	m.move(reflect.ValueOf(program))
	program.File = file.NewFile(scriptName, code, 1)
	return program, nil
}

// mover puts the nodes of a tree to other places.
type mover struct {
	place func(int) int
	seen  map[uintptr]bool
}

var (
	indexType = reflect.TypeFor[file.Idx]()
	treePath  = reflect.TypeFor[ast.Program]().PkgPath()
)

func (m *mover) index(i file.Idx) file.Idx {
	if i < 1 {
		return i
	}
	return file.Idx(m.place(int(i)-1) + 1)
}

func (m *mover) move(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			m.move(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			m.move(v.Index(i))
		}
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() != treePath || m.seen[v.Pointer()] && v.Type().Elem().NumField() > 0 {
			return
		}
		m.seen[v.Pointer()] = true
		if t, ok := v.Interface().(*ast.TemplateLiteral); ok {
			m.template(t)
			return
		}
		m.move(v.Elem())
	case reflect.Struct:
		if v.Type().PkgPath() != treePath {
			return
		}
		for i := range v.NumField() {
			field := v.Field(i)
			switch {
			case field.Type() == indexType && field.CanSet():
				field.SetInt(int64(m.index(file.Idx(field.Int()))))
			case v.Type().Field(i).IsExported():
				m.move(field)
			}
		}
	}
}

// template: the parser counts the elements of a template from another base than the rest, and who
// reads them knows.
func (m *mover) template(t *ast.TemplateLiteral) {
	if len(t.Elements) > 0 {
		by := t.Elements[0].Idx - t.OpenQuote - 1
		for _, element := range t.Elements {
			element.Idx = m.index(element.Idx-by) + by
		}
	}
	t.OpenQuote, t.CloseQuote = m.index(t.OpenQuote), m.index(t.CloseQuote)
	m.move(reflect.ValueOf(&t.Tag).Elem())
	m.move(reflect.ValueOf(t.Expressions))
}

// placesIn says where in a text a place in what esbuild made of it comes from, -1 for what esbuild added. Between two places that
// the source map names it counts on as long as both texts are the same.
func (b built) placesIn(s string) func(int) int {
	list := b.mappings(s)
	return func(at int) int {
		i := sort.Search(len(list), func(i int) bool { return list[i].made > at }) - 1
		if i < 0 {
			return -1
		}
		from := list[i]
		by := at - from.made
		if at <= len(b.code) && strings.HasPrefix(s[from.source:], b.code[from.made:at]) {
			return from.source + by
		}
		return from.source
	}
}
