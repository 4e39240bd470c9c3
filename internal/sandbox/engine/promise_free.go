package engine

import (
	"reflect"
	"sync/atomic"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Most scripts are one async function that waits for each call where it makes it. Such a script cannot tell whether it
// got a promise and waited for that, or the answer itself: nothing happens meanwhile, and nobody else holds the promise. It is run
// without promises, which the engine takes a quarter of a run for.

// promiseFree is what a script looks like that can be run so.
type promiseFree struct {
	program *goja.Program
	waits   map[string]int                   // for how many calls, by the global that their names begin with
	held    atomic.Pointer[sandbox.Bindings] // for which it was found so last
}

// compilePromiseFree compiles a script without promises if it can be, apart from the globals that it uses; nil if it
// cannot.
func compilePromiseFree(s *script, tree *ast.Program, strict bool) *promiseFree {
	if s.timed || s.waits || len(s.imports) > 0 || s.globals.all || s.globals.uses[mainName] != 1 || s.globals.uses["Promise"]+s.globals.uses["arguments"] > 0 {
		return nil
	}
	main := asyncMain(tree)
	if main == nil {
		return nil
	}
	found := &promiseFree{waits: map[string]int{}}
	plain := true
	walk(tree, func(node ast.Node, _ int) bool {
		switch node := node.(type) {
		case *ast.FunctionLiteral:
			plain = plain && (node == main || !node.Async)
		case *ast.ArrowFunctionLiteral:
			plain = plain && !node.Async
		case *ast.AwaitExpression:
			found.waits[calledGlobal(node.Argument)]++
		case *ast.DotExpression:
			plain = plain && !promising[node.Identifier.Name.String()]
		case *ast.StringLiteral: // keys are such, too
			plain = plain && !promising[node.Value.String()]
		case *ast.PropertyShort:
			plain = plain && !promising[node.Name.Name.String()]
		}
		return plain
	})
	if !plain {
		return nil
	}
	// For as long as it is compiled, main is a plain function without an await in it.
	awaits := map[ast.Expression]ast.Expression{}
	main.Async = false
	replace(reflect.ValueOf(tree), map[uintptr]bool{}, func(e ast.Expression) ast.Expression {
		if await, is := e.(*ast.AwaitExpression); is {
			awaits[await.Argument] = await
			return await.Argument
		}
		return e
	})
	var err error
	found.program, err = goja.CompileAST(tree, strict)
	main.Async = true
	replace(reflect.ValueOf(tree), map[uintptr]bool{}, func(e ast.Expression) ast.Expression {
		if await := awaits[e]; await != nil {
			return await
		}
		return e
	})
	if err != nil {
		return nil
	}
	return found
}

// asyncMain is an async function at the top level that is called main.
func asyncMain(tree *ast.Program) *ast.FunctionLiteral {
	for _, statement := range tree.Body {
		if declared, is := statement.(*ast.FunctionDeclaration); is && declared.Function.Name != nil && declared.Function.Name.Name == mainName {
			if declared.Function.Async {
				return declared.Function
			}
		}
	}
	return nil
}

// calledGlobal is the name that a call begins with, if it is one: web of web.getJSON(…), notify of notify(…).
func calledGlobal(e ast.Expression) string {
	call, is := e.(*ast.CallExpression)
	if !is {
		return ""
	}
	callee := call.Callee
	if member, is := callee.(*ast.DotExpression); is {
		callee = member.Left
	}
	if name, is := callee.(*ast.Identifier); is {
		return name.Name.String()
	}
	return ""
}

// immediate are the builtins that have nothing to do with promises. A script that uses others is not promise-free.
var immediate = SetOf("console", "secret", looselyEqual, numberOf, "AuthError", "PermissionError", "NetworkError", "LogicError")

// promising are names of members by which a script says itself what is waited for, or has promises without naming Promise.
var promising = SetOf("then", "fromAsync")

// applies says that a script waits for each call of the host that it makes. Nothing else gives promises.
func (s *promiseFree) applies(uses map[string]int, known *sandbox.Bindings) bool {
	if s.held.Load() == known {
		return true
	}
	for name, count := range uses {
		if name == "sleep" || known.Plain[name] != nil || known.Spaces[name] != nil {
			if s.waits[name] != count {
				return false
			}
		} else if _, builtin := builtinByName[name]; builtin && !immediate[name] {
			return false
		}
	}
	s.held.Store(known)
	return true
}

// replace puts other expressions in the place of those in a tree, the innermost first.
func replace(v reflect.Value, seen map[uintptr]bool, with func(ast.Expression) ast.Expression) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		replace(v.Elem(), seen, with)
		if v.Type() == expressionType && v.CanSet() {
			if e, is := v.Interface().(ast.Expression); is {
				v.Set(reflect.ValueOf(with(e)))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			replace(v.Index(i), seen, with)
		}
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() != treePath || seen[v.Pointer()] {
			return
		}
		seen[v.Pointer()] = true
		replace(v.Elem(), seen, with)
	case reflect.Struct:
		if v.Type().PkgPath() == treePath {
			for i := range v.NumField() {
				replace(v.Field(i), seen, with)
			}
		}
	}
}
