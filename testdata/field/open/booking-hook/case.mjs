const KINDS = { haircut: ['Haircut', 45], colour: ['Colour & cut', 120], beard: ['Bärte', 20] };
// The studio is in Berlin, which has summer time from the 29th of March 2026 on.
const offset = (ms) => (ms >= Date.UTC(2026, 2, 29, 1) ? 2 : 1);
const local = (ms) => `${new Date(ms + offset(ms) * 3600000).toISOString().slice(0, 19)}+0${offset(ms)}:00`;
const utc = (ms) => new Date(ms).toISOString().replace('.000Z', '.000000Z');
const v1 = (b, show = local) => ({ event: `invitee.${b.kind}`, time: show(b.told), payload: {
  event_type: { uuid: `T${b.type}`, slug: b.type, name: KINDS[b.type][0], duration: KINDS[b.type][1] },
  event: { uuid: b.id, start_time: show(b.at), end_time: show(b.at + KINDS[b.type][1] * 60000), assigned_to: b.hosts, canceled: b.kind === 'canceled', cancel_reason: b.reason },
  invitee: { uuid: `I${b.id}`, name: b.name, email: b.email, timezone: 'Europe/Berlin' }, questions_and_answers: b.phone === undefined ? [] : [{ question: 'Colour?', answer: 'red' }, { question: 'Phone number', answer: b.phone }], ...(b.before ? { old_event: { uuid: b.before } } : {}) } });
const uri = (kind, id) => `https://api.booking.example/${kind}/${id}`;
const v2 = (b) => ({ event: `invitee.${b.kind}`, created_at: utc(b.told), payload: { uri: `${uri('scheduled_events', b.id)}/invitees/I${b.id}`, name: b.name, email: b.email, timezone: 'Europe/Berlin', status: b.kind === 'canceled' ? 'canceled' : 'active', rescheduled: false,
  questions_and_answers: v1(b).payload.questions_and_answers.map((qa, position) => ({ ...qa, position })), old_invitee: b.before ? `${uri('scheduled_events', b.before)}/invitees/I${b.before}` : null, ...(b.kind === 'canceled' ? { cancellation: { canceled_by: b.name, reason: b.reason } } : {}),
  scheduled_event: { uri: uri('scheduled_events', b.id), name: KINDS[b.type][0], event_type: { slug: b.type, duration: KINDS[b.type][1] }, start_time: utc(b.at), end_time: utc(b.at + KINDS[b.type][1] * 60000), event_memberships: (b.hosts ?? []).map((user_name) => ({ user_name })) } } });
