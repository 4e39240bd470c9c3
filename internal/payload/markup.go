package payload

import (
	"html"
	"maps"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

// A text of elements (XML, HTML, iCalendar) is read as objects: a member for each attribute (@name) and for each name of elements
// inside, which is a list where there are several. An element of HTML has its classes in its name (p.price). An element that has
// nothing but text is that text. How it is written otherwise is its look, so that a value in another shape can
// be written as a text that looks the same; a text that would not be written again as it is, is not read.

// look is how the elements at one path are written.
type look struct {
	spaces    map[[2]string]string // between two things that it holds, by their names; none at its begin and end
	close     string               // of an element that holds nothing: "/>", ">", or "" for an end tag
	classAt   int                  // the place of its class among its attributes
	character bool                 // its text is in a CDATA section
	greater   bool                 // it writes &gt;
	orders    [][]string
	attrs     map[string]bool
}

// markup is a text of elements.
type markup struct {
	prolog, epilog string
	html           bool
	looks          map[string]*look
	many           map[string]bool // paths of which several stand in one element
}

// TextOf is the name under which the text of an element stands that has more than that.
const TextOf = "#text"

// element is one of a text.
type element struct {
	name  string
	attrs [][2]string
	holds []any // *element or string
}

// listed are the names of elements that are lists by their nature, also if there is one.
var listed = SetOf("item", "entry", "li", "tr", "td", "th", "row", "option", "record", "url", "sitemap", "VEVENT", "VTODO", "VCARD", "VALARM")

// MarkupIn reads a text of elements.
func MarkupIn(text string) (InText, bool) {
	if strings.HasPrefix(text, "BEGIN:") {
		return contentLinesIn(text)
	}
	start := strings.IndexByte(text, '<')
	if start < 0 || strings.TrimLeft(text[:start], " \t\r\n"+byteOrderMark) != "" {
		return InText{}, false
	}
	for strings.HasPrefix(text[start:], "<?") || strings.HasPrefix(text[start:], "<!") {
		end := strings.IndexByte(text[start:], '>')
		if end < 0 {
			return InText{}, false
		}
		next := strings.IndexByte(text[start+end:], '<')
		if next < 0 {
			return InText{}, false
		}
		start += end + next
	}
	d := &markup{prolog: text[:start], looks: map[string]*look{}, many: map[string]bool{}}
	lower := strings.ToLower(text[:min(len(text), start+6)])
	d.html = strings.Contains(lower, "<!doctype html") || strings.HasPrefix(lower[start:], "<html")
	root, rest, ok := d.parse(text[start:], "")
	if !ok {
		return InText{}, false
	}
	d.epilog = rest
	value := orderedjson.New()
	value.Put(d.key(root), d.value(root, ""))
	in := InText{Value: value, Form: "HTML", elements: d}
	if !d.html {
		in.Form = "XML"
	}
	if again, ok := in.Write(value); !ok || again != text {
		return InText{}, false
	}
	return in, true
}

// names are those under which elements and attributes stand.
func (d *markup) names() []string {
	found := []string{TextOf}
	for at, l := range d.looks {
		found = append(found, at[strings.LastIndexByte(at, '/')+1:])
		for name := range l.attrs {
			found = append(found, "@"+name)
		}
	}
	return found
}

// written says in what elements look otherwise, for people.
func (d *markup) written(was *markup) string {
	for _, at := range slices.Sorted(maps.Keys(d.looks)) {
		if l := was.looks[at]; l != nil && l.character != d.looks[at].character && d.looks[at].character {
			return "with CDATA in " + at[strings.LastIndexByte(at, '/')+1:]
		}
	}
	if strings.HasPrefix(d.prolog, byteOrderMark) != strings.HasPrefix(was.prolog, byteOrderMark) {
		return "with a byte order mark"
	}
	return ""
}

var (
	escaped  = strings.NewReplacer("&", "&amp;", "<", "&lt;")
	inQuotes = strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;")
)

var void = SetOf("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")

// key is the name under which an element stands.
func (d *markup) key(e *element) string {
	if class, ok := e.attr("class"); d.html && ok && class != "" {
		return e.name + "." + strings.ReplaceAll(class, " ", ".")
	}
	return e.name
}

func (e *element) attr(name string) (string, bool) {
	i := slices.IndexFunc(e.attrs, func(a [2]string) bool { return a[0] == name })
	if i < 0 {
		return "", false
	}
	return e.attrs[i][1], true
}

// parse reads the element with which a text begins; rest is what is behind it.
func (d *markup) parse(text, path string) (e *element, rest string, ok bool) {
	end := strings.IndexByte(text, '>')
	if end < 2 || text[0] != '<' {
		return nil, "", false
	}
	head, closed := strings.CutSuffix(text[1:end], "/")
	name, attrs, _ := strings.Cut(head, " ")
	e = &element{name: name}
	for attrs = strings.TrimSpace(attrs); attrs != ""; attrs = strings.TrimSpace(attrs) {
		key, after, has := strings.Cut(attrs, `="`)
		value, left, closes := strings.Cut(after, `"`)
		if !has || !closes || strings.ContainsAny(key, " \t\n") {
			return nil, "", false
		}
		e.attrs, attrs = append(e.attrs, [2]string{key, html.UnescapeString(value)}), left
	}
	rest = text[end+1:]
	at := path + "/" + d.key(e)
	l := d.looks[at]
	if l == nil {
		l = &look{spaces: map[[2]string]string{}, attrs: map[string]bool{}}
		d.looks[at] = l
	}
	for _, a := range e.attrs {
		l.attrs[a[0]] = true
	}
	l.classAt = max(0, slices.IndexFunc(e.attrs, func(a [2]string) bool { return a[0] == "class" }))
	switch {
	case closed:
		l.close = "/>"
		return e, rest, true
	case d.html && void[name]:
		l.close = ">"
		return e, rest, true
	}
	last := "</" + name + ">"
	if d.html && (name == "script" || name == "style") {
		inside, after, found := strings.Cut(rest, last)
		e.holds = append(e.holds, inside)
		return e, after, found
	}
	var order []string
	space := ""
	spaced := func(next string) {
		l.spaces[[2]string{lastOf(order), next}], space = space, ""
	}
	for !strings.HasPrefix(rest, last) {
		switch next := strings.IndexByte(rest, '<'); {
		case next < 0:
			return nil, "", false
		case strings.HasPrefix(rest, "<![CDATA["):
			inside, after, found := strings.Cut(rest[len("<![CDATA["):], "]]>")
			if !found {
				return nil, "", false
			}
			l.character = true
			spaced(TextOf)
			e.holds, rest, order = append(e.holds, inside), after, append(order, TextOf)
			continue
		case next > 0 && strings.TrimSpace(rest[:next]) == "":
			space, rest = rest[:next], rest[next:]
			continue
		case next > 0:
			spaced(TextOf)
			l.greater = l.greater || strings.Contains(rest[:next], "&gt;")
			e.holds, rest, order = append(e.holds, html.UnescapeString(rest[:next])), rest[next:], append(order, TextOf)
			continue
		case strings.HasPrefix(rest, "</") || strings.HasPrefix(rest, "<!"):
			return nil, "", false
		}
		inner, after, ok := d.parse(rest, at)
		if !ok {
			return nil, "", false
		}
		spaced(d.key(inner))
		e.holds, rest, order = append(e.holds, inner), after, append(order, d.key(inner))
	}
	spaced("")
	if !slices.ContainsFunc(l.orders, func(known []string) bool { return slices.Equal(known, order) }) {
		l.orders = append(l.orders, order)
	}
	for i, key := range order {
		if slices.Contains(order[:i], key) || listed[strings.Split(key, ".")[0]] {
			d.many[at+"/"+key] = true
		}
	}
	return e, rest[len(last):], true
}

func lastOf(order []string) string {
	if len(order) == 0 {
		return ""
	}
	return order[len(order)-1]
}

func (d *markup) value(e *element, path string) any {
	at := path + "/" + d.key(e)
	made := orderedjson.New()
	for _, a := range e.attrs {
		if !d.html || a[0] != "class" || a[1] == "" {
			made.Put("@"+a[0], a[1])
		}
	}
	alone := ""
	for _, one := range e.holds {
		key, value := TextOf, one
		if inner, is := one.(*element); is {
			key, value = d.key(inner), d.value(inner, at)
		} else if len(e.holds) == 1 {
			alone, _ = one.(string)
		}
		list, _ := made.Fields[key].([]any)
		switch {
		case d.many[at+"/"+key]:
			made.Put(key, nil)
			made.Fields[key] = append(list, value)
		default:
			made.Put(key, value)
		}
	}
	if len(made.Keys) == 0 || len(made.Keys) == 1 && len(e.holds) == 1 && made.Keys[0] == TextOf {
		return alone
	}
	return made
}

// write is a value as elements that look as these do.
func (d *markup) write(value any) (string, bool) {
	o, _ := value.(*orderedjson.Object)
	if o == nil || len(o.Keys) != 1 {
		return "", false
	}
	var b strings.Builder
	b.WriteString(d.prolog)
	ok := d.element(&b, o.Keys[0], o.Fields[o.Keys[0]], "")
	b.WriteString(d.epilog)
	return b.String(), ok
}

func (d *markup) element(b *strings.Builder, key string, value any, path string) bool {
	at := path + "/" + key
	l := d.looks[at]
	if l == nil {
		l = &look{}
	}
	o, isObject := value.(*orderedjson.Object)
	if !isObject {
		o = orderedjson.New()
		switch value := value.(type) {
		case string:
			o.Put(TextOf, value)
		case nil:
		default:
			return false
		}
	}
	name, class, hasClass := strings.Cut(key, ".")
	if hasClass = hasClass && d.html; !hasClass {
		name = key
	}
	b.WriteString("<" + name)
	attrs := 0
	classHere := func() {
		if hasClass && attrs == l.classAt {
			b.WriteString(` class="` + strings.ReplaceAll(class, ".", " ") + `"`)
			attrs++
		}
	}
	inside := map[string][]any{}
	var order []string
	for _, member := range o.Keys {
		if attr, is := strings.CutPrefix(member, "@"); is {
			text, isText := o.Fields[member].(string)
			if !isText {
				return false
			}
			classHere()
			b.WriteString(" " + attr + `="` + inQuotes.Replace(text) + `"`)
			attrs++
			continue
		}
		list, isList := o.Fields[member].([]any)
		if !isList {
			list = []any{o.Fields[member]}
		}
		if member == TextOf && len(list) == 1 && list[0] == "" {
			continue
		}
		inside[member] = list
		for range list {
			order = append(order, member)
		}
	}
	if hasClass && l.classAt >= attrs {
		b.WriteString(` class="` + strings.ReplaceAll(class, ".", " ") + `"`)
	}
	if len(order) == 0 && l.close != "" {
		b.WriteString(l.close)
		return true
	}
	b.WriteString(">")
	sorted := slices.Sorted(slices.Values(order))
	for _, known := range l.orders {
		if slices.Equal(slices.Sorted(slices.Values(known)), sorted) {
			order = known
			break
		}
	}
	before := ""
	for _, member := range order {
		b.WriteString(l.spaces[[2]string{before, member}])
		before = member
		one := inside[member][0]
		inside[member] = inside[member][1:]
		text, isText := one.(string)
		switch {
		case member == TextOf && !isText:
			return false
		case member == TextOf && d.html && (name == "script" || name == "style"):
			b.WriteString(text)
			continue
		case member == TextOf && l.character:
			b.WriteString("<![CDATA[" + text + "]]>")
			continue
		case member == TextOf && l.greater:
			b.WriteString(strings.ReplaceAll(escaped.Replace(text), ">", "&gt;"))
			continue
		case member == TextOf:
			b.WriteString(escaped.Replace(text))
			continue
		}
		if !d.element(b, member, one, at) {
			return false
		}
	}
	b.WriteString(l.spaces[[2]string{before, ""}])
	b.WriteString("</" + name + ">")
	return true
}
