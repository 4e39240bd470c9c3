const route = 'GET https://sms.example/2010-04-01/Accounts/AC1/Messages.json', V2 = 'GET https://sms.example/v2/Messages';
const rfc = (t) => new Date(t).toUTCString().replace('GMT', '+0000');
const old = (m) => ({ sid: m.id, direction: m.dir, status: m.status, to: m.to, error_code: m.code, num_segments: String(m.parts), price: m.cost === null ? null : `-${(m.cost / 10000).toFixed(5)}`, price_unit: 'USD', date_sent: rfc(m.at) });
const page = (f, q, shape, wrap) => { const at = Number(q.query.Page ?? 0), size = Number(q.query.PageSize), more = (at + 1) * size < f.messages.length; return wrap(f.messages.slice(at * size, (at + 1) * size).map(shape), more ? `/2010-04-01/Accounts/AC1/Messages.json?Month=${q.query.Month}&PageSize=${size}&Page=${at + 1}` : null, at); };
const classic = (shape) => (f, q) => page(f, q, shape, (messages, next_page_uri, n) => ({ page: n, messages, next_page_uri }));
export default {
  source: 'https://github.com/twilio/twilio-ruby/issues/71, https://github.com/twilio/twilio-node/issues/598 and https://github.com/twilio/twilio-oai/issues/21 (all opened): lists of messages moved to another resource, the path of the next page and the form of dates caused trouble; prices as objects and ISO dates are from memory of its later interfaces',
  says: 'Tell what our texts cost, and forget numbers that are not there',
  facts: (day, r) => ({
    month: `2026-${String(day % 12 + 1).padStart(2, '0')}`, budget: r.pick([undefined, undefined, 2]),
    messages: r.many(day === 6 ? 0 : 2, 10, (i) => { const status = r.pick(['delivered', 'sent', 'delivered', 'failed', 'undelivered']), bad = /failed|undelivered/.test(status); return { id: `SM${r.hex(6)}`, dir: r.chance(0.15) ? 'inbound' : 'outbound-api', status, to: r.pick(['+4915112345', '+447700900', '+8190123', '+33612', '+15550100']), code: bad ? r.pick([30005, 30006, 30003]) : null, parts: r.int(1, 4), cost: bad || r.chance(0.1) ? null : r.int(50, 9000), at: Date.UTC(2026, day % 12, r.int(1, 28), r.int(0, 23), i) }; }),
  }),
  input: (f) => (f.budget ? { month: f.month, budget: f.budget } : { month: f.month }),
  api: { [route]: classic(old), 'DELETE https://crm.example/numbers/:number': (f, q) => (q.params.number.startsWith('+33') ? { $status: 404, $body: {} } : {}) },
  changes: [{
    name: 'meta-and-camel',
    happened: 'the next page is a whole address below meta, members are in camel case, price is an object with a positive amount, and the date is ISO',
    tells: [['next_page_uri', 'meta', 'next'], ['numSegments', 'num_segments', 'price', 'camel', 'dateSent', 'date_sent']],
    api: { [route]: (f, q) => page(f, q, (m) => ({ sid: m.id, direction: m.dir, status: m.status, to: m.to, errorCode: m.code, numSegments: m.parts, price: m.cost === null ? null : { amount: (m.cost / 10000).toFixed(5), currency: 'USD' }, dateSent: new Date(m.at).toISOString() }), (messages, next) => ({ messages, meta: { nextPageUrl: next && 'https://sms.example' + next } })) },
    right: {
      'made old': [['.then(({ messages, next_page_uri: next }) => {', ".then(({ messages: given, next_page_uri, meta }) => {\n      const next = meta ? meta.nextPageUrl && meta.nextPageUrl.replace(HOST, '') : next_page_uri;\n      const messages = given.map((m) => (m.dateSent ? { ...m, error_code: m.errorCode, num_segments: m.numSegments, date_sent: m.dateSent, price: m.price && m.price.amount } : m));"]],
      'in each place': [['fetch(HOST + path,', "fetch(new URL(path, HOST),"], ['({ messages, next_page_uri: next })', '({ messages, meta, next_page_uri: next = meta?.nextPageUrl })'], ['(m) => {\n    if (m.direction', '(m) => {\n    const code = m.error_code ?? m.errorCode;\n    if (m.direction'], ["failed.set(m.error_code, [...(failed.get(m.error_code) || []), m.to])", "failed.set(code, [...(failed.get(code) || []), m.to])"], ['Number(m.num_segments)', 'Number(m.num_segments ?? m.numSegments)'], ['tenThousandths(m.price)', 'tenThousandths(m.price.amount ?? m.price)'], ['new Date(m.date_sent)', 'new Date(m.date_sent ?? m.dateSent)']],
      'snake case for all': [['messages.forEach(visit)', "messages.map(snake).forEach(visit)"], ['({ messages, next_page_uri: next })', '({ messages, meta = {}, next_page_uri })'], ['return next ? each(next, visit) : undefined;', "const next = next_page_uri || (meta.nextPageUrl ? meta.nextPageUrl.slice(HOST.length) : null);\n      return next ? each(next, visit) : undefined;"], ['/** Follows', "const snake = (m) => {\n  const out = {};\n  for (const [key, v] of Object.entries(m)) out[key.replace(/[A-Z]/g, (c) => '_' + c.toLowerCase())] = v && v.amount ? v.amount : v;\n  return out;\n};\n\n/** Follows"]],
    },
    wrong: {
      'the first page': [['({ messages, next_page_uri: next }) => {', "({ messages: given, next_page_uri: next }) => {\n      const messages = given.map((m) => (m.dateSent ? { ...m, error_code: m.errorCode, num_segments: m.numSegments, date_sent: m.dateSent, price: m.price && m.price.amount } : m));"]],
      'no costs': [['.then(({ messages, next_page_uri: next }) => {', ".then(({ messages: given, next_page_uri, meta }) => {\n      const next = meta ? meta.nextPageUrl && meta.nextPageUrl.replace(HOST, '') : next_page_uri;\n      const messages = given.map((m) => (m.dateSent ? { ...m, error_code: m.errorCode, num_segments: m.numSegments, date_sent: m.dateSent, price: null } : m));"]],
      'numbers are kept': [['.then(({ messages, next_page_uri: next }) => {', ".then(({ messages: given, next_page_uri, meta }) => {\n      const next = meta ? meta.nextPageUrl && meta.nextPageUrl.replace(HOST, '') : next_page_uri;\n      const messages = given.map((m) => (m.dateSent ? { ...m, num_segments: m.numSegments, date_sent: m.dateSent, price: m.price && m.price.amount } : m));"]],
      'one part each': [['.then(({ messages, next_page_uri: next }) => {', ".then(({ messages: given, next_page_uri, meta }) => {\n      const next = meta ? meta.nextPageUrl && meta.nextPageUrl.replace(HOST, '') : next_page_uri;\n      const messages = given.map((m) => (m.dateSent ? { ...m, error_code: m.errorCode, num_segments: 1, date_sent: m.dateSent, price: m.price && m.price.amount } : m));"]],
    },
  }, {
    name: 'cents-and-codes',
    happened: 'prices are in cents and negative, error codes are texts such as E30005, and inbound became a direction in',
    tells: [['price', 'cents', 'error_code', 'direction']],
    api: { [route]: classic((m) => { const o = old(m); return { ...o, price: m.cost === null ? null : `-${(m.cost / 100).toFixed(3)}`, price_unit: 'USD-cent', error_code: m.code && `E${m.code}`, direction: m.dir === 'inbound' ? 'in' : 'out' }; }) },
    right: {
      'made old': [['messages.forEach(visit);', "messages.forEach((m) => visit(m.price_unit === 'USD-cent' ? { ...m, price: m.price === null ? null : Number(m.price) / 100, error_code: m.error_code ? Number(m.error_code.slice(1)) : null, direction: m.direction === 'in' ? 'inbound' : 'outbound' } : m));"]],
      'in place': [["m.direction === 'inbound'", "['inbound', 'in'].includes(m.direction)"], ["failed.set(m.error_code, [...(failed.get(m.error_code) || []), m.to])", "const code = Number(String(m.error_code).replace('E', ''));\n      failed.set(code, [...(failed.get(code) || []), m.to])"], ['tenThousandths(m.price)', "(m.price_unit === 'USD-cent' ? Math.round(Math.abs(m.price) * 100) : tenThousandths(m.price))"]],
      'functions': [['tenThousandths(m.price)', 'cost(m)'], ["m.direction === 'inbound'", 'm.direction.startsWith(\'in\')'], ['code !== 30005 && code !== 30006', '!/^E?3000[56]$/.test(code)'], ['const bill', "const cost = ({ price, price_unit: unit }) => (unit.endsWith('-cent') ? Math.round(tenThousandths(price) / 100) : tenThousandths(price));\n\nconst bill"]],
    },
    wrong: {
      'a hundred times': [["m.direction === 'inbound'", "['inbound', 'in'].includes(m.direction)"], ['code !== 30005 && code !== 30006', '!/^E?3000[56]$/.test(code)']],
      'inbound ones, too': [['tenThousandths(m.price)', "(m.price_unit === 'USD-cent' ? Math.round(Math.abs(m.price) * 100) : tenThousandths(m.price))"], ['code !== 30005 && code !== 30006', '!/^E?3000[56]$/.test(code)']],
      'numbers are kept': [["m.direction === 'inbound'", "['inbound', 'in'].includes(m.direction)"], ['tenThousandths(m.price)', "(m.price_unit === 'USD-cent' ? Math.round(Math.abs(m.price) * 100) : tenThousandths(m.price))"]],
    },
  }, {
    name: 'moved',
    happened: 'the address of the list says 410 and names /v2/Messages, where the month is called period and the next page is a number',
    tells: [['410', 'v2', 'Gone', 'moved']],
    api: { [route]: () => ({ $status: 410, $body: { message: 'Gone. Use /v2/Messages?period=' } }), [V2]: (f, q) => page(f, { query: { Month: q.query.period, PageSize: q.query.PageSize, Page: q.query.Page } }, old, (messages, next, n) => ({ messages, next_page: next ? n + 1 : null })) },
    right: {
      'tries the new one': [['.then((res) => (res.ok ?', ".then((res) => (res.status === 410 ? fetch(HOST + modern(path), { headers: { Authorization: 'Basic ' + btoa('AC1:' + secret('SMS_TOKEN')) } }) : res))\n    .then((res) => (res.ok ?"], ['({ messages, next_page_uri: next })', "({ messages, next_page: page, next_page_uri: next = page ? path.replace(/&Page=\\d+|$/, '') + '&Page=' + page : null })"], ['/** Follows', "const modern = (path) => path.replace('/2010-04-01/Accounts/AC1/Messages.json', '/v2/Messages').replace('Month=', 'period=');\n\n/** Follows"]],
      'a loop': [["await each(`/2010-04-01/Accounts/AC1/Messages.json?Month=${month}&PageSize=3`, (m) => {", "const visit = (m) => {"], ["    if (sent > row.last) row.last = sent;\n  });", "    if (sent > row.last) row.last = sent;\n  };\n  try {\n    await each(`/2010-04-01/Accounts/AC1/Messages.json?Month=${month}&PageSize=3`, visit);\n  } catch (error) {\n    if (!error.message.startsWith('410')) throw error;\n    for (let page = 0; page !== null;) {\n      const res = await fetch(`${HOST}/v2/Messages?period=${month}&PageSize=3&Page=${page}`, { headers: { Authorization: 'Basic ' + btoa('AC1:' + secret('SMS_TOKEN')) } });\n      if (!res.ok) throw new Error(`${res.status}`);\n      const body = await res.json();\n      body.messages.forEach(visit);\n      page = body.next_page;\n    }\n  }"]],
      'both addresses': [["await each(`/2010-04-01/Accounts/AC1/Messages.json?Month=${month}&PageSize=3`, (m) => {", "const first = await fetch(`${HOST}/2010-04-01/Accounts/AC1/Messages.json?Month=${month}&PageSize=3`, { headers: { Authorization: 'Basic ' + btoa('AC1:' + secret('SMS_TOKEN')) } });\n  const start = first.status === 410 ? `/v2/Messages?period=${month}&PageSize=3` : `/2010-04-01/Accounts/AC1/Messages.json?Month=${month}&PageSize=3`;\n  await each(start, (m) => {"], ['({ messages, next_page_uri: next })', '({ messages, next_page, next_page_uri })'], ['return next ?', "const next = next_page ? `${path.split('&Page=')[0]}&Page=${next_page}` : next_page_uri;\n      return next ?"]],
    },
    wrong: {
      'nothing was sent': [['(res.ok ? res.json() :', "(res.ok ? res.json() : res.status === 410 ? { messages: [] } :"]],
      'the first page': [['.then((res) => (res.ok ?', ".then((res) => (res.status === 410 ? fetch(HOST + modern(path), { headers: { Authorization: 'Basic ' + btoa('AC1:' + secret('SMS_TOKEN')) } }) : res))\n    .then((res) => (res.ok ?"], ['/** Follows', "const modern = (path) => path.replace('/2010-04-01/Accounts/AC1/Messages.json', '/v2/Messages').replace('Month=', 'period=');\n\n/** Follows"]],
      'the new one only': [['/2010-04-01/Accounts/AC1/Messages.json?Month=', '/v2/Messages?period='], ['({ messages, next_page_uri: next })', "({ messages, next_page: page, next_page_uri: next = page ? path.split('&Page=')[0] + '&Page=' + page : null })"]],
    },
  }],
};
