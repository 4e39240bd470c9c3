package drift

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// Variant is a right fix spoilt in one of the ways in which models spoil them, or one that
// is written another way.
type Variant struct {
	Way  string
	Code string
}

// Variants are the candidates that a model in a hurry could have written in place of a right fix: of one of the two
// places that broke, of another member of the same kind, of the first item, with a default, without the conversion,
// in another order. [Scene.Tell] finds out which of them are wrong. The same seed gives the same variants. There are
// no more than most.
func (s *Scene) Variants(fault Fault, right string, most int) []Variant {
	old := s.Automation.Code
	var all []Variant
	seen := map[string]bool{old: true, right: true}
	add := func(way, code string) {
		if !seen[code] && process.Check(code) == nil {
			seen[code] = true
			all = append(all, Variant{way, code})
		}
	}
	for _, half := range halves(old, right) {
		add("half fix", half)
	}
	for _, at := range newReads(old, right) {
		read := right[at[0]:at[1]]
		with := func(way, code string) { add(way, right[:at[0]]+code+right[at[1]:]) }
		for _, value := range []string{"0", "''", "[]", "'unknown'", "{}"} {
			with("default for missing", value)
		}
		with("first item", "[].concat("+read+").slice(0, 1)")
		with("first item", read+"[0]")
		with("lost unit", "("+read+" / 100)")
		with("lost unit", "Math.round("+read+")")
		with("changed order", read+".slice().reverse()")
		with("part of it", "String("+read+").split(/[ T]/)[0]")
		holder, name := read[:strings.LastIndexAny(read, ".")+1], read[strings.LastIndexAny(read, ".")+1:]
		for _, other := range s.siblings(fault, name) {
			with("wrong field", holder+other)
		}
	}
	add("lost page", pageLoop.ReplaceAllString(right, "} while (false);"))
	add("dropped dedupe", dedupe.ReplaceAllString(right, ""))
	for from, to := range map[string]string{"Number(": "parseInt(", "parseFloat(": "parseInt(", "JSON.parse(": "(", "Object.values(": "Object.keys(", "[].concat(": "("} {
		if strings.Count(right, from) > strings.Count(old, from) {
			add("lost conversion", strings.Replace(right, from, to, 1))
		}
	}
	slices.SortStableFunc(all, func(a, b Variant) int { return strings.Compare(a.Code, b.Code) })
	rng := rand.New(rand.NewPCG(s.seed, fault.seed))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	// One of each way before a second of any.
	count := map[string]int{}
	rank := map[string]int{}
	for _, v := range all {
		rank[v.Code] = count[v.Way]
		count[v.Way]++
	}
	slices.SortStableFunc(all, func(a, b Variant) int { return rank[a.Code] - rank[b.Code] })
	return all[:min(len(all), most)]
}

// The loop that asks for the next page, and the filter that leaves out items that were there before.
var (
	pageLoop = lazyregexp.New(`\} while \([^;{}]*\);`)
	dedupe   = lazyregexp.New(`\.filter\(\(?\w+\)? => !\w+\.(?:includes|has)\([^()]*\)\)|if \(\w+\.(?:includes|has)\([^()]*\)\) continue;`)
)

// readPattern is a member as scripts read it: o.total, data.items[0].name.
var readPattern = lazyregexp.New(`[A-Za-z_$][\w$]*(?:\[\d+\])?(?:\??\.[A-Za-z_$][\w$]*(?:\[\d+\])?)+`)

// onlyTells is what a fix looks at to tell an answer in the new shape from one in the old: spoilt, it does the same on the days that
// are told by.
var onlyTells = lazyregexp.New(`(?m)^\s*//.*$|if \(.*\) return \w+;`)

// newReads are where a fix reads what the old code does not.
func newReads(old, right string) [][2]int {
	var found [][2]int
	tells := onlyTells.FindAllStringIndex(right, -1)
	for _, at := range readPattern.FindAllStringIndex(right, -1) {
		from, to := at[0], at[1]
		if slices.ContainsFunc(tells, func(of []int) bool { return of[0] <= from && to <= of[1] }) {
			continue
		}
		if to < len(right) && right[to] == '(' { // what is called is a method of what is read
			to = from + strings.LastIndexAny(right[from:to], ".")
			to = from + len(strings.TrimRight(right[from:to], "?"))
		}
		if strings.Contains(right[from:to], ".") && !strings.Contains(old, right[from:to]) {
			found = append(found, [2]int{from, to})
		}
	}
	return found
}

// siblings are members of the same kind beside one of a name, in what the changed day answers.
func (s *Scene) siblings(fault Fault, name string) []string {
	day, _ := fault.apply(s.day.day)
	var found []string
	var walk func(value any)
	walk = func(value any) {
		switch v := value.(type) {
		case *orderedjson.Object:
			if member, has := v.Fields[name]; has {
				for _, key := range v.Keys {
					if key != name && fmt.Sprintf("%T", v.Fields[key]) == fmt.Sprintf("%T", member) && !slices.Contains(found, key) && identifier.MatchString(key) {
						found = append(found, key)
					}
				}
			}
			for _, key := range v.Keys {
				walk(v.Fields[key])
			}
		case []any:
			for _, element := range v {
				walk(element)
			}
		}
	}
	for _, answer := range day.Answers {
		if value, err := orderedjson.Decode(payload(answer.Body)); err == nil {
			walk(value)
		}
	}
	if value, err := orderedjson.Decode(day.Input); err == nil {
		walk(value)
	}
	return found[:min(len(found), 3)]
}

var identifier = lazyregexp.New(`^[A-Za-z_$][\w$]*$`)

// halves are a fix without what it changes in one of its lines, or in all lines but one.
func halves(old, right string) []string {
	was, is := strings.Split(old, "\n"), strings.Split(right, "\n")
	if len(was) != len(is) {
		return nil
	}
	var changed []int
	for i := range is {
		if was[i] != is[i] {
			changed = append(changed, i)
		}
	}
	if len(changed) < 2 {
		return nil
	}
	var found []string
	for _, i := range changed {
		without := slices.Clone(is)
		without[i] = was[i]
		found = append(found, strings.Join(without, "\n"))
		only := slices.Clone(was)
		only[i] = is[i]
		found = append(found, strings.Join(only, "\n"))
	}
	return found
}

// Tell says what a candidate comes to over the failing day, those held aside, and those recorded, as they were and changed, and
// whether what was recorded could tell that it is wrong: it is not right there either. A change that loses the value leaves
// nothing to tell it by but the days as they were.
func (s *Scene) Tell(ctx context.Context, fault Fault, code string) (became Applied, recorded bool, err error) {
	if became, err = s.try(ctx, fault, code); err != nil {
		return became, false, err
	}
	for _, changed := range []bool{false, true} {
		for _, one := range s.recorded {
			day := one.day
			if changed {
				day = fault.On(day)
			}
			run, err := live(ctx, s.runner, &s.Automation, code, one.id, day, one.state.Clone())
			if err != nil {
				return Nothing, false, err
			}
			if end(run) != one.end {
				if became == Right {
					became = Wrong
				}
				return became, !changed || !fault.Kind.Lossy, nil
			}
		}
	}
	return became, false, nil
}
