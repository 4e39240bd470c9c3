package gate

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/migration"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

const (
	// maxWorlds bounds how many explanations of what changed are tried.
	maxWorlds = 4
	// maxCarried bounds how many recorded successes are carried into each.
	maxCarried = 20
	// certain is the least score of an explanation that may prove a candidate.
	certain = 0.6
	// worthAsking is the least score of an explanation that may hold one.
	worthAsking = 0.45
)

// hypothesis is one explanation of the outside's change, with recorded successes as they would have been after it. A
// right fix brings them to the end that they had.
type hypothesis struct {
	says    string
	score   float64
	plain   float64 // without what explanations gain together
	fills   []string
	runs    []*Run
	changed []string  // what is given in another shape
	left    string    // what the script names and the explanation leaves open
	words   []strange // that no recorded run had
}

// finding is what a candidate makes of the carried runs of one explanation.
type finding struct {
	world      *hypothesis
	divergence *Divergence
	unanswered bool // some of them
}

// source is what a workflow is given again and again: its input, or the answers of calls
// of one template.
type source struct {
	old, fresh []any
	written    string // how the text is written now that holds it, if that is another way
	ways       []migration.Migration
	pages      *listing // how its list comes in pages now, nil for as before
}

// oracle asks what a candidate makes of recorded successes that are carried into the new
// shape. A doubt is for a person, however sure the explanation is: it is inferred, and nothing that is inferred refuses a fix.
func (g *Gate) oracle(ctx context.Context, candidate string) (doubts []string, findings []finding, err error) {
	worlds, err := g.carriedWorlds(ctx)
	if err != nil || len(worlds) == 0 {
		return nil, nil, err
	}
	findings = make([]finding, len(worlds))
	for i := range worlds {
		findings[i].world = &worlds[i]
		outcomes, err := g.replayAll(ctx, candidate, worlds[i].runs, nil)
		if err != nil {
			return nil, nil, err
		}
		for _, outcome := range outcomes {
			findings[i].divergence = smaller(findings[i].divergence, outcome.parts)
			findings[i].unanswered = findings[i].unanswered || isUnanswerable(&outcome)
		}
	}
	// If it reads what old payloads had nothing of, they show little: a right fix may do that.
	read, known := payload.Spelled(candidate), payload.Spelled(g.subject.Code)
	fills := func(w *hypothesis) bool {
		return slices.ContainsFunc(w.fills, func(name string) bool { return read[name] && !known[name] })
	}
	for _, f := range findings {
		if f.divergence != nil && f.world.score >= worthAsking && (!fills(f.world) || f.world.plain >= worthAsking) {
			doubts = append(doubts, fmt.Sprintf("if %s: run %s comes to another end, %s is %s and was %s", f.world.says, f.divergence.Run, f.divergence.Path, f.divergence.Got, f.divergence.Want))
		}
	}
	return doubts, findings, nil
}

// carriedWorlds are the explanations that explain the failure, best first.
func (g *Gate) carriedWorlds(ctx context.Context) ([]hypothesis, error) {
	g.carrying.Lock()
	defer g.carrying.Unlock()
	if g.worlds != nil {
		return *g.worlds, nil
	}
	found := []hypothesis{}
	successes := make([]*Run, len(g.kept))
	for i := range g.kept {
		successes[i] = g.kept[i].run
	}
	past := newPast(g.old, &g.subject.Failed, successes)
	sources, order := past.sources()
	for _, pick := range picks(sources, order) {
		w := hypothesis{score: 1, plain: 1}
		var says []string
		for _, name := range order {
			if way := pick[name]; way != nil {
				says, w.changed = append(says, sources[name].says(way)), append(w.changed, name)
				w.score, w.plain = min(w.score, way.Joint), min(w.plain, way.Score)
				if l := sources[name].pages; l != nil && l.guess {
					w.score = min(w.score, worthAsking)
				}
				w.fills = append(w.fills, way.Fills...)
			}
		}
		w.says = strings.Join(says, "; ")
		var runs []*Run
		for _, k := range g.kept[:min(len(g.kept), maxCarried)] {
			if run, ok := past.carry(k.run, pick); ok {
				runs = append(runs, run)
			}
		}
		runs, turned := past.turned(runs)
		for _, name := range turned {
			w.says += "; the order by " + name + " is the other one"
		}
		explains, err := g.showing(ctx, &w, runs)
		if err != nil {
			return nil, err
		}
		if explains {
			w.left, w.words = g.leftOpen(runs, w.fills)
			w.left = cmp.Or(w.left, past.open(pick))
			found = append(found, w)
		}
	}
	if len(found) == 0 {
		if w, runs := g.intrusion(past); w != nil {
			explains, err := g.showing(ctx, w, runs)
			if err != nil {
				return nil, err
			}
			if explains {
				found = append(found, *w)
			}
		}
	}
	g.worlds = &found
	return found, nil
}

