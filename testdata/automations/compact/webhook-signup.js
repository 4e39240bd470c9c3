// Greet who signs up
// When a form is sent, greet the person, note the answers and tell the team.
async function main(event) {
  const answers = {};
  for (const field of event.form_response.answers) {
    answers[field.field.ref] = field.type === 'choice' ? field.choice.label : field.text;
  }
  const name = answers.name.trim();
  await web.postJSON('https://mail.example.test/v1/send', { to: answers.email.toLowerCase(), template: 'welcome', name });
  await files.append('signups.csv', [event.form_response.submitted_at.slice(0, 10), name, answers.plan].join(';') + '\n');
  const count = ((await kv.get('count')) || 0) + 1;
  await kv.set('count', count);
  await notify('Sign-up ' + count, `${name} took ${answers.plan.toUpperCase()}`);
  return { name, count };
}
// ---- outside
function outside(n) {
  const name = pick(people);
  return { trigger: 'webhook', input: { event_id: 'ev' + n, event_type: 'form_response', form_response: { form_id: 'lT4Z3j', submitted_at: day(n) + 'T12:30:00Z', answers: [
    { type: 'text', text: name, field: { id: 'a1', ref: 'name' } },
    { type: 'text', text: email(name), field: { id: 'b2', ref: 'email' } },
    { type: 'choice', choice: { label: pick(['basic', 'plus', 'pro']) }, field: { id: 'c3', ref: 'plan' } },
  ] } } };
}
