package replay

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/internal/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// fewerRows holds a fix whose mended run makes less of a list than every recorded run
// did: where the recorded runs wrote a line, an item or a count for each item, and the
// mended run leaves some out.
//
// It is learned, not known: a quantity that came out (a number, a length, a count of lines
// or calls) was equal to a quantity that went in (the length of a list, a number, how
// many calls were made or answered) in all recorded runs, with enough different values to
// be no accident. As long as one quantity that comes out still follows what went in, no
// row was lost, unless the fix has a new way to leave one out. Nor was one where the same fix
// leaves none out on other data of the new shape.
func fewerRows(ctx context.Context, q *inquiry) ([]string, error) {
	if !q.complete {
		return nil, nil
	}
	in, out := quantitiesIn(&q.seen), quantitiesOut(&q.seen)
	hollow := q.hollowItems()
	followed := map[string]bool{}
	broken := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(q.follows)) {
		for _, f := range q.follows[name] {
			got, made := out[name]
			if !made {
				got = f.offset
			}
			source := f.source
			want, given := in[source]
			if !given {
				if source, want, given = q.inPlaceOf(f, got, in); !given {
					continue
				}
			}
			told := fmt.Sprintf("%s is %s, %s is %s", name, trim(got), source, trim(want))
			switch {
			case got > want+f.offset: // more than there is: what was given shows it
			case got >= want-hollow[want]+f.offset:
				followed[f.source] = true
			case broken[f.source] == "":
				somewhere, err := q.followsSomewhere(ctx, name, follow{source, f.offset})
				if err != nil {
					return nil, err
				}
				if somewhere {
					followed[f.source] = true
					continue
				}
				broken[f.source] = told
			}
		}
	}
	for _, source := range slices.Sorted(maps.Keys(broken)) {
		if !followed[source] || q.leavesOut() {
			return []string{"fewer rows: " + broken[source] + "; in every recorded run the one follows the other"}, nil
		}
	}
	return nil, nil
}

// inPlaceOf finds, for a list that is gone, the new list of such items whose length comes
// nearest to what came out. Not given if no list is meant, or there is no such list.
func (q *inquiry) inPlaceOf(f follow, got float64, in map[string]float64) (source string, want float64, given bool) {
	if !strings.HasPrefix(f.source, lengthOf) {
		return "", 0, false
	}
	var old []any
	for i := range q.successes {
		old = append(old, itemsAt(&q.successes[i], strings.TrimPrefix(f.source, lengthOf))...)
	}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		path, isLength := strings.CutPrefix(name, lengthOf)
		if !isLength || slices.ContainsFunc(q.lengths, func(recorded map[string]int) bool { _, had := recorded[path]; return had }) {
			continue
		}
		if !sameMembers(old, itemsAt(&q.seen, path)) {
			continue
		}
		if !given || math.Abs(in[name]+f.offset-got) < math.Abs(want+f.offset-got) {
			source, want, given = name, in[name], true
		}
	}
	return source, want, given
}

// itemsAt are the items of all lists that a run was given at a path.
func itemsAt(o *observed, path string) []any {
	var all []any
	for _, a := range o.answered() {
		eachArray(a.source, a.value, func(at string, items []any) {
			if at == path {
				all = append(all, items...)
			}
		})
	}
	return all
}

// sameMembers says that items are objects with mostly the same members.
func sameMembers(old, now []any) bool {
	known, members := map[string]bool{}, map[string]bool{}
	for _, list := range []struct {
		items []any
		into  map[string]bool
	}{{old, known}, {now, members}} {
		for _, item := range list.items {
			object, _ := item.(map[string]any)
			for key := range object {
				list.into[key] = true
			}
		}
	}
	shared := 0
	for key := range known {
		if members[key] {
			shared++
		}
	}
	return shared > 0 && 3*shared >= 2*max(len(known), len(members))
}

// lengthOf begins the name of a list's length.
const lengthOf = "length of "

// leavesOut says that the fix has a new way to leave out an item of a list: one more way
// out of a loop, one more filter, or a condition before a push.
func (q *inquiry) leavesOut() bool {
	if q.gate.old == nil || exits(q.candidate, q.gate.old) > exits(q.gate.old, q.gate.old) {
		return true
	}
	if q.candidate.Words["filter"] > q.gate.old.Words["filter"] {
		return true
	}
	for _, branch := range script.Added[*ast.IfStatement](q.gate.old, q.candidate) {
		if q.candidate.Holds(branch.Consequent, isPush) {
			return true
		}
	}
	return false
}

func isPush(node ast.Node) bool {
	call, ok := node.(*ast.CallExpression)
	if !ok {
		return false
	}
	callee, ok := script.Bare(call.Callee).(*ast.DotExpression)
	return ok && callee.Identifier.Name == "push"
}

