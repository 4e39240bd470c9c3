package gate

import (
	"fmt"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// newAccessErrors holds a fix that is the first to throw an AuthError or PermissionError:
// such an error makes a person responsible, and a script that may throw one could make
// every failure somebody else's.
func newAccessErrors(q *inquiry) []string {
	var found []string
	for _, node := range q.candidate.Nodes {
		name, ok := node.(*ast.Identifier)
		if !ok {
			continue
		}
		switch word := name.Name.String(); word {
		case "AuthError", "PermissionError":
			if q.words[word] && !isTest(q.candidate, node) {
				found = append(found, fmt.Sprintf("access error: the fix is the first to use %s (line %d)", word, q.candidate.Line(node)))
			}
		}
	}
	return found
}

// isTest says that a name stands right of an instanceof.
func isTest(s *script.Source, node ast.Node) bool {
	parent, ok := s.Parents[node].(*ast.BinaryExpression)
	return ok && parent.Operator == token.INSTANCEOF && parent.Right == node
}

// redeclaredWrites holds a fix that makes a recorded write as a read: a read is sent
// when it is only rehearsed.
func redeclaredWrites(q *inquiry) []string {
	written := map[string]bool{}
	for _, run := range append([]observed{q.failing}, q.successes...) {
		for _, call := range run.calls {
			if call.effect == sandbox.Write {
				written[call.template] = true
			}
		}
	}
	var found []string
	for _, call := range q.seen.calls {
		if call.effect == sandbox.Read && written[call.template] {
			found = append(found, "redeclared write: "+call.template+" was a write, the fix calls it a read")
		}
	}
	for _, call := range q.missed {
		if template := q.templates.of(call.Tool, call.Args); call.Effect == sandbox.Read && written[template] {
			found = append(found, "redeclared write: "+template+" was a write, the fix calls it a read")
		}
	}
	return found
}

// recipientPattern is what a message is sent to: an e-mail address or a telephone number.
var recipientPattern = lazyregexp.New(`[^\s@<>,;:"']+@[^\s@<>,;:"']+\.\pL+|\+\d{7,15}`)

// newRecipients holds a fix that spells out an address which the old code does not, which
// nothing that the run was given has, and which the mended run writes: somebody would get
// what was for another.
func newRecipients(q *inquiry) []string {
	if q.gate.old == nil {
		return nil
	}
	var found []string
	for _, node := range q.candidate.Nodes {
		switch node.(type) {
		case *ast.StringLiteral, *ast.TemplateElement:
		default:
			continue
		}
		text, _ := script.WordOf(node)
		for _, address := range recipientPattern.FindAllString(text, -1) {
			if strings.Contains(q.gate.old.Code, address) || q.wasGiven(address) || !q.writes(address) {
				continue
			}
			found = append(found, fmt.Sprintf("new recipient: line %d spells %s, which nothing that was read has", q.candidate.Line(node), address))
		}
	}
	return found
}

// wasGiven says that some value the mended run was given holds a text.
func (q *inquiry) wasGiven(part string) bool {
	given := false
	for _, a := range q.seen.answered() {
		eachText("", a.value, func(_, text string) { given = given || strings.Contains(text, part) })
	}
	return given
}

// writes says that the mended run writes a text.
func (q *inquiry) writes(part string) bool {
	written := false
	for _, call := range q.seen.calls {
		if call.effect == sandbox.Write {
			eachText("", call.args, func(_, text string) { written = written || strings.Contains(text, part) })
		}
	}
	return written
}
