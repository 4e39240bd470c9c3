package engine

import (
	"math/big"
	"reflect"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
)

// Some things that the engine gets wrong without a word are set right in the tree that it runs:
//
//   - '6.00' == 6 is false, for it takes a text on the left for a whole number. With a literal the sides
//     are exchanged; between two values it is a call of looselyEqual.
//   - a < b < c is read as a < (b < c).
//   - Number of a BigInt is its lowest 64 bits: Number(x) and list.map(Number) become calls of numberOf. It
//     is no amendment, for no object of ours could be called, be made with new, and be asked by instanceof.

// looselyEqual is the global that == is, where it has to be one. No script can spell it.
const looselyEqual = "=="

var _ = Declare(Builtin{
	Names: []string{looselyEqual},
	Make:  func(r *Run, name string) goja.Value { return r.Function(name, r.looselyEqual) },
})

func (r *Run) looselyEqual(call goja.FunctionCall) goja.Value {
	a, b := call.Argument(0), call.Argument(1)
	number := func(v goja.Value) goja.Value {
		if _, is := v.Export().(bool); is && !isObject(v) {
			return v.ToNumber()
		}
		return v
	}
	if !isObject(a) && !isObject(b) {
		a, b = number(a), number(b)
	}
	return r.VM.ToValue(a.Equals(b) || b.Equals(a))
}

// numberOf is the global that Number is where it is called or handed on, in scripts with BigInts.
const numberOf = "Number()"

var _ = Declare(Builtin{
	Names: []string{numberOf},
	Make: func(r *Run, _ string) goja.Value {
		native, _ := goja.AssertFunction(r.Original.Get("Number"))
		return r.FunctionOf("Number", 1, func(call goja.FunctionCall) goja.Value {
			if value := call.Argument(0); goja.IsBigInt(value) {
				if exact, is := value.Export().(*big.Int); is {
					number, _ := new(big.Float).SetInt(exact).Float64()
					return r.VM.ToValue(number)
				}
			}
			value, err := native(goja.Undefined(), call.Arguments...)
			if err != nil {
				panic(err)
			}
			return value
		})
	},
})

var (
	bigInts   = lazyregexp.New(`BigInt|\dn\b`)
	ownNumber = lazyregexp.New(`\b(function|class|const|let|var)\s+Number\b`)
)

func isObject(v goja.Value) bool { _, is := v.(*goja.Object); return is }

// fixSyntax sets a tree right.
func fixSyntax(code string, tree *ast.Program) {
	m := syntaxFixer{code: code}
	m.numbers = strings.Contains(code, "Number") && bigInts.MatchString(code) && !ownNumber.MatchString(code)
	if !m.numbers && !strings.Contains(code, "==") && !strings.Contains(code, "!=") && strings.Count(code, "<")+strings.Count(code, ">") < 2 {
		return
	}
	replace(reflect.ValueOf(tree), map[uintptr]bool{}, func(e ast.Expression) ast.Expression {
		switch e := e.(type) {
		case *ast.BinaryExpression:
			return m.fixed(e)
		case *ast.CallExpression:
			if m.numbers {
				exactNumber(e.Callee)
				for _, argument := range e.ArgumentList {
					exactNumber(argument)
				}
			}
		}
		return e
	})
}

type syntaxFixer struct {
	code    string
	numbers bool // Number is to be numberOf
}

var expressionType = reflect.TypeFor[ast.Expression]()

func (m *syntaxFixer) fixed(e *ast.BinaryExpression) ast.Expression {
	switch e.Operator {
	case token.EQUAL, token.NOT_EQUAL:
		return equality(e)
	case token.LESS, token.LESS_OR_EQUAL, token.GREATER, token.GREATER_OR_EQUAL:
		right, ok := e.Right.(*ast.BinaryExpression)
		if !ok || !relational(right.Operator) || m.opened(right.Idx0()) {
			return e
		}
		// a < (b < c), of which the right side is in order already, is (a < b) < c.
		first := right
		for {
			left, ok := first.Left.(*ast.BinaryExpression)
			if !ok || !relational(left.Operator) || m.opened(left.Idx0()) {
				break
			}
			first = left
		}
		first.Left = &ast.BinaryExpression{Operator: e.Operator, Left: e.Left, Right: first.Left}
		return right
	}
	return e
}

func exactNumber(e ast.Expression) {
	if name, is := e.(*ast.Identifier); is && name.Name == "Number" {
		name.Name = numberOf
	}
}

func relational(operator token.Token) bool {
	switch operator {
	case token.LESS, token.LESS_OR_EQUAL, token.GREATER, token.GREATER_OR_EQUAL:
		return true
	}
	return false
}

// opened says that a parenthesis stands right before a place.
func (m *syntaxFixer) opened(at file.Idx) bool {
	return strings.HasSuffix(strings.TrimRight(m.code[:min(max(int(at)-1, 0), len(m.code))], " \t\r\n"), "(")
}

func equality(e *ast.BinaryExpression) ast.Expression {
	for _, side := range []ast.Expression{e.Left, e.Right} {
		switch side := side.(type) {
		case *ast.NullLiteral:
			return e
		case *ast.UnaryExpression:
			if side.Operator == token.TYPEOF || side.Operator == token.VOID {
				return e
			}
		case *ast.Identifier:
			if side.Name == "undefined" {
				return e
			}
		}
	}
	_, leftNumber := e.Left.(*ast.NumberLiteral)
	_, rightNumber := e.Right.(*ast.NumberLiteral)
	_, leftText := e.Left.(*ast.StringLiteral)
	_, rightText := e.Right.(*ast.StringLiteral)
	_, leftTruth := e.Left.(*ast.BooleanLiteral)
	_, rightTruth := e.Right.(*ast.BooleanLiteral)
	switch {
	case leftTruth || rightTruth:
	case leftNumber || rightText:
		return e
	case rightNumber || leftText:
		e.Left, e.Right = e.Right, e.Left // a literal has no part in the order of evaluation
		return e
	}
	at := e.Left.Idx0()
	call := &ast.CallExpression{
		Callee: &ast.Identifier{Name: looselyEqual, Idx: at}, LeftParenthesis: at, RightParenthesis: e.Right.Idx1(),
		ArgumentList: []ast.Expression{e.Left, e.Right},
	}
	if e.Operator == token.EQUAL {
		return call
	}
	return &ast.UnaryExpression{Operator: token.NOT, Idx: at, Operand: call}
}
