package gate_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// change is a small automation, the change of its outside that breaks it, and repairs:
// right ones, that the gate must let through untouched, and wrong ones.
type change struct {
	name  string
	code  string
	old   []hypothesis
	fresh hypothesis
	good  map[string][]string // edits of the code: identical and not held, unless said otherwise
	// goodVerdict is the verdict of the right ones, default identical.
	goodVerdict string
	bad         map[string]wrong
}

// wrong is a wrong repair and what must become of it: different, held, unverifiable. Hard
// says that little of what was recorded can tell; those are counted.
type wrong struct {
	want  string
	edits []string
}

const hard = "hard"

func wrapSwallow(output string) []string {
	return []string{"async function main(", "async function main(input) {\n  try { return await work(input) } catch (err) { console.warn(err.message); return " + output + " }\n}\nasync function work("}
}

var changes = []change{
	{
		name: "a person's name moved to another field",
		code: `
async function main(input) {
  const res = await web.getJSON('https://jira.example.test/rest/api/2/search?jql=' + encodeURIComponent(input.jql));
  const byPerson = {};
  for (const issue of res.issues) {
    const who = issue.fields.assignee ? issue.fields.assignee.name.toLowerCase() : 'nobody';
    byPerson[who] = (byPerson[who] || 0) + 1;
  }
  await kv.set('load', byPerson);
  await files.write('load.csv', 'who,issues\n' + Object.keys(byPerson).sort().map((w) => w + ',' + byPerson[w] + '\n').join(''));
  return { issues: res.issues.length, people: Object.keys(byPerson).length };
}`,
		old: []hypothesis{
			{input: `{"jql":"a"}`, web: map[string]any{"https://jira": `{"total":0,"issues":[]}`}},
			{input: `{"jql":"a"}`, web: map[string]any{"https://jira": `{"total":2,"issues":[{"key":"A-1","fields":{"assignee":{"name":"Ann","active":true}}},{"key":"A-2","fields":{"assignee":null}}]}`}},
			{input: `{"jql":"b"}`, web: map[string]any{"https://jira": `{"total":3,"issues":[{"key":"A-1","fields":{"assignee":{"name":"Ann","active":true}}},{"key":"A-3","fields":{"assignee":{"name":"bob","active":true}}},{"key":"A-4","fields":{"assignee":{"name":"Ann","active":true}}}]}`}},
		},
		fresh: hypothesis{input: `{"jql":"a"}`, web: map[string]any{"https://jira": `{"total":2,"issues":[{"key":"A-7","fields":{"assignee":{"accountId":"5b10","displayName":"Cy Dee","active":true}}},{"key":"A-8","fields":{"assignee":null}}]}`}},
		good: map[string][]string{
			"or":         {"issue.fields.assignee.name.toLowerCase()", "(issue.fields.assignee.name || issue.fields.assignee.displayName).toLowerCase()"},
			"helper":     {"async function main", "function nameOf(person) {\n  if (!person) return 'nobody';\n  const name = person.name !== undefined ? person.name : person.displayName;\n  return name.toLowerCase();\n}\nasync function main", "issue.fields.assignee ? issue.fields.assignee.name.toLowerCase() : 'nobody'", "nameOf(issue.fields.assignee)"},
			"destructed": {"const who = issue.fields.assignee ? issue.fields.assignee.name.toLowerCase() : 'nobody';", "const { name, displayName } = issue.fields.assignee || {};\n    const who = issue.fields.assignee ? (name ?? displayName).toLowerCase() : 'nobody';"},
		},
		bad: map[string]wrong{
			"swallow":     {"held", wrapSwallow("{ issues: 0, people: 0 }")},
			"optional":    {"held", []string{"issue.fields.assignee.name.toLowerCase()", "(issue.fields.assignee.name?.toLowerCase())"}},
			"nobody":      {"held", []string{"issue.fields.assignee.name.toLowerCase()", "(issue.fields.assignee.name || 'nobody').toLowerCase()"}},
			"skips":       {"held", []string{"    const who", "    if (issue.fields.assignee && !issue.fields.assignee.name) continue;\n    const who"}},
			"only new":    {"different", []string{"assignee.name", "assignee.displayName"}},
			"early":       {"held", []string{"  const byPerson", "  if (res.issues.some((i) => i.fields.assignee && !i.fields.assignee.name)) return { issues: 0, people: 0 };\n  const byPerson"}},
			"no file now": {"different", []string{"assignee.name.toLowerCase()", "assignee.displayName.toLowerCase()", "  await files.write('load.csv', 'who,issues\\n' + Object.keys(byPerson).sort().map((w) => w + ',' + byPerson[w] + '\\n').join(''));\n", ""}},
		},
	},
	{
		name: "an entry of a list is null",
		code: `
async function main(input) {
  const res = await web.getJSON('https://api.music.example.test/v1/playlists/' + input.playlist + '/tracks');
  const rows = [];
  for (const item of res.items) {
    const track = item.track;
    rows.push(track.name + ' - ' + track.artists.map((a) => a.name).join(', '));
  }
  await files.write('playlist.txt', rows.join('\n') + '\n');
  await kv.set('playlist:' + input.playlist, { tracks: rows.length });
  return { tracks: rows.length };
}`,
		old: []hypothesis{
			{input: `{"playlist":"p1"}`, web: map[string]any{"https://api.music": `{"items":[{"added_at":"2026-01-01","track":{"name":"A","artists":[{"name":"x"}]}}],"total":1}`}},
			{input: `{"playlist":"p1"}`, web: map[string]any{"https://api.music": `{"items":[{"added_at":"2026-01-01","track":{"name":"A","artists":[{"name":"x"}]}},{"added_at":"2026-01-02","track":{"name":"B","artists":[{"name":"x"},{"name":"y"}]}}],"total":2}`}},
			{input: `{"playlist":"p2"}`, web: map[string]any{"https://api.music": `{"items":[{"added_at":"2026-01-01","track":{"name":"C","artists":[{"name":"x"}]}},{"added_at":"2026-01-01","track":{"name":"D","artists":[{"name":"z"}]}},{"added_at":"2026-01-01","track":{"name":"E","artists":[{"name":"x"}]}}],"total":3}`}},
			{input: `{"playlist":"p3"}`, web: map[string]any{"https://api.music": `{"items":[],"total":0}`}},
		},
		fresh: hypothesis{input: `{"playlist":"p1"}`, web: map[string]any{"https://api.music": `{"items":[{"added_at":"2026-01-01","track":{"name":"A","artists":[{"name":"x"}]}},{"added_at":"2026-01-05","track":null},{"added_at":"2026-01-02","track":{"name":"B","artists":[{"name":"x"}]}}],"total":3}`}},
		good: map[string][]string{
			"continue": {"    const track = item.track;\n", "    const track = item.track;\n    if (!track) continue; // no longer available\n"},
			"filter":   {"of res.items)", "of res.items.filter((i) => i.track))"},
		},
		bad: map[string]wrong{
			"swallow": {"held", wrapSwallow("{ tracks: 0 }")},
			"break":   {"held", []string{"    const track = item.track;\n", "    const track = item.track;\n    if (!track) break;\n"}},
			"object":  {"held", []string{"    const track = item.track;\n", "    const track = item.track || { artists: [] };\n"}},
			"none":    {"held", []string{"of res.items)", "of res.items.every((i) => i.track) ? res.items : [])"}},
		},
	},
	{
		name: "a member is left out for some",
		code: `
async function main() {
  const res = await web.getJSON('https://chat.example.test/api/users.list');
  const rows = res.members.filter((m) => !m.deleted).map((m) => ({ id: m.id, mail: m.profile.email.toLowerCase() }));
  const reachable = rows.filter((r) => r.mail !== '');
  await files.write('people.csv', 'id,mail\n' + rows.map((r) => r.id + ',' + r.mail + '\n').join(''));
  await kv.set('people', reachable.map((r) => r.mail));
  if (reachable.length > 0) await notify('People', reachable.length + ' people can be reached');
  return { members: rows.length, reachable: reachable.length };
}`,
		old: []hypothesis{
			{web: map[string]any{"https://chat": `{"ok":true,"members":[{"id":"U1","deleted":false,"profile":{"email":"A@x.test"}}]}`}},
			{web: map[string]any{"https://chat": `{"ok":true,"members":[{"id":"U1","deleted":false,"profile":{"email":"A@x.test"}},{"id":"U2","deleted":false,"profile":{"email":"b@x.test"}}]}`}},
			{web: map[string]any{"https://chat": `{"ok":true,"members":[{"id":"U1","deleted":false,"profile":{"email":"A@x.test"}},{"id":"U2","deleted":false,"profile":{"email":"b@x.test"}},{"id":"U3","deleted":false,"profile":{"email":"c@x.test"}}]}`}},
		},
		fresh: hypothesis{web: map[string]any{"https://chat": `{"ok":true,"members":[{"id":"U1","deleted":false,"profile":{"email":"A@x.test"}},{"id":"U9","deleted":false,"is_bot":true,"profile":{"bot_id":"B1"}}]}`}},
		good: map[string][]string{
			"or empty": {"m.profile.email.toLowerCase()", "(m.profile.email || '').toLowerCase()"},
			"optional": {"m.profile.email.toLowerCase()", "(m.profile.email?.toLowerCase() ?? '')"},
		},
		bad: map[string]wrong{
			"undefined":   {"held", []string{"m.profile.email.toLowerCase()", "String(m.profile.email).toLowerCase()"}},
			"drops them":  {"held", []string{"!m.deleted)", "!m.deleted && m.profile.email)"}},
			"drops all":   {"held", []string{"res.members.filter((m) => !m.deleted)", "(res.members.some((m) => !m.profile.email) ? [] : res.members)"}},
			"no optional": {"held", []string{"m.profile.email.toLowerCase()", "m.profile.email?.toLowerCase()"}},
		},
	},
	{
		name: "a number became text",
		code: `
async function main() {
  const res = await web.getJSON('https://shop.example.test/api/products');
  let sum = 0;
  const rows = [];
  for (const p of res.products) {
    sum += p.price * p.stock;
    rows.push([p.sku, p.price.toFixed(2), p.stock].join(';'));
  }
  await files.write('stock.csv', 'sku;price;stock\n' + rows.join('\n') + '\n');
  await kv.set('stock:value', Math.round(sum * 100) / 100);
  return { products: rows.length, value: Math.round(sum * 100) / 100 };
}`,
		old: []hypothesis{
			{web: map[string]any{"https://shop": `{"products":[{"sku":"a","price":9.9,"stock":2}]}`}},
			{web: map[string]any{"https://shop": `{"products":[{"sku":"a","price":9.9,"stock":2},{"sku":"b","price":20,"stock":1}]}`}},
			{web: map[string]any{"https://shop": `{"products":[{"sku":"a","price":9.9,"stock":0},{"sku":"b","price":20,"stock":1},{"sku":"c","price":0.55,"stock":10}]}`}},
		},
		fresh: hypothesis{web: map[string]any{"https://shop": `{"products":[{"sku":"a","price":"9.90","stock":2},{"sku":"d","price":"3.50","stock":4}]}`}},
		good: map[string][]string{
			"number":     {"p.price.toFixed(2)", "Number(p.price).toFixed(2)"},
			"parseFloat": {"    sum += p.price * p.stock;", "    const price = typeof p.price === 'string' ? parseFloat(p.price) : p.price;\n    sum += price * p.stock;", "p.price.toFixed(2)", "price.toFixed(2)"},
			"plus":       {"    sum +=", "    p.price = +p.price;\n    sum +="},
		},
		bad: map[string]wrong{
			"as it is":  {"different", []string{"p.price.toFixed(2)", "p.price"}},
			"text only": {"different", []string{"p.price.toFixed(2)", "p.price.padEnd(4, '0')"}},
			"parseInt":  {"different", []string{"p.price.toFixed(2)", "parseInt(p.price).toFixed(2)"}},
			"zero":      {"held", []string{"    sum +=", "    if (typeof p.price !== 'number') continue;\n    sum +="}},
			"one digit": {"held", []string{"p.price.toFixed(2)", "(p.price.toFixed ? p.price.toFixed(2) : Number(p.price).toFixed(1))"}},
			"swallow":   {"held", wrapSwallow("{ products: 0, value: 0 }")},
		},
	},
	{
		name: "a list became one object",
		code: `
async function main(input) {
  const res = await web.getJSON('https://weather.example.test/data/2.5/weather?q=' + input.city);
  const sky = res.weather.map((w) => w.description).join(' and ');
  await files.append('weather.log', input.city + ': ' + sky + ', ' + res.main.temp + ' C\n');
  if (res.weather.some((w) => w.id < 700)) await notify('Rain in ' + input.city, sky);
  return { city: input.city, sky: sky, temp: res.main.temp };
}`,
		old: []hypothesis{
			{input: `{"city":"Delft"}`, web: map[string]any{"https://weather": `{"weather":[{"id":800,"description":"clear"}],"main":{"temp":20.5}}`}},
			{input: `{"city":"Gent"}`, web: map[string]any{"https://weather": `{"weather":[{"id":500,"description":"light rain"},{"id":701,"description":"mist"}],"main":{"temp":9}}`}},
			{input: `{"city":"Delft"}`, web: map[string]any{"https://weather": `{"weather":[{"id":802,"description":"clouds"}],"main":{"temp":-3}}`}},
		},
		fresh: hypothesis{input: `{"city":"Gent"}`, web: map[string]any{"https://weather": `{"weather":{"id":501,"description":"rain"},"main":{"temp":11}}`}},
		good: map[string][]string{
			"concat":  {"  const sky = res.weather.map", "  const weather = [].concat(res.weather);\n  const sky = weather.map", "res.weather.some", "weather.some"},
			"isArray": {"  const sky", "  if (!Array.isArray(res.weather)) res.weather = [res.weather];\n  const sky"},
		},
		bad: map[string]wrong{
			"half":    {"different", []string{"res.weather.map", "[].concat(res.weather).map"}},
			"nothing": {hard, []string{"  const sky", "  if (!Array.isArray(res.weather)) res.weather = [];\n  const sky"}},
			"swallow": {"held", wrapSwallow("{ city: input.city, sky: '', temp: 0 }")},
		},
	},
	{
		name: "a time is written otherwise",
		code: `
async function main() {
  const res = await web.getJSON('https://events.example.test/v1/events');
  const rows = res.events.map((e) => new Date(e.at * 1000).toISOString().slice(0, 10) + ' ' + e.title);
  await files.write('agenda.txt', rows.join('\n') + '\n');
  await kv.set('agenda', res.events.map((e) => ({ day: new Date(e.at * 1000).toISOString().slice(0, 10), title: e.title })));
  return { events: rows.length };
}`,
		old: []hypothesis{
			{web: map[string]any{"https://events": `{"events":[{"at":1767225600,"title":"x"}]}`}},
			{web: map[string]any{"https://events": `{"events":[{"at":1767225600,"title":"x"},{"at":1768225600,"title":"y"}]}`}},
			{web: map[string]any{"https://events": `{"events":[{"at":1767225600,"title":"x"},{"at":1767225601,"title":"y"},{"at":1769225600,"title":"z"}]}`}},
		},
		fresh: hypothesis{web: map[string]any{"https://events": `{"events":[{"at":"2026-03-03T10:00:00Z","title":"u"},{"at":"2026-03-05T10:00:00Z","title":"v"}]}`}},
		good: map[string][]string{
			"typeof": {"async function main", "const time = (at) => new Date(typeof at === 'number' ? at * 1000 : at);\nasync function main", "new Date(e.at * 1000).toISOString().slice(0, 10) + ' '", "time(e.at).toISOString().slice(0, 10) + ' '", "{ day: new Date(e.at * 1000)", "{ day: time(e.at)"},
			"isNaN":  {"  const rows", "  for (const e of res.events) {\n    if (isNaN(e.at)) e.at = Date.parse(e.at) / 1000;\n  }\n  const rows"},
		},
		bad: map[string]wrong{
			"1970":    {"held", []string{"  const rows", "  for (const e of res.events) e.at = Number(e.at) || 0;\n  const rows"}},
			"invalid": {"held", []string{"async function main", "const day = (at) => { const d = new Date(at * 1000); return isNaN(d) ? String(d) : d.toISOString().slice(0, 10); };\nasync function main", "new Date(e.at * 1000).toISOString().slice(0, 10) + ' '", "day(e.at) + ' '", "new Date(e.at * 1000).toISOString().slice(0, 10), title", "day(e.at), title"}},
			"whole":   {"held", []string{"async function main", "const day = (at) => typeof at === 'number' ? new Date(at * 1000).toISOString().slice(0, 10) : at;\nasync function main", "new Date(e.at * 1000).toISOString().slice(0, 10) + ' '", "day(e.at) + ' '", "new Date(e.at * 1000).toISOString().slice(0, 10), title", "day(e.at), title"}},
			"caught":  {"held", []string{"async function main", "const day = (at) => { try { return new Date(at * 1000).toISOString().slice(0, 10); } catch (err) { return ''; } };\nasync function main", "new Date(e.at * 1000).toISOString().slice(0, 10) + ' '", "day(e.at) + ' '", "new Date(e.at * 1000).toISOString().slice(0, 10), title", "day(e.at), title"}},
			"no rows": {"held", []string{"res.events.map((e) => new Date", "res.events.filter((e) => typeof e.at === 'number').map((e) => new Date", "res.events.map((e) => ({", "res.events.filter((e) => typeof e.at === 'number').map((e) => ({"}},
		},
	},
	{
		name: "a new word in an enumeration",
		code: `
async function main() {
  const labels = { open: 'waiting', paid: 'done', refunded: 'returned' };
  const orders = await web.getJSON('https://orders.example.test/v2/orders');
  const counts = {};
  for (const o of orders) {
    const label = labels[o.financial_status].toUpperCase();
    counts[label] = (counts[label] || 0) + 1;
  }
  await kv.set('orders', counts);
  await files.write('orders.json', JSON.stringify({ total: orders.length, counts: counts }));
  return { orders: Object.values(counts).reduce((a, b) => a + b, 0), counts: counts };
}`,
		old: []hypothesis{
			{web: map[string]any{"https://orders": `[{"id":1001,"financial_status":"open"}]`}},
			{web: map[string]any{"https://orders": `[{"id":1001,"financial_status":"paid"},{"id":1002,"financial_status":"open"}]`}},
			{web: map[string]any{"https://orders": `[{"id":1001,"financial_status":"refunded"},{"id":1002,"financial_status":"paid"},{"id":1003,"financial_status":"paid"}]`}},
			{web: map[string]any{"https://orders": `[]`}},
		},
		fresh: hypothesis{web: map[string]any{"https://orders": `[{"id":1004,"financial_status":"partially_refunded"},{"id":1005,"financial_status":"paid"}]`}},
		good: map[string][]string{
			"mapped":   {"refunded: 'returned' }", "refunded: 'returned', partially_refunded: 'returned' }"},
			"compared": {"labels[o.financial_status].toUpperCase()", "(o.financial_status === 'partially_refunded' ? 'returned' : labels[o.financial_status]).toUpperCase()"},
			"itself":   {"labels[o.financial_status].toUpperCase()", "(labels[o.financial_status] || o.financial_status).toUpperCase()"},
		},
		bad: map[string]wrong{
			"skips":      {hard, []string{"    const label", "    if (!labels[o.financial_status]) continue;\n    const label"}},
			"undefined":  {"held", []string{"labels[o.financial_status].toUpperCase()", "String(labels[o.financial_status]).toUpperCase()"}},
			"by its id":  {"held", []string{"    const label = labels[o.financial_status]", "    const label = (o.id === 1004 ? 'returned' : labels[o.financial_status])"}},
			"swallow":    {"held", wrapSwallow("{ orders: 0, counts: {} }")},
			"other word": {"different", []string{"paid: 'done', refunded: 'returned'", "paid: 'paid', refunded: 'returned', partially_refunded: 'returned'"}},
		},
	},
	{
		name: "an address that is gone",
		code: `
async function main(input) {
  const res = await web.getJSON('https://rates.example.test/v1/latest?base=' + input.base);
  await kv.set('rate:' + input.base, res.rates.USD);
  await files.append('rates.csv', res.date + ',' + res.rates.USD + '\n');
  return { rate: res.rates.USD };
}`,
		old: []hypothesis{
			{input: `{"base":"EUR"}`, web: map[string]any{"https://rates": `{"date":"2026-03-01","rates":{"USD":1.1}}`}},
			{input: `{"base":"GBP"}`, web: map[string]any{"https://rates": `{"date":"2026-03-02","rates":{"USD":1.3}}`}},
			{input: `{"base":"EUR"}`, web: map[string]any{"https://rates": `{"date":"2026-03-03","rates":{"USD":1.2}}`}},
		},
		fresh:       hypothesis{input: `{"base":"EUR"}`, web: map[string]any{"https://rates.example.test/v1": 410}},
		goodVerdict: gate.Unverifiable,
		good: map[string][]string{
			"second way": {"const res = await web.getJSON('https://rates.example.test/v1/latest?base=' + input.base);", "let res;\n  try {\n    res = await web.getJSON('https://rates.example.test/v1/latest?base=' + input.base);\n  } catch (err) {\n    if (err.status !== 410) throw err;\n    res = await web.getJSON('https://rates.example.test/v2/latest?base=' + input.base);\n  }"},
			"no look":    {"const res = await web.getJSON('https://rates.example.test/v1/latest?base=' + input.base);", "let res;\n  try {\n    res = await web.getJSON('https://rates.example.test/v1/latest?base=' + input.base);\n  } catch (err) {\n    res = await web.getJSON('https://rates.example.test/v2/latest?base=' + input.base);\n  }"},
		},
		bad: map[string]wrong{
			"other host": {"unverifiable", []string{"const res = await web.getJSON('https://rates.example.test/v1/latest?base=' + input.base);", "let res;\n  try {\n    res = await web.getJSON('https://rates.example.test/v1/latest?base=' + input.base);\n  } catch (err) {\n    if (err.status !== 410) throw err;\n    res = await web.getJSON('https://evil.example.test/v2/latest?base=' + input.base);\n  }"}},
			"only new":   {"unverifiable", []string{"/v1/", "/v2/"}},
			"last rate":  {"held", []string{"const res = await web.getJSON('https://rates.example.test/v1/latest?base=' + input.base);", "const res = await web.getJSON('https://rates.example.test/v1/latest?base=' + input.base).catch(() => ({ date: '2026-03-03', rates: { USD: 1.2 } }));"}},
			"swallow":    {"held", wrapSwallow("{ rate: 0 }")},
			"other auth": {"different", []string{"  const res", "  if (input.base === 'EUR') throw new AuthError('log in again');\n  const res"}},
		},
	},
	{
		name: "text in place of JSON, and noise around it",
		code: `
async function main(input) {
  const page = await web.fetch('https://feeds.example.test/prices.json');
  const list = JSON.parse(page.body);
  const dear = list.filter((p) => p.price > input.limit);
  await kv.set('prices', list.length);
  for (const p of dear) await notify('Dear: ' + p.name, String(p.price));
  return { prices: list.length, dear: dear.length };
}`,
		old: []hypothesis{
			{input: `{"limit":10}`, web: map[string]any{"https://feeds": `[{"name":"a","price":5}]`}},
			{input: `{"limit":10}`, web: map[string]any{"https://feeds": `[{"name":"a","price":15},{"name":"b","price":11}]`}},
			{input: `{"limit":10}`, web: map[string]any{"https://feeds": `[]`}},
			{input: `{"limit":20}`, web: map[string]any{"https://feeds": `[{"name":"a","price":15},{"name":"b","price":31},{"name":"c","price":3}]`}},
		},
		fresh: hypothesis{input: `{"limit":10}`, web: map[string]any{"https://feeds": "\ufeff" + `[{"name":"a","price":12},{"name":"b","price":2}]`}},
		good: map[string][]string{
			"replace":    {"JSON.parse(page.body)", "JSON.parse(page.body.replace(/^\\uFEFF/, ''))"},
			"second way": {"  const list = JSON.parse(page.body);", "  let list;\n  try {\n    list = JSON.parse(page.body);\n  } catch (err) {\n    list = JSON.parse(page.body.slice(page.body.indexOf('[')));\n  }"},
			"looks":      {"  const list = JSON.parse(page.body);", "  let list;\n  try {\n    list = JSON.parse(page.body);\n  } catch (err) {\n    if (!(err instanceof SyntaxError)) throw err;\n    list = JSON.parse(page.body.trim());\n  }"},
		},
		bad: map[string]wrong{
			"empty":      {"held", []string{"  const list = JSON.parse(page.body);", "  let list = [];\n  try {\n    list = JSON.parse(page.body);\n  } catch (err) {\n    console.warn('bad');\n  }"}},
			"only new":   {"different", []string{"JSON.parse(page.body)", "JSON.parse(page.body.slice(1))"}},
			"in a then":  {"held", []string{"  const list = JSON.parse(page.body);", "  const list = await Promise.resolve(page.body).then(JSON.parse).catch(() => []);"}},
			"by finally": {"held", []string{"  const list = JSON.parse(page.body);", "  const parse = () => { let found = []; try { found = JSON.parse(page.body); } finally { return found; } };\n  const list = parse();"}},
			"false look": {"held", []string{"  const list = JSON.parse(page.body);", "  let list;\n  try {\n    list = JSON.parse(page.body);\n  } catch (err) {\n    if (err.message === 'never') throw err;\n    list = [];\n  }"}},
			"with data":  {"held", []string{"  const list = JSON.parse(page.body);", "  let list;\n  try {\n    list = JSON.parse(page.body);\n  } catch (err) {\n    list = page.body.split('nothing at all').filter((x) => x.price);\n  }"}},
		},
	},
	{
		name: "nothing found leaves the list out, and says why",
		code: `
async function main(input) {
  const res = await web.getJSON('https://search.example.test/2/search?q=' + encodeURIComponent(input.q));
  const best = res.data.slice().sort((a, b) => b.score - a.score)[0];
  await files.append('hits.log', input.q + ': ' + res.data.length + '\n');
  await kv.set('hits:' + input.q, { count: res.data.length, best: best ? best.id : null });
  if (res.data.length > 0) await notify('Found ' + input.q, res.data.length + ' hits');
  return { hits: res.data.length };
}`,
		old: []hypothesis{
			{input: `{"q":"gold"}`, web: map[string]any{"https://search": `{"data":[{"id":"1","score":3,"text":"a"}],"meta":{"count":1}}`}},
			{input: `{"q":"bowl"}`, web: map[string]any{"https://search": `{"data":[{"id":"2","score":3,"text":"a"},{"id":"3","score":5,"text":"c"}],"meta":{"count":2}}`}},
			{input: `{"q":"cup"}`, web: map[string]any{"https://search": `{"data":[{"id":"2","score":3,"text":"a"},{"id":"3","score":5,"text":"c"},{"id":"4","score":1,"text":"d"}],"meta":{"count":3}}`}},
		},
		fresh: hypothesis{input: `{"q":"vase"}`, web: map[string]any{"https://search": `{"errors":[{"title":"Not Found","detail":"no match for vase","type":"https://errors.example.test/not-found"}],"meta":{"count":0}}`}},
		good: map[string][]string{
			"or empty": {"  const best = res.data.slice()", "  const data = res.data || [];\n  const best = data.slice()", "': ' + res.data.length", "': ' + data.length", "{ count: res.data.length", "{ count: data.length", "if (res.data.length > 0)", "if (data.length > 0)", "input.q, res.data.length + ' hits'", "input.q, data.length + ' hits'", "{ hits: res.data.length }", "{ hits: data.length }"},
			"set":      {"  const best", "  if (!res.data) res.data = [];\n  const best"},
		},
		bad: map[string]wrong{
			"early":   {"held", []string{"  const best", "  if (!res.data) return { hits: 0 };\n  const best"}},
			"swallow": {"held", wrapSwallow("{ hits: 0 }")},
		},
	},
	{
		name: "a deleted author, among members that come and go",
		code: `
async function main(input) {
  const issues = await web.getJSON('https://git.example.test/repos/' + input.repo + '/issues');
  const lines = issues.map((i) => '#' + i.number + ' ' + i.title + ' by ' + i.user.login);
  const labels = {};
  for (const i of issues) for (const l of i.labels) labels[l.name] = (labels[l.name] || 0) + 1;
  await files.write('issues.md', lines.join('\n') + '\n');
  await kv.set('labels', labels);
  await notify('Issues of ' + input.repo, lines.length + ' open');
  return { issues: lines.length, labels: labels };
}`,
		old: []hypothesis{
			{input: `{"repo":"acme/site"}`, web: map[string]any{"https://git": `[{"number":1,"title":"a","user":{"login":"ann"},"labels":[{"name":"bug"}]}]`}},
			{input: `{"repo":"acme/site"}`, web: map[string]any{"https://git": `[{"number":1,"title":"a","user":{"login":"ann"},"labels":[{"name":"bug"}]},{"number":2,"title":"b","user":{"login":"bob"},"labels":[],"milestone":{"title":"m"}}]`}},
			{input: `{"repo":"acme/app"}`, web: map[string]any{"https://git": `[{"number":3,"title":"c","user":{"login":"ann"},"labels":[{"name":"doc"},{"name":"bug"}]},{"number":1,"title":"a","user":{"login":"cy"},"labels":[{"name":"bug"}]},{"number":2,"title":"b","user":{"login":"bob"},"labels":[]}]`}},
		},
		fresh: hypothesis{input: `{"repo":"acme/app"}`, web: map[string]any{"https://git": `[{"number":9,"title":"z","user":null,"labels":[{"name":"new"}],"pull_request":{"url":"https://git.example.test/pulls/9"},"performed_via_app":"bot"},{"number":3,"title":"c","user":{"login":"ann"},"labels":[]}]`}},
		good: map[string][]string{
			"ghost":  {"i.user.login", "(i.user ? i.user.login : 'ghost')"},
			"member": {"i.user.login", "(i.user || { login: '(deleted)' }).login"},
			"chain":  {"i.user.login", "(i.user?.login ?? 'unknown')"},
		},
		bad: map[string]wrong{
			"undefined": {"held", []string{"i.user.login", "i.user?.login"}},
			"null":      {"held", []string{"i.user.login", "(i.user && i.user.login)"}},
			"overfit":   {"held", []string{"i.user.login", "(i.number === 9 ? 'ghost' : i.user.login)"}},
			"skips":     {"held", []string{"const issues = await", "const all = await", "  const lines", "  const issues = all.filter((i) => i.number !== 9);\n  const lines"}},
			"quiet":     {"held", []string{"i.user.login", "(i.user ? i.user.login : 'ghost')", "  await notify(", "  if (issues.every((i) => i.user)) await notify("}},
			"more":      {"held", []string{"i.user.login", "(i.user ? i.user.login : 'ghost')", "  await notify(", "  if (issues.some((i) => !i.user)) await notify('Ghost', 'somebody is gone');\n  await notify("}},
		},
	},
	{
		// The other person has the same member; it is not the one that the script wants.
		name: "a deleted author next to another person",
		code: `
async function main(input) {
  const pull = await web.getJSON('https://git.example.test/pulls/' + input.number);
  const line = '#' + pull.number + ' ' + pull.title + ' by ' + pull.user.login;
  await files.append('pulls.log', line + '\n');
  await notify('Pull request', line);
  return { by: pull.user.login, state: pull.state };
}`,
		old: []hypothesis{
			{input: `{"number":1}`, web: map[string]any{"https://git": `{"number":1,"title":"a","state":"open","user":{"login":"ann"},"assignee":null}`}},
			{input: `{"number":2}`, web: map[string]any{"https://git": `{"number":2,"title":"b","state":"open","user":{"login":"bob"},"assignee":null}`}},
			{input: `{"number":3}`, web: map[string]any{"https://git": `{"number":3,"title":"c","state":"closed","user":{"login":"cy"},"assignee":null}`}},
		},
		fresh: hypothesis{input: `{"number":4}`, web: map[string]any{"https://git": `{"number":4,"title":"d","state":"open","user":null,"assignee":{"login":"ann"}}`}},
		good: map[string][]string{
			"ghost": {"  const line", "  const by = pull.user ? pull.user.login : 'ghost';\n  const line", "' by ' + pull.user.login", "' by ' + by", "by: pull.user.login", "by: by"},
			"set":   {"  const line", "  if (!pull.user) pull.user = { login: 'ghost' };\n  const line"},
		},
		bad: map[string]wrong{
			"swallow": {"held", wrapSwallow("{ by: '', state: 'open' }")},
			"null":    {"held", []string{"' by ' + pull.user.login", "' by ' + pull.user?.login", "by: pull.user.login", "by: pull.user?.login ?? null"}},
		},
	},
	{
		name: "the workflow's own state has another shape",
		code: `
async function main(input) {
  const seen = (await kv.get('seen')) || [];
  const res = await web.getJSON('https://feed.example.test/items?day=' + input.day);
  const fresh = res.items.filter((i) => !seen.includes(i.id));
  for (const i of fresh) await notify('New: ' + i.title, i.link);
  await kv.set('seen', seen.concat(fresh.map((i) => i.id)).slice(-100));
  return { fresh: fresh.length };
}`,
		old: []hypothesis{
			{input: `{"day":"2026-03-01"}`, web: map[string]any{"https://feed": `{"items":[{"id":"a1","title":"A","link":"https://x.test/a"}]}`}},
			{input: `{"day":"2026-03-02"}`, kv: map[string]string{"seen": `["a1"]`}, web: map[string]any{"https://feed": `{"items":[{"id":"a1","title":"A","link":"https://x.test/a"},{"id":"b2","title":"B","link":"https://x.test/b"}]}`}},
			{input: `{"day":"2026-03-03"}`, kv: map[string]string{"seen": `["a1","b2"]`}, web: map[string]any{"https://feed": `{"items":[]}`}},
		},
		fresh: hypothesis{input: `{"day":"2026-03-04"}`, kv: map[string]string{"seen": `{"ids":["a1","b2"]}`}, web: map[string]any{"https://feed": `{"items":[{"id":"c3","title":"C","link":"https://x.test/c"},{"id":"a1","title":"A","link":"https://x.test/a"}]}`}},
		good: map[string][]string{
			"either": {"  const seen = (await kv.get('seen')) || [];", "  const stored = (await kv.get('seen')) || [];\n  const seen = Array.isArray(stored) ? stored : stored.ids;"},
		},
		bad: map[string]wrong{
			"forgets": {hard, []string{"  const seen = (await kv.get('seen')) || [];", "  const stored = (await kv.get('seen')) || [];\n  const seen = Array.isArray(stored) ? stored : [];"}},
			"swallow": {"held", wrapSwallow("{ fresh: 0 }")},
			"no read": {"different", []string{"  const seen = (await kv.get('seen')) || [];", "  const seen = [];"}},
		},
	},
	{
		name: "a message without a subject",
		code: `
async function main() {
  const list = await web.getJSON('https://mail.example.test/v1/messages');
  const lines = [];
  for (const m of list.messages) {
    const full = await web.getJSON('https://mail.example.test/v1/messages/' + m.id);
    const subject = full.headers.find((h) => h.name === 'Subject').value;
    lines.push('- ' + subject.trim() + ' (' + full.size + ')');
  }
  await files.write('digest.md', '# Mail\n' + lines.join('\n') + '\n');
  await kv.set('digest', { mails: lines.length });
  return { mails: lines.length };
}`,
		old: []hypothesis{
			{web: map[string]any{"https://mail.example.test/v1/messages": `{"messages":[{"id":"m1"}]}`, "https://mail.example.test/v1/messages/m1": `{"headers":[{"name":"From","value":"a"},{"name":"Subject","value":"hi"}],"size":10}`}},
			{web: map[string]any{"https://mail.example.test/v1/messages": `{"messages":[]}`}},
			{web: map[string]any{"https://mail.example.test/v1/messages": `{"messages":[{"id":"m2"},{"id":"m3"}]}`, "https://mail.example.test/v1/messages/m2": `{"headers":[{"name":"From","value":"a"},{"name":"Subject","value":"hi"}],"size":10}`, "https://mail.example.test/v1/messages/m3": `{"headers":[{"name":"Subject","value":"yo"}],"size":11}`}},
		},
		fresh: hypothesis{web: map[string]any{"https://mail.example.test/v1/messages": `{"messages":[{"id":"m5"}]}`, "https://mail.example.test/v1/messages/m5": `{"headers":[{"name":"From","value":"b"}],"size":99}`}},
		good: map[string][]string{
			"default": {".find((h) => h.name === 'Subject').value;", ".find((h) => h.name === 'Subject')?.value ?? '(no subject)';"},
			"object":  {"full.headers.find((h) => h.name === 'Subject').value", "(full.headers.find((h) => h.name === 'Subject') || { value: '(no subject)' }).value"},
		},
		bad: map[string]wrong{
			"by its id": {"held", []string{"    const full", "    if (m.id === 'm5') { lines.push('- (no subject) (99)'); continue; }\n    const full"}},
			"skips":     {"held", []string{"    const subject", "    if (!full.headers.some((h) => h.name === 'Subject')) continue;\n    const subject"}},
			"undefined": {"held", []string{".find((h) => h.name === 'Subject').value;", ".find((h) => h.name === 'Subject')?.value + '';"}},
			"no reads":  {"held", []string{"  for (const m of list.messages)", "  for (const m of list.messages.filter((m) => m.id < 'm5'))"}},
		},
	},
	{
		name: "more pages than before",
		code: `
async function main(input) {
  const res = await web.getJSON('https://crm.example.test/v3/contacts?limit=100');
  const people = res.results.map((p) => p.properties.firstname.trim() + ' ' + p.properties.lastname.trim());
  await files.write('contacts.txt', people.sort().join('\n') + '\n');
  return { contacts: people.length };
}`,
		old: []hypothesis{
			{web: map[string]any{"https://crm": `{"results":[{"id":"1","properties":{"firstname":"Ann","lastname":"Bee"}}]}`}},
			{web: map[string]any{"https://crm": `{"results":[{"id":"1","properties":{"firstname":"Ann","lastname":"Bee"}},{"id":"2","properties":{"firstname":"Cy","lastname":"Dee"}}]}`}},
			{web: map[string]any{"https://crm": `{"results":[{"id":"1","properties":{"firstname":"Ann","lastname":"Bee"}},{"id":"2","properties":{"firstname":"Cy","lastname":"Dee"}},{"id":"3","properties":{"firstname":"Eve","lastname":"Fox"}}]}`}},
		},
		fresh:       hypothesis{web: map[string]any{"https://crm": `{"results":[{"id":"9","properties":{"firstname":"Gus","lastname":null}},{"id":"8","properties":{"firstname":"Hal","lastname":"Ivy"}}],"paging":{"next":{"after":"8"}}}`}},
		goodVerdict: gate.Unverifiable,
		good: map[string][]string{
			"pages": {"const res = await web.getJSON('https://crm.example.test/v3/contacts?limit=100');", "const res = { results: [] };\n  let url = 'https://crm.example.test/v3/contacts?limit=100';\n  while (url) {\n    const page = await web.getJSON(url);\n    res.results.push(...page.results);\n    url = page.paging ? 'https://crm.example.test/v3/contacts?limit=100&after=' + page.paging.next.after : null;\n  }", "p.properties.lastname.trim()", "(p.properties.lastname || '').trim()"},
		},
		bad: map[string]wrong{
			"only new": {"different", []string{"p.properties.lastname.trim()", "(p.properties.lastname || '-')", "p.properties.firstname.trim() + ' '", "p.properties.firstname + ', '"}},
		},
	},
	{
		name: "a much longer list than ever",
		code: `
async function main() {
  const res = await web.getJSON('https://tasks.example.test/api/tasks');
  let posted = 0;
  for (const t of res.tasks) {
    await web.postJSON('https://board.example.test/api/cards', { title: t.title.trim(), due: t.due.slice(0, 10) });
    posted++;
  }
  await kv.set('posted', posted);
  return { posted: posted };
}`,
		old: []hypothesis{
			{web: map[string]any{"https://tasks": `{"tasks":[{"title":"a","due":"2026-03-01T10:00:00Z"}]}`}},
			{web: map[string]any{"https://tasks": `{"tasks":[{"title":"a","due":"2026-03-01T10:00:00Z"},{"title":"b","due":"2026-03-02T10:00:00Z"}]}`}},
			{web: map[string]any{"https://tasks": `{"tasks":[]}`}},
		},
		fresh: hypothesis{web: map[string]any{"https://tasks": `{"tasks":[{"title":"a","due":"2026-03-01T10:00:00Z"},{"title":"b","due":"2026-03-02T10:00:00Z"},{"title":"c","due":"2026-03-02T10:00:00Z"},{"title":"d","due":"2026-03-02T10:00:00Z"},{"title":"e","due":"2026-03-02T10:00:00Z"},{"title":"f","due":"2026-03-02T10:00:00Z"},{"title":"g","due":"2026-03-02T10:00:00Z"},{"title":"h","due":null},{"title":"i","due":"2026-03-02T10:00:00Z"},{"title":"j","due":"2026-03-02T10:00:00Z"}]}`}},
		good: map[string][]string{
			"empty": {"t.due.slice(0, 10)", "(t.due || '').slice(0, 10)"},
		},
		bad: map[string]wrong{
			"reordered":   {"different", []string{"of res.tasks)", "of res.tasks.slice().sort((a, b) => (a.title < b.title ? 1 : -1)))", "t.due.slice(0, 10)", "(t.due || '').slice(0, 10)"}},
			"stops":       {"different", []string{"    await web.postJSON", "    if (!t.due) break;\n    posted += 0;\n    await web.postJSON", "t.title.trim()", "t.title.trim().toUpperCase()"}},
			"skips":       {"held", []string{"    await web.postJSON", "    if (!t.due) continue;\n    await web.postJSON"}},
			"fails at it": {"different", []string{"    await web.postJSON", "    if (!t.due) { posted++; await web.postJSON('https://board.example.test/api/cards', { title: 'x' }); }\n    await web.postJSON"}},
			"elsewhere":   {"held", []string{"t.due.slice(0, 10)", "(t.due || '').slice(0, 10)", "    posted++;", "    posted++;\n    if (!t.due) await web.postJSON('https://other.example.test/api/cards', { title: t.title });"}},
			"as a read":   {"unverifiable", []string{"due: t.due.slice(0, 10) })", "due: (t.due || '').slice(0, 10) }, { effect: 'read' })"}},
		},
	},
}

// Right repairs pass with nothing to hold; wrong ones are different, held or unverifiable.
func TestChanges(t *testing.T) {
	t.Parallel()
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			opened := openGate(t, subject(t, c.code, c.old, c.fresh))
			want := c.goodVerdict
			if want == "" {
				want = gate.Identical
			}
			for _, name := range slices.Sorted(maps.Keys(c.good)) {
				judged := judge(t, opened, edited(t, c.code, c.good[name]...))
				require.Equal(t, want, opposed(judged), "good %q: %+v %q", name, judged.Divergence, judged.Reasons)
				require.Empty(t, judged.Reasons, "good %q", name)
				require.Equal(t, judged.Replayed, judged.Identical, "good %q", name)
			}
			for _, name := range slices.Sorted(maps.Keys(c.bad)) {
				judged := judge(t, opened, edited(t, c.code, c.bad[name].edits...))
				if c.bad[name].want == hard {
					t.Logf("%q is hard: %s", name, said(judged))
					continue
				}
				require.Equal(t, c.bad[name].want, said(judged), "bad %q: %+v %q", name, judged.Divergence, judged.Reasons)
			}
		})
	}
}
