package replay

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
)

// newConditions holds a fix that decides by a value that recorded runs were given, too, and that the script never read: no
// recorded run tells what is to be done with it. A value that comes out itself is no condition, and a word that tells one
// kind of thing from another may be a new one.
func newConditions(ctx context.Context, q *inquiry) ([]string, error) {
	if !q.complete || q.gate.old == nil {
		return nil, nil
	}
	words := maps.Clone(q.gate.old.Words)
	for word, n := range q.candidate.Words {
		words[word] += n
	}
	base := q.templates.sinks(q.gate.old.Words, q.outcome)
	places := placesOf(&q.seen, words)
	for _, at := range slices.SortedFunc(maps.Keys(places), place.compare) {
		key := places[at][0].key
		if at.Part != "" || !q.words[key] || q.gate.old.Words[key] > 0 || len(q.vocabulary[key]) == 0 || enumerationKey.MatchString(key) {
			continue
		}
		var out strings.Builder
		for _, values := range base {
			out.WriteString(strings.Join(values, "\n"))
		}
		if slices.ContainsFunc(places[at], func(l leaf) bool {
			text, isText := l.value.(string)
			_, isFlag := l.value.(bool)
			return !isFlag && (!isText || !q.compares(key) || comesOut(text, out.String()))
		}) {
			continue
		}
		p := probe{gate: q.gate, code: q.code, run: q.run, base: base, words: words, known: q.vocabulary}
		_, changed, err := p.sinks(ctx, at, nil, nil)
		if err != nil {
			return nil, err
		}
		if len(changed) > 0 {
			return []string{fmt.Sprintf("new condition: %s decides %s, and the script never read it, though recorded runs had it", at, changed[0])}, nil
		}
	}
	return nil, nil
}

// compares says that the candidate compares a member with a constant.
func (q *inquiry) compares(member string) bool {
	return slices.ContainsFunc(q.candidate.Nodes, func(node ast.Node) bool {
		_, is := comparedLiteral(q.candidate, node)
		return is && comparedMember(q.candidate, node) == member
	})
}

// comesOut says that some word of a text stands in what came out.
func comesOut(text, out string) bool {
	return slices.ContainsFunc(wordPattern.FindAllString(text, -1), func(word string) bool { return strings.Contains(out, word) })
}
