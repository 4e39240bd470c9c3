package replay_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/replay"
)

// Rule: what nothing speaks against is not proved by that. A fix is proved if recorded successes, given in the new shape what
// they were given, come out as they did, as far as the explanation of the new shape leaves nothing open that the script names.
func TestAnAcceptedFixIsProved(t *testing.T) {
	t.Parallel()
	const rides = `
async function main(input) {
  const rides = await web.getJSON('https://club.example.test/rides?day=' + input.day);
  const by = {};
  for (const r of rides) by[r.type.trim()] = r.km + (r.wind ? r.wind / 10 : 0);
  await kv.set('km', by);
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
	at := "https://club.example.test/"
	var days, boards, seats []string
	for day := range 6 {
		days = append(days, ridden(day))
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
		"nothing tells what changed": {
			rides, days, `[{"what":[4,7],"km":27,"wind":10},{"what":[5],"km":12,"wind":20}]`, []string{"r.type.trim()", "String(r.type ?? r.what.length)"},
			[]string{"no recorded run tells what a right fix makes of what is given now", `the last success came to kv.set("km", {"Ride":26,"Run":12,"Swim":6})`, `the mended run comes to kv.set("km", {"1":14,"2":28})`},
		},
		"words that were never there": {
			rides, days, `[{"sport_type":"Ride","km":27,"wind":10},{"sport_type":"TrailRun","km":12,"wind":20},{"sport_type":"GravelRide","km":8,"wind":30}]`, renamed,
			[]string{"sport_type was never GravelRide or TrailRun before"},
		},
		"another value is gone": {
			rides, days, strings.NewReplacer("type", "sport_type", `"wind"`, `"gusts"`).Replace(ridden(7)), renamed,
			[]string{"nothing tells what became of [*].wind"},
		},
		"only today has what it reads": {
			rides, days, strings.NewReplacer("type", "sport_type", `"wind"`, `"ill":false,"wind"`).Replace(ridden(7)), append([]string{"for (const r of rides)", "for (const r of rides) if (!r.ill)"}, strings.Replace(renamed[0], "r.type.trim()", "by[r.type.trim()] =", 1), "by[(r.type ?? r.sport_type).trim()] ="),
			[]string{"no recorded run had ill, which the fix reads"},
		},
		"the script's own fault": {
			rare, seats, `{"left":12}`, []string{"lef)", "left)"}, nil,
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
			require.NotEqual(t, replay.Different, j.Verdict, "%+v", j.Divergence)
			if c.says == nil {
				require.Empty(t, j.Unproved)
			}
			for _, part := range c.says {
				require.Contains(t, j.Unproved, part)
			}
		})
	}
}
