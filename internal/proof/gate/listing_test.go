package gate_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// Rule: a list that comes in pages now, or in pages of another kind, is one list. Recorded successes are given it
// page by page, as the pages themselves say how to ask on: a candidate that asks for all pages comes to the recorded
// ends, and one that takes the first page does not.
func TestListsThatComeInPagesNow(t *testing.T) {
	t.Parallel()
	const whole = `
async function main(input) {
  const trips = await web.getJSON('https://tram.example.test/trips?day=' + input.day + '&line=4');
  let late = 0;
  for (const t of trips) late += t.delay;
  await kv.set('late', { trips: trips.map((t) => t.id), late });
}`
	const numbered = `
async function main(input) {
  const all = [];
  for (let page = 1; ; page++) {
    const r = await web.getJSON('https://tram.example.test/trips?day=' + input.day + '&page=' + page);
    for (const t of r.trips) all.push(t);
    if (page >= r.pages) break;
  }
  await kv.set('late', { trips: all.map((t) => t.id), late: all.reduce((sum, t) => sum + t.delay, 0) });
}`
	const linked = `
async function main(input) {
  const all = [];
  let at = 'https://tram.example.test/trips?day=' + input.day;
  while (at) {
    const r = await fetch(at);
    for (const t of await r.json()) all.push(t);
    at = (r.headers.get('link') || '').match(/<([^>]+)>; rel="next"/)?.[1];
  }
  await kv.set('late', { trips: all.map((t) => t.id), late: all.reduce((sum, t) => sum + t.delay, 0) });
}`
	const counted = `
async function main(input) {
  const all = [];
  let total = 1;
  for (let offset = 0; offset < total; offset += 2) {
    const r = await web.getJSON('https://tram.example.test/trips?day=' + input.day + '&offset=' + offset);
    all.push(...r.trips);
    total = r.paging.total;
  }
  await kv.set('late', { trips: all.map((t) => t.id), late: all.reduce((sum, t) => sum + t.delay, 0) });
}`
	trip := func(day, n int) string { return fmt.Sprintf(`{"id":"t%d-%d","delay":%d}`, day, n, day+7*n) }
	trips := func(day, from, to int) string {
		var found []string
		for n := from; n < to; n++ {
			found = append(found, trip(day, n))
		}
		return "[" + strings.Join(found, ",") + "]"
	}
	at := func(day int, more string) string {
		return fmt.Sprintf("https://tram.example.test/trips?day=%d%s", day, more)
	}
	var lists, pages, links, offsets []hypothesis
	for day := 1; day <= 6; day++ {
		input := fmt.Sprintf(`{"day":%d}`, day)
		n := 1 + day%5
		lists = append(lists, given(input, at(day, "&line=4"), trips(day, 0, n)))
		pages = append(pages, given(input, at(day, "&page=1"), fmt.Sprintf(`{"trips":%s,"pages":%d}`, trips(day, 0, min(n, 2)), (n+1)/2),
			at(day, "&page=2"), fmt.Sprintf(`{"trips":%s,"pages":%d}`, trips(day, 2, min(n, 4)), (n+1)/2), at(day, "&page=3"), fmt.Sprintf(`{"trips":%s,"pages":%d}`, trips(day, 4, n), (n+1)/2)))
		from := func(n, all int) string {
			return fmt.Sprintf(`{"paging":{"offset":%d,"limit":2,"total":%d},"trips":%s}`, n, all, trips(day, n, min(all, n+2)))
		}
		offsets = append(offsets, given(input, at(day, "&offset=0"), from(0, n), at(day, "&offset=2"), from(2, n), at(day, "&offset=4"), from(4, n)))
		w := hypothesis{input: input, web: map[string]any{}}
		for page := range max(1, (n+1)/2) {
			header := ""
			if 2*page+2 < n {
				header = fmt.Sprintf(`"link":"<%s>; rel=\"next\""`, at(day, fmt.Sprintf("&page=%d", page+2)))
			}
			more := ""
			if page > 0 {
				more = fmt.Sprintf("&page=%d", page+1)
			}
			w.web[at(day, more)] = json.RawMessage(fmt.Sprintf(`{"status":200,"headers":{%s},"body":%q}`, header, trips(day, 2*page, min(n, 2*page+2))))
		}
		links = append(links, w)
	}
	body := func(text string) json.RawMessage {
		made, err := json.Marshal(map[string]any{"status": 200, "headers": map[string]string{}, "body": text})
		require.NoError(t, err)
		return made
	}
	for name, c := range map[string]struct {
		code  string
		old   []hypothesis
		fresh hypothesis
		next  string // what the rehearsal asked for, and was answered
		last  any
		right [][]string
		wrong [][]string
	}{
		"whole before, by a cursor now": {
			whole, lists, given(`{"day":9}`, at(9, "&line=4"), `{"items":`+trips(9, 0, 2)+`,"next_cursor":"bzoy"}`), at(9, "&line=4&cursor=bzoy"), `{"items":` + trips(9, 2, 3) + `,"next_cursor":null}`,
			[][]string{
				{"const trips = await", `const asked = 'https://tram.example.test/trips?day=' + input.day + '&line=4';
  let r = await web.getJSON(asked);
  let trips = r.items ?? r;
  while (r.next_cursor) {
    r = await web.getJSON(asked + '&cursor=' + r.next_cursor);
    trips = trips.concat(r.items);
  }
  // `},
				{"const trips = await", `const page = async (cursor) => {
    const { items, next_cursor: next, ...old } = await web.getJSON('https://tram.example.test/trips?day=' + input.day + '&line=4' + (cursor ? '&cursor=' + encodeURIComponent(cursor) : ''));
    if (!items) return Object.values(old);
    return next ? [...items, ...(await page(next))] : items;
  };
  const trips = await page(); //`},
			},
			[][]string{
				{"&line=4');", "&line=4').then((r) => r.items ?? r);"},
				{"&line=4');", "&line=4').then((r) => Array.isArray(r) ? r : []);"},
				{"&line=4');", "&line=4').then((r) => r.items ? r.items.slice(0, 1) : r);"},
			},
		},
		"by numbers before, by a token now": {
			numbered, pages, given(`{"day":9}`, at(9, "&page=1"), `{"data":`+trips(9, 0, 2)+`,"paging":{"hasMore":true,"nextPageToken":"n-2"}}`), at(9, "&page=1&pageToken=n-2"), `{"data":` + trips(9, 2, 3) + `,"paging":{"hasMore":false}}`,
			[][]string{
				{"let page = 1; ;", "let page = 1, token = ''; ;", "+ page);", "+ (token ? '1&pageToken=' + token : page));", "of r.trips)", "of r.trips ?? r.data)", "if (page", "token = r.paging?.nextPageToken; if (r.paging ? !r.paging.hasMore : page"},
				{"for (const t of r.trips) all.push(t);", `if (r.data) {
      let now = r;
      for (;;) {
        all.push(...now.data);
        if (!now.paging.nextPageToken) break;
        now = await web.getJSON('https://tram.example.test/trips?day=' + input.day + '&page=1&pageToken=' + now.paging.nextPageToken);
      }
      break;
    }
    for (const t of r.trips) all.push(t);`},
			},
			[][]string{
				{"of r.trips)", "of r.trips ?? r.data)", "page >= r.pages", "!r.pages || page >= r.pages"},
				{"of r.trips)", "of r.trips ?? [])", "page >= r.pages", "!(page < r.pages)"},
			},
		},
		"by a header before, by an address in the answer now": {
			linked, links, hypothesis{input: `{"day":9}`, web: map[string]any{at(9, ""): body(`{"results":` + trips(9, 0, 2) + `,"links":{"next":"` + at(9, "&after=zz2") + `"}}`)}}, at(9, "&after=zz2"), body(`{"results":` + trips(9, 2, 3) + `,"links":{}}`),
			[][]string{
				{"for (const t of await r.json()) all.push(t);", "const now = await r.json();\n    for (const t of now.results ?? now) all.push(t);", "at = (r", "at = now.links?.next ?? (r"},
				{"for (const t of await r.json()) all.push(t);", "let got = await r.json(), next = null;\n    if (!Array.isArray(got)) { next = got.links && got.links.next; got = got.results; }\n    all.push(...got);", "at = (r", "at = next || (r"},
			},
			[][]string{
				{"for (const t of await r.json()) all.push(t);", "const now = await r.json();\n    for (const t of now.results ?? now) all.push(t);"},
				{"for (const t of await r.json()) all.push(t);", "const now = await r.json();\n    for (const t of Array.isArray(now) ? now : []) all.push(t);"},
			},
		},
		"counted as before, said elsewhere now": {
			counted, offsets, given(`{"day":9}`, at(9, "&offset=0"), `{"total":3,"per_page":2,"trips":`+trips(9, 0, 2)+`}`), at(9, "&offset=2"), `{"total":3,"per_page":2,"trips":` + trips(9, 2, 3) + `}`,
			[][]string{
				{"r.paging.total", "r.total ?? r.paging.total"},
				{"total = r.paging.total;", "const { paging = r } = r;\n    total = paging.total;"},
			},
			[][]string{
				{"r.paging.total", "r.paging?.total"},
				{"r.paging.total", "(r.paging || { total: 0 }).total"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subject(t, c.code, c.old, c.fresh)
			asked := s.Failed.Calls[0]
			var args []any
			require.NoError(t, json.Unmarshal(asked.Args, &args))
			args[0] = c.next
			asked.Args, _ = json.Marshal(args)
			switch last := c.last.(type) {
			case string:
				asked.Result = json.RawMessage(last)
			case json.RawMessage:
				asked.Result = last
			}
			s.Failed.Calls = append(s.Failed.Calls, asked)
			opened := openGate(t, s)
			for _, edits := range c.right {
				j := judge(t, opened, edited(t, c.code, edits...))
				require.Equal(t, gate.Identical, j.Verdict, "%v: %+v", edits, j.Divergence)
				require.Empty(t, j.Unproved, edits)
				require.Empty(t, j.Reasons, edits)
			}
			for _, edits := range c.wrong {
				j := judge(t, opened, edited(t, c.code, edits...))
				require.True(t, j.Held, edits)
				require.Regexp(t, "(comes in pages|says otherwise how many).*comes to another end", strings.Join(j.Reasons, "\n"))
			}
		})
	}
}

// A number beside a list that cannot count its items says nothing of pages.
func TestATotalThatIsNoCount(t *testing.T) {
	t.Parallel()
	const code = `
async function main(input) {
  const { fares, total } = await web.getJSON('https://tram.example.test/fares?day=' + input.day);
  await kv.set('fares', { n: fares.length, total: total.toFixed(2) });
}`
	at := "https://tram.example.test/fares"
	var days []string
	for day := range 5 {
		days = append(days, fmt.Sprintf(`{"fares":[{"id":%d},{"id":%d}],"total":%d.25}`, day, day+9, 10*day))
	}
	s := subject(t, code, daily(at, nil, days...), given(`{"day":9}`, at, `{"data":[{"id":4},{"id":5}],"amount":30.25,"total":{"currency":"EUR"},"next":null}`))
	said := strings.Join(gate.Explain(code, &s.Failed, []*gate.Run{&s.Successes[0], &s.Successes[1], &s.Successes[2], &s.Successes[3], &s.Successes[4]}), "\n")
	require.Contains(t, said, "total is now amount")
	require.NotContains(t, said, "not total")
}
