package replay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/kintsugi-run/kintsugi/internal/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/pattern"
	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// influence is one place of what runs were given, and what of what they came to depends on
// it. It is found by trying: the values at the place are changed, and the run is made again.
type influence struct {
	place
	// Sinks came out otherwise in every run that had the place: leaves of the output, leaves
	// of the arguments of a write, calls.
	Sinks []string
	// Runs is how many runs had something there, Depended how many of them came out otherwise.
	// Runs in which nothing of their source could matter do not count.
	Runs     int
	Depended int
	// Short is how many of the runs have none of the sinks that the place decides elsewhere: they
	// ended before it could, or it decided that there is none.
	Short int
}

// place is where a run was given values: the input or a kind of call, and the path in it,
// items as [*] and keys that the script does not spell out as .*
type place struct {
	Source string
	Path   string // empty for an answer that is one value
	// Part is what of the values is meant: all of them, the decimals or numbers in them, or what
	// stands behind a name in a text, as in state=OPEN.
	Part string
}

func (p place) compare(other place) int {
	return cmp.Or(strings.Compare(p.Source, other.Source), strings.Compare(p.Path, other.Path), strings.Compare(p.Part, other.Part))
}

// String is a place as people read it: the decimals of orders[*].total of web.getJSON GET shop.test/orders.
func (p place) String() string {
	at := strings.TrimPrefix(p.Path, ".")
	if at == "" {
		at = "the text"
	}
	if p.Part != "" {
		at = "the " + p.Part + " of " + at
	}
	return at + " of " + p.Source
}

// parts of a value that are tried on their own. The pattern's group is what is changed.
var parts = map[string]*pattern.Pattern{
	"decimals": pattern.New(`\d[.,](\d+)`),
	"numbers":  pattern.New(`\b(\d+)`),
}

// pair is a value behind its name in a text.
var pair = pattern.New(`\b([A-Za-z_]\w*)=([^,;&\]\s]+)`)

// changePairs is a text with other values behind a name.
func changePairs(value any, name string, way int) any {
	text, isText := value.(string)
	if !isText {
		return value
	}
	return pair.ReplaceAllStringFunc(text, func(found string) string {
		if behind, is := strings.CutPrefix(found, name+"="); is {
			return name + "=" + changeText(behind, way)
		}
		return found
	})
}

// influences are those of the recorded successes on the old code, learned once.
func (g *Gate) influences(ctx context.Context) ([]influence, error) {
	g.probing.Lock()
	defer g.probing.Unlock()
	if g.tooMuch {
		return nil, errSpent
	}
	if g.influence != nil {
		return g.influence, nil
	}
	// They are of the old code, and have to be the same whichever candidate asks first.
	ctx = withWork(ctx, g.options.Work)
	e := g.evidence()
	type trial struct {
		base  map[string][]string // the run's sinks
		sinks map[place][]string  // those that changed
		moved map[string]bool     // sources of which something changed some
	}
	var trials []trial
	union := map[place]map[string]bool{} // sinks that a place decides in some run
	for i := range min(len(g.kept), mostProbed) {
		k := &g.kept[i]
		one := trial{base: e.templates.sinks(g.old.Words, &k.outcome), sinks: map[place][]string{}, moved: map[string]bool{}}
		for _, at := range slices.SortedFunc(maps.Keys(placesOf(&e.successes[i], g.old.Words)), place.compare) {
			p := probe{gate: g, code: g.subject.Code, run: k.run, base: one.base, words: g.old.Words, known: e.vocabulary}
			given, changed, err := p.sinks(ctx, at, nil, nil)
			if err != nil {
				g.tooMuch = errors.Is(err, errSpent)
				return nil, err
			}
			if !given {
				continue
			}
			one.sinks[at] = changed
			one.moved[at.Source] = one.moved[at.Source] || len(changed) > 0
			if union[at] == nil {
				union[at] = map[string]bool{}
			}
			for _, sink := range changed {
				union[at][sink] = true
			}
		}
		trials = append(trials, one)
	}
	found := map[place]*influence{}
	for _, one := range trials {
		for at, changed := range one.sinks {
			if !one.moved[at.Source] {
				continue
			}
			if found[at] == nil {
				found[at] = &influence{place: at, Sinks: changed}
			}
			it := found[at]
			it.Runs++
			if len(changed) == 0 && !couldDecide(union[at], one.base) {
				it.Short++
			}
			if len(changed) > 0 {
				it.Depended++
				if len(it.Sinks) == 0 {
					it.Sinks = changed
				}
				it.Sinks = slices.DeleteFunc(slices.Clone(it.Sinks), func(sink string) bool { return !slices.Contains(changed, sink) })
			}
		}
	}
	g.influence = []influence{}
	for _, at := range slices.SortedFunc(maps.Keys(found), place.compare) {
		g.influence = append(g.influence, *found[at])
	}
	return g.influence, nil
}

