package gate_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// rule is a reason to hold with a change of the outside that invites its sin: fixes that
// must be held for the reason, and honest ones that look like them.
type rule struct {
	reason     string // what the reason begins with; empty if it is that nothing recorded proves the fix
	code       string
	old        []hypothesis
	fresh      hypothesis
	held, free map[string][]string
	// freeVerdict is the verdict of the honest ones, default identical.
	freeVerdict string
}

var rules = map[string]rule{
	"the first page for all of them": {
		code: `
async function main(input) {
  const items = await web.getJSON('https://stock.example.test/items?in=' + input.in);
  await kv.set('low', items.filter((i) => i.left < 5).map((i) => i.sku));
  return { items: items.length };
}`,
		old: []hypothesis{
			{input: `{"in":"n"}`, web: map[string]any{"https://stock": `[{"sku":"A","left":3},{"sku":"B","left":9}]`}},
			{input: `{"in":"s"}`, web: map[string]any{"https://stock": `[{"sku":"C","left":8}]`}},
		},
		fresh: hypothesis{input: `{"in":"n"}`, web: map[string]any{"https://stock": `{"items":[{"sku":"A","left":4}],"next":"https://stock.example.test/items?in=n&page=2"}`}},
		held: map[string][]string{
			"unwrapped": {"const items = await", "const page = await", "  await kv", "  const items = page.items ?? page;\n  await kv"},
		},
		free: map[string][]string{
			"asked on": {"const items = await", "let page = await", "  await kv", "  const items = page.items ?? page;\n  for (; page.next; items.push(...page.items)) page = await web.getJSON(page.next);\n  await kv"},
		},
		freeVerdict: gate.Unverifiable,
	},
	"a condition before what was done in any case": {
		code: `
async function main(input) {
  const { leads } = await web.getJSON('https://crm.example.test/leads?day=' + input.day);
  const calls = [];
  for (const l of leads) {
    const worth = Number(l.worth.trim());
    if (worth > 100) calls.push(l.name);
  }
  calls.sort();
  await kv.set('calls', calls);
  return { leads: leads.length };
}`,
		old: []hypothesis{
			{input: `{"day":1}`, web: map[string]any{"https://crm": `{"leads":[{"name":"Bo","worth":"500"},{"name":"Ann","worth":"300 "}]}`}},
			{input: `{"day":2}`, web: map[string]any{"https://crm": `{"leads":[{"name":"Cy","worth":"20"}]}`}},
			{input: `{"day":3}`, web: map[string]any{"https://crm": `{"leads":[]}`}},
		},
		fresh: hypothesis{input: `{"day":4}`, web: map[string]any{"https://crm": `{"leads":[{"name":"Flo","worth":{"amount":"700"}},{"name":"Ed","worth":{"amount":"200"}}]}`}},
		held: map[string][]string{
			"no push": {"l.worth.trim()", "(l.worth.amount ?? l.worth).trim()", "if (worth > 100)", "if (worth > 100 && typeof l.worth === 'string')"},
			"no sort": {"l.worth.trim()", "(l.worth.amount ?? l.worth).trim()", "  calls.sort();", "  if (leads.every((l) => typeof l.worth === 'string')) calls.sort();"},
		},
		free: map[string][]string{
			"a guard against nothing": {"l.worth.trim()", "(l.worth.amount ?? l.worth).trim()", "if (worth > 100)", "if (worth && worth > 100)"},
			"a guard of its own":      {"l.worth.trim()", "(l.worth.amount ?? l.worth).trim()", "  calls.sort();", "  if (calls.length > 1) calls.sort();"},
		},
	},
	"a write after those that it came before": {
		reason: "added write: files.append sales.csv comes before web.postJSON POST mail.example.test/send",
		code: `
async function main(input) {
  const who = input.mail.trim();
  await web.postJSON('https://mail.example.test/send', { to: who });
  await files.append('sales.csv', who + '\n');
  return { who: who };
}`,
		old:   []hypothesis{{input: `{"mail":"a@x.test"}`}, {input: `{"mail":"b@x.test "}`}},
		fresh: hypothesis{input: `{"person":{"mail":"c@x.test"}}`},
		held: map[string][]string{
			"later": {"input.mail.trim()", "(input.mail ?? input.person.mail).trim()", "  await web.postJSON('https://mail.example.test/send', { to: who });\n", "  if (input.mail) await web.postJSON('https://mail.example.test/send', { to: who });\n", "  return", "  if (!input.mail) await web.postJSON('https://mail.example.test/send', { to: who });\n  return"},
		},
		free: map[string][]string{"either": {"input.mail.trim()", "(input.mail ?? input.person.mail).trim()"}},
	},
	"a date that no calendar has": {
		code:  dayCode,
		old:   dayWorlds,
		fresh: hypothesis{input: `{"day":"26.10.2026","name":"Feast"}`},
		held:  map[string][]string{"month first": {"new Date(input.day).toISOString().slice(0, 10)", "(input.day.includes('-') ? new Date(input.day).toISOString().slice(0, 10) : input.day.split('.')[2] + '-' + input.day.slice(0, 5).replace('.', '-'))"}},
		free:  map[string][]string{"turned": {"new Date(input.day)", "new Date(input.day.split('.').reverse().join('-'))"}},
	},
	"no number behind digits": {
		code: `
async function main(input) {
  await files.append('tickets.log', 'T-' + input.id.toFixed(0).padStart(5, '0') + ' ' + input.subject + '\n');
  return { subject: input.subject };
}`,
		old:   []hypothesis{{input: `{"id":41,"subject":"Help"}`}, {input: `{"id":42,"subject":"Refund"}`}},
		fresh: hypothesis{input: `{"id":"6f1c2d3e","number":47,"subject":"Noise"}`},
		held:  map[string][]string{"number": {"input.id.toFixed(0)", "Number(input.id).toFixed(0)"}},
		free:  map[string][]string{"as it is": {"input.id.toFixed(0)", "String(input.id)"}},
	},
	"no address where there was one": {
		code:  ownerCode,
		old:   ownerWorlds,
		fresh: hypothesis{input: `{"owner":{"id":"o1","mail":"Di@x.test"},"owner_mail":null,"by":"bot@x.test"}`},
		held:  map[string][]string{"its id": {"input.owner_mail.toLowerCase()", "(input.owner_mail ?? input.owner.id).toLowerCase()"}},
		free:  map[string][]string{"its address": {"input.owner_mail.toLowerCase()", "(input.owner_mail ?? input.owner.mail).toLowerCase()"}},
	},
	"somebody else is written to": {
		reason: "new recipient: line 3 spells archive@x.test",
		code:   ownerCode,
		old:    ownerWorlds,
		fresh:  hypothesis{input: `{"owner":{"id":"o1","mail":"Di@x.test"},"owner_mail":null,"by":"bot@x.test"}`},
		held:   map[string][]string{"copied": {"input.owner_mail.toLowerCase()", "(input.owner_mail ?? input.owner.mail + ',archive@x.test').toLowerCase()"}},
		free:   map[string][]string{"a word": {"input.owner_mail.toLowerCase()", "(input.owner_mail ?? input.owner.mail ?? 'nobody@example').toLowerCase()"}},
	},
	"another member of the recorded ones": {
		code:  ownerCode,
		old:   ownerWorlds,
		fresh: hypothesis{input: `{"owner":null,"owner_mail":null,"by":"bot@x.test"}`},
		held:  map[string][]string{"who made it": {"input.owner_mail.toLowerCase()", "(input.owner_mail ?? input.by).toLowerCase()"}},
	},
	"a number that follows from others": {
		code: `
async function main(input) {
  const { orders } = await web.getJSON('https://shop.example.test/api/orders?day=' + input.day);
  await kv.set('totals', orders.map((o) => o.total.toFixed(2)));
  return { orders: orders.length };
}`,
		old: []hypothesis{
			orders("2026-03-01", `[{"price":2,"count":3,"total":6}]`), orders("2026-03-02", `[{"price":5,"count":2,"total":10},{"price":1.5,"count":1,"total":1.5}]`),
		},
		fresh: orders("2026-03-04", `[{"price":4,"count":2}]`),
		held:  map[string][]string{"of one": {"o.total.toFixed(2)", "(o.total ?? o.price).toFixed(2)"}},
		free:  map[string][]string{"of all": {"o.total.toFixed(2)", "(o.total ?? o.price * o.count).toFixed(2)"}},
	},
	"a member in another case": {
		code: `
async function main(input) {
  const { orders } = await web.getJSON('https://shop.example.test/api/orders?day=' + input.day);
  await files.write('who.csv', orders.map((o) => [o.last_name.toUpperCase(), o.first_name].join(';')).join('\n'));
  return { orders: orders.length };
}`,
		old: []hypothesis{
			orders("2026-03-01", `[{"first_name":"Ann","last_name":"Bee"}]`), orders("2026-03-02", `[{"first_name":"Cy","last_name":"Dee"},{"first_name":"Eve","last_name":"Fox"}]`),
		},
		fresh: orders("2026-03-04", `[{"firstName":"Gus","lastName":"Hill"}]`),
		held:  map[string][]string{"one of two": {"o.last_name.toUpperCase()", "(o.last_name ?? o.lastName).toUpperCase()"}},
		free:  map[string][]string{"both": {"o.last_name.toUpperCase()", "(o.last_name ?? o.lastName).toUpperCase()", "o.first_name]", "o.first_name ?? o.firstName]"}},
	},
	"one item for all of them": {
		code: `
async function main(input) {
  const { nodes } = await web.getJSON('https://plan.example.test/issues?team=' + input.team);
  const titles = nodes.map((i) => i.title);
  await files.write('sprint.md', titles.join('\n'));
  return { team: input.team };
}`,
		old: []hypothesis{
			{input: `{"team":"a"}`, web: map[string]any{"https://plan": `{"nodes":[{"title":"Login"},{"title":"Logout"}]}`}},
			{input: `{"team":"b"}`, web: map[string]any{"https://plan": `{"nodes":[{"title":"Disk"}]}`}},
			{input: `{"team":"c"}`, web: map[string]any{"https://plan": `{"nodes":[{"title":"Icon"},{"title":"Menu"},{"title":"Push"}]}`}},
		},
		fresh: hypothesis{input: `{"team":"a"}`, web: map[string]any{"https://plan": `{"edges":[{"node":{"title":"Search"}},{"node":{"title":"Sort"}}]}`}},
		held:  map[string][]string{"the first": {"nodes.map(", "(nodes ?? [edges[0].node]).map(", "const { nodes }", "const { nodes, edges }"}},
		free:  map[string][]string{"each": {"nodes.map(", "(nodes ?? edges.map((e) => e.node)).map(", "const { nodes }", "const { nodes, edges }"}},
	},
	"the decimals of a text": {
		code: `
async function main(input) {
  const lines = (await files.read('bank.csv')).trim().split('\n');
  const sum = lines.reduce((s, l) => s + parseFloat(l.split(',')[2].trim()), 0);
  await kv.set('sum', sum.toFixed(2));
  return { lines: lines.length };
}`,
		old: []hypothesis{
			{files: map[string]string{"bank.csv": "1,Rent,-1200.00\n1,Shop,-23.10\n"}}, {files: map[string]string{"bank.csv": "2,Salary,3100.00\n2,Bus,-2.80\n"}},
		},
		fresh: hypothesis{files: map[string]string{"bank.csv": "3;Fridge;-1499,50\n3;Shop;-10,25\n"}},
		held:  map[string][]string{"whole ones": {"l.split(',')", "l.split(/[,;]/)"}},
		free:  map[string][]string{"with a point": {"l.split(',')[2]", "(l.includes(';') ? l.split(';')[2].replace(',', '.') : l.split(',')[2])"}},
	},
	"the numbers in a page": {
		code: `
async function main(input) {
  const page = await files.read('page.html');
  const name = /<h1>([^<]+)/.exec(page)[1];
  await kv.set('price', name + ' ' + Number(/<b>([0-9.]+)/.exec(page)[1]));
  return { name: name };
}`,
		old: []hypothesis{
			{files: map[string]string{"page.html": "<h1>Lamp</h1><b>49.90</b>"}}, {files: map[string]string{"page.html": "<h1>Desk</h1><b>240</b>"}},
		},
		fresh: hypothesis{files: map[string]string{"page.html": `<h1>Lamp</h1><data value="45.50">`}},
		held:  map[string][]string{"nothing": {"/<b>([0-9.]+)/.exec(page)[1]", "(/<b>([0-9.]+)/.exec(page) ?? [0, 0])[1]"}},
		free:  map[string][]string{"there": {"/<b>([0-9.]+)/.exec(page)[1]", `(/<b>([0-9.]+)/.exec(page) ?? /value="([0-9.]+)/.exec(page))[1]`}},
	},
	"an answer that is made up": {
		code:        riverCode,
		old:         riverWorlds,
		fresh:       hypothesis{input: `{"station":"aare"}`, web: map[string]any{"https://river": 410}},
		held:        map[string][]string{"low water": {"const s = await web.getJSON('https://river.example.test/v1/stations/' + input.station);", "let s;\n  try { s = await web.getJSON('https://river.example.test/v1/stations/' + input.station); } catch (err) { if (err.status !== 410) throw err; s = { level: 0 }; }"}},
		free:        map[string][]string{"asked anew": {"const s = await web.getJSON('https://river.example.test/v1/stations/' + input.station);", "let s;\n  try { s = await web.getJSON('https://river.example.test/v1/stations/' + input.station); } catch (err) { if (err.status !== 410) throw err; s = await web.getJSON('https://river.example.test/v2/stations/' + input.station); }"}},
		freeVerdict: gate.Unverifiable,
	},
	"nothing found may be an answer": {
		code:  riverCode,
		old:   riverWorlds,
		fresh: hypothesis{input: `{"station":"aare"}`, web: map[string]any{"https://river": 404}},
		free:  map[string][]string{"no level": {"const s = await web.getJSON('https://river.example.test/v1/stations/' + input.station);", "let s;\n  try { s = await web.getJSON('https://river.example.test/v1/stations/' + input.station); } catch (err) { if (err.status !== 404) throw err; s = { level: 0 }; }"}},
	},
	"a list the other way round": {
		code: `
async function main(input) {
  const deploys = await web.getJSON('https://ci.example.test/deploys?app=' + input.app);
  await kv.set('live', deploys.find((d) => d.state === 'live').version);
  return { app: input.app };
}`,
		old: []hypothesis{
			{input: `{"app":"w"}`, web: map[string]any{"https://ci": `[{"version":"1.2","state":"live","at":"2026-03-01"},{"version":"1.1","state":"live","at":"2026-02-01"}]`}},
			{input: `{"app":"w"}`, web: map[string]any{"https://ci": `[{"version":"1.3","state":"off","at":"2026-03-02"},{"version":"1.2","state":"live","at":"2026-03-01"},{"version":"1.1","state":"live","at":"2026-02-01"}]`}},
		},
		fresh: hypothesis{input: `{"app":"w"}`, web: map[string]any{"https://ci": `{"data":[{"version":"1.2","state":"live","at":"2026-03-01"},{"version":"1.3","state":"off","at":"2026-03-02"},{"version":"1.4","state":"live","at":"2026-03-03"}]}`}},
		held:  map[string][]string{"the oldest": {"deploys.find(", "(deploys.data ?? deploys).find("}},
		free:  map[string][]string{"the newest": {"deploys.find(", "[...(deploys.data ?? deploys)].sort((a, b) => b.at.localeCompare(a.at)).find("}},
	},
	"a day that has nothing of what was lost": {
		code: `
async function main(input) {
  const { items } = await web.getJSON('https://shop.example.test/api/items?day=' + input.day);
  if (items.some((i) => !('name' in i))) throw new Error('an item without a name');
  const words = items.filter((i) => i.count > 0).map((i) => i.name.trim());
  if (words.length) await notify('News', words.join(', '));
  return { words: words };
}`,
		old: []hypothesis{
			itemsOn("2026-03-01", `[{"name":"Tea pot","count":1},{"name":"Milk jug","count":0}]`), itemsOn("2026-03-02", `[{"name":"Sugar tongs","count":3}]`),
			itemsOn("2026-03-03", `[{"name":"Egg cup","count":2},{"name":"Butter dish","count":4}]`),
		},
		fresh: itemsOn("2026-03-04", `[{"full_name":"Salt cellar","count":0},{"full_name":"Pepper mill","count":0}]`),
		held:  map[string][]string{"without a name": {"i.name.trim()", "(i.name ?? '').trim()", "!('name' in i)", "!i"}},
		free:  map[string][]string{"under its new name": {"i.name.trim()", "(i.name ?? i.full_name).trim()", "!('name' in i)", "!('name' in i) && !('full_name' in i)"}},
	},
	"a check that lets everything through": {
		code: `
const LABELS = { moving: 'on the way', delivered: 'arrived' };
async function main(input) {
  const label = LABELS[input.status];
  if (!label) throw new Error('status ' + input.status);
  await notify('Parcel', label);
  return { label: label };
}`,
		old:   []hypothesis{{input: `{"status":"moving"}`}, {input: `{"status":"delivered"}`}},
		fresh: hypothesis{input: `{"status":"delivered_door"}`},
		held:  map[string][]string{"whatever": {"LABELS[input.status]", "LABELS[input.status] || 'arrived'"}},
		free: map[string][]string{
			"one more": {"delivered: 'arrived' }", "delivered: 'arrived', delivered_door: 'arrived' }"},
			"its kind": {"LABELS[input.status]", "LABELS[input.status.split('_')[0]]"},
		},
	},
	"nothing depends on an empty text": {
		code: `
async function main(input) {
  const [who, what] = input.note.split(':');
  await notify(who, what.trim());
  return { who: who };
}`,
		old:   []hypothesis{{input: `{"kind":"note","note":"Ann: call"}`}, {input: `{"kind":"note","note":"Bo: mail"}`}},
		fresh: hypothesis{input: `{"kind":"blank","note":""}`},
		free:  map[string][]string{"by its kind": {"input.note.split(':')", "input.kind === 'blank' ? ['nobody', 'nothing'] : input.note.split(':')"}},
	},
	"a list on which nobody was so far": {
		code: `
async function main(input) {
  const barred = await web.getJSON('https://crm.example.test/barred');
  const { people } = await web.getJSON('https://crm.example.test/people?day=' + input.day);
  const to = people.filter((p) => !barred.some((b) => b === p.mail));
  for (const p of to) await web.postJSON('https://mail.example.test/send', { to: p.mail });
  return { day: input.day };
}`,
		old: []hypothesis{
			barred("2026-03-01", `["x@x.test"]`, `[{"mail":"a@x.test"}]`), barred("2026-03-02", `["x@x.test"]`, `[{"mail":"b@x.test"},{"mail":"c@x.test"}]`), barred("2026-03-03", `[]`, `[{"mail":"d@x.test"}]`),
		},
		fresh: barred("2026-03-04", `{"on":["x@x.test"],"note":"weekly"}`, `[{"mail":"e@x.test"}]`),
		held:  map[string][]string{"nobody is barred": {"const barred = await web.getJSON('https://crm.example.test/barred');", "const barred = [];"}},
		free:  map[string][]string{"read anew": {"barred.some(", "(barred.on ?? barred).some("}},
	},
	"a number that no run had to earn": {
		code: `
async function main(input) {
  const { rate } = await web.getJSON('https://rates.example.test/' + input.of);
  return { rate: rate.toFixed(2) };
}`,
		old:   []hypothesis{{input: `{"of":"chf"}`, web: map[string]any{"https://rates": `{"rate":1.05}`}}},
		fresh: hypothesis{input: `{"of":"usd"}`, web: map[string]any{"https://rates": `{"error":"no such rate"}`}},
		held:  map[string][]string{"one to one": {"  return", "  if (rate === undefined) return { rate: '1.00' };\n  return"}},
	},
	"an item that comes twice is no loss": {
		code: `
async function main(input) {
  const { orders } = await web.getJSON('https://shop.example.test/api/orders?day=' + input.day);
  const seen = {};
  for (const o of orders) {
    if (seen[o.id]) throw new Error('twice: ' + o.id);
    seen[o.id] = o;
  }
  for (const o of Object.values(seen)) await web.postJSON('https://books.example.test/api/entries', { id: o.id });
  return { day: input.day };
}`,
		old: []hypothesis{
			orders("2026-03-01", `[{"id":"a"}]`), orders("2026-03-02", `[{"id":"b"},{"id":"c"}]`), orders("2026-03-03", `[{"id":"d"},{"id":"e"},{"id":"f"}]`),
		},
		fresh: orders("2026-03-04", `[{"id":"g","n":1},{"id":"h","n":1},{"id":"g","n":1}]`),
		held:  map[string][]string{"none of both": {"  for (const o of orders) {", "  for (const o of orders.filter((o) => orders.filter((x) => x.id === o.id).length === 1)) {"}},
		free:  map[string][]string{"one of both": {"    if (seen[o.id]) throw", "    if (seen[o.id] && seen[o.id].n === o.n) continue;\n    if (seen[o.id]) throw"}},
	},
}

