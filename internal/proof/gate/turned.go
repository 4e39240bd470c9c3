package gate

import (
	"maps"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

// listAt is a list by what gives it and where, and the member of its elements that holds a time.
type listAt struct{ source, at, name string }

// direction counts the neighbours in lists whose times go up, and down.
type direction struct{ up, down int }

// fewNeighbours is how many neighbours in a list are in an order by chance.
const fewNeighbours = 2

var leadingDate = lazyregexp.New(`^\d{4}-\d{2}-\d{2}`)

func (p *past) directions(run *Run, into map[listAt]direction) {
	p.eachGiven(run, func(source string, value any) {
		eachList(value, "", func(at string, list []any) []any {
			times := map[string][]string{}
			for _, one := range list {
				if o, isObject := one.(*orderedjson.Object); isObject {
					for _, name := range o.Keys {
						if text, _ := o.Fields[name].(string); leadingDate.MatchString(text) {
							times[name] = append(times[name], text)
						}
					}
				}
			}
			for name, texts := range times {
				if strings.Contains(at, "[]") || len(texts) < len(list) {
					continue
				}
				of := listAt{source, at, name}
				d := into[of]
				for i := range len(texts) - 1 {
					switch strings.Compare(texts[i], texts[i+1]) {
					case -1:
						d.up++
					case 1:
						d.down++
					}
				}
				into[of] = d
			}
			return list
		})
	})
}

// turned gives carried runs their lists in the other order, where those always went down by a time in their elements and that
// of the failed run goes up by it, or the other way. It says by which times.
func (p *past) turned(carried []*Run) (runs []*Run, by []string) {
	before, now := map[listAt]direction{}, map[listAt]direction{}
	p.directions(p.failed, now)
	for _, run := range carried {
		p.directions(run, before)
	}
	maps.DeleteFunc(now, func(of listAt, d direction) bool {
		was := before[of]
		return d.up+d.down < fewNeighbours || was.up+was.down < fewNeighbours || (d.up > 0) == (d.down > 0) || (was.up > 0) == (was.down > 0) || (d.up > 0) == (was.up > 0)
	})
	if len(now) == 0 {
		return carried, nil
	}
	for _, run := range carried {
		runs = append(runs, p.given(run, func(source string, value any) any {
			return eachList(value, "", func(at string, list []any) []any {
				for of := range now {
					if of.source == source && of.at == at {
						slices.Reverse(list)
						break
					}
				}
				return list
			})
		}))
	}
	for of := range now {
		by = append(by, of.name)
	}
	slices.Sort(by)
	return runs, slices.Compact(by)
}
