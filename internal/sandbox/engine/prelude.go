package engine

import (
	"embed"
	"sync"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

// Prelude is a folder of JavaScript files that builtins or libraries are written in. A file is a function that is handed the
// natives it needs and gives an object with what it makes.
type Prelude struct {
	files    embed.FS
	folder   string   // of files, ends with a slash if there is one
	name     string   // of a file in the engine: this and its name
	programs sync.Map // of func() *goja.Program, by the names of files
}

// NewPrelude has the files of a folder, whose names in the engine begin with name.
func NewPrelude(files embed.FS, folder, name string) *Prelude {
	return &Prelude{files: files, folder: folder, name: name}
}

// program is a file, compiled when it is first used.
func (p *Prelude) program(file string) *goja.Program {
	known, ok := p.programs.Load(file)
	if !ok {
		known, _ = p.programs.LoadOrStore(file, sync.OnceValue(func() *goja.Program { return p.Compile(file) }))
	}
	compile, _ := known.(func() *goja.Program)
	return compile()
}

// Compile compiles a file.
func (p *Prelude) Compile(file string) *goja.Program {
	code, err := p.files.ReadFile(p.folder + file)
	if err != nil {
		panic(err)
	}
	return compiled(p.name+file, string(code))
}

// preludeFile is a file of a prelude.
type preludeFile struct {
	of   *Prelude
	name string
}

// Prelude runs a file in the script's world, once in a run. Its frames are in no stack trace. It runs after the script may
// have changed Array.prototype and the like, as everything a script calls does; a check that must hold against a hostile
// script belongs in Go.
func (r *Run) Prelude(p *Prelude, file string, natives map[string]*goja.Object) *goja.Object {
	if made := r.Made(p, file); made != nil {
		return made
	}
	v, err := r.VM.RunProgram(p.program(file))
	if err != nil {
		panic(err)
	}
	build, _ := goja.AssertFunction(v)
	handed := r.VM.NewObject()
	// By these a class names itself, and a timer its number, without the script's Symbol, which takes long to make.
	Define(handed, "toStringTag", goja.SymToStringTag, Visible)
	Define(handed, "toPrimitive", goja.SymToPrimitive, Visible)
	for name, native := range natives {
		Define(handed, name, native, Visible)
	}
	if v, err = build(goja.Undefined(), handed); err != nil {
		panic(err)
	}
	made := v.ToObject(r.VM)
	if r.written == nil {
		r.written = map[preludeFile]*goja.Object{}
	}
	r.written[preludeFile{p, file}] = made
	return made
}

// Made is what a file has made in this run; nil if it did not run yet.
func (r *Run) Made(p *Prelude, file string) *goja.Object { return r.written[preludeFile{p, file}] }

// mustCompile compiles at the first call: a worker starts without what its script does not use.
func mustCompile(name, code string) func() *goja.Program {
	return sync.OnceValue(func() *goja.Program { return compiled(name, code) })
}

func compiled(name, code string) *goja.Program {
	tree, err := parser.ParseFile(nil, name, code, 0, parser.WithDisableSourceMaps)
	if err != nil {
		panic(err)
	}
	program, err := goja.CompileAST(tree, true)
	if err != nil {
		panic(err)
	}
	return program
}
