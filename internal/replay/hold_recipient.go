package replay

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// recipientPattern is what a message is sent to: an e-mail address or a telephone number.
var recipientPattern = regexp.MustCompile(`[^\s@<>,;:"']+@[^\s@<>,;:"']+\.\pL+|\+\d{7,15}`)

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
