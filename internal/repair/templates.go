package repair

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/internal/basics/panics"
	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// Templates is the fixer that needs no model: it compares what the failing run read with
// what the recorded successes read there, and knows what usually happens to APIs.
type Templates struct {
	Runner sandbox.Runner
	Zone   string // for evidence that names none
}

var _ Fixer = Templates{}

// Bounds of one proposal.
const (
	maxCandidates = 40
	maxDepth      = 8  // times that edits are made on top of each other in one candidate
	maxTraced     = 10 // successes that are traced
	maxSteps      = 60 // scripts that are tried on the failing run
	maxScript     = 256 << 10
)

// Name implements [Fixer].
func (Templates) Name() string { return "templates" }

// Propose implements [Fixer].
func (t Templates) Propose(ctx context.Context, evidence Evidence, judge Judge) (string, error) {
	s, err := script.Parse(evidence.Code)
	if err != nil {
		return noParse(err), nil
	}
	f := &finder{evidence: evidence, judge: judge, tools: toolsOf(evidence), seen: map[string]bool{evidence.Code: true}}
	failed := evidence.Failed.Outcome.Error
	f.stopped = failed != nil && strings.HasPrefix(failed.Code, "guard.")
	zone := cmp.Or(evidence.Zone, t.Zone)
	runner := oneWorker{Runner: t.Runner, affinity: evidence.Failed.ID}
	assumed := gate.Assume(evidence.Successes, evidence.Code)
	f.execute = func(ctx context.Context, code, around string, run *gate.Run) (sandbox.Outcome, error) {
		runner := runner
		runner.around = around
		return gate.Trace(ctx, runner, code, zone, run, assumed, f.stopped)
	}
	f.pick()
	f.carried = gate.Carry(s, &f.evidence.Failed, f.successes)
	f.worlds = gate.Reshaped(s, &f.evidence.Failed, f.successes)
	return f.search(ctx, s)
}

// oneWorker runs everything of a search in the worker that the gate uses for the failing
// run: all of it is of one workflow, and a worker of its own costs more than an execution.
type oneWorker struct {
	sandbox.Runner
	affinity string
	around   string
}

// Run implements [sandbox.Runner].
func (w oneWorker) Run(ctx context.Context, execution sandbox.Execution, host sandbox.Host) (sandbox.Outcome, error) {
	execution.Affinity, execution.Around = w.affinity, w.around
	return w.Runner.Run(ctx, execution, host)
}

// noParse explains that there is nothing to look at: a script that does not parse is no
// error of the fixer.
func noParse(err error) string { return "The script does not parse: " + err.Error() + "." }

// finder searches for edits that let the failing run pass.
type finder struct {
	evidence  Evidence
	judge     Judge
	execute   execute
	tools     []string
	successes []*gate.Run
	// carried are the successes with what they were given in the shape that the failing run met:
	// what a mended script must bring to the end that they had.
	carried   []*gate.Run
	worlds    [][]gate.Given  // explanations of all that changed, the best first
	refuted   bool            // the gate let nothing through that follows the best of them
	seen      map[string]bool // scripts that were tried
	steps     int
	judged    int
	stopped   bool     // the run did not fail by itself: it makes do with what is not as it was
	notes     []string // what was tried and why it did not do
	first     *failure
	firstView *view
}

// proposal is a script on the way to a candidate.
type proposal struct {
	source   *script.Source
	applied  []*resolution
	resolved map[string]bool
	shifts   []shift
	steps    [][]script.Edit // from the failing script to this one
	// regions are the parts of this script that edits wrote or wrapped.
	regions  [][2]int
	extra    []string // comments of edits that no payload explains
	template string
	score    float64
	doubts   []string
	masking  bool
	half     string // what it leaves as it is although it changed: it is not proposed then
}

// view is what the runs read on one version of the script.
type view struct {
	source    *script.Source
	failing   *trace
	successes []*trace
}

