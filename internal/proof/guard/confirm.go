package guard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/migration"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// maxTried is how many recorded successes are executed with what was answered now.
const maxTried = 8

// Confirm keeps the suspects that matter. A change of an answer matters if the version comes to another end than
// recorded on recorded successes that are given it. Garbage needs no such proof, and proves that a change
// matters which no recorded success could show. An error is the runner's or the context's.
func Confirm(ctx context.Context, runner sandbox.Runner, v Version, run *gate.Run, suspects []Finding) ([]Finding, error) {
	if len(suspects) == 0 {
		return nil, nil
	}
	c := confirmation{runner: runner, version: v, known: newExpectation(v.Code), run: run}
	if err := c.choose(ctx); err != nil {
		return nil, err
	}
	spoilt := slices.ContainsFunc(suspects, Finding.made)
	var found []Finding
	for _, source := range sources(suspects) {
		of := slices.DeleteFunc(slices.Clone(suspects), func(f Finding) bool { return f.Source != source || f.made() })
		if len(of) == 0 {
			continue
		}
		result, shown, err := c.matters(ctx, source, of)
		if err != nil {
			return nil, err
		}
		switch {
		case result == other:
		case result == unseen && (spoilt || c.names(of)):
		default:
			continue
		}
		for _, f := range of {
			f.Shown = shown
			found = append(found, f)
		}
	}
	garbage := slices.DeleteFunc(slices.Clone(suspects), func(f Finding) bool { return !f.made() })
	if spoilt && len(found) == 0 {
		own, err := c.ownWay(ctx)
		if err != nil {
			return nil, err
		}
		garbage = slices.DeleteFunc(garbage, func(f Finding) bool { return own[f.Key()] })
	}
	return append(found, garbage...), nil
}

// ownWay is the garbage that the version makes of recorded successes that are given a little less, as the run was:
// lists are empty, members are null or left out, in all places or in the first. The script always treats such answers
// so: this garbage says nothing about today.
func (c *confirmation) ownWay(ctx context.Context) (map[string]bool, error) {
	known, now := c.taught(), c.known.another()
	now.Add(c.run)
	own := map[string]bool{}
	for _, success := range c.tried {
		for _, everywhere := range []bool{true, false} {
			altered, less := success, false
			for _, source := range sorted(now.Sources) {
				was, of := known.Sources[source], now.Sources[source]
				if was == nil || of.of != "" {
					continue
				}
				before := known.given(was)
				read := of.Values.Like(before)
				if payload.Came(before, read) {
					continue // what is missing may be in what came
				}
				altered, _, _ = c.altered(altered, source, func(call gate.Call) (gate.Call, bool) {
					value, write := open(call.Result)
					for _, place := range before.All() {
						put, stays, so := lessAt(read, before, place)
						if !so {
							continue
						}
						first := true
						value, _ = read.Edit(value, place.Path, func(old any) (any, bool) {
							if !everywhere && !first {
								return old, true
							}
							first, less = false, true
							return put, stays
						})
					}
					call.Result = write(value)
					return call, true
				})
			}
			if !less {
				continue
			}
			again, err := c.execute(ctx, altered)
			if err != nil {
				return nil, err
			}
			for _, f := range c.makes(altered, again) {
				own[f.Key()] = true
			}
		}
	}
	return own, nil
}

// lessAt says what is less at a place of a run, in some objects at least: an empty list, null, or nothing.
func lessAt(now, before *payload.Schema, place *payload.Place) (put any, stays, so bool) {
	is := now.At(place.Path)
	if is != nil && is.Kinds["array"] > 0 && is.Items == 0 {
		return []any{}, true, true
	}
	if is != nil && is.Kinds["null"] > 0 && (len(is.KindsSeen()) > 0 || place.Kinds["null"] > 0) {
		return nil, true, true
	}
	if !place.IsMember() {
		return nil, false, false
	}
	holder := place.Path[:len(place.Path)-1]
	if is == nil {
		return nil, false, now.Objects(holder) > 0 && place.Seen() < before.Objects(holder)
	}
	return nil, false, is.Seen() < now.Objects(holder)
}

