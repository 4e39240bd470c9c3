package replay

import (
	"fmt"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// changedShape holds a fix whose mended run returns or writes values of another shape
// than all recorded runs: a null where a number was, a member that is gone or new, another
// format of a date.
func changedShape(q *inquiry) []string {
	var problems []string
	named := func(key string) bool { return q.gate.old != nil && q.gate.old.Words[key] > 0 }
	rules := shapeRules{
		named:    named,
		invented: func(key string) bool { return q.words[key] && !named(key) },
		mayLack:  q.excused(),
	}
	if q.complete && q.output.seen > 0 {
		problems = q.output.problems("output", q.seen.output, rules)
	}
	n := 0
	for _, call := range q.seen.calls {
		if call.effect != sandbox.Write {
			continue
		}
		for i, arg := range call.args {
			if known := q.written[call.template]; i < len(known) {
				problems = append(problems, known[i].problems(fmt.Sprintf("writes[%d].args[%d]", n, i), arg, rules)...)
			}
		}
		n++
	}
	for i := range problems {
		problems[i] = "changed shape: " + problems[i]
	}
	return problems
}
