package gate_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// Rule: a fix is not proved by the lack of objections. It is proved if recorded successes, given their answers in the
// new shape, come out as they did, as far as the explanation of the new shape leaves nothing open that the script
// names.
func TestAnAcceptedFixIsProved(t *testing.T) {
	t.Parallel()
	const rides = `
async function main(input) {
  const rides = await web.getJSON('https://club.example.test/rides?day=' + input.day);
  const by = {};
  for (const r of rides) by[r.type.trim()] = r.km + (r.wind ? r.wind / 10 : 0);
  await kv.set('km', by);
}`
	const posts = `
async function main(input) {
  const mails = await web.getJSON('https://club.example.test/mails?day=' + input.day);
  const all = [];
  for (const m of mails) all.push(m.from.trim() + ' ' + m.sum + ' ' + (m.due ?? ''));
  await kv.set('mails', all);
}`
	ridden := func(day int) string {
		return fmt.Sprintf(`[{"type":"Ride","km":%d,"wind":10},{"type":"Run","km":%d,"wind":20},{"type":"Swim","km":%d}]`, 20+day, 5+day, 1+day)
	}
	const lines = `
async function main(input) {
  const { body } = await web.fetch('https://club.example.test/board');
  const found = body.match(/open: (\w+)/)[1];
  await kv.set('open', found);
}`
	const rare = `
async function main(input) {
  const { left } = await web.getJSON('https://club.example.test/seats?day=' + input.day);
  if (left > 9) await kv.set('left', lef);
  return left;
}`
	const doors = `
async function main(input) {
  const { events } = await web.getJSON('https://club.example.test/doors?day=' + input.day);
  const list = [];
  for (const e of events) list.push(e.kind + ' ' + e.at.door);
  await kv.set('doors', list.join());
}`
	at := "https://club.example.test/"
	var events []string
	for day := range 6 {
		events = append(events, fmt.Sprintf(`{"events":[{"kind":"open","at":{"door":"d%d"}},{"kind":"shut","at":{"door":"d%d"}}]}`, day, day+1))
	}
	var days, noted, boards, seats, mails []string
	for day := range 6 {
		mails = append(mails, fmt.Sprintf(`[{"from":"ada@x.test","due":"2026-02-0%d","sum":"1.50"},{"from":"ken@x.test","sum":"2.25"}]`, day+1))
		days = append(days, ridden(day))
		noted = append(noted, strings.ReplaceAll(ridden(day), `"km"`, `"note":"","km"`))
		boards = append(boards, fmt.Sprintf("Hall\nopen: gate%d", day))
		seats = append(seats, fmt.Sprintf(`{"left":%d}`, day))
	}
	renamed := []string{"r.type.trim()", "(r.type ?? r.sport_type).trim()"}
	for name, c := range map[string]struct {
		code  string
		old   []string
		fresh string
		edits []string
		says  []string // none for a proof
	}{
		"they come out as they did": {
			rides, days, strings.ReplaceAll(ridden(7), "type", "sport_type"), renamed, nil,
		},
		"only a type names what is gone": {
			"interface Ride { type: string; km: number; wind?: number; note: string }\n" + rides, noted, strings.ReplaceAll(ridden(7), "type", "sport_type"), renamed, nil,
		},
		"nothing tells what changed": {
			rides, days, `[{"what":[4,7],"km":27,"wind":10},{"what":[5],"km":12,"wind":20}]`, []string{"r.type.trim()", "String(r.type ?? r.what.length)"},
			[]string{"no recorded run tells what a right fix makes of what is given now", `the last success came to kv.set("km", {"Ride":26,"Run":12,"Swim":6})`, `the mended run comes to kv.set("km", {"1":14,"2":28})`},
		},
		"words that were never there": {
			rides, days, `[{"sport_type":"Ride","km":27,"wind":10},{"sport_type":"TrailRun","km":12,"wind":20},{"sport_type":"GravelRide","km":8,"wind":30}]`, renamed,
			[]string{"sport_type was never GravelRide or TrailRun before"},
		},
		"addresses and amounts are no words": {
			posts, mails, `[{"sender":"bo@x.test","due":"2026-03-01","sum":"7.25"},{"sender":"cy@x.test","sum":"8.50"}]`, []string{"m.from.trim()", "(m.from ?? m.sender).trim()"}, nil,
		},
		"what half of them had is in none of four": {
			posts, mails, `[{"sender":"ada@x.test","sum":"1.50"},{"sender":"ken@x.test","sum":"2.25"},{"sender":"ada@x.test","sum":"1.50"},{"sender":"ken@x.test","sum":"2.25"}]`, []string{"m.from.trim()", "(m.from ?? m.sender).trim()"}, nil,
		},
		"another value is gone": {
			rides, days, strings.NewReplacer("type", "sport_type", `"wind"`, `"gusts"`).Replace(ridden(7)), renamed,
			[]string{"nothing tells what became of [].wind"},
		},
		"only today has what it reads": {
			rides, days, strings.NewReplacer("type", "sport_type", `"wind"`, `"ill":false,"wind"`).Replace(ridden(7)), append([]string{"for (const r of rides)", "for (const r of rides) if (!r.ill)"}, strings.Replace(renamed[0], "r.type.trim()", "by[r.type.trim()] =", 1), "by[(r.type ?? r.sport_type).trim()] ="),
			[]string{"no recorded run had ill, which the fix reads"},
		},
		"some are nothing, and are left out": {
			rides, days, strings.Replace(ridden(7), `{"type":"Run"`, `null,{"type":"Run"`, 1), []string{"for (const r of rides)", "for (const r of rides) if (r)"}, nil,
		},
		"what comes after nothing is left out": {
			rides, days, strings.Replace(ridden(7), `{"type":"Run"`, `null,{"type":"Run"`, 1), []string{"by[r.type.trim()] =", "{ if (!r) break; by[r.type.trim()] =", "0);", "0); }"},
			[]string{"do not come out as they did"},
		},
		"some are nothing, and more is new": {
			rides, days, strings.NewReplacer(`{"type":"Run"`, `null,{"type":"Run"`, "km", "miles").Replace(ridden(7)), []string{"for (const r of rides)", "for (const r of rides) if (r)", "r.km", "(r.km ?? r.miles)"},
			[]string{"no recorded run tells"},
		},
		"some are of a new kind, and are left out": {
			doors, events, fmt.Sprintf(`{"events":[{"kind":"open","at":{"door":"d7"}},%s]}`, `{"kind":"battery","level":7}`), []string{"list.push", "if (e.at) list.push"}, nil,
		},
		"one of a known kind lacks a part": {
			doors, events, `{"events":[{"kind":"open","at":{"door":"d7"}},{"kind":"open","by":"a key"}]}`, []string{"list.push", "if (e.at) list.push"},
			[]string{"not proved"},
		},
		"the script's own fault": {
			rare, seats, `{"left":12}`, []string{"lef)", "left)"}, nil,
		},
		"another unit under another name": {
			rides, days, strings.NewReplacer("type", "sport_type").Replace(regexp.MustCompile(`"km":(\d+)`).ReplaceAllString(ridden(7), `"km":${1}00000`)), renamed,
			[]string{"the unit of"},
		},
		"a method that is none": {
			strings.Replace(rare, "lef)", "left.toText())", 1), seats, `{"left":12}`, []string{"toText", "toString"}, nil,
		},
		"a method that the new data have not": {
			strings.Replace(rare, "lef)", "left.toFixed(1))", 1), seats, `{"left":"12"}`, []string{"left.toFixed(1)", "String(left)"},
			[]string{"not proved"},
		},
		"a text in which nothing shows": {
			lines, boards, "Hall\nnow open: (gate7)", []string{`/open: (\w+)/)[1]`, `/open: \(?(\w+)/)[1]`},
			[]string{"no recorded run tells"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := at
			j := judge(t, openGate(t, subject(t, c.code, daily(address, nil, c.old...), given(`{"day":9}`, address, c.fresh))), edited(t, c.code, c.edits...))
			require.NotEqual(t, gate.Different, j.Verdict, "%+v", j.Divergence)
			if c.says == nil {
				require.Empty(t, j.Unproved)
			}
			for _, part := range c.says {
				require.Contains(t, j.Unproved, part)
			}
		})
	}
}

