package repair

// The scenarios: small scripts of many styles, each with a change of the outside that
// breaks it. want is what a right repair gives; without it nothing may be applied.

const invoiceLoop = `async function main(input) {
  const res = await web.getJSON('https://api.example.test/invoices');
  let total = 0;
  const lines = [];
  for (const invoice of res.data) {
    lines.push(invoice.number + ' ' + invoice.billing.replace(/_/g, ' '));
    total += invoice.amount;
  }
  await files.write('invoices.txt', lines.join('\n'));
  return { total, lines };
}`

// windy reads a member that only some answers have.
const windy = `async function main() {
  const { hourly } = await web.getJSON('https://weather.example.test/forecast');
  return hourly.temperature.map((t, i) => t.toFixed(1) + ' ' + (hourly.wind?.[i] ?? 0));
}`

var windyDays = []world{
	{answers: []answer{{"forecast", `{"hourly":{"temperature":[3.5,4.25],"wind":[11,14]}}`}}}, {answers: []answer{{"forecast", `{"hourly":{"temperature":[5.5,-1.25]}}`}}},
	{answers: []answer{{"forecast", `{"hourly":{"temperature":[0.5,2.75],"wind":[9,21]}}`}}}, {answers: []answer{{"forecast", `{"hourly":{"temperature":[1.5,7.25]}}`}}},
}