func toolsOf(evidence Evidence) []string {
	var tools []string
	for _, declared := range hostcall.All() {
		if !declared.Silent {
			tools = append(tools, declared.Name)
		}
	}
	for _, run := range append(slices.Clone(evidence.Successes), evidence.Failed) {
		for _, call := range run.Calls {
			if !slices.Contains(tools, call.Tool) {
				tools = append(tools, call.Tool)
			}
		}
	}
	return slices.DeleteFunc(tools, func(tool string) bool {
		return !strings.Contains(evidence.Code, tool[strings.LastIndexByte(tool, '.')+1:])
	})
}

// pick chooses the successes to trace: the newest, and those that made other calls.
func (f *finder) pick() {
	shapes := map[string]bool{}
	var alike []*gate.Run
	for i := len(f.evidence.Successes) - 1; i >= 0; i-- {
		run := &f.evidence.Successes[i]
		var shape strings.Builder
		for _, call := range run.Calls {
			shape.WriteString(call.Tool + " ")
		}
		if shapes[shape.String()] {
			alike = append(alike, run)
			continue
		}
		shapes[shape.String()] = true
		f.successes = append(f.successes, run)
	}
	f.successes = append(f.successes, alike...)
	f.successes = f.successes[:min(len(f.successes), maxTraced)]
}

