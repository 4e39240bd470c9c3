// Who is on call
// When the shift changes, tell the channel who takes over and what is still open.
async function main() {
  const schedule = await web.getJSON('https://oncall.example.test/schedules/main/now');
  const incidents = await web.getJSON('https://oncall.example.test/incidents?statuses[]=triggered&statuses[]=acknowledged');
  const next = schedule.on_call.user;
  const open = incidents.incidents.map((i) => `- ${i.severity.toUpperCase()} ${i.title} (${i.service.summary}, since ${i.created_at.slice(11, 16)})`);
  await web.postJSON('https://chat.example.test/hooks/ops', { text: [`${next.name.split(' ')[0]} is on call until ${schedule.on_call.until.slice(0, 10)}.`, ...open].join('\n') });
  await kv.set('on-call', next.id);
  return { user: next.id, open: open.length };
}
// ---- outside
function outside(n) {
  return { answers: {
    'https://oncall.example.test/schedules/main/now': { id: 'main', on_call: { until: day(n + 7) + 'T08:00:00Z', user: { id: 'U' + int(10, 99), name: pick(people), email: 'x@example.test' } } },
    'https://oncall.example.test/incidents?statuses[]=triggered&statuses[]=acknowledged': { limit: 25, more: false, incidents: times(int(0, 3), (i) => ({ id: 'I' + n + i, title: text(), severity: pick(['high', 'low']), created_at: day(n) + 'T0' + int(1, 9) + ':30:00Z', service: { id: 'S1', summary: pick(nouns) + ' service' } })) },
  } };
}