var repairable = []scenario{
	{
		name:  "what some had has a like name, beside a member that is only renamed",
		code:  windy,
		old:   windyDays,
		fresh: world{answers: []answer{{"forecast", `{"hourly":{"temperature_2m":[2.5,6.25],"wind_speed_10m":[13,8]}}`}}},
		want:  `["2.5 13","6.3 8"]`,
	},
	{
		name: "cents became euros under another name",
		code: `async function main() {
  const { orders } = await web.getJSON('https://api.example.test/orders');
  return orders.map((o) => (o.amount_cents.valueOf() / 100).toFixed(2));
}`,
		old: []world{
			{answers: []answer{{"orders", `{"orders":[{"id":1,"amount_cents":1250},{"id":2,"amount_cents":990}]}`}}},
		},
		fresh: world{answers: []answer{{"orders", `{"orders":[{"id":3,"amount":12.5},{"id":4,"amount":8.99}]}`}}},
		want:  `["12.50","8.99"]`,
	},
	{
		name: "seconds became milliseconds under another name",
		code: `async function main() {
  const { runs } = await web.getJSON('https://ci.example.test/runs');
  return runs.map((r) => r.duration.toFixed(0) + ' s');
}`,
		old: []world{
			{answers: []answer{{"runs", `{"runs":[{"id":1,"duration":12.5},{"id":2,"duration":99.1}]}`}}},
		},
		fresh: world{answers: []answer{{"runs", `{"runs":[{"id":3,"duration_ms":13000},{"id":4,"duration_ms":70250}]}`}}},
		want:  `["13 s","70 s"]`,
	},
	{
		name: "renamed field of the values of a map by date, of which another one is read each day",
		code: `async function main(input) {
  const answer = await web.getJSON('https://quotes.example.test/daily');
  const quote = answer['Time Series'][input.day];
  return input.day + ': ' + quote.closing_price.toFixed(2);
}`,
		old: []world{
			{input: `{"day":"2026-03-02"}`, answers: []answer{{"daily", `{"Time Series":{"2026-03-02":{"open":4.5,"closing_price":4.25},"2026-02-27":{"open":4,"closing_price":4.5}}}`}}},
			{input: `{"day":"2026-03-03"}`, answers: []answer{{"daily", `{"Time Series":{"2026-03-03":{"open":4.25,"closing_price":4.75},"2026-03-02":{"open":4.5,"closing_price":4.25}}}`}}},
			{input: `{"day":"2026-03-04"}`, answers: []answer{{"daily", `{"Time Series":{"2026-03-04":{"open":4.75,"closing_price":5.5},"2026-03-03":{"open":4.25,"closing_price":4.75}}}`}}},
		},
		fresh: world{input: `{"day":"2026-03-05"}`, answers: []answer{{"daily", `{"Time Series":{"2026-03-05":{"open":5.5,"closingPrice":5.25},"2026-03-04":{"open":4.75,"closingPrice":5.5}}}`}}},
		want:  `"2026-03-05: 5.25"`,
	},
	{
		name: "renamed field of the values of a map by id, of which all are read",
		code: `async function main() {
  const answer = await web.getJSON('https://shop.example.test/orders');
  const lines = [];
  for (const [id, order] of Object.entries(answer.orders)) lines.push(id + ' ' + order.customer.toUpperCase());
  return lines.join(', ');
}`,
		old: []world{
			{answers: []answer{{"orders", `{"orders":{"o71":{"customer":"Ann Lee","city":"Bonn"},"o72":{"customer":"Bea Ito","city":"Ulm"}}}`}}},
			{answers: []answer{{"orders", `{"orders":{"o73":{"customer":"Cleo Dee","city":"Kiel"}}}`}}},
			{answers: []answer{{"orders", `{"orders":{"o74":{"customer":"Dan Ek","city":"Bonn"},"o75":{"customer":"Eva Ode","city":"Hof"}}}`}}},
		},
		fresh: world{answers: []answer{{"orders", `{"orders":{"o76":{"customer_name":"Fay Orr","city":"Ulm"},"o77":{"customer_name":"Gil Poe","city":"Bonn"}}}`}}},
		want:  `"o76 FAY ORR, o77 GIL POE"`,
	},
	{
		name: "an object taken out of its envelope",
		code: `async function main() {
  const branch = await web.getJSON('https://git.example.test/head');
  return branch.commit.author.name + ': ' + branch.commit.message.trim();
}`,
		old: []world{
			{answers: []answer{{"head", `{"sha":"a1","commit":{"author":{"name":"Ada Byron"},"message":"Fix the door "}}`}}},
			{answers: []answer{{"head", `{"sha":"b2","commit":{"author":{"name":"Ken Ito"},"message":"Paint the wall"}}`}}},
			{answers: []answer{{"head", `{"sha":"c3","commit":{"author":{"name":"Bea Li"},"message":"Oil the hinge"}}`}}},
		},
		fresh: world{answers: []answer{{"head", `{"author":{"name":"Ann Lee"},"message":"Mend the fence"}`}}},
		want:  `"Ann Lee: Mend the fence"`,
	},
	{
		name: "a list taken out of its envelope, of which nothing else is read",
		code: `async function main() {
  const answer = await web.getJSON('https://shop.example.test/orders');
  let total = 0;
  for (const order of answer.orders) total += order.euros;
  await kv.set('orders', answer.orders.length);
  return total;
}`,
		old: []world{
			{answers: []answer{{"orders", `{"orders":[{"id":"o1","euros":4.5,"city":"Bonn"},{"id":"o2","euros":7.25,"city":"Ulm"}]}`}}},
			{answers: []answer{{"orders", `{"orders":[{"id":"o3","euros":3.75,"city":"Bonn"}]}`}}},
		},
		fresh: world{answers: []answer{{"orders", `[{"id":"o4","euros":9.5,"city":"Kiel"}]`}}},
		want:  `9.5`,
	},
	{
		name: "renamed field of an answer of fetch",
		code: `async function main() {
  const res = await fetch('https://api.example.test/invoices', { headers: { Accept: 'application/json' } });
  if (!res.ok) throw new Error('HTTP ' + res.status);
  const { data } = await res.json();
  await notify('Invoices', data.map((one) => one.number + ' ' + one.billing.replace(/_/g, ' ')).join(', '));
  return data.length;
}`,
		old: []world{
			{answers: []answer{{"invoices", `{"data":[{"number":"A1","billing":"send_invoice"},{"number":"A2","billing":"charge_automatically"}]}`}}},
			{answers: []answer{{"invoices", `{"data":[{"number":"A3","billing":"send_invoice"}]}`}}},
		},
		fresh: world{answers: []answer{{"invoices", `{"data":[{"number":"A4","collection_method":"charge_automatically"}]}`}}},
		want:  `1`,
	},
	{
		name: "renamed field in a loop",
		code: invoiceLoop,
		old: []world{
			{answers: []answer{{"invoices", `{"data":[{"number":"A1","billing":"send_invoice","amount":100},{"number":"A2","billing":"charge_automatically","amount":50}]}`}}},
			{answers: []answer{{"invoices", `{"data":[{"number":"A3","billing":"send_invoice","amount":70}]}`}}},
		},
		fresh: world{answers: []answer{{"invoices", `{"data":[{"number":"A4","collection_method":"charge_automatically","amount":20}]}`}}},
		want:  `{"total":20,"lines":["A4 charge automatically"]}`,
	},
	{
		name: "renamed field, destructured in a callback",
		code: `const label = ({ id, fullName, team }) => id + ' ' + fullName.toUpperCase() + ' ' + team;
async function main() {
  const { members } = await web.getJSON('https://api.example.test/members');
  const names = members.map(label);
  await notify('Members', names.join(', '));
  return names;
}`,
		old: []world{
			{answers: []answer{{"members", `{"members":[{"id":1,"fullName":"Ada Byron","team":"a"},{"id":2,"fullName":"Ken Ito","team":"b"}]}`}}},
			{answers: []answer{{"members", `{"members":[]}`}}},
		},
		fresh: world{answers: []answer{{"members", `{"members":[{"id":3,"full_name":"Bea Li","team":"a"}]}`}}},
		want:  `["3 BEA LI a"]`,
	},
	{
		name: "renamed field, destructured in a parameter with an alias",
		code: `async function main() {
  const list = await web.getJSON('https://api.example.test/tasks');
  return list.map(({ id, assignee: who = 'nobody', dueDate: due }) => id + ' ' + who + ' ' + due.slice(0, 10));
}`,
		old: []world{
			{answers: []answer{{"tasks", `[{"id":1,"assignee":"ada","dueDate":"2026-03-01T10:00:00Z"},{"id":2,"dueDate":"2026-03-02T10:00:00Z"}]`}}},
			{answers: []answer{{"tasks", `[{"id":3,"assignee":"ken","dueDate":"2026-03-05T10:00:00Z"}]`}}},
		},
		fresh: world{answers: []answer{{"tasks", `[{"id":4,"assignee":"ada","due_date":"2026-03-09T10:00:00Z"}]`}}},
		want:  `["4 ada 2026-03-09"]`,
	},
	{
		name: "renamed field read in a helper function and in a template literal",
		code: `// Übersicht – täglich
function line(order) { return ´${order.id}: ${order.customerName.trim()} – ${order.total} €´; }
async function main() {
  const orders = await web.getJSON('https://shop.example.test/orders');
  const text = orders.map(line).join('\n');
  await files.write('orders.txt', text);
  return { text };
}`,
		old: []world{
			{answers: []answer{{"orders", `[{"id":7,"customerName":"Zoë ","total":12},{"id":8,"customerName":"Jürgen","total":9}]`}}},
		},
		fresh: world{answers: []answer{{"orders", `[{"id":9,"customer_name":"Ångström","total":3}]`}}},
		want:  `{"text":"9: Ångström – 3 €"}`,
	},
	{
		name: "renamed field behind CRLF and comments",
		code: "// first\r\nasync function main() {\r\n  /* the ( answer */ const a = await web.getJSON('https://api.example.test/user'); // comment )\r\n  return a.user_name.toLowerCase(); // ')'\r\n}\r\n",
		old: []world{
			{answers: []answer{{"user", `{"user_name":"Ada","age":3}`}}}, {answers: []answer{{"user", `{"user_name":"Ken","age":4}`}}},
		},
		fresh: world{answers: []answer{{"user", `{"userName":"Bea","age":5}`}}},
		want:  `"bea"`,
	},
	{
		name: "field moved into an object",
		code: `async function main() {
  const page = await web.getJSON('https://api.example.test/products');
  return page.items.reduce((sum, p) => sum + Number(p.price.replace('€', '')), 0);
}`,
		old: []world{
			{answers: []answer{{"products", `{"items":[{"id":1,"price":"5€"},{"id":2,"price":"7€"}]}`}}},
		},
		fresh: world{answers: []answer{{"products", `{"items":[{"id":3,"pricing":{"price":"8€","taxed":true}}]}`}}},
		want:  `8`,
	},
	{
		name: "field moved three objects down, from a webhook's input",
		code: `async function main(event) {
  const invoice = event.data.object;
  const id = invoice.subscription.replace('sub_', '');
  await kv.set('seen:' + id, true);
  return id;
}`,
		old: []world{
			{input: `{"type":"x","data":{"object":{"id":"in_1","subscription":"sub_1A"}}}`}, {input: `{"type":"x","data":{"object":{"id":"in_2","subscription":"sub_2B"}}}`},
		},
		fresh: world{input: `{"type":"x","data":{"object":{"id":"in_3","parent":{"type":"subscription_details","subscription_details":{"metadata":{},"subscription":"sub_3C"}}}}}`},
		want:  `"3C"`,
	},
	{
		name: "object dissolved into its parent",
		code: `async function main() {
  const { repos } = await web.getJSON('https://api.example.test/repos');
  return repos.map((r) => r.owner.login + '/' + r.name);
}`,
		old: []world{
			{answers: []answer{{"repos", `{"repos":[{"name":"a","owner":{"login":"ada"}},{"name":"b","owner":{"login":"ken"}}]}`}}},
		},
		fresh: world{answers: []answer{{"repos", `{"repos":[{"name":"c","owner_login":"ada"}]}`}}},
		want:  `["ada/c"]`,
	},
	{
		name: "value hoisted from the item to the answer",
		code: `async function main() {
  const res = await web.getJSON('https://api.example.test/prices');
  const out = [];
  for (const item of res.items) out.push(item.amount.toFixed(2) + ' ' + item.currency.toUpperCase());
  return out;
}`,
		old: []world{
			{answers: []answer{{"prices", `{"items":[{"id":1,"amount":1.5,"currency":"eur"},{"id":2,"amount":2,"currency":"eur"}]}`}}},
			{answers: []answer{{"prices", `{"items":[{"id":3,"amount":1.5,"currency":"usd"}]}`}}},
		},
		fresh: world{answers: []answer{{"prices", `{"currency":"eur","items":[{"id":4,"amount":4},{"id":5,"amount":5}]}`}}},
		want:  `["4.00 EUR","5.00 EUR"]`,
		waits: true,
	},
	{
		name: "list wrapped in an object",
		code: `async function main() {
  const charge = await web.getJSON('https://api.example.test/charge');
  let sum = 0;
  charge.refunds.forEach(function (r) { sum += r.amount; });
  return { sum, n: charge.refunds.length };
}`,
		old: []world{
			{answers: []answer{{"charge", `{"id":"ch_1","refunds":[{"id":"re_1","amount":100},{"id":"re_2","amount":10}]}`}}},
			{answers: []answer{{"charge", `{"id":"ch_2","refunds":[]}`}}},
		},
		fresh: world{answers: []answer{{"charge", `{"id":"ch_3","refunds":{"object":"list","data":[{"id":"re_3","amount":40}],"has_more":false}}`}}},
		want:  `{"sum":40,"n":1}`,
	},
	{
		name: "whole answer wrapped in an object",
		code: `async function main() {
  const users = await web.getJSON('https://api.example.test/users');
  return users.filter((u) => u.active).map((u) => u.name);
}`,
		old: []world{
			{answers: []answer{{"users", `[{"name":"ada","active":true},{"name":"ken","active":false}]`}}},
		},
		fresh: world{answers: []answer{{"users", `{"users":[{"name":"bea","active":true}],"page":1}`}}},
		want:  `["bea"]`,
	},
	{
		name: "wrapped answer became a plain list",
		code: `async function main() {
  const res = await web.getJSON('https://api.example.test/users');
  const out = [];
  for (const u of res.users) out.push(u.name);
  return out;
}`,
		old: []world{
			{answers: []answer{{"users", `{"users":[{"name":"ada"},{"name":"ken"}]}`}}},
		},
		fresh: world{answers: []answer{{"users", `[{"name":"bea"}]`}}},
		want:  `["bea"]`,
	},
	{
		name: "whole answer wrapped, in a loop over the call itself",
		code: `async function main() {
  let n = 0;
  for (const u of await web.getJSON('https://api.example.test/users')) n += u.points;
  return n;
}`,
		old: []world{
			{answers: []answer{{"users", `[{"name":"ada","points":3},{"name":"ken","points":4}]`}}},
		},
		fresh: world{answers: []answer{{"users", `{"data":[{"name":"bea","points":9}],"meta":{"next":null}}`}}},
		want:  `9`,
	},
	{
		name: "whole answer wrapped, in Promise.all",
		code: `async function main() {
  const [users, teams] = await Promise.all([web.getJSON('https://api.example.test/users'), web.getJSON('https://api.example.test/teams')]);
  return users.map((u) => u.name).concat(teams.map((t) => t.title));
}`,
		old: []world{
			{answers: []answer{{"users", `[{"name":"ada"},{"name":"ken"}]`}, {"teams", `[{"title":"x"}]`}}},
		},
		fresh: world{answers: []answer{{"users", `[{"name":"bea"}]`}, {"teams", `{"teams":[{"title":"y"}]}`}}},
		want:  `["bea","y"]`,
	},
	{
		name: "single element instead of a list",
		code: `async function main() {
  const r = await web.getJSON('https://ws.example.test/tracks');
  const tracks = r.recenttracks.track;
  return tracks.map((t) => t.artist + ' - ' + t.name);
}`,
		old: []world{
			{answers: []answer{{"tracks", `{"recenttracks":{"track":[{"artist":"A","name":"x"},{"artist":"B","name":"y"}]}}`}}},
			{answers: []answer{{"tracks", `{"recenttracks":{"track":[{"artist":"C","name":"z"},{"artist":"D","name":"w"}]}}`}}},
		},
		fresh: world{answers: []answer{{"tracks", `{"recenttracks":{"track":{"artist":"E","name":"q"}}}`}}},
		want:  `["E - q"]`,
		waits: true,
	},
	{
		name: "list instead of a single value",
		code: `async function main() {
  const issue = await web.getJSON('https://git.example.test/issue');
  return issue.assignee.login.toUpperCase();
}`,
		old: []world{
			{answers: []answer{{"issue", `{"id":1,"assignee":{"login":"ada","id":3}}`}}}, {answers: []answer{{"issue", `{"id":2,"assignee":{"login":"ken","id":4}}`}}},
		},
		fresh: world{answers: []answer{{"issue", `{"id":3,"assignees":[{"login":"bea","id":5}]}`}}},
		want:  `"BEA"`,
		waits: true,
	},
	{
		name: "text became a number",
		code: `async function main() {
  const o = await web.getJSON('https://shop.example.test/order');
  return o.lines.map((l) => l.sku + ' ' + l.price.replace('.', ','));
}`,
		old: []world{
			{answers: []answer{{"order", `{"lines":[{"sku":"a","price":"12.50"},{"sku":"b","price":"3.99"}]}`}}},
		},
		fresh: world{answers: []answer{{"order", `{"lines":[{"sku":"c","price":7.25},{"sku":"d","price":4.5}]}`}}},
		want:  `["c 7,25","d 4,50"]`,
	},
	{
		name: "number became text",
		code: `async function main() {
  const { rows } = await web.getJSON('https://api.example.test/stats');
  let total = 0;
  for (const { views } of rows) total += views;
  return total.toFixed(1);
}`,
		old: []world{
			{answers: []answer{{"stats", `{"rows":[{"views":10},{"views":20}]}`}}},
		},
		fresh: world{answers: []answer{{"stats", `{"rows":[{"views":"15"},{"views":"30"}]}`}}},
		want:  `"45.0"`,
	},
	{
		name: "time in seconds became an ISO time",
		code: `async function main() {
  const e = await web.getJSON('https://api.example.test/event');
  return new Date(e.starts * 1000).toISOString().slice(0, 16);
}`,
		old: []world{
			{answers: []answer{{"event", `{"id":1,"starts":1772323200}`}}}, {answers: []answer{{"event", `{"id":2,"starts":1772409600}`}}},
		},
		fresh: world{answers: []answer{{"event", `{"id":3,"starts":"2026-03-05T08:30:00Z"}`}}},
		want:  `"2026-03-05T08:30"`,
	},
	{
		name: "ISO time became milliseconds",
		code: `async function main() {
  const list = await web.getJSON('https://api.example.test/events');
  return list.map((e) => e.created_at.slice(0, 10));
}`,
		old: []world{
			{answers: []answer{{"events", `[{"id":1,"created_at":"2026-03-01T08:00:00Z"},{"id":2,"created_at":"2026-03-01T09:00:00Z"}]`}}},
		},
		fresh: world{answers: []answer{{"events", `[{"id":3,"created_at":1772438400000}]`}}},
		want:  `["2026-03-02"]`,
	},
	{
		name: "renamed and from seconds to an ISO time",
		code: `async function main() {
  const { charges } = await web.getJSON('https://api.example.test/charges');
  return charges.map((c) => new Date(c.created * 1000).toISOString());
}`,
		old: []world{
			{answers: []answer{{"charges", `{"charges":[{"id":1,"created":1772323200},{"id":2,"created":1772409600}]}`}}},
		},
		fresh: world{answers: []answer{{"charges", `{"charges":[{"id":3,"created_at":"2026-03-02T00:00:00Z"}]}`}}},
		want:  `["2026-03-02T00:00:00.000Z"]`,
	},
	{
		name: "plain value became an object",
		code: `async function main() {
  const p = await web.getJSON('https://wp.example.test/post');
  return p.title.toUpperCase() + ': ' + p.content.slice(0, 5);
}`,
		old: []world{
			{answers: []answer{{"post", `{"id":1,"title":"Hello there","content":"Some text"}`}}}, {answers: []answer{{"post", `{"id":2,"title":"Bye then","content":"More text"}`}}},
		},
		fresh: world{answers: []answer{{"post", `{"id":3,"title":{"rendered":"New one"},"content":{"rendered":"Third text","protected":false}}`}}},
		want:  `"NEW ONE: Third"`,
		waits: true,
	},
	{
		name: "object became a plain value",
		code: `async function main() {
  const c = await web.getJSON('https://crm.example.test/contact');
  return c.properties.email.value.toLowerCase();
}`,
		old: []world{
			{answers: []answer{{"contact", `{"properties":{"email":{"value":"Ada@example.test","versions":[]}}}`}}}, {answers: []answer{{"contact", `{"properties":{"email":{"value":"Ken@example.test","versions":[]}}}`}}},
		},
		fresh: world{answers: []answer{{"contact", `{"properties":{"email":"Bea@example.test"}}`}}},
		want:  `"bea@example.test"`,
	},
	{
		name: "comma-separated text became a list",
		code: `async function main() {
  const { products } = await web.getJSON('https://shop.example.test/products');
  return products.map((p) => p.tags.split(', ').length);
}`,
		old: []world{
			{answers: []answer{{"products", `{"products":[{"id":1,"tags":"red, new"},{"id":2,"tags":"blue"}]}`}}},
		},
		fresh: world{answers: []answer{{"products", `{"products":[{"id":3,"tags":["red","old","sale"]}]}`}}},
		want:  `[3]`,
	},
	{
		name: "elements wrapped in nodes",
		code: `async function main() {
  const { data } = await web.postJSON('https://api.example.test/graphql', { query: '{ issues { title } }' }, { effect: 'read' });
  return data.issues.map((i) => i.title.trim() + ' ' + i.state.toLowerCase());
}`,
		old: []world{
			{answers: []answer{{"graphql", `{"data":{"issues":[{"title":"a","state":"OPEN"},{"title":"b","state":"CLOSED"}]}}`}}},
		},
		fresh: world{answers: []answer{{"graphql", `{"data":{"issues":[{"node":{"title":"c","state":"OPEN"}}]}}`}}},
		want:  `["c open"]`,
	},
	{
		name: "list moved under another name and deeper",
		code: `async function main() {
  const res = await web.getJSON('https://api.example.test/search');
  return res.statuses.filter((s) => s.text.length > 1).map((s) => s.id);
}`,
		old: []world{
			{answers: []answer{{"search", `{"statuses":[{"id":1,"text":"ab"},{"id":2,"text":"c"}],"search_metadata":{"count":2}}`}}},
		},
		fresh: world{answers: []answer{{"search", `{"result":{"statuses":[{"id":3,"text":"def"}]},"search_metadata":{"count":1}}`}}},
		want:  `[3]`,
	},
	{
		name: "two fields renamed at once",
		code: `async function main() {
  const w = await web.getJSON('https://weather.example.test/now');
  await notify('Weather', w.current_weather.temperature.toFixed(1) + '°C, wind ' + w.current_weather.windspeed.toFixed(0));
  return Math.round(w.current_weather.temperature);
}`,
		old: []world{
			{answers: []answer{{"now", `{"latitude":52.5,"current_weather":{"time":"2026-03-01T10:00","temperature":4.2,"windspeed":11.3}}`}}},
			{answers: []answer{{"now", `{"latitude":52.5,"current_weather":{"time":"2026-03-01T11:00","temperature":5.1,"windspeed":9.0}}`}}},
		},
		fresh: world{answers: []answer{{"now", `{"latitude":52.5,"current":{"time":"2026-03-02T10:00","temperature_2m":6.4,"wind_speed_10m":12.9}}`}}},
		want:  `6`,
		writes: []string{
			`notify ["Weather","6.4°C, wind 13"]`,
		},
	},
	{
		name: "a renamed field that throws and one that would only write undefined",
		code: `async function main() {
  const { issues } = await web.getJSON('https://jira.example.test/issues');
  const lines = issues.map((i) => i.issueKey + ': ' + i.summaryText.trim());
  await files.write('issues.txt', lines.join('\n'));
  return lines.length;
}`,
		old: []world{
			{answers: []answer{{"issues", `{"issues":[{"id":"10","issueKey":"AB-1","summaryText":"one thing"},{"id":"11","issueKey":"AB-2","summaryText":"another thing"}]}`}}},
		},
		fresh:  world{answers: []answer{{"issues", `{"issues":[{"id":"12","issue_key":"AB-3","summary_text":"third thing"}]}`}}},
		want:   `1`,
		writes: []string{`files.write ["issues.txt","AB-3: third thing"]`},
	},
	{
		name: "renamed field with a default that would have hidden it",
		code: `async function main() {
  const { people } = await web.getJSON('https://hr.example.test/people');
  return people.map((p) => p.firstName.trim() + ' <' + (p.emailAddress || '') + '>');
}`,
		old: []world{
			{answers: []answer{{"people", `{"people":[{"id":1,"firstName":"Ada","emailAddress":"a@example.test"},{"id":2,"firstName":"Ken","emailAddress":"k@example.test"}]}`}}},
		},
		fresh: world{answers: []answer{{"people", `{"people":[{"id":3,"first_name":"Bea","email_address":"b@example.test"}]}`}}},
		want:  `["Bea <b@example.test>"]`,
	},
	{
		name: "deprecated alias removed",
		code: `async function main() {
  const { users } = await web.getJSON('https://social.example.test/users');
  return users.map((u) => '@' + u.screen_name.toLowerCase());
}`,
		old: []world{
			{answers: []answer{{"users", `{"users":[{"id":1,"screen_name":"Ada","username":"Ada","name":"A. Byron"},{"id":2,"screen_name":"Ken","username":"Ken","name":"K. Ito"},{"id":4,"screen_name":"Lou","username":"Lou","name":"L. Li"}]}`}}},
		},
		fresh: world{answers: []answer{{"users", `{"users":[{"id":3,"username":"Bea","name":"B. Li"}]}`}}},
		want:  `["@bea"]`,
		waits: true,
	},
	{
		name: "missing list of an empty result",
		code: `async function main() {
  const found = await web.getJSON('https://mail.example.test/messages');
  const ids = found.messages.map((m) => m.id);
  await kv.set('last', ids);
  for (const m of found.messages) await notify('Mail', m.id);
  return ids.length;
}`,
		old: []world{
			{answers: []answer{{"messages", `{"messages":[{"id":"a"},{"id":"b"}],"resultSizeEstimate":2}`}}}, {answers: []answer{{"messages", `{"messages":[{"id":"c"}],"resultSizeEstimate":1}`}}},
		},
		fresh: world{answers: []answer{{"messages", `{"resultSizeEstimate":0}`}}},
		want:  `0`,
		waits: true,
	},
	{
		name: "text that is null for one item, where others were empty",
		code: `async function main() {
  const issues = await web.getJSON('https://git.example.test/issues');
  return issues.map((i) => i.number + (i.body.includes('crash') ? ' urgent' : ''));
}`,
		old: []world{
			{answers: []answer{{"issues", `[{"number":1,"body":"it does crash"},{"number":2,"body":""}]`}}}, {answers: []answer{{"issues", `[{"number":3,"body":"all fine here"}]`}}},
		},
		fresh: world{answers: []answer{{"issues", `[{"number":4,"body":null},{"number":5,"body":"a crash again"}]`}}},
		want:  `["4","5 urgent"]`,
		waits: true,
	},
	{
		name: "fenced JSON",
		code: `async function main(input) {
  const r = await web.postJSON('https://llm.example.test/chat', { q: input.q }, { effect: 'read' });
  const data = JSON.parse(r.choices[0].message.content);
  return data.items.length;
}`,
		old: []world{
			{answers: []answer{{"chat", `{"choices":[{"message":{"content":"{\"items\":[1,2]}"}}]}`}}},
		},
		fresh: world{answers: []answer{{"chat", "{\"choices\":[{\"message\":{\"content\":\"```json\\n{\\\"items\\\":[1,2,3]}\\n```\"}}]}"}}},
		want:  `3`,
		waits: true,
	},
	{
		name: "JSON with prose around it, parsed in one expression with the call",
		code: `async function main() {
  return JSON.parse((await web.getJSON('https://llm.example.test/chat')).text).n + 1;
}`,
		old: []world{
			{answers: []answer{{"chat", `{"text":"{\"n\":1}"}`}}},
		},
		fresh: world{answers: []answer{{"chat", `{"text":"Here it is: {\"n\":4} Anything else?"}`}}},
		want:  `5`,
		waits: true,
	},
	{
		name: "byte order mark in a file",
		code: `async function main() {
  const prices = JSON.parse(await files.read('prices.json'));
  return prices.map((p) => p.sku);
}`,
		old:   []world{{files: map[string]string{"prices.json": `[{"sku":"a"}]`}}},
		fresh: world{files: map[string]string{"prices.json": "\ufeff[{\"sku\":\"b\"}]"}},
		want:  `["b"]`,
		waits: true,
	},
	{
		name: "body that is parsed already",
		code: `async function main(input) {
  const body = JSON.parse(input.body);
  return body.name.trim();
}`,
		old:   []world{{input: `{"body":"{\"name\":\"ada\"}"}`}, {input: `{"body":"{\"name\":\"ken\"}"}`}},
		fresh: world{input: `{"body":{"name":"bea"}}`},
		want:  `"bea"`,
		waits: true,
	},
	{
		name: "JSON text where an object was",
		code: `async function main(input) {
  return input.payload.order.id.toUpperCase();
}`,
		old:   []world{{input: `{"payload":{"order":{"id":"a1"}}}`}, {input: `{"payload":{"order":{"id":"b2"}}}`}},
		fresh: world{input: `{"payload":"{\"order\":{\"id\":\"c3\"}}"}`},
		want:  `"C3"`,
	},
	{
		name: "JSON twice encoded in a fetched body",
		code: `async function main() {
  const res = await web.fetch('https://api.example.test/report');
  const report = JSON.parse(res.body);
  return report.rows.length;
}`,
		old:   []world{{answers: []answer{{"report", `{"rows":[1,2]}`}}}, {answers: []answer{{"report", `{"rows":[]}`}}}},
		fresh: world{answers: []answer{{"report", `"{\"rows\":[1,2,3]}"`}}},
		want:  `3`,
		waits: true,
	},
	{
		name: "rates became a list",
		code: `async function main() {
  const res = await web.getJSON('https://rates.example.test/latest');
  return ['USD', 'GBP'].map((code) => res.rates[code].toFixed(2));
}`,
		old: []world{
			{answers: []answer{{"latest", `{"base":"EUR","rates":{"USD":1.1,"GBP":0.86}}`}}}, {answers: []answer{{"latest", `{"base":"EUR","rates":{"USD":1.12,"GBP":0.85}}`}}},
		},
		fresh: world{answers: []answer{{"latest", `{"base":"EUR","rates":[{"code":"USD","rate":1.09},{"code":"GBP","rate":0.84}]}`}}},
		want:  `["1.09","0.84"]`,
	},
	{
		name: "misspelt name on a path that no run had taken",
		code: `async function main(input) {
  const totals = { small: 0, large: 0 };
  for (const n of input.numbers) {
    if (n > 100) totls.large += n;
    else totals.small += n;
  }
  return totals;
}`,
		old:   []world{{input: `{"numbers":[1,2]}`}, {input: `{"numbers":[5]}`}},
		fresh: world{input: `{"numbers":[1,200]}`},
		want:  `{"small":1,"large":200}`,
	},
	{
		name: "misspelt method on a path that no run had taken",
		code: `async function main(input) {
  if (input.name.length > 5) return input.name.toUppercase();
  return input.name;
}`,
		old:   []world{{input: `{"name":"ada"}`}},
		fresh: world{input: `{"name":"bartholomew"}`},
		want:  `"BARTHOLOMEW"`,
	},
	{
		name: "constant that is assigned to",
		code: `async function main(input) {
  const best = input.list[0];
  for (const n of input.list) if (n > best) best = n;
  return best;
}`,
		old:   []world{{input: `{"list":[3,2,1]}`}},
		fresh: world{input: `{"list":[1,5]}`},
		want:  `5`,
		waits: true,
	},
	{
		name: "promises without async, field renamed two calls away",
		code: `function main(input) {
  function plain(parts) { return parts.map(function (p) { return p.plain_text; }).join(''); }
  return web.getJSON('https://notes.example.test/blocks').then(function (page) {
    return page.results.filter(function (b) { return b.type === 'todo'; }).map(function (b) { return plain(b.todo.text); });
  });
}`,
		old: []world{
			{answers: []answer{{"blocks", `{"results":[{"id":1,"type":"todo","todo":{"text":[{"plain_text":"buy milk"}],"checked":false}},{"id":2,"type":"paragraph","paragraph":{"text":[]}}]}`}}},
		},
		fresh: world{answers: []answer{{"blocks", `{"results":[{"id":3,"type":"todo","todo":{"rich_text":[{"plain_text":"sell milk"}],"checked":false}}]}`}}},
		want:  `["sell milk"]`,
	},
	{
		name: "optional chain already there, field renamed in it",
		code: `async function main() {
  const { events } = await web.getJSON('https://cal.example.test/events');
  return events.map((e) => e.location?.displayName.split(',')[0] ?? 'nowhere');
}`,
		old: []world{
			{answers: []answer{{"events", `{"events":[{"id":1,"location":{"displayName":"Berlin, DE"}},{"id":2}]}`}}},
		},
		fresh: world{answers: []answer{{"events", `{"events":[{"id":3,"location":{"display_name":"Paris, FR"}},{"id":4}]}`}}},
		want:  `["Paris","nowhere"]`,
	},
	{
		name: "renamed key of a stored value",
		code: `async function main() {
  const state = await kv.get('state');
  return state.lastSeen.slice(0, 4);
}`,
		old:   []world{{kv: map[string]string{"state": `{"lastSeen":"2026-01-01"}`}}, {kv: map[string]string{"state": `{"lastSeen":"2026-01-02"}`}}},
		fresh: world{kv: map[string]string{"state": `{"last_seen":"2026-02-01"}`}},
		want:  `"2026"`,
		waits: true,
	},
	{
		name: "field read off a copy of the item",
		code: `async function main() {
  const { rows } = await web.getJSON('https://api.example.test/rows');
  const copies = rows.map((r) => ({ ...r, seen: true }));
  return copies.map((c) => c.displayName.trim());
}`,
		old: []world{
			{answers: []answer{{"rows", `{"rows":[{"id":1,"displayName":"Ada"},{"id":2,"displayName":"Ken"}]}`}}},
		},
		fresh: world{answers: []answer{{"rows", `{"rows":[{"id":3,"display_name":"Bea"}]}`}}},
		want:  `["Bea"]`,
	},
	{
		name: "all-day event: another key of the same kind for some items",
		code: `async function main() {
  const { items } = await web.getJSON('https://cal.example.test/events');
  return items.map((e) => e.start.dateTime.slice(0, 10) + ' ' + e.summary);
}`,
		old: []world{
			{answers: []answer{{"events", `{"items":[{"summary":"a","start":{"dateTime":"2026-03-01T10:00:00+01:00","timeZone":"Europe/Berlin"}},{"summary":"b","start":{"dateTime":"2026-03-02T10:00:00+01:00","timeZone":"Europe/Berlin"}}]}`}}},
		},
		fresh: world{answers: []answer{{"events", `{"items":[{"summary":"c","start":{"date":"2026-03-05"}},{"summary":"d","start":{"dateTime":"2026-03-06T10:00:00+01:00","timeZone":"Europe/Berlin"}}]}`}}},
		want:  `["2026-03-05 c","2026-03-06 d"]`,
		waits: true,
	},
	{
		name: "renamed field, read over several pages",
		code: `async function main() {
  let url = 'https://api.example.test/list?page=1';
  const names = [];
  while (url) {
    const page = await web.getJSON(url);
    for (let i = 0; i < page.items.length; i++) names.push(page.items[i].displayName.trim());
    url = page.next;
  }
  return names;
}`,
		old: []world{
			{answers: []answer{{"page=1", `{"items":[{"id":1,"displayName":"Ada"}],"next":"https://api.example.test/list?page=2"}`}, {"page=2", `{"items":[{"id":2,"displayName":"Ken"}],"next":null}`}}},
		},
		fresh:    world{answers: []answer{{"page=1", `{"items":[{"id":3,"display_name":"Bea"}],"next":"https://api.example.test/list?page=2"}`}, {"page=2", `{"items":[{"id":4,"display_name":"Lou"}],"next":null}`}}},
		unproven: true,
	},
	{
		name: "renamed field in a tree",
		code: `const flat = (node) => [node.nodeTitle.trim()].concat(...node.children.map(flat));
async function main() {
  return flat(await web.getJSON('https://wiki.example.test/tree'));
}`,
		old: []world{
			{answers: []answer{{"tree", `{"nodeTitle":"a","children":[{"nodeTitle":"b","children":[{"nodeTitle":"c","children":[]}]}]}`}}},
			{answers: []answer{{"tree", `{"nodeTitle":"x","children":[{"nodeTitle":"y","children":[{"nodeTitle":"z","children":[]}]}]}`}}},
		},
		fresh: world{answers: []answer{{"tree", `{"node_title":"k","children":[{"node_title":"l","children":[{"node_title":"m","children":[]}]}]}`}}},
		want:  `["k","l","m"]`,
	},
	{
		name: "renamed field in a class",
		code: `class Line {
  #item;
  constructor(item) { this.#item = item; this.name = item.productName.trim(); }
  get text() { return this.name + ' x' + this.#item.quantity; }
}
async function main() {
  const cart = await web.getJSON('https://shop.example.test/cart');
  return cart.lines.map((l) => new Line(l).text);
}`,
		old: []world{
			{answers: []answer{{"cart", `{"lines":[{"productName":"Lamp","quantity":2},{"productName":"Bulb","quantity":1}]}`}}},
		},
		fresh: world{answers: []answer{{"cart", `{"lines":[{"product_name":"Desk","quantity":3}]}`}}},
		want:  `["Desk x3"]`,
	},
	{
		name: "renamed key of a nested pattern with a default",
		code: `async function main() {
  const { report: { totals: { grossAmount } = {} } } = await web.getJSON('https://api.example.test/report');
  return grossAmount.toFixed(2);
}`,
		old: []world{
			{answers: []answer{{"report", `{"report":{"totals":{"grossAmount":10.5,"count":1}}}`}}}, {answers: []answer{{"report", `{"report":{"totals":{"grossAmount":20.25,"count":2}}}`}}},
		},
		fresh: world{answers: []answer{{"report", `{"report":{"totals":{"gross_amount":12.75,"count":3}}}`}}},
		want:  `"12.75"`,
	},
	{
		name: "renamed field by bracket",
		code: `async function main() {
  const r = await web.getJSON('https://api.example.test/row');
  return r['Full Name'].trim();
}`,
		old:   []world{{answers: []answer{{"row", `{"Full Name":"Ada B","Age":3}`}}}, {answers: []answer{{"row", `{"Full Name":"Ken I","Age":4}`}}}},
		fresh: world{answers: []answer{{"row", `{"Full name":"Bea L","Age":5}`}}},
		want:  `"Bea L"`,
	},
	{
		name: "renamed field read by a variable key",
		code: `const COLUMNS = ['id', 'unitPrice', 'stock'];
async function main() {
  const { products } = await web.getJSON('https://shop.example.test/products');
  return products.map((p) => COLUMNS.map((c) => p[c].toString()).join(';'));
}`,
		old: []world{
			{answers: []answer{{"products", `{"products":[{"id":1,"unitPrice":2.5,"stock":3},{"id":2,"unitPrice":4.5,"stock":1}]}`}}},
		},
		fresh: world{answers: []answer{{"products", `{"products":[{"id":3,"unit_price":3.5,"stock":9}]}`}}},
		want:  `["3;3.5;9"]`,
	},
	{
		name: "column of a table renamed",
		code: `async function main() {
  const text = await files.read('in.csv');
  const [head, ...lines] = text.trim().split('\n').map((l) => l.split(','));
  const at = head.indexOf('unit_price');
  return lines.map((l) => l[at].replace('.', ','));
}`,
		old:   []world{{files: map[string]string{"in.csv": "sku,unit_price,stock\na,1.50,3\nb,2.25,4\n"}}},
		fresh: world{files: map[string]string{"in.csv": "sku,UnitPrice,stock\nc,3.75,5\n"}},
		want:  `["3,75"]`,
		waits: true,
	},
	{
		name: "semicolons in a table that had commas",
		code: `async function main() {
  const res = await web.fetch('https://api.example.test/export.csv');
  const lines = res.body.trim().split('\n').slice(1);
  return lines.map((line) => { const [sku, price] = line.split(','); return sku.trim() + '=' + price.trim(); });
}`,
		old:   []world{{answers: []answer{{"export", "sku,price\na,1\nb,2\n"}}}, {answers: []answer{{"export", "sku,price\nc,4\n"}}}},
		fresh: world{answers: []answer{{"export", "sku;price\nd;5\n"}}},
		want:  `["d=5"]`,
	},
	{
		name: "byte order mark before a table",
		code: `async function main() {
  const [head, ...lines] = (await files.read('in.csv')).split('\n').map((l) => l.split(';'));
  const rows = lines.filter((l) => l.length > 1).map((l) => Object.fromEntries(l.map((c, i) => [head[i], c])));
  return rows.map((r) => r.id.padStart(4, '0'));
}`,
		old:   []world{{files: map[string]string{"in.csv": "id;name\n1;ada\n"}}},
		fresh: world{files: map[string]string{"in.csv": "\ufeffid;name\n2;ken\n"}},
		want:  `["0002"]`,
		waits: true,
	},
	{
		name: "elements became objects",
		code: `async function main() {
  const { repos } = await web.getJSON('https://git.example.test/repos');
  return repos.map((r) => r.topics.map((t) => t.toUpperCase()).join('+'));
}`,
		old: []world{
			{answers: []answer{{"repos", `{"repos":[{"id":1,"topics":["go","events"]},{"id":2,"topics":["js"]}]}`}}},
		},
		fresh: world{answers: []answer{{"repos", `{"repos":[{"id":3,"topics":[{"name":"go"},{"name":"sql"}]}]}`}}},
		want:  `["GO+SQL"]`,
	},
	{
		name: "elements became ids of their own",
		code: `async function main() {
  const { labels } = await web.getJSON('https://git.example.test/issue');
  return labels.map((l) => l.name.toLowerCase());
}`,
		old: []world{
			{answers: []answer{{"issue", `{"labels":[{"name":"Bug"},{"name":"Docs"}]}`}}},
		},
		fresh: world{answers: []answer{{"issue", `{"labels":["Bug","Help"]}`}}},
		want:  `["bug","help"]`,
	},
	{
		name: "total became an object with value and relation",
		code: `async function main() {
  const res = await web.postJSON('https://search.example.test/logs/_search', { query: {} }, { effect: 'read' });
  return 'found ' + res.hits.total.toFixed(0) + ', first ' + res.hits.hits[0]._id;
}`,
		old: []world{
			{answers: []answer{{"_search", `{"took":3,"hits":{"total":12,"max_score":1,"hits":[{"_id":"a"}]}}`}}}, {answers: []answer{{"_search", `{"took":4,"hits":{"total":7,"max_score":1,"hits":[{"_id":"b"}]}}`}}},
		},
		fresh: world{answers: []answer{{"_search", `{"took":4,"hits":{"total":{"value":9,"relation":"eq"},"max_score":1,"hits":[{"_id":"c"}]}}`}}},
		want:  `"found 9, first c"`,
	},
	{
		name: "ids became text under another name",
		code: `async function main() {
  const { tasks } = await web.getJSON('https://todo.example.test/tasks');
  return tasks.map((t) => 'https://todo.example.test/0/' + t.id.toString());
}`,
		old: []world{
			{answers: []answer{{"tasks", `{"tasks":[{"id":12001,"name":"a"},{"id":12002,"name":"b"}]}`}}},
		},
		fresh: world{answers: []answer{{"tasks", `{"tasks":[{"gid":"12003","name":"c"}]}`}}},
		want:  `["https://todo.example.test/0/12003"]`,
	},
	{
		name: "list moved next to a new wrapper of each page",
		code: `async function main() {
  const { data: { viewer: { repositories } } } = await web.postJSON('https://git.example.test/graphql', { query: 'q' }, { effect: 'read' });
  return repositories.map(({ nameWithOwner }) => nameWithOwner.split('/')[1]);
}`,
		old: []world{
			{answers: []answer{{"graphql", `{"data":{"viewer":{"repositories":[{"nameWithOwner":"a/b"},{"nameWithOwner":"c/d"}]}}}`}}},
		},
		fresh: world{answers: []answer{{"graphql", `{"data":{"viewer":{"repositories":{"nodes":[{"nameWithOwner":"e/f"}],"pageInfo":{"hasNextPage":false}}}}}`}}},
		want:  `["f"]`,
	},
	{
		name: "answer's fields moved below data",
		code: `async function main(input) {
  const user = await web.getJSON('https://social.example.test/users/' + input.name);
  await kv.set('followers:' + input.name, user.followers.toFixed(0));
  return user.handle.toLowerCase() + ' ' + user.followers;
}`,
		old: []world{
			{input: `{"name":"ada"}`, answers: []answer{{"users", `{"handle":"Ada","followers":1200}`}}}, {input: `{"name":"ken"}`, answers: []answer{{"users", `{"handle":"Ken","followers":900}`}}},
		},
		fresh: world{input: `{"name":"bea"}`, answers: []answer{{"users", `{"data":{"handle":"Bea","followers":1500}}`}}},
		want:  `"bea 1500"`,
	},
	{
		name: "counts of a post moved into metrics under other names",
		code: `async function main() {
  const { posts } = await web.getJSON('https://social.example.test/posts');
  return posts.map((p) => p.id + ':' + (p.favorite_count.valueOf() + p.reply_count.valueOf()));
}`,
		old: []world{
			{answers: []answer{{"posts", `{"posts":[{"id":1,"favorite_count":10,"reply_count":2},{"id":2,"favorite_count":22,"reply_count":4}]}`}}},
		},
		fresh: world{answers: []answer{{"posts", `{"posts":[{"id":3,"public_metrics":{"like_count":12,"reply_count":3}}]}`}}},
		want:  `["3:15"]`,
	},
	{
		name: "price as text became money objects",
		code: `async function main() {
  const { orders } = await web.getJSON('https://shop.example.test/orders');
  return orders.reduce((sum, { total_price }) => sum + parseFloat(total_price.replace(',', '')), 0).toFixed(2);
}`,
		old: []world{
			{answers: []answer{{"orders", `{"orders":[{"id":1,"total_price":"12.00"},{"id":2,"total_price":"1,005.50"}]}`}}},
		},
		fresh: world{answers: []answer{{"orders", `{"orders":[{"id":3,"total_price":{"amount":"20.25","currency_code":"EUR"}}]}`}}},
		want:  `"20.25"`,
	},
	{
		name: "error handled by the script, field renamed behind it",
		code: `async function main(input) {
  const out = {};
  for (const id of input.ids) {
    try {
      const item = await web.getJSON('https://api.example.test/items/' + id);
      out[id] = item.itemLabel.trim();
    } catch (error) {
      if (error.status !== 404) throw error;
      out[id] = null;
    }
  }
  return out;
}`,
		old: []world{
			{input: `{"ids":["a","x"]}`, answers: []answer{{"items/a", `{"itemLabel":"A"}`}}}, {input: `{"ids":["b"]}`, answers: []answer{{"items/b", `{"itemLabel":"B"}`}}},
		},
		fresh:    world{input: `{"ids":["c","x"]}`, answers: []answer{{"items/c", `{"item_label":"C"}`}}},
		unproven: true,
	},
	{
		name: "field renamed for the newer half of a list",
		code: `async function main() {
  const { members } = await web.getJSON('https://api.example.test/members');
  return members.map((m) => m.joinedOn.slice(0, 4));
}`,
		old: []world{
			{answers: []answer{{"members", `{"members":[{"id":1,"joinedOn":"2024-01-02"},{"id":2,"joinedOn":"2025-03-04"}]}`}}},
		},
		fresh: world{answers: []answer{{"members", `{"members":[{"id":1,"joinedOn":"2024-01-02"},{"id":3,"joined_on":"2026-05-06"}]}`}}},
		want:  `["2024","2026"]`,
		waits: true,
	},
	{
		name: "map by id became a list",
		code: `async function main() {
  const { users } = await web.getJSON('https://chat.example.test/users');
  return ['U1', 'U2'].map((id) => users[id].name.trim());
}`,
		old: []world{
			{answers: []answer{{"users", `{"users":{"U1":{"id":"U1","name":"ada"},"U2":{"id":"U2","name":"ken"}}}`}}},
		},
		fresh: world{answers: []answer{{"users", `{"users":[{"id":"U1","name":"ada b"},{"id":"U2","name":"ken i"}]}`}}},
		want:  `["ada b","ken i"]`,
	},
	{
		name: "JSON lines instead of a list",
		code: `async function main() {
  const rows = JSON.parse(await files.read('log.json'));
  return rows.length;
}`,
		old:   []world{{files: map[string]string{"log.json": `[{"a":1},{"a":2}]`}}},
		fresh: world{files: map[string]string{"log.json": "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n"}},
		want:  `3`,
		waits: true,
	},
	{
		name: "call whose answer was not awaited on a rare path",
		code: `async function main(input) {
  if (input.deep) {
    const more = web.getJSON('https://api.example.test/deep');
    return more.items.length;
  }
  return 0;
}`,
		old:   []world{{input: `{"deep":false}`}},
		fresh: world{input: `{"deep":true}`, answers: []answer{{"deep", `{"items":[1,2]}`}}},
		want:  `2`,
		waits: true,
	},
	{
		name: "loop one past the end on a rare path",
		code: `async function main(input) {
  const out = [];
  if (input.all) {
    for (let i = 0; i <= input.list.length; i++) out.push(input.list[i].id);
  }
  return out;
}`,
		old:   []world{{input: `{"all":false,"list":[]}`}},
		fresh: world{input: `{"all":true,"list":[{"id":1},{"id":2}]}`},
		want:  `[1,2]`,
		waits: true,
	},
	{
		name: "two renamed fields whose constants and dates show which is which",
		code: `async function main() {
  const { jobs } = await web.getJSON('https://ci.example.test/jobs');
  return jobs.map((j) => j.startedAt.slice(0, 10) + ' ' + j.result.toLowerCase());
}`,
		old: []world{
			{answers: []answer{{"jobs", `{"jobs":[{"id":1,"startedAt":"2026-03-01T10:00:00Z","result":"SUCCESS"},{"id":2,"startedAt":"2026-03-01T11:00:00Z","result":"FAILURE"}]}`}}},
		},
		fresh: world{answers: []answer{{"jobs", `{"jobs":[{"id":3,"started_at":"2026-03-02T10:00:00Z","conclusion":"SUCCESS"},{"id":4,"started_at":"2026-03-02T11:00:00Z","conclusion":"FAILURE"}]}`}}},
		want:  `["2026-03-02 success","2026-03-02 failure"]`,
	},
	{
		name: "the script's own complaint about a list that was renamed",
		code: `async function main() {
  const res = await web.getJSON('https://api.example.test/search');
  if (!res.items) throw new Error('no items');
  return res.items.map((i) => i.title);
}`,
		old: []world{
			{answers: []answer{{"search", `{"items":[{"id":1,"title":"a"},{"id":2,"title":"b"}],"page":1}`}}}, {answers: []answer{{"search", `{"items":[],"page":1}`}}},
		},
		fresh: world{answers: []answer{{"search", `{"results":[{"id":3,"title":"c"}],"page":1}`}}},
		want:  `["c"]`,
	},
	{
		name: "renamed id that is used in an address",
		code: `async function main() {
  const { orders } = await web.getJSON('https://shop.example.test/orders');
  const out = [];
  for (const o of orders) out.push((await web.getJSON('https://shop.example.test/parcels/' + o.parcelId)).state);
  return out;
}`,
		old: []world{
			{answers: []answer{{"orders", `{"orders":[{"id":1,"parcelId":"PX1"},{"id":2,"parcelId":"PX2"}]}`}, {"PX1", `{"state":"sent"}`}, {"PX2", `{"state":"lost"}`}}},
			{answers: []answer{{"orders", `{"orders":[{"id":3,"parcelId":"PX3"}]}`}, {"PX3", `{"state":"sent"}`}}},
		},
		fresh:    world{answers: []answer{{"orders", `{"orders":[{"id":4,"parcel_id":"PX4"}]}`}}},
		unproven: true,
	},
	{
		name: "keys of an object that moved",
		code: `async function main() {
  const res = await web.getJSON('https://rates.example.test/latest');
  const out = [];
  for (const code in res.rates) out.push(code + '=' + res.rates[code].toFixed(1));
  await files.write('rates.txt', Object.entries(res.rates).map(([code, rate]) => code + ' ' + rate).join('\n'));
  return out.length + Object.keys(res.rates).length;
}`,
		old: []world{
			{answers: []answer{{"latest", `{"base":"EUR","rates":{"USD":1.1,"GBP":0.86}}`}}}, {answers: []answer{{"latest", `{"base":"EUR","rates":{"USD":1.2,"GBP":0.87}}`}}},
		},
		fresh: world{answers: []answer{{"latest", `{"base":"EUR","data":{"rates":{"USD":1.3,"GBP":0.88}}}`}}},
		want:  `4`,
	},
	{
		name: "guarded list that was renamed, filled into a variable without a value",
		code: `async function main() {
  const res = await web.getJSON('https://api.example.test/rows');
  let rows;
  if (res.rows) rows = res.rows;
  return rows.map((r) => r.id);
}`,
		old: []world{
			{answers: []answer{{"rows", `{"rows":[{"id":1,"n":"x"},{"id":2,"n":"y"}]}`}}}, {answers: []answer{{"rows", `{"rows":[{"id":3,"n":"z"}]}`}}},
		},
		fresh: world{answers: []answer{{"rows", `{"records":[{"id":4,"n":"w"}]}`}}},
		want:  `[4]`,
	},
	{
		name: "field of one sort of event renamed",
		code: `async function main(input) {
  const out = [];
  for (const e of input.events) {
    if (e.type === 'push') out.push(e.pushedBy.toLowerCase());
    else if (e.type === 'star') out.push('*');
  }
  return out;
}`,
		old: []world{
			{input: `{"events":[{"type":"push","pushedBy":"Ada"},{"type":"star","by":"Ken"}]}`}, {input: `{"events":[{"type":"star","by":"Ken"},{"type":"push","pushedBy":"Bea"}]}`},
		},
		fresh: world{input: `{"events":[{"type":"star","by":"Ken"},{"type":"push","pushed_by":"Lou"}]}`},
		want:  `["*","lou"]`,
	},
	{
		name: "sum over a list that is empty for the first time",
		code: `async function main(input) {
  return input.lines.map((l) => l.amount).reduce((a, b) => a + b);
}`,
		old:   []world{{input: `{"lines":[{"amount":3},{"amount":4}]}`}, {input: `{"lines":[{"amount":5}]}`}},
		fresh: world{input: `{"lines":[]}`},
		want:  `0`,
		waits: true,
	},
	{
		name: "two answers of which one was renamed",
		code: `const get = (path) => web.getJSON('https://api.example.test/' + path);
async function main() {
  const { items: tasks } = await get('tasks');
  const { items: notes } = await get('notes');
  return tasks.map((t) => t.taskTitle.trim()).concat(notes.map((n) => n.noteTitle.trim()));
}`,
		old: []world{
			{answers: []answer{{"tasks", `{"items":[{"id":1,"taskTitle":"a"}]}`}, {"notes", `{"items":[{"id":1,"noteTitle":"b"}]}`}}},
			{answers: []answer{{"tasks", `{"items":[{"id":2,"taskTitle":"c"}]}`}, {"notes", `{"items":[{"id":2,"noteTitle":"d"}]}`}}},
		},
		fresh: world{answers: []answer{{"tasks", `{"items":[{"id":3,"taskTitle":"e"}]}`}, {"notes", `{"items":[{"id":3,"note_title":"f"}]}`}}},
		want:  `["e","f"]`,
	},
	{
		name: "every name restyled at once",
		code: `async function main(input) {
  const { orderList } = await web.getJSON('https://shop.example.test/orders');
  const lines = orderList.map((o) => [o.orderNumber, o.customerName.trim(), o.createdAt.slice(0, 10), o.shippingAddress.postalCode, o.shippingAddress.cityName.toUpperCase(), o.totalPrice.toFixed(2), o.currencyCode,
    o.lineItems.map((l) => l.productName + ' x' + l.itemCount).join('+'), o.paymentMethod.replace(/_/g, ' ')].join(';'));
  await files.write('orders.csv', lines.join('\n'));
  return lines.length;
}`,
		old: []world{
			{answers: []answer{{"orders", `{"orderList":[{"orderNumber":"N1","customerName":"Ada","createdAt":"2026-03-01T10:00:00Z","shippingAddress":{"postalCode":"1011","cityName":"Amsterdam"},"totalPrice":10.5,"currencyCode":"EUR","lineItems":[{"productName":"Lamp","itemCount":1}],"paymentMethod":"credit_card"},{"orderNumber":"N2","customerName":"Ken","createdAt":"2026-03-02T10:00:00Z","shippingAddress":{"postalCode":"2011","cityName":"Haarlem"},"totalPrice":20.25,"currencyCode":"EUR","lineItems":[{"productName":"Bulb","itemCount":2}],"paymentMethod":"bank_transfer"}]}`}}},
		},
		fresh:  world{answers: []answer{{"orders", `{"order_list":[{"order_number":"N3","customer_name":"Bea","created_at":"2026-03-03T10:00:00Z","shipping_address":{"postal_code":"3011","city_name":"Rotterdam"},"total_price":11.75,"currency_code":"EUR","line_items":[{"product_name":"Desk","item_count":3}],"payment_method":"credit_card"}]}`}}},
		want:   `1`,
		writes: []string{`files.write ["orders.csv","N3;Bea;2026-03-03;3011;ROTTERDAM;11.75;EUR;Desk x3;credit card"]`},
	},
	{
		name: "call moved into a list of calls",
		code: `async function main() {
  const r = await web.postJSON('https://llm.example.test/v1/chat/completions', { q: 1 }, { effect: 'read' });
  const call = r.choices[0].message.function_call;
  const args = JSON.parse(call.arguments);
  return call.name + ' ' + args.city;
}`,
		old: []world{
			{answers: []answer{{"completions", `{"choices":[{"message":{"role":"assistant","content":null,"function_call":{"name":"weather","arguments":"{\"city\":\"Paris\"}"}}}]}`}}},
			{answers: []answer{{"completions", `{"choices":[{"message":{"role":"assistant","content":null,"function_call":{"name":"time","arguments":"{\"city\":\"Rome\"}"}}}]}`}}},
		},
		fresh: world{answers: []answer{{"completions", `{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}]}}]}`}}},
		want:  `"weather Oslo"`,
		waits: true,
	},
	{
		name: "text in parts",
		code: `async function main() {
  const r = await web.postJSON('https://llm.example.test/v1/chat', { q: 1 }, { effect: 'read' });
  return r.message.content.trim().split(' ').length;
}`,
		old: []world{
			{answers: []answer{{"chat", `{"message":{"content":"Two words of text"}}`}}}, {answers: []answer{{"chat", `{"message":{"content":"Some more of it"}}`}}},
		},
		fresh: world{answers: []answer{{"chat", `{"message":{"content":[{"type":"text","text":"Three words "},{"type":"text","text":"and two more"}]}}`}}},
		want:  `5`,
		waits: true,
	},
	{
		name: "field of a subscription moved to its only item",
		code: `async function main() {
  const { data } = await web.getJSON('https://api.stripe.test/v1/subscriptions');
  return data.map((s) => s.id + ' ' + new Date(s.current_period_end * 1000).toISOString().slice(0, 10));
}`,
		old: []world{
			{answers: []answer{{"subscriptions", `{"data":[{"id":"sub_1A","current_period_end":1772323200,"items":{"data":[{"id":"si_1A","price":{"id":"price_1A"}}]}},{"id":"sub_2B","current_period_end":1772409600,"items":{"data":[{"id":"si_2B","price":{"id":"price_1A"}}]}}]}`}}},
		},
		fresh: world{answers: []answer{{"subscriptions", `{"data":[{"id":"sub_3C","items":{"data":[{"id":"si_3C","current_period_end":1772496000,"price":{"id":"price_1A"}}]}}]}`}}},
		want:  `["sub_3C 2026-03-03"]`,
		waits: true,
	},
	{
		name: "list of an object that is left out where it would be empty",
		code: `async function main() {
  const { data } = await web.getJSON('https://api.twitter.test/2/tweets');
  return data.map((t) => t.id + ':' + t.entities.hashtags.map((h) => h.tag).join('+'));
}`,
		old: []world{
			{answers: []answer{{"tweets", `{"data":[{"id":"1","entities":{"hashtags":[{"tag":"gold"}]}},{"id":"2","entities":{"hashtags":[{"tag":"bowl"},{"tag":"cup"}]}}]}`}}},
		},
		fresh: world{answers: []answer{{"tweets", `{"data":[{"id":"3","entities":{"hashtags":[{"tag":"gold"}]}},{"id":"4"}]}`}}},
		want:  `["3:gold","4:"]`,
		waits: true,
	},
}