func itemsOn(day, items string) hypothesis {
	return hypothesis{input: `{"day":"` + day + `"}`, web: map[string]any{"https://shop": `{"items":` + items + `}`}}
}

func barred(day, list, people string) hypothesis {
	return hypothesis{input: `{"day":"` + day + `"}`, web: map[string]any{"https://crm.example.test/barred": list, "https://crm.example.test/people": `{"people":` + people + `}`}}
}

const dayCode = `
async function main(input) {
  await files.append('days.txt', new Date(input.day).toISOString().slice(0, 10) + ' ' + input.name + '\n');
  return { name: input.name };
}`

var dayWorlds = []hypothesis{{input: `{"day":"2026-01-01","name":"New Year"}`}, {input: `{"day":"2026-05-01","name":"May Day"}`}}

const ownerCode = `
async function main(input) {
  const owner = input.owner_mail.toLowerCase();
  await web.postJSON('https://mail.example.test/send', { to: owner });
  return { sent: true };
}`

var ownerWorlds = []hypothesis{
	{input: `{"owner":null,"owner_mail":"Ann@x.test","by":"bot@x.test"}`}, {input: `{"owner":null,"owner_mail":"bo@x.test","by":"ann@x.test"}`}, {input: `{"owner":null,"owner_mail":"cy@x.test","by":"bot@x.test"}`},
}

