package gate_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// services are changes that documented services have made, in payloads made up for this.
var services = []change{
	{
		name: "a host and its port are no address with a scheme",
		code: `
async function main(input) {
  const { result } = await web.getJSON('https://metrics.example.test/api/query?day=' + input.day);
  for (const one of result) await notify(one.instance.trim() + ' is slow', one.seconds.toFixed(1) + ' s');
  return { slow: result.length };
}`,
		old: []hypothesis{
			{input: `{"day":1}`, web: map[string]any{"https://metrics": `{"result":[{"instance":"db1:9100","seconds":3.2}]}`}},
			{input: `{"day":2}`, web: map[string]any{"https://metrics": `{"result":[{"instance":"db1:9100","seconds":4.5},{"instance":"db2:9100","seconds":9}]}`}},
			{input: `{"day":3}`, web: map[string]any{"https://metrics": `{"result":[{"instance":"db2:9100","seconds":2.5}]}`}},
		},
		fresh: hypothesis{input: `{"day":4}`, web: map[string]any{"https://metrics": `{"result":[{"metric_instance":"db7:9100","seconds":3.1},{"metric_instance":"db8:9100","seconds":6}]}`}},
		good:  map[string][]string{"either": {"one.instance.trim()", "(one.instance ?? one.metric_instance).trim()"}},
	},
	{
		name: "one of two feeds has another name for a member",
		code: `
async function main(input) {
  const lines = [];
  for (const feed of ['art', 'sea']) {
    const { entries } = await web.getJSON('https://reader.example.test/feed/' + feed + '?day=' + input.page);
    for (const e of entries) lines.push(e.title.trim() + ' (' + e.published.slice(0, 10) + ')');
  }
  await notify('News', lines.join('\n'));
  return { entries: lines.length };
}`,
		old: []hypothesis{
			{input: `{"page":1}`, web: map[string]any{"https://reader.example.test/feed/art": `{"entries":[{"title":"A1","published":"2026-03-01T05:00:00Z"}]}`, "https://reader.example.test/feed/sea": `{"entries":[{"title":"S1","published":"2026-03-01T07:00:00Z"},{"title":"S2","published":"2026-03-01T08:00:00Z"}]}`}},
			{input: `{"page":1}`, web: map[string]any{"https://reader.example.test/feed/art": `{"entries":[{"title":"A2","published":"2026-03-02T05:00:00Z"},{"title":"A3","published":"2026-03-02T06:00:00Z"}]}`, "https://reader.example.test/feed/sea": `{"entries":[{"title":"S3","published":"2026-03-02T07:00:00Z"}]}`}},
			{input: `{"page":1}`, web: map[string]any{"https://reader.example.test/feed/art": `{"entries":[{"title":"A4","published":"2026-03-03T05:00:00Z"}]}`, "https://reader.example.test/feed/sea": `{"entries":[{"title":"S4","published":"2026-03-03T07:00:00Z"}]}`}},
		},
		fresh: hypothesis{input: `{"page":1}`, web: map[string]any{"https://reader.example.test/feed/art": `{"entries":[{"title":"A5","published":"2026-03-04T05:00:00Z"}]}`, "https://reader.example.test/feed/sea": `{"entries":[{"title":"S5","entry_published":"2026-03-04T07:00:00Z"}]}`}},
		good: map[string][]string{
			"either": {"e.published.slice", "(e.published ?? e.entry_published).slice"},
		},
		bad: map[string]wrong{
			"the list of it": {"held", []string{"e.published.slice", "(e.published ?? [].concat(e.entry_published)).slice"}},
			"the first feed": {"held", []string{"of entries)", "of entries.filter((e) => e.published))"}},
		},
	},
	{
		name: "properties of a contact are plain values now",
		code: `
async function main(input) {
  const page = await web.getJSON('https://crm.example.test/contacts?since=' + input.day);
  const lines = [];
  for (const c of page.contacts) {
    const mail = c.properties.email.value.toLowerCase();
    lines.push(c.vid + ';' + mail + ';' + c.properties.city.value.trim());
  }
  await files.write('contacts-' + input.day + '.csv', lines.join('\n') + '\n');
  await kv.set('contacts', page.contacts.length);
  return { contacts: lines.length, newest: lines.length ? lines[lines.length - 1] : '-' };
}`,
		old: []hypothesis{
			{input: `{"day":"2026-03-01"}`, web: map[string]any{"https://crm": `{"contacts":[{"vid":11,"properties":{"email":{"value":"A@x.test","versions":[]},"city":{"value":"Lyon","versions":[]}}}]}`}},
			{input: `{"day":"2026-03-02"}`, web: map[string]any{"https://crm": `{"contacts":[]}`}},
			{input: `{"day":"2026-03-03"}`, web: map[string]any{"https://crm": `{"contacts":[{"vid":12,"properties":{"email":{"value":"B@x.test","versions":[]},"city":{"value":"Graz","versions":[]}}},{"vid":13,"properties":{"email":{"value":"C@x.test","versions":[]},"city":{"value":"Faro","versions":[]}}}]}`}},
			{input: `{"day":"2026-03-04"}`, web: map[string]any{"https://crm": `{"contacts":[{"vid":14,"properties":{"email":{"value":"D@x.test","versions":[]},"city":{"value":"Lyon","versions":[]}}}]}`}},
		},
		fresh: hypothesis{input: `{"day":"2026-03-05"}`, web: map[string]any{"https://crm": `{"contacts":[{"vid":15,"properties":{"email":"E@x.test","city":"Oslo"}},{"vid":16,"properties":{"email":"F@x.test","city":"Bari"}}]}`}},
		good: map[string][]string{
			"helper": {"async function main", "const plain = (p) => (p !== null && typeof p === 'object' ? p.value : p);\nasync function main", "c.properties.email.value.toLowerCase()", "plain(c.properties.email).toLowerCase()", "c.properties.city.value.trim()", "plain(c.properties.city).trim()"},
			"either": {"c.properties.email.value.toLowerCase()", "(c.properties.email.value ?? c.properties.email).toLowerCase()", "c.properties.city.value.trim()", "(c.properties.city.value ?? c.properties.city).trim()"},
		},
		bad: map[string]wrong{
			"empty":    {"held", []string{"c.properties.email.value.toLowerCase()", "(c.properties.email.value || '').toLowerCase()", "c.properties.city.value.trim()", "(c.properties.city.value || '').trim()"}},
			"crossed":  {hard, []string{"c.properties.email.value.toLowerCase()", "(c.properties.email.value ?? c.properties.email).toLowerCase()", "c.properties.city.value.trim()", "(c.properties.city.value ?? c.properties.email).trim()"}},
			"skip":     {"held", []string{"    const mail", "    if (typeof c.properties.email === 'string') continue;\n    const mail"}},
			"swallow":  {"held", wrapSwallow("{ contacts: 0, newest: '-' }")},
			"per item": {"held", []string{"    const mail = c.properties.email.value.toLowerCase();\n    lines.push(", "    try {\n    const mail = c.properties.email.value.toLowerCase();\n    lines.push(", "c.properties.city.value.trim());", "c.properties.city.value.trim());\n    } catch (e) { console.warn(e.message); }"}},
			"stringly": {"held", []string{"c.properties.email.value.toLowerCase()", "String(c.properties.email.value).toLowerCase()", "c.properties.city.value.trim()", "String(c.properties.city.value).trim()"}},
		},
	},
	{
		name: "the end of the period moved to the items of the subscription",
		code: `
async function main(input) {
  const { data } = await web.getJSON('https://pay.example.test/v1/subscriptions?status=' + input.status);
  const due = data.map((s) => ({ id: s.id, ends: new Date(s.current_period_end * 1000).toISOString().slice(0, 10) }));
  due.sort((a, b) => a.ends.localeCompare(b.ends));
  await kv.set('due', due);
  if (due.length) await notify('Next renewal', due[0].id + ' on ' + due[0].ends);
  return { subscriptions: due.length };
}`,
		old: []hypothesis{
			{input: `{"status":"active"}`, web: map[string]any{"https://pay": `{"data":[{"id":"sub_1","created":1760000000,"billing_cycle_anchor":1760000000,"current_period_start":1770000000,"current_period_end":1772600000,"items":{"data":[{"id":"si_1","quantity":1}]}}]}`}},
			{input: `{"status":"active"}`, web: map[string]any{"https://pay": `{"data":[{"id":"sub_1","created":1760000000,"billing_cycle_anchor":1760000000,"current_period_start":1772600000,"current_period_end":1775200000,"items":{"data":[{"id":"si_1","quantity":1}]}},{"id":"sub_2","created":1761000000,"billing_cycle_anchor":1761000000,"current_period_start":1771000000,"current_period_end":1773600000,"items":{"data":[{"id":"si_2","quantity":2}]}}]}`}},
			{input: `{"status":"active"}`, web: map[string]any{"https://pay": `{"data":[]}`}},
			{input: `{"status":"active"}`, web: map[string]any{"https://pay": `{"data":[{"id":"sub_2","created":1761000000,"billing_cycle_anchor":1761000000,"current_period_start":1773600000,"current_period_end":1776200000,"items":{"data":[{"id":"si_2","quantity":2}]}}]}`}},
		},
		fresh: hypothesis{input: `{"status":"active"}`, web: map[string]any{"https://pay": `{"data":[{"id":"sub_3","created":1762000000,"billing_cycle_anchor":1762000000,"items":{"data":[{"id":"si_3","quantity":1,"current_period_start":1774000000,"current_period_end":1776600000}]}},{"id":"sub_4","created":1762500000,"billing_cycle_anchor":1762500000,"items":{"data":[{"id":"si_4","quantity":1,"current_period_start":1774500000,"current_period_end":1777100000}]}}]}`}},
		good: map[string][]string{
			"first item": {"s.current_period_end * 1000", "(s.current_period_end ?? s.items.data[0].current_period_end) * 1000"},
			"latest":     {"s.current_period_end * 1000", "(s.current_period_end ?? Math.max(...s.items.data.map((i) => i.current_period_end))) * 1000"},
		},
		bad: map[string]wrong{
			"start":   {hard, []string{"s.current_period_end * 1000", "(s.current_period_end ?? s.items.data[0].current_period_start) * 1000"}},
			"anchor":  {"held", []string{"s.current_period_end * 1000", "(s.current_period_end ?? s.billing_cycle_anchor) * 1000"}},
			"now":     {"held", []string{"s.current_period_end * 1000", "(s.current_period_end ?? Date.now() / 1000) * 1000"}},
			"epoch":   {"held", []string{"s.current_period_end * 1000", "(s.current_period_end || 0) * 1000"}},
			"filter":  {"held", []string{"data.map((s) =>", "data.filter((s) => s.current_period_end).map((s) =>"}},
			"swallow": {"held", wrapSwallow("{ subscriptions: 0 }")},
		},
	},
	{
		name: "a description is a document now",
		code: `
async function main(input) {
  const issue = await web.getJSON('https://tracker.example.test/rest/api/3/issue/' + input.key);
  const text = issue.fields.description.trim();
  await files.write('issues/' + input.key + '.txt', issue.fields.summary + '\n\n' + text + '\n');
  await notify(input.key, text.slice(0, 60));
  return { key: issue.key, length: text.length };
}`,
		old: []hypothesis{
			{input: `{"key":"A-1"}`, web: map[string]any{"https://tracker": `{"key":"A-1","fields":{"summary":"Leak","description":"Water under the sink. "}}`}},
			{input: `{"key":"A-2"}`, web: map[string]any{"https://tracker": `{"key":"A-2","fields":{"summary":"Door","description":"It does not close."}}`}},
			{input: `{"key":"A-3"}`, web: map[string]any{"https://tracker": `{"key":"A-3","fields":{"summary":"Bell","description":"Too loud\nat night."}}`}},
		},
		fresh: hypothesis{input: `{"key":"A-4"}`, web: map[string]any{"https://tracker": `{"key":"A-4","fields":{"summary":"Lamp","description":{"type":"doc","version":1,"content":[{"type":"paragraph","content":[{"type":"text","text":"The lamp in the hall"}]},{"type":"paragraph","content":[{"type":"text","text":"flickers."}]}]}}}`}},
		good: map[string][]string{
			"flatten": {"async function main", "const plain = (n) => (typeof n === 'string' ? n : n.text || (n.content || []).map(plain).join(n.type === 'doc' ? '\\n' : ''));\nasync function main", "issue.fields.description.trim()", "plain(issue.fields.description).trim()"},
		},
		bad: map[string]wrong{
			"object": {"held", []string{"issue.fields.description.trim()", "String(issue.fields.description).trim()"}},
			"json":   {hard, []string{"issue.fields.description.trim()", "(typeof issue.fields.description === 'string' ? issue.fields.description : JSON.stringify(issue.fields.description)).trim()"}},
			"empty":  {"held", []string{"issue.fields.description.trim()", "(typeof issue.fields.description === 'string' ? issue.fields.description : '').trim()"}},
			"title":  {"held", []string{"issue.fields.description.trim()", "(typeof issue.fields.description === 'string' ? issue.fields.description : issue.fields.summary).trim()"}},
		},
	},
	{
		name: "a method was retired and says so in a 200 answer",
		code: `
async function main(input) {
  const list = await web.getJSON('https://slack.example.test/api/channels.list?limit=200');
  if (!list.ok) throw new Error('channels.list: ' + list.error);
  const busy = list.channels.filter((c) => c.num_members >= input.members).map((c) => '#' + c.name);
  await kv.set('busy', busy);
  await notify('Busy channels', busy.join(', ') || 'none');
  return { channels: list.channels.length, busy: busy.length };
}`,
		old: []hypothesis{
			{input: `{"members":5}`, web: map[string]any{"https://slack": `{"ok":true,"channels":[{"id":"C1","name":"general","num_members":9},{"id":"C2","name":"ops","num_members":3}]}`}},
			{input: `{"members":2}`, web: map[string]any{"https://slack": `{"ok":true,"channels":[{"id":"C1","name":"general","num_members":9},{"id":"C2","name":"ops","num_members":3}]}`}},
			{input: `{"members":5}`, web: map[string]any{"https://slack": `{"ok":true,"channels":[{"id":"C1","name":"general","num_members":9},{"id":"C2","name":"ops","num_members":6},{"id":"C3","name":"cats","num_members":1}]}`}},
		},
		fresh:       hypothesis{input: `{"members":5}`, web: map[string]any{"https://slack": `{"ok":false,"error":"method_deprecated","response_metadata":{"messages":["[ERROR] use conversations.list"]}}`}},
		goodVerdict: gate.Unverifiable,
		good: map[string][]string{
			"new method": {"  const list = await web.getJSON('https://slack.example.test/api/channels.list?limit=200');\n  if (!list.ok) throw", "  let list = await web.getJSON('https://slack.example.test/api/channels.list?limit=200');\n  if (!list.ok && list.error === 'method_deprecated') list = await web.getJSON('https://slack.example.test/api/conversations.list?limit=200');\n  if (!list.ok) throw"},
		},
		bad: map[string]wrong{
			"as if empty": {"held", []string{"  if (!list.ok) throw new Error('channels.list: ' + list.error);", "  if (!list.ok) list.channels = [];"}},
			"return":      {"held", []string{"  if (!list.ok) throw new Error('channels.list: ' + list.error);", "  if (!list.ok) return { channels: 0, busy: 0 };"}},
			"other host":  {"unverifiable", []string{"  const list = await web.getJSON('https://slack.example.test/api/channels.list?limit=200');", "  let list = await web.getJSON('https://slack.example.test/api/channels.list?limit=200');\n  if (!list.ok) list = await web.getJSON('https://mirror.example.test/channels');"}},
		},
	},
	{
		name: "a protected customer is null",
		code: `
async function main(input) {
  const { orders } = await web.getJSON('https://shop.example.test/admin/orders.json?day=' + input.day);
  const rows = orders.map((o) => [o.name, o.customer.first_name + ' ' + o.customer.last_name, o.total_price].join(','));
  const sum = orders.reduce((s, o) => s + Number(o.total_price), 0);
  await files.write('orders/' + input.day + '.csv', rows.join('\n') + '\n');
  await web.postJSON('https://books.example.test/days', { day: input.day, orders: orders.length, sum: sum.toFixed(2) });
  return { orders: orders.length, sum: sum.toFixed(2) };
}`,
		old: []hypothesis{
			{input: `{"day":"2026-03-01"}`, web: map[string]any{"https://shop": `{"orders":[{"name":"#1","total_price":"10.00","customer":{"id":1,"first_name":"Ann","last_name":"Bee"}}]}`}},
			{input: `{"day":"2026-03-02"}`, web: map[string]any{"https://shop": `{"orders":[{"name":"#2","total_price":"12.50","customer":{"id":2,"first_name":"Cy","last_name":"Dee"}},{"name":"#3","total_price":"7.00","customer":{"id":1,"first_name":"Ann","last_name":"Bee"}}]}`}},
			{input: `{"day":"2026-03-03"}`, web: map[string]any{"https://shop": `{"orders":[]}`}},
			{input: `{"day":"2026-03-04"}`, web: map[string]any{"https://shop": `{"orders":[{"name":"#4","total_price":"3.20","customer":{"id":3,"first_name":"Eve","last_name":"Fox"}}]}`}},
		},
		fresh: hypothesis{input: `{"day":"2026-03-05"}`, web: map[string]any{"https://shop": `{"orders":[{"name":"#5","total_price":"5.00","customer":null},{"name":"#6","total_price":"6.00","customer":{"id":2,"first_name":"Cy","last_name":"Dee"}}]}`}},
		good: map[string][]string{
			"guest":  {"o.customer.first_name + ' ' + o.customer.last_name", "(o.customer ? o.customer.first_name + ' ' + o.customer.last_name : 'guest')"},
			"helper": {"async function main", "function nameOf(customer) {\n  if (!customer) return 'not known';\n  return customer.first_name + ' ' + customer.last_name;\n}\n\nasync function main", "o.customer.first_name + ' ' + o.customer.last_name", "nameOf(o.customer)"},
		},
		bad: map[string]wrong{
			"skip":      {"held", []string{"const { orders } = await", "const answer = await", "  const rows", "  const orders = answer.orders.filter((o) => o.customer);\n  const rows"}},
			"undefined": {"held", []string{"o.customer.first_name + ' ' + o.customer.last_name", "o.customer?.first_name + ' ' + o.customer?.last_name"}},
			"rows only": {"held", []string{"orders.map((o) => [", "orders.filter((o) => o.customer).map((o) => ["}},
			"no post":   {"held", []string{"o.customer.first_name + ' ' + o.customer.last_name", "(o.customer ? o.customer.first_name + ' ' + o.customer.last_name : 'guest')", "  await web.postJSON('https://books", "  if (orders.every((o) => o.customer)) await web.postJSON('https://books"}},
			"sum":       {hard, []string{"o.customer.first_name + ' ' + o.customer.last_name", "(o.customer ? o.customer.first_name + ' ' + o.customer.last_name : 'guest')", "orders.reduce((s, o) => s + Number(o.total_price), 0)", "orders.reduce((s, o) => s + (o.customer ? Number(o.total_price) : 0), 0)"}},
		},
	},
	{
		name: "an event of a whole day has a date and no time",
		code: `
async function main(input) {
  const { items } = await web.getJSON('https://cal.example.test/v3/events?day=' + input.day);
  const lines = items.map((e) => e.start.dateTime.slice(11, 16) + ' ' + e.summary);
  await notify('Agenda ' + input.day, lines.join('\n') || 'free');
  await kv.set('agenda', { day: input.day, events: lines.length });
  return { events: lines.length };
}`,
		old: []hypothesis{
			{input: `{"day":"2026-03-01"}`, web: map[string]any{"https://cal": `{"items":[{"summary":"Dentist","start":{"dateTime":"2026-03-01T09:30:00+01:00"}}]}`}},
			{input: `{"day":"2026-03-02"}`, web: map[string]any{"https://cal": `{"items":[{"summary":"Choir","start":{"dateTime":"2026-03-02T19:00:00+01:00"}},{"summary":"Lunch","start":{"dateTime":"2026-03-02T12:15:00+01:00"}}]}`}},
			{input: `{"day":"2026-03-03"}`, web: map[string]any{"https://cal": `{"items":[]}`}},
		},
		fresh: hypothesis{input: `{"day":"2026-03-04"}`, web: map[string]any{"https://cal": `{"items":[{"summary":"Holiday","start":{"date":"2026-03-04"}},{"summary":"Call","start":{"dateTime":"2026-03-04T10:00:00+01:00"}}]}`}},
		good: map[string][]string{
			"helper": {"  const lines", "  const timeOf = (e) => (e.start.date ? 'all day' : e.start.dateTime.slice(11, 16));\n  const lines", "e.start.dateTime.slice(11, 16) + ' '", "timeOf(e) + ' '"},
		},
		bad: map[string]wrong{
			// Right, and held all the same: it does not look at what stands there instead.
			"all day":   {hard, []string{"e.start.dateTime.slice(11, 16)", "(e.start.dateTime ? e.start.dateTime.slice(11, 16) : 'all day')"}},
			"skip":      {"held", []string{"items.map((e) =>", "items.filter((e) => e.start.dateTime).map((e) =>"}},
			"undefined": {"held", []string{"e.start.dateTime.slice(11, 16)", "e.start.dateTime?.slice(11, 16)"}},
			"by name":   {"held", []string{"e.start.dateTime.slice(11, 16)", "(e.summary === 'Holiday' ? 'all day' : e.start.dateTime.slice(11, 16))"}},
		},
	},
	{
		name: "tags became a list object",
		code: `
async function main(input) {
  const { users } = await web.getJSON('https://desk.example.test/users?segment=' + input.segment);
  const counts = {};
  for (const u of users) {
    for (const t of u.tags) counts[t.name] = (counts[t.name] || 0) + 1;
  }
  await files.write('tags.json', JSON.stringify(counts));
  await kv.set('users', users.map((u) => u.id));
  return { users: users.length, tags: Object.keys(counts).length };
}`,
		old: []hypothesis{
			{input: `{"segment":"a"}`, web: map[string]any{"https://desk": `{"users":[{"id":"u1","tags":[{"id":"1","name":"vip"}]},{"id":"u2","tags":[]}]}`}},
			{input: `{"segment":"a"}`, web: map[string]any{"https://desk": `{"users":[{"id":"u1","tags":[{"id":"1","name":"vip"},{"id":"2","name":"beta"}]},{"id":"u3","tags":[{"id":"2","name":"beta"}]}]}`}},
			{input: `{"segment":"b"}`, web: map[string]any{"https://desk": `{"users":[{"id":"u4","tags":[{"id":"3","name":"lead"}]}]}`}},
		},
		fresh: hypothesis{input: `{"segment":"b"}`, web: map[string]any{"https://desk": `{"users":[{"id":"u4","tags":{"type":"tag.list","tags":[{"id":"3","name":"lead"},{"id":"1","name":"vip"}]}},{"id":"u5","tags":{"type":"tag.list","tags":[]}}]}`}},
		good: map[string][]string{
			"either": {"of u.tags)", "of (Array.isArray(u.tags) ? u.tags : u.tags.tags))"},
		},
		bad: map[string]wrong{
			"none":   {"held", []string{"of u.tags)", "of (Array.isArray(u.tags) ? u.tags : []))"}},
			"values": {"held", []string{"of u.tags)", "of (Array.isArray(u.tags) ? u.tags : Object.values(u.tags)))"}},
			"first":  {hard, []string{"of u.tags)", "of (Array.isArray(u.tags) ? u.tags : u.tags.tags.slice(0, 1)))"}},
			"guard":  {"held", []string{"    for (const t of u.tags)", "    if (Array.isArray(u.tags)) for (const t of u.tags)"}},
			"twice":  {hard, []string{"of u.tags)", "of (Array.isArray(u.tags) ? u.tags : u.tags.tags.concat(u.tags.tags)))"}},
		},
	},
	{
		name: "an id became a text under another name",
		code: `
async function main(input) {
  const { data } = await web.getJSON('https://tasks.example.test/api/1.0/projects/' + input.project + '/tasks');
  const open = data.filter((t) => !t.completed);
  for (const t of open) {
    await web.postJSON('https://board.example.test/cards', { ref: t.id.toString().padStart(6, '0'), title: t.name.trim() });
  }
  await kv.set('open', open.length);
  return { open: open.length, of: data.length };
}`,
		old: []hypothesis{
			{input: `{"project":"p1"}`, web: map[string]any{"https://tasks": `{"data":[{"id":101,"name":"a","completed":false},{"id":102,"name":"b","completed":true}]}`}},
			{input: `{"project":"p1"}`, web: map[string]any{"https://tasks": `{"data":[{"id":103,"name":"c","completed":false},{"id":104,"name":"d","completed":false}]}`}},
			{input: `{"project":"p2"}`, web: map[string]any{"https://tasks": `{"data":[]}`}},
		},
		fresh: hypothesis{input: `{"project":"p1"}`, web: map[string]any{"https://tasks": `{"data":[{"gid":"105","resource_type":"task","name":"e","completed":false},{"gid":"106","resource_type":"task","name":"f","completed":true}]}`}},
		good: map[string][]string{
			"either": {"t.id.toString()", "String(t.id ?? t.gid)"},
			"gid":    {"t.id.toString()", "(t.gid || t.id).toString()"},
		},
		bad: map[string]wrong{
			"none":    {"held", []string{"t.id.toString()", "String(t.id ?? '')"}},
			"strange": {"held", []string{"t.id.toString()", "String(t.id)"}},
			"index":   {"held", []string{"t.id.toString()", "String(t.id ?? data.indexOf(t))"}},
			"type":    {"held", []string{"t.id.toString()", "String(t.id ?? t.resource_type)"}},
			"only":    {"different", []string{"t.id.toString()", "t.gid.toString()"}},
		},
	},
	{
		name: "the price comes later",
		code: `
async function main(input) {
  const { messages } = await web.getJSON('https://sms.example.test/Messages.json?day=' + input.day);
  let cost = 0;
  const by = {};
  for (const m of messages) {
    cost += Number(m.price.replace('-', ''));
    by[m.status] = (by[m.status] || 0) + 1;
  }
  await kv.set('cost:' + input.day, cost.toFixed(4));
  await files.append('sms.csv', input.day + ',' + messages.length + ',' + cost.toFixed(4) + '\n');
  return { messages: messages.length, cost: cost.toFixed(4), by };
}`,
		old: []hypothesis{
			{input: `{"day":"2026-03-01"}`, web: map[string]any{"https://sms": `{"messages":[{"sid":"SM1","status":"delivered","price":"-0.0750"}]}`}},
			{input: `{"day":"2026-03-02"}`, web: map[string]any{"https://sms": `{"messages":[{"sid":"SM2","status":"delivered","price":"-0.0750"},{"sid":"SM3","status":"failed","price":"-0.0100"}]}`}},
			{input: `{"day":"2026-03-03"}`, web: map[string]any{"https://sms": `{"messages":[{"sid":"SM4","status":"delivered","price":"-0.1500"}]}`}},
		},
		fresh: hypothesis{input: `{"day":"2026-03-04"}`, web: map[string]any{"https://sms": `{"messages":[{"sid":"SM5","status":"queued","price":null},{"sid":"SM6","status":"delivered","price":"-0.0750"}]}`}},
		good: map[string][]string{
			"nothing yet": {"Number(m.price.replace('-', ''))", "(m.price === null ? 0 : Number(m.price.replace('-', '')))"},
		},
		bad: map[string]wrong{
			"skip":  {hard, []string{"    cost +=", "    if (!m.price) continue;\n    cost +="}},
			"stop":  {"held", []string{"    cost +=", "    if (!m.price) break;\n    cost +="}},
			"guess": {hard, []string{"Number(m.price.replace('-', ''))", "(m.price === null ? 0.075 : Number(m.price.replace('-', '')))"}},
			"nan":   {"held", []string{"Number(m.price.replace('-', ''))", "Number(m.price?.replace('-', ''))"}},
		},
	},
	{
		name: "what was removed from the playlist is null",
		code: `
async function main(input) {
  const list = await web.getJSON('https://music.example.test/v1/playlists/' + input.list + '/tracks');
  const lines = list.items.map((i) => i.track.name + ' - ' + i.track.artists.map((a) => a.name).join(', '));
  await files.write('playlists/' + input.list + '.txt', lines.join('\n') + '\n');
  await kv.set('tracks:' + input.list, lines.length);
  return { tracks: lines.length };
}`,
		old: []hypothesis{
			{input: `{"list":"p71"}`, web: map[string]any{"https://music": `{"items":[{"added_at":"2026-01-01","track":{"name":"One","artists":[{"name":"Ann"}]}}]}`}},
			{input: `{"list":"p72"}`, web: map[string]any{"https://music": `{"items":[{"added_at":"2026-01-01","track":{"name":"Two","artists":[{"name":"Ann"},{"name":"Bo"}]}},{"added_at":"2026-01-02","track":{"name":"Three","artists":[{"name":"Cy"}]}}]}`}},
			{input: `{"list":"p73"}`, web: map[string]any{"https://music": `{"items":[{"added_at":"2026-01-01","track":{"name":"Four","artists":[{"name":"Di"}]}},{"added_at":"2026-01-02","track":{"name":"Five","artists":[{"name":"Cy"}]}},{"added_at":"2026-01-03","track":{"name":"Six","artists":[{"name":"Cy"}]}}]}`}},
		},
		fresh: hypothesis{input: `{"list":"p71"}`, web: map[string]any{"https://music": `{"items":[{"added_at":"2026-01-01","track":null},{"added_at":"2026-01-05","track":{"name":"Seventeen","artists":[{"name":"Ed"}]}},{"added_at":"2026-01-06","track":{"name":"Eight","artists":[{"name":"Flo"}]}}]}`}},
		good: map[string][]string{
			"leave out": {"list.items.map((i)", "list.items.filter((i) => i.track).map((i)"},
			"not null":  {"list.items.map((i)", "list.items.filter((i) => i.track !== null).map((i)"},
		},
		bad: map[string]wrong{
			"all":  {"held", []string{"list.items.map((i)", "list.items.filter((i) => !list.items.some((o) => !o.track)).map((i)"}},
			"some": {"held", []string{"list.items.map((i)", "list.items.filter((i) => i.track && i.track.name.length < 6).map((i)"}},
		},
	},
	{
		name: "empty fields are left out of a record",
		code: `
async function main() {
  const { records } = await web.getJSON('https://base.example.test/v0/app1/Plants');
  const cards = records.map((r) => r.fields.Name + ': ' + r.fields.Tags.join(', '));
  await files.write('plants.txt', cards.join('\n') + '\n');
  await kv.set('plants', cards.length);
  return { plants: cards.length };
}`,
		old: []hypothesis{
			{web: map[string]any{"https://base": `{"records":[{"id":"r1","fields":{"Name":"Fern","Tags":["shade"]}}]}`}},
			{web: map[string]any{"https://base": `{"records":[{"id":"r1","fields":{"Name":"Fern","Tags":["shade"]}},{"id":"r2","fields":{"Name":"Rose","Tags":["sun","water"]}}]}`}},
			{web: map[string]any{"https://base": `{"records":[{"id":"r2","fields":{"Name":"Rose","Tags":["sun","water"]}},{"id":"r4","fields":{"Name":"Sage","Tags":["sun"]}},{"id":"r1","fields":{"Name":"Fern","Tags":["shade"]}}]}`}},
		},
		fresh: hypothesis{web: map[string]any{"https://base": `{"records":[{"id":"r2","fields":{"Name":"Rose","Tags":["sun","water"]}},{"id":"r5","fields":{"Name":"Moss"}}]}`}},
		good: map[string][]string{
			"empty": {"r.fields.Tags.join(', ')", "(r.fields.Tags || []).join(', ')"},
			"none":  {"r.fields.Tags.join(', ')", "(r.fields.Tags ? r.fields.Tags.join(', ') : '')"},
		},
		bad: map[string]wrong{
			"skip":      {"held", []string{"records.map((r)", "records.filter((r) => r.fields.Tags).map((r)"}},
			"undefined": {"held", []string{"r.fields.Tags.join(', ')", "r.fields.Tags?.join(', ')"}},
			"swallow":   {"held", wrapSwallow("{ plants: 0 }")},
		},
	},
	{
		name: "the amount has other names inside",
		code: `
async function main(input) {
  const { transactions } = await web.getJSON('https://pay.example.test/v1/transactions?day=' + input.day);
  let total = 0;
  for (const t of transactions) {
    if (t.state.toLowerCase() !== 'completed') continue;
    total += Math.round(parseFloat(t.amount.total) * 100);
    if (isNaN(total)) throw new Error('no amount in ' + t.id);
  }
  await kv.set('total:' + input.day, total);
  await notify('Takings', (total / 100).toFixed(2));
  return { day: input.day, total };
}`,
		old: []hypothesis{
			{input: `{"day":"2026-03-01"}`, web: map[string]any{"https://pay": `{"transactions":[{"id":"t1","state":"completed","amount":{"total":"12.40","currency":"EUR"}}]}`}},
			{input: `{"day":"2026-03-02"}`, web: map[string]any{"https://pay": `{"transactions":[{"id":"t2","state":"completed","amount":{"total":"3.10","currency":"EUR"}},{"id":"t3","state":"pending","amount":{"total":"99.00","currency":"EUR"}}]}`}},
			{input: `{"day":"2026-03-03"}`, web: map[string]any{"https://pay": `{"transactions":[{"id":"t4","state":"completed","amount":{"total":"8.00","currency":"EUR"}},{"id":"t5","state":"completed","amount":{"total":"1.00","currency":"EUR"}}]}`}},
		},
		fresh: hypothesis{input: `{"day":"2026-03-04"}`, web: map[string]any{"https://pay": `{"transactions":[{"id":"t6","state":"completed","amount":{"value":"7.70","currency_code":"EUR","fee":"0.30"}},{"id":"t7","state":"completed","amount":{"value":"2.00","currency_code":"EUR","fee":"0.10"}}]}`}},
		good: map[string][]string{
			"either": {"t.amount.total", "t.amount.total ?? t.amount.value"},
		},
		bad: map[string]wrong{
			"fee":      {hard, []string{"t.amount.total", "t.amount.total ?? t.amount.fee"}},
			"zero":     {"held", []string{"parseFloat(t.amount.total)", "(parseFloat(t.amount.total) || 0)"}},
			"no throw": {"held", []string{"    if (isNaN(total)) throw new Error('no amount in ' + t.id);\n", ""}},
			"skip":     {"held", []string{"    total +=", "    if (!t.amount.total) continue;\n    total +="}},
			"constant": {"held", []string{"t.amount.total", "t.amount.total ?? '7.70'"}},
			"bigger":   {hard, []string{"parseFloat(t.amount.total) * 100", "parseFloat(t.amount.total ?? t.amount.value) * 1000"}},
		},
	},
	{
		name: "the event of a webhook is wrapped",
		code: `
async function main(event) {
  const { meeting } = event;
  const minutes = Math.round((Date.parse(meeting.end_time) - Date.parse(meeting.start_time)) / 60000);
  const month = meeting.start_time.slice(0, 7);
  const sum = ((await kv.get('minutes:' + month)) || 0) + minutes;
  await kv.set('minutes:' + month, sum);
  await files.append('meetings.csv', [meeting.uuid, meeting.topic, minutes].join(',') + '\n');
  return { topic: meeting.topic, minutes, sum };
}`,
		old: []hypothesis{
			{input: `{"event":"meeting.ended","meeting":{"uuid":"m1","topic":"Plan","start_time":"2026-03-01T10:00:00Z","end_time":"2026-03-01T10:30:00Z"}}`},
			{input: `{"event":"meeting.ended","meeting":{"uuid":"m2","topic":"Retro","start_time":"2026-03-02T10:00:00Z","end_time":"2026-03-02T11:00:00Z"}}`, kv: map[string]string{"minutes:2026-03": "30"}},
			{input: `{"event":"meeting.ended","meeting":{"uuid":"m3","topic":"1:1","start_time":"2026-03-03T10:00:00Z","end_time":"2026-03-03T10:20:00Z"}}`, kv: map[string]string{"minutes:2026-03": "90"}},
		},
		fresh: hypothesis{input: `{"event":"meeting.ended","event_ts":1772700000000,"payload":{"account_id":"acc","object":{"uuid":"m4","topic":"Demo","start_time":"2026-03-04T10:00:00Z","end_time":"2026-03-04T10:45:00Z"}}}`, kv: map[string]string{"minutes:2026-03": "110"}},
		good: map[string][]string{
			"either": {"  const { meeting } = event;", "  const meeting = event.meeting ?? event.payload.object;"},
			"unwrap": {"  const { meeting } = event;", "  const { meeting } = event.payload ? { meeting: event.payload.object } : event;"},
		},
		bad: map[string]wrong{
			"ignore":  {"held", []string{"  const { meeting } = event;", "  const { meeting } = event;\n  if (!meeting) return { topic: '', minutes: 0, sum: 0 };"}},
			"now":     {hard, []string{"  const { meeting } = event;", "  const meeting = event.meeting ?? { ...event.payload.object, start_time: new Date(event.event_ts).toISOString() };"}},
			"fixed":   {"held", []string{"  const { meeting } = event;", "  const meeting = event.meeting ?? { uuid: event.payload.object.uuid, topic: event.payload.object.topic, start_time: '2026-03-04T10:00:00Z', end_time: '2026-03-04T10:30:00Z' };"}},
			"account": {"held", []string{"  const { meeting } = event;", "  const meeting = event.meeting ?? { ...event.payload.object, uuid: event.payload.account_id };"}},
		},
	},
	{
		name: "the score that decides is gone",
		code: `
async function main(input) {
  const { leads } = await web.getJSON('https://leads.example.test/v2/leads?day=' + input.day);
  const good = leads.filter((l) => Number(l.score.toFixed(0)) >= input.least);
  for (const l of good) await web.postJSON('https://sales.example.test/api/calls', { lead: l.id, name: l.name.trim() });
  return { leads: leads.length, good: good.length };
}`,
		old: []hypothesis{
			{input: `{"day":"2026-03-01","least":50}`, web: map[string]any{"https://leads": `{"leads":[{"id":"l1","name":"Ann","score":70.2},{"id":"l2","name":"Bo","score":20.1}]}`}},
			{input: `{"day":"2026-03-02","least":50}`, web: map[string]any{"https://leads": `{"leads":[{"id":"l3","name":"Cy","score":55}]}`}},
			{input: `{"day":"2026-03-03","least":60}`, web: map[string]any{"https://leads": `{"leads":[{"id":"l4","name":"Di","score":61},{"id":"l5","name":"Ed","score":58},{"id":"l6","name":"Flo","score":90}]}`}},
		},
		fresh: hypothesis{input: `{"day":"2026-03-04","least":50}`, web: map[string]any{"https://leads": `{"leads":[{"id":"l7","name":"Gus"},{"id":"l8","name":"Hal"}]}`}},
		bad: map[string]wrong{
			"all of them":  {"held", []string{"Number(l.score.toFixed(0)) >= input.least", "l.score === undefined || Number(l.score.toFixed(0)) >= input.least"}},
			"none of them": {"held", []string{"Number(l.score.toFixed(0)) >= input.least", "Number((l.score ?? 0).toFixed(0)) >= input.least"}},
			"the best":     {"held", []string{"Number(l.score.toFixed(0)) >= input.least", "Number((l.score ?? 100).toFixed(0)) >= input.least"}},
		},
	},
	{
		name: "the list has another name",
		code: `
async function main(input) {
  const page = await web.getJSON('https://feed.example.test/v1/posts?day=' + input.day);
  const lines = [];
  for (const p of page.posts) lines.push(p.title.trim() + ' ' + p.link);
  await files.write('posts/' + input.day + '.txt', lines.join('\n') + '\n');
  return { posts: lines.length };
}`,
		old: []hypothesis{
			{input: `{"day":"2026-03-01"}`, web: map[string]any{"https://feed": `{"posts":[{"id":"p1","title":"One","link":"https://x.test/1"}]}`}},
			{input: `{"day":"2026-03-02"}`, web: map[string]any{"https://feed": `{"posts":[{"id":"p2","title":"Two","link":"https://x.test/2"},{"id":"p3","title":"Three","link":"https://x.test/3"}]}`}},
			{input: `{"day":"2026-03-03"}`, web: map[string]any{"https://feed": `{"posts":[]}`}},
			{input: `{"day":"2026-03-04"}`, web: map[string]any{"https://feed": `{"posts":[{"id":"p4","title":"Four","link":"https://x.test/4"},{"id":"p5","title":"Five","link":"https://x.test/5"},{"id":"p6","title":"Six","link":"https://x.test/6"}]}`}},
		},
		fresh: hypothesis{input: `{"day":"2026-03-05"}`, web: map[string]any{"https://feed": `{"entries":[{"id":"p7","title":"Seven","link":"https://x.test/7"},{"id":"p8","title":"Eight","link":"https://x.test/8"}],"sponsored":[{"id":"ad","url":"https://ads.test/1"}]}`}},
		good: map[string][]string{
			"either": {"of page.posts)", "of page.posts ?? page.entries)"},
		},
		bad: map[string]wrong{
			"twice": {"held", []string{"of page.posts)", "of page.posts ?? page.entries.concat(page.entries))"}},
			"first": {"held", []string{"of page.posts)", "of page.posts ?? [page.entries[0]])"}},
			"tail":  {"held", []string{"of page.posts)", "of page.posts ?? page.entries.slice(1))"}},
			"none":  {"held", []string{"of page.posts)", "of page.posts ?? [])"}},
		},
	},
	{
		name: "a cursor has another name",
		code: `
async function main(input) {
  let cursor = '';
  const names = [];
  do {
    const page = await web.getJSON('https://dir.example.test/people?team=' + input.team + '&cursor=' + cursor);
    names.push(...page.members.map((m) => m.profile.real_name.trim()));
    cursor = page.next_cursor;
  } while (cursor);
  await files.write('people.txt', names.sort().join('\n') + '\n');
  return { people: names.length };
}`,
		old: []hypothesis{
			{input: `{"team":"a"}`, web: map[string]any{"https://dir.example.test/people?team=a&cursor=": `{"members":[{"profile":{"real_name":"Ann"}}],"next_cursor":"x1"}`, "https://dir.example.test/people?team=a&cursor=x1": `{"members":[{"profile":{"real_name":"Bo"}},{"profile":{"real_name":"Cy"}}],"next_cursor":""}`}},
			{input: `{"team":"b"}`, web: map[string]any{"https://dir.example.test/people?team=b&cursor=": `{"members":[{"profile":{"real_name":"Di"}}],"next_cursor":"x2"}`, "https://dir.example.test/people?team=b&cursor=x2": `{"members":[{"profile":{"real_name":"Ed"}}],"next_cursor":""}`}},
			{input: `{"team":"c"}`, web: map[string]any{"https://dir.example.test/people?team=c&cursor=": `{"members":[{"profile":{"real_name":"Flo"}}],"next_cursor":""}`}},
		},
		fresh: hypothesis{input: `{"team":"b"}`, web: map[string]any{"https://dir.example.test/people?team=b&cursor=": `{"members":[{"profile":{"real_name":"Di","title":"x"}},{"profile":{"display_name":"gus","title":"y"}}],"response_metadata":{"next_cursor":"x9"}}`}},
		bad: map[string]wrong{
			"first page only": {"held", []string{"m.profile.real_name.trim()", "(m.profile.real_name ?? m.profile.display_name).trim()"}},
			"first, empty":    {"held", []string{"m.profile.real_name.trim()", "(m.profile.real_name || '').trim()"}},
		},
	},
}

// After changes that services really made to their answers, the right repairs pass and wrong ones do not.
func TestServices(t *testing.T) {
	t.Parallel()
	for _, c := range services {
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