var traps = []scenario{
	{
		name: "values left out of an empty range",
		code: `async function main(input) {
  const sheet = await web.getJSON('https://sheets.example.test/values/' + input.range);
  const [head, ...rows] = sheet.values;
  return rows.filter((r) => r[1] === 'open').length;
}`,
		old: []world{
			{input: `{"range":"A1"}`, answers: []answer{{"values", `{"range":"A1","majorDimension":"ROWS","values":[["id","state"],["1","open"]]}`}}},
			{input: `{"range":"A2"}`, answers: []answer{{"values", `{"range":"A2","majorDimension":"ROWS","values":[["id","state"],["1","done"],["2","open"]]}`}}},
		},
		fresh: world{input: `{"range":"A3"}`, answers: []answer{{"values", `{"range":"A3","majorDimension":"ROWS"}`}}},
		// Nothing in the answer says whether the range is empty or the API has changed.
		heldOnly: true,
	},
	{
		name: "two new keys that could both be meant",
		code: invoiceLoop,
		old: []world{
			{answers: []answer{{"invoices", `{"data":[{"number":"A1","billing":"send_invoice","amount":100},{"number":"A2","billing":"charge_automatically","amount":50}]}`}}},
		},
		fresh:    world{answers: []answer{{"invoices", `{"data":[{"number":"A4","collection_method":"charge_automatically","fallback_method":"send_invoice","amount":20}]}`}}},
		heldOnly: true,
	},
	{
		name: "first and last name instead of a name",
		code: `async function main() {
  const { users } = await web.getJSON('https://api.example.test/users');
  return users.map((u) => u.name.trim());
}`,
		old: []world{
			{answers: []answer{{"users", `{"users":[{"id":1,"name":"Ada Byron"},{"id":2,"name":"Ken Ito"}]}`}}},
		},
		fresh: world{answers: []answer{{"users", `{"users":[{"id":3,"first_name":"Bea","last_name":"Li"}]}`}}},
	},
	{
		name: "key removed altogether",
		code: `async function main() {
  const { users } = await web.getJSON('https://api.example.test/users');
  return users.map((u) => u.email.toLowerCase());
}`,
		old: []world{
			{answers: []answer{{"users", `{"users":[{"id":1,"email":"A@example.test"},{"id":2,"email":"K@example.test"}]}`}}},
		},
		fresh: world{answers: []answer{{"users", `{"users":[{"id":3},{"id":4}]}`}}},
	},
	{
		name: "euros became cents under another name, all whole",
		code: `async function main() {
  const { orders } = await web.getJSON('https://api.example.test/orders');
  return orders.map((o) => o.total.toFixed(2));
}`,
		old: []world{
			{answers: []answer{{"orders", `{"orders":[{"id":1,"total":12},{"id":2,"total":900}]}`}}},
		},
		fresh: world{answers: []answer{{"orders", `{"orders":[{"id":3,"total_cents":1300},{"id":4,"total_cents":700}]}`}}},
	},
	{
		name: "price text became a number of cents",
		code: `async function main() {
  const { lines } = await web.getJSON('https://shop.example.test/lines');
  return lines.map((l) => l.price.replace('.', ','));
}`,
		old: []world{
			{answers: []answer{{"lines", `{"lines":[{"id":1,"price":"12.50"},{"id":2,"price":"9.99"}]}`}}},
		},
		fresh: world{answers: []answer{{"lines", `{"lines":[{"id":3,"price":1350},{"id":4,"price":799}]}`}}},
	},
	{
		name: "flag became its opposite",
		code: `async function main() {
  const { users } = await web.getJSON('https://api.example.test/users');
  return users.filter((u) => u.is_active.valueOf()).map((u) => u.id);
}`,
		old: []world{
			{answers: []answer{{"users", `{"users":[{"id":1,"is_active":true},{"id":2,"is_active":false}]}`}}},
		},
		fresh: world{answers: []answer{{"users", `{"users":[{"id":3,"is_inactive":false},{"id":4,"is_inactive":true}]}`}}},
	},
	{
		name: "status renamed and its constants changed",
		code: `async function main() {
  const { orders } = await web.getJSON('https://api.example.test/orders');
  return orders.filter((o) => o.state.trim() === 'paid').map((o) => o.id);
}`,
		old: []world{
			{answers: []answer{{"orders", `{"orders":[{"id":1,"state":"paid"},{"id":2,"state":"open"},{"id":5,"state":"paid"},{"id":6,"state":"paid"}]}`}}},
		},
		fresh: world{answers: []answer{{"orders", `{"orders":[{"id":3,"status":"PAID"},{"id":4,"status":"OPEN"}]}`}}},
	},
	{
		name: "another field of the same type appeared",
		code: `async function main() {
  const { tickets } = await web.getJSON('https://desk.example.test/tickets');
  return tickets.map((t) => t.customer_email.toLowerCase());
}`,
		old: []world{
			{answers: []answer{{"tickets", `{"tickets":[{"id":1,"customer_email":"a@example.test"},{"id":2,"customer_email":"b@example.test"}]}`}}},
		},
		fresh: world{answers: []answer{{"tickets", `{"tickets":[{"id":3,"region":"europe"},{"id":4,"region":"asia"}]}`}}},
	},
	{
		name: "another date appeared",
		code: `async function main() {
  const { tasks } = await web.getJSON('https://api.example.test/tasks');
  return tasks.map((t) => t.due_date.slice(0, 10));
}`,
		old: []world{
			{answers: []answer{{"tasks", `{"tasks":[{"id":1,"due_date":"2026-04-01"},{"id":2,"due_date":"2026-05-01"}]}`}}},
		},
		fresh: world{answers: []answer{{"tasks", `{"tasks":[{"id":3,"paid_date":"2026-03-01"},{"id":4,"paid_date":"2026-03-01"}]}`}}},
	},
	{
		name: "created replaced by updated",
		code: `async function main() {
  const { tasks } = await web.getJSON('https://api.example.test/tasks');
  return tasks.map((t) => t.created_at.slice(0, 10));
}`,
		old: []world{
			{answers: []answer{{"tasks", `{"tasks":[{"id":1,"created_at":"2026-04-01T10:00:00Z"},{"id":2,"created_at":"2026-05-01T10:00:00Z"}]}`}}},
		},
		fresh: world{answers: []answer{{"tasks", `{"tasks":[{"id":3,"updated_at":"2026-03-01T10:00:00Z"}]}`}}},
	},
	{
		name: "list missing while its count says that there is something",
		code: `async function main() {
  const found = await web.getJSON('https://mail.example.test/messages');
  return found.messages.map((m) => m.id);
}`,
		old: []world{
			{answers: []answer{{"messages", `{"messages":[{"id":"a"},{"id":"b"}],"count":2}`}}}, {answers: []answer{{"messages", `{"messages":[{"id":"c"}],"count":1}`}}},
		},
		fresh:    world{answers: []answer{{"messages", `{"count":3}`}}},
		heldOnly: true,
	},
	{
		name: "what only some had may have moved with the others",
		code: `const line = ({ vessel, berth: { name }, pilot }) => vessel.flag.trim() + ' at ' + name + (pilot ? ' with ' + pilot.name.toUpperCase() : '');
export default async () => {
  const res = await fetch('https://port.example.test/calls/next');
  return line(await res.json());
};`,
		old: []world{
			{answers: []answer{{"next", `{"port":"Oslo","vessel":{"tons":90,"flag":"Ada"},"berth":{"name":"B1","depth":9}}`}}}, {answers: []answer{{"next", `{"port":"Oslo","vessel":{"tons":90,"flag":"Bö"},"berth":{"name":"B7","depth":7},"pilot":{"name":"Kim"}}`}}},
			{answers: []answer{{"next", `{"port":"Oslo","vessel":{"tons":90,"flag":"Cy"},"berth":{"name":"C1","depth":8}}`}}},
		},
		fresh: world{answers: []answer{{"next", `{"port":"Oslo","call":{"vessel":{"tons":90,"flag":"Dee"},"berth":{"name":"B2","depth":9}}}`}}},
	},
	{
		name: "list missing where a stranger appeared",
		code: `async function main() {
  const found = await web.getJSON('https://mail.example.test/messages');
  await files.write('n.txt', String(found.messages.length));
  return found.messages.map((m) => m.id);
}`,
		old: []world{
			{answers: []answer{{"messages", `{"messages":[{"id":"a"},{"id":"b"}]}`}}}, {answers: []answer{{"messages", `{"messages":[]}`}}},
		},
		fresh: world{answers: []answer{{"messages", `{"threads":{"t1":["a"],"t2":["b"]}}`}}},
	},
	{
		name: "everything nested and renamed at once",
		code: `async function main(input) {
  const lines = [];
  for (const m of input.messages) lines.push(m.event + ' #' + m.incident.incident_number);
  await files.append('log.txt', lines.join('\n'));
  return lines.length;
}`,
		old: []world{
			{input: `{"messages":[{"event":"incident.trigger","incident":{"id":"P1","incident_number":1}}]}`}, {input: `{"messages":[]}`},
		},
		fresh: world{input: `{"event":{"id":"E1","event_type":"incident.triggered","data":{"id":"P2","number":2}}}`},
	},
	{
		name: "no key any more: the answer is a refusal",
		code: `async function main() {
  const res = await web.getJSON('https://rates.example.test/latest');
  const usd = res.rates.USD;
  await kv.set('usd', usd);
  return usd.toFixed(3);
}`,
		old: []world{
			{answers: []answer{{"latest", `{"success":true,"base":"EUR","rates":{"USD":1.1}}`}}}, {answers: []answer{{"latest", `{"success":true,"base":"EUR","rates":{"USD":1.2}}`}}},
		},
		fresh: world{answers: []answer{{"latest", `{"success":false,"error":{"code":101,"type":"missing_access_key","info":"You have not supplied an API Access Key."}}`}}},
	},
	{
		name: "null account whose login is written out",
		code: `async function main() {
  const { commits } = await web.getJSON('https://git.example.test/compare');
  const notes = commits.map((c) => c.sha + ' @' + c.author.login);
  await files.write('notes.md', notes.join('\n'));
  return notes.length;
}`,
		old: []world{
			{answers: []answer{{"compare", `{"commits":[{"sha":"aa","author":{"login":"ada"}},{"sha":"bb","author":{"login":"ken"}}]}`}}},
		},
		fresh: world{answers: []answer{{"compare", `{"commits":[{"sha":"cc","author":{"login":"ada"}},{"sha":"dd","author":null}]}`}}},
	},
	{
		name: "null number",
		code: `async function main() {
  const { quakes } = await web.getJSON('https://quakes.example.test/feed');
  return quakes.map((q) => q.mag.toFixed(1));
}`,
		old: []world{
			{answers: []answer{{"feed", `{"quakes":[{"id":1,"mag":4.5},{"id":2,"mag":5.1}]}`}}},
		},
		fresh: world{answers: []answer{{"feed", `{"quakes":[{"id":3,"mag":null},{"id":4,"mag":6.2}]}`}}},
	},
	{
		name: "first of a list of several",
		code: `async function main() {
  const issue = await web.getJSON('https://git.example.test/issue');
  return issue.assignee.login.toUpperCase();
}`,
		old: []world{
			{answers: []answer{{"issue", `{"id":1,"assignee":{"login":"ada","id":3}}`}}}, {answers: []answer{{"issue", `{"id":2,"assignee":{"login":"ken","id":4}}`}}},
		},
		fresh:    world{answers: []answer{{"issue", `{"id":3,"assignees":[{"login":"bea","id":5},{"login":"ada","id":3}]}`}}},
		heldOnly: true,
	},
	{
		name: "a call that fails",
		code: `async function main(input) {
  const out = [];
  for (const repo of input.repos) out.push((await web.getJSON('https://git.example.test/' + repo)).tag);
  return out;
}`,
		old:   []world{{input: `{"repos":["a"]}`, answers: []answer{{"/a", `{"tag":"v1"}`}}}},
		fresh: world{input: `{"repos":["a","b"]}`, answers: []answer{{"/a", `{"tag":"v1"}`}}},
	},
	{
		name: "the script's own complaint",
		code: `async function main(input) {
  if (input.total < 0) throw new Error('negative total ' + input.total);
  return input.total;
}`,
		old:   []world{{input: `{"total":1}`}},
		fresh: world{input: `{"total":-1}`},
	},
	{
		name: "gross instead of net",
		code: `async function main() {
  const { orders } = await web.getJSON('https://api.example.test/orders');
  return orders.map((o) => o.net_total.toFixed(2));
}`,
		old: []world{
			{answers: []answer{{"orders", `{"orders":[{"id":1,"net_total":100.5},{"id":2,"net_total":90.25}]}`}}},
		},
		fresh: world{answers: []answer{{"orders", `{"orders":[{"id":3,"gross_total":119.75},{"id":4,"gross_total":95.5}]}`}}},
	},
	{
		name: "object became an id that must be looked up",
		code: `async function main() {
  const { data } = await web.getJSON('https://pay.example.test/intents');
  return data.map((p) => p.charges.data[0].card.last4.padStart(8, '*'));
}`,
		old: []world{
			{answers: []answer{{"intents", `{"data":[{"id":"pi_1","charges":{"data":[{"id":"ch_1","card":{"last4":"4242"}}]}}]}`}}}, {answers: []answer{{"intents", `{"data":[{"id":"pi_2","charges":{"data":[{"id":"ch_2","card":{"last4":"1881"}}]}}]}`}}},
		},
		fresh: world{answers: []answer{{"intents", `{"data":[{"id":"pi_3","latest_charge":"ch_3"}]}`}}},
	},
	{
		name: "renamed field beside an unexplained one that was silent",
		code: `async function main() {
  const { orders } = await web.getJSON('https://api.example.test/orders');
  const rows = orders.map((o) => o.orderNumber.trim() + ';' + o.vatRate);
  await files.write('orders.csv', rows.join('\n'));
  return rows.length;
}`,
		old: []world{
			{answers: []answer{{"orders", `{"orders":[{"id":1,"orderNumber":"N-1","vatRate":19},{"id":2,"orderNumber":"N-2","vatRate":7}]}`}}},
		},
		fresh: world{answers: []answer{{"orders", `{"orders":[{"id":3,"order_number":"N-3"}]}`}}},
	},
	{
		name: "amount of a refund instead of the amount",
		code: `async function main() {
  const { payments } = await web.getJSON('https://pay.example.test/payments');
  return payments.map((p) => p.amount.toFixed(2));
}`,
		old: []world{
			{answers: []answer{{"payments", `{"payments":[{"id":1,"amount":10.5},{"id":2,"amount":20.25}]}`}}},
		},
		fresh: world{answers: []answer{{"payments", `{"payments":[{"id":3,"refund":{"amount":5.5}},{"id":4,"refund":{"amount":7.25}}]}`}}},
	},
	{
		name: "somebody else's address",
		code: `async function main() {
  const { tickets } = await web.getJSON('https://desk.example.test/tickets');
  return tickets.map((t) => t.subject_line.trim());
}`,
		old: []world{
			{answers: []answer{{"tickets", `{"tickets":[{"id":1,"subject_line":"Lamp broken"},{"id":2,"subject_line":"Where is it"}]}`}}},
		},
		fresh: world{answers: []answer{{"tickets", `{"tickets":[{"id":3,"assignee":{"display":"Ken Ito"}},{"id":4,"assignee":{"display":"Ada B"}}]}`}}},
	},
	{
		name: "old price instead of the price",
		code: `async function main() {
  const { products } = await web.getJSON('https://shop.example.test/products');
  return products.map((p) => p.price.toFixed(2));
}`,
		old: []world{
			{answers: []answer{{"products", `{"products":[{"id":1,"price":10.5},{"id":2,"price":20.25}]}`}}},
		},
		fresh: world{answers: []answer{{"products", `{"products":[{"id":3,"old_price":15.5},{"id":4,"old_price":17.25}]}`}}},
	},
	{
		name: "total and subtotal that were equal by chance",
		code: `async function main() {
  const { orders } = await web.getJSON('https://shop.example.test/orders');
  return orders.map((o) => o.total.toFixed(2));
}`,
		old: []world{
			{answers: []answer{{"orders", `{"orders":[{"id":1,"subtotal":10.5,"total":10.5},{"id":2,"subtotal":20.25,"total":20.25}]}`}}},
		},
		fresh: world{answers: []answer{{"orders", `{"orders":[{"id":3,"subtotal":15.5},{"id":4,"subtotal":17.25}]}`}}},
	},
	{
		name: "list of every item gone",
		code: `async function main() {
  const { products } = await web.getJSON('https://shop.example.test/products');
  return products.map((p) => p.id + ': ' + p.tags.join('+'));
}`,
		old: []world{
			{answers: []answer{{"products", `{"products":[{"id":1,"tags":["a","b"]},{"id":2,"tags":["c"]}]}`}}},
		},
		fresh: world{answers: []answer{{"products", `{"products":[{"id":3},{"id":4}]}`}}},
	},
	{
		name: "guarded list that moved, behind a variable without a value",
		code: `async function main() {
  const res = await web.getJSON('https://api.example.test/rows');
  let rows;
  if (res.rows) rows = res.rows;
  await files.write('n.txt', String(rows.map((r) => r.id)));
  return rows.length;
}`,
		old: []world{
			{answers: []answer{{"rows", `{"rows":[{"id":1},{"id":2}]}`}}}, {answers: []answer{{"rows", `{"rows":[]}`}}},
		},
		fresh: world{answers: []answer{{"rows", `{"sheet":"s","grid":{"a":{"id":1}}}`}}},
	},
	{
		name: "thousands with points became text",
		code: `async function main() {
  const { cities } = await web.getJSON('https://geo.example.test/cities');
  return cities.map((c) => c.people.toFixed(0));
}`,
		old: []world{
			{answers: []answer{{"cities", `{"cities":[{"id":1,"people":120400},{"id":2,"people":98200}]}`}}},
		},
		fresh: world{answers: []answer{{"cities", `{"cities":[{"id":3,"people":"101.300"},{"id":4,"people":"87.100"}]}`}}},
	},
	{
		name: "start replaced by end",
		code: `async function main() {
  const { shifts } = await web.getJSON('https://work.example.test/shifts');
  return shifts.map((s) => s.starts_at.slice(0, 16));
}`,
		old: []world{
			{answers: []answer{{"shifts", `{"shifts":[{"id":1,"starts_at":"2026-03-01T08:00:00Z"},{"id":2,"starts_at":"2026-03-02T08:00:00Z"}]}`}}},
		},
		fresh: world{answers: []answer{{"shifts", `{"shifts":[{"id":3,"ends_at":"2026-03-03T16:00:00Z"}]}`}}},
	},
	{
		name: "largest of an empty list",
		code: `async function main(input) {
  const top = input.bids.map((b) => b.amount).reduce((a, b) => (a > b ? a : b));
  await kv.set('top', top);
  return top;
}`,
		old:   []world{{input: `{"bids":[{"amount":3},{"amount":5}]}`}, {input: `{"bids":[{"amount":9}]}`}},
		fresh: world{input: `{"bids":[]}`},
	},
	{
		name: "text with times of no zone",
		code: `async function main() {
  const e = await web.getJSON('https://api.example.test/event');
  return new Date(e.starts * 1000).toISOString();
}`,
		old: []world{
			{answers: []answer{{"event", `{"id":1,"starts":1772323200}`}}}, {answers: []answer{{"event", `{"id":2,"starts":1772409600}`}}},
		},
		fresh: world{answers: []answer{{"event", `{"id":3,"starts":"2026-03-05 08:30:00"}`}}},
	},
	{
		name: "payment status instead of the order's status",
		code: `async function main() {
  const { orders } = await web.getJSON('https://shop.example.test/orders');
  return orders.filter((o) => o.status.trim() !== 'open').map((o) => o.id);
}`,
		old: []world{
			{answers: []answer{{"orders", `{"orders":[{"id":1,"status":"open"},{"id":2,"status":"paid"},{"id":5,"status":"closed"},{"id":6,"status":"open"},{"id":7,"status":"paid"},{"id":8,"status":"closed"}]}`}}},
		},
		fresh: world{answers: []answer{{"orders", `{"orders":[{"id":3,"payment_status":"paid"},{"id":4,"payment_status":"open"}]}`}}},
	},
	{
		name: "list that is two lists now",
		code: `async function main() {
  const { contacts } = await web.getJSON('https://crm.example.test/contacts');
  return contacts.map((c) => c.name.trim());
}`,
		old: []world{
			{answers: []answer{{"contacts", `{"contacts":[{"id":1,"name":"Ada"},{"id":2,"name":"Ken"}]}`}}},
		},
		fresh: world{answers: []answer{{"contacts", `{"contacts":{"people":[{"id":3,"name":"Bea"}],"companies":[{"id":4,"name":"ACME"}]}}`}}},
	},
	{
		name: "mode that the script does not know",
		code: `async function main(input) {
  let list;
  if (input.mode === 'short') list = input.items.slice(0, 1);
  if (input.mode === 'long') list = input.items;
  await files.write('list.txt', String(list.map((i) => i.id)));
  return list.length;
}`,
		old:      []world{{input: `{"mode":"short","items":[{"id":1},{"id":2}]}`}, {input: `{"mode":"long","items":[]}`}},
		fresh:    world{input: `{"mode":"all","items":[{"id":3}]}`},
		heldOnly: true,
	},
	{
		name: "short name near to two others",
		code: `async function main(input) {
  const row = input.row;
  if (row.n > 5) return rows.n;
  return row.n;
}`,
		old:   []world{{input: `{"row":{"n":1}}`}},
		fresh: world{input: `{"row":{"n":9}}`},
	},
	{
		name:  "what some had is in none, and something came, beside a member that is only renamed",
		code:  windy,
		old:   windyDays,
		fresh: world{answers: []answer{{"forecast", `{"hourly":{"temperature_2m":[2.5,6.25],"gusts":[13,8]}}`}}},
	},
	{
		name: "empty answer",
		code: `async function main() {
  const res = await web.fetch('https://api.example.test/list');
  const list = JSON.parse(res.body);
  await kv.set('all', list);
  return list.length;
}`,
		old:   []world{{answers: []answer{{"list", `[1,2]`}}}, {answers: []answer{{"list", `[3]`}}}},
		fresh: world{answers: []answer{{"list", ` `}}},
	},
}
