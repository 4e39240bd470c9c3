package guard

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// Nothing is suspected before so much is known.
const (
	leastRuns = 2 // recorded successes
	leastSeen = payload.LeastSeen
	surely    = 20 // values of one type, before one of another type among them means something
)

// Suspects is what a run was given in another shape than recorded successes, and what it would write or return
// that they never did. The run's last write need not have gone out. Nothing is executed.
func (e *Expectation) Suspects(run *gate.Run) []Finding {
	live := e.Watch()
	live.See(run)
	return live.Suspects(run)
}

// Live watches one run as it goes on. Each answer is looked at once.
type Live struct {
	known, now *Expectation
	calls      int                  // that were taken in
	of         map[string][]Finding // by source; none of one that gave something since
	last       []made               // what it did that was taken in last
}

// Watch begins with a run of the version.
func (e *Expectation) Watch() *Live {
	return &Live{known: e, now: e.another(), of: map[string][]Finding{}}
}

// See takes in the part of the run since the last See. Each of its calls is answered, except perhaps a write. The
// expectation that Live watches with is not changed.
func (l *Live) See(run *gate.Run) {
	last := *run
	last.Calls = run.Calls[l.calls:]
	if l.now.Runs > 0 {
		last.Input = nil
	}
	l.last = l.now.madeBy(&last)
	l.now.add(&last, l.last)
	l.calls = len(run.Calls)
	for _, call := range last.Calls {
		if asked(call) {
			clear(l.of)
		}
	}
}

// Suspects is [Expectation.Suspects] of the run so far, as it was seen.
func (l *Live) Suspects(run *gate.Run) []Finding {
	if l.known.Runs < leastRuns {
		return nil
	}
	return l.known.differences(run, l.last, l.now, l.of)
}

// differences compares a run with what is known. Garbage is looked for in what it did last.
func (e *Expectation) differences(run *gate.Run, last []made, now *Expectation, known map[string][]Finding) []Finding {
	var found []Finding
	told := map[string]bool{}
	for _, whole := range []bool{true, false} { // templates first; of an address only what they do not show
		for _, source := range sorted(now.Sources) {
			is, was := now.Sources[source], e.Sources[source]
			if was == nil || was.Runs < leastRuns || (is.of == "") != whole {
				continue
			}
			template, today := e.Sources[is.of], now.Sources[is.of]
			of, compared := known[source]
			if !compared {
				of = statuses(source, was, is, slices.DeleteFunc([]*Source{is, today, template}, func(s *Source) bool { return s == nil }), e.code)
				if !slices.ContainsFunc(of, func(f Finding) bool { return f.NoData }) { // then there is no shape
					of = slices.Concat(of, forms(source, was, is), e.shapes(source, was, is), marks(source, was.Pages, is.Pages), heads(source, was.Heads, is.Heads))
				}
				known[source] = of
			}
			for _, f := range of {
				if template != nil && (f.how == payload.IsGone || f.how == payload.IsNull) && e.optional(is.of, f) && !payload.Came(was.Values, is.Values) {
					continue // others of its kind do without
				}
				name := cmp.Or(is.of, source) + " " + f.Place + " " + f.how
				if !told[name] {
					told[name] = true
					found = append(found, f)
				}
			}
		}
	}
	return append(found, e.garbage(run, last, now)...)
}