// Look is [Expectation.Suspects] and [Confirm] in one.
func Look(ctx context.Context, runner sandbox.Runner, known *Expectation, v Version, run *gate.Run) ([]Finding, error) {
	return Confirm(ctx, runner, v, run, known.Suspects(run))
}

// Stops says that a run with these findings must not write: there is evidence beside garbage.
func Stops(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Kind != Garbage })
}

func sources(findings []Finding) []string {
	var names []string
	for _, f := range findings {
		if !slices.Contains(names, f.Source) {
			names = append(names, f.Source)
		}
	}
	return names
}

type confirmation struct {
	runner  sandbox.Runner
	version Version
	known   *Expectation
	run     *gate.Run
	tried   []*gate.Run // successes that the version reproduces
}

// choose takes successes that the version comes to the same end on; others show nothing.
func (c *confirmation) choose(ctx context.Context) error {
	for i := range slices.Backward(c.version.Successes) {
		if len(c.tried) == maxTried {
			return nil
		}
		again, err := c.execute(ctx, &c.version.Successes[i])
		if err != nil {
			return err
		}
		if again.Reproduced {
			c.tried = append(c.tried, &c.version.Successes[i])
		}
	}
	return nil
}

func (c *confirmation) execute(ctx context.Context, run *gate.Run) (gate.Reproduction, error) {
	again, err := gate.Reproduce(ctx, c.runner, c.version.Code, c.version.Zone, run)
	if err != nil {
		return again, fmt.Errorf("guard: %w", err)
	}
	return again, nil
}

// names says that the script spells out a member that is not as it was.
func (c *confirmation) names(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool {
		last := ""
		if len(f.path) > 0 {
			last = f.path[len(f.path)-1]
		}
		return f.Kind == Status || last == "" || last == payload.Element || last == payload.Document || last == payload.AnyKey || strings.Contains(c.version.Code, last)
	})
}

// Effects of a change on recorded successes.
type effect int

const (
	unseen effect = iota // no success could be given it
	none                 // the script copes with it
	other                // it comes to another end
)

// change alters what a call of the source gave.
type change func(call gate.Call) (gate.Call, bool)

// matters tries what became of a source. Where the payloads explain it as a move or another way of writing, that
// is what successes are given; else what is gone is taken away, and what changed takes the value of now.
func (c *confirmation) matters(ctx context.Context, source string, of []Finding) (effect, string, error) {
	best, shown := unseen, ""
	for _, change := range c.changes(source, of) {
		result, says, err := c.try(ctx, source, change, false)
		if err != nil {
			return unseen, "", err
		}
		if result == none && c.explains(source, change) {
			best, shown = none, ""
			break
		}
		if result == other && best != other {
			best, shown = result, says
		}
	}
	if best == unseen {
		var err error
		// A value of now that stands for one of then gives another value, whatever the script does.
		grafted := slices.ContainsFunc(of, isGraft)
		if best, shown, err = c.try(ctx, source, c.directly(source, of), grafted); err != nil {
			return unseen, "", err
		}
		// A value that is gone, or the same in other words or in another form, is no other value: it is tried by itself.
		plain := slices.DeleteFunc(slices.Clone(of), isGraft)
		if best == none && grafted && len(plain) > 0 {
			if best, shown, err = c.try(ctx, source, c.directly(source, plain), false); err != nil {
				return unseen, "", err
			}
		}
	}
	if best == none && !c.version.Mended {
		lost, err := c.unread(ctx, source, of)
		if err != nil {
			return unseen, "", err
		}
		if lost {
			best, shown = other, "other values there gave recorded runs another end, and give this one none"
		}
	}
	if best != none && c.version.Mended {
		if reads, err := c.readsWhatCame(ctx, source, of); reads || err != nil {
			return none, "", err
		}
	}
	return best, shown, nil
}

