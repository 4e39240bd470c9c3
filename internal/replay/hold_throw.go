package replay

import (
	"fmt"

	"github.com/dop251/goja/ast"
)

// removedChecks holds a fix that takes a throw of the script's own away: what it was to
// keep from going on now goes on.
func removedChecks(q *inquiry) []string {
	if q.gate.old == nil {
		return nil
	}
	before, now := q.gate.old.throws(), q.candidate.throws()
	if now >= before {
		return nil
	}
	return []string{fmt.Sprintf("removed check: the fix throws at %d places, before it were %d", now, before)}
}

func (s *script) throws() int {
	count := 0
	for _, node := range s.nodes {
		if _, ok := node.(*ast.ThrowStatement); ok {
			count++
		}
	}
	return count
}
