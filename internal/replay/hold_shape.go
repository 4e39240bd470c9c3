package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/pattern"
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
		shorter:  q.shorterLists(),
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
	problems = append(problems, q.newAddresses()...)
	for i := range problems {
		problems[i] = "changed shape: " + problems[i]
	}
	return problems
}

// shorterLists are by how much lists are shorter than in all recorded runs, where they had one length.
func (q *inquiry) shorterLists() map[int]bool {
	shorter := map[int]bool{}
	if len(q.lengths) == 0 {
		return shorter
	}
	for path, now := range arrayLengths(&q.seen) {
		if was, had := q.lengths[0][path]; had && !slices.ContainsFunc(q.lengths, func(lengths map[string]int) bool { return lengths[path] != was }) {
			shorter[was-now] = true
		}
	}
	return shorter
}

// schemePattern is how an address with a scheme begins: https://shop.test, tel:+3112.
var schemePattern = pattern.New(`(?:^|[\s(<"])([a-z][a-z0-9+.-]*:)[^\s:]`)

// hostAndPort is what looks like an address with a scheme, and is none: db7:5432.
var hostAndPort = pattern.New(`^[^:/\s]+:\d{1,5}(?:/|$)`)

// newAddresses are values with a scheme that come out whole where no recorded run wrote any
// with that scheme: the script made something of them before.
func (q *inquiry) newAddresses() []string {
	if len(q.successes) < enough {
		return nil
	}
	var given []string
	for _, a := range q.seen.answered() {
		eachText("", a.value, func(_, text string) {
			if m := schemePattern.FindStringSubmatch(text); m != nil && !hostAndPort.MatchString(text) && !strings.Contains(text, " ") && !q.schemes[m[1]] && strings.HasPrefix(text, m[1]) {
				given = append(given, text)
			}
		})
	}
	var found []string
	eachProduced(&q.seen, func(path, text string) {
		if i := slices.IndexFunc(given, func(address string) bool { return strings.Contains(text, address) }); i >= 0 {
			found = append(found, fmt.Sprintf("%s holds %s, no recorded run wrote an address with that scheme", path, brief(given[i])))
		}
	})
	return found
}
