package replay

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/kintsugi-run/kintsugi/internal/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// evidence is what the recorded runs teach about this workflow. It is learned once for
// all candidates.
type evidence struct {
	templates *templates
	successes []observed
	failing   observed // as recorded: the calls before the failure
	// always are the templates of the calls that every success makes, with their effect.
	always map[string]sandbox.Effect
	// most is how often one run made calls of a template.
	most map[string]int
	// mostCalls is the largest number of calls of one run.
	mostCalls int
	tools     map[string]bool
	produced  map[string]*payload.Schema // the output, and the arguments of writes by template
	tables    map[string]*table          // of lines of cells that were written into files, by template
	lengths   []map[string]int           // of the lists that each success was given
	follows   map[string][]follow
	// garbled is what looks like garbage in what the successes were given or wrote.
	garbled map[string]bool
	// schemes are those of the addresses that the successes wrote.
	schemes map[string]bool
	// vocabulary is recorded values by the name of their member, some of each.
	vocabulary map[string][]any
	nulls      map[string]bool // members that were null in what the successes were given
	years      [2]int          // first and last year in what the successes wrote; the first is later if there is none
}

func (g *Gate) learn() *evidence {
	e := &evidence{
		templates: newTemplates(g.old),
		always:    map[string]sandbox.Effect{}, most: map[string]int{}, tools: map[string]bool{},
		produced: map[string]*payload.Schema{"output": payload.NewSchema()}, tables: map[string]*table{}, vocabulary: map[string][]any{}, schemes: map[string]bool{}, garbled: map[string]bool{}, nulls: map[string]bool{}, years: [2]int{math.MaxInt, 0},
	}
	e.failing = e.templates.observeRecorded(&g.subject.Failed)
	for _, k := range g.kept {
		e.successes = append(e.successes, e.templates.observe(k.run.ID, k.run.Input, &k.outcome))
	}
	for i := range e.successes {
		run := &e.successes[i]
		made := map[string]sandbox.Effect{}
		counts := map[string]int{}
		for _, call := range run.calls {
			made[call.template] = call.effect
			counts[call.template]++
			e.tools[call.tool] = true
		}
		for template, count := range counts {
			e.most[template] = max(e.most[template], count)
		}
		e.mostCalls = max(e.mostCalls, len(run.calls))
		if i == 0 {
			e.always = made
		} else {
			maps.DeleteFunc(e.always, func(template string, _ sandbox.Effect) bool {
				_, also := made[template]
				return !also
			})
		}
		e.lengths = append(e.lengths, arrayLengths(run))
		e.learnShapes(run)
		run.garbled(e.garbled)
		if i < mostProbed {
			run.collectLeaves(e.vocabulary)
		}
		for _, a := range run.answered() {
			eachMember(a.value, "", nil, func(path string, value any) {
				if value == nil {
					e.nulls[lastStep(path)] = true
				}
			})
		}
	}
	e.follows = learnFollows(e.successes)
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

// learnShapes takes in what a success returned and wrote.
func (e *evidence) learnShapes(run *observed) {
	e.produced["output"].Add(run.id, run.output, nil)
	for _, call := range run.calls {
		if call.effect != sandbox.Write {
			continue
		}
		if e.produced[call.template] == nil {
			e.produced[call.template], e.tables[call.template] = payload.NewSchema(), &table{}
		}
		for i, arg := range call.args {
			e.produced[call.template].Add(run.id, arg, []string{strconv.Itoa(i)})
			if text, ok := arg.(string); ok && i == 1 && declares(call.tool).About == hostcall.Path {
				e.tables[call.template].add(text)
			}
		}
	}
	eachProduced(run, func(_, text string) {
		noteGarbage(text, e.garbled)
		for _, m := range schemePattern.FindAllStringSubmatch(text, -1) {
			e.schemes[m[1]] = true
		}
		for _, m := range yearPattern.FindAllStringSubmatch(text, -1) {
			if year, err := strconv.Atoi(m[1]); err == nil {
				e.years[0], e.years[1] = min(e.years[0], year), max(e.years[1], year)
			}
		}
	})
}

// collectLeaves notes the values that a run was given by the name of the member that holds
// them, a few of each.
func (o *observed) collectLeaves(into map[string][]any) {
	for _, a := range o.answered() {
		mapLeaves(a.value, nil, leaf{}, func(l leaf) any {
			if len(into[l.key]) < mostTried && !slices.Contains(into[l.key], l.value) {
				into[l.key] = append(into[l.key], l.value)
			}
			return l.value
		})
	}
}
