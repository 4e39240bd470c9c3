package guard

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/replay"
)

// What has to be known before anything is suspected.
const (
	leastRuns = 2 // recorded successes
	// leastSeen is how many objects had a member, each of them, before its absence means something.
	leastSeen = 3
	// surelySeen is that for an absence that nothing else bears out: nothing new came with it, and one object
	// lacks it.
	surelySeen = 5
	// otherSize is how many times larger or smaller numbers are in another unit.
	otherSize = 30
)

// Suspects is what a run was given in another shape than recorded successes, and what it would write or return
// that they never did. The run's last write need not have gone out. Nothing is executed.
func (e *Expectation) Suspects(run *replay.Run) []Finding {
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

// See takes in what the run did since it was seen last. Of a call that is seen, only a write may have no answer yet.
// What is known is not touched.
func (l *Live) See(run *replay.Run) {
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
func (l *Live) Suspects(run *replay.Run) []Finding {
	if l.known.Runs < leastRuns {
		return nil
	}
	return l.known.differences(run, l.last, l.now, l.of)
}

// differences compares a run with what is known. Garbage is looked for in what it did last.
func (e *Expectation) differences(run *replay.Run, last []made, now *Expectation, known map[string][]Finding) []Finding {
	var found []Finding
	told := map[string]bool{}
	for _, whole := range []bool{true, false} { // templates first; of an address only what they do not show
		for _, source := range sorted(now.Sources) {
			is, was := now.Sources[source], e.Sources[source]
			if was == nil || was.Runs < leastRuns || (is.of == "") != whole {
				continue
			}
			of, compared := known[source]
			if !compared {
				of = append(statuses(source, was, is, e.code), shapes(source, e.given(was), is.Values.Like(e.given(was)))...)
				known[source] = of
			}
			for _, f := range of {
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

// statuses are the answers that failed where none did, and that the script went on after.
func statuses(source string, was, is *Source, code string) []Finding {
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
				found = append(found, Finding{Kind: Status, Source: source, Was: strings.Join(sorted(was.Types), ", "), Is: media, Page: true, how: media})
			}
		}
	}
	return found
}

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

// shapes compares what stood at the places of a source with what stands there now.
func shapes(source string, was, is *payload.Schema) []Finding {
	var found []Finding
	var told [][]string
	fresh := came(was, is)
	for _, old := range was.All() {
		if slices.ContainsFunc(told, func(above []string) bool {
			return len(old.Path) > len(above) && slices.Equal(old.Path[:len(above)], above)
		}) {
			continue
		}
		how, words := differs(was, is, old, fresh)
		if how == "" || old.IsEntry() && slices.ContainsFunc(found, func(f Finding) bool {
			return f.how == how && slices.Equal(f.path, append(slices.Clone(old.Path[:len(old.Path)-1]), payload.AnyKey))
		}) {
			continue
		}
		told = append(told, old.Path)
		found = append(found, Finding{
			Kind: Shape, Source: source, Place: payload.Show(old.Path), Was: old.Said(), Is: words, path: old.Path, in: was, how: how, kinds: old.KindsSeen(),
		})
	}
	// The order of members says nothing.
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(len(a.path), len(b.path)), slices.Compare(a.path, b.path))
	})
	return found
}

// came says that there is a member where recorded payloads never had one.
func came(was, is *payload.Schema) bool {
	for _, p := range is.All() {
		if n := len(p.Path); p.IsMember() && was.At(p.Path) == nil && was.At(p.Path[:n-1]) != nil {
			return true
		}
	}
	return false
}

// quiet says that there is little in an answer: an empty list, or a zero. Then what is null may be what there is nothing of.
func quiet(is *payload.Schema) bool {
	for _, p := range is.All() {
		if p.Kinds["array"] > 0 && p.Filled == 0 || len(p.Numbers) > 0 && !slices.ContainsFunc(p.Numbers, func(n float64) bool { return n != 0 }) {
			return true
		}
	}
	return false
}

// saysNone says that a member is left out because there is nothing to say: a list beside a count of 0, or all members of
// one of the many things that a list holds.
func saysNone(was, is *payload.Schema, old *payload.Place) bool {
	holder := old.Path[:len(old.Path)-1]
	members, count := false, false
	for _, p := range is.All() {
		if !p.IsMember() || !slices.Equal(p.Path[:len(p.Path)-1], holder) {
			continue
		}
		members = true
		before := was.At(p.Path)
		count = count || before != nil && before.Middle() != 0 && len(p.Numbers) > 0 && !slices.ContainsFunc(p.Numbers, func(n float64) bool { return n != 0 })
	}
	if count && old.Kinds["array"] == old.Seen() {
		return true
	}
	inside := len(holder) - 1
	for inside >= 0 && holder[inside] != payload.Element {
		inside--
	}
	if members || inside < 0 || inside == len(holder)-1 {
		return false
	}
	lacking := is.Objects(holder)
	return lacking == 1 || 2*lacking <= is.Objects(holder[:inside+1])
}

// cameBeside says that beside a member there is a new one whose name says the same, and more or less.
func cameBeside(was, is *payload.Schema, path []string) bool {
	for _, p := range is.All() {
		n := len(path)
		if len(p.Path) == n && slices.Equal(p.Path[:n-1], path[:n-1]) && was.At(p.Path) == nil &&
			payload.Likeness(payload.Words(path[n-1]), payload.Words(p.Path[n-1])) > 0.5 {
			return true
		}
	}
	return false
}