// showing leaves a world the carried runs in which the old code comes to another end, and says that some of them fail as it failed.
func (g *Gate) showing(ctx context.Context, w *hypothesis, runs []*Run) (explains bool, err error) {
	outcomes, err := g.replayAll(ctx, g.subject.Code, runs, nil)
	if err != nil {
		return false, err
	}
	for i, outcome := range outcomes {
		if outcome.Error == nil && outcome.parts == nil {
			continue // the old code does not care: nothing can be seen here
		}
		w.runs = append(w.runs, runs[i])
		explains = explains || g.sameFailure(&outcome)
	}
	return explains, nil
}

// sameFailure says that the old code fails on a carried success as it failed. Where the guard stopped it before it did, any
// other end is that.
func (g *Gate) sameFailure(outcome *replayed) bool {
	was := g.failing.Outcome.Error
	if was != nil && strings.HasPrefix(was.Code, "guard.") {
		return !isUnanswerable(outcome)
	}
	if was == nil || outcome.Error == nil {
		return false
	}
	return outcome.Error.Strict == was.Strict || outcome.Error.Name == was.Name && outcome.Error.Loose == was.Loose || isUnanswerable(outcome) && was.Tool != ""
}

// past is what was recorded before something changed, and the run that met the change.
type past struct {
	code      *script.Source // nil if it does not parse
	keys      payload.Keys
	templates *templates
	failed    *Run
	successes []*Run
	alone     map[string]bool // kinds of calls of which some changed and some did not
	pages     map[string]*listing
	forms     map[string]payload.InText // of the texts that the failed run was given, by source
}

func newPast(code *script.Source, failed *Run, successes []*Run) *past {
	p := &past{code: code, templates: newTemplates(code), failed: failed, successes: successes}
	if code != nil {
		p.keys.Spelled = payload.Spelled(code.Plain)
		p.spellElements(failed)
		for _, run := range successes {
			p.spellElements(run)
		}
	}
	return p
}

// Carry gives recorded successes what they were given in the shape that a failed run met.
// It takes the best explanation of what changed; without one, nothing is carried.
func Carry(code *script.Source, failed *Run, successes []*Run) []*Run {
	past := newPast(code, failed, successes)
	sources, order := past.sources()
	if len(order) == 0 {
		return nil
	}
	var carried []*Run
	for _, run := range successes {
		if made, ok := past.carry(run, picks(sources, order)[0]); ok {
			carried = append(carried, made)
		}
	}
	return carried
}

// Given is something of what a script is given that has another shape now.
type Given struct {
	Source string // input, or a kind of call: web.getJSON GET api.test/orders
	Way    migration.Migration
	Values []any // what was given, before and now
	// Paged says that its list is asked for page by page otherwise than before: putting one answer back is not
	// enough.
	Paged bool
}

// Has says that a value was given so.
func (g Given) Has(value any) bool {
	return slices.ContainsFunc(g.Values, func(one any) bool { return payload.Equal(one, value) })
}

// Reshaped says how all that a script is given changed its shape from the recorded successes to the failed run: the best
// explanation first, then those that differ in one source. Nothing is said where an explanation leaves something open that the
// script names.
func Reshaped(code *script.Source, failed *Run, successes []*Run) [][]Given {
	past := newPast(code, failed, successes)
	sources, order := past.sources()
	var found [][]Given
	for _, pick := range picks(sources, order) {
		if past.open(pick) != "" {
			continue
		}
		var all []Given
		for _, name := range order {
			l := sources[name].pages
			all = append(all, Given{name, *pick[name], slices.Concat(sources[name].fresh, sources[name].old), l != nil && l.next != nil && (l.parted || l.size > 0)})
		}
		found = append(found, all)
	}
	return found
}

