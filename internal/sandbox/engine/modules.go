package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
	"github.com/kintsugi-run/kintsugi/internal/script/transpile"
)

// ownModule has all globals of a script under their names, for who likes to import what they use.
const ownModule = "kintsugi"

// instead is what a script has in the place of modules that people and models import.
var instead = map[string]string{
	"axios": "web.fetch, web.getJSON or web.postJSON", "node-fetch": "fetch, which is there without import", "cross-fetch": "fetch, which is there without import", "got": "web.fetch", "undici": "fetch, which is there without import",
	"request": "web.fetch", "superagent": "web.fetch",
	"csv-parse": "kintsugi:csv", "csv-parse/sync": "kintsugi:csv", "csv-stringify/sync": "kintsugi:csv", "papaparse": "kintsugi:csv",
	"cheerio": "kintsugi:html", "node-html-parser": "kintsugi:html", "jsdom": "kintsugi:html", "linkedom": "kintsugi:html", "fast-xml-parser": "kintsugi:xml", "xml2js": "kintsugi:xml", "rss-parser": "kintsugi:rss",
	"marked": "kintsugi:markdown", "markdown-it": "kintsugi:markdown", "ajv": "kintsugi:schema, which is zod", "joi": "kintsugi:schema, which is zod", "yup": "kintsugi:schema, which is zod",
	"moment": "kintsugi:dates, which is luxon", "moment-timezone": "kintsugi:dates, which is luxon", "dayjs": "kintsugi:dates, which is luxon", "date-fns": "kintsugi:dates, which is luxon", "date-fns-tz": "kintsugi:dates, which is luxon",
	"big.js": "kintsugi:decimal", "bignumber.js": "kintsugi:decimal",
	"uuid":          "crypto.randomUUID()",
	"child_process": "nothing: a script starts no programs", "dotenv": "process.env.NAME or secret(name), without it",
}

// resolveImports finds what a script takes from libraries, and says what of its imports is not there.
func (s *script) resolveImports(code string, imports []transpile.Import) (map[string]imported, error) {
	found := map[string]imported{}
	for _, one := range imports {
		line, column := position(code, one.At)
		at := func(format string, values ...any) error {
			return &sandbox.SyntaxError{Line: line, Column: column, Message: fmt.Sprintf(format, values...)}
		}
		if one.Module == ownModule {
			if one.Name != one.Local {
				return nil, at("import { %s } from '%s' takes names as they are, and needs no import: they are there", one.Local, ownModule)
			}
			continue
		}
		library, err := s.module(one.Module)
		if err != nil {
			return nil, at("%s", err)
		}
		if library.ofPackages {
			if taken := s.lock.Module(one.Module); one.Local != "" && !taken.Has(one.Name) {
				return nil, at("%s of %s is not among what the script took of it when it was saved: save it again from its folder", one.Name, one.Module)
			}
			found[one.Local] = imported{library, one.Name}
			continue
		}
		if one.Local == "" {
			continue
		}
		if one.Name != "*" && one.Name != "default" && !slices.Contains(library.Exports, one.Name) {
			return nil, at("%s has no %s; it has %s", one.Module, one.Name, strings.Join(library.Exports, ", "))
		}
		found[one.Local] = imported{library, one.Name}
	}
	return found, nil
}

// findLibrary is the library of a module's name. The error says what there is in its place.
func findLibrary(module string) (*Library, error) {
	if library := libraries[module]; library != nil {
		return library, nil
	}
	if strings.HasPrefix(module, Prefix) {
		return nil, fmt.Errorf("there is no module %q; there are %s", Cut(module, 60), strings.Join(libraryNames(), ", "))
	}
	if packages.Relative(module) {
		return nil, fmt.Errorf("there is no file %s beside the script: save its folder, kintsugi script save WORKFLOW --file FOLDER", Cut(module, 60))
	}
	if use, known := instead[strings.TrimPrefix(module, "node:")]; known {
		return nil, fmt.Errorf("there is no module %q; use %s", Cut(module, 60), use)
	}
	return nil, fmt.Errorf("there is no module %q: packages of npm are taken from the script's folder, as kintsugi script save WORKFLOW --file FOLDER does; without there are modules %s", Cut(module, 60), strings.Join(libraryNames(), ", "))
}

