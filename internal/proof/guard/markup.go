package guard

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

// A page, HTML or XML, is watched by what it is made of: which tags it has, and which attributes, classes and children the
// elements of a tag have. A script may read these by selectors or as text, so what is gone is hidden in recorded pages, and
// the script is executed on them.

// isMark is how a page differs that lacks what all pages had.
const isMark = "gone from pages"

const maxElements = 3000 // of one page that are looked at

var (
	tagPattern  = lazyregexp.New(`(?s)<!--.*?-->|<!\[CDATA\[.*?\]\]>|(?i:<script\b.*?</script\s*>)|<(/?)([A-Za-z][\w:.-]*)((?:\s+[^\s=>/"']+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>"']+))?)*)\s*(/?)>`)
	attrPattern = lazyregexp.New(`(?s)([^\s=>/"']+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s>"']+))?`)
	wordsIn     = lazyregexp.New(`[^\s"']+`)
)

// element is one of a page, with where its tags begin and end.
type element struct {
	tag, parent           string
	at, inner, close, end int
	attrs                 map[string][2]int // where the names stand
	classes               map[string][2]int
	says                  bool // that it says more than words: it has digits
}

// elementsOf reads a page as far as it can be read; nothing if a text is no page.
func elementsOf(text string) []*element {
	if !strings.HasPrefix(strings.TrimLeft(text, "\uFEFF \t\r\n"), "<") {
		return nil
	}
	var all, open []*element
	digits := func(from, to int) {
		if len(open) > 0 && strings.ContainsAny(text[from:to], "0123456789") {
			open[len(open)-1].says = true
		}
	}
	last := 0
	for _, m := range tagPattern.FindAllStringSubmatchIndex(text, -1) {
		digits(last, m[0])
		last = m[1]
		if m[4] < 0 {
			digits(m[0], m[1])
			continue
		}
		tag := text[m[4]:m[5]]
		if m[2] != m[3] { // it closes
			for i := len(open) - 1; i >= 0; i-- {
				if open[i].tag == tag {
					open[i].close, open[i].end = m[0], m[1]
					open = open[:i]
					break
				}
			}
			continue
		}
		if len(all) == maxElements {
			break
		}
		e := &element{tag: tag, at: m[0], inner: m[1], close: m[1], end: m[1], attrs: map[string][2]int{}, classes: map[string][2]int{}}
		if len(open) > 0 {
			e.parent = open[len(open)-1].tag
		}
		for _, a := range attrPattern.FindAllStringSubmatchIndex(text[m[6]:m[7]], -1) {
			name := text[m[6]+a[2] : m[6]+a[3]]
			e.attrs[name] = [2]int{m[6] + a[2], m[6] + a[3]}
			if a[4] < 0 {
				continue
			}
			value := text[m[6]+a[4] : m[6]+a[5]]
			if name != "class" && strings.ContainsAny(value, "0123456789") {
				e.says = true
			}
			if name == "class" {
				for _, w := range wordsIn.FindAllStringIndex(value, -1) {
					e.classes[value[w[0]:w[1]]] = [2]int{m[6] + a[4] + w[0], m[6] + a[4] + w[1]}
				}
			}
		}
		all = append(all, e)
		if m[8] == m[9] && strings.Contains(text[m[1]:], "</"+tag) { // others never close
			open = append(open, e)
		}
	}
	return all
}

// madeOf is what a page is made of, as a payload; nil if it is none. A tag has a list of its elements.
func madeOf(text string) any {
	page := orderedjson.New()
	elements := elementsOf(text)
	for _, e := range elements {
		one := orderedjson.New()
		if e.says {
			one.Put(saysMore, true)
		}
		for _, name := range sorted(e.attrs) {
			one.Put("@"+name, true)
		}
		for _, name := range sorted(e.classes) {
			one.Put("."+name, true)
		}
		list, _ := page.Fields[e.tag].([]any)
		page.Put(e.tag, append(list, one))
	}
	holds := map[string]map[string]bool{}
	for _, e := range elements {
		if holds[e.parent] == nil {
			holds[e.parent] = map[string]bool{}
		}
		holds[e.parent][e.tag] = true
	}
	if len(page.Keys) == 0 {
		return nil
	}
	// A pair of tags is one of the page: the elements of the outer one need not all have the inner one.
	for _, outer := range sorted(holds) {
		for _, inner := range sorted(holds[outer]) {
			if outer != "" {
				page.Put(outer+inside+inner, true)
			}
		}
	}
	return page
}