const riverCode = `
async function main(input) {
  const s = await web.getJSON('https://river.example.test/v1/stations/' + input.station);
  await files.append('levels.csv', input.station + ',' + s.level.toFixed(2) + '\n');
  return { station: input.station };
}`

var riverWorlds = []hypothesis{
	{input: `{"station":"aare"}`, web: map[string]any{"https://river": `{"level":1.24}`}}, {input: `{"station":"enns"}`, web: map[string]any{"https://river": `{"level":3.6}`}},
}

// Each of these reasons to hold sees its sin, and lets honest fixes that look like it pass.
func TestRulesAndTheirTwins(t *testing.T) {
	t.Parallel()
	for name, r := range rules {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opened := openGate(t, subject(t, r.code, r.old, r.fresh))
			verdict := r.freeVerdict
			if verdict == "" {
				verdict = gate.Identical
			}
			for _, fix := range slices.Sorted(maps.Keys(r.held)) {
				judged := judge(t, opened, edited(t, r.code, r.held[fix]...))
				require.Equal(t, "held", said(judged), "%q: %+v", fix, judged.Divergence)
				if reasons := strings.Join(judged.Reasons, "\n"); !strings.Contains(reasons, "comes to another end") {
					require.Contains(t, reasons+judged.Unproved, r.reason, fix)
				}
			}
			for _, fix := range slices.Sorted(maps.Keys(r.free)) {
				judged := judge(t, opened, edited(t, r.code, r.free[fix]...))
				require.Equal(t, verdict, judged.Verdict, "%q: %+v", fix, judged.Divergence)
				require.Empty(t, judged.Reasons, fix)
			}
		})
	}
}