// statuses are the answers that failed where none did, and that the script went on after. Kin are what the same kind of call gave, today
// and before.
func statuses(source string, was, is *Source, kin []*Source, code string) []Finding {
	var found []Finding
	for _, name := range sorted(is.Errors) {
		if was.Errors[name] == 0 {
			f := Finding{Kind: Status, Source: source, Was: "never answered with an error that the script went on after", Is: "answered with " + name, how: name}
			for _, status := range sorted(is.Statuses) {
				if status >= http.StatusBadRequest {
					f.Is, f.HTTP = fmt.Sprintf("answered with %s, status %d", name, status), status
				}
			}
			found = append(found, f)
		}
	}
	if len(found) > 0 {
		return found
	}
	for _, status := range sorted(is.Statuses) {
		class := func(known int) bool { return known/100 == status/100 }
		if missing := status == http.StatusNotFound || status == http.StatusGone; missing && slices.ContainsFunc(kin, func(s *Source) bool { return s.Statuses[status] > 0 && s.Statuses[http.StatusOK] > 0 }) {
			continue // one thing of many is missing: another one is there, or was missing before
		}
		if status/100 == 2 || slices.ContainsFunc(sorted(was.Statuses), class) || spelled(code, strconv.Itoa(status)) {
			continue // a success after misses is no failure; of others the script speaks, so it knows
		}
		found = append(found, Finding{
			Kind: Status, Source: source, Was: "answered with status " + list(sorted(was.Statuses)),
			Is: fmt.Sprintf("status %d", status), HTTP: status, how: strconv.Itoa(status),
		})
	}
	if len(was.Types) > 0 {
		for _, media := range sorted(is.Types) {
			if was.Types[media] == 0 && isPage(media) {
				found = append(found, Finding{Kind: Status, Source: source, Was: strings.Join(sorted(was.Types), ", "), Is: media, NoData: true, how: media})
			}
		}
	}
	for _, form := range []string{formBytes, formNone} {
		if is.Forms[form] > 0 && was.Forms[form] == 0 && was.looksFor(form, is) {
			found = append(found, Finding{Kind: Status, Source: source, Was: "always " + strings.Join(sorted(was.Forms), " or "), Is: form, NoData: true, how: form})
		}
	}
	return found
}

// optional says that of all that the calls of a template gave, some lacked a member.
func (e *Expectation) optional(template string, f Finding) bool {
	of := e.Sources[template]
	if of == nil || len(f.path) == 0 {
		return false
	}
	read := e.given(of)
	at := read.At(f.path)
	return at == nil || at.Seen() < read.Objects(f.path[:len(f.path)-1]) || f.how == payload.IsNull && at.Kinds["null"] > 0
}

// looksFor says that bytes, or nothing, in the place of a body are no ordinary day. Lines and texts may be empty where there is nothing
// to say, unless the answer says that it is something else.
func (s *Source) looksFor(form string, is *Source) bool {
	seen, whole := 0, true
	for was, n := range s.Forms {
		seen += n
		whole = whole && was != formText && was != payload.FormNDJSON
	}
	other := len(s.Types) > 0 && slices.ContainsFunc(sorted(is.Types), func(media string) bool { return s.Types[media] == 0 })
	return seen >= leastSeen && (form == formBytes || whole || other)
}

// tables says that some bodies were tables.
func (s *Source) tables() bool {
	return slices.ContainsFunc(sorted(s.Forms), func(form string) bool { return payload.InText{Form: form}.IsTable() })
}

// forms is what was always a table of one form, or lines of JSON, and says the same in another form.
func forms(source string, was, is *Source) []Finding {
	before, now := sorted(was.Forms), sorted(is.Forms)
	if len(before) != 1 || len(now) != 1 || before[0] == now[0] || was.Forms[before[0]] < leastSeen {
		return nil
	}
	one := func(form string) bool { return payload.InText{Form: form}.IsTable() || form == payload.FormNDJSON }
	if !one(before[0]) || !one(now[0]) && now[0] != payload.FormJSON {
		return nil
	}
	if before[0] == payload.FormNDJSON && slices.ContainsFunc(is.Values.Below(nil), func(p *payload.Place) bool {
		return p.IsMember() && was.Values.At([]string{payload.Element, p.Path[0]}) != nil
	}) {
		return nil // one line is JSON, too
	}
	return []Finding{{Kind: Shape, Source: source, Was: "always " + before[0], Is: now[0], how: isForm}}
}

// isMixed is how a place differs that has values of another type among those of its own.
const isMixed = "of another type in some"

// A place is out of the bounds that it always was in.
const (
	isOrder  = "in another order"
	isLength = "of another length"
	isLevel  = "on another level"
)

// How sure a bound is, so that what is out of it is no chance.
const (
	leastOrdered = 16 // neighbours that all followed in one order
	leastLists   = 8  // whose lengths hardly differed
	leastNumbers = 8
)