const (
	saysMore = "0" // what an element has that has digits
	inside   = " > "
)

// marks are what pages had, and have no more while others came: by chance it would be seldom.
func marks(source string, was, is *payload.Schema) []Finding {
	var found []Finding
	gone := map[string]bool{}
	for _, old := range was.All() {
		n := len(old.Path)
		if n == 0 || !old.IsMember() || is.At(old.Path) != nil || old.Path[n-1] == saysMore {
			continue
		}
		holder := old.Path[:n-1]
		before, lacking := was.Objects(holder), is.Objects(holder)
		outer, inner, pair := strings.Cut(old.Path[0], inside)
		if before < leastSeen || lacking == 0 || pair && (gone[outer] || gone[inner]) {
			continue
		}
		most := 0.05
		if n == 1 || old.Seen() == before {
			most = 0.2
		}
		if byChance(before, old.Seen(), lacking) > most || !came(was, is, holder) {
			continue
		}
		gone[old.Path[0]] = n == 1
		often := "in all pages"
		if old.Seen() < before {
			often = "in most pages"
		}
		found = append(found, Finding{Kind: Shape, Source: source, Place: showMark(old.Path), Was: often, Is: "gone", path: old.Path, how: isMark})
	}
	return found
}

// byChance is how likely so many lack what so many of those before had.
func byChance(before, had, lacking int) float64 {
	return math.Pow(float64(before-had+1)/float64(before+2), float64(lacking))
}

// came says that elements have what none ever had. In HTML a new tag may say that there is nothing, if it has no digits.
func came(was, is *payload.Schema, holder []string) bool {
	words := len(holder) == 0 && slices.ContainsFunc([]string{"html", "body", "div", "p"}, func(tag string) bool { return was.At([]string{tag}) != nil })
	return slices.ContainsFunc(is.Below(holder), func(p *payload.Place) bool {
		if was.At(p.Path) != nil {
			return false
		}
		return !words || is.At(append(slices.Clip(p.Path), payload.Element, saysMore)) != nil
	})
}

// showMark names what a page is made of as a page does.
func showMark(path []string) string {
	tag := path[0]
	if outer, inner, pair := strings.Cut(tag, inside); pair {
		return "<" + inner + "> in <" + outer + ">"
	}
	name := path[len(path)-1]
	switch {
	case len(path) == 1:
		return "<" + tag + ">"
	case strings.HasPrefix(name, "."):
		return "<" + tag + ` class="` + name[1:] + `">`
	}
	return "<" + tag + " " + name[1:] + ">"
}

// hideMark is a page without what stands at a path: it has another name, or stands deeper.
func hideMark(text string, path []string) string {
	type edit struct {
		from, to int
		by       string
	}
	var edits []edit
	outer, inner, pair := strings.Cut(path[0], inside)
	for _, e := range elementsOf(text) {
		switch {
		case pair && e.tag == inner && e.parent == outer:
			edits = append(edits, edit{e.at, e.at, "<x-in>"}, edit{e.end, e.end, "</x-in>"})
		case pair || e.tag != path[0]:
		case len(path) == 1:
			edits = append(edits, edit{e.at + 1, e.at + 1, "x-"})
			if e.close < e.end {
				edits = append(edits, edit{e.close + 2, e.close + 2, "x-"})
			}
		default:
			name := path[len(path)-1]
			at, there := e.attrs[name[1:]]
			if name[0] == '.' {
				at, there = e.classes[name[1:]]
			}
			if there {
				edits = append(edits, edit{at[0], at[0], "x-"})
			}
		}
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var b strings.Builder
	last := 0
	for _, one := range edits {
		b.WriteString(text[last:one.from] + one.by)
		last = one.to
	}
	return b.String() + text[last:]
}
