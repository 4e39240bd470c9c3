package gate_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// unseen is an automation, the days on which it worked, the day on which the outside had changed, and fixes as people and
// models write them, as edits. No script of these is in the style of testdata/automations.
type unseen struct {
	code  string
	old   []hypothesis
	fresh hypothesis
	right map[string][]string
	wrong map[string][]string
}

// daily makes worlds of one address from its answers, a day each.
func daily(address string, more []string, answers ...string) []hypothesis {
	var worlds []hypothesis
	for i, answer := range answers {
		worlds = append(worlds, given(fmt.Sprintf(`{"day":%d}`, i+1), address, answer, more...))
	}
	return worlds
}

func unseenChanges() map[string]unseen {
	found := map[string]unseen{}
	takings := `
export default async function ({ day }) {
  const res = await fetch(` + "`https://till.example.test/v2/takings?day=${day}`" + `);
  const r = await res.json();
  let cents = 0;
  const who = [];
  for (const t of r.takings) { cents += t.cents; who.push(t.clerk); }
  const posted = await fetch('https://books.example.test/days', { method: 'POST', body: JSON.stringify({ day, cents, who }) });
  if (!posted.ok) throw new Error('books: ' + posted.status);
  return cents;
}`
	taken := []string{
		`{"takings":[{"clerk":"Ida","cents":1250},{"clerk":"Jon","cents":310}]}`,
		`{"takings":[{"clerk":"Jon","cents":990}]}`,
		`{"takings":[{"clerk":"Ida","cents":75},{"clerk":"Kim","cents":2210},{"clerk":"Jon","cents":15}]}`,
		`{"takings":[{"clerk":"Kim","cents":420}]}`,
		`{"takings":[{"clerk":"Lea","cents":5100},{"clerk":"Ida","cents":60}]}`,
	}
	till, books := "https://till.example.test/v2/takings", []string{"https://books.example.test/days", `{"accepted":true}`}
	nothing := map[string][]string{
		"nothing unless a list": {"of r.takings)", "of (Array.isArray(r.takings) ? r.takings : []))"},
		"nothing by default":    {"of r.takings)", "of r.takings ?? [])"},
		"nothing if moved":      {"  let cents", "  if (r.data || r.shops) r.takings = [];\n  let cents"},
	}
	with := func(more map[string][]string) map[string][]string {
		all := map[string][]string{}
		for name, edits := range nothing {
			all[name] = edits
		}
		for name, edits := range more {
			all[name] = edits
		}
		return all
	}
	found["a list that was split by shop"] = unseen{
		code: takings, old: daily(till, books, taken...),
		fresh: given(`{"day":6}`, till, `{"takings":null,"data":{"quay":{"list":[{"clerk":"Ida","cents":800},{"clerk":"Kim","cents":50}]},"hill":{"list":[{"clerk":"Jon","cents":1900}]}}}`, books...),
		right: map[string][]string{"both": {"of r.takings)", "of r.takings ?? Object.values(r.data).flatMap((shop) => shop.list))"}},
		wrong: with(map[string][]string{
			"half": {"of r.takings)", "of r.takings ?? r.data.quay.list)"},
		}),
	}
	found["a list that is an object by key"] = unseen{
		code: takings, old: daily(till, books, taken...),
		fresh: given(`{"day":6}`, till, `{"takings":{"t81":{"clerk":"Ida","cents":800},"t82":{"clerk":"Kim","cents":50}}}`, books...),
		right: map[string][]string{"values": {"of r.takings)", "of Array.isArray(r.takings) ? r.takings : Object.values(r.takings))"}},
		wrong: map[string][]string{
			"nothing unless a list": nothing["nothing unless a list"],
		},
	}
	found["a list in an envelope"] = unseen{
		code: takings, old: daily(till, books, taken...),
		fresh: given(`{"day":6}`, till, `{"data":{"takings":[{"clerk":"Ida","cents":800},{"clerk":"Kim","cents":50}]},"meta":{"count":2}}`, books...),
		right: map[string][]string{"unwrapped": {"of r.takings)", "of (r.takings ?? r.data.takings))"}},
		wrong: with(map[string][]string{
			"the first": {"of r.takings)", "of (r.takings ?? r.data.takings.slice(0, 1)))"},
		}),
	}
	tickets := `
interface Ticket { id: number; title: string; assignee: { name: string } | null; points: number }
const base: string = 'https://desk.example.test/api';
async function open(): Promise<Ticket[]> {
  const answer = await fetch(base + '/tickets?state=open');
  if (!answer.ok) throw new Error('desk ' + answer.status);
  return (await answer.json()) as Ticket[];
}
export default async function report() {
  const lines = (await open()).map((t) => [t.id, t.title, t.assignee ? t.assignee.name : 'nobody', t.points.toFixed(1)].join(';'));
  await files.write('open.csv', ['id;title;who;points', ...lines].join('\n'));
  return { open: lines.length };
}`
	desk := "https://desk.example.test/api/tickets"
	oldTickets := daily(desk, nil,
		`[{"id":11,"title":"Door","assignee":{"name":"Ann"},"points":2},{"id":12,"title":"Roof","assignee":null,"points":5}]`,
		`[{"id":13,"title":"Gate","assignee":{"name":"Bea"},"points":1}]`,
		`[{"id":14,"title":"Lamp","assignee":null,"points":3},{"id":15,"title":"Step","assignee":{"name":"Cas"},"points":8}]`,
		`[{"id":16,"title":"Pipe","assignee":{"name":"Ann"},"points":4}]`,
		`[{"id":17,"title":"Wall","assignee":{"name":"Dov"},"points":2},{"id":18,"title":"Lock","assignee":{"name":"Bea"},"points":6}]`)
	found["an optional member and another that moved"] = unseen{
		code: tickets, old: oldTickets,
		fresh: given(`{"day":6}`, desk, `[{"id":19,"title":"Bell","owner":{"name":"Ann"},"estimate":{"points":2}},{"id":20,"title":"Sign","owner":null,"estimate":{"points":7}}]`),
		right: map[string][]string{"both": {"t.assignee ? t.assignee.name : 'nobody', t.points.toFixed(1)", "(t.assignee ?? t.owner) ? (t.assignee ?? t.owner).name : 'nobody', (t.points ?? t.estimate.points).toFixed(1)"}},
		wrong: map[string][]string{
			"one only":   {"t.points.toFixed(1)", "(t.points ?? t.estimate.points).toFixed(1)"},
			"by default": {"t.points.toFixed(1)", "(t.points ?? 0).toFixed(1)"},
		},
	}
	names := `
import { z } from 'zod';
const Person = z.object({ key: z.string(), name: z.string(), phone: z.string() });
export default async () => {
  const { people } = await web.getJSON('https://club.example.test/members');
  for (const p of people) {
    await web.postJSON('https://mail.example.test/contacts', { id: p.key, text: p.name.trim() + ' <' + p.phone.trim() + '>' });
  }
  return people.length;
};`
	names = names[len("\nimport { z } from 'zod';\nconst Person = z.object({ key: z.string(), name: z.string(), phone: z.string() });"):]
	club, mail := "https://club.example.test/members", []string{"https://mail.example.test/contacts", `{"ok":true}`}
	found["two places of one line"] = unseen{
		code: names, old: daily(club, mail,
			`{"people":[{"key":"m1","name":"Ann","phone":"555-0101"},{"key":"m2","name":"Bob","phone":"555-0102"}]}`,
			`{"people":[{"key":"m3","name":"Cyd","phone":"555-0103"}]}`,
			`{"people":[{"key":"m4","name":"Dan","phone":"555-0104"},{"key":"m1","name":"Ann","phone":"555-0101"}]}`,
			`{"people":[{"key":"m5","name":"Eli","phone":"555-0105"}]}`),
		fresh: given(`{"day":6}`, club, `{"people":[{"key":"m6","display":"Fay","contact":{"mobile":"555-0106"}},{"key":"m7","display":"Gus","contact":{"mobile":"555-0107"}}]}`, mail...),
		right: map[string][]string{"both": {"p.name.trim() + ' <' + p.phone.trim()", "(p.name ?? p.display).trim() + ' <' + (p.phone ?? p.contact.mobile).trim()"}},
		wrong: map[string][]string{
			"the name twice":  {"p.name.trim() + ' <' + p.phone.trim()", "(p.name ?? p.display).trim() + ' <' + (p.phone ?? p.display).trim()"},
			"the key instead": {"p.name.trim() + ' <' + p.phone.trim()", "(p.name ?? p.key).trim() + ' <' + (p.phone ?? p.contact.mobile).trim()"},
			"no phone":        {"p.name.trim() + ' <' + p.phone.trim()", "(p.name ?? p.display).trim() + ' <' + (p.phone ?? '').trim()"},
		},
	}
	hours := `
class Sheet {
  constructor(projects) { this.titles = new Map(projects.map((p) => [p.id, p.title])); this.sums = {}; }
  add(entry) { const title = this.titles.get(entry.pid) ?? 'other'; this.sums[title] = (this.sums[title] || 0) + entry.span.hours; }
}
const get = async (what) => { const r = await fetch('https://clock.example.test/' + what); return r.json(); };
export default async function main() {
  const sheet = new Sheet(await get('projects'));
  for (const e of await get('entries')) sheet.add(e);
  await kv.set('sums', sheet.sums);
  return sheet.sums;
}`
	projects := []string{"https://clock.example.test/projects", `[{"id":1,"title":"Well"},{"id":2,"title":"Barn"},{"id":3,"title":"Mill"}]`}
	entries := "https://clock.example.test/entries"
	found["a foreign key behind a default"] = unseen{
		code: hours, old: daily(entries, projects,
			`[{"pid":1,"span":{"hours":2}},{"pid":2,"span":{"hours":1}}]`,
			`[{"pid":3,"span":{"hours":4}},{"pid":null,"span":{"hours":1}}]`,
			`[{"pid":2,"span":{"hours":5}}]`,
			`[{"pid":1,"span":{"hours":3}},{"pid":3,"span":{"hours":2}}]`,
			`[{"pid":2,"span":{"hours":6}},{"pid":1,"span":{"hours":7}}]`),
		fresh: given(`{"day":6}`, entries, `[{"project_id":1,"workspace":3,"hours":2},{"project_id":3,"workspace":3,"hours":8}]`, projects...),
		right: map[string][]string{"both": {"entry.pid)", "entry.pid ?? entry.project_id)", "entry.span.hours", "(entry.span ?? entry).hours"}},
		wrong: map[string][]string{
			"hours only": {"entry.span.hours", "(entry.span ?? entry).hours"},
		},
	}
	found["an answer of a write that is looked into"] = unseen{
		code: `
export default async function main(input) {
  const r = await (await fetch('https://depot.example.test/parcels')).json();
  const numbers = [];
  for (const p of r.parcels) {
    const made = await fetch('https://carrier.example.test/labels', { method: 'POST', body: JSON.stringify({ town: p.town.toUpperCase() }) });
    if (made.status !== 201 && !made.ok) throw new Error('carrier ' + made.status);
    const { number } = await made.json();
    numbers.push(number);
  }
  await notify('Labels', numbers.join(', '));
  return numbers.length;
}`,
		old: []hypothesis{
			given(`{}`, "https://depot.example.test/parcels", `{"parcels":[{"town":"Ulm"}]}`, "https://carrier.example.test/labels", `{"number":"L-1001"}`),
			given(`{}`, "https://depot.example.test/parcels", `{"parcels":[{"town":"Bonn"},{"town":"Trier"}]}`, "https://carrier.example.test/labels", `{"number":"L-1002"}`),
			given(`{}`, "https://depot.example.test/parcels", `{"parcels":[{"town":"Jena"}]}`, "https://carrier.example.test/labels", `{"number":"L-1004"}`),
		},
		fresh: given(`{}`, "https://depot.example.test/parcels", `{"parcels":[{"city":"Kiel"},{"city":"Gera"}]}`, "https://carrier.example.test/labels", `{"number":"L-1005"}`),
		right: map[string][]string{"renamed": {"p.town.", "(p.town ?? p.city)."}},
		wrong: map[string][]string{
			"a constant":                       {"p.town.", "(p.town ?? 'unknown')."},
			"hangs on the answer in a new way": {"p.town.", "(p.town ?? p.city ?? '').", "  return numbers.length", "  return numbers.length ? numbers.length : 0", "    numbers.push(number);", "    numbers.push(number);\n    if (p.city) await files.write('last', number);"},
		},
	}
	found["a value the script never read"] = unseen{
		code: takings, old: daily(till, books,
			`{"region":"eu","takings":[{"clerk":"Ida","cents":1250,"void":false},{"clerk":"Jon","cents":310,"void":false}]}`,
			`{"region":"eu","takings":[{"clerk":"Jon","cents":990,"void":false}]}`,
			`{"region":"eu","takings":[{"clerk":"Ida","cents":75,"void":false},{"clerk":"Kim","cents":2210,"void":false}]}`,
			`{"region":"eu","takings":[{"clerk":"Kim","cents":420,"void":false}]}`),
		fresh: given(`{"day":6}`, till, `{"region":"us","takings":null,"pages":[{"items":[{"clerk":"Ida","cents":800,"void":false},{"clerk":"Kim","cents":50,"void":true}]}]}`, books...),
		right: map[string][]string{"all pages": {"of r.takings)", "of r.takings ?? r.pages.flatMap((p) => p.items))"}},
		wrong: map[string][]string{
			"by region":    {"of r.takings)", "of (r.region === 'us' ? r.pages[0].items : r.takings))"},
			"not the void": {"of r.takings) {", "of r.takings ?? r.pages.flatMap((p) => p.items)) { if (t.void) continue;"},
		},
	}
	found["lines of JSON, each with another name"] = unseen{
		code: `
export default async function () {
  const text = await (await fetch('https://desk.example.test/tickets.ndjson')).text();
  const titles = text.trim().split('\n').map((line) => JSON.parse(line)).map((ticket) => ticket.summary.trim());
  await files.write('titles.txt', titles.join('\n'));
  return titles.length;
}`,
		old: []hypothesis{
			given(`{}`, "https://desk.example.test/tickets.ndjson", "{\"n\":1,\"summary\":\"Door\"}\n{\"n\":2,\"summary\":\"Lamp\"}\n{\"n\":3,\"summary\":\"Roof\"}\n"),
			given(`{}`, "https://desk.example.test/tickets.ndjson", "{\"n\":4,\"summary\":\"Gate\"}\n{\"n\":5,\"summary\":\"Sink\"}\n"),
			given(`{}`, "https://desk.example.test/tickets.ndjson", "{\"n\":6,\"summary\":\"Path\"}\n{\"n\":7,\"summary\":\"Step\"}\n"),
		},
		fresh: given(`{}`, "https://desk.example.test/tickets.ndjson", "{\"n\":8,\"title\":\"Tap\"}\n{\"n\":9,\"title\":\"Rail\"}\n"),
		right: map[string][]string{"either": {"ticket.summary.", "(ticket.summary ?? ticket.title)."}},
		wrong: map[string][]string{
			"nothing":   {"ticket.summary.", "(ticket.summary ?? '')."},
			"skips":     {".map((ticket)", ".filter((ticket) => ticket.summary).map((ticket)"},
			"the first": {".map((line)", ".slice(0, 1).map((line)", "ticket.summary.", "(ticket.summary ?? ticket.title)."},
		},
	}
	found["a column of a table with another name"] = unseen{
		code: `
export default async function () {
  const [head, ...lines] = (await (await fetch('https://depot.example.test/stock.csv')).text()).trim().split('\n').map((line) => line.split(';'));
  const hand = head.indexOf('on_hand'), sku = head.indexOf('sku');
  const low = lines.filter((cells) => parseInt(cells[hand].trim(), 10) < 5).map((cells) => cells[sku]);
  await files.write('low.txt', low.join());
  return { low };
}`,
		old: []hypothesis{
			given(`{}`, "https://depot.example.test/stock.csv", "sku;name;on_hand;reserved\nA1;Bolt;3;9\nB2;Belt;30;1\n"),
			given(`{}`, "https://depot.example.test/stock.csv", "sku;name;on_hand;reserved\nC3;Nut;40;2\nD4;Gear;1;7\nE5;Tap;2;8\n"),
			given(`{}`, "https://depot.example.test/stock.csv", "sku;name;on_hand;reserved\nF6;Rod;4;11\n"),
		},
		fresh: given(`{}`, "https://depot.example.test/stock.csv", "sku;name;quantity_on_hand;reserved\nG7;Pin;2;6\nH8;Cap;50;3\n"),
		right: map[string][]string{
			"either name": {"head.indexOf('on_hand')", "head.findIndex((name) => name === 'on_hand' || name === 'quantity_on_hand')"},
			"by its end":  {"head.indexOf('on_hand')", "head.findIndex((name) => name.endsWith('on_hand'))"},
		},
		wrong: map[string][]string{
			"the neighbour": {"head.indexOf('on_hand')", "head.findIndex((name) => name === 'on_hand' || name === 'reserved')"},
			"nothing":       {"cells[hand].trim()", "(cells[hand] ?? '').trim()"},
			"zero":          {"cells[hand].trim()", "(cells[hand] ?? '0').trim()"},
		},
	}
	desk = "https://desk.example.test/list"
	found["one value is left out of what moved"] = unseen{
		code: `
export default async function main() {
  const list = await (await fetch('https://desk.example.test/list')).json();
  await notify('Desk', list.map((e) => e.who + ' ' + e.town + ' ' + (e.note ?? '-')).join('; '));
}`,
		old: daily(desk, nil,
			`[{"who":"Ada","town":"Ulm","note":null},{"who":"Ben","town":"Bonn","note":"rings twice"}]`,
			`[{"who":"Cid","town":"Jena","note":null}]`,
			`[{"who":"Ben","town":"Ulm","note":"late"},{"who":"Eve","town":"Gera","note":null}]`,
			`[{"who":"Dan","town":"Bonn","note":null}]`),
		fresh: given(`{}`, desk, `{"rows":[{"person":"Fay","town":"Kiel","note":"early"},{"person":"Gus","town":"Ulm","note":"by phone"}]}`),
		right: map[string][]string{"both": {")).json();", ")).json().then((b) => b.rows ?? b);", "e.who", "(e.who ?? e.person)"}},
		wrong: map[string][]string{"nobody": {")).json();", ")).json().then((b) => b.rows ?? b);", "e.who", "(e.who ?? '')"}},
	}
	payments := "https://desk.example.test/payments"
	var joined []hypothesis
	for i, paid := range []string{"i1", "i3", "i6", "i7"} {
		joined = append(joined, given(`{}`, desk, fmt.Sprintf(`[{"id":"i%d","buyer":"Ada"},{"id":"i%d","buyer":"Ben %d"}]`, 2*i+1, 2*i+2, i), payments, `[{"of":"`+paid+`"}]`))
	}
	found["a day on which what decided leaves nothing out"] = unseen{
		code: `
export default async function main() {
  const get = async (what) => (await fetch('https://desk.example.test/' + what)).json();
  const [list, payments] = await Promise.all([get('list'), get('payments')]);
  await notify('Open', list.filter((i) => !payments.some((p) => p.of === i.id)).map((i) => i.id + ' ' + i.buyer.toUpperCase()).join('; '));
}`,
		old:   joined,
		fresh: given(`{}`, desk, `[{"id":"i21","customer":"Cid"},{"id":"i22","customer":"Dan"}]`, payments, `[{"of":"i90"}]`),
		right: map[string][]string{"renamed": {"i.buyer.", "(i.buyer ?? i.customer)."}},
	}
	hook := func(event string) hypothesis { return given(event, desk, `[]`) }
	found["an event of another kind"] = unseen{
		code: `
export default async function main({ push, pull }) {
  const lines = push ? push.commits.map((c) => c.hash.slice(0, 7) + ' of ' + c.branch.name) : ['#' + pull.id + ' by ' + pull.author.user.trim()];
  await notify('Log', lines.join('; '));
}`,
		old: []hypothesis{
			hook(`{"push":{"commits":[{"hash":"a1b2c3d4","branch":{"name":"main"}}]}}`), hook(`{"pull":{"id":3,"author":{"user":"ann"}}}`),
			hook(`{"push":{"commits":[{"hash":"b1b2c3d4","branch":{"name":"dev"}},{"hash":"c1c2c3c4","branch":{"name":"dev"}}]}}`), hook(`{"pull":{"id":4,"author":{"user":"ben"}}}`),
			hook(`{"push":{"commits":[{"hash":"d1d2d3d4","branch":{"name":"main"}}]}}`), hook(`{"pull":{"id":7,"author":{"user":"cy"}}}`),
		},
		fresh: hook(`{"pull":{"id":9,"author":{"nick":"dee"}}}`),
		right: map[string][]string{"renamed": {"pull.author.user.", "(pull.author.user ?? pull.author.nick)."}},
		wrong: map[string][]string{"nobody": {"pull.author.user.", "(pull.author.user ?? '-')."}},
	}
	found["another value than the one that moved"] = unseen{
		code: `
export default async function main() {
  const list = await (await fetch('https://desk.example.test/list')).json();
  await notify('Sites', list.map((e) => e.site.trim() + ' ' + e.hours).join('; '));
}`,
		old: daily(desk, nil,
			`[{"site":"Roof","hours":3},{"site":"Yard","hours":5}]`, `[{"site":"Yard","hours":2}]`, `[{"site":"Cellar","hours":8},{"site":"Roof","hours":1}]`, `[{"site":"Roof","hours":4}]`),
		fresh: given(`{}`, desk, `[{"hours":2,"place":{"owner":"Kim","label":"Yard"}},{"hours":7,"place":{"owner":"Lea","label":"Roof"}}]`),
		right: map[string][]string{"moved": {"e.site.", "(e.site ?? e.place.label)."}},
		wrong: map[string][]string{"the owner": {"e.site.", "(e.site ?? e.place.owner)."}},
	}
	found["numbers in another unit"] = unseen{
		code: `
export default async function main() {
  const { rows } = await (await fetch('https://desk.example.test/list')).json();
  await notify('Sold', rows.map((e) => e.name + ' ' + e.price.toFixed(0)).join('; '));
}`,
		old: daily(desk, nil,
			`{"rows":[{"name":"Pot","price":3100},{"name":"Pan","price":8200}]}`, `{"rows":[{"name":"Pan","price":8150}]}`, `{"rows":[{"name":"Jug","price":5400},{"name":"Pot","price":3300}]}`, `{"rows":[{"name":"Cup","price":2900}]}`),
		fresh: given(`{}`, desk, `{"rows":[{"name":"Can","cost":"EUR 31.50"},{"name":"Lid","cost":"EUR 54.00"}]}`),
		right: map[string][]string{"hundredths": {"e.price.", "(e.price ?? e.cost.slice(4) * 100)."}},
		wrong: map[string][]string{"as it is": {"e.price.", "(e.price ?? +e.cost.slice(4))."}},
	}
	return found
}

// Right fixes of what nobody here had in mind pass with nothing to hold, and wrong ones never do.
func TestChangesInOtherStyles(t *testing.T) {
	t.Parallel()
	for name, c := range unseenChanges() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opened := openGate(t, subject(t, c.code, c.old, c.fresh))
			for of, edits := range c.right {
				judged := judge(t, opened, edited(t, c.code, edits...))
				require.Equal(t, gate.Identical, opposed(judged), "right, %s: %+v %v", of, judged.Divergence, judged.Reasons)
			}
			for of, edits := range c.wrong {
				judged := judge(t, opened, edited(t, c.code, edits...))
				require.NotEqual(t, gate.Identical, said(judged), "wrong, %s: %s", of, judged.FailingRun.Output)
			}
		})
	}
}
