const old = (f) => ({
  event: f.kind, recipient: f.who, timestamp: String(f.at), token: f.hex, ...(f.tag ? { tag: f.tag } : {}),
  ...(f.kind === 'bounced' ? { code: String(f.code), error: f.text } : {}),
  ...(f.kind === 'complained' ? { 'message-headers': JSON.stringify([['Received', 'by x'], ['Subject', f.subject]]) } : {}),
});
const data = (f) => ({
  event: f.kind === 'bounced' ? 'failed' : f.kind, ...(f.kind === 'bounced' ? { severity: 'permanent', reason: 'bounce', 'delivery-status': { code: f.code, message: f.text, 'attempt-no': 1 } } : {}),
  recipient: f.who, timestamp: f.at + 0.25, tags: f.tag ? [f.tag] : [], message: { headers: { subject: f.subject, to: f.who } },
});
const envelope = "const made = (raw) => {\n  const d = raw['event-data']\n  if (!d) return raw\n  const status = d['delivery-status'] || {}\n  return { event: d.event === 'failed' ? 'bounced' : d.event, recipient: d.recipient, timestamp: d.timestamp, tag: d.tags[0], code: status.code, error: status.message, 'message-headers': JSON.stringify([['Subject', d.message.headers.subject]]) }\n}\n\n";
export default {
  source: 'https://github.com/SparkDevNetwork/Rock/issues/3379 and https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhooks.md (both opened): webhooks with flat form fields gave way to ones with event-data; bounced became failed with a severity',
  says: 'Keep the contacts in step with what becomes of our mails',
  facts: (day, r) => ({
    kind: ['delivered', 'bounced', 'complained', 'unsubscribed', 'opened', 'bounced', 'bounced', 'delivered', 'unsubscribed', 'complained', 'bounced', 'bounced', 'unsubscribed'][day % 13], who: r.pick(['ada@home.example', 'bö@web.example', 'z+news@x.example', 'g@g.example']), at: Date.UTC(2026, 8, day + 1, r.int(0, 23)) / 1000,
    hex: r.hex(12), tag: day % 3 ? r.pick(['news', 'größe']) : null, code: [550, 421, 552, 450, 550][day % 5], text: r.pick(['mailbox “full”', 'no such user']), subject: r.pick(['Hello & welcome', 'Rechnung Nr. 5', 'お知らせ']),
  }),
  input: old,
  api: { 'PATCH https://crm.example/api/v3/contacts/:email': (f, q) => (q.params.email.startsWith('g@') ? { $status: 404, $body: { error: 'unknown' } } : { id: q.id }) },
  changes: [{
    name: 'event-data',
    happened: 'the event is below event-data; bounced is failed, code and error are below delivery-status, tag is the first of tags, headers are an object, the timestamp a number with a fraction',
    tells: [['event-data', 'event']],
    input: (f) => ({ signature: { token: f.hex, timestamp: String(f.at) }, 'event-data': data(f) }),
    right: {
      'made old': [["export default async function onMailEvent(event) {", envelope + 'export default async function onMailEvent(raw) {\n  const event = made(raw)']],
      'in each place': [['export default async function onMailEvent(event) {', "export default async function onMailEvent(given) {\n  const event = given['event-data'] ?? given\n  const name = event.event === 'failed' ? 'bounced' : event.event"], ['actions[event.event]', 'actions[name]'], ['{ ignored: event.event }', '{ ignored: name }'], ['done: event.event', 'done: name'], ['async bounced({ recipient, code, error, timestamp }) {', "async bounced({ recipient, timestamp, 'delivery-status': status, code = status?.code, error = status?.message }) {"], ['async unsubscribed({ recipient, tag })', 'async unsubscribed({ recipient, tags, tag = tags?.[0] })'], ["const headers = Object.fromEntries(JSON.parse(event['message-headers']))", "const headers = event.message ? { Subject: event.message.headers.subject } : Object.fromEntries(JSON.parse(event['message-headers']))"]],
      'two versions': [['export default async function onMailEvent(event) {', "const v2 = { failed: 'bounced' }\n\nexport default async function onMailEvent(body) {\n  let event = body\n  if ('event-data' in body) {\n    const { event: kind, tags: [tag], 'delivery-status': { code, message: error } = {}, message, ...rest } = body['event-data']\n    event = { ...rest, event: v2[kind] || kind, tag, code, error, 'message-headers': `[[\"Subject\",${JSON.stringify(message.headers.subject)}]]` }\n  }"]],
    },
    wrong: {
      'ignored': [['const act = actions[event.event]', 'const act = actions[event?.event]'], ['ignored: event.event', "ignored: event.event ?? 'unknown'"]],
      'failures ignored': [["export default async function onMailEvent(event) {", envelope.replace("d.event === 'failed' ? 'bounced' : d.event", 'd.event') + 'export default async function onMailEvent(raw) {\n  const event = made(raw)']],
      'no tag': [["export default async function onMailEvent(event) {", envelope.replace('tag: d.tags[0], ', '') + 'export default async function onMailEvent(raw) {\n  const event = made(raw)']],
      'no code': [["export default async function onMailEvent(event) {", envelope.replace('code: status.code, ', '') + 'export default async function onMailEvent(raw) {\n  const event = made(raw)']],
    },
  }, {
    name: 'time-and-recipient',
    happened: 'timestamp is an ISO text, and recipient an object with an address',
    tells: [['timestamp', 'recipient', 'address']],
    input: (f) => ({ ...old(f), timestamp: new Date(f.at * 1000).toISOString(), recipient: { address: f.who, name: null } }),
    right: {
      'made old': [['export default async function onMailEvent(event) {', "export default async function onMailEvent(raw) {\n  const event = typeof raw.recipient === 'string' ? raw : { ...raw, recipient: raw.recipient.address, timestamp: Date.parse(raw.timestamp) / 1000 }"]],
      'functions': [["const day = (timestamp) => new Date(Number(timestamp) * 1000).toISOString().slice(0, 10)", "const day = (timestamp) => (/^\\d{4}-/.test(timestamp) ? timestamp : new Date(Number(timestamp) * 1000).toISOString()).slice(0, 10)"], ['  const act = actions', '  event.recipient = event.recipient.address ?? event.recipient\n  const act = actions']],
      'numbers or not': [['new Date(Number(timestamp) * 1000)', 'new Date(isNaN(timestamp) ? timestamp : Number(timestamp) * 1000)'], ['  const act = actions', "  if (typeof event.recipient === 'object') event = { ...event, recipient: event.recipient.address }\n  const act = actions"]],
    },
    wrong: {
      'in 1970': [['new Date(Number(timestamp) * 1000)', 'new Date((Number(timestamp) || 0) * 1000)'], ['  const act = actions', '  event.recipient = event.recipient.address ?? event.recipient\n  const act = actions']],
      'milliseconds': [['new Date(Number(timestamp) * 1000)', 'new Date((Number(timestamp) || Date.parse(timestamp)) * 1000)'], ['  const act = actions', '  event.recipient = event.recipient.address ?? event.recipient\n  const act = actions']],
      'the name': [['new Date(Number(timestamp) * 1000)', 'new Date(isNaN(timestamp) ? timestamp : Number(timestamp) * 1000)'], ['  const act = actions', '  if (event.recipient.address) event.recipient = event.recipient.name || event.recipient.address.split(\'@\')[0]\n  const act = actions']],
    },
  }, {
    name: 'bounces-split',
    happened: 'bounced is hard_bounce or soft_bounce, with a code such as 5.5.0 and the text in description',
    tells: [['bounce', 'bounced', 'error', 'description']],
    input: (f) => { if (f.kind !== 'bounced') return old(f); const { event, code, error, ...o } = old(f); return { event: f.code >= 500 ? 'hard_bounce' : 'soft_bounce', code: [...code].join('.'), description: error, ...o }; },
    right: {
      'made old': [['  const act = actions', "  if (/_bounce$/.test(event.event)) event = { ...event, event: 'bounced', code: event.code.replace(/\\./g, ''), error: event.description }\n  const act = actions"]],
      'more names': [['actions[event.event]', "actions[event.event.replace(/^(hard|soft)_bounce$/, 'bounced')]"], ['done: event.event', "done: event.event.replace(/^(hard|soft)_bounce$/, 'bounced')"], ['async bounced({ recipient, code, error, timestamp }) {', "async bounced({ recipient, code: dotted, description, error = description, timestamp }) {\n    const code = dotted.split('.').join('')"]],
      'delegated': [['  async unsubscribed(', "  async hard_bounce({ code, description, ...rest }) {\n    await actions.bounced({ ...rest, code: code.replaceAll('.', ''), error: description })\n  },\n  async soft_bounce() {},\n  async unsubscribed("], ['done: event.event', "done: event.event.endsWith('_bounce') ? 'bounced' : event.event"]],
    },
    wrong: {
      'soft ones, too': [['  const act = actions', "  if (/_bounce$/.test(event.event)) event = { ...event, event: 'bounced', code: '5' + event.code.replace(/\\./g, '').slice(1), error: event.description }\n  const act = actions"]],
      'no text': [['  const act = actions', "  if (/_bounce$/.test(event.event)) event = { ...event, event: 'bounced', code: event.code.replace(/\\./g, '') }\n  const act = actions"]],
      'dots': [['  const act = actions', "  if (/_bounce$/.test(event.event)) event = { ...event, event: 'bounced', error: event.description }\n  const act = actions"]],
      'soft ones said to be ignored': [['  const act = actions', "  if (event.event === 'hard_bounce') event = { ...event, event: 'bounced', code: event.code.replace(/\\./g, ''), error: event.description }\n  const act = actions"]],
    },
  }, {
    name: 'recipient-hidden',
    happened: 'for privacy the address of the recipient is not told any more, only a digest of it',
    tells: ['recipient'],
    lost: true,
    input: (f) => { const { recipient, ...o } = old(f); return { ...o, recipient_digest: f.hex + f.hex }; },
    wrong: {
      'the digest for the address': [['  const act = actions', '  event.recipient ??= event.recipient_digest\n  const act = actions']],
      'a word for all': [['  const act = actions', "  event.recipient ??= 'unknown'\n  const act = actions"]],
      'ignored': [['if (!act) return', 'if (!act || !event.recipient) return']],
    },
  }],
};