// couldDecide says that a run has one of the sinks that a place decides in other runs.
func couldDecide(sinks map[string]bool, base map[string][]string) bool {
	for sink := range sinks {
		if len(base[sink]) > 0 {
			return true
		}
	}
	return false
}

// mostProbed is how many successes are tried: what a script depends on is the same in most.
const mostProbed = 12

// probe is a run of a script that is made again with other values.
type probe struct {
	gate  *Gate
	code  string
	run   *Run
	base  map[string][]string // its sinks as it is
	words map[string]int      // that places are written in
	known map[string][]any    // recorded values by the name of their member
}

// sinksOf are those of an outcome, in the words of the old code.
func (p *probe) sinksOf(outcome *replayed) map[string][]string {
	return p.gate.evidence().templates.sinks(p.gate.old.Words, outcome)
}

// sinks are what comes out otherwise once the values at a place are others, in the items that
// only takes; nil takes all. Without wanted the first way that changes something says it; with
// wanted all ways together do, until all of these have changed.
func (p *probe) sinks(ctx context.Context, at place, only map[string]bool, wanted []string) (given bool, changed []string, err error) {
	failed := false
	for way := range Ways + mostTried {
		run, differs := p.changed(at, only, way)
		if !differs {
			continue
		}
		given = true
		again, err := p.gate.execute(ctx, p.code, &run)
		if err != nil {
			return given, nil, err
		}
		now := p.sinksOf(&again)
		if again.Error != nil && len(p.base[endSink]) == 0 {
			failed = true
			continue
		}
		for _, sinks := range []map[string][]string{now, p.base} {
			for sink := range sinks {
				if slices.Equal(now[sink], p.base[sink]) {
					continue
				}
				changed = append(changed, sink)
				if call, _, isWrite := strings.Cut(sink, argsOf); isWrite { // another write is one that was not made
					changed = append(changed, callsOf+call)
				}
			}
		}
		if len(changed) > 0 && !slices.ContainsFunc(wanted, func(sink string) bool { return !slices.Contains(changed, sink) }) {
			break
		}
	}
	if failed && len(changed) == 0 {
		changed = []string{endSink}
	}
	slices.Sort(changed)
	return given, slices.Compact(changed), nil
}

// callsOf begins the sink that counts calls.
const callsOf = "calls of "

// argsOf stands between a write and which of its arguments a sink is.
const argsOf = " args["

// endSink is how a run ended, if it failed.
const endSink = "end"

// changed is the run with other values at a place; false if it is the same run.
func (p *probe) changed(at place, only map[string]bool, way int) (Run, bool) {
	digits := parts[at.Part]
	if digits != nil && way >= 2 {
		return Run{}, false
	}
	return mappedRun(p.gate.evidence().templates, p.run, at.Source, p.words, func(l leaf) any {
		if l.path != at.Path || only != nil && !only[l.item] {
			return l.value
		}
		switch {
		case digits != nil:
			return changeDigits(l.value, digits, []byte{3, 5}[way])
		case at.Part != "" && way < Ways:
			return changePairs(l.value, at.Part, way)
		case at.Part != "":
			return l.value
		case way < Ways:
			return Vary(l.value, way)
		}
		if text, ok := l.value.(string); ok && strings.ContainsAny(text, "\n{[<") {
			return l.value // a recorded text would bring the old shape back
		}
		if known := p.known[l.key]; way-Ways < len(known) && payload.KindOf(known[way-Ways]) == payload.KindOf(l.value) {
			return known[way-Ways]
		}
		return l.value
	})
}

// leaf is a value in what a run was given that is neither an object nor a list.
type leaf struct {
	path  string // as of a [place]
	key   string // of the member that holds it
	item  string // which item of a list that is in no other list it is in; empty for none
	named bool   // some key of the path is spelled out
	value any
}

// mapLeaves copies a value with other leaves; gone leaves out a member.
func mapLeaves(value any, words map[string]int, at leaf, change func(leaf) any) any {
	switch v := value.(type) {
	case map[string]any:
		other := make(map[string]any, len(v))
		for key, member := range v {
			below := leaf{path: at.path + step(words, key), key: key, item: at.item, named: at.named || words == nil || words[key] > 0}
			if made := mapLeaves(member, words, below, change); made != gone {
				other[key] = made
			}
		}
		return other
	case []any:
		other := make([]any, len(v))
		for i, item := range v {
			below := leaf{path: at.path + "[*]", key: at.key, item: at.item, named: at.named}
			if below.item == "" {
				below.item = at.path + "#" + strconv.Itoa(i)
			}
			if other[i] = mapLeaves(item, words, below, change); other[i] == gone {
				other[i] = nil
			}
		}
		return other
	case nil:
		return nil
	}
	at.value = value
	return change(at)
}

