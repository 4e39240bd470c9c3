package replay

import (
	"fmt"

	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// constantOutput holds a fix with a new return of a constant that became the mended
// run's output, unless a recorded success had that output and made the same kinds of writes.
func constantOutput(q *inquiry) []string {
	if !q.complete || q.gate.old == nil {
		return nil
	}
	for _, node := range script.Added[*ast.ReturnStatement](q.gate.old, q.candidate) {
		if node.Argument == nil {
			continue
		}
		constant, ok := script.ConstantOf(node.Argument)
		if !ok || !isOutput(constant) {
			continue
		}
		if _, differs := diffValues("$", constant, q.seen.output); differs || q.normalEnd(constant) {
			continue
		}
		return []string{fmt.Sprintf("constant output: the return on line %d does not depend on what was read", q.candidate.Line(node))}
	}
	return nil
}

// isOutput says that a constant says something: null or nothing is no answer.
func isOutput(constant any) bool {
	switch v := constant.(type) {
	case nil:
		return false
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return true
}

// normalEnd says that a recorded success ended with this output after the same kinds of writes.
func (q *inquiry) normalEnd(output any) bool {
	for i := range q.successes {
		if _, differs := diffValues("$", output, q.successes[i].output); differs {
			continue
		}
		if sameKinds(firstWrites(&q.successes[i]), firstWrites(&q.seen)) && countWrites(&q.successes[i]) == countWrites(&q.seen) {
			return true
		}
	}
	return false
}

func sameKinds(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func countWrites(o *observed) int {
	count := 0
	for _, call := range o.calls {
		if call.effect == sandbox.Write {
			count++
		}
	}
	return count
}
