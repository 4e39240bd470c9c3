// Answers to the survey after a stay: scores in a file, a ticket for who is unhappy, thanks for who leaves an address.
const QUESTIONS = { score: 'nps_01', room: 'room_02', comment: 'text_03', email: 'mail_04', extras: 'more_05' };

const read = {
  number: (a) => a.number,
  text: (a) => a.text,
  email: (a) => a.email,
  boolean: (a) => (a.boolean ? 'yes' : 'no'),
  choice: (a) => a.choice.label || a.choice.other,
  choices: (a) => [...(a.choices.labels || []), ...(a.choices.other ? [a.choices.other] : [])].join(' + '),
};

const answersOf = ({ answers, hidden = {} }) => {
  const byRef = Object.fromEntries(answers.map((a) => [a.field.ref, read[a.type] ? read[a.type](a) : undefined]));
  return { ...Object.fromEntries(Object.entries(QUESTIONS).map(([name, ref]) => [name, byRef[ref] ?? null])), stay: hidden.stay ?? 'unknown' };
};

const csv = (value) => (value === null ? '' : /[",\n]/.test(value) ? `"${String(value).replace(/"/g, '""')}"` : String(value));

exports.main = async function main(event) {
  if (event.event_type !== 'form_response') return { skipped: event.event_type };
  const response = event.form_response;
  const { score, room, comment, email, extras, stay } = answersOf(response);
  const at = response.submitted_at.slice(0, 16).replace('T', ' ');
  await files.append(`answers/${response.form_id}.csv`, [at, stay, score, room, extras, comment].map(csv).join(',') + '\n');
  const scores = (await kv.get('scores')) || { sum: 0, n: 0 };
  if (score !== null) await kv.set('scores', { sum: scores.sum + score, n: scores.n + 1 });
  let ticket = null;
  if (score !== null && score <= 6) {
    const made = await fetch('https://desk.example/tickets', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ subject: `${score} of 10 for ${stay}`, body: comment || 'no comment', contact: email, tags: ['survey', room].filter(Boolean) }) });
    if (!made.ok) throw new Error('desk: ' + made.status);
    ticket = (await made.json()).number;
  } else if (email) {
    await fetch('https://mail.example/send', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ to: email, template: 'thanks', stay }) });
  }
  return { score, ticket };
};
