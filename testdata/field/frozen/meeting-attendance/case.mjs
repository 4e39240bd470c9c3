const PEOPLE = [{ user_name: 'Ada', email: 'Ada@School.example' }, { user_name: ' Bö ', email: '' }, { user_name: '花子', email: null }];
const STEPS = ['started', 'participant_joined', 'participant_joined', 'participant_left', 'participant_joined', 'ended', 'started', 'participant_joined', 'deleted', 'participant_left', 'participant_joined', 'participant_left', 'ended'];
const object = (f) => ({
  id: f.meeting, uuid: 'u' + f.meeting, topic: f.topic, host_id: 'h', ...(f.step === 'started' ? { start_time: f.at } : f.step === 'ended' ? { start_time: f.at, end_time: f.at } : {}),
  ...(f.step.startsWith('participant') ? { participant: { ...PEOPLE[f.who], user_id: String(f.who), ...(f.step === 'participant_left' ? { leave_time: f.at } : { join_time: f.at }) } } : {}),
});
const old = (f) => ({ event: `meeting.${f.step}`, event_ts: Date.parse(f.at), payload: { account_id: 'A', object: object(f) } });
const modern = (f) => { const { participant, ...o } = object(f); return { type: `session.${f.step.replace('participant_', 'attendee.')}`, time: f.at, data: { session: { number: String(o.id), title: o.topic }, ...(participant ? { attendee: { name: participant.user_name, contact: participant.email ? { email: participant.email } : null } } : {}) } }; };
const adapt = "{\n    event: type.replace('session.', 'meeting.').replace('attendee.', 'participant_'),\n    payload: { object: { id: Number(data.session.number), topic: data.session.title, start_time: time, end_time: time, participant: data.attendee && { user_name: data.attendee.name, email: data.attendee.contact?.email, join_time: time, leave_time: time } } },\n  }";
export default {
  source: 'https://github.com/Jericho/ZoomNet/issues/211 and https://github.com/Jericho/ZoomNet/pull/440 (both opened): kinds of events of a meeting service do not agree whether the id of a meeting is a number or a text, and members are there or not; the event as a whole in another form is from memory of its changelog',
  says: 'Keep who was in a lesson and for how long',
  facts: (day, r) => ({ step: STEPS[day % 13], meeting: 8000 + Math.floor((day % 13) / 6), topic: ['Mathe “5b”', 'Größe & Zahl', '国語'][Math.floor(day / 6) % 3], who: [0, 0, 1, 0, 2, 0, 0, 1, 0, 1, 0, 0, 0][day % 13], at: `2026-09-07T08:${String(10 + (day % 13) * 3).padStart(2, '0')}:${r.pick(['00', '20', '40'])}Z` }),
  input: old,
  api: { 'POST https://school.example/api/attendance/lessons': (f, q) => (q.body.rows.length ? { id: q.id } : { $status: 409, $body: {} }) },
  changes: [{
    name: 'sessions',
    happened: 'an event has type, time and data; meetings are sessions with number and title, participants are attendees with a name and a contact that may be null, and the times are the time of the event',
    tells: [['type', 'event', 'session'], ['data', 'payload', 'session', 'attendee']],
    input: modern,
    right: {
      'made old': [['module.exports = async function webhook({ event, payload }) {', `const legacy = ({ type, time, data, ...event }) => (type ? ${adapt} : event);\n\nmodule.exports = async function webhook(given) {\n  const { event, payload } = legacy(given);`]],
      'by steps': [['module.exports = async function webhook({ event, payload }) {', "function translate(e) {\n  if (!e.type) return e;\n  const object = { id: parseInt(e.data.session.number, 10), topic: e.data.session.title };\n  const kind = e.type.slice('session.'.length);\n  if (kind === 'started') object.start_time = e.time;\n  if (kind === 'ended') object.end_time = e.time;\n  if (e.data.attendee) {\n    const { name, contact } = e.data.attendee;\n    object.participant = { user_name: name, email: contact ? contact.email : '' };\n    object.participant[kind.endsWith('left') ? 'leave_time' : 'join_time'] = e.time;\n  }\n  return { event: 'meeting.' + kind.replace('attendee.', 'participant_'), payload: { object } };\n}\n\nmodule.exports = async function webhook(raw) {\n  const { event, payload } = translate(raw);"]],
      'in each place': [["const keyOf = (object) => 'meeting/' + object.id;", "const keyOf = (object) => 'meeting/' + (object.id ?? object.session.number);"], ['const person = (p) => (p.email ? p.email.toLowerCase() : p.user_name.trim());', "const person = (p) => (p.email || p.contact?.email ? (p.email || p.contact.email).toLowerCase() : (p.user_name ?? p.name).trim());"], ['const handle = on[event];\n  return handle ? handle(payload)', "const name = event ?? type.replace('session', 'meeting').replace('attendee.', 'participant_');\n  const handle = on[name];\n  const object = data && { ...data, topic: data.session.title, start_time: time, end_time: time, participant: { ...data.attendee, join_time: time, leave_time: time } };\n  return handle ? handle(payload ?? { object })"], ['webhook({ event, payload })', 'webhook({ event, payload, type, time, data })']],
    },
    wrong: {
      'ignored': [['const handle = on[event];', "const handle = on[event || ''];"]],
      'all without an address': [['module.exports = async function webhook({ event, payload }) {', `const legacy = ({ type, time, data, ...event }) => (type ? ${adapt.replace(', email: data.attendee.contact?.email', '')} : event);\n\nmodule.exports = async function webhook(given) {\n  const { event, payload } = legacy(given);`]],
      'no topics': [['module.exports = async function webhook({ event, payload }) {', `const legacy = ({ type, time, data, ...event }) => (type ? ${adapt.replace(' topic: data.session.title,', " topic: '',")} : event);\n\nmodule.exports = async function webhook(given) {\n  const { event, payload } = legacy(given);`]],
      'who leaves joins': [['module.exports = async function webhook({ event, payload }) {', `const legacy = ({ type, time, data, ...event }) => (type ? ${adapt.replace("type.replace('session.', 'meeting.').replace('attendee.', 'participant_')", "type.replace('session.', 'meeting.').replace(/attendee.*/, 'participant_joined')")} : event);\n\nmodule.exports = async function webhook(given) {\n  const { event, payload } = legacy(given);`]],
    },
  }, {
    name: 'several-at-once',
    happened: 'the participants of an event are a list below participants, with one time for all, date_time',
    tells: [['participant', 'participants', 'list']],
    input: (f) => { const o = old(f); const { participant, ...rest } = o.payload.object; if (participant) o.payload.object = { ...rest, participants: [{ user_name: participant.user_name, email: participant.email, user_id: participant.user_id }], date_time: f.at }; return o; },
    right: {
      'made old': [['  const handle = on[event];', "  const { object } = payload;\n  if (object.participants) object.participant = { ...object.participants[0], join_time: object.date_time, leave_time: object.date_time };\n  const handle = on[event];"]],
      'one after the other': [['return handle ? handle(payload)', "if (handle && payload.object.participants) {\n    let result;\n    for (const p of payload.object.participants) result = await handle({ object: { ...payload.object, participant: { ...p, join_time: payload.object.date_time, leave_time: payload.object.date_time } } });\n    return result;\n  }\n  return handle ? handle(payload)"]],
      'in each place': [['const { participant } = object;', 'const { date_time, participants, participant = { ...participants[0], join_time: date_time } } = object;'], ['person(object.participant)', 'person(object.participant || object.participants[0])'], ['object.participant.leave_time', '(object.participant ? object.participant.leave_time : object.date_time)']],
    },
    wrong: {
      'not known': [['const { participant } = object;', "const { participant } = object;\n    if (!participant) return 'joined';"], ['person(object.participant)', "person(object.participant || { user_name: '' })"]],
      'no time when they leave': [['  const handle = on[event];', "  const { object } = payload;\n  if (object.participants) object.participant = { ...object.participants[0], join_time: object.date_time, leave_time: object.start_time };\n  const handle = on[event];"]],
      'names only': [['  const handle = on[event];', "  const { object } = payload;\n  if (object.participants) object.participant = { user_name: object.participants[0].user_name, join_time: object.date_time, leave_time: object.date_time };\n  const handle = on[event];"]],
    },
  }, {
    name: 'ids-and-times',
    happened: 'the id of a meeting is a text with blanks, 800 0, and times are local with a zone beside them',
    tells: [['id', 'time', 'zone']],
    input: (f) => { const o = old(f), local = (t) => ({ at: new Date(Date.parse(t) + 7200000).toISOString().slice(0, 19), timezone: 'Europe/Berlin' }); const b = o.payload.object; b.id = String(b.id).replace(/(...)(.)/, '$1 $2'); for (const k of ['start_time', 'end_time']) if (b[k]) b[k] = local(b[k]); for (const k of ['join_time', 'leave_time']) if (b.participant?.[k]) b.participant[k] = local(b.participant[k]); return o; },
    right: {
      'made old': [['  const handle = on[event];', "  const utc = (t) => (t && t.timezone ? new Date(Date.parse(t.at + 'Z') - 2 * 3600000).toISOString().replace('.000Z', 'Z') : t);\n  const { object } = payload;\n  object.id = String(object.id).replace(/\\s/g, '');\n  for (const name of ['start_time', 'end_time']) if (object[name]) object[name] = utc(object[name]);\n  for (const name of ['join_time', 'leave_time']) if (object.participant && object.participant[name]) object.participant[name] = utc(object.participant[name]);\n  const handle = on[event];"]],
      'over all members': [['module.exports =', "const { DateTime } = require('luxon');\nconst plain = (value, key) => {\n  if (key === 'id') return String(value).split(' ').join('');\n  if (value && value.timezone) return DateTime.fromISO(value.at, { zone: value.timezone }).toUTC().toISO({ suppressMilliseconds: true });\n  if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v, k)]));\n  return value;\n};\n\nmodule.exports ="], ['handle(payload)', 'handle(plain(payload))']],
      'by JSON': [['  const handle = on[event];', "  payload = JSON.parse(JSON.stringify(payload), (key, value) => {\n    if (key === 'id') return `${value}`.replaceAll(' ', '');\n    if (!value || !value.timezone) return value;\n    const guess = new Date(value.at + 'Z');\n    const { offset } = localTime(guess, value.timezone);\n    return new Date(guess.getTime() - offset * 60000).toISOString().slice(0, 19) + 'Z';\n  });\n  const handle = on[event];"]],
    },
    wrong: {
      'local times as UTC': [['  const handle = on[event];', "  payload = JSON.parse(JSON.stringify(payload), (key, value) => (key === 'id' ? `${value}`.replaceAll(' ', '') : value && value.timezone ? value.at + 'Z' : value));\n  const handle = on[event];"]],
      'other keys': [['  const handle = on[event];', "  payload = JSON.parse(JSON.stringify(payload), (key, value) => (value && value.timezone ? new Date(Date.parse(value.at + 'Z') - 7200000).toISOString().replace('.000Z', 'Z') : value));\n  const handle = on[event];"]],
      'no minutes': [['return Math.round((new Date(to) - new Date(from)) / 60000);', 'return Math.round((new Date(to) - new Date(from)) / 60000) || 0;'], ["'meeting/' + object.id", "'meeting/' + String(object.id).replace(' ', '')"]],
    },
  }],
};