// hollowItems counts, in the lists that the mended run was given, the items that say of
// themselves that there is nothing: null, or with a null where every recorded item had
// an object or a list, and nothing else that the script speaks of; and those that come a
// second time, where none ever did. To leave those out is no loss. The key is the length
// of the list.
func (q *inquiry) hollowItems() map[float64]float64 {
	full := map[string]map[string]int{} // list, member: how many recorded items had it filled
	items := map[string]int{}
	twice := map[string]bool{}
	for i := range q.successes {
		for _, a := range q.successes[i].answered() {
			eachArray(a.source, a.value, func(path string, list []any) {
				if full[path] == nil {
					full[path] = map[string]int{}
				}
				twice[path] = twice[path] || repeated(list) > 0
				for _, item := range list {
					items[path]++
					members, _ := item.(map[string]any)
					for key, member := range members {
						switch member.(type) {
						case map[string]any, []any:
							full[path][key]++
						}
					}
				}
			})
		}
	}
	hollow := map[float64]float64{}
	for _, a := range q.seen.answered() {
		eachArray(a.source, a.value, func(path string, list []any) {
			count := 0.0
			if !twice[path] {
				count += float64(repeated(list))
			}
			for _, item := range list {
				members, isObject := item.(map[string]any)
				empty := item == nil
				rest := false
				for key, member := range members {
					empty = empty || isObject && member == nil && items[path] > 0 && full[path][key] == items[path]
					rest = rest || member != nil && q.gate.old != nil && q.gate.old.Words[key] > 0
				}
				if empty && !rest {
					count++
				}
			}
			length := float64(len(list))
			hollow[length] = max(hollow[length], count)
		})
	}
	return hollow
}

// repeated counts the objects of a list that are the same as one before them.
func repeated(list []any) int {
	seen := map[string]bool{}
	count := 0
	for _, item := range list {
		if _, isObject := item.(map[string]any); !isObject {
			continue
		}
		text, err := marshal(item)
		if err != nil {
			continue
		}
		if seen[string(text)] {
			count++
		}
		seen[string(text)] = true
	}
	return count
}

func trim(number float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.2f", number), ".00")
}

// follow says that a quantity that came out was always a quantity that went in, plus an
// offset: a heading, for the lines of a text.
type follow struct {
	source string
	offset float64
}

// mostHeading is the largest offset that is taken for a heading.
const mostHeading = 5

// learnFollows finds, for each quantity that comes out of every recorded run, those that
// went in and that it always equals.
func learnFollows(successes []observed) map[string][]follow {
	if len(successes) < sameFormat {
		return nil
	}
	ins := make([]map[string]float64, len(successes))
	outs := make([]map[string]float64, len(successes))
	for i := range successes {
		ins[i], outs[i] = quantitiesIn(&successes[i]), quantitiesOut(&successes[i])
	}
	names := map[string]bool{}
	for _, out := range outs {
		for name := range out {
			names[name] = true
		}
	}
	sources := map[string]bool{}
	for _, in := range ins {
		for name := range in {
			sources[name] = true
		}
	}
	follows := map[string][]follow{}
	for name := range names {
		values := map[float64]bool{}
		complete := true
		for _, out := range outs {
			v, there := out[name]
			// No call at all is a number of calls, too.
			complete = complete && (there || strings.HasPrefix(name, "calls of "))
			values[v] = true
		}
		if !complete || len(values) < sameFormat {
			continue
		}
		for _, source := range slices.Sorted(maps.Keys(sources)) {
			if offset, ok := alwaysFollows(name, source, ins, outs); ok {
				follows[name] = append(follows[name], follow{source, offset})
			}
		}
	}
	return follows
}

func alwaysFollows(name, source string, ins, outs []map[string]float64) (float64, bool) {
	var offset float64
	for i := range outs {
		in, there := ins[i][source]
		if !there {
			return 0, false
		}
		difference := outs[i][name] - in
		if i == 0 {
			offset = difference
		}
		if difference != offset || offset < 0 || offset > mostHeading || offset > 0 && !strings.HasSuffix(name, lineCount) {
			return 0, false
		}
	}
	return offset, true
}

const lineCount = " lines"

// quantitiesIn are the lengths of lists and the whole numbers that a run was given, and
// how many calls of each kind were made and answered. Lists and numbers inside of list
// items are left out: they are of items, not of the run.
func quantitiesIn(o *observed) map[string]float64 {
	in := map[string]float64{}
	for path, length := range arrayLengths(o) {
		in[lengthOf+path] = float64(length)
	}
	for _, a := range o.answered() {
		eachNumber(a.source, a.value, func(path string, number float64) { in[path] += number })
	}
	for _, call := range o.calls {
		if call.effect == sandbox.Read {
			in["calls of "+call.template]++
			if !call.failed {
				in["answers of "+call.template]++
			}
		}
	}
	return in
}

// quantitiesOut are the numbers and lengths in a run's output and writes, the lines of
// texts that it writes, and how many writes of each kind it makes.
func quantitiesOut(o *observed) map[string]float64 {
	out := map[string]float64{}
	add := func(path string, value any) {
		eachNumber(path, value, func(path string, number float64) { out[path] += number })
		eachArray(path, value, func(path string, items []any) {
			if !strings.Contains(path, "[*]") {
				out[lengthOf+path] += float64(len(items))
			}
		})
	}
	add("output", o.output)
	for _, call := range o.calls {
		if call.effect != sandbox.Write {
			continue
		}
		out["calls of "+call.template]++
		for i, arg := range call.args {
			path := fmt.Sprintf("%s args[%d]", call.template, i)
			text, ok := arg.(string)
			if !ok {
				add(path, arg)
			} else if value, ok := document(text); ok {
				add(path, value)
			} else if i == 1 && declares(call.tool).About == hostcall.Path {
				out[path+lineCount] += float64(len(tableLines(text)))
			}
		}
	}
	return out
}

// eachNumber visits the numbers in a value that are not inside of lists.
func eachNumber(path string, value any, visit func(path string, number float64)) {
	switch v := value.(type) {
	case float64:
		visit(path, v)
	case map[string]any:
		for key, member := range v {
			eachNumber(path+memberPath(key), member, visit)
		}
	}
}
