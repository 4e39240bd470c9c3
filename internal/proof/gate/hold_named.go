package gate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// namedInput holds a fix that tells the failing run by a value that only this run had: a
// new literal, compared with something or used as a key, that looks like the name of one
// thing (an id, a date, an address) and is in the failing run's input or answers and in no
// success's. Words of an enumeration (incident.triggered, CLOSED) do not look like that.
func namedInput(q *inquiry) []string {
	here := map[string]bool{}
	for _, a := range q.failing.answered() {
		collectNames(a.value, "", here)
	}
	for i := range q.successes {
		others := map[string]bool{}
		for _, a := range q.successes[i].answered() {
			collectNames(a.value, "", others)
		}
		for value := range others {
			delete(here, value)
		}
	}
	var found []string
	for _, node := range q.candidate.Nodes {
		word, ok := comparedLiteral(q.candidate, node)
		if !ok || !q.words[word] || !here[word] && !here[comparedMember(q.candidate, node)+"\n"+word] {
			continue
		}
		found = append(found, fmt.Sprintf("failing input named in the code: line %d is about %s, which only this run had", q.candidate.Line(node), quote(word)))
	}
	return found
}

// collectNames notes the values that name one thing, as text. Values under keys that
// hold enumerations are left out.
func collectNames(value any, key string, into map[string]bool) {
	switch v := value.(type) {
	case map[string]any:
		for k, member := range v {
			collectNames(member, k, into)
		}
	case []any:
		for _, item := range v {
			collectNames(item, key, into)
		}
	case string:
		if identifying(v) && !enumerationKey.MatchString(key) {
			into[v] = true
		}
	case float64:
		text := strconv.FormatFloat(v, 'f', -1, 64)
		if math.Abs(v) >= 1000 || v != math.Trunc(v) {
			into[text] = true
		}
		if idKey.MatchString(key) {
			into[key+"\n"+text] = true
		}
	}
}

// enumerationKey are names of fields whose values are words of a list, not names of things.
var enumerationKey = lazyregexp.New(`(?i)(type|kind|status|state|event|format|version|object|mode|method|level|severity|category|scheme|lang|language|locale|currency|unit|encoding|mime|reason|action|code|class|topic|channel|role)$`)

var (
	plainWord   = lazyregexp.New(`^[A-Za-z]+([ ._-][A-Za-z]+)*$`)
	mixedLetter = lazyregexp.New(`[a-z][A-Z]|[0-9]`)
)

// idKey are names of fields that tell one thing from another by a number, however small.
var idKey = lazyregexp.New(`^(id|number|no|nr|key|ref|sku|index)$|(_id|Id|ID|_number|Number)$`)

// comparedMember is the name of the member that a literal is compared with, like number in
// issue.number === 9.
func comparedMember(s *script.Source, node ast.Node) string {
	comparison, ok := s.Parents[node].(*ast.BinaryExpression)
	if !ok {
		return ""
	}
	for _, side := range []ast.Expression{comparison.Left, comparison.Right} {
		if member, ok := script.Bare(side).(*ast.DotExpression); ok {
			return member.Identifier.Name.String()
		}
	}
	return ""
}

// identifying says that a text looks like the name of one thing. Plain words and
// dotted or dashed words do not.
func identifying(text string) bool {
	if len(text) < 2 || len(text) > 200 || strings.ContainsAny(text, "\n") {
		return false
	}
	if plainWord.MatchString(text) {
		return strings.Contains(text, " ") // a title, a person
	}
	return strings.ContainsAny(text, "/@:") || mixedLetter.MatchString(text)
}

// comparedLiteral is the text of a literal that decides something: it is compared,
// a case of a switch, a key of an object or of a look-up, or asked for by a search method.
func comparedLiteral(s *script.Source, node ast.Node) (string, bool) {
	var word string
	switch n := node.(type) {
	case *ast.StringLiteral:
		word = n.Value.String()
	case *ast.NumberLiteral:
		word = script.NumberText(n)
	default:
		return "", false
	}
	switch parent := s.Parents[node].(type) {
	case *ast.BinaryExpression:
		switch parent.Operator {
		case token.EQUAL, token.NOT_EQUAL, token.STRICT_EQUAL, token.STRICT_NOT_EQUAL, token.IN,
			token.LESS, token.GREATER, token.LESS_OR_EQUAL, token.GREATER_OR_EQUAL:
			return word, true
		}
	case *ast.CaseStatement:
		return word, parent.Test == node
	case *ast.PropertyKeyed:
		return word, parent.Key == node
	case *ast.CallExpression:
		if callee, ok := script.Bare(parent.Callee).(*ast.DotExpression); ok {
			switch callee.Identifier.Name.String() {
			case "includes", "startsWith", "endsWith", "indexOf", "has", "test", "match", "localeCompare":
				return word, true
			}
		}
	case *ast.ArrayLiteral, *ast.BracketExpression:
		return word, true
	}
	return "", false
}
