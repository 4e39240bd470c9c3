const REFS = { score: ['nps_01', 'opinion_scale'], room: ['room_02', 'multiple_choice'], comment: ['text_03', 'long_text'], email: ['mail_04', 'email'], extras: ['more_05', 'multiple_choice'] };
const field = (key) => ({ id: `f${key.length}`, ref: REFS[key][0], type: REFS[key][1] });
const answer = (key, f) => ({ score: { type: 'number', number: f.score }, room: { type: 'choice', choice: f.other ? { other: f.room } : { id: 'c', label: f.room } }, comment: { type: 'text', text: f.comment }, email: { type: 'email', email: f.email }, extras: { type: 'choices', choices: { labels: f.extras.slice(1), ...(f.extras.length ? { other: f.extras[0] } : {}) } } })[key];
const keys = (f) => f.order.filter((key) => f[key] !== null && !(key === 'extras' && f.extras.length === 0));
const event = (make = answer, whole = (e) => e) => (f) => (f.kind !== 'form_response' ? { event_id: f.id, event_type: f.kind } : whole({ event_id: f.id, event_type: 'form_response', form_response: { form_id: 'lT4Z3j', token: f.id, submitted_at: f.at, ...(f.stay ? { hidden: { stay: f.stay } } : {}), answers: keys(f).map((key) => ({ ...make(key, f), field: field(key) })) } }, f));
const value = (key, f) => ({ type: { score: 'NUMBER', room: 'CHOICE', comment: 'TEXT', email: 'EMAIL', extras: 'CHOICES' }[key], value: key === 'extras' ? [...f.extras.slice(1), f.extras[0]] : f[key] });
const tally = (f) => (f.kind !== 'form_response' ? { event_id: f.id, event_type: f.kind } : { eventId: f.id, eventType: 'FORM_RESPONSE', createdAt: f.at, data: { responseId: f.id, formId: 'lT4Z3j', createdAt: f.at, fields: [...(f.stay ? [{ key: 'stay', label: 'stay', type: 'HIDDEN_FIELDS', value: f.stay }] : []), ...['score', 'room', 'comment', 'email', 'extras'].map((key) => ({ key: REFS[key][0], label: key, type: { score: 'LINEAR_SCALE', room: 'MULTIPLE_CHOICE', comment: 'TEXTAREA', email: 'INPUT_EMAIL', extras: 'CHECKBOXES' }[key], value: key === 'extras' ? (f.extras.length ? [...f.extras.slice(1), f.extras[0]] : null) : f[key] }))] } });
const BY = 'const byRef = Object.fromEntries(answers.map((a) => [a.field.ref, read[a.type] ? read[a.type](a) : undefined]));';
const START = "  if (event.event_type !== 'form_response')";
export default {
  source: 'https://github.com/Typeform/js-api-client/issues/78 and https://github.com/triggerdotdev/jobs-showcase/pull/14 and https://github.com/tum-ai/space/pull/89: an answer has a member by its type; other services of forms send fields with key, type and value, and choices gained ids',
  says: 'File answers of the survey, and open a ticket for unhappy guests.',
  facts: (day, r) => ({ id: `01H${r.hex(6)}`, kind: day === 8 ? 'form_response_partial' : 'form_response', at: `2026-03-${String(day % 31 + 1).padStart(2, '0')}T1${r.int(0, 9)}:2${r.int(0, 9)}:00Z`, stay: r.chance(0.8) ? `S-${100 + day}` : null, order: r.mix(['score', 'room', 'comment', 'email', 'extras']), score: r.chance(0.1) ? null : r.int(0, 10), room: r.pick(['Single', 'Süite, "blue"', 'Dorm']), other: r.chance(0.2), comment: r.pick([null, 'Fine', 'Zu laut,\nleider', '良かった']), email: r.pick([null, 'ada@x.example', 'bo@y.example']), extras: r.some(['Sauna', 'Breakfast', 'Parking']) }),
  input: event(),
  api: { 'POST https://desk.example/tickets': (f, q) => ({ number: q.id }), 'POST https://mail.example/send': { ok: true } },
  changes: [{
    name: 'value',
    happened: 'each answer has its value in value, types are in capitals, choices are a list of texts',
    tells: ['type', ['value', 'NUMBER', 'choice']],
    input: event(value),
    right: {
      'by the value': [[BY, "const valueOf = (a) => (a.value === undefined ? read[a.type]?.(a) : Array.isArray(a.value) ? a.value.join(' + ') : a.value);\n  const byRef = Object.fromEntries(answers.map((a) => [a.field.ref, valueOf(a)]));"]],
      'more readers': [['const answersOf', "for (const type of ['NUMBER', 'TEXT', 'EMAIL', 'CHOICE']) read[type] = (a) => a.value;\nread.CHOICES = (a) => a.value.join(' + ');\n\nconst answersOf"]],
      'made old': [['const answersOf = ({ answers, hidden = {} }) => {', `const old = (a) => {
  if (!('value' in a)) return a;
  const type = a.type.toLowerCase();
  return { field: a.field, type, [type]: type === 'choice' ? { label: a.value } : type === 'choices' ? { labels: a.value } : a.value };
};

const answersOf = ({ answers: given, hidden = {} }) => {
  const answers = given.map(old);`]],
    },
    wrong: {
      'no extras': [['read[a.type] ? read[a.type](a) : undefined', "read[a.type] ? read[a.type](a) : typeof a.value !== 'object' ? a.value : undefined"]],
      'with commas': [['read[a.type] ? read[a.type](a) : undefined', 'read[a.type] ? read[a.type](a) : String(a.value)']],
      'only numbers': [['read[a.type] ? read[a.type](a) : undefined', "read[a.type] ? read[a.type](a) : a.type === 'NUMBER' ? a.value : undefined"]],
      'always happy': [['byRef[ref] ?? null]', "byRef[ref] ?? (name === 'score' ? 10 : null)]"]],
    },
  }, {
    name: 'other-service',
    happened: 'another service of forms: eventType in capitals, data with fields of key, type and value (null for none), hidden ones among them',
    tells: ['event_type', ['fields', 'data', 'eventType']],
    input: tally,
    right: {
      'made old': [[START, `  if (event.eventType === 'FORM_RESPONSE') {
    const { data } = event;
    const kinds = { LINEAR_SCALE: 'number', MULTIPLE_CHOICE: 'choice', TEXTAREA: 'text', INPUT_EMAIL: 'email', CHECKBOXES: 'choices' };
    const hidden = {};
    const answers = [];
    for (const { key, label, type, value } of data.fields) {
      if (type === 'HIDDEN_FIELDS') hidden[label] = value;
      else if (value !== null) answers.push({ type: kinds[type], field: { ref: key }, [kinds[type]]: type === 'MULTIPLE_CHOICE' ? { label: value } : type === 'CHECKBOXES' ? { labels: value } : value });
    }
    event = { event_type: 'form_response', form_response: { form_id: data.formId, submitted_at: data.createdAt, hidden, answers } };
  }
${START}`]],
      'two readers of answers': [
        [START, "  const theirs = event.eventType === 'FORM_RESPONSE' ? event.data : null;\n  if (!theirs && event.event_type !== 'form_response')"], ['const response = event.form_response;', 'const response = theirs ? { ...theirs, form_id: theirs.formId, submitted_at: theirs.createdAt } : event.form_response;'],
        ['const answersOf = ({ answers, hidden = {} }) => {', `const answersOf = ({ answers, fields, hidden = {} }) => {
  if (fields) {
    const by = new Map(fields.map((f) => [f.key, Array.isArray(f.value) ? f.value.join(' + ') : f.value]));
    const all = { stay: by.get('stay') ?? 'unknown' };
    for (const name in QUESTIONS) all[name] = by.get(QUESTIONS[name]) ?? null;
    return all;
  }`],
      ],
      'by spreading': [
        ["  if (event.event_type !== 'form_response') return { skipped: event.event_type };\n  const response = event.form_response;", "  const { event_type, eventType, data = {} } = event;\n  if (!/^form_response$/i.test(event_type ?? eventType)) return { skipped: event_type };\n  const response = event.form_response ?? { form_id: data.formId, submitted_at: data.createdAt, answers: data.fields.map(({ key: ref, value }) => ({ type: 'plain', plain: [value].flat().filter((v) => v !== null), field: { ref } })), hidden: Object.fromEntries(data.fields.filter((f) => f.type === 'HIDDEN_FIELDS').map((f) => [f.key, f.value])) };"],
        ['  number: (a) => a.number,', "  number: (a) => a.number,\n  plain: ({ plain }) => (plain.length > 1 ? plain.join(' + ') : plain[0]),"],
      ],
    },
    wrong: {
      'skipped': [["return { skipped: event.event_type };", "return { skipped: event.event_type ?? event.eventType };"]],
      'no extras': [[START, "  if (event.data) event = { event_type: 'form_response', form_response: { form_id: event.data.formId, submitted_at: event.data.createdAt, hidden: { stay: event.data.fields.find((f) => f.key === 'stay')?.value }, answers: event.data.fields.filter((f) => f.value !== null && !Array.isArray(f.value)).map((f) => ({ type: typeof f.value === 'number' ? 'number' : 'text', number: f.value, text: f.value, field: { ref: f.key } })) } };\n" + START]],
      'no stay': [[START, "  if (event.data) event = { event_type: 'form_response', form_response: { form_id: event.data.formId, submitted_at: event.data.createdAt, answers: event.data.fields.filter((f) => f.value !== null).map((f) => ({ type: typeof f.value === 'number' ? 'number' : 'text', number: f.value, text: [f.value].flat().join(' + '), field: { ref: f.key } })) } };\n" + START]],
      'scores as texts': [[START, "  if (event.data) event = { event_type: 'form_response', form_response: { form_id: event.data.formId, submitted_at: event.data.createdAt, hidden: { stay: event.data.fields.find((f) => f.key === 'stay')?.value }, answers: event.data.fields.filter((f) => f.value !== null).map((f) => ({ type: 'text', text: [f.value].flat().join(' + '), field: { ref: f.key } })) } };\n" + START]],
    },
  }, {
    name: 'no-refs',
    happened: 'fields have ids only, refs are gone; definition.fields of the response says which id is which ref; submitted_at is a number of seconds',
    tells: ['ref', ['definition', 'submitted_at']],
    input: event(answer, (e) => { const r = e.form_response; return { ...e, form_response: { ...r, submitted_at: Date.parse(r.submitted_at) / 1000, definition: { id: r.form_id, fields: Object.values(REFS).map(([ref, type], i) => ({ id: `q${i}`, ref, type, title: ref.slice(0, 4) })) }, answers: r.answers.map((a) => ({ ...a, field: { id: `q${Object.values(REFS).findIndex(([ref]) => ref === a.field.ref)}`, type: a.field.type } })) } }; }),
    right: {
      'a map of the definition': [['const answersOf = ({ answers, hidden = {} }) => {', 'const answersOf = ({ answers, definition, hidden = {} }) => {\n  const refs = new Map((definition?.fields ?? []).map((f) => [f.id, f.ref]));'], ['[a.field.ref,', '[a.field.ref ?? refs.get(a.field.id),'], ['response.submitted_at.slice', "(typeof response.submitted_at === 'number' ? new Date(response.submitted_at * 1000).toISOString() : response.submitted_at).slice"]],
      'made old': [['const response = event.form_response;', `const response = event.form_response;
  if (response.definition) for (const { field } of response.answers) field.ref ??= response.definition.fields.find((f) => f.id === field.id).ref;
  if (Number.isFinite(response.submitted_at)) response.submitted_at = new Date(1000 * response.submitted_at).toJSON();`]],
      'a copy': [['const response = event.form_response;', "const { definition, submitted_at, answers, ...rest } = event.form_response;\n  const response = { ...rest, submitted_at: isNaN(submitted_at) ? submitted_at : new Date(submitted_at * 1000).toISOString(), answers: definition ? answers.map((a) => ({ ...a, field: { ...definition.fields.filter((f) => f.id === a.field.id)[0] } })) : answers };"]],
    },
    wrong: {
      'by the type': [['[a.field.ref,', "[a.field.ref ?? { opinion_scale: 'nps_01', long_text: 'text_03', email: 'mail_04', multiple_choice: 'room_02' }[a.field.type],"], ['response.submitted_at.slice', "(typeof response.submitted_at === 'number' ? new Date(response.submitted_at * 1000).toISOString() : response.submitted_at).slice"]],
      'only the time': [['response.submitted_at.slice', "(typeof response.submitted_at === 'number' ? new Date(response.submitted_at * 1000).toISOString() : response.submitted_at).slice"]],
      'of 1970': [['const answersOf = ({ answers, hidden = {} }) => {', 'const answersOf = ({ answers, definition, hidden = {} }) => {\n  const refs = new Map((definition?.fields ?? []).map((f) => [f.id, f.ref]));'], ['[a.field.ref,', '[a.field.ref ?? refs.get(a.field.id),'], ['response.submitted_at.slice', 'new Date(response.submitted_at).toISOString().slice']],
      'in their order': [['[a.field.ref, read', "[a.field.ref ?? Object.values(QUESTIONS)[answers.indexOf(a)], read"], ['response.submitted_at.slice', "(typeof response.submitted_at === 'number' ? new Date(response.submitted_at * 1000).toISOString() : response.submitted_at).slice"]],
    },
  }],
};
