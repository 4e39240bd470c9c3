const event = (f, value) => ({ object: 'business_account', entry: [{ id: '31', changes: f.changes.map((c) => ({ field: c.other ? 'account_update' : 'messages', value: c.other ? { event: 'VERIFIED' } : value(c) })) }] });
const meta = { display_phone_number: '49301234', phone_number_id: '1099' };
const old = (c) => ({
  messaging_product: 'messenger', metadata: meta,
  ...(c.messages.length ? { contacts: c.messages.map((m) => ({ profile: { name: m.name }, wa_id: m.from })) } : {}),
  ...(c.messages.length ? { messages: c.messages.map((m) => ({ from: m.from, id: m.id, timestamp: String(m.at), type: m.text === null ? 'image' : 'text', ...(m.text === null ? { image: { id: '5' } } : { text: { body: m.text } }) })) } : {}),
  ...(c.statuses.length ? { statuses: c.statuses.map((s) => ({ id: s.id, status: s.status, timestamp: String(s.at), recipient_id: '4917' })) } : {}),
});
const iso = (at) => new Date(at * 1000).toISOString();

export default {
  source: 'https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks: one field "messages" carries messages and statuses; members differ by version',
  says: 'Answer who writes, and keep what became of our messages.',
  facts: (day, r) => ({
    changes: r.many(1, 2, () => {
      const kind = r.int(0, 3);
      return {
        other: kind === 3 && r.chance(0.5),
        messages: kind < 2 ? r.many(1, 2, (i) => ({ id: `wamid.${day}${i}`, name: r.pick(['Ann Lee', 'Jörg', '山田 太郎', "O'Neil Pat"]), from: `49170${r.int(1000, 9999)}${i}`, at: 1772000000 + day * 86400 + r.int(0, 9999), text: i > 0 && r.chance(0.4) ? null : r.pick(['Is it open today?', 'Hi', 'Where is my order 1234 please?']) })) : [],
        statuses: kind > 1 ? r.many(1, 3, (i) => ({ id: `wamid.S${day}${i}`, status: r.pick(['sent', 'delivered', 'read', 'failed']), at: 1772000000 + day * 86400 + r.int(0, 9999) })) : [],
      };
    }),
  }),
  input: (f) => event(f, old),
  api: { 'POST https://graph.messenger.example/v17.0/:phone/messages': (f, q) => ({ messages: [{ id: `wamid.out${q.id}` }] }) },
  changes: [{
    name: 'user-id',
    happened: 'contacts have user_id beside wa_id, messages say from_user_id, and from is gone',
    tells: ['from', 'from_user_id'],
    input: (f) => event(f, (c) => {
      const v = old(c);
      for (const m of v.messages ?? []) { m.from_user_id = `DE.${m.from}`; delete m.from; }
      for (const k of v.contacts ?? []) k.user_id = `DE.${k.wa_id}`;
      return v;
    }),
    right: {
      'found by the new id': [["      const who = value.contacts.find((c) => c.wa_id === message.from);", "      const who = value.contacts.find((c) => (message.from ? c.wa_id === message.from : c.user_id === message.from_user_id));"], ['to: message.from', 'to: message.from ?? who.wa_id']],
      'put back first': [["      const who =", "      if (!message.from) message.from = value.contacts.find((c) => c.user_id === message.from_user_id).wa_id;\n      const who ="]],
      'without the prefix': [["      const who =", "      const from = message.from || message.from_user_id.split('.')[1];\n      const who ="], ['c.wa_id === message.from)', 'c.wa_id === from)'], ['to: message.from', 'to: from']],
    },
    wrong: {
      'the first contact, with the id': [["value.contacts.find((c) => c.wa_id === message.from)", 'value.contacts[0]'], ['to: message.from', 'to: message.from ?? message.from_user_id']],
      'the first contact': [["value.contacts.find((c) => c.wa_id === message.from)", 'value.contacts[0]'], ['to: message.from', 'to: message.from ?? who.wa_id']],
      'skips': [["      const first =", "      if (!who) continue;\n      const first ="]],
      'a name for missing': [["who.profile.name.split(' ')[0]", "(who?.profile.name ?? 'friend').split(' ')[0]"]],
    },
  }, {
    name: 'statuses-apart',
    happened: 'statuses come in a list of errors and states: status is called state, times are ISO texts, texts of messages are a member',
    tells: ['status', 'state'],
    input: (f) => event(f, (c) => {
      const v = old(c);
      for (const s of v.statuses ?? []) { s.state = s.status; delete s.status; s.timestamp = iso(+s.timestamp); }
      for (const m of v.messages ?? []) { m.timestamp = iso(+m.timestamp); if (m.text) m.text = m.text.body; }
      return v;
    }),
    right: {
      'by ??': [
        ['{ id, status, timestamp }', '{ id, status: was, state: now, timestamp }'],
        ["      state.statuses[status]", "      const status = was ?? now;\n      state.statuses[status]"],
        ['new Date(Number(timestamp) * 1000)', 'new Date(/^\\d+$/.test(timestamp) ? Number(timestamp) * 1000 : timestamp)'],
        ['message.text.body.slice', '(message.text.body ?? message.text).slice'],
      ],
      'helpers': [
        ["const handlers = {", "const time = (t) => (isNaN(t) ? new Date(t) : new Date(t * 1000));\nconst words = (t) => (typeof t === 'string' ? t : t.body);\n\nconst handlers = {"],
        ['new Date(Number(timestamp) * 1000)', 'time(timestamp)'], ['message.text.body', 'words(message.text)'],
        ['{ id, status, timestamp } of value.statuses || []', '{ id, status, timestamp } of (value.statuses || []).map((s) => ({ ...s, status: s.status || s.state }))'],
      ],
      'normalised first': [["      await handlers.messages(change.value, state);", `      for (const s of change.value.statuses || []) {
        if (s.state) s.status = s.state;
        if (s.timestamp.includes('T')) s.timestamp = String(Date.parse(s.timestamp) / 1000);
      }
      for (const m of change.value.messages || []) if (typeof m.text === 'string') m.text = { body: m.text };
      await handlers.messages(change.value, state);`]],
    },
    wrong: {
      'an empty text': [['message.text.body.slice', "(message.text?.body ?? '').slice"]],
      'only the text and the time': [['message.text.body', '(message.text.body ?? message.text)'], ['new Date(Number(timestamp) * 1000)', 'new Date(Number(timestamp) ? Number(timestamp) * 1000 : timestamp)']],
      'the time of now': [['message.text.body', '(message.text.body ?? message.text)'], ['new Date(Number(timestamp) * 1000)', 'new Date(Number(timestamp) * 1000 || 0)'], ['{ id, status, timestamp }', '{ id, state: s, status = s, timestamp }']],
    },
  }, {
    name: 'reactions',
    happened: 'messages of a new type have no text and a sender who is not among contacts; names are split into given_name and family_name',
    tells: ['name', 'given_name'],
    input: (f) => event(f, (c) => {
      const v = old(c);
      for (const k of v.contacts ?? []) { const [given, ...family] = k.profile.name.split(' '); k.profile = { given_name: given, family_name: family.join(' ') || null }; }
      if (v.messages) v.messages.push({ from: '4999', id: 'r', timestamp: '1772000000', type: 'reaction', reaction: { message_id: 'wamid.9', emoji: '👍' } });
      return v;
    }),
    right: {
      'by ??': [["who.profile.name.split(' ')[0]", "who.profile.given_name ?? who.profile.name.split(' ')[0]"]],
      'joined again': [["who.profile.name.split", "(who.profile.name || `${who.profile.given_name} ${who.profile.family_name}`).split"]],
      'a helper': [["const handlers = {", "function firstName(profile) {\n  if (profile.name) return profile.name.split(' ')[0];\n  return profile.given_name;\n}\n\nconst handlers = {"], ["who.profile.name.split(' ')[0]", 'firstName(who.profile)']],
    },
    wrong: {
      'the family name': [["who.profile.name.split(' ')[0]", "(who.profile.name ?? who.profile.family_name ?? '').split(' ')[0]"]],
      'a name for missing': [["who.profile.name.split(' ')[0]", "(who.profile.name ?? 'there').split(' ')[0]"]],
      'the number': [["who.profile.name.split(' ')[0]", "(who.profile.name ?? message.from).split(' ')[0]"]],
      'skips': [["      const first =", "      if (!who.profile.name) continue;\n      const first ="]],
    },
  }],
};
