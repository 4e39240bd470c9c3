package gate

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// A list that was answered whole, or in pages of one kind, may be answered in pages of another kind. Then the elements of all
// calls that asked for it are one list, and a recorded success is carried into pages: the first one is what its call is answered,
// and the others are given to who asks for them as the pages say.

// listing is how a list comes in pages now.
type listing struct {
	at     []string            // where it stands in today's answers
	was    []string            // where it stood before
	had    []string            // what said of pages before, and does not now
	says   []pageMember        // what they say of pages
	next   *pageMember         // the one of them that tells how to ask on; nil if that is done as before
	pages  *orderedjson.Object // parameters of an address of the next page that the address before had not
	param  string              // the one of them that tells which page it is
	before map[string]bool     // the parameters that told it before
	size   int                 // of today's first page, 0 if it has all
	parted bool                // lists were answered in several pages before
	told   bool                // and answers told how to ask on
	guess  bool                // no recorded list is long enough for two pages of this size
	shape  func(any) (any, bool)
}

// pageMember is a member of an answer, or a header, that says something of its pages.
type pageMember struct {
	path   []string
	header string
	paging payload.Paging
	sample any
	asked  *Call // whose answer had the sample
}

func (m *pageMember) String() string {
	if m.header != "" {
		return "the header " + m.header
	}
	return payload.Show(m.path)
}

// String says it for people.
func (l *listing) String() string {
	at := payload.Show(l.at)
	if at == "" {
		at = "the answer"
	}
	said := at + " says otherwise how many pages there are"
	if l.next != nil {
		said = at + " comes in pages, of which " + l.next.String() + " tells the next"
	}
	if len(l.had) > 0 {
		said += ", and not " + strings.Join(l.had, ", ")
	}
	return said
}

// pageHeaders are headers that say something of pages.
var pageHeaders = map[string]payload.Paging{
	"link": payload.NextPage, "x-next-page": payload.NextPage, "x-page": payload.ThisPage, "x-per-page": payload.PageSize,
	"x-total": payload.AllItems, "x-total-count": payload.AllItems, "x-total-pages": payload.AllPages, "x-prev-page": payload.OtherPage,
}

// pageMembers are what an answer says of pages, and where its list stands. It is not ok if it has no list, or several.
func pageMembers(call *Call) (found []pageMember, at []string, ok bool) {
	value, _, _ := opened(call.Result)
	found, at, ok = besideList(value)
	for _, name := range slices.Sorted(maps.Keys(pageHeaders)) {
		text, has := headerOf(call, name)
		if !has || text == "" || name == "link" && nextLink(text) == "" {
			continue
		}
		m := pageMember{header: name, paging: pageHeaders[name], sample: text}
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			m.sample = n
		}
		if name == "link" {
			m.sample = nextLink(text)
		}
		found = append(found, m)
	}
	for i := range found {
		found[i].asked = call
	}
	return found, at, ok
}

// besideList is what stands beside the only list of an answer and says something of its pages. Numbers that do not fit the list, such
// as a total in euros, say nothing of them.
func besideList(value any) (found []pageMember, at []string, ok bool) {
	lists, items := 0, 0
	payload.Beside(value, func(path []string, value any) {
		if list, isList := value.([]any); isList {
			at, items, lists = slices.Clone(path), len(list), lists+1
		} else if len(path) > 0 {
			if paging := payload.PagingOf(path, value); paging != "" {
				found = append(found, pageMember{path: slices.Clone(path), paging: paging, sample: value})
			}
		}
	})
	found = slices.DeleteFunc(found, func(m pageMember) bool {
		n, isNumber := m.sample.(float64)
		return isNumber && (n != math.Trunc(n) || n < 0 || m.paging == payload.AllItems && n < float64(items))
	})
	return found, at, lists == 1
}

func headerOf(call *Call, name string) (string, bool) {
	answer, _ := decode(call.Result).(map[string]any)
	headers, _ := answer["headers"].(map[string]any)
	for key, value := range headers {
		if text, ok := value.(string); ok && strings.EqualFold(key, name) {
			return text, true
		}
	}
	return "", false
}

// nextLink is the address of the next page in a Link header, empty if it has none.
func nextLink(header string) string {
	for part := range strings.SplitSeq(header, ",") {
		to, rel, _ := strings.Cut(part, ";")
		rel = strings.ReplaceAll(strings.ReplaceAll(rel, `"`, ""), " ", "")
		if strings.Contains(";"+rel+";", ";rel=next;") {
			return strings.Trim(to, " <>")
		}
	}
	return ""
}

