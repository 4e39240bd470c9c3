const old = 'GET https://crm.example/contacts/v1/lists/all';
const cut = (f, q) => { const from = Number(q.query.vidOffset || 0); return [f.people.slice(from, from + 4), from + 4]; };
const props = (p) => ({ email: { value: p.email }, ...(p.first ? { firstname: { value: p.first } } : {}), ...(p.last ? { lastname: { value: p.last } } : {}) });
export default {
  source: 'https://developers.hubspot.com/docs (contacts v1 to v3): values unwrapped, vid became id as text, paging',
  says: 'Add new contacts of the CRM to the weekly newsletter',
  facts: (day, r) => ({
    people: r.many(day === 3 ? 0 : 1, 7, () => { const n = r.int(1, 40); return { vid: n, email: `${r.pick(['Ada', 'bo', 'Chloë', 'dmitri', 'eva'])}${n}@mail.example`, first: r.chance(0.8) ? r.pick(['Ada', 'Bö', 'Хлоя']) : null, last: r.chance(0.7) ? r.pick(['Lovelace', "O'Neil", '王']) : null }; }).filter((p, i, all) => all.findIndex((o) => o.vid === p.vid) === i),
  }),
  api: {
    [old]: (f, q) => { const [p, next] = cut(f, q); return { contacts: p.map((x) => ({ vid: x.vid, 'is-contact': true, properties: props(x) })), 'has-more': next < f.people.length, 'vid-offset': next }; },
    'POST https://mail.example/lists/weekly/members': (f, q) => ({ id: String(q.id), status: 'subscribed' }),
  },
  changes: [{
    name: 'values-unwrapped',
    happened: 'properties hold their values directly, and null where there is none',
    tells: ['email', 'value'],
    api: { [old]: (f, q) => { const [p, next] = cut(f, q); return { contacts: p.map((x) => ({ vid: x.vid, 'is-contact': true, properties: { email: x.email, firstname: x.first, lastname: x.last } })), 'has-more': next < f.people.length, 'vid-offset': next }; } },
    right: {
      'a reader of values': [['const person =', "const text = (v) => (v !== null && typeof v === 'object' ? v.value : v);\n\nconst person ="], ['email.value.toLowerCase()', 'text(email).toLowerCase()'], ['[firstname?.value, lastname?.value]', '[text(firstname), text(lastname)]']],
      'in place': [['email.value.toLowerCase()', '(email.value ?? email).toLowerCase()'], ['[firstname?.value, lastname?.value]', '[firstname?.value ?? firstname, lastname?.value ?? lastname]']],
      'wrapped again': [['found.push(...contacts);', 'for (const c of contacts) {\n      const properties = {};\n      for (const [k, v] of Object.entries(c.properties)) if (v) properties[k] = typeof v === "string" ? { value: v } : v;\n      found.push({ ...c, properties });\n    }']],
    },
    wrong: {
      'no address': [['email.value.toLowerCase()', "(email.value ?? '').toLowerCase()"]],
      'only the address': [['email.value.toLowerCase()', '(email.value ?? email).toLowerCase()']],
      'left out': [['(await readAll()).map(person)', '(await readAll()).filter((c) => c.properties.email.value).map(person)']],
    },
  }, {
    name: 'v3',
    happened: 'contacts became results, vid became id as a text, values are unwrapped, the offset became paging.next.after (absent at the end)',
    tells: [['contacts', 'results'], ['vid', 'id']],
    api: { [old]: (f, q) => { const [p, next] = cut(f, q); return { results: p.map((x) => ({ id: String(x.vid), properties: { email: x.email, firstname: x.first, lastname: x.last }, archived: false })), ...(next < f.people.length ? { paging: { next: { after: String(next) } } } : {}) }; } },
    right: {
      'made old': [["const { contacts, 'has-more': hasMore, 'vid-offset': next } = await answer.json();", "let body = await answer.json();\n    if (body.results) {\n      body = {\n        contacts: body.results.map((x) => ({ vid: Number(x.id), properties: Object.fromEntries(Object.entries(x.properties).map(([k, v]) => [k, v === null ? undefined : { value: v }])) })),\n        'has-more': Boolean(body.paging?.next), 'vid-offset': body.paging?.next?.after,\n      };\n    }\n    const { contacts, 'has-more': hasMore, 'vid-offset': next } = body;"]],
      'both shapes': [["const { contacts, 'has-more': hasMore, 'vid-offset': next } = await answer.json();", 'const page = await answer.json();'], ['found.push(...contacts);', 'found.push(...(page.contacts ?? page.results));'], ['more = hasMore;', "more = page['has-more'] ?? page.paging !== undefined;"], ['offset = next;', "offset = page['vid-offset'] ?? page.paging?.next.after;"], ['({ vid, properties', '({ vid, id, properties'], ['key: vid,', 'key: vid ?? id,'], ['email.value.toLowerCase()', '(email.value ?? email).toLowerCase()'], ['[firstname?.value, lastname?.value]', '[firstname?.value ?? firstname, lastname?.value ?? lastname]']],
      'two readers': [["const { contacts, 'has-more': hasMore, 'vid-offset': next } = await answer.json();", "const page = await answer.json();\n    const contacts = 'results' in page ? page.results.map(({ id, properties: { email, firstname, lastname } }) => ({ vid: id, properties: { email: { value: email }, firstname: { value: firstname }, lastname: { value: lastname } } })) : page.contacts;\n    const hasMore = 'results' in page ? !!page.paging : page['has-more'];\n    const next = 'results' in page ? (hasMore ? page.paging.next.after : 0) : page['vid-offset'];"]],
    },
    wrong: {
      'nobody': [['found.push(...contacts);', 'found.push(...(contacts ?? []));']],
      'everybody is new': [["const { contacts, 'has-more': hasMore, 'vid-offset': next } = await answer.json();", "const page = await answer.json();\n    const contacts = page.contacts ?? page.results.map((x) => ({ properties: Object.fromEntries(Object.entries(x.properties).map(([k, v]) => [k, { value: v }])) }));\n    const hasMore = page['has-more'] ?? !!page.paging, next = page['vid-offset'] ?? page.paging?.next?.after;"]],
      'first page': [["const { contacts, 'has-more': hasMore, 'vid-offset': next } = await answer.json();", "const page = await answer.json();\n    const contacts = page.contacts ?? page.results.map((x) => ({ vid: x.id, properties: Object.fromEntries(Object.entries(x.properties).map(([k, v]) => [k, { value: v }])) }));\n    const hasMore = page['has-more'], next = page['vid-offset'];"]],
    },
  }, {
    name: 'addresses-listed',
    happened: 'email became emails, a list of objects with value and primary; the primary one is not always first',
    tells: ['email', 'emails'],
    api: { [old]: (f, q) => { const [p, next] = cut(f, q); return { contacts: p.map((x) => { const { email, ...rest } = props(x); const main = { value: x.email, primary: true }; return { vid: x.vid, 'is-contact': true, properties: { ...rest, emails: x.vid % 2 ? [{ value: `old${x.vid}@x.example`, primary: false }, main] : [main] } }; }), 'has-more': next < f.people.length, 'vid-offset': next }; } },
    right: {
      'found': [['properties: { email, firstname, lastname }', 'properties: { email, emails, firstname, lastname }'], ['email.value.toLowerCase()', '(email ?? emails.find((e) => e.primary)).value.toLowerCase()']],
      'before': [['found.push(...contacts);', 'found.push(...contacts.map((c) => (c.properties.emails ? { ...c, properties: { ...c.properties, email: c.properties.emails.filter((e) => e.primary)[0] } } : c)));']],
      'sorted': [['properties: { email, firstname, lastname }', 'properties: { emails = [], email = [...emails].sort((a, b) => Number(b.primary) - Number(a.primary))[0], firstname, lastname }']],
    },
    wrong: {
      'the first': [['properties: { email, firstname, lastname }', 'properties: { email, emails, firstname, lastname }'], ['email.value.toLowerCase()', '(email ?? emails[0]).value.toLowerCase()']],
      'the shortest': [['properties: { email, firstname, lastname }', 'properties: { email, emails, firstname, lastname }'], ['email.value.toLowerCase()', '(email ?? emails.reduce((a, b) => (b.value.length < a.value.length ? b : a))).value.toLowerCase()']],
      'skipped': [['(await readAll()).map(person)', '(await readAll()).filter((c) => c.properties.email).map(person)']],
    },
  }],
};