// outOfBounds says how what stands at a place is out of the bounds that all before it kept: a list is in the opposite order, or a list
// that always was about as long is twice as long or half as long, or all numbers are far from the range of all before them, on a
// day on which there are new members.
func outOfBounds(old, now *payload.Place, fresh bool) (how, words string) {
	up, down := old.Up, old.Down
	switch {
	case up+down >= leastOrdered && min(up, down) == 0 && now.Up+now.Down >= 2 && (up > 0 && now.Up == 0 || down > 0 && now.Down == 0):
		return isOrder, "in the opposite order"
	case old.Kinds["array"] >= leastLists && len(old.Kinds) == 1 && old.Empty == 0 && old.Least >= leastSeen+1 && 5*old.Most <= 6*old.Least && now.Empty == 0 && (now.Least >= 2*old.Most || 2*now.Most <= old.Least):
		return isLength, fmt.Sprintf("%d long, and always was about %d", now.Most, old.Most)
	case fresh && len(old.Numbers) >= leastNumbers && len(now.Numbers) > 0:
		least, most := slices.Min(old.Numbers), slices.Max(old.Numbers)
		far := most - least
		if len(now.Numbers) < leastSeen {
			far *= leastSeen
		}
		if far > 0 && (slices.Min(now.Numbers) > most+far || slices.Max(now.Numbers) < least-far) {
			return isLevel, "in another unit, it seems: the size is about " + payload.ShowNumber(now.Middle()) + " and was about " + payload.ShowNumber(old.Middle())
		}
	}
	return "", ""
}

// isForm is how a body differs that says the same in another form.
const isForm = "in another form"

// isPage says that a media type is what proxies and login pages answer with.
func isPage(media string) bool { return media == "text/html" || media == "application/xhtml+xml" }

func list(numbers []int) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ", ")
}

func spelled(code, number string) bool {
	return regexp.MustCompile(`\b` + number + `\b`).MatchString(code)
}

// shapes are the places of a source that are not as they were. A line that is always the first may be no header: a column is one that
// the script names.
func (e *Expectation) shapes(source string, was, is *Source) []Finding {
	read, tables := e.given(was), was.tables()
	lines := tables || was.Forms[payload.FormNDJSON] > 0 || is.Forms[payload.FormNDJSON] > 0
	now := is.Values.Like(read)
	return slices.DeleteFunc(slices.Concat(shapes(source, read, now), e.goesOn(source, read, now)), func(f Finding) bool {
		if lines && len(f.path) == 0 {
			return true // a day with one line, or none, is no list
		}
		if f.how == payload.IsWords && !e.respells(read.At(f.path), now.At(f.path)) {
			return true
		}
		return f.isMember() && (tables || slices.Contains(f.path, payload.Table)) && !e.spelled[strings.TrimSpace(f.path[len(f.path)-1])]
	})
}

// respells says that all words of a place are other ones today, or some that the script names.
func (e *Expectation) respells(old, now *payload.Place) bool {
	pairs := payload.Respelled(old, now)
	return len(pairs) == len(now.Words) || slices.ContainsFunc(sorted(pairs), func(word string) bool { return e.spelled[word] })
}

// goesOn is a list beside which something tells of more for the first time: it comes in pages now, and the script names nothing of that.
func (e *Expectation) goesOn(source string, was, is *payload.Schema) []Finding {
	inList := func(p *payload.Place) bool {
		return slices.Contains(p.Path, payload.Element) || slices.Contains(p.Path, payload.AnyKey)
	}
	var list *payload.Place
	for _, p := range is.All() {
		if old := was.At(p.Path); !inList(p) && p.Items > 0 && old != nil && old.Kinds["array"] > 0 && (list == nil || p.Items > list.Items) {
			list = p
		}
	}
	if list == nil {
		return nil
	}
	for _, p := range is.All() {
		if !p.IsMember() || inList(p) || e.spelled[p.Path[len(p.Path)-1]] {
			continue
		}
		old := was.At(p.Path)
		for kind, value := range map[string]any{"string": p.Sample, "number": p.Middle(), "boolean": p.Words["true"] > 0} {
			if p.Kinds[kind] > 0 && payload.SaysMore(p.Path, value) && (old == nil || len(old.KindsSeen()) == 0 || kind == "boolean" && old.Words["true"]*old.Words["false"] == 0 && old.Words[strconv.FormatBool(value == true)] == 0) {
				return []Finding{{Kind: Shape, Source: source, Place: payload.Show(list.Path), Was: "always whole", Is: "a page of it: " + payload.Show(p.Path) + " tells of more", path: list.Path, in: was, how: isPaged}}
			}
		}
	}
	return nil
}

