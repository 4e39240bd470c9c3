package gate

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Lists may hold elements of a kind that no recorded run had: null, one whose type is new and that lacks what each other
// element has, or one that a call asks for in vain: the answer is null. If nothing else has changed, what the other elements
// gave is what is due. So recorded successes are given such elements, too, at the front, in the middle and at the end of
// each such list.

// intruders are elements of a new kind, by the list that they stand in.
type intruders map[string][]any

// intruded are the new kinds of elements of a failed run, by source, the calls that ask for them in vain, and the run without
// both; nil if there are none.
func (p *past) intruded() (found map[string]intruders, vain []Call, without *Run) {
	vain = p.askedInVain()
	known := map[string]map[string][]any{}
	for _, run := range p.successes {
		p.eachGiven(run, func(name string, value any) {
			if known[name] == nil {
				known[name] = map[string][]any{}
			}
			eachList(value, "", func(at string, list []any) []any {
				known[name][at] = append(known[name][at], list...)
				return list
			})
		})
	}
	found = map[string]intruders{}
	without = p.given(p.failed, func(name string, value any) any {
		return eachList(value, "", func(at string, list []any) []any {
			return slices.DeleteFunc(slices.Clone(list), func(one any) bool {
				if !isOfNewKind(known[name][at], one) && !p.onlyInVain(one, list, vain) {
					return false
				}
				if found[name] == nil {
					found[name] = intruders{}
				}
				found[name][at] = append(found[name][at], one)
				return true
			})
		})
	})
	if len(found) == 0 {
		return nil, nil, nil
	}
	without.Calls = slices.DeleteFunc(without.Calls, isNothing)
	return found, vain, without
}

// isNothing says that a call was answered with null.
func isNothing(c Call) bool {
	value, _ := answeredTo(&c, c.Result)
	text, _ := value.(string)
	return isGiven(&c) && c.Effect == string(sandbox.Read) && (value == nil || strings.TrimSpace(text) == "null")
}

// askedInVain are the calls of a failed run that were answered with null, though no recorded call of their kind was.
func (p *past) askedInVain() []Call {
	never := map[string]int{}
	for _, run := range p.successes {
		for i := range run.Calls {
			name := p.sourceOf(&run.Calls[i])
			if never[name]++; isNothing(run.Calls[i]) {
				never[name] = math.MinInt / 2
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(p.failed.Calls), func(c Call) bool {
		return !isNothing(c) || never[p.sourceOf(&c)] < payload.LeastSeen
	})
}

// onlyInVain says that an element is asked for in vain, and another one of its list by such a call is not.
func (p *past) onlyInVain(one any, list []any, vain []Call) bool {
	return slices.ContainsFunc(vain, func(c Call) bool {
		return asksFor(&c, one) && slices.ContainsFunc(p.failed.Calls, func(other Call) bool {
			return !isNothing(other) && p.sourceOf(&other) == p.sourceOf(&c) && slices.ContainsFunc(list, func(one any) bool { return asksFor(&other, one) })
		})
	})
}

// asksFor says that an element, or a member of it, is a whole word of what a call asks for.
func asksFor(c *Call, one any) bool {
	words := func(text string) []string {
		return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' })
	}
	asked := words(string(c.Args))
	has := func(value any) bool {
		switch value.(type) {
		case string, float64:
			return slices.Contains(asked, wordOf(value))
		}
		return false
	}
	if o, ok := one.(*orderedjson.Object); ok {
		return slices.ContainsFunc(o.Keys, func(key string) bool { return has(o.Fields[key]) })
	}
	return has(one)
}

// isOfNewKind says that an element is like none of those that were there before.
func isOfNewKind(known []any, one any) bool {
	if len(known) < payload.LeastSeen {
		return false
	}
	if one == nil {
		return !slices.Contains(known, nil)
	}
	o, ok := one.(*orderedjson.Object)
	if !ok {
		return false
	}
	first, _ := known[0].(*orderedjson.Object)
	if first == nil {
		return false
	}
	lacks, another := false, false
	for _, key := range first.Keys {
		var texts []string
		always := !slices.ContainsFunc(known, func(value any) bool {
			other, is := value.(*orderedjson.Object)
			if !is || other.Fields[key] == nil {
				return true
			}
			if text, is := other.Fields[key].(string); is {
				texts = append(texts, text)
			}
			return false
		})
		if !always {
			continue
		}
		lacks = lacks || o.Fields[key] == nil
		if text, is := o.Fields[key].(string); is && len(texts) == len(known) && payload.ClosedSet(texts) && !slices.Contains(texts, text) {
			another = true
		}
	}
	return lacks && another
}

// eachList changes each list in a value, the inner ones first.
func eachList(value any, at string, change func(at string, list []any) []any) any {
	switch value := value.(type) {
	case []any:
		made := make([]any, len(value))
		for i, one := range value {
			made[i] = eachList(one, at+"[]", change)
		}
		return change(at, made)
	case *orderedjson.Object:
		made := orderedjson.New()
		for _, key := range value.Keys {
			made.Put(key, eachList(value.Fields[key], at+"."+key, change))
		}
		return made
	}
	return value
}

// given is a run that was given something else.
func (p *past) given(run *Run, change func(source string, value any) any) *Run {
	made := *run
	made.Calls = slices.Clone(run.Calls)
	through := func(name string, text json.RawMessage) json.RawMessage {
		value, form, write := opened(text)
		if value == nil {
			return text
		}
		if other := change(name, value); !payload.Equal(value, other) {
			return write(other, form)
		}
		return text
	}
	made.Input = through("input", run.Input)
	for i := range made.Calls {
		if call := &made.Calls[i]; isGiven(call) {
			call.Result = through(p.sourceOf(&run.Calls[i]), call.Result)
		}
	}
	return &made
}

// intrusion is the explanation that only new kinds of elements came, with recorded successes that have them; nil if more changed.
func (g *Gate) intrusion(past *past) (*hypothesis, []*Run) {
	found, vain, without := past.intruded()
	if found == nil || g.old == nil {
		return nil, nil
	}
	successes := make([]Run, len(past.successes))
	for i, run := range past.successes {
		successes[i] = *run
	}
	// New words come with each new thing.
	if slices.ContainsFunc(Changes(g.subject.Code, without, successes), func(c Changed) bool { return c.How != payload.IsNew && c.How != payload.IsWords }) {
		return nil, nil
	}
	w := &hypothesis{score: 1}
	var says []string
	for name, lists := range found {
		for at, new := range lists {
			kind := "of a new kind"
			if len(vain) > 0 {
				kind = "asked for in vain"
			} else if new[0] == nil {
				kind = "null"
			}
			says = append(says, fmt.Sprintf("some elements of %s are %s now", strings.TrimSpace(name+" "+strings.TrimPrefix(at, ".")), kind))
		}
	}
	slices.Sort(says)
	w.says = strings.Join(says, "; ")
	var runs []*Run
	for _, run := range past.successes[:min(len(past.successes), maxCarried/3)] {
		for _, before := range []func(n int) int{func(int) int { return 0 }, func(n int) int { return n / 2 }, func(n int) int { return n }} {
			made := past.given(run, func(name string, value any) any {
				return eachList(value, "", func(at string, list []any) []any {
					return slices.Insert(list, before(len(list)), found[name][at]...)
				})
			})
			made.Calls = append(made.Calls, vain...)
			runs = append(runs, made)
		}
	}
	return w, runs
}
