const route = 'GET https://desk.example/api/tickets';
const old = (t) => ({ id: t.id, subject: t.subject, status: t.status, requester: { name: t.who, email: 'x@x.example' }, tags: t.tags });
const list = (make) => (f) => ({ tickets: f.tickets.map(make), end_time: f.end });
export default {
  source: 'https://developer.zendesk.com/api-reference/ticketing/ticket-management/incremental_exports/: incremental lists by time became lists by cursor; members were renamed between versions',
  says: 'Keep a card on the board for each ticket of the desk.',
  facts: (day, r) => ({ end: 1772000000 + day * 86400, tickets: r.many(day === 6 ? 0 : 1, 4, (i) => ({ id: 40 + (r.chance(0.4) && day > 0 ? day - 1 : day) * 10 + i, subject: r.pick([' Printer ', 'Passwort vergessen', 'VPN?', '請求書']), who: r.pick(['Ann', 'Jörg', 'Li']), status: r.pick(['new', 'open', 'solved']), tags: r.mix(r.some(['vip', 'eu', 'bug'])) })) }),
  api: { [route]: list(old), 'POST https://board.example/cards': (f, q) => ({ id: q.id }), 'PATCH https://board.example/cards/:id': (f, q) => ({ id: +q.params.id }) },
  changes: [{
    name: 'requester-name',
    happened: 'requester is flat: requester_name and requester_email',
    tells: ['requester', 'requester_name'],
    api: { [route]: list((t) => { const { requester, ...rest } = old(t); return { ...rest, requester_name: requester.name, requester_email: requester.email }; }) },
    right: {
      'by ??': [['ticket.requester.name', 'ticket.requester?.name ?? ticket.requester_name']],
      'either': [['ticket.requester.name', '(ticket.requester ? ticket.requester.name : ticket.requester_name)']],
      'normalised': [['    const card', '    if (!ticket.requester) ticket.requester = { name: ticket.requester_name };\n    const card']],
    },
    wrong: {
      'the address': [['ticket.requester.name', 'ticket.requester?.name ?? ticket.requester_email']],
      'unknown': [['ticket.requester.name', "(ticket.requester?.name || 'unknown')"]],
      'skips': [['for (const ticket of tickets)', 'for (const ticket of tickets.filter((t) => t.requester))']],
    },
  }, {
    name: 'v3',
    happened: 'results for tickets, title for subject, ids are texts, tags are one text, end_time is in meta',
    tells: ['tickets', 'results'],
    api: { [route]: (f) => ({ results: f.tickets.map((t) => ({ id: String(t.id), title: t.subject, state: t.status, requester: { name: t.who }, tags: t.tags.length ? t.tags.join(',') : null })), meta: { end_time: f.end } }) },
    right: {
      'by ??': [['const { tickets, end_time } = await res.json();', 'const { results, tickets = results, meta, end_time = meta.end_time } = await res.json();'], ['ticket.subject.trim()', '(ticket.subject ?? ticket.title).trim()'], ['ticket.status ===', '(ticket.status ?? ticket.state) ==='], ['ticket.tags.sort()', '(Array.isArray(ticket.tags) ? ticket.tags : ticket.tags ? ticket.tags.split(",") : []).sort()']],
      'adapter': [['const { tickets, end_time } = await res.json();', "const body = await res.json();\n  const end_time = body.meta ? body.meta.end_time : body.end_time;\n  const tickets = body.tickets || body.results.map((t) => ({ ...t, subject: t.title, status: t.state, tags: (t.tags || '').split(',').filter(Boolean) }));"]],
      'in the class': [
        ['    const card', "    const subject = 'title' in ticket ? ticket.title : ticket.subject, status = ticket.state || ticket.status;\n    const tags = ticket.tags === null ? [] : typeof ticket.tags === 'string' ? ticket.tags.split(',') : ticket.tags;\n    const card"],
        ['ticket.subject.trim()', 'subject.trim()'], ['ticket.status ===', 'status ==='], ['ticket.tags.sort()', 'tags.sort()'],
        ['const { tickets, end_time } = await res.json();', 'const body = await res.json();\n  const tickets = body.tickets || body.results, { end_time } = body.meta || body;'],
      ],
    },
    wrong: {
      'empty': [['const { tickets, end_time }', 'const { tickets = [], end_time }']],
      'without the state': [['const { tickets, end_time } = await res.json();', 'const { results, tickets = results, meta, end_time = meta.end_time } = await res.json();'], ['ticket.subject.trim()', '(ticket.subject ?? ticket.title).trim()'], ['ticket.tags.sort()', '(Array.isArray(ticket.tags) ? ticket.tags : ticket.tags ? ticket.tags.split(",") : []).sort()']],
      'without tags': [['const { tickets, end_time } = await res.json();', 'const { results, tickets = results, meta, end_time = meta.end_time } = await res.json();'], ['ticket.subject.trim()', '(ticket.subject ?? ticket.title).trim()'], ['ticket.status ===', '(ticket.status ?? ticket.state) ==='], ['ticket.tags.sort()', '[].concat(Array.isArray(ticket.tags) ? ticket.tags : []).sort()']],
      'time of nothing': [['const { tickets, end_time } = await res.json();', 'const { results, tickets = results, end_time = 0 } = await res.json();'], ['ticket.subject.trim()', '(ticket.subject ?? ticket.title).trim()'], ['ticket.status ===', '(ticket.status ?? ticket.state) ==='], ['ticket.tags.sort()', '(Array.isArray(ticket.tags) ? ticket.tags : ticket.tags ? ticket.tags.split(",") : []).sort()']],
    },
  }, {
    name: 'requester-id',
    happened: 'the requester is an id; who that is has to be asked for elsewhere, with rights that the token has not',
    tells: ['requester'],
    lost: true,
    api: { [route]: list((t) => { const { requester, ...rest } = old(t); return { ...rest, requester_id: 900 + t.id }; }) },
    wrong: {
      'the id': [['ticket.requester.name', '(ticket.requester?.name ?? ticket.requester_id)']],
      'empty': [['ticket.requester.name', "(ticket.requester?.name ?? '')"]],
      'skips': [['for (const ticket of tickets)', 'for (const ticket of tickets.filter((t) => t.requester))']],
    },
  }],
};