// explains says that a change can be made to all successes, and makes others of them: a day on which there was nothing bears
// everything out.
func (c *confirmation) explains(source string, change change) bool {
	other := false
	for _, success := range c.tried {
		altered, any, ok := c.altered(success, source, change)
		if any && !ok {
			return false
		}
		other = other || any && !bytes.Equal(altered.Input, success.Input)
		for i := range altered.Calls {
			other = other || !bytes.Equal(altered.Calls[i].Result, success.Calls[i].Result)
		}
	}
	return other
}

// isGraft says that recorded successes are given what stands there now.
func isGraft(f Finding) bool {
	return f.how == payload.IsChanged || f.how == isMixed || f.how == payload.IsFormat || f.how == payload.IsNoJSON
}

// withoutHeader is a reply without a header.
func withoutHeader(result json.RawMessage, name string) json.RawMessage {
	whole, err := orderedjson.Decode(result)
	reply, _ := whole.(*orderedjson.Object)
	if err != nil || reply == nil {
		return result
	}
	if headers, is := reply.Fields["headers"].(*orderedjson.Object); is {
		for _, key := range slices.Clone(headers.Keys) {
			if strings.EqualFold(key, name) {
				headers.Remove(key)
			}
		}
	}
	made, err := orderedjson.Encode(reply)
	if err != nil {
		return result
	}
	return made
}

// unread says that most recorded successes come to another end with other values at the places, and that the run, as
// far as it is, comes to the same whatever stands there now: the script ignores its answers, though no success that
// has its like fails. Where a place is gone, that is so only if other members came and the run depends on nothing
// that it was answered there.
func (c *confirmation) unread(ctx context.Context, source string, of []Finding) (bool, error) {
	was, is, _ := c.compared(source)
	read := was.Read(payload.Keys{Spelled: c.known.spelled})
	came := payload.Came(read, is.Like(read))
	of = slices.DeleteFunc(slices.Clone(of), func(f Finding) bool { return !isGraft(f) && (f.how != payload.IsGone || !came) })
	if len(of) == 0 {
		return false, nil
	}
	writes, ended := 0, len(c.run.Outcome.Output) > 0
	for _, call := range c.run.Calls {
		if call.Effect == string(sandbox.Write) {
			writes++
		}
	}
	// depends says that some other value gives other writes among the first, or another output.
	depends := func(run *gate.Run, now bool) (bool, error) {
		has, err := c.execute(ctx, run)
		tried := []*gate.Run{run}
		for way := 0; err == nil && way < ways+mostKnown; way++ {
			altered, _, _ := c.altered(run, source, func(call gate.Call) (gate.Call, bool) {
				value, write := open(call.Result)
				for _, f := range of {
					if now && f.how == payload.IsGone {
						value = varied(value, nil, way)
						continue
					}
					value, _ = f.in.Edit(value, f.path, func(one any) (any, bool) {
						if now && f.how == isMixed && slices.Contains(f.kinds, payload.KindOf(one)) {
							return one, true
						}
						return varied(one, read.At(f.path), way), true
					})
				}
				call.Result = write(value)
				return call, true
			})
			if slices.ContainsFunc(tried, func(one *gate.Run) bool { return sameAnswers(one, altered) }) {
				continue // some ways give a value as it was, or as another way does
			}
			tried = append(tried, altered)
			var again gate.Reproduction
			if again, err = c.execute(ctx, altered); err == nil && !slices.Equal(did(has, writes, ended), did(again, writes, ended)) {
				return true, nil
			}
		}
		return false, err
	}
	reads, err := depends(c.run, true)
	if reads || err != nil {
		return false, err
	}
	some, most := 0, len(c.tried)
	for i, success := range c.tried {
		if 2*some > most || 2*(some+most-i) <= most {
			break // the others change nothing
		}
		writes, ended = len(success.Calls), true
		read, err := depends(success, false)
		if err != nil {
			return false, err
		}
		if read {
			some++
		}
	}
	return 2*some > most, nil
}

