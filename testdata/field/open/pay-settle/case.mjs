const LIST = 'GET https://api.pay.example/v1/payments';
const HOST = 'https://api.pay.example/v1/payments';
const text = (cents) => (cents / 100).toFixed(2);
const old = (p) => ({ resource: 'payment', id: p.id, mode: 'live', createdDatetime: p.created, ...(p.paid ? { paidDatetime: p.paid } : {}), status: p.state, amount: text(p.cents), ...(p.back === null ? {} : { amountRefunded: text(p.back) }), description: p.text, method: p.method, metadata: p.order && { order_id: p.order } });
const money = (cents) => ({ value: text(cents), currency: 'EUR' });
const CANCELED = { cancelled: 'canceled', paidout: 'paid' };
const v2 = (p) => ({ resource: 'payment', id: p.id, mode: 'live', createdAt: p.created, ...(p.paid ? { paidAt: p.paid } : {}), status: CANCELED[p.state] ?? p.state, amount: money(p.cents), ...(p.back === null ? {} : { amountRefunded: money(p.back) }), description: p.text, method: p.method === 'mistercash' ? 'bancontact' : p.method, metadata: p.order && { order_id: p.order }, _links: { self: { href: `${HOST}/${p.id}` } } });
const words = (p) => {
  const { method, status, amountRefunded, ...o } = old(p);
  return { ...o, status: status === 'charged_back' ? 'paid' : CANCELED[status] ?? status, ...(status === 'charged_back' ? { amountChargedBack: o.amount } : {}), ...(amountRefunded ? { amountRefunded } : {}), method: method === 'mistercash' ? 'bancontact' : method };
};
const oldList = (make) => (f) => ({ totalCount: f.payments.length, offset: 0, count: f.payments.length, data: f.payments.map(make), links: { first: HOST, last: HOST } });
const page = (size) => (f, q) => { const offset = Number(q.query.offset ?? 0), to = offset + size; return { totalCount: f.payments.length, offset, count: size, data: f.payments.slice(offset, to).map((p) => { const { paidDatetime, ...o } = old(p); return { ...o, paidDatetime: paidDatetime ?? null, amountRefunded: o.amountRefunded ?? null, description: o.description }; }), links: { first: HOST, next: to < f.payments.length ? `${HOST}?count=${size}&offset=${to}` : null } }; };
const GET = "const list = await web.getJSON(API + '/payments?count=250', { headers });";
const PUT = `const put = (p) => ({
  id: p.id, createdDatetime: p.createdAt, paidDatetime: p.paidAt, status: p.status === 'canceled' ? 'cancelled' : p.status, method: p.method,
  amount: p.amount.value, amountRefunded: p.amountRefunded && p.amountRefunded.value, description: p.description, metadata: p.metadata,
});

module.exports`;
export default {
  source: 'https://docs.mollie.com/migrating-v1-to-v2: lists moved into _embedded, amounts became objects of a value and a currency, times ...At, cancelled became canceled, mistercash bancontact, paidout and charged_back are no states any more, and lists are read by links',
  says: 'Close the day of the payments: tell the shop, the books and me.',
  facts: (day, r) => {
    const at = `2026-04-${String(day % 30 + 1).padStart(2, '0')}`;
    return { day: at, payments: day === 5 ? [] : r.many(3, 12, (i) => {
      const state = r.pick(['paid', 'paid', 'paidout', 'paid', 'cancelled', 'expired', 'failed', 'open', 'charged_back']), cents = r.int(5, 250000);
      const early = r.chance(0.15);
      return { id: `tr_${day}x${i}`, created: early ? '2026-03-01T10:00:00.0Z' : `${at}T0${r.int(1, 9)}:12:00.0Z`, paid: ['paid', 'paidout', 'charged_back'].includes(state) ? `${at}T1${r.int(0, 9)}:30:00.0Z` : null, state, cents, back: r.chance(0.5) ? null : r.pick([0, 0, Math.floor(cents / 2), cents]), text: r.pick(['Order', 'Bestelling', 'Abo für Zoë', '注文']) + ` ${i}`, method: r.pick(['ideal', 'mistercash', 'creditcard', null, 'paypal']), order: r.chance(0.7) ? String(day * 100 + i) : null };
    }) };
  },
  input: (f) => ({ day: f.day }),
  api: { [LIST]: oldList(old), 'PUT https://shop.example/orders/:id/paid': { ok: true }, 'POST https://books.example/days/:day': { ok: true } },
  changes: [{
    name: 'v2',
    happened: 'data is _embedded.payments, amounts are objects with value and currency, createdDatetime and paidDatetime are createdAt and paidAt, cancelled is canceled, paidout paid and mistercash bancontact',
    tells: [['_embedded', 'data'], ['canceled', 'value', 'createdAt']],
    api: { [LIST]: (f) => ({ count: f.payments.length, _embedded: { payments: f.payments.map(v2) }, _links: { self: { href: HOST }, next: null } }) },
    right: {
      'put back': [['module.exports', PUT], ['list.data.filter', '(list.data || list._embedded.payments.map(put)).filter']],
      'at each place': [
        ['list.data.filter', '(list.data || list._embedded.payments).filter'], ['(p.paidDatetime || p.createdDatetime)', '(p.paidDatetime || p.paidAt || p.createdDatetime || p.createdAt)'], ["{ cancelled: '", "{ canceled: 'was cancelled by the customer', cancelled: '"],
        ['return new Decimal(text);', 'return new Decimal(text.value === undefined ? text : text.value);'], ['(${p.amount} EUR)', '(${euros(p.amount).toFixed(2)} EUR)'],
      ],
      'rewritten names': [[GET, `${GET}
  if (list._embedded) {
    list.data = list._embedded.payments;
    for (const p of list.data) {
      for (const name of ['created', 'paid']) p[name + 'Datetime'] = p[name + 'At'];
      for (const name of ['amount', 'amountRefunded']) if (p[name]) p[name] = p[name].value;
      p.status = p.status.replace(/^canceled$/, 'cancelled');
    }
  }`]],
    },
    wrong: {
      'not cancelled': [['module.exports', PUT.replace("p.status === 'canceled' ? 'cancelled' : p.status", 'p.status')], ['list.data.filter', '(list.data || list._embedded.payments.map(put)).filter']],
      'without refunds': [['module.exports', PUT.replace('p.amountRefunded && p.amountRefunded.value', "'0.00'")], ['list.data.filter', '(list.data || list._embedded.payments.map(put)).filter']],
      'when made': [['module.exports', PUT.replace('paidDatetime: p.paidAt, ', '')], ['list.data.filter', '(list.data || list._embedded.payments.map(put)).filter']],
      'empty': [['list.data.filter', '(list.data || []).filter']],
    },
  }, {
    name: 'words',
    happened: 'cancelled is canceled, paidout is paid, mistercash is bancontact, and what was charged back is paid with an amountChargedBack',
    tells: ['canceled', 'amountChargedBack'],
    api: { [LIST]: oldList(words) },
    right: {
      'normalised': [['list.data.filter(', "list.data.map((p) => (p.amountChargedBack ? { ...p, status: 'charged_back' } : p.status === 'canceled' ? { ...p, status: 'cancelled' } : p)).filter("]],
      'at each place': [["p.status === 'paid' ||", "(p.status === 'paid' && !p.amountChargedBack) ||"], ["{ cancelled: '", "{ canceled: 'was cancelled by the customer', cancelled: '"], ['p.status in FAILED)', 'p.status in FAILED || p.amountChargedBack)'], ['${FAILED[p.status]}', '${FAILED[p.amountChargedBack ? "charged_back" : p.status]}']],
      'a state': [['function byMethod', "function state(p) {\n  if (p.amountChargedBack && Number(p.amountChargedBack) > 0) return 'charged_back';\n  return { canceled: 'cancelled', paidout: 'paid' }[p.status] || p.status;\n}\n\nfunction byMethod"], ["p.status === 'paid' || p.status === 'paidout'", "state(p) === 'paid'"], ['p.status in FAILED', 'state(p) in FAILED'], ['FAILED[p.status]', 'FAILED[state(p)]']],
    },
    wrong: {
      'only canceled': [["{ cancelled: '", "{ canceled: 'was cancelled by the customer', cancelled: '"]],
      'only charged back': [['list.data.filter(', "list.data.map((p) => (p.amountChargedBack ? { ...p, status: 'charged_back' } : p)).filter("]],
      'told and booked': [["{ cancelled: '", "{ canceled: 'was cancelled by the customer', cancelled: '"], ['p.status in FAILED)', 'p.status in FAILED || p.amountChargedBack)'], ['${FAILED[p.status]}', '${FAILED[p.amountChargedBack ? "charged_back" : p.status]}']],
      'netted': [["{ cancelled: '", "{ canceled: 'was cancelled by the customer', cancelled: '"], ['payment.amountRefunded ? euros(payment.amountRefunded) : 0', 'euros(payment.amountRefunded || payment.amountChargedBack || 0)']],
    },
  }, {
    name: 'pages',
    happened: 'a list has four payments at most, and says where the next ones are in links.next; what is absent is null',
    tells: ['next', ['links', 'page', 'pages', 'offset']],
    api: { [LIST]: page(4) },
    right: {
      'a loop': [[GET, `const list = { data: [] };
  for (let url = API + '/payments?count=250'; url; ) {
    const one = await web.getJSON(url, { headers });
    list.data.push(...one.data);
    url = one.links.next;
  }`]],
      'recursive': [['module.exports', "async function all(url) {\n  const { data, links } = await web.getJSON(url, { headers });\n  return links && links.next ? data.concat(await all(links.next)) : data;\n}\n\nmodule.exports"], [GET, "const list = { data: await all(API + '/payments?count=250') };"]],
      'a generator': [['module.exports', "async function* pages() {\n  let url = `${API}/payments?count=250`;\n  do {\n    const body = await web.getJSON(url, { headers });\n    yield* body.data;\n    url = body.links.next;\n  } while (url);\n}\n\nmodule.exports"], [GET, 'const list = { data: [] };\n  for await (const p of pages()) list.data.push(p);']],
    },
    wrong: {
      'two pages': [[GET, GET + '\n  if (list.links.next) list.data.push(...(await web.getJSON(list.links.next, { headers })).data);']],
      'the last page': [[GET, `let list = await web.getJSON(API + '/payments?count=250', { headers });
  while (list.links.next) list = await web.getJSON(list.links.next, { headers });`]],
      'in another order': [[GET, `const list = { data: [] };
  for (let url = API + '/payments?count=250'; url; ) {
    const one = await web.getJSON(url, { headers });
    list.data.unshift(...one.data);
    url = one.links.next;
  }`]],
    },
  }],
};