// asking is what a call asks, with its parameters apart: those of the query, and of a body that is a form or JSON.
func asking(name string, args json.RawMessage) (at string, params map[string]string, ok bool) {
	list, _ := decode(args).([]any)
	to, ok := webTarget(name, list)
	if !ok {
		return "", nil, false
	}
	params = map[string]string{}
	text, _ := list[0].(string)
	u, err := url.Parse(text)
	if err != nil {
		return "", nil, false
	}
	add := func(values url.Values) {
		for key, of := range values {
			params[key] = strings.Join(of, ",")
		}
	}
	add(u.Query())
	if request := declares(name).Request; len(list) > request.Options {
		options, _ := list[request.Options].(map[string]any)
		switch body := options["body"].(type) {
		case string:
			if in, ok := payload.DocumentIn(body); ok {
				flatten(in.Value, "", params)
			} else if form, err := url.ParseQuery(body); err == nil {
				add(form)
			}
		case nil:
		default:
			flatten(body, "", params)
		}
	}
	return name + " " + to.method + " " + u.Scheme + "://" + u.Host + u.Path, params, true
}

func flatten(value any, at string, into map[string]string) {
	switch v := value.(type) {
	case *orderedjson.Object:
		for _, key := range v.Keys {
			flatten(v.Fields[key], at+"."+key, into)
		}
	case map[string]any:
		for key, member := range v {
			flatten(member, at+"."+key, into)
		}
	case []any:
		for i, one := range v {
			flatten(one, at+"."+strconv.Itoa(i), into)
		}
	case nil:
	default:
		into[strings.TrimPrefix(at, ".")] = wordOf(v)
	}
}

