// Tickets that wait too long
// Every hour find tickets whose first answer is overdue and raise the worst to the lead.
function hoursSince(iso) {
  const ms = Date.now() - new Date(iso).getTime();
  if (!Number.isFinite(ms)) throw new RangeError('not a time: ' + iso);
  return ms / 3600000;
}

async function main() {
  const data = await web.getJSON('https://desk.example.test/api/v2/tickets.json?status=open');
  const allowed = { urgent: 1, high: 4, normal: 24, low: 72 };
  const late = data.tickets
    .filter((t) => !t.first_reply_at)
    .map((t) => ({ id: t.id, subject: t.subject, who: t.requester.name, over: hoursSince(t.created_at) - allowed[t.priority] }))
    .filter((t) => t.over > 0)
    .sort((a, b) => b.over - a.over);
  for (const t of late.slice(0, 2)) {
    await web.postJSON(`https://desk.example.test/api/v2/tickets/${t.id}/escalate`, { note: `${t.who.split(' ')[0]} waits ${t.over.toFixed(1)} hours too long: ${t.subject.slice(0, 40)}` });
  }
  await kv.set('late', late.map((t) => t.id));
  return { open: data.count, late: late.length };
}
// ---- outside
function outside(n) {
  const tickets = times(int(2, 6), (i) => ({ id: 7000 + n * 10 + i, subject: text(), priority: pick(['urgent', 'high', 'normal', 'low']), created_at: day(n - int(0, 3)) + 'T0' + int(1, 9) + ':00:00Z', first_reply_at: chance(0.4) ? day(n) + 'T05:00:00Z' : null, requester: { id: int(1, 99), name: pick(people) } }));
  return { answers: { 'https://desk.example.test/api/v2/tickets.json?status=open': { tickets, count: tickets.length, next_page: null } } };
}