// gone stands for a member that is to be left out.
var gone = new(byte)

// step is a key in a path. Without words, every key is spelled out.
func step(words map[string]int, key string) string {
	if words != nil && words[key] == 0 {
		return ".*"
	}
	return memberPath(key)
}

// placesOf are the places at which a run was given values, with these.
func placesOf(o *observed, words map[string]int) map[place][]leaf {
	found := map[place][]leaf{}
	for _, a := range o.answered() {
		mapLeaves(a.value, words, leaf{}, func(l leaf) any {
			text, isText := l.value.(string)
			_, isDocument := document(text)
			switch {
			case isText && text == "", isDocument:
			case isText && strings.HasSuffix(text, "\n") && !strings.Contains(strings.TrimSpace(text), "\n"): // a heading and no line
			case l.path == "" && (!isText || declares(toolOf(a.source)).About == hostcall.Key):
			case l.path != "" && !l.named: // only the data say what it is
			default:
				note := func(part string) {
					at := place{Source: a.source, Path: l.path, Part: part}
					found[at] = append(found[at], l)
				}
				note("")
				for part, digits := range parts {
					whole := l.path == "" || l.path == ".body"
					if changeDigits(l.value, digits, 3) != l.value && (part == "decimals" || whole) {
						note(part)
					}
				}
				for _, m := range pair.FindAllStringSubmatch(text, mostPairs) {
					if words[m[1]] > 0 && parts[m[1]] == nil {
						note(m[1])
					}
				}
			}
			return l.value
		})
	}
	return found
}

// mostPairs bounds how many names are looked for in one text.
const mostPairs = 20

// sinks are the values that came out of a run, by where.
func (t *templates) sinks(words map[string]int, outcome *replayed) map[string][]string {
	found := map[string][]string{}
	add := func(at string, value any) {
		text, err := marshal(value)
		if err == nil {
			found[at] = append(found[at], string(text))
		}
	}
	var visit func(at string, value any)
	visit = func(at string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if words[key] == 0 {
					add(at+" keys", key)
				}
				visit(at+step(words, key), v[key])
			}
		case []any:
			for _, item := range v {
				visit(at+"[*]", item)
			}
		default:
			add(at, value)
		}
	}
	if outcome.Error != nil {
		add(endSink, outcome.Error.Message)
	} else {
		visit("output", decode(outcome.Output))
	}
	for _, call := range outcome.Calls {
		name := t.of(call.Tool, call.Args)
		args, _ := decode(call.Args).([]any)
		if call.Effect != sandbox.Write {
			add(callsOf+name, args)
			continue
		}
		add(callsOf+name, nil)
		for i, arg := range args {
			visit(name+argsOf+strconv.Itoa(i)+"]", arg)
		}
	}
	return found
}

// without is the run without what lies below a path; false if nothing does.
func (p *probe) without(source, path string) (Run, bool) {
	return mappedRun(p.gate.evidence().templates, p.run, source, p.words, func(l leaf) any {
		if isBelow(l.path, path) {
			return gone
		}
		return l.value
	})
}

// isThere says that a run comes out otherwise once there is nothing at a place, or nothing
// that counts as something. One that fails for want of it only reads it.
func (p *probe) isThere(ctx context.Context, outcome *replayed, at place, only map[string]bool) (bool, error) {
	for _, remove := range []bool{false, true} {
		run, differs := mappedRun(p.gate.evidence().templates, p.run, at.Source, p.words, func(l leaf) any {
			if l.path != at.Path || only != nil && !only[l.item] {
				return l.value
			}
			if remove {
				return gone
			}
			switch l.value.(type) {
			case string:
				return ""
			case float64:
				return 0.0
			}
			return false
		})
		if !differs {
			continue
		}
		again, err := p.gate.execute(ctx, p.code, &run)
		if err != nil {
			return false, err
		}
		if !sameOutcome(&again, outcome) && (!remove || again.Error == nil) {
			return true, nil
		}
	}
	return false, nil
}

// covers says that a path with every key spelled out is one of a place, or lies below it.
func (p place) covers(path string) bool {
	steps := pathStep.FindAllString(path, -1)
	for i, step := range pathStep.FindAllString(p.Path, -1) {
		if i >= len(steps) || step != steps[i] && (step != ".*" || steps[i] == "[*]") {
			return false
		}
	}
	return true
}

var pathStep = pattern.New(`\[\*\]|\.[^.\[]+|\["(?:[^"\\]|\\.)*"\]`)

func isBelow(path, above string) bool {
	return path == above || strings.HasPrefix(path, above+".") || strings.HasPrefix(path, above+"[")
}

