// What the services of each script answer on a day, and the inputs that come: { reads, inputs?, answers? }. A read is by its path;
// a text is sent as it is, everything else as JSON, and { status, headers, body } is a whole answer. All of it is natural
// variation: the scripts are right on every one of these days.

// A generator of numbers for one script and one day.
export function dice(script, day) {
  let state = 2166136261;
  for (const c of `${script} ${day}`) state = Math.imul(state ^ c.codePointAt(0), 16777619) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
  const int = (from, to) => from + Math.floor(next() * (to - from + 1));
  const pick = (list) => list[int(0, list.length - 1)];
  const chance = (p) => next() < p;
  const many = (from, to, make) => Array.from({ length: int(from, to) }, (_, i) => make(i));
  const hex = (n) => Array.from({ length: n }, () => pick('0123456789abcdef')).join('');
  const words = (n) => Array.from({ length: n }, () => pick(vocabulary)).join(' ');
  return { int, pick, chance, many, hex, words, next };
}

const vocabulary = ['invoice', 'café', 'naïve', '注文', 'Grüße', 'zażółć', 'refund', 'emoji 🚀', 'late', 'O’Brien', '"quoted"', 'tab\there', 'ünïcode', 'привет', 'parts', 'blue', 'عربي', 'x', 'a much longer word than others are', 'nil', '0', 'plain', 'ﬁne', 'end'];
const people = ['Ann', 'Björn', 'Chloé', 'Дмитрий', '恵子', 'Zoë-Marie van den Berg', 'Óscar', 'Li', "D'Arcy", 'Nguyễn'];

const first = Date.parse('2026-03-02T00:00:00Z');
const dateOf = (day) => new Date(first + day * 86400000).toISOString().slice(0, 10);
const optional = (r, p, value) => (r.chance(p) ? value : {});