// look traces all runs on a script.
func (f *finder) look(ctx context.Context, s *script.Source) (*view, error) {
	failing, err := observe(ctx, f.execute, s, f.tools, &f.evidence.Failed)
	if err != nil {
		return nil, err
	}
	v := &view{source: s, failing: failing}
	traces := make([]*trace, len(f.successes))
	errs := make([]error, len(f.successes))
	var group sync.WaitGroup
	for part := range 2 { // as many at once as the gate
		group.Go(func() {
			for i := part; i < len(f.successes); i += 2 {
				errs[i] = panics.Guard(func() (err error) {
					traces[i], err = observe(ctx, f.execute, s, f.tools, f.successes[i])
					return err
				})
			}
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for _, t := range traces {
		if t.failure == nil {
			v.successes = append(v.successes, t)
		}
	}
	return v, nil
}

// traceFailing traces only the failing run, and takes the successes' reads from the first look. This shows the
// remaining anomalies, not where to mend them.
func (f *finder) traceFailing(ctx context.Context, p *proposal) (*view, error) {
	failing, err := observe(ctx, f.execute, p.source, f.tools, &f.evidence.Failed)
	if err != nil {
		return nil, err
	}
	v := &view{source: p.source, failing: failing}
	for _, t := range f.firstView.successes {
		copied := *t
		copied.roots = slices.Clone(t.roots)
		for i, r := range copied.roots {
			if r.at == (script.Position{}) {
				continue
			}
			at, ok := script.Moved(p.steps, f.firstView.source.OffsetOf(r.at.Line, r.at.Column))
			copied.roots[i].at = script.Position{}
			if ok && at < len(p.source.Code) {
				copied.roots[i].at = p.source.PositionOf(at)
			}
		}
		v.successes = append(v.successes, &copied)
	}
	return v, nil
}

// search tries explanations best first, and hands every script on which the failing run
// passes to the judge. It goes on after one that is good, as far as there are others
// nearly as good: whether they agree is for the choice to weigh.
func (f *finder) search(ctx context.Context, s *script.Source) (string, error) {
	queue := []*proposal{{source: s, resolved: map[string]bool{}, score: 1}}
	best := 0.0
	for len(queue) > 0 && f.steps < maxSteps && f.judged < maxCandidates {
		slices.SortStableFunc(queue, func(a, b *proposal) int { return cmp.Compare(b.score, a.score) })
		p := queue[0]
		queue = queue[1:]
		if best > 0 && p.score < best-2*clearMargin {
			break
		}
		f.steps++
		v, next, done, err := f.step(ctx, p)
		if err == nil && f.steps == 1 && v != nil {
			if clear, err := f.adapt(ctx, v, false); clear || err != nil {
				return f.explain(), err
			}
		}
		if errors.Is(err, errNotTraceable) {
			return "No template fits: " + err.Error() + ".", nil
		}
		if err != nil {
			return "", err
		}
		if f.first == nil {
			return "The failing run does not fail when it is run again on its recorded answers.", nil
		}
		if done && p.half == "" {
			f.leftBehind(p)
		}
		switch {
		case done && p.half != "":
			f.note(p, p.half)
		case done:
			passed, _, err := f.submit(ctx, p)
			if err != nil {
				return "", err
			}
			if passed {
				best = max(best, p.score)
			}
		case len(next) == 0 && len(p.applied)+len(p.extra) > 0:
			f.note(p, "then "+describeFailure(v.failing.failure, v.source))
		}
		queue = append(queue, next...)
	}
	if best == 0 && f.firstView != nil && (f.firstView.failing.failure != nil || f.stopped) {
		if _, err := f.adapt(ctx, f.firstView, true); err != nil {
			return "", err
		}
	}
	if f.steps >= maxSteps || f.judged >= maxCandidates {
		f.notes = append(f.notes, fmt.Sprintf("not finished: after %d scripts %d further ones were not tried", f.steps, len(queue)))
	}
	return f.explain(), nil
}

// step looks at a proposal's runs and says what to try next.
func (f *finder) step(ctx context.Context, p *proposal) (v *view, next []*proposal, done bool, err error) {
	if f.firstView != nil {
		if v, err = f.traceFailing(ctx, p); err != nil {
			return nil, nil, false, err
		}
		if p.settled(v) {
			next, err = f.complete(ctx, p)
			return v, next, len(next) == 0, err
		}
	}
	if v, err = f.look(ctx, p.source); err != nil {
		return nil, nil, false, err
	}
	if f.firstView == nil {
		if f.firstView = v; v.failing.failure == nil && !f.stopped {
			return v, nil, false, nil
		}
		// The tracer's words for some errors differ: what people read is the run's own.
		var own failure
		if v.failing.failure != nil {
			own = *v.failing.failure
		}
		if e := f.evidence.Failed.Outcome.Error; e != nil {
			own.name, own.message = e.Name, e.Message
		}
		f.first = &own
	}
	// A stopped run may not have read the answer that it was stopped for, so a carried success has to show it.
	if next, done = f.expand(p, v); done || f.stopped && len(next) == 0 {
		next, err = f.complete(ctx, p)
	}
	return v, next, done && len(next) == 0, err
}

// complete mends the other broken parts: those that the failing run did not reach, or where the script provides for
// an absence. A carried success shows them, by coming to another end than it had. A candidate that leaves one is
// half.
func (f *finder) complete(ctx context.Context, p *proposal) ([]*proposal, error) {
	if len(p.steps) >= maxDepth {
		return nil, nil
	}
	half := ""
	for _, run := range f.carried {
		t, err := observe(ctx, f.execute, p.source, f.tools, run)
		if err != nil {
			return nil, err
		}
		if t.unanswered || t.failure == nil && gate.End(t.output, t.writes) == run.End() {
			continue
		}
		v, err := f.look(ctx, p.source)
		if err != nil {
			return nil, err
		}
		v.failing = t
		if next := f.explained(p, v, p.unresolved(v)); len(next) > 0 {
			return next, nil
		}
		half = "of run " + run.ID + ", as it would be answered today, it makes something else"
	}
	if half != "" && len(f.worlds) > 0 && !f.refuted {
		p.half = half
	}
	return nil, nil
}

// settled says that the failing run passes and reads nothing more that is not as it was.
func (p *proposal) settled(v *view) bool {
	if v.failing.failure != nil || v.failing.unanswered {
		return false
	}
	return len(p.unresolved(v)) == 0
}

// unresolved are the anomalies that are left, and those that an edit resolved elsewhere
// in the script but not at every place that the failing run now comes to.
func (p *proposal) unresolved(v *view) []*anomaly {
	var found []*anomaly
	for _, a := range v.anomalies(p.shifts) {
		if p.resolved[a.id()] {
			a.left = slices.DeleteFunc(a.left, func(site ast.Node) bool { return p.edited(v.source, site) })
			if len(a.left) == 0 {
				continue
			}
			a.sites = a.left
		}
		found = append(found, a)
	}
	return found
}

// edited says that the last edits were made around or at an expression.
func (p *proposal) edited(s *script.Source, site ast.Node) bool {
	start, end := s.Span(site)
	for _, r := range p.regions {
		if r[0] <= start && end <= r[1] {
			return true
		}
	}
	return false
}

// expand says what to try after looking at a script's runs; done if nothing is left to do.
func (f *finder) expand(p *proposal, v *view) (next []*proposal, done bool) {
	if v.failing.unanswered {
		if len(p.steps) < maxDepth {
			next = f.explained(p, v, p.unresolved(v))
		}
		return next, len(next) == 0 && len(p.applied)+len(p.extra) > 0
	}
	if len(p.steps) >= maxDepth {
		return nil, v.failing.failure == nil
	}
	found := p.unresolved(v)
	if next = f.explained(p, v, found); len(next) > 0 {
		return next, false
	}
	if v.failing.failure == nil {
		return nil, len(p.applied)+len(p.extra) > 0
	}
	next = append(next, f.byError(p, v, found)...)
	for _, a := range found {
		if len(next) > 4 {
			break
		}
		if r := a.mask(v.belowSites(a)); r != nil {
			r.doubts = append(r.doubts, hiddenBy(found, a)...)
			if made := f.apply(p, v, []*resolution{r}); made != nil {
				next = append(next, made)
			}
		}
	}
	return next, false
}

// explained are the proposals that find what anomalies miss, all at once where that can be
// done, and those with the next best explanation of one of them.
func (f *finder) explained(p *proposal, v *view, found []*anomaly) (next []*proposal) {
	passes := v.failing.failure == nil
	var explained []*resolution
	var rivals []*resolution
	for _, a := range found {
		a.soft = a.soft && !f.stopped
		all := a.resolutions()
		if len(all) > 0 && v.written(all[0]) {
			p.resolved[a.id()] = true
			continue
		}
		switch {
		case len(all) == 0:
			switch gone := a.how == isMissing && len(a.having) == 0; {
			case !passes || a.varies() || a.soft && !gone:
			case gone:
				p.half = fmt.Sprintf("%s is gone from everything in this payload, and nothing stands for it%s", a.label(), v.lineOf(a))
				p.resolved[a.id()] = true
			default:
				p.doubts = append(p.doubts, fmt.Sprintf("%s is not as it was and the script still reads it%s", a.label(), v.lineOf(a)))
				p.resolved[a.id()] = true
			}
		case a.soft && (all[0].score < clearScore || len(all[0].doubts) > 0):
			p.resolved[a.id()] = true
			if a.how == isMissing && len(a.having) == 0 {
				p.doubts = append(p.doubts, fmt.Sprintf("%s is gone, and %s may be what it is now", a.label(), all[0].where()))
			}
		default:
			explained = append(explained, all[0])
			for _, other := range all[1:min(len(all), 4)] {
				if other.score >= all[0].score-2*clearMargin {
					rivals = append(rivals, other)
				}
			}
		}
	}
	explained = p.together(explained)
	if len(explained) > 0 {
		if made := f.apply(p, v, explained); made != nil {
			next = append(next, made)
		} else {
			for _, r := range explained {
				if made := f.apply(p, v, []*resolution{r}); made != nil {
					next = append(next, made)
				}
			}
		}
		for _, rival := range rivals {
			others := slices.DeleteFunc(slices.Clone(explained), func(r *resolution) bool { return r.anomaly == rival.anomaly })
			if made := f.apply(p, v, append(others, rival)); made != nil {
				next = append(next, made)
			}
		}
	}
	return next
}

// hiddenBy are the doubts about hiding an absence while other fields are missing as well.
func hiddenBy(found []*anomaly, except *anomaly) []string {
	var doubts []string
	for _, a := range found {
		if a != except && a.how == isMissing {
			doubts = append(doubts, a.maskDoubts()...)
		}
	}
	return doubts
}

// together leaves out resolutions that another one makes at the same places already, as in
// a tree of like objects, and doubts two that take the same value for two fields.
func (p *proposal) together(all []*resolution) []*resolution {
	var kept []*resolution
	for _, r := range all {
		same := slices.ContainsFunc(kept, func(k *resolution) bool {
			return k.anomaly.key == r.anomaly.key && k.moved == r.moved && k.from.Up == r.from.Up && slices.Equal(k.from.Path, r.from.Path) &&
				len(r.anomaly.sites) > 0 && !slices.ContainsFunc(r.anomaly.sites, func(site ast.Node) bool { return !slices.Contains(k.anomaly.sites, site) })
		})
		if same {
			p.resolved[r.anomaly.id()] = true
			continue
		}
		for _, k := range slices.Concat(kept, p.applied) {
			mine, _ := r.shift()
			theirs, _ := k.shift()
			if r.moved && k.moved && mine.group == theirs.group && slices.Equal(mine.to, theirs.to) {
				r.doubts = append(r.doubts, fmt.Sprintf("%s would stand for both %s and %s", r.where(), k.anomaly.label(), r.anomaly.label()))
			}
		}
		kept = append(kept, r)
	}
	return kept
}

// apply makes a proposal with further resolutions, nil if their edits cannot be made.
func (f *finder) apply(p *proposal, v *view, all []*resolution) *proposal {
	made := &proposal{
		resolved: maps.Clone(p.resolved), applied: slices.Concat(p.applied, all), extra: p.extra, template: p.template,
		score: p.score, doubts: slices.Clone(p.doubts), masking: p.masking, half: p.half, shifts: slices.Clone(p.shifts),
		steps: slices.Clone(p.steps),
	}
	var edits []script.Edit
	var touched [][2]int
	for _, r := range all {
		w := &rewriter{source: v.source, resolution: r, holders: v.holders(r.anomaly), below: v.belowSites(r.anomaly)}
		code, err := w.rewrite()
		if err != nil {
			return nil
		}
		if len(all) == 1 {
			made.steps = append(made.steps, w.edits)
			return f.finish(p, made, code, all, w.touched)
		}
		edits = append(edits, w.edits...)
		touched = append(touched, w.touched...)
	}
	code, err := script.Apply(v.source.Code, edits)
	if err != nil {
		return nil
	}
	made.steps = append(made.steps, edits)
	return f.finish(p, made, code, all, touched)
}

func (f *finder) finish(p, made *proposal, code string, all []*resolution, touched [][2]int) *proposal {
	made.regions = regionsAfter(p.regions, touched, made.steps[len(made.steps)-1])
	if len(code) > maxScript || f.seen[code] {
		return nil
	}
	s, err := script.Parse(code)
	if err != nil {
		return nil
	}
	f.seen[code] = true
	made.source = s
	for _, r := range all {
		made.resolved[r.anomaly.id()] = true
		made.score = min(made.score, r.score)
		made.doubts = append(made.doubts, r.doubts...)
		if moved, ok := r.shift(); ok {
			made.shifts = append(made.shifts, moved)
		}
		if r.mask {
			made.masking = true
		} else if r.score < clearScore {
			made.doubts = append(made.doubts, fmt.Sprintf("nothing but a likeness says that %s is what %s was", r.where(), r.anomaly.label()))
		}
		if made.template == "" {
			made.template = r.template
		}
	}
	return made
}

// regionsAfter moves regions along with edits and adds what the edits touched and wrote.
func regionsAfter(regions, touched [][2]int, edits []script.Edit) [][2]int {
	var after [][2]int
	for _, r := range slices.Concat(regions, touched) {
		start, end := r[0], r[1]
		for _, e := range edits {
			grown := len(e.Text) - (e.End - e.Start)
			if e.End <= r[0] && e.Start < r[0] {
				start += grown
			}
			if e.Start < r[1] || e.End <= r[1] {
				end += grown
			}
		}
		after = append(after, [2]int{start, end})
	}
	return after
}

// submit hands a finished proposal to the judge.
func (f *finder) submit(ctx context.Context, p *proposal) (passed, held bool, err error) {
	if p.source.Code == f.evidence.Code {
		return false, false, nil
	}
	candidate := Candidate{
		Code: p.source.Code, Comment: p.comment(), Fixer: "templates", Template: p.template,
		Masking: p.masking, Score: p.score, Doubts: unique(p.doubts),
	}
	f.judged++
	judgement, err := f.judge(ctx, candidate)
	if err != nil {
		return false, false, fmt.Errorf("repair: judge a candidate of %s: %w", p.template, err)
	}
	switch half := (Judged{candidate, judgement}).half(); {
	case !passes(judgement):
		f.note(p, why(judgement))
	case half:
		f.note(p, append(slices.Clone(judgement.Reasons), judgement.Unproved)[0])
	default:
		return true, judgement.Held, nil
	}
	return false, false, nil
}

// leftBehind looks for members that the script reads, that none of the objects has now, and that a proposal finds
// nowhere. The proposal is half if all objects had the member, or if a new one of its kind has come beside it. If
// others beside it moved, it may have moved with them, which is a doubt.
func (f *finder) leftBehind(p *proposal) {
	if len(p.applied) == 0 {
		return
	}
	spelled := payload.Spelled(p.source.Plain)
	for _, g := range f.firstView.groups() {
		seen := map[string]bool{}
		known := g.given.Read(g.keys)
		for _, t := range f.firstView.successes {
			for _, r := range t.reads {
				place := strings.Join(r.path, "\x00") + "\x00\x00" + r.key
				if seen[place] || !g.beforeRoots[t][r.root] || r.key == "[]" {
					continue
				}
				seen[place] = true
				if slices.ContainsFunc(append(slices.Clone(r.path), r.key), func(step string) bool { return !g.keys.Spelled[step] && step != "[]" }) {
					continue // keys of a map come and go
				}
				was, is := objectsAt(g.before, r.path), objectsAt(g.after, p.now(g, r.path))
				old, now := payload.ProfileOf(membersOf(was, r.key)), payload.KeysOf(is)
				if old.Seen == 0 || len(is) == 0 || slices.Contains(now, r.key) || p.reads(g, r) || known.IsMap(r.path) {
					continue
				}
				before := payload.KeysOf(was)
				came := slices.IndexFunc(now, func(key string) bool {
					return !slices.Contains(before, key) && !spelled[key] && payload.ProfileOf(membersOf(is, key)).Kind() == old.Kind()
				})
				switch to := p.wentTo(g, r); {
				case came >= 0:
					p.half = fmt.Sprintf("%s is in nothing now, %s came, and the script makes do without it", r.key, now[came])
				case old.Seen == len(was) && len(was) >= payload.LeastSeen:
					p.half = fmt.Sprintf("%s is in nothing now, and the script makes do without it", r.key)
				case to != "":
					p.doubts = append(p.doubts, fmt.Sprintf("%s is in nothing now: it may be in %s, as others beside it are", r.key, to))
				}
			}
		}
	}
}

// wentTo is the member in which several others are now that stood beside what was read.
func (p *proposal) wentTo(g *group, r read) string {
	count := map[string]int{}
	for _, done := range p.applied {
		if a := done.anomaly; done.moved && done.from.Up == 0 && len(done.from.Path) > 0 && a.group.id() == g.id() && slices.Equal(a.oldPath, r.path) {
			if count[done.from.Path[0]]++; count[done.from.Path[0]] > 1 {
				return done.from.Path[0]
			}
		}
	}
	return ""
}

// now is where an object stands that was at a path.
func (p *proposal) now(g *group, path []string) []string {
	for _, s := range p.shifts {
		if s.group == g.id() && len(path) >= len(s.from) && slices.Equal(path[:len(s.from)], s.from) {
			path = slices.Concat(s.to, path[len(s.from):])
		}
	}
	return path
}

// reads says that a proposal finds elsewhere what stood at a place.
func (p *proposal) reads(g *group, r read) bool {
	return slices.ContainsFunc(p.applied, func(done *resolution) bool {
		return done.anomaly.group.id() == g.id() && done.anomaly.key == r.key && slices.Equal(done.anomaly.oldPath, r.path)
	})
}

func objectsAt(values []any, path []string) (objects []*orderedjson.Object) {
	for _, value := range values {
		for _, place := range payload.Instances(value, path) {
			if o, ok := place.Value().(*orderedjson.Object); ok {
				objects = append(objects, o)
			}
		}
	}
	return objects
}

func membersOf(objects []*orderedjson.Object, key string) (values []any) {
	for _, o := range objects {
		if value, has := o.Fields[key]; has {
			values = append(values, value)
		}
	}
	return values
}

func unique(lines []string) []string {
	var kept []string
	for _, line := range lines {
		if !slices.Contains(kept, line) {
			kept = append(kept, line)
		}
	}
	return kept
}

func (p *proposal) comment() string {
	var parts []string
	for _, r := range p.applied {
		parts = append(parts, r.describe())
	}
	parts = unique(append(parts, p.extra...))
	if most := 3; len(parts) > most {
		parts = append(parts[:most-1], fmt.Sprintf("and %d more of the kind", len(parts)-most+1))
	}
	return strings.Join(parts, "; ")
}

func (f *finder) note(p *proposal, why string) {
	if what := p.comment(); what != "" && len(f.notes) < 12 {
		f.notes = append(f.notes, what+": "+why)
	}
}

func (v *view) belowSites(a *anomaly) []*belowRead {
	path := slices.Clone(a.oldPath)
	if a.key != "" {
		path = append(path, a.key)
	}
	return v.belowPath(a.group, path, 3)
}

func (v *view) belowPath(g *group, path []string, depth int) []*belowRead {
	if depth == 0 {
		return nil
	}
	var found []*belowRead
	for _, t := range v.successes {
		for _, r := range t.reads {
			if !g.beforeRoots[t][r.root] || !slices.Equal(r.path, path) || r.native || r.key == "[]" {
				continue
			}
			at := slices.IndexFunc(found, func(b *belowRead) bool { return b.key == r.key })
			if at < 0 {
				var values []any
				for _, value := range g.before {
					for _, place := range payload.Instances(value, path) {
						if read, ok := readKey(place.Value(), r.key); ok {
							values = append(values, read...)
						}
					}
				}
				inner := append(slices.Clip(path), r.key)
				found = append(found, &belowRead{key: r.key, values: payload.ProfileOf(values), below: v.belowPath(g, inner, depth-1)})
				at = len(found) - 1
			}
			if site := v.source.SiteOf(r.at, r.key); site != nil && !slices.Contains(found[at].sites, site) {
				found[at].sites = append(found[at].sites, site)
			}
		}
	}
	return found
}

// holders finds variables that hold the object so many levels out from an anomaly's.
func (v *view) holders(a *anomaly) func(up int) []ast.Node {
	return func(up int) []ast.Node {
		var found []ast.Node
		gather := func(list []read, roots map[int]bool, path []string) {
			path = path[:max(0, len(path)-up)]
			for _, r := range list {
				if !roots[r.root] || !slices.Equal(r.path, path) {
					continue
				}
				if name, ok := script.MemberObject(v.source.SiteOf(r.at, r.key)).(*ast.Identifier); ok {
					found = append(found, name)
				}
			}
		}
		gather(v.failing.reads, a.group.afterRoots, a.path)
		for _, t := range v.successes {
			gather(t.reads, a.group.beforeRoots[t], a.oldPath)
		}
		return found
	}
}

// lineOf names the line of an anomaly's first site.
func (v *view) lineOf(a *anomaly) string {
	if len(a.sites) == 0 {
		return ""
	}
	return fmt.Sprintf(" at line %d", v.source.Line(a.sites[0]))
}