// sameAnswers says that two runs with the same calls have the same input, and were answered alike.
func sameAnswers(a, b *gate.Run) bool {
	return bytes.Equal(a.Input, b.Input) && slices.EqualFunc(a.Calls, b.Calls, func(x, y gate.Call) bool { return bytes.Equal(x.Result, y.Result) })
}

// mostKnown is how many values that were seen at a place are put in the place of another one.
const mostKnown = 3

// did is what an execution wrote first, and its output if it is asked for.
func did(again gate.Reproduction, writes int, output bool) []string {
	var made []string
	for _, call := range again.Outcome.Calls {
		if call.Effect == sandbox.Write && len(made) < writes {
			made = append(made, call.Tool+" "+string(call.Args))
		}
	}
	if output {
		made = append(made, string(again.Outcome.Output))
	}
	return made
}

// varied is a value with all that stands in it varied, or one that was seen in its place.
func varied(value any, seen *payload.Place, way int) any {
	switch v := value.(type) {
	case []any:
		made := make([]any, len(v))
		for i, one := range v {
			made[i] = varied(one, nil, way)
		}
		return made
	case *orderedjson.Object:
		made := orderedjson.New()
		for _, key := range v.Keys {
			made.Put(key, varied(v.Fields[key], nil, way))
		}
		return made
	}
	if way < ways {
		return vary(value, way)
	}
	if number, is := value.(float64); is {
		if seen != nil && way > ways && len(seen.Numbers) > 0 {
			return seen.Numbers[(way*7)%len(seen.Numbers)]
		}
		return number * 1000
	}
	if seen != nil && len(seen.Words) > 0 {
		words := sorted(seen.Words)
		return words[(way-ways)%len(words)]
	}
	return value
}

// readsWhatCame says that mended code uses the members that came in the place of those that are gone or changed, and
// makes no garbage of them: the run comes to another end without them, or with other values in them. The gate asks
// whether it uses them rightly.
func (c *confirmation) readsWhatCame(ctx context.Context, source string, of []Finding) (bool, error) {
	if slices.ContainsFunc(of, func(f Finding) bool { return f.Kind == Status }) {
		return false, nil
	}
	has, err := c.execute(ctx, c.run)
	if err != nil || len(c.makes(c.run, has)) > 0 {
		return false, err
	}
	was, is, _ := c.compared(source)
	read := was.Read(payload.Keys{Spelled: c.known.spelled})
	now := is.Like(read)
	for way := range ways + 1 {
		altered, came, _ := c.altered(c.run, source, func(call gate.Call) (gate.Call, bool) {
			value, write := open(call.Result)
			for _, place := range now.All() {
				if place.IsMember() && read.At(place.Path) == nil {
					value, _ = now.Edit(value, place.Path, func(one any) (any, bool) {
						if way == ways {
							return nil, false
						}
						return vary(one, way), true
					})
				}
			}
			call.Result = write(value)
			return call, true
		})
		if !came {
			return false, nil
		}
		again, err := c.execute(ctx, altered)
		if err != nil || !reflect.DeepEqual(ends(has), ends(again)) {
			return err == nil, err
		}
	}
	return false, nil
}

// ends is what an execution asked, wrote and returned, or how it failed.
func ends(again gate.Reproduction) []string {
	made := []string{string(again.Outcome.Output)}
	for _, call := range again.Outcome.Calls {
		made = append(made, call.Tool+" "+string(call.Args))
	}
	if e := again.Outcome.Error; e != nil {
		made = append(made, e.Name+" "+e.Message)
	}
	return made
}