export const worlds = {
  'digest.ts': (d, r) => ({ reads: {
    '/meetings': { meetings: r.many(0, 6, (i) => ({ uid: r.hex(8), subject: ` ${r.words(2)}`, begins: `${dateOf(d)}T${String(r.int(7, 17)).padStart(2, '0')}:${r.pick(['00', '15', '30'])}:0${i}+01:00`, room: r.chance(0.3) ? null : 'R' + r.int(1, 9), ...optional(r, 0.5, { guests: r.many(0, 4, () => r.hex(4) + '@example.test') }) })) },
    '/forecast': { now: { celsius: r.int(-90, 300) / 10, sky: r.pick(['clear', 'rain', 'snow', 'föhn', 'sand storm', 'drizzle']) }, ...optional(r, 0.3, { alerts: Object.fromEntries(r.many(1, 3, () => [r.pick(['north', 'south', 'coast', 'alps', 'isles']) + r.int(1, 9), r.words(2)])) }) },
  } }),
  'overdue.js': (d, r) => ({ reads: {
    '/export/accounts.csv': { headers: { 'content-type': 'text/csv' }, body: 'account,customer,balance,state\r\n' + r.many(0, 9, () => `A${r.int(1, 9999)},"${r.pick(people)}, ${r.pick(['Ltd', 'GmbH', 'SA'])}",${(r.int(-5000, 90000) / 100).toFixed(2)},${r.pick(['paid', 'open', 'late', 'written off', 'late'])}\r\n`).join('') },
  } }),
  'mirror.ts': (d, r) => {
    // Cards are never taken away; each day some are new, and some old ones have changed.
    const all = [];
    for (let day = 0; day <= d; day++) {
      const then = dice('mirror', day);
      for (let i = then.int(0, 3); i > 0; i--) all.push({ key: `C-${all.length + 1}`, title: then.words(3), done: false, changed: `${dateOf(day)}T0${i}:00:00Z`, ...(then.chance(0.7) ? { by: then.chance(0.8) ? { name: then.pick(people) } : null } : {}) });
      if (all.length > 0 && then.chance(0.6)) Object.assign(all[then.int(0, all.length - 1)], { done: then.chance(0.5), changed: `${dateOf(day)}T09:00:00Z` });
    }
    const reads = {};
    for (let day = -1; day <= d; day++) {
      for (const cursor of day < 0 ? [''] : [1, 2, 3, 9].map((h) => `${dateOf(day)}T0${h}:00:00Z`)) {
        const list = all.filter((card) => card.changed > cursor).sort((a, b) => (a.changed < b.changed ? -1 : a.changed > b.changed ? 1 : a.key < b.key ? -1 : 1));
        for (let page = 1; page === 1 || (page - 1) * 3 < list.length; page++) {
          reads[`/a/cards?since=${encodeURIComponent(cursor)}&page=${page}`] = { cards: list.slice((page - 1) * 3, page * 3), next: page * 3 < list.length ? page + 1 : null };
        }
      }
    }
    return { reads };
  },
  'approvals.ts': (d, r) => ({ reads: {
    '/claims?state=open': { claims: r.many(0, 3, (i) => ({ id: `x${d}-${i}`, person: r.pick(people), cents: r.int(1, 200000), currency: r.pick(['EUR', 'USD', 'CHF']), ...optional(r, 0.6, { why: r.words(2) }) })) },
  } }),
  'series.mjs': (d, r) => ({ reads: {
    '/series?symbol=ACME': { 'Meta Data': { '1. Information': r.words(2), '2. Symbol': 'ACME' }, 'Time Series': Object.fromEntries([2, 1, 0].map((back) => [dateOf(d - back), { '1. open': r.int(100, 900) + '.10', '4. close': (r.int(10000, 90000) / 100).toFixed(4), '5. volume': String(r.int(1, 1e7)) }])) },
  } }),
  'stock.mjs': (d, r) => ({ reads: {
    '/inventory': { items: Object.fromEntries(r.many(0, 8, () => [`${r.pick(['SKU', 'Ø', 'part'])}-${r.int(1, 60)}`, { onHand: r.int(0, 40), reorderAt: r.int(2, 10), ...optional(r, 0.4, { reserved: r.int(0, 20) }), ...optional(r, 0.3, { note: r.chance(0.5) ? null : r.words(1) }) }])) },
  } }),
  'feed.js': (d, r) => {
    const items = [];
    for (let day = Math.max(0, d - 3); day <= d; day++) {
      const then = dice('feed', day);
      for (let i = then.int(0, 3); i > 0; i--) items.unshift(`<item><guid>n${day}-${i}</guid><title>${then.words(2).replace(/[<&]/g, '')}</title><link>https://news.example.test/${day}/${i}</link>${then.chance(0.6) ? `<description><![CDATA[${then.words(4)}]]></description>` : ''}<pubDate>${new Date(first + day * 86400000).toUTCString()}</pubDate></item>`);
    }
    return { reads: { '/news.rss': { headers: { 'content-type': 'application/rss+xml' }, body: `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><link>https://news.example.test</link><description>All</description>${items.join('')}</channel></rss>` } } };
  },
  'shelf.mjs': (d, r) => ({ reads: {
    '/shelf.html': { headers: { 'content-type': 'text/html; charset=utf-8' }, body: `<!doctype html><html><head><title>Shelf</title></head><body><h1>${dateOf(d)}</h1><ul>${r.many(1, 6, () => `<li class="offer${r.chance(0.3) ? ' new' : ''}"><span class="name"> ${r.pick(['Tea', 'Café', '茶', 'Jam'])} ${r.int(1, 99)} </span><span class="price">${r.int(1, 99)},${r.int(10, 99)} €</span>${r.chance(0.3) ? `<em class="note">${r.pick(['bio', 'últimas unidades', 'new'])}</em>` : ''}</li>`).join('')}</ul></body></html>` },
  } }),
  'ledger.cjs': (d, r) => ({ reads: {
    '/entries': { currency: r.pick(['EUR', 'EUR', 'JPY']), ...optional(r, 0.9, { entries: r.many(0, 8, () => ({ account: r.pick(['cash', 'café', 'rent & heat', 'R/D', '4711']), side: r.pick(['debit', 'credit']), minor: r.int(0, 10 ** r.int(1, 7)), ...optional(r, 0.4, { memo: r.chance(0.4) ? null : r.words(3) }) })) }) },
  } }),
  'backup.top.js': (d, r) => ({ reads: {
    '/notes': r.many(0, 4, (i) => ({ slug: r.pick(['todo', 'idea', 'minutes']) + '-' + i, title: r.words(2), body: r.chance(0.2) ? r.pick([null, '']) : r.words(r.int(1, 30)) })),
  } }),
  'shop-events.js': (d, r) => ({ reads: {}, inputs: r.many(0, 3, (i) => r.pick([
    () => ({ type: 'order.created', id: r.hex(6), data: { number: `${d}-${i}`, lines: r.many(1, 4, () => ({ sku: r.hex(3), quantity: r.int(1, 9), unit_cents: r.int(1, 9999) })), ...optional(r, 0.4, { coupon: r.chance(0.3) ? null : r.hex(5) }) } }),
    () => ({ type: 'order.cancelled', id: r.hex(6), data: { number: `${d}-${i}`, reason: r.pick(['', 'too late', 'storniert', null]) } }),
    () => ({ type: 'customer.updated', id: r.hex(6), data: { id: 'c' + r.int(1, 30), email: r.hex(5) + '@example.test', tags: r.many(0, 3, () => r.words(1)) } }),
    () => ({ type: r.pick(['ping', 'theme.published']), id: r.hex(6), data: {} }),
  ])()) }),
  'repo-events.ts': (d, r) => ({ reads: {}, inputs: r.many(0, 3, (i) => r.pick([
    () => ({ action: 'opened', issue: { number: d * 10 + i, title: r.words(3), labels: r.many(0, 3, () => ({ name: r.words(1) })), body: r.chance(0.4) ? null : r.words(6) } }),
    () => ({ action: 'closed', issue: { number: r.int(0, d * 10 + 9), ...optional(r, 0.6, { state_reason: r.pick([null, 'completed', 'not_planned', 'duplicate']) }) } }),
    () => ({ action: 'push', commits: r.many(0, 3, () => ({ sha: r.hex(40), message: r.words(3) + (r.chance(0.3) ? '\n\n' + r.words(5) : ''), ...optional(r, 0.8, { author: { name: r.pick(people) } }) })) }),
  ])()) }),
  'contacts.mjs': (d, r) => {
    const pages = r.int(1, 4);
    return { reads: Object.fromEntries(Array.from({ length: pages }, (_, p) => [`/contacts?cursor=${p}`, { headers: p + 1 < pages ? { 'x-next': `/contacts?cursor=${p + 1}` } : {}, body: { data: r.many(0, 4, (i) => ({ id: `${p}${i}${r.hex(2)}`, name: r.pick(people), email: r.chance(0.2) ? null : `${r.hex(4)}@${r.pick(['a.test', 'b.test', 'münchen.test', r.hex(3) + '.test'])}`, ...optional(r, 0.5, { phone: r.chance(0.3) ? null : '+' + r.int(1e6, 9e6) }) })) } }])) };
  },
  'logs.js': (d, r) => ({ reads: {
    '/logs.ndjson': { headers: { 'content-type': 'application/x-ndjson' }, body: r.many(0, 12, () => JSON.stringify({ level: r.pick(['info', 'info', 'warn', 'error', 'debug', 'fatal', 'notice']), msg: r.words(3), service: r.pick(['api', 'web', 'batch', 'worker-' + r.int(1, 20)]), ...optional(r, 0.3, { trace: r.hex(16) }), ...optional(r, 0.2, { user: r.chance(0.5) ? null : r.int(1, 99) }) })).join('\n') + '\n' },
  } }),
  'rates.js': (d, r) => ({ reads: {
    '/rates.xml': { headers: { 'content-type': 'application/xml' }, body: `<?xml version="1.0" encoding="UTF-8"?><rates day="${dateOf(d)}">${['USD', 'GBP', 'JPY', 'CHF', 'SEK', 'PLN'].filter((c, i) => i === 0 || r.chance(0.8)).map((c) => `<rate currency="${c}">${(r.int(5000, 1600000) / 10000).toFixed(4)}</rate>`).join('')}</rates>` },
  } }),
  'tides.mjs': (d, r) => {
    const stations = [...new Set(r.many(0, 5, () => r.pick(['BRE', 'HAM', 'CUX', 'LIS', 'ÅLB', 'NYC'].map(encodeURIComponent)) + r.int(1, 4)))];
    return { reads: { '/stations': { stations: stations.map((id) => ({ id, ...optional(r, 0.5, { place: r.words(1) }) })) }, ...Object.fromEntries(stations.map((id) => ['/tide/' + id, { metres: r.int(-100, 500) / 100, ...optional(r, 0.3, { surge: r.chance(0.5) ? null : 0.2 }) }])) } };
  },
  'members.ts': (d, r) => {
    const members = r.many(0, 6, (i) => ({ id: i + 1 + d, name: r.pick(people), plan: r.pick(['basic', 'plus', null, 'gold']) }));
    return { reads: { '/members': members, '/payments': members.filter(() => r.chance(0.6)).flatMap((m) => r.many(1, 2, () => ({ member: m.id, minor: r.int(1, 99999), at: dateOf(d) + 'T00:00:00Z', ...optional(r, 0.6, { method: r.pick(['card', 'cash', 'sepa']) }) }))) } };
  },
  'table.cjs': (d, r) => ({ reads: {
    '/teams': Object.fromEntries(r.many(0, 5, () => [r.words(1) + r.int(1, 9), { members: r.many(0, 5, () => r.pick(people)), lead: r.chance(0.3) ? null : r.pick(people) }])),
  } }),
  'birthdays.js': (d, r) => ({ reads: {
    '/people': { people: r.many(0, 6, (i) => ({ id: `p${d}${i}`, name: r.pick(people), born: r.chance(0.2) ? null : `19${r.int(50, 99)}-${r.chance(0.4) ? dateOf(d).slice(5) : '07-0' + r.int(1, 9)}`, ...optional(r, 0.4, { nick: r.words(1) }) })) },
  } }),
  'links.mjs': (d, r) => {
    const pages = r.many(0, 6, (i) => '/page/' + (i * 7 + (d % 3)));
    return { reads: { '/sitemap': { pages }, ...Object.fromEntries(pages.map((p) => [p, r.chance(0.3) ? { status: r.pick([404, 410]), headers: { 'content-type': 'text/html' }, body: '<html><body>Gone</body></html>' } : { headers: { 'content-type': 'text/html' }, body: `<html><body><p>${r.words(5)}</p></body></html>` }])) } };
  },
  'tickets.js': (d, r) => ({ reads: {
    '/tickets': { tickets: r.many(0, 7, (i) => ({ id: d * 100 + i, subject: r.words(3), assignee: r.chance(0.3) ? null : { login: r.pick(['ann', 'bo', 'кир', 'dé']) }, ...optional(r, 0.6, { priority: r.pick(['low', 'high', 'urgent', null]) }) })) },
  } }),
  'signed.mjs': (d, r) => ({ reads: {
    '/config': { revision: d, flags: Object.fromEntries(r.many(0, 5, () => ['flag_' + r.int(1, 40), r.pick([true, false, 'beta', 0.25, null])])) },
  } }),
  'search.js': (d, r) => {
    const pages = r.int(1, 3);
    const text = 'query($after: String) { pulls(after: $after) { nodes { id title draft reviews { by } } next } }';
    const key = (p) => '/graphql ' + JSON.stringify({ query: text, variables: { after: p === 0 ? null : 'c' + p } });
    return { reads: Object.fromEntries(Array.from({ length: pages }, (_, p) => [key(p), { data: { pulls: { nodes: r.many(0, 4, (i) => ({ id: d * 100 + p * 10 + i, title: r.words(3), draft: r.chance(0.3), reviews: r.many(0, 2, () => ({ by: r.pick(people) })) })), next: p + 1 < pages ? 'c' + (p + 1) : null } } }])) };
  },
  'once.mjs': (d, r) => {
    const of = (day) => { const then = dice('once', day); return then.many(0, 4, (i) => ({ id: `${String(day).padStart(3, '0')}${i}`, at: dateOf(day), text: then.words(3), ...optional(then, 0.6, { severity: then.pick(['low', 'high', null]) }) })); };
    return { reads: { '/alerts': { alerts: [...(d > 0 ? of(d - 1) : []), ...of(d)] } } };
  },
  'invoices.ts': (d, r) => ({ reads: {
    '/jobs?billed=false': r.many(0, 3, (i) => ({ ref: `J${d}${i}`, customer: r.pick(people), kind: r.pick(['goods', 'service']), minor: r.int(1, 500000), vat: r.pick([null, 0.07, 0.19, 0]), ...optional(r, 0.5, { minutes: r.int(5, 500) }) })),
  } }),
  'shifts.mjs': (d, r) => ({ reads: {
    '/shifts': { shifts: r.many(0, 6, () => { const h = r.int(0, 14); const pad = (n) => String(n).padStart(2, '0'); return { who: r.pick(people), from: `${dateOf(d + r.int(0, 2))}T${pad(h)}:00:00${r.pick(['Z', '+02:00', '-05:00'])}`, to: `${dateOf(d + 3)}T${pad(h + 4)}:30:00Z`, ...optional(r, 0.3, { note: null }) }; }) },
  } }),
  'words.js': (d, r) => ({ reads: {
    '/strings': { strings: r.many(0, 5, (i) => ({ key: 'k' + i, text: Object.fromEntries(['en', 'de', 'ja', 'pt-BR', 'ar'].filter(() => r.chance(0.6)).map((l) => [l, r.chance(0.15) ? null : r.words(2)])) })) },
  } }),
  'ranks.top.js': (d, r) => ({ reads: {
    '/scores': Object.fromEntries(r.many(0, 8, () => ['u' + r.int(1, 12), { name: r.pick(people), points: r.int(0, 1000), ...optional(r, 0.3, { clan: r.chance(0.5) ? null : r.words(1) }) }])),
  } }),
  'payouts.mjs': (d, r) => ({ reads: {
    '/payouts/due': { payouts: r.many(0, 3, (i) => ({ id: `${d}.${i}`, account: r.hex(6), minor: r.int(1, 99999), ...optional(r, 0.5, { memo: r.chance(0.3) ? null : r.words(2) }) })) },
  } }),
  'devices.cjs': (d, r) => {
    const devices = [...new Set(r.many(0, 6, () => r.hex(2)))];
    return { reads: { '/devices': { devices }, ...Object.fromEntries(devices.map((id) => ['/devices/' + id, { battery: r.int(0, 100), ...optional(r, 0.7, { firmware: r.pick(['2.1', '2.0', '1.9', null]) }), ...optional(r, 0.3, { seen: dateOf(d) }) }])) } };
  },
};

// What the services answer to a write.
export function written(method, path, body) {
  const r = dice(method + path, body);
  return { ok: true, id: 'w' + r.hex(10), receipt: r.hex(6) };
}

// What a person answers.
export const answerTo = (question) => (dice('ask', question).chance(0.5) ? 'yes' : 'no');
