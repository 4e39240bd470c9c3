package guard

import (
	"slices"
	"strings"
	"sync"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// garbagePattern is what a missing value turns into when a script makes text of it.
var garbagePattern = lazyregexp.New(`\[object [A-Z][A-Za-z]*\]|(?:^|[^\pL\pN_])(undefined|NaN|Invalid Date)(?:$|[^\pL\pN_])`)

// garbageHas are words of which garbage has one: to look for them is quicker than to match.
var garbageHas = []string{"[object ", "undefined", "NaN", "Invalid Date"}

func garbageIn(text string) string {
	if !slices.ContainsFunc(garbageHas, func(word string) bool { return strings.Contains(text, word) }) {
		return ""
	}
	if m := garbagePattern.FindStringSubmatch(text); m != nil {
		if m[1] != "" {
			return m[1]
		}
		return m[0]
	}
	return ""
}

// garbage is what the run would write or return that no recorded success did, and that comes of a missing value.
func (e *Expectation) garbage(run *gate.Run, last []made, now *Expectation) []Finding {
	given := sync.OnceValue(func() map[string]bool {
		words := map[string]bool{}
		now.eachAnswer(run, func(a answer) {
			eachText(a.value, func(text string) { words[garbageIn(text)] = true })
		})
		return words
	})
	told, sinks := map[string]bool{}, map[string]bool{}
	var found []Finding
	for _, one := range last {
		sinks[one.sink] = true
		for _, text := range one.garbage {
			word := garbageIn(text)
			if told[word] || e.Garbage[word] || strings.Contains(e.code, word+"'") || strings.Contains(e.code, word+`"`) || given()[word] {
				continue
			}
			told[word] = true
			found = append(found, Finding{Kind: Garbage, Source: one.sink, Place: payload.Show(one.path), Was: "never with " + word, Is: brief(text), how: word})
		}
	}
	for _, sink := range sorted(sinks) {
		was := e.Sinks[sink]
		if was == nil {
			continue
		}
		was = e.made(was)
		is := now.Sinks[sink].Like(was)
		for _, old := range was.All() {
			if at := is.At(old.Path); e.Trial && at != nil && at.Nothing == at.Seen() && old.Nothing == 0 && old.Seen() >= leastSeen && !e.givenNothing(now) {
				found = append(found, Finding{Kind: Nothing, Source: sink, Place: payload.Show(old.Path), Was: "never nothing", Is: "nothing, by a fix that no run has confirmed", how: "nothing"})
			}
			if words := e.spoilt(was, is, old); words != "" {
				found = append(found, Finding{Kind: Garbage, Source: sink, Place: payload.Show(old.Path), Was: old.Said(), Is: words, how: "spoilt"})
			}
		}
	}
	return append(found, e.emptied(now)...)
}

// givenNothing says that a list that never was empty is empty: then there is nothing to make.
func (e *Expectation) givenNothing(now *Expectation) bool {
	for name, is := range now.Sources {
		if was := e.Sources[name]; was != nil && slices.ContainsFunc(was.Values.All(), func(p *payload.Place) bool {
			at := is.Values.At(p.Path)
			return p.Kinds["array"] > 0 && p.Empty == 0 && at != nil && at.Empty > 0
		}) {
			return true
		}
	}
	return false
}

// spoilt says in words what is wrong with a value that the run makes; empty for nothing.
func (e *Expectation) spoilt(was, is *payload.Schema, old *payload.Place) string {
	n := len(old.Path)
	now := is.At(old.Path)
	if slices.Contains(old.Path, payload.Table) { // columns of what the script writes may be those of its first row
		return ""
	}
	if old.Runs < leastRuns || old.Seen() < leastSeen || old.Kinds["null"] > 0 || len(old.KindsSeen()) != 1 {
		return ""
	}
	if now == nil {
		if n > 0 && old.IsMember() && was.Objects(old.Path[:n-1]) == old.Seen() && is.Objects(old.Path[:n-1]) > 0 {
			return "missing"
		}
		return ""
	}
	switch kinds := now.KindsSeen(); {
	case len(kinds) == 0:
		return "null"
	case !slices.ContainsFunc(kinds, func(kind string) bool { return old.Kinds[kind] > 0 }):
		return strings.Join(kinds, " or ")
	case kinds[0] == "number" && now.Kinds["null"] > 0 && old.Seen() >= payload.SurelySeen:
		return "null in some"
	case kinds[0] == "number" && payload.Scaled(old, now) != 0:
		return "about " + payload.ShowNumber(now.Middle()) + ", which was about " + payload.ShowNumber(old.Middle())
	}
	return ""
}

// emptied finds a list that always was as long as one that the run was given, and is empty though that is not.
func (e *Expectation) emptied(now *Expectation) []Finding {
	if len(e.Given) < leastSeen || len(now.Given) == 0 {
		return nil
	}
	var found []Finding
	for _, made := range sorted(e.Made[0]) {
		length, there := now.Made[0][made]
		if !there || length > 0 {
			continue
		}
		for _, given := range sorted(e.Given[0]) {
			if now.Given[0][given] == 0 {
				continue
			}
			items := 0
			follows := true
			for i := range e.Given {
				n, made := e.Given[i][given], e.Made[i][made]
				follows = follows && n == made
				items += n
			}
			if follows && items >= leastSeen {
				found = append(found, Finding{Kind: Garbage, Source: made, Was: "always as long as " + given, Is: "empty", how: "emptied"})
				break
			}
		}
	}
	return found
}

func brief(text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