// mappedRun is a run that one source gave other values; false if that is the same run.
func mappedRun(templates *templates, run *Run, source string, words map[string]int, change func(leaf) any) (Run, bool) {
	return answeredRun(templates, run, source, func(value any) any { return mapLeaves(value, words, leaf{}, change) })
}

// answeredRun is a run that one source gave something else; false if that is the same run.
func answeredRun(templates *templates, run *Run, source string, change func(value any) any) (Run, bool) {
	changed, differs := *run, false
	from, inText := strings.CutSuffix(source, inTextOf)
	rewrite := func(text json.RawMessage) json.RawMessage {
		value := decode(text)
		other := value
		if !inText {
			other = change(value)
		} else if document, ok := documentIn(value); ok {
			again, err := marshal(change(document))
			if err != nil {
				return text
			}
			other = withText(value, string(again))
		}
		if _, different := diffValues("$", value, other); !different {
			return text
		}
		again, err := marshal(other)
		if err != nil {
			return text
		}
		differs = true
		return again
	}
	if source == "input" {
		changed.Input = rewrite(run.Input)
	}
	changed.Calls = slices.Clone(run.Calls)
	for i := range changed.Calls {
		call := &changed.Calls[i]
		if call.Error == nil && templates.of(call.Tool, call.Args) == from {
			call.Result = rewrite(call.Result)
		}
	}
	return changed, differs
}

// withText is an answer with another text in the place of the one that [documentIn] reads.
func withText(result any, text string) any {
	members, ok := result.(map[string]any)
	if !ok {
		return text
	}
	members = maps.Clone(members)
	members["body"] = text
	return members
}

// mostTried is how many recorded values are put in the place of another.
const mostTried = 4

// Ways are the ways in which a value is changed; the first index beyond them puts
// recorded values in its place.
const Ways = 4

var leadingDate = pattern.New(`^\d{4}-\d{2}-\d{2}`)

// Vary is another value of the same kind, in one of several [Ways].
func Vary(value any, way int) any {
	switch v := value.(type) {
	case bool:
		return !v
	case float64:
		unit := 1.0
		switch size := math.Abs(v); {
		case size >= 1e11: // milliseconds since 1970
			unit = 24 * 60 * 60 * 1000
		case size >= 1e8: // seconds
			unit = 24 * 60 * 60
		}
		return v + unit*[Ways]float64{3, 400, -500, 2000}[way]
	case string:
		return changeText(v, way)
	}
	return value
}

func changeText(text string, way int) string {
	if day, err := time.Parse(time.DateOnly, leadingDate.FindString(text)); err == nil {
		return day.AddDate(0, 0, [Ways]int{3, 400, -500, 2000}[way]).Format(time.DateOnly) + text[len(time.DateOnly):]
	}
	if number, err := strconv.ParseFloat(text, 64); err == nil && way != 2 {
		_, decimals, _ := strings.Cut(text, ".")
		return strconv.FormatFloat(number+[Ways]float64{3, 400, 0, -500}[way], 'f', len(decimals), 64)
	}
	switch way {
	case 0, 1:
		if strings.Contains(text, "\n") {
			return text // one more line is more than another value
		}
	}
	switch way {
	case 0:
		return text + "x"
	case 1:
		return "x" + text
	case 2:
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '8' {
				return r + 1
			}
			return r
		}, text)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return 'q'
		}
		return r
	}, text)
}

// changeDigits adds to the digits of a value that a pattern's group matches.
func changeDigits(value any, digits *pattern.Pattern, by byte) any {
	switch v := value.(type) {
	case float64:
		if v == math.Trunc(v) || math.Abs(v) >= 1e11 {
			return value
		}
		return v + float64(by)/10
	case string:
		var b strings.Builder
		at := 0
		for _, m := range digits.FindAllStringSubmatchIndex(v, -1) {
			b.WriteString(v[at:m[2]])
			for _, digit := range []byte(v[m[2]:m[3]]) {
				b.WriteByte('0' + (digit-'0'+by)%10)
			}
			at = m[3]
		}
		return b.String() + v[at:]
	}
	return value
}

// sameOutcome says that two executions made the same calls and came to the same end.
func sameOutcome(a, b *replayed) bool {
	if a.Error != nil || b.Error != nil {
		return a.Error != nil && b.Error != nil && a.Error.Message == b.Error.Message
	}
	return sandbox.CanonicalValue(orNull(a.Output)) == sandbox.CanonicalValue(orNull(b.Output)) && sameCalls(a, b)
}

// sameCalls says that two replays made the same calls: the tracer did not disturb the run.
func sameCalls(a, b *replayed) bool {
	return slices.EqualFunc(a.Calls, b.Calls, func(x, y sandbox.TracedCall) bool {
		return x.Tool == y.Tool && sandbox.Canonical(x.Args) == sandbox.Canonical(y.Args)
	})
}
