const LIST = 'GET https://api.mail.example/v3/mail.firm.example/bounces';
const of = (b) => ({ address: b.address, code: String(b.code), error: b.error, created_at: b.at });
const base = 'https://api.mail.example/v3/mail.firm.example/bounces';
const pages = (make, more = {}) => (f, q) => { const from = q.query.page === 'next' ? f.bounces.findIndex((b) => b.address === q.query.address) + 1 : 0, part = f.bounces.slice(from, from + 2), last = part.at(-1) ?? f.bounces.at(-1); return { items: part.map(make), paging: { first: `${base}?limit=2`, next: last ? `${base}?page=next&address=${encodeURIComponent(last.address)}&limit=2` : `${base}?page=next&limit=2`, previous: base }, ...more }; };
const relative = (make) => (f, q) => { const from = Number(q.query.skip ?? 0), to = from + 2; return { items: f.bounces.slice(from, to).map(make), paging: { next: to < f.bounces.length ? `/v3/mail.firm.example/bounces?limit=2&skip=${to}` : null } }; };
const event = (b) => ({ recipient: b.address, 'delivery-status': { code: b.code, message: '', description: b.error }, timestamp: Date.parse(b.at) / 1000, severity: 'permanent' });
const NEXT = '    url = page.paging.next;';
const PUSH = 'Array.prototype.push.apply(items, page.items);';
const EMPTY = 'if (page.items.length === 0) break;';
export default {
  source: 'https://github.com/mailgun/mailgun-ruby/issues/301 and https://github.com/mailgun/mailgun-ruby/pull/355: the list of bounces gives an address for the next page, the last of which is empty; clients that asked otherwise got the first page again',
  says: 'Take addresses off the lists that bounce for good.',
  facts: (day, r) => ({ bounces: day === 4 ? [] : ['Ada@x.example', 'bo+news@y.example', 'chen@z.example', 'dörte@ü.example', 'eve@x.example', 'fay@y.example'].filter(() => r.chance(0.6)).map((address, i) => ({ address, ...r.pick([{ code: 550, error: 'No such user' }, { code: 552, error: 'Mailbox quota exceeded' }, { code: 421, error: 'Try again: mailbox is full' }, { code: 554, error: 'Rejected for policy reasons that are explained at length on a page of theirs' }, { code: 605, error: '' }, { code: 451, error: 'Greylisted' }]), at: `2026-03-${String(Math.floor((day + i) / 3) % 28 + 1).padStart(2, '0')}T07:0${i}:00.000Z` })) }),
  api: { [LIST]: pages(of), 'PATCH https://crm.example/contacts/:address': { ok: true }, 'DELETE https://api.mail.example/v3/mail.firm.example/bounces/:address': (f, q) => (/^f/.test(q.params.address) ? { $status: 404, $body: { message: 'not found' } } : { message: 'removed' }) },
  changes: [{
    name: 'no-next',
    happened: 'the address of the next page is relative, and null on the last page, where it led to an empty page',
    tells: [['next', 'paging'], ['null', 'relative', 'Invalid URL']],
    api: { [LIST]: relative(of) },
    right: {
      'resolved': [[NEXT, "    if (!page.paging.next) break;\n    url = new URL(page.paging.next, 'https://api.mail.example').href;"]],
      'as long as there is one': [['for (let n = 0; n < 50; n++) {', 'for (let n = 0; n < 50 && url; n++) {'], [NEXT, "    url = page.paging.next && page.paging.next.replace(/^\\//, 'https://api.mail.example/');"]],
      'in request': [['const page = await request(url);', "const page = url ? await request(url.startsWith('/') ? 'https://api.mail.example' + url : url) : { items: [] };"]],
    },
    wrong: {
      'the first page': [[NEXT, "    if (!page.paging.next || page.paging.next.startsWith('/')) break;\n" + NEXT]],
      'caught': [['    const page = await request(url);', '    let page;\n    try { page = await request(url); } catch (e) { break; }']],
      'the same again': [[NEXT, "    if (!page.paging.next) break;\n    url = page.paging.next.startsWith('/') ? `https://api.mail.example/v3/${DOMAIN}/bounces?limit=2` : page.paging.next;"], ['n < 50', 'n < 3']],
    },
  }, {
    name: 'events',
    happened: 'a bounce is an event: recipient, delivery-status with a number and a description, timestamp in seconds',
    tells: ['address', ['recipient', 'delivery-status']],
    api: { [LIST]: pages(event) },
    right: {
      'made old': [[PUSH, "items.push(...page.items.map((e) => (e.recipient === undefined ? e : { address: e.recipient, code: String(e['delivery-status'].code), error: e['delivery-status'].description, created_at: new Date(e.timestamp * 1000).toISOString() })));"]],
      'in the loop': [['    const address = bounce.address', `    if (bounce.recipient) {
      const { code, description } = bounce['delivery-status'];
      Object.assign(bounce, { address: bounce.recipient, code, error: description, created_at: new Date(1000 * bounce.timestamp).toJSON() });
    }
    const address = bounce.address`]],
      'at each place': [
        ['bounce.address', '(bounce.address || bounce.recipient)'], ['bounce.created_at', '(bounce.created_at || new Date(bounce.timestamp * 1000).toISOString())'],
        ['Number(bounce.code)', "Number(bounce.code || bounce['delivery-status'].code)"], ['test(bounce.error)', "test(bounce.error ?? bounce['delivery-status'].description)"], ['`${bounce.code} ${bounce.error}`', "`${bounce.code || bounce['delivery-status'].code} ${bounce.error ?? bounce['delivery-status'].description}`"],
      ],
    },
    wrong: {
      'the message': [[PUSH, "items.push(...page.items.map((e) => (e.recipient === undefined ? e : { address: e.recipient, code: String(e['delivery-status'].code), error: e['delivery-status'].message, created_at: new Date(e.timestamp * 1000).toISOString() })));"]],
      'time as it is': [[PUSH, "items.push(...page.items.map((e) => (e.recipient === undefined ? e : { address: e.recipient, code: String(e['delivery-status'].code), error: e['delivery-status'].description, created_at: e.timestamp })));"]],
      'all that are permanent': [[PUSH, "items.push(...page.items.map((e) => (e.recipient === undefined ? e : { address: e.recipient, code: e.severity === 'permanent' ? '550' : '450', error: e['delivery-status'].description, created_at: new Date(e.timestamp * 1000).toISOString() })));"]],
      'skips': [['    const address = bounce.address', '    if (!bounce.address) continue;\n    const address = bounce.address']],
    },
  }, {
    name: 'v4',
    happened: 'items are data, the next page is a cursor beside it, code and error are in smtp, address is email, created_at has no milliseconds',
    tells: ['items', ['cursor', 'smtp', 'email']],
    api: { [LIST]: (f, q) => { const from = Number(q.query.cursor ?? 0), to = from + 2; return { data: f.bounces.slice(from, to).map((b) => ({ email: b.address, smtp: { code: b.code, text: b.error || null }, created_at: b.at.replace('.000Z', 'Z') })), next_cursor: to < f.bounces.length ? String(to) : null }; } },
    right: {
      'made old': [['    const page = await request(url);', `    let page = await request(url);
    if (page.data) {
      const cursor = page.next_cursor;
      page = { items: page.data.map((d) => ({ address: d.email, code: String(d.smtp.code), error: d.smtp.text || '', created_at: new Date(d.created_at).toISOString() })), paging: { next: cursor } };
      if (cursor) page.paging.next = \`https://api.mail.example/v3/\${DOMAIN}/bounces?limit=2&cursor=\${cursor}\`;
    }`], ['for (let n = 0; n < 50; n++) {', 'for (let n = 0; url && n < 50; n++) {']],
      'two loops': [[EMPTY, `if (page.data) {
      for (let more = page; ; more = await request(\`https://api.mail.example/v3/\${DOMAIN}/bounces?limit=2&cursor=\${more.next_cursor}\`)) {
        for (const { email, smtp, created_at } of more.data) items.push({ address: email, code: smtp.code, error: smtp.text ?? '', created_at: created_at.replace(/Z$/, '.000Z') });
        if (!more.next_cursor) return items;
      }
    }
    ${EMPTY}`]],
      'at each place': [
        [EMPTY, `const list = page.items || page.data;\n    if (list.length === 0) break;`], [PUSH, 'for (const one of list) items.push(one);'], [NEXT, "    if (page.data && !page.next_cursor) break;\n    url = page.data ? `https://api.mail.example/v3/${DOMAIN}/bounces?limit=2&cursor=${page.next_cursor}` : page.paging.next;"],
        ['bounce.address', '(bounce.address || bounce.email)'], ["' ' + bounce.created_at", "' ' + new Date(bounce.created_at).toISOString()"], ['Number(bounce.code)', 'Number(bounce.smtp ? bounce.smtp.code : bounce.code)'], ['test(bounce.error)', "test(bounce.smtp ? bounce.smtp.text || '' : bounce.error)"],
        ['`${bounce.code} ${bounce.error}`', "(bounce.smtp ? `${bounce.smtp.code} ${bounce.smtp.text || ''}` : `${bounce.code} ${bounce.error}`)"],
      ],
    },
    wrong: {
      'done again': [['    const page = await request(url);', `    let page = await request(url);
    if (page.data) page = { items: page.data.map((d) => ({ address: d.email, code: String(d.smtp.code), error: d.smtp.text || '', created_at: d.created_at })), paging: { next: page.next_cursor && \`https://api.mail.example/v3/\${DOMAIN}/bounces?limit=2&cursor=\${page.next_cursor}\` } };`], ['for (let n = 0; n < 50; n++) {', 'for (let n = 0; url && n < 50; n++) {']],
      'null as a text': [['    const page = await request(url);', `    let page = await request(url);
    if (page.data) page = { items: page.data.map((d) => ({ address: d.email, code: String(d.smtp.code), error: d.smtp.text, created_at: new Date(d.created_at).toISOString() })), paging: { next: page.next_cursor && \`https://api.mail.example/v3/\${DOMAIN}/bounces?limit=2&cursor=\${page.next_cursor}\` } };`], ['for (let n = 0; n < 50; n++) {', 'for (let n = 0; url && n < 50; n++) {']],
      'the first page': [['    const page = await request(url);', `    let page = await request(url);
    if (page.data) page = { items: page.data.map((d) => ({ address: d.email, code: String(d.smtp.code), error: d.smtp.text || '', created_at: new Date(d.created_at).toISOString() })), paging: { next: null } };`], ['for (let n = 0; n < 50; n++) {', 'for (let n = 0; url && n < 50; n++) {']],
      'no bounces': [[EMPTY, 'if (!page.items || page.items.length === 0) break;']],
    },
  }],
};
