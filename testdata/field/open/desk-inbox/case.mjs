const contact = (c) => ({ profile: { name: c.name }, wa_id: c.phone });
const message = (m) => ({ from: m.phone, id: `wamid.${m.n}`, timestamp: String(1772000000 + m.n * 137), type: m.type, ...(m.type === 'text' ? { text: { body: m.text } } : m.type === 'image' ? { image: { id: 'i', ...(m.text ? { caption: m.text } : {}) } } : m.type === 'location' ? { location: { latitude: 52.5, longitude: 13.4123 } } : {}) });
const value = (c, more = {}) => ({ messaging_product: 'whatsapp', metadata: { display_phone_number: '15550100', phone_number_id: '42' }, contacts: c.people.map(contact), messages: c.messages.map(message), ...more });
const deliver = (make) => (f) => ({ object: 'whatsapp_business_account', entry: f.entries.map((e, i) => ({ id: String(i), changes: e.flatMap((c) => make(c).map((v) => ({ field: 'messages', value: v }))) })) });
const status = (c) => ({ messaging_product: 'whatsapp', metadata: { display_phone_number: '15550100', phone_number_id: '42' }, statuses: c.messages.map((m) => ({ id: `wamid.${m.n - 1}`, status: 'delivered', timestamp: String(1772000000 + m.n), recipient_id: m.phone })) });
const LOOP = '    for (const { value } of changes) {\n';
export default {
  source: 'https://github.com/restfb/restfb/issues/1240: a delivery may have statuses of messages that were sent and neither contacts nor messages',
  says: 'File what customers write as cases, and greet who writes anew.',
  facts: (day, r) => {
    const phones = ['4911', '4912', '4913', '8150', '4917'].map((phone, i) => ({ phone, name: ['Ada Ample', 'Bö', 'Chen Li', '山田 太郎', 'Eve  Oak'][i] }));
    return { entries: r.many(1, 2, (e) => r.many(1, 2, (c) => { const people = r.mix(phones).slice(0, r.int(1, 2)); return { people, messages: r.many(1, 3, (i) => ({ phone: r.chance(0.1) ? '4900' : r.pick(people).phone, n: day * 40 + e * 10 + c * 4 + i, type: r.pick(['text', 'text', 'image', 'location', 'sticker']), text: r.pick(['Hello', 'Wo ist mein Paket?', '']) })) }; })) };
  },
  input: deliver((c) => [value(c)]),
  api: { 'POST https://desk.example/api/cases': (f, q) => ({ $status: 201, $body: { id: q.id } }), 'POST https://desk.example/api/cases/:number/notes': { $status: 201, $body: {} }, 'POST https://graph.example/v20/:phone/messages': (f, q) => ({ messages: [{ id: `wamid.${q.id}` }] }) },
  changes: [{
    name: 'statuses',
    happened: 'deliveries have changes with statuses, which have neither contacts nor messages, before those with messages',
    tells: ['statuses', ['contacts', 'messages']],
    input: deliver((c) => [status(c), value(c)]),
    right: {
      'goes on': [[LOOP, LOOP + '      if (!value.messages) continue;\n']],
      'optional': [['new Map(value.contacts.map((c) => [c.wa_id, c.profile.name]))', 'new Map((value.contacts ?? []).map((c) => [c.wa_id, c.profile.name] as const))'], ['of value.messages)', 'of value.messages ?? [])']],
      'filtered': [['of changes)', "of changes.filter((c) => !('statuses' in c.value)))"]],
    },
    wrong: {
      'ends there': [[LOOP, LOOP + '      if (!value.messages) return { created: desk.created, noted: desk.noted };\n']],
      'breaks': [[LOOP, LOOP + '      if (!value.contacts) break;\n']],
      'statuses as messages': [['value.contacts.map', '(value.contacts ?? []).map'], ['of value.messages)', "of value.messages ?? (value as any).statuses.map((s: any) => ({ ...s, from: s.recipient_id, type: s.status })))"]],
      'caught': [['  for (const { changes } of event.entry) {', '  try { for (const { changes } of event.entry) {'], ['  return { created: desk.created', '  } catch (e) { console.error(e); }\n  return { created: desk.created']],
    },
  }, {
    name: 'user-ids',
    happened: 'contacts are people with display_name and user_id, from is an object with user_id and phone, beside statuses in the same change',
    tells: ['contacts', ['from', 'display_name']],
    input: deliver((c) => { const { contacts, messages, ...rest } = value(c, { statuses: [] }); return [{ ...rest, people: contacts.map((p) => ({ user_id: `u${p.wa_id}`, display_name: p.profile.name })), messages: messages.map((m) => ({ ...m, from: { user_id: `u${m.from}`, phone: m.from } })) }]; }),
    right: {
      'made old': [[LOOP, LOOP + `      const given = value as any;
      if (given.people) {
        const phones = new Map(given.messages.map((m: any) => [m.from.user_id, m.from.phone]));
        value.contacts = given.people.map((p: any) => ({ wa_id: phones.get(p.user_id), profile: { name: p.display_name } }));
        value.messages = given.messages.map((m: any) => ({ ...m, from: m.from.phone }));
      }
`]],
      'at each place': [
        ['value.contacts.map((c) => [c.wa_id, c.profile.name])', '(value.contacts ?? (value as any).people).map((c: any) => [c.wa_id ?? c.user_id, c.profile?.name ?? c.display_name])'],
        ['names.get(message.from)', 'names.get((message.from as any).user_id ?? message.from)'], ['const name = ', 'const name: any = '],
        ['desk.file(message, name)', "desk.file({ ...message, from: (message.from as any).phone ?? message.from }, name)"], ['to: message.from', 'to: (message.from as any).phone ?? message.from'],
      ],
      'an adapter of the delivery': [['export default', `const old = ({ people, contacts, messages, ...rest }: any): Value => ({
  ...rest,
  contacts: contacts ?? people.map((p: any) => ({ wa_id: p.user_id.slice(1), profile: { name: p.display_name } })),
  messages: messages.map((m: any) => (typeof m.from === 'string' ? m : { ...m, from: m.from.phone })),
});

export default`], ['    for (const { value } of changes) {', '    for (const value of changes.map((c) => old(c.value))) {']],
    },
    wrong: {
      'somebody': [['value.contacts.map', '(value.contacts ?? []).map'], ['names.get(message.from)', 'names.get((message.from as any).user_id ?? message.from)'], ['desk.file(message, name)', "desk.file({ ...message, from: (message.from as any).phone ?? message.from }, name)"], ['to: message.from', 'to: (message.from as any).phone ?? message.from']],
      'the id of the user': [['value.contacts.map((c) => [c.wa_id, c.profile.name])', '(value.contacts ?? (value as any).people).map((c: any) => [c.wa_id ?? c.user_id, c.profile?.name ?? c.display_name])'], ['const name = ', 'message.from = (message.from as any).user_id ?? message.from;\n        const name: any = ']],
      'the first person': [['names.get(message.from)', '(names.get(message.from) ?? (value as any).people?.[0].display_name)'], ['value.contacts.map', '(value.contacts ?? []).map'], ['desk.file(message, name)', "desk.file({ ...message, from: (message.from as any).phone ?? message.from }, name)"], ['to: message.from', 'to: (message.from as any).phone ?? message.from']],
      'skips': [[LOOP, LOOP + '      if (!value.contacts) continue;\n']],
    },
  }, {
    name: 'content',
    happened: 'what a message says is in content, by its type; timestamp is in milliseconds and a number, changes is updates',
    tells: ['timestamp', ['content', 'changes']],
    input: (f) => { const d = deliver((c) => [value(c)])(f); return { ...d, entry: d.entry.map(({ id, changes }) => ({ id, updates: changes.map((c) => ({ ...c, value: { ...c.value, messages: c.value.messages.map(({ from, id: n, timestamp, type, ...content }) => ({ from, id: n, timestamp: Number(timestamp) * 1000, type, content: content[type] ?? null })) } })) })) }; },
    right: {
      'made old': [['for (const { changes } of event.entry) {', `for (const { changes: given, updates } of event.entry as any[]) {
    const changes: Delivery['entry'][0]['changes'] = given ?? updates;
    for (const { value } of changes) for (const m of value.messages as any[]) {
      if (typeof m.timestamp === 'number') m.timestamp = String(m.timestamp / 1000);
      if (m.content) m[m.type] = m.content;
    }`]],
      'at each place': [
        ['for (const { changes } of event.entry)', 'for (const { updates, changes = updates } of event.entry as any[])'],
        ['new Map(value', 'new Map<string, string>(value'], ['.map((c) => [c.wa_id', '.map((c: any) => [c.wa_id'],
        ['const open =', "const seconds = typeof message.timestamp === 'number' ? message.timestamp / 1000 : +message.timestamp;\n    const open ="], ['+message.timestamp * 1000', 'seconds * 1000'], ["message.timestamp.slice(-5)", 'String(seconds).slice(-5)'],
        ['return m.text!.body;', 'return (m.text ?? (m as any).content).body;'], ['m.image?.caption', '(m.image ?? (m as any).content)?.caption'], ['m.location!.', '(m.location ?? (m as any).content).'],
      ],
      'when filed': [['for (const { changes } of event.entry)', 'for (const { updates, changes = updates } of event.entry as any[])'], ['new Map(value', 'new Map<string, string>(value'], ['.map((c) => [c.wa_id', '.map((c: any) => [c.wa_id'], ['desk.file(message, name)', "desk.file('content' in message ? { ...message, [message.type]: message.content, timestamp: (message.timestamp / 1000).toFixed(0) } : message, name)"]],
    },
    wrong: {
      'far in the future': [['for (const { changes } of event.entry)', 'for (const { updates, changes = updates } of event.entry as any[])'], ['new Map(value', 'new Map<string, string>(value'], ['.map((c) => [c.wa_id', '.map((c: any) => [c.wa_id'], ['desk.file(message, name)', "desk.file('content' in message ? { ...message, [message.type]: message.content, timestamp: String(message.timestamp) } : message, name)"]],
      'empty': [['for (const { changes } of event.entry)', 'for (const { updates, changes = updates } of event.entry as any[])'], ['new Map(value', 'new Map<string, string>(value'], ['.map((c) => [c.wa_id', '.map((c: any) => [c.wa_id'], ['desk.file(message, name)', "desk.file('content' in message ? { text: { body: '' }, location: { latitude: 0, longitude: 0 }, ...message, timestamp: String(message.timestamp / 1000) } : message, name)"]],
      'no changes': [['of changes)', 'of changes ?? [])']],
    },
  }],
};