// open is the first place that the script names, that recorded successes have even when carried, and that the failed
// run was not given; empty if there is none. A place that only some had counts where a new one of its kind that
// nothing explains came beside it.
func (p *past) open(pick map[string]*migration.Migration) string {
	was, is := map[string]*payload.Schema{}, map[string]*payload.Schema{}
	add := func(to map[string]*payload.Schema, run *Run) {
		p.eachGiven(run, func(name string, value any) {
			if to[name] == nil {
				to[name] = payload.NewSchema()
			}
			to[name].Add(run.ID, value, nil)
		})
	}
	add(is, p.failed)
	for _, run := range p.successes {
		if carried, ok := p.carry(run, pick); ok {
			add(was, carried)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if was[name] == nil {
			continue
		}
		before, now := was[name].Read(p.keys), is[name].Read(p.keys)
		for _, c := range payload.Changes(before, now) {
			last := ""
			if len(c.Path) > 0 {
				last = c.Path[len(c.Path)-1]
			}
			if (c.How == payload.IsGone || c.How == payload.IsChanged) && (!c.Was.IsMember() || p.keys.Spelled[last]) {
				return payload.Show(c.Path)
			}
		}
		if pick[name] == nil {
			continue
		}
		for _, old := range before.All() {
			if n := len(old.Path); old.IsMember() && p.keys.Spelled[old.Path[n-1]] && now.At(old.Path) == nil && slices.ContainsFunc(now.Below(old.Path[:n-1]), func(came *payload.Place) bool {
				return came.IsMember() && slices.Contains(pick[name].Fills, came.Path[n-1]) && slices.Equal(came.KindsSeen(), old.KindsSeen())
			}) {
				return payload.Show(old.Path)
			}
		}
	}
	return ""
}

// sources are what changed its shape between the recorded successes and the failing run,
// with the order in which the failing run met it. None if something is lost whose name stands
// in the script: then what a right fix does is not known.
func (p *past) sources() (map[string]*source, []string) {
	sources, order := p.changes()
	for _, s := range sources {
		for _, lost := range s.ways[0].Lost {
			if p.code != nil && p.keys.Spelled[lost[strings.LastIndexAny(lost, ".]")+1:]] {
				return nil, nil
			}
		}
	}
	return sources, order
}

// changes are all of them.
func (p *past) changes() (map[string]*source, []string) {
	p.alone = p.changedAlone()
	sources, order := p.met()
	changes := make([]migration.Change, len(order))
	p.pages = map[string]*listing{}
	for i, name := range order {
		s := sources[name]
		if s.pages = p.listing(name); s.pages != nil {
			p.pages[name] = s.pages
			for _, values := range [][]any{s.old, s.fresh} {
				for j := range values {
					values[j] = s.pages.bare(values[j])
				}
			}
		}
		changes[i] = migration.Change{Old: s.old, Fresh: s.fresh}
	}
	for i, ways := range migration.InferAll(p.keys, changes) {
		name, s := order[i], sources[order[i]]
		if len(ways) == 0 && s.pages != nil && slices.Equal(s.pages.was, s.pages.at) {
			ways = []migration.Migration{migration.Same()}
		}
		if s.ways = migration.Rewritten(ways, s.written); len(s.ways) == 0 {
			delete(sources, name)
			delete(p.pages, name)
		}
	}
	return sources, slices.DeleteFunc(order, func(name string) bool { return sources[name] == nil })
}

// says is an explanation of it for people.
func (s *source) says(way *migration.Migration) string {
	said := way.String()
	if s.pages == nil {
		return said
	}
	return strings.TrimPrefix(said+"; "+s.pages.String(), "; ")
}

// spellElements takes the names of elements for spelled: a script may find them in any way.
func (p *past) spellElements(run *Run) {
	p.eachForm(run, func(_ string, _ any, form payload.InText) {
		for _, name := range form.Elements() {
			p.keys.Spelled[name] = true
		}
	})
}

// met is what the failing run was given and recorded successes were, by source, in the order in which the failing run met it.
func (p *past) met() (map[string]*source, []string) {
	sources := map[string]*source{}
	var order []string
	before := map[string]payload.InText{}
	p.forms = map[string]payload.InText{}
	p.eachForm(p.failed, func(name string, value any, form payload.InText) {
		if sources[name] == nil {
			sources[name] = &source{}
			order = append(order, name)
		}
		sources[name].fresh = append(sources[name].fresh, value)
		if form.Form != "" {
			p.forms[name] = form
		}
	})
	for _, run := range p.successes {
		p.eachForm(run, func(name string, value any, form payload.InText) {
			if s := sources[name]; s != nil {
				s.old = append(s.old, value)
				before[name] = form
			}
		})
	}
	for name, s := range sources {
		s.written = p.forms[name].Written(before[name])
	}
	return sources, order
}

// picks combine the explanations of all sources: the best of each, then each other one
// beside the best of the rest.
func picks(sources map[string]*source, order []string) []map[string]*migration.Migration {
	if len(order) == 0 {
		return nil
	}
	pick := func(name string, other int) map[string]*migration.Migration {
		picked := map[string]*migration.Migration{}
		for _, n := range order {
			picked[n] = &sources[n].ways[0]
		}
		picked[name] = &sources[name].ways[other]
		return picked
	}
	found := []map[string]*migration.Migration{pick(order[0], 0)}
	for _, name := range order {
		for other := 1; other < len(sources[name].ways) && len(found) < maxWorlds; other++ {
			found = append(found, pick(name, other))
		}
	}
	return found
}

// carry is a recorded success with what it was given in the new shape; false if some of it
// cannot be carried.
func (p *past) carry(run *Run, ways map[string]*migration.Migration) (*Run, bool) {
	carried := *run
	carried.Calls = slices.Clone(run.Calls)
	good := true
	through := func(name string, text json.RawMessage) json.RawMessage {
		way := ways[name]
		if way == nil {
			return text
		}
		value, form, write := opened(text)
		value, ok := way.Apply(value)
		if good = good && ok; !ok {
			return text
		}
		if now, is := p.forms[name]; is {
			form = now
		}
		return write(value, form)
	}
	carried.Input = through("input", run.Input)
	further := map[int]bool{} // pages that nobody asks for as before
	for _, name := range slices.Sorted(maps.Keys(p.pages)) {
		if ways[name] == nil {
			continue
		}
		l := *p.pages[name]
		l.shape = ways[name].Apply
		for nth, list := range p.lists(run, name, &l) {
			s, ok := l.paged(run, list, nth)
			if !ok {
				return nil, false
			}
			for n, i := range list {
				carried.Calls[i].Result, further[i] = s.pages[min(n, len(s.pages)-1)], n > 0 && l.next != nil
			}
			carried.lists = append(carried.lists, s)
		}
	}
	for i, call := range carried.Calls {
		if _, paged := further[i]; isGiven(&call) && !paged {
			carried.Calls[i].Result = through(p.sourceOf(&run.Calls[i]), call.Result)
		}
	}
	kept := 0
	for i, call := range carried.Calls {
		if !further[i] {
			carried.Calls[kept] = call
			kept++
		}
	}
	carried.Calls = carried.Calls[:kept]
	// Reads that fail in the failing run fail for the old code here, too.
	for _, call := range p.failed.Calls {
		if call.Error != nil && call.Effect == string(sandbox.Read) {
			carried.Calls = append(carried.Calls, call)
		}
	}
	return &carried, good
}

// sourceOf is the source of a call's answer: its kind, or the very call where such calls did not change together.
func (p *past) sourceOf(call *Call) string {
	name := p.templates.of(call.Tool, call.Args)
	if p.alone[name] {
		return name + " " + sandbox.Canonical(call.Args)
	}
	return name
}

// changedAlone are the kinds of calls of which the failing run was answered some in a new shape and some as
// ever: two feeds with one kind of address. Only what was asked for before by the very same call can tell, and an empty page
// tells nothing.
func (p *past) changedAlone() map[string]bool {
	one := &past{templates: p.templates, alone: map[string]bool{}}
	kinds := map[string]map[string]bool{}
	for i := range p.failed.Calls {
		call := &p.failed.Calls[i]
		if name := p.templates.of(call.Tool, call.Args); isGiven(call) {
			if kinds[name] == nil {
				kinds[name] = map[string]bool{}
			}
			kinds[name][sandbox.Canonical(call.Args)] = true
		}
	}
	for name, calls := range kinds {
		one.alone[name] = len(calls) > 1
	}
	old, fresh := map[string][]any{}, map[string][]any{}
	one.eachGiven(p.failed, func(name string, value any) { fresh[name] = append(fresh[name], value) })
	for _, run := range p.successes {
		one.eachGiven(run, func(name string, value any) { old[name] = append(old[name], value) })
	}
	for name, calls := range kinds {
		known := one.alone[name]
		var ways []migration.Migration
		var asEver []any
		for args := range calls {
			source := name + " " + args
			if known = known && len(old[source]) > 0; !known {
				break
			}
			if found := migration.Infer(p.keys, old[source], fresh[source]); len(found) > 0 {
				ways = append(ways, found[0])
			} else {
				asEver = append(asEver, fresh[source]...)
			}
		}
		one.alone[name] = known && slices.ContainsFunc(ways, func(way migration.Migration) bool { return slices.ContainsFunc(asEver, way.Concerns) })
	}
	return one.alone
}

// isGiven says that a run was given something from outside by a call: it was answered, and not by us.
func isGiven(call *Call) bool { return call.Error == nil && !hostcall.Of(call.Tool).Local }

// eachGiven visits what a run was given from outside: its input and the answers of its calls.
func (p *past) eachGiven(run *Run, visit func(source string, value any)) {
	p.eachForm(run, func(name string, value any, _ payload.InText) { visit(name, value) })
}

// eachForm does so with the form of what was a text.
func (p *past) eachForm(run *Run, visit func(source string, value any, form payload.InText)) {
	give := func(name string, text json.RawMessage) {
		if value, form, _ := opened(text); value != nil {
			visit(name, value, form)
		}
	}
	give("input", run.Input)
	for i := range run.Calls {
		if call := &run.Calls[i]; isGiven(call) {
			give(p.sourceOf(call), call.Result)
		}
	}
}

// opened reads an answer, and what it holds as text where that is JSON, lines of JSON, a table or elements, with the form of the
// text; write puts another value in its place, in a form.
func opened(text json.RawMessage) (value any, form payload.InText, write func(any, payload.InText) json.RawMessage) {
	encode := func(value any) json.RawMessage {
		made, err := orderedjson.Encode(value)
		if err != nil {
			return text
		}
		return made
	}
	plain := func(value any, _ payload.InText) json.RawMessage { return encode(value) }
	whole, err := orderedjson.Decode(text)
	if err != nil {
		return nil, form, plain
	}
	inside := func(value any) (form payload.InText, ok bool) {
		s, _ := value.(string)
		if form, ok = payload.DocumentIn(s); !ok {
			form, ok = payload.MarkupIn(s)
		}
		return form, ok
	}
	written := func(value any, form payload.InText) string {
		if made, ok := form.Write(value); ok {
			return made
		}
		return string(encode(value))
	}
	if answer, ok := whole.(*orderedjson.Object); ok {
		if text, _ := answer.Fields["body"].(string); strings.TrimSpace(text) == "null" {
			return nil, form, plain // nothing, and no answer of another shape
		}
		if form, ok = inside(answer.Fields["body"]); ok {
			return form.Value, form, func(value any, form payload.InText) json.RawMessage {
				made := orderedjson.New()
				for _, key := range answer.Keys {
					made.Put(key, answer.Fields[key])
				}
				made.Fields["body"] = written(value, form)
				return encode(made)
			}
		}
	}
	if form, ok := inside(whole); ok {
		return form.Value, form, func(value any, form payload.InText) json.RawMessage { return encode(written(value, form)) }
	}
	return whole, form, plain
}