const kinds = (f) => f.bookings.flatMap((b) => {
  const { payload: { old_event: before, ...payload }, ...hook } = v1(b);
  const moved = b.before ? [{ event: 'invitee.canceled', time: local(b.told), payload: { ...payload, rescheduled: true, event: { ...payload.event, uuid: b.before, canceled: true, start_time: local(b.told + 7200000) } } }] : [];
  const shown = b.kind === 'created' && b.phone === null ? [{ event: 'invitee_no_show.created', time: local(b.told), payload: { ...payload, event: { ...payload.event, uuid: `N${b.id}` } } }] : [];
  return [...moved, { ...hook, payload: { ...payload, rescheduled: false, old_event: null, ...(b.before ? { old_event: { uuid: b.before } } : {}) } }, ...shown];
});
const BERLIN = "const berlin = (text) => (/Z$/.test(text) ? DateTime.fromISO(text, { zone: 'Europe/Berlin' }).toISO({ suppressMilliseconds: true }) : text);\n\n";
const FROM = () => `const tail = (uri) => uri.split('/').pop();
const local = (text) => DateTime.fromISO(text, { zone: 'Europe/Berlin' }).toISO({ suppressMilliseconds: true });
const from = (hook) => {
  if (!hook.payload.scheduled_event) return hook;
  const { scheduled_event: s, old_invitee: before, cancellation, ...p } = hook.payload;
  return { event: hook.event, time: hook.created_at, payload: {
    event_type: { ...s.event_type, name: s.name }, invitee: { name: p.name, email: p.email }, questions_and_answers: p.questions_and_answers,
    event: { uuid: tail(s.uri), start_time: local(s.start_time), assigned_to: s.event_memberships.map((m) => m.user_name), cancel_reason: cancellation && cancellation.reason },
    old_event: before ? { uuid: before.split('/').at(-3) } : undefined,
  } };
};

class Sheet`;
const HOOK = 'for (const hook of input.hooks) {';
export default {
  source: 'https://developer.calendly.com/how-to-migrate-from-api-v1-to-api-v2, https://github.com/NangoHQ/integration-templates/pull/315, https://github.com/koshilife/calendly-api-ruby-client/issues/41 and https://github.com/awell-health/awell-extensions/pull/298: webhooks of version 2 are flat with a scheduled_event and addresses for ids, times in UTC and a cancellation, and a booking that is moved is canceled first',
  says: 'Keep the day sheet of the studio and the CRM as people book, move and cancel.',
  zone: 'Europe/Berlin',
  facts: (day, r) => {
    const told = Date.UTC(2026, 2, 18 + day, 9, 0);
    return { bookings: r.many(day === 5 ? 0 : 1, 4, (i) => { const kind = r.pick(['created', 'created', 'created', 'canceled']); return {
      kind, told: told + i * 600000, id: `B${kind === 'canceled' ? Math.max(0, day - 1) : day}x${i}`, type: r.pick(Object.keys(KINDS)), at: told + r.pick([5, 9, 13.5, 14.5, 30, 37.5, 110, 200]) * 3600000, hosts: r.pick([['Ana'], ['Ana', 'Jürgen'], [], null]),
      name: r.pick(['Zoë Ek', 'Li Wei', '佐藤 花子', "O'Neil"]), email: r.pick(['Zoe@Mail.example', 'li@mail.example']), reason: kind === 'canceled' ? r.pick([null, 'ill', '']) : null, phone: r.pick([undefined, null, '', '+49 30 1']), before: kind === 'created' && r.chance(0.35) && day ? `B${day - 1}x${i}` : null }; }) };
  },
  input: (f) => ({ hooks: f.bookings.map((b) => v1(b)) }),
  api: { 'POST https://crm.example/visits': { ok: true } },
  changes: [{
    name: 'v2',
    happened: 'the payload is the invitee with a scheduled_event (uri for uuid, event_memberships for assigned_to, event_type in it), old_invitee for old_event and a cancellation; times are in UTC, and time is created_at',
    tells: [['scheduled_event', 'event'], ['uri', 'old_invitee', 'event_memberships', 'created_at']],
    input: (f) => ({ hooks: f.bookings.map(v2) }),
    right: {
      'put back': [['class Sheet', FROM()], [HOOK, 'for (const hook of input.hooks.map(from)) {']],
      'while reading': [[HOOK, `for (const raw of input.hooks) {
    let hook = raw;
    const s = raw.payload.scheduled_event;
    if (s) {
      const start = DateTime.fromISO(s.start_time).setZone('Europe/Berlin');
      hook = { event: raw.event, time: raw.created_at, payload: { ...raw.payload, invitee: raw.payload, event_type: Object.assign({ name: s.name }, s.event_type), event: { uuid: s.uri.replace(/.*\\//, ''), start_time: start.toFormat("yyyy-MM-dd'T'HH:mm:ssZZ"), assigned_to: s.event_memberships.map((m) => m.user_name), cancel_reason: (raw.payload.cancellation || {}).reason } } };
      if (raw.payload.old_invitee) hook.payload.old_event = { uuid: /scheduled_events\\/([^/]+)/.exec(raw.payload.old_invitee)[1] };
    }`]],
      'two readers': [['class Sheet', `function read(hook) {
  const p = hook.payload;
  return p.event ? p : readTwo(p);
}

function readTwo(p) {
  const id = (uri) => (uri.match(/scheduled_events\\/(\\w+)/) || [])[1];
  const at = localTime(Date.parse(p.scheduled_event.start_time), 'Europe/Berlin');
  const two = (n) => String(n).padStart(2, '0');
  return {
    event: { uuid: id(p.scheduled_event.uri), start_time: \`\${at.date}T\${two(at.hour)}:\${two(at.minute)}:00+\${two(at.offset / 60)}:00\`, assigned_to: p.scheduled_event.event_memberships.map(({ user_name }) => user_name), cancel_reason: p.cancellation ? p.cancellation.reason : null },
    event_type: { name: p.scheduled_event.name, slug: p.scheduled_event.event_type.slug, duration: p.scheduled_event.event_type.duration },
    invitee: p, questions_and_answers: p.questions_and_answers, old_event: p.old_invitee ? { uuid: id(p.old_invitee) } : null,
  };
}

class Sheet`], ['created(sheet, hook.payload)', 'created(sheet, read(hook))'], ['canceled(sheet, hook.payload, hook.time)', 'canceled(sheet, read(hook), hook.time || hook.created_at)']],
    },
    wrong: {
      'times as they are': [['class Sheet', FROM().replace('local(s.start_time)', 's.start_time')], [HOOK, 'for (const hook of input.hooks.map(from)) {']],
      'the invitee for the event': [['class Sheet', FROM().replace("before.split('/').at(-3)", 'tail(before)')], [HOOK, 'for (const hook of input.hooks.map(from)) {']],
      'anybody': [['class Sheet', FROM().replace(', assigned_to: s.event_memberships.map((m) => m.user_name)', '')], [HOOK, 'for (const hook of input.hooks.map(from)) {']],
      'skipped': [[HOOK, HOOK + '\n    if (!hook.payload.event) continue;']],
    },
  }, {
    name: 'utc',
    happened: 'start_time, end_time and time are in UTC, ending in Z, and not in the zone of the studio',
    tells: ['start_time', ['UTC', 'Z', 'zone']],
    input: (f) => ({ hooks: f.bookings.map((b) => v1(b, utc)) }),
    right: {
      'a helper': [['class Sheet', BERLIN + 'class Sheet'], ['event.start_time.slice', 'berlin(event.start_time).slice']],
      'when read': [[HOOK, HOOK + "\n    const { event } = hook.payload;\n    if (event.start_time.endsWith('Z')) event.start_time = DateTime.fromISO(event.start_time).setZone('Europe/Berlin').toFormat(\"yyyy-MM-dd'T'HH:mm:ssZZ\");"]],
      'by Intl': [[HOOK, `const wall = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin', hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' });
  ${HOOK}
    const start = new Date(hook.payload.event.start_time);
    hook.payload.event.wall = wall.format(start).replace(', ', 'T');`], ['event.start_time.slice', 'event.wall.slice']],
    },
    wrong: {
      'an hour on': [['class Sheet', "const later = (text) => (/Z$/.test(text) ? new Date(Date.parse(text) + 3600000).toISOString() : text);\nclass Sheet"], ['event.start_time.slice', 'later(event.start_time).slice']],
      'only the time': [['class Sheet', BERLIN + 'class Sheet'], ['event.start_time.slice(11, 16)', 'berlin(event.start_time).slice(11, 16)']],
      'only the sheet': [['class Sheet', BERLIN + 'class Sheet'], ['event.start_time.slice(11, 16)', 'berlin(event.start_time).slice(11, 16)'], ['event.start_time.slice(0, 10)', 'berlin(event.start_time).slice(0, 10)']],
    },
  }, {
    name: 'kinds',
    happened: 'a booking that is moved comes as invitee.canceled with rescheduled, too, and invitee_no_show.created is a new kind of event; old_event is null where there is none',
    tells: ['rescheduled', 'invitee_no_show'],
    input: (f) => ({ hooks: kinds(f) }),
    right: {
      'left out': [[HOOK, HOOK + "\n    if (hook.payload.rescheduled || !hook.event.startsWith('invitee.')) continue;"]],
      'a switch': [[HOOK, HOOK + "\n    switch (hook.event) {\n      case 'invitee.created': break;\n      case 'invitee.canceled': if (hook.payload.rescheduled === true) continue; break;\n      default: continue;\n    }"]],
      'filtered': [['input.hooks)', "input.hooks.filter(({ event, payload }) => ['invitee.created', 'invitee.canceled'].includes(event) && !(event.endsWith('canceled') && payload.rescheduled)))"]],
    },
    wrong: {
      'only moved': [[HOOK, HOOK + '\n    if (hook.payload.rescheduled) continue;']],
      'only no-shows': [[HOOK, HOOK + "\n    if (hook.event.startsWith('invitee_no_show')) continue;"]],
      'no cancellations': [[HOOK, HOOK + "\n    if (hook.event !== 'invitee.created') continue;"]],
      'known to be not': [[HOOK, HOOK + "\n    if (hook.payload.rescheduled !== false || hook.event.includes('no_show')) continue;"]],
    },
  }],
};
