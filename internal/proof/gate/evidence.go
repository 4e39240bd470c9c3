package gate

import (
	"maps"
	"slices"
	"strconv"
)

// evidence is what the recorded runs teach about this workflow. It is learned once for
// all candidates.
type evidence struct {
	templates *templates
	successes []observed
	failing   observed // as recorded: the calls before the failure
	// most is how often one run made calls of a template.
	most map[string]int
	// mostCalls is the largest number of calls of one run.
	mostCalls int
	tools     map[string]bool
	lengths   []map[string]int // of the lists that each success was given
}

func (g *Gate) learn() *evidence {
	e := &evidence{templates: newTemplates(g.old), most: map[string]int{}, tools: map[string]bool{}}
	e.failing = e.templates.observeRecorded(&g.subject.Failed)
	for _, k := range g.kept {
		e.successes = append(e.successes, e.templates.observe(k.run.ID, k.run.Input, &k.outcome))
	}
	for i := range e.successes {
		run := &e.successes[i]
		counts := map[string]int{}
		for _, call := range run.calls {
			counts[call.template]++
			e.tools[call.tool] = true
		}
		for template, count := range counts {
			e.most[template] = max(e.most[template], count)
		}
		e.mostCalls = max(e.mostCalls, len(run.calls))
		e.lengths = append(e.lengths, arrayLengths(run))
	}
	for _, call := range e.failing.calls {
		e.tools[call.tool] = true
	}
	e.mostCalls = max(e.mostCalls, len(e.failing.calls))
	return e
}

// arrayLengths is how many items the arrays that a run was given hold, by path: the sum
// over all arrays at that path.
func arrayLengths(run *observed) map[string]int {
	lengths := map[string]int{}
	for _, a := range run.answered() {
		eachArray(a.source, a.value, func(path string, items []any) { lengths[path] += len(items) })
	}
	return lengths
}

// eachArray visits all arrays in a value. Items share the path of their array with [*].
func eachArray(path string, value any, visit func(path string, items []any)) {
	switch v := value.(type) {
	case []any:
		visit(path, v)
		for _, item := range v {
			eachArray(path+"[*]", item, visit)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			eachArray(path+memberPath(key), v[key], visit)
		}
	}
}

// eachText visits all texts in a value, keys included.
func eachText(path string, value any, visit func(path, text string)) {
	switch v := value.(type) {
	case string:
		visit(path, v)
	case []any:
		for i, item := range v {
			eachText(path+"["+strconv.Itoa(i)+"]", item, visit)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			visit(path+memberPath(key), key)
			eachText(path+memberPath(key), v[key], visit)
		}
	}
}