func differs(was, is *payload.Schema, old *payload.Place, fresh bool) (how, words string) {
	now := is.At(old.Path)
	n := len(old.Path)
	if n > 0 && old.Path[n-1] == payload.Document {
		text, before := is.At(old.Path[:n-1]), was.At(old.Path[:n-1])
		if text != nil && before != nil && now == nil && text.Kinds["string"] > 0 && before.Kinds["string"] == old.Seen() {
			return isNoJSON, "a text that is no JSON"
		}
	}
	if old.IsMember() {
		holder := old.Path[:n-1]
		before, lacking := was.Objects(holder), is.Objects(holder)
		always := before == old.Seen() && before >= leastSeen
		if now == nil {
			if always && lacking > 0 && (fresh || before >= surelySeen && !saysNone(was, is, old)) || lacking > 0 && 2*old.Seen() >= before && cameBeside(was, is, old.Path) {
				return isGone, "gone"
			}
			return "", ""
		}
	}
	if now == nil {
		return "", ""
	}
	kinds, before := now.KindsSeen(), old.KindsSeen()
	switch {
	case len(kinds) == 0:
		if old.Kinds["null"] == 0 && old.Seen() >= leastSeen && (now.Kinds["null"] >= 2 || old.Seen() >= surelySeen && !quiet(is)) {
			return isNull, "null everywhere"
		}
		if old.Kinds["null"] > 0 && old.IsMember() && len(before) > 0 && cameBeside(was, is, old.Path) {
			return isNull, "null everywhere, with others beside it"
		}
		return "", ""
	case len(before) > 0 && old.Seen() >= leastRuns && !slices.ContainsFunc(kinds, func(kind string) bool { return old.Kinds[kind] > 0 }):
		return isChanged, strings.Join(kinds, " or ")
	case slices.Equal(kinds, []string{"number"}) && slices.Equal(before, []string{"number"}):
		if factor := scaled(old, now); factor != 0 {
			return isScaled, "in another unit, it seems: the size is about " + payload.ShowNumber(now.Middle()) + " and was about " + payload.ShowNumber(old.Middle())
		}
	case slices.Equal(kinds, []string{"string"}) && slices.Equal(before, []string{"string"}):
		if a, b := old.Format(), now.Format(); a != "" && b != "" && a != b && old.Seen() >= leastSeen && tells(a, b) {
			return isFormat, "written as " + b + ", and was written as " + a
		}
		if len(respelled(old, now)) > 0 {
			return isWords, "other words: " + strings.Join(sorted(now.Words), ", ")
		}
	}
	return "", ""
}

// tells says that texts of one format do not become texts of the other by themselves.
func tells(before, after string) bool {
	dates := []string{payload.FormatDate, payload.FormatDateTime, payload.FormatHTTPDate}
	if slices.Contains(dates, before) {
		return true
	}
	return before == payload.FormatDecimal && after != payload.FormatInteger
}

// scaled is by how much numbers were multiplied that are in another unit now, 0 if they are as before: they changed
// between whole numbers and fractions, and their size with it.
func scaled(old, now *payload.Place) float64 {
	if len(old.Numbers) < leastSeen || len(now.Numbers) == 0 || payload.Whole(old.Numbers) == payload.Whole(now.Numbers) && !far(old, now) {
		return 0
	}
	before, after := old.Middle(), now.Middle()
	if before == 0 || after == 0 {
		return 0
	}
	ratio := after / before
	if ratio < otherSize && ratio > 1.0/otherSize {
		if len(old.Numbers) >= surelySeen && slices.Min(old.Numbers) >= 100 && slices.Max(now.Numbers) < slices.Min(old.Numbers) && hundredths(now.Numbers) {
			return 0.01 // they were counted in hundredths: a single amount says no more
		}
		return 0
	}
	return math.Pow(10, math.Round(math.Log10(ratio)))
}

// hundredths says that numbers have two places behind the point at most.
func hundredths(numbers []float64) bool {
	return !slices.ContainsFunc(numbers, func(n float64) bool { return math.Abs(n*100-math.Round(n*100)) > 1e-6 })
}

// far says that all numbers are in another range than all that were seen, by the size of a unit, in a time that
// is counted in seconds or milliseconds.
func far(old, now *payload.Place) bool {
	unit := func(p *payload.Place) string { return payload.EpochUnit(slices.Sorted(slices.Values(p.Numbers))) }
	is := unit(now)
	if is == "" {
		return false
	}
	was := unit(old)
	return was != "" && was != is
}

// respelled pairs constants with what they are written as now: each of today's words is none of those known, and
// is one of them written another way. Nil if that is not so.
func respelled(old, now *payload.Place) map[string]string {
	if old.Open || now.Open || len(now.Words) == 0 || old.Seen() < 4*len(old.Words) && old.Seen() < surelySeen {
		return nil
	}
	pairs := map[string]string{}
	for word := range now.Words {
		found := false
		for known := range old.Words {
			if strings.ContainsAny(known, "0123456789") || old.Words[word] > 0 {
				return nil
			}
			if sameWord(known, word) {
				pairs[known], found = word, true
			}
		}
		if !found {
			return nil
		}
	}
	return pairs
}

// sameWord says that a constant holds the words of another one: paid, PAID, STATE_PAID.
func sameWord(known, now string) bool {
	was, is := payload.Words(known), payload.Words(now)
	if len(payload.Squeeze(known)) < 2 || len(is) < len(was) {
		return false
	}
	return slices.Equal(is[:len(was)], was) || slices.Equal(is[len(is)-len(was):], was)
}