func wordOf(value any) string {
	if n, ok := value.(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}

// tellsPage says that a parameter of this name may tell a page, by its place in the list or as it was told.
func tellsPage(name string) bool {
	switch payload.PagingOf([]string{"", name[strings.LastIndex(name, ".")+1:]}, 1.0) {
	case payload.NextPage, payload.ThisPage, payload.PageStart:
		return true
	}
	return false
}

func tellsSize(name string) bool {
	paging := payload.PagingOf([]string{name[strings.LastIndex(name, ".")+1:]}, 1.0)
	return paging == payload.PageSize || paging == payload.AllItems
}

// differing are the parameters that are not the same in both.
func differing(a, b map[string]string) []string {
	var found []string
	for name, value := range b {
		if was, has := a[name]; !has || was != value {
			found = append(found, name)
		}
	}
	for name := range a {
		if _, has := b[name]; !has {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

// listing is how the list of a kind of call comes in pages now; nil if it does not, or as before, or how is not told.
func (p *past) listing(name string) *listing {
	now := p.callsOf(p.failed, name)
	if len(now) == 0 || !asksWeb(now[0].Tool) {
		return nil
	}
	l := &listing{before: map[string]bool{}}
	var longest int
	more := false
	for i, call := range now {
		says, at, ok := pageMembers(call)
		if !ok || i > 0 && !slices.Equal(at, l.at) {
			return nil
		}
		l.at = at
		for _, m := range says {
			more = more || payload.SaysMore(append([]string{""}, append(slices.Clone(m.path), m.header)...), m.sample) && len(m.path) > 0 || m.header != "" && m.paging == payload.NextPage
			id := m.String()
			i := slices.IndexFunc(l.says, func(other pageMember) bool { return other.String() == id })
			switch {
			case i < 0:
				l.says = append(l.says, m)
			case l.says[i].sample == nil:
				l.says[i] = m
			}
		}
		if more && l.size == 0 {
			value, _, _ := opened(call.Result)
			l.size = len(elementsOf(value, l.at))
		}
	}
	was, always := map[string]int{}, 0
	for _, run := range p.successes {
		calls := p.callsOf(run, name)
		for i, call := range calls {
			says, at, ok := pageMembers(call)
			if !ok {
				continue
			}
			l.was = at
			always++
			seen := map[string]bool{}
			for _, m := range says {
				seen[m.kind()] = true
				if id := m.String(); !slices.Contains(l.had, id) && !slices.ContainsFunc(l.says, func(now pageMember) bool { return now.String() == id }) {
					l.had = append(l.had, id)
				}
			}
			for kind := range seen {
				was[kind]++
			}
			for _, before := range calls[max(0, i-mostPages):i] {
				params, told := followed(before, call)
				for _, param := range params {
					l.before[param] = true
				}
				l.told = l.told || told && len(params) > 0
			}
		}
	}
	if always == 0 || !p.pagingChanged(l, was, always) {
		return nil
	}
	for _, run := range p.successes {
		for _, list := range p.lists(run, name, l) {
			full := 0
			for _, i := range list {
				value, _, _ := opened(run.Calls[i].Result)
				_, at, _ := pageMembers(&run.Calls[i])
				n := len(elementsOf(value, at))
				if longest = max(longest, n); n > 0 {
					full++
				}
			}
			l.parted = l.parted || full > 1
		}
	}
	for i := range l.says {
		if m := &l.says[i]; m.paging == payload.NextPage && (l.next == nil || l.next.sample == nil) {
			l.next = m
		}
	}
	if l.next == nil {
		// Pages that were told in answers, and are not any more, are asked for in a way that nothing tells.
		counted := slices.ContainsFunc(l.says, func(m pageMember) bool { return m.paging == payload.AllItems || m.paging == payload.AllPages })
		if ends := func(kind string) bool {
			return slices.Contains([]payload.Paging{payload.AllItems, payload.AllPages, payload.MorePages, payload.LastPage}, payload.Paging(kind))
		}; slices.ContainsFunc(slices.Collect(maps.Keys(was)), ends) && !slices.ContainsFunc(l.says, func(m pageMember) bool { return ends(m.kind()) }) {
			return nil
		}
		if l.told || l.parted && !counted || !l.parted && (more || l.isPart(now[0])) {
			return nil
		}
		return l
	}
	if address, ok := l.next.sample.(string); ok && isAddress(address) && !l.learnAddress(address) {
		return nil
	}
	if l.next.sample == nil && l.parted {
		return nil // the failing run met the last page only, which does not tell how others are asked for
	}
	if !l.parted && more && longest <= l.size {
		l.size, l.guess = (longest+1)/2, true
	}
	if !more {
		l.size = 0
	}
	return l
}

// mostPages bounds how many calls before one are looked at for what tells its page.
const mostPages = 40

// isPart says that an answer says that its list is a part of a longer one.
func (l *listing) isPart(call *Call) bool {
	value, _, _ := opened(call.Result)
	return slices.ContainsFunc(l.says, func(m pageMember) bool {
		n, ok := m.sample.(float64)
		return ok && (m.paging == payload.AllItems && int(n) != len(elementsOf(value, l.at)) || m.paging == payload.AllPages && n > 1)
	})
}

// kind is what a member says of pages, and in which form.
func (m *pageMember) kind() string {
	kind := string(m.paging)
	if m.header != "" {
		kind += " in a header"
	}
	text, isText := m.sample.(string)
	switch {
	case m.paging != payload.NextPage:
	case isText && isAddress(text):
		kind += fmt.Sprintf(" address %v", strings.Contains(text, "://"))
	case isText:
		kind += " text"
	case m.sample != nil:
		kind += " number"
	}
	return kind
}

// pagingChanged says that the answers of today describe their pages in another way than before.
func (p *past) pagingChanged(l *listing, was map[string]int, always int) bool {
	is := map[string]bool{}
	for i := range l.says {
		is[l.says[i].kind()] = true
	}
	little := func(kind string) bool { return kind == string(payload.OtherPage) || kind == string(payload.PageSize) }
	tells := func(kind string) bool {
		return strings.HasPrefix(kind, string(payload.NextPage)) && !strings.HasSuffix(kind, "header")
	}
	same := func(kind string, in []string) bool { // null is of any form
		return slices.Contains(in, kind) || tells(kind) && slices.ContainsFunc(in, tells) &&
			(kind == string(payload.NextPage) || !slices.ContainsFunc(in, func(other string) bool { return tells(other) && other != string(payload.NextPage) }))
	}
	now, before := slices.Collect(maps.Keys(is)), slices.Collect(maps.Keys(was))
	for kind := range is {
		if !little(kind) && !same(kind, before) {
			return true
		}
	}
	for kind, n := range was {
		if !little(kind) && n == always && !same(kind, now) {
			return len(l.says) > 0
		}
	}
	return false
}

func isAddress(text string) bool {
	return strings.Contains(text, "://") || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "?")
}

// learnAddress learns from an address of the next page which parameter tells it. It is not ok if that is not plain.
func (l *listing) learnAddress(address string) bool {
	_, before, ok := asking(l.next.asked.Tool, l.next.asked.Args)
	u, err := url.Parse(address)
	if !ok || err != nil {
		return false
	}
	l.pages = orderedjson.New()
	for key, of := range u.Query() {
		if value := strings.Join(of, ","); before[key] != value {
			l.pages.Put(key, value)
			if _, err := strconv.Atoi(value); l.param == "" || err != nil && !tellsSize(key) {
				l.param = key
			}
		}
	}
	return l.param != ""
}

// followed are the parameters of a call that tell which page it asks for, by what a call before it was: the answer told them,
// or they are numbers that count on. None if it asks for something else.
func followed(before, call *Call) (params []string, told bool) {
	at, was, ok := asking(before.Tool, before.Args)
	to, is, again := asking(call.Tool, call.Args)
	if !ok || !again || at != to {
		return nil, false
	}
	differ := differing(was, is)
	if len(differ) == 0 {
		return nil, false
	}
	says, _, _ := pageMembers(before)
	list, _ := decode(call.Args).([]any)
	address, _ := list[0].(string)
	if slices.ContainsFunc(says, func(m pageMember) bool {
		text, _ := m.sample.(string)
		return text != "" && isAddress(text) && strings.HasSuffix(address, text)
	}) {
		return differ, true
	}
	for _, param := range differ {
		value := is[param]
		if value != "" && slices.ContainsFunc(says, func(m pageMember) bool {
			return (m.paging == payload.NextPage || m.paging == payload.PageStart) && m.sample != nil && wordOf(m.sample) == value
		}) {
			told = true
			continue
		}
		a, _ := strconv.Atoi(was[param])
		b, err := strconv.Atoi(value)
		if err != nil || b <= a || !tellsPage(param) {
			return nil, false
		}
	}
	return differ, told
}

// callsOf are the calls of a kind that a run made and that were answered.
func (p *past) callsOf(run *Run, name string) []*Call {
	var found []*Call
	for i := range run.Calls {
		if call := &run.Calls[i]; isGiven(call) && p.sourceOf(call) == name {
			found = append(found, call)
		}
	}
	return found
}

// lists are the calls of a kind that a run made, by index, those that asked for pages of one list together.
func (p *past) lists(run *Run, name string, l *listing) [][]int {
	var found [][]int
	known := map[string]int{}
	for i := range run.Calls {
		call := &run.Calls[i]
		if !isGiven(call) || p.sourceOf(call) != name {
			continue
		}
		at, params, ok := asking(call.Tool, call.Args)
		if _, _, isList := pageMembers(call); !ok || !isList {
			continue
		}
		maps.DeleteFunc(params, func(param, _ string) bool { return l.before[param] })
		text, _ := json.Marshal(params)
		at += string(text)
		if _, has := known[at]; !has {
			known[at] = len(found)
			found = append(found, nil)
		}
		found[known[at]] = append(found[known[at]], i)
	}
	return found
}

func elementsOf(value any, at []string) []any {
	list, _ := inside(value, at).([]any)
	return list
}

func inside(value any, path []string) any {
	for _, step := range path {
		value = payload.Property(value, step)
	}
	return value
}

// bare is an answer without what it says of pages, and without objects that are there to say it.
func (l *listing) bare(value any) any {
	said, _, _ := besideList(value)
	for _, m := range said {
		orderedjson.RemoveAt(value, m.path)
	}
	for _, m := range l.says {
		for n := 1; n < len(m.path); n++ {
			if o, isObject := inside(value, m.path[:n]).(*orderedjson.Object); isObject && len(o.Keys) == 0 {
				orderedjson.RemoveAt(value, m.path[:n])
			}
		}
	}
	return value
}

// served is a list that is given page by page to who asks for them.
type served struct {
	at     string
	params map[string]string
	of     *listing
	pages  []json.RawMessage
	tokens []string // that tell each page but the first, as texts
	urls   []string // addresses that do
}

// paged carries a list that several calls asked for into pages. Its first call is answered with the first page.
func (l *listing) paged(run *Run, calls []int, nth int) (*served, bool) {
	type part struct {
		shell any
		items []any
		next  string
	}
	var parts []part
	unfinished := false
	total := -1
	for _, i := range calls {
		value, _, _ := opened(run.Calls[i].Result)
		says, _, ok := pageMembers(&run.Calls[i])
		if !ok {
			return nil, false
		}
		carried, ok := l.shape(l.bare(value))
		if !ok {
			return nil, false
		}
		one := part{shell: carried, items: elementsOf(carried, l.at)}
		for _, m := range says {
			text, isText := m.sample.(string)
			if _, err := strconv.Atoi(text); m.paging == payload.NextPage && isText && err != nil && !isAddress(text) {
				one.next = text
			}
			if n, isNumber := m.sample.(float64); isNumber && m.paging == payload.AllItems {
				total = int(n)
			}
		}
		unfinished = len(one.items) > 0 && slices.ContainsFunc(says, func(m pageMember) bool {
			return m.paging == payload.NextPage && m.header != "" || m.header == "" && payload.SaysMore(m.path, m.sample)
		})
		parts = append(parts, one)
	}
	for !l.told && len(parts) > 1 && len(parts[len(parts)-1].items) == 0 { // who counts pages meets the end there
		parts = parts[:len(parts)-1]
	}
	if l.next != nil && !l.parted && len(parts) == 1 && l.size > 0 {
		whole := parts[0]
		parts = nil
		for items := range slices.Chunk(whole.items, l.size) {
			parts = append(parts, part{shell: whole.shell, items: items})
		}
		if len(parts) == 0 {
			parts = []part{whole}
		}
	}
	all := 0
	for _, one := range parts {
		all += len(one.items)
	}
	if total < all {
		total = all
	}
	first := &run.Calls[calls[0]]
	at, params, ok := asking(first.Tool, first.Args)
	if !ok {
		return nil, false
	}
	s := &served{at: at, params: params, of: l, tokens: make([]string, len(parts)+1), urls: make([]string, len(parts)+1)}
	before := 0
	for i, one := range parts {
		if i > 0 && l.next != nil {
			s.tokens[i] = l.token(nth, i, before, parts[i-1].next)
		}
		before += len(one.items)
	}
	if unfinished && l.next != nil {
		s.tokens[len(parts)] = l.token(nth, len(parts), before, parts[len(parts)-1].next)
	}
	before = 0
	for i, one := range parts {
		shell, _ := orderedjson.Encode(one.shell)
		fresh, _ := orderedjson.Decode(shell)
		value := orderedjson.PutAt(fresh, l.at, one.items)
		from := i
		if l.next == nil {
			from = min(i, len(calls)-1)
		}
		headers := map[string]any{}
		for _, m := range l.says {
			what, there := l.say(&m, s, first, i, len(parts), before, total, unfinished)
			switch {
			case m.header != "":
				headers[m.header] = what
			case there:
				value = orderedjson.PutAt(value, m.path, what)
			}
		}
		_, form, write := opened(run.Calls[calls[min(from, len(calls)-1)]].Result)
		s.pages = append(s.pages, withHeaders(write(value, form), headers))
		before += len(one.items)
	}
	return s, true
}

// token tells a page: as it was told before, if that says nothing of where the page stands, or as its kind does.
func (l *listing) token(nth, page, before int, was string) string {
	name, sample := l.next.path, wordOf(l.next.sample)
	last := l.param
	if l.param == "" {
		last = name[max(0, len(name)-1):][0]
	} else {
		sample = wordOf(l.pages.Fields[l.param])
	}
	n, err := strconv.Atoi(sample)
	_, isNumber := l.next.sample.(float64)
	switch {
	case err == nil && l.byPlace() && payload.PagingOf([]string{last}, 1.0) == payload.PageStart:
		return strconv.Itoa(before)
	case err == nil && l.byPlace():
		return strconv.Itoa(n + page - 1)
	case was != "" && !isNumber:
		return was
	case err == nil:
		return strconv.Itoa(7000000 + 1000*nth + page)
	}
	return fmt.Sprintf("page%dof%d", page+1, nth+1)
}

// byPlace says that the next page is told by its number, or by how many items were before it.
func (l *listing) byPlace() bool {
	name := l.param
	if name == "" && len(l.next.path) > 0 {
		name = l.next.path[len(l.next.path)-1]
	}
	if l.next.header == "x-next-page" {
		return true
	}
	words := payload.Words(name)
	return slices.Contains(words, "page") && !slices.Contains(words, "token") && !slices.Contains(words, "cursor") || payload.PagingOf([]string{name}, 1.0) == payload.PageStart ||
		slices.Contains(words, "offset") || slices.Contains(words, "skip")
}

// say is what a member says on a page.
func (l *listing) say(m *pageMember, s *served, first *Call, page, pages, before, total int, unfinished bool) (what any, there bool) {
	more := page < pages-1 || unfinished
	switch m.paging {
	case payload.MorePages:
		return more, true
	case payload.LastPage:
		return !more, true
	case payload.AllItems:
		return m.number(total), true
	case payload.AllPages:
		return m.number(pages), true
	case payload.PageStart:
		return m.number(before), true
	case payload.ThisPage:
		n, _ := m.sample.(float64)
		return m.number(int(n) + page), true
	case payload.NextPage:
		if !more || s.tokens[page+1] == "" {
			return nil, m.header == "" && !slices.ContainsFunc(m.path[:len(m.path)-1], func(step string) bool {
				return payload.PagingOf([]string{step}, nil) == payload.NextPage
			})
		}
		text := s.tokens[page+1]
		if l.param != "" {
			if address, isText := m.sample.(string); isText && isAddress(address) {
				s.urls[page+1] = l.address(first, address, text)
				text = s.urls[page+1]
			}
			if m.header == "link" {
				text = "<" + text + `>; rel="next"`
			}
		}
		if _, isNumber := m.sample.(float64); isNumber && m.header == "" {
			n, _ := strconv.ParseFloat(text, 64)
			return n, true
		}
		return text, true
	case payload.OtherPage:
		return nil, m.sample == nil
	}
	if m.header != "" {
		return wordOf(m.sample), true
	}
	return m.sample, true
}

func (m *pageMember) number(n int) any {
	if m.header != "" {
		return strconv.Itoa(n)
	}
	return float64(n)
}

// address is one of the next page of what a recorded call asked for, in the form of one of today.
func (l *listing) address(first *Call, form, token string) string {
	list, _ := decode(first.Args).([]any)
	text, _ := list[0].(string)
	u, err := url.Parse(text)
	if err != nil {
		return form
	}
	query := u.Query()
	for _, key := range l.pages.Keys {
		query.Set(key, wordOf(l.pages.Fields[key]))
	}
	query.Set(l.param, token)
	u.RawQuery = query.Encode()
	switch {
	case strings.HasPrefix(form, "?"):
		return "?" + u.RawQuery
	case !strings.Contains(form, "://"):
		return u.RequestURI()
	}
	return u.String()
}

// withHeaders is an answer with the headers that say something of pages now, and without those that did.
func withHeaders(text json.RawMessage, headers map[string]any) json.RawMessage {
	value, err := orderedjson.Decode(text)
	answer, ok := value.(*orderedjson.Object)
	if err != nil || !ok {
		return text
	}
	had, ok := answer.Fields["headers"].(*orderedjson.Object)
	if !ok {
		return text
	}
	for _, key := range slices.Clone(had.Keys) {
		if _, known := pageHeaders[strings.ToLower(key)]; known {
			had.Remove(key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(headers)) {
		if headers[key] != nil {
			had.Put(key, headers[key])
		}
	}
	made, err := orderedjson.Encode(answer)
	if err != nil {
		return text
	}
	return made
}

// answer is the page that a call asks for; not ok if it asks for something else, or in a way that is not known.
func (s *served) answer(call sandbox.Call) (json.RawMessage, bool) {
	at, params, ok := asking(call.Tool, call.Args)
	if !ok || call.Effect != sandbox.Read || at != s.at {
		return nil, false
	}
	for i, address := range s.urls[:len(s.pages)] {
		if address == "" {
			continue
		}
		if list, _ := decode(call.Args).([]any); list[0] == address || strings.HasSuffix(wordOf(list[0]), address) {
			return s.pages[i], true
		}
	}
	page, rest := 0, false
	for _, name := range differing(s.params, params) {
		value, has := params[name]
		i := slices.Index(s.tokens[:len(s.pages)], value)
		switch {
		case has && value != "" && i > 0 && (!s.of.byPlace() || tellsPage(name)) && (page == 0 || page == i):
			page = i
		case s.of.pages != nil && has && s.of.pages.Fields[name] == value, tellsSize(name):
		case tellsPage(name) || s.of.before[name]:
			rest = rest || has && value != "" && value != "1" && value != "0"
		default:
			return nil, false
		}
	}
	if page == 0 && rest {
		return nil, false
	}
	return s.pages[page], true
}
