const LIST = 'GET https://api.crm.example/contacts/v1/lists/all/contacts/all';
const props = (c, of) => Object.fromEntries(Object.entries({ email: c.email, firstname: c.first, lastname: c.last, lifecyclestage: c.stage }).filter(([, v]) => v !== null).map(([k, v]) => [k, of(v)]));
const v1 = (c) => ({ vid: c.id, 'canonical-vid': c.id, properties: props(c, (value) => ({ value })) });
const v3 = (c) => ({ id: String(c.id), properties: { ...{ email: null, firstname: null, lastname: null, lifecyclestage: null }, ...props(c, (v) => v), hs_object_id: String(c.id) }, archived: false });
const paged = (make, whole) => (f, q) => { const from = q.query.vidOffset ? f.contacts.findIndex((c) => c.id === Number(q.query.vidOffset)) + 1 : 0, n = Number(q.query.count), part = f.contacts.slice(from, from + n); return whole(part.map(make), from + n < f.contacts.length, part.at(-1)?.id ?? 0); };
const old = (contacts, more, last) => ({ contacts, 'has-more': more, 'vid-offset': last });
const after = (f, q) => { const from = q.query.after ? Number(q.query.after) : 0, n = Number(q.query.limit ?? q.query.count ?? 2); return { results: f.contacts.slice(from, from + n).map(v3), ...(from + n < f.contacts.length ? { paging: { next: { after: String(from + n) } } } : {}) }; };
const NEXT = "    yield* page.contacts;\n    if (!page['has-more']) return;\n    offset = page['vid-offset'];";
const SET = "if (offset !== undefined) url.searchParams.set('vidOffset', String(offset));";
export default {
  source: 'https://developers.hubspot.com/docs/api-reference/legacy/overview and https://docs.progress.com/bundle/datadirect-hubspot-jdbc-60/page/CONTACTS_V3.html: contacts by vid with has-more and vid-offset gave way to objects by id with plain properties and paging.next.after',
  says: 'Keep the list of the newsletter equal to the contacts of the CRM.',
  facts: (day, r) => ({ contacts: day === 6 ? [] : [['ada', 'Ada', 'Ample'], ['Bo', 'Bö', null], ['chen', '陳', '小明'], ['dora', null, 'Dorn'], ['eve', 'Eve', 'Oak'], ['', 'No', 'Mail'], ['fay', 'Fay', 'O’Neil']].filter(() => r.chance(0.75)).map(([mail, first, last]) => ({ id: 501 + mail.length * 7 + first?.length * 90 || 333, email: mail ? `${mail}@firm.example` : null, first, last, stage: r.pick(['customer', 'lead', null]) })) }),
  api: { [LIST]: paged(v1, old), 'PUT https://news.example/lists/customers/members/:email': { ok: true }, 'DELETE https://news.example/lists/customers/members/:email': { ok: true } },
  changes: [{
    name: 'plain-properties',
    happened: 'a property is its value, and no object with a value; one that is not set is null',
    tells: ['properties', 'value'],
    api: { [LIST]: paged((c) => ({ vid: c.id, properties: v3(c).properties }), old) },
    right: {
      'by the type': [['contact.properties[name]?.value', "(typeof contact.properties[name] === 'string' ? contact.properties[name] : contact.properties[name]?.value)"]],
      'when read': [['yield* page.contacts;', "yield* page.contacts.map((c) => ({ ...c, properties: Object.fromEntries(Object.entries(c.properties).map(([k, v]) => [k, v === null || v.value === undefined ? { value: v } : v])) }));"]],
      'a helper': [['const value = (contact, name) => contact.properties[name]?.value', "const plain = (p) => (p !== null && typeof p === 'object' ? p.value : p);\n\nconst value = (contact, name) => plain(contact.properties[name])"]],
    },
    wrong: {
      'as a text': [['contact.properties[name]?.value', 'String(contact.properties[name]?.value || contact.properties[name])']],
      'only the email': [["value(contact, 'email')", "(contact.properties.email?.value ?? contact.properties.email ?? '')"]],
      'stops when empty': [["  for (const email of Object.keys(hashes)", "  if (present.size === 0) return result;\n  for (const email of Object.keys(hashes)"]],
      'first letters': [['contact.properties[name]?.value', '(contact.properties[name]?.value ?? contact.properties[name]?.[0])']],
    },
  }, {
    name: 'v3',
    happened: 'contacts are results, vid is id as a text, properties are plain, the next page is asked for by after of paging.next',
    tells: ['results', ['paging', 'after']],
    api: { [LIST]: after },
    right: {
      'two kinds of pages': [
        [SET, "if (offset !== undefined) url.searchParams.set(typeof offset === 'string' ? 'after' : 'vidOffset', String(offset));"],
        [NEXT, "    yield* page.contacts ?? page.results;\n    if (!page['has-more'] && !page.paging?.next) return;\n    offset = page['vid-offset'] ?? page.paging.next.after;"],
        ['contact.properties[name]?.value', '(contact.properties[name]?.value ?? contact.properties[name])'], ['crm: contact.vid', 'crm: contact.vid ?? Number(contact.id)'],
      ],
      'made old': [[SET, SET + "\n    if (offset !== undefined) url.searchParams.set('after', String(offset));"], [NEXT, `    if (page.results) {
      for (const { id, properties } of page.results) {
        const wrapped = {};
        for (const key in properties) if (properties[key] !== null) wrapped[key] = { value: properties[key] };
        yield { vid: +id, properties: wrapped };
      }
      if (!page.paging) return;
      offset = page.paging.next.after;
      continue;
    }
${NEXT}`]],
      'asks for both': [[SET, "if (offset !== undefined) for (const name of ['vidOffset', 'after']) url.searchParams.set(name, offset);"], [NEXT, `    const { contacts: list = page.results, 'has-more': more = Boolean(page.paging), 'vid-offset': last = page.paging?.next.after } = page;
    yield* list;
    if (!more) return;
    offset = last;`], ["contact.properties[name]?.value ?? ''", "contact.properties[name]?.value ?? contact.properties[name] ?? ''"], ['crm: contact.vid', "crm: 'vid' in contact ? contact.vid : parseInt(contact.id, 10)"]],
    },
    wrong: {
      'the first page': [['yield* page.contacts;', 'yield* page.contacts ?? page.results;'], ['contact.properties[name]?.value', '(contact.properties[name]?.value ?? contact.properties[name])'], ['crm: contact.vid', 'crm: contact.vid ?? Number(contact.id)']],
      'ids as texts': [[SET, "if (offset !== undefined) url.searchParams.set(typeof offset === 'string' ? 'after' : 'vidOffset', String(offset));"], [NEXT, "    yield* page.contacts ?? page.results;\n    if (!page['has-more'] && !page.paging?.next) return;\n    offset = page['vid-offset'] ?? page.paging.next.after;"], ['contact.properties[name]?.value', '(contact.properties[name]?.value ?? contact.properties[name])'], ['crm: contact.vid', 'crm: contact.vid ?? contact.id']],
      'nobody': [['yield* page.contacts;', 'yield* page.contacts ?? [];']],
      'no properties': [[SET, "if (offset !== undefined) url.searchParams.set(typeof offset === 'string' ? 'after' : 'vidOffset', String(offset));"], [NEXT, "    yield* page.contacts ?? page.results;\n    if (!page['has-more'] && !page.paging?.next) return;\n    offset = page['vid-offset'] ?? page.paging.next.after;"], ['crm: contact.vid', 'crm: contact.vid ?? Number(contact.id)']],
    },
  }, {
    name: 'camel-case',
    happened: 'has-more is hasMore and vid-offset is vidOffset',
    tells: ['has-more', 'hasMore'],
    api: { [LIST]: paged(v1, (contacts, more, last) => ({ contacts, hasMore: more, vidOffset: last })) },
    right: {
      'by ??': [["page['has-more']", "(page['has-more'] ?? page.hasMore)"], ["page['vid-offset']", "page['vid-offset'] ?? page.vidOffset"]],
      'destructured': [[NEXT, "    const { contacts: list, hasMore = page['has-more'], vidOffset = page['vid-offset'] } = page;\n    yield* list;\n    if (!hasMore) return;\n    offset = vidOffset;"]],
      'by the keys': [['const page = await call(url.href);', "const page = Object.fromEntries(Object.entries(await call(url.href)).map(([k, v]) => [k.replace(/[A-Z]/g, (c) => '-' + c.toLowerCase()), v]));"]],
    },
    wrong: {
      'until a page is short': [["if (!page['has-more']) return;", 'if (page.contacts.length < size) return;']],
      'only has-more': [["page['has-more']", "(page['has-more'] ?? (page.hasMore && offset === undefined))"]],
      'larger pages': [['size = 2', 'size = 4']],
    },
  }],
};