// try executes the version on successes whose answers of the source are changed. If values were grafted, another
// end is only one that is an error or garbage.
func (c *confirmation) try(ctx context.Context, source string, change change, grafted bool) (effect, string, error) {
	result := unseen
	for _, success := range c.tried {
		altered, any, ok := c.altered(success, source, change)
		if !any || !ok {
			continue
		}
		again, err := c.execute(ctx, altered)
		if err != nil {
			return unseen, "", err
		}
		if again.Reproduced || c.fallsBack(again) || grafted && again.Outcome.Error == nil && len(c.makes(altered, again)) == 0 {
			result = none
			continue
		}
		d := again.Divergence
		return other, fmt.Sprintf("answered so, run %s would have come to %s instead of %s", success.ID, brief(d.Got), brief(d.Want)), nil
	}
	return result, "", nil
}

// makes is the garbage that a success comes to with what it was given instead.
func (c *confirmation) makes(altered *gate.Run, again gate.Reproduction) []Finding {
	made := *altered
	made.Calls, made.Outcome = nil, gate.Outcome{Status: "succeeded", Output: again.Outcome.Output}
	for _, call := range again.Outcome.Calls {
		made.Calls = append(made.Calls, gate.Call{Tool: call.Tool, Args: call.Args, Effect: string(call.Effect), Result: call.Result})
	}
	now := c.known.another()
	now.Add(&made)
	return c.taught().garbage(&made, now.madeBy(&made), now)
}

// taught is what the successes that are tried teach.
func (c *confirmation) taught() *Expectation {
	known := c.known.another()
	for _, success := range c.tried {
		known.Add(success)
	}
	return known
}

// fallsBack says that the script provides for it: it asks elsewhere, where no recorded run had to.
func (c *confirmation) fallsBack(again gate.Reproduction) bool {
	e := again.Outcome.Error
	if e == nil || e.Code != sandbox.CodeUnanswerable {
		return false
	}
	for _, success := range c.tried {
		for _, call := range success.Calls {
			if call.Tool == e.Tool {
				return false // the same call with a spoilt address, most likely
			}
		}
	}
	return true
}

// altered is a success with its answers of a source changed: any says that there was one, ok that all could be.
func (c *confirmation) altered(success *gate.Run, source string, change change) (made *gate.Run, any, ok bool) {
	altered := *success
	altered.Calls = slices.Clone(success.Calls)
	ok = true
	alter := func(call gate.Call) gate.Call {
		made, good := change(call)
		any, ok = true, ok && good
		return made
	}
	if source == inputOf(success) {
		altered.Input = alter(gate.Call{Result: success.Input}).Result
	}
	for i, call := range altered.Calls {
		if call.Error == nil && c.known.from(source, call) {
			altered.Calls[i] = alter(call)
		}
	}
	return &altered, any, ok
}

// changes are the explanations that the payloads allow, best first.
func (c *confirmation) changes(source string, of []Finding) []change {
	if slices.ContainsFunc(of, func(f Finding) bool {
		return f.Kind == Status || f.how == isOrder || f.how == isLength || f.how == isLevel || f.how == isPaged || f.how == payload.IsZone
	}) {
		return nil
	}
	var old, fresh []any
	give := func(to *[]any) func(answer) {
		return func(a answer) {
			if a.source == source && a.failed == "" {
				*to = append(*to, a.value)
			}
		}
	}
	for _, success := range c.tried {
		c.known.eachAnswer(success, give(&old))
	}
	c.known.eachAnswer(c.run, give(&fresh))
	as := c.writtenAs(source, of)
	var found []change
	for _, way := range migration.Infer(payload.Keys{Spelled: c.known.spelled}, old, fresh) {
		found = append(found, func(call gate.Call) (gate.Call, bool) {
			value, write := open(call.Result)
			value, ok := way.Apply(value)
			if !ok {
				return call, false
			}
			for _, f := range of { // what stands nowhere any more was left where it was
				if f.how == payload.IsGone && slices.Contains(way.Lost, f.Place) {
					value, _ = f.in.Edit(value, f.path, func(any) (any, bool) { return nil, false })
				}
			}
			call.Result = write(value, as...)
			return call, !slices.ContainsFunc(of, func(f Finding) bool { return !borneOut(f, value) })
		})
	}
	return found
}