// libraryNames are the names of libraries as people import them: those of Node by Node's names.
func libraryNames() []string {
	var names []string
	for _, l := range Libraries() {
		name := Prefix + l.Name
		if of, is := strings.CutPrefix(l.Name, "node/"); is {
			name = "node:" + of
		}
		names = append(names, name)
	}
	return names
}

// CheckModule says why a script has no module of a name, as who writes scripts is told; nil if there is one.
func CheckModule(code, module string) error {
	if module == ownModule {
		return nil
	}
	_, err := (&script{lock: packages.LockOf(code)}).module(module)
	return err
}

var _ = Declare(Builtin{
	Names: []string{"require"},
	Use:   "require(module)",
	Doc:   "What import * as name from module gives, for who writes it so, as does await import(module). The modules are those below.",
	Types: "declare function require(module: string): any;",
	Make: func(r *Run, name string) goja.Value {
		made := r.Function(name, func(call goja.FunctionCall) goja.Value {
			r.Alive()
			module := call.Argument(0).String()
			if module == ownModule {
				return r.global
			}
			library, err := r.script.module(module)
			if err != nil {
				panic(r.VM.NewTypeError("%s", err.Error()))
			}
			if library.ofPackages {
				return r.packageValue(module, "")
			}
			return r.imported(imported{library, "*"})
		})
		if r.script.callsMain { // as in if (require.main === module) main()
			Define(made, "main", r.Standard("module"), Visible)
		}
		return made
	},
})

var _ = Declare(Builtin{
	Names: []string{"module", "exports"},
	Use:   "module, exports",
	Doc:   "For who hands over what runs as CommonJS does, module.exports = main: a function, or an object with a function main, default, handler or run, or with one function.",
	Types: "declare var module: { exports: any };\ndeclare var exports: any;",
	Make: func(r *Run, name string) goja.Value {
		if r.module == nil {
			r.module = r.VM.NewObject()
			Define(r.module, "exports", r.VM.NewObject(), Visible)
		}
		if name == "module" {
			return r.module
		}
		return r.module.Get("exports")
	},
})

// entries are the names of a function that runs, among those that a script hands over.
var entries = []string{mainName, "default", "handler", "run"}

// exported is what a script hands over by module.exports; undefined if it is no function.
func (r *Run) exported() goja.Value {
	if r.module == nil {
		return goja.Undefined()
	}
	value := r.module.Get("exports")
	if _, callable := goja.AssertFunction(value); callable {
		return value
	}
	object, is := value.(*goja.Object)
	if !is {
		return goja.Undefined()
	}
	var functions []goja.Value
	for _, name := range append(slices.Clone(entries), object.Keys()...) {
		member := object.Get(name)
		if _, callable := goja.AssertFunction(member); !callable {
			continue
		}
		if slices.Contains(entries, name) {
			return member
		}
		functions = append(functions, member)
	}
	if len(functions) == 1 {
		return functions[0]
	}
	return goja.Undefined()
}

var _ = Declare(Builtin{
	Names: []string{"__dirname", "__filename"},
	Use:   "__dirname, __filename",
	Doc:   "'.' and './script.js': files lie in the workflow's own folder. import.meta has dirname, filename and url, which is that of process.argv[1].",
	Types: "declare const __dirname: string;\ndeclare const __filename: string;",
	Make: func(r *Run, name string) goja.Value {
		return r.VM.ToValue(map[string]string{"__dirname": ".", "__filename": "./script.js"}[name])
	},
})