// Rule: an element that is asked for in vain is of a new kind: the results of the others are due, wherever it stands
// among them.
func TestAnElementThatIsAskedForInVain(t *testing.T) {
	t.Parallel()
	const code = `
async function main() {
  const ids = await web.getJSON('https://news.example.test/top');
  const found = [];
  for (const id of ids) {
    const s = await web.getJSON(` + "`https://news.example.test/item/${id}.json`" + `);
    found.push(s.title);
  }
  await kv.set('top', found);
}`
	story := func(id int) []string {
		return []string{fmt.Sprintf("https://news.example.test/item/%d.json", id), fmt.Sprintf(`{"id":%d,"title":"Story %d"}`, id, id*7)}
	}
	const top = "https://news.example.test/top"
	var days []hypothesis
	for day := range 4 {
		days = append(days, given(`{}`, top, fmt.Sprintf("[%d,%d]", 100+day, 200+day), slices.Concat(story(100+day), story(200+day))...))
	}
	failed := given(`{}`, top, "[301,302,303]", append(slices.Concat(story(301), story(303)), "https://news.example.test/item/302.json", "null")...)
	for name, c := range map[string]struct {
		edits []string
		says  string
	}{
		"it is left out":              {[]string{"found.push", "if (s) found.push"}, ""},
		"nothing that comes after it": {[]string{"found.push", "if (!s) break; found.push"}, "do not come out as they did"},
		"a word stands for it":        {[]string{"s.title", "s?.title ?? 'none'"}, "do not come out as they did"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := judge(t, openGate(t, subject(t, code, days, failed)), edited(t, code, c.edits...))
			if c.says == "" {
				require.Empty(t, j.Unproved)
				require.False(t, j.Held, "%v", j.Reasons)
			} else {
				require.Contains(t, j.Unproved, c.says)
			}
		})
	}
}