// borneOut says that a value is as the finding has it: an explanation that leaves a place as it was explains nothing.
func borneOut(f Finding, value any) bool {
	stand := f.in.Collect(value, f.path)
	switch f.how {
	case payload.IsGone:
		return len(stand) == 0
	case payload.IsNull:
		return !slices.ContainsFunc(stand, func(one any) bool { return one != nil })
	case payload.IsScaled:
		numbers := payload.NewSchema()
		for _, one := range stand {
			numbers.Add("", one, nil)
		}
		made := numbers.At(nil)
		return made == nil || f.now == nil || payload.Scaled(f.now, made) == 0 && math.Abs(math.Log10(cmp.Or(made.Middle(), 1)/cmp.Or(f.now.Middle(), 1))) < 1
	case payload.IsZone:
		return !slices.ContainsFunc(stand, func(one any) bool {
			text, is := one.(string)
			return is && f.now != nil && f.now.Zones[payload.ZoneOf(text)] == 0
		})
	case payload.IsChanged:
		return !slices.ContainsFunc(stand, func(one any) bool { return slices.Contains(f.kinds, payload.KindOf(one)) })
	}
	return true
}

// directly gives a success what stands at the suspected places now.
func (c *confirmation) directly(source string, of []Finding) change {
	if failed := c.failed(source); failed != nil && slices.ContainsFunc(of, func(f Finding) bool { return f.Kind == Status }) {
		return func(call gate.Call) (gate.Call, bool) {
			call.Result, call.Error = failed.Result, failed.Error
			return call, true
		}
	}
	was, is, fresh := c.compared(source)
	as := c.writtenAs(source, of)
	return func(call gate.Call) (gate.Call, bool) {
		for _, f := range of {
			if f.how == isHead {
				call.Result = withoutHeader(call.Result, f.path[0])
			}
		}
		value, write := open(call.Result)
		for _, f := range of {
			switch text, isText := value.(string); {
			case f.how == isMark && isText:
				value = hideMark(text, f.path)
			case f.how != isForm && f.how != isMark && f.how != isHead:
				value = c.put(value, f, was.Like(f.in).At(f.path), is.Like(f.in).At(f.path), fresh)
			}
		}
		call.Result = write(value, as...)
		return call, true
	}
}

// writtenAs is a body of now, if bodies are written in another form.
func (c *confirmation) writtenAs(source string, of []Finding) []payload.InText {
	if !slices.ContainsFunc(of, func(f Finding) bool { return f.how == isForm }) {
		return nil
	}
	for _, call := range c.run.Calls {
		if call.Error == nil && c.known.from(source, call) {
			whole, _ := orderedjson.Decode(call.Result)
			_, _, inText := bodyOf(whole)
			return []payload.InText{inText}
		}
	}
	return nil
}

// compared is what a source gave the successes, and gives the run.
func (c *confirmation) compared(source string) (was, is *payload.Schema, fresh []any) {
	was, is = payload.NewSchema(), payload.NewSchema()
	for _, success := range c.tried {
		c.known.eachAnswer(success, func(a answer) {
			if a.source == source && a.failed == "" {
				was.Add("", a.value, nil)
			}
		})
	}
	c.known.eachAnswer(c.run, func(a answer) {
		if a.source == source && a.failed == "" {
			is.Add("", a.value, nil)
			fresh = append(fresh, a.value)
		}
	})
	return was, is, fresh
}