// isPaged is how a list differs that comes in pages now.
const isPaged = "a page of it"

// isHead is how an answer differs that has not a header that all had.
const isHead = "gone from headers"

// heads are the headers that all answers had and none has now.
func heads(source string, was, is *payload.Schema) []Finding {
	var found []Finding
	before, lacking := was.Objects(nil), is.Objects(nil)
	for _, old := range was.Below(nil) {
		if before >= leastSeen && old.Seen() == before && lacking > 0 && is.At(old.Path) == nil {
			found = append(found, Finding{Kind: Shape, Source: source, Place: "header " + old.Path[0], Was: "in all answers", Is: "gone", path: old.Path, how: isHead})
		}
	}
	return found
}

// missed says that a member that only some objects had is in none now, and that this is hardly chance: so many had it, or all that
// were like these and had nothing that is new.
func missed(was, is *payload.Schema, old *payload.Place) bool {
	if !old.IsMember() || is.At(old.Path) != nil {
		return false
	}
	holder := old.Path[:len(old.Path)-1]
	before, lacking := was.Objects(holder), is.Objects(holder)
	if lacking == 0 {
		return false
	}
	most := 0.0
	if was.At(holder).Runs == old.Runs {
		most = 0.002
	}
	for _, p := range is.Below(holder) {
		if p.IsMember() && was.At(p.Path) == nil {
			most = max(most, 0.02)
			if p.Seen() == lacking {
				most = 0.1
			}
		}
	}
	return before >= payload.SurelySeen && byChance(before, old.Seen(), lacking) <= most || allLike(was.At(holder), is.At(holder), old.Path[len(old.Path)-1])
}

// allLike says that all objects that had what these have, as far as it is known, had a member, and that these have others in its place.
func allLike(was, is *payload.Place, member string) bool {
	known := map[string]bool{}
	for shape := range was.Shapes {
		for name := range strings.SplitSeq(shape, "\x00") {
			known[name] = true
		}
	}
	for shape := range is.Shapes {
		names := strings.Split(shape, "\x00")
		left := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !known[name] })
		like := 0
		for one, n := range was.Shapes {
			has := strings.Split(one, "\x00")
			if slices.ContainsFunc(left, func(name string) bool { return !slices.Contains(has, name) }) {
				continue
			}
			if !slices.Contains(has, member) {
				return false
			}
			like += n
		}
		if like < leastSeen || len(left) == 0 || len(left) == len(names) {
			return false
		}
	}
	return len(is.Shapes) > 0
}

// shapes compares what stood at the places of a source with what stands there now.
func shapes(source string, was, is *payload.Schema) []Finding {
	var found []Finding
	var told [][]string
	fresh := payload.Came(was, is)
	for _, old := range was.All() {
		if slices.ContainsFunc(told, func(above []string) bool { return payload.Within(old.Path, above) }) {
			continue
		}
		how, words := payload.Differs(was, is, old, fresh)
		switch now := is.At(old.Path); {
		case how != "":
		case missed(was, is, old):
			how, words = payload.IsGone, "gone, and that is no chance"
		case now != nil && len(old.Kinds) == 1 && old.Seen() >= surely:
			if others := slices.DeleteFunc(now.KindsSeen(), func(kind string) bool { return old.Kinds[kind] > 0 }); len(others) > 0 {
				how, words = isMixed, strings.Join(others, " or ")+" in some"
			}
		}
		if now := is.At(old.Path); how == "" && now != nil {
			how, words = outOfBounds(old, now, fresh)
		}
		if how == "" {
			continue
		}
		told = append(told, old.Path)
		found = append(found, Finding{
			Kind: Shape, Source: source, Place: payload.Show(old.Path), Was: old.Said(), Is: words, path: old.Path, in: was, now: is.At(old.Path), how: how, kinds: old.KindsSeen(),
		})
	}
	// The order of members says nothing.
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(len(a.path), len(b.path)), slices.Compare(a.path, b.path))
	})
	return found
}