func (c *confirmation) put(value any, f Finding, was, now *payload.Place, fresh []any) any {
	var stand []any
	for _, one := range fresh {
		stand = append(stand, f.in.Collect(one, f.path)...)
	}
	next := 0
	at := f.path
	if f.how == isOrder && len(at) > 0 {
		at = at[:len(at)-2] // the list of those whose member it is
	}
	made, _ := f.in.Edit(value, at, func(old any) (any, bool) {
		switch f.how {
		case isPaged:
			if list, is := old.([]any); is {
				return list[:(len(list)+1)/2], true
			}
			return old, true
		case isOrder, isLength:
			if list, is := old.([]any); is && was != nil && now != nil {
				return resized(list, f.how, was, now), true
			}
			return old, true
		case isLevel:
			if was != nil && now != nil {
				return counted(old, func(n float64) float64 { return n + now.Middle() - was.Middle() }), true
			}
			return old, true
		case payload.IsGone:
			return nil, false
		case payload.IsNull:
			return nil, true
		case payload.IsScaled:
			if was != nil && now != nil {
				factor := cmp.Or(payload.Scaled(was, now), 1)
				return counted(old, func(n float64) float64 { return n * factor }), true
			}
		case payload.IsZone:
			if text, ok := old.(string); ok && now != nil {
				return c.inZone(text, now), true
			}
		case payload.IsWords:
			if word, ok := old.(string); ok && was != nil && now != nil {
				return cmp.Or(payload.Respelled(was, now)[word], word), true
			}
		case payload.IsNoJSON:
			return "", true
		}
		if len(stand) == 0 {
			return old, true
		}
		next++
		return stand[(next-1)%len(stand)], true
	})
	return made
}

// counted is a number counted otherwise, in a text if it was in one.
func counted(value any, otherwise func(float64) float64) any {
	switch v := value.(type) {
	case float64:
		return otherwise(v)
	case string:
		if n, err := strconv.ParseFloat(strings.TrimSpace(v), 64); err == nil {
			return strconv.FormatFloat(otherwise(n), 'f', -1, 64)
		}
	}
	return value
}

// inZone is the same time as times are written now. One without a zone is in that of the workflow.
func (c *confirmation) inZone(text string, now *payload.Place) string {
	was := payload.ZoneOf(text)
	bare := strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(text, "Z"), "UTC"), " ")
	if was == payload.ZoneOffset {
		bare = text[:strings.LastIndexAny(text, "+-")]
	}
	zone, err := time.LoadLocation(c.version.Zone)
	if err != nil || was == payload.ZoneUTC {
		zone = time.UTC
	}
	at, err := time.ParseInLocation("2006-01-02T15:04:05", strings.Replace(bare, " ", "T", 1), zone)
	if was == payload.ZoneOffset && err == nil {
		at, err = time.Parse(time.RFC3339, strings.Replace(text, " ", "T", 1))
	}
	switch {
	case now.Zones[payload.ZoneNone] > 0:
		return bare
	case err != nil:
		return bare + "Z"
	case now.Zones[payload.ZoneUTC] > 0:
		return at.UTC().Format(time.RFC3339)
	}
	return at.In(zone).Format("2006-01-02T15:04:05-07:00")
}

// resized is a list in the opposite order, or as long as lists are now.
func resized(list []any, how string, was, now *payload.Place) []any {
	made := slices.Clone(list)
	if how == isOrder {
		slices.Reverse(made)
		return made
	}
	if was.Most > now.Most {
		return made[:min(len(made), now.Most)]
	}
	for i := range max(now.Least-len(list), 0) + len(list) { // there are more in the time of each
		made = append(made[:i], list[i*len(list)/max(now.Least, len(list))])
	}
	return made
}

// failed is the call of the source that failed, or came with the status.
func (c *confirmation) failed(source string) *gate.Call {
	for i, call := range c.run.Calls {
		if !c.known.from(source, call) {
			continue
		}
		_, status, media, form, _ := answered(call)
		if call.Error != nil || status >= 300 || isPage(media) || form == formBytes || form == formNone {
			return &c.run.Calls[i]
		}
	}
	return nil
}

func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
