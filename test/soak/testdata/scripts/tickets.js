async function getTickets() {
  const res = await fetch('BASE/tickets');
  if (!res.ok) { throw new Error('Failed to load tickets: ' + res.status); }
  return (await res.json()).tickets;
}
function group(tickets) {
  const groups = {};
  tickets.forEach(function (t) {
    const key = t.assignee ? t.assignee.login : 'unassigned';
    (groups[key] = groups[key] || []).push(t);
  });
  return groups;
}
async function main() {
  const groups = group(await getTickets());
  const names = Object.keys(groups).sort();
  for (const name of names) {
    const res = await fetch('BASE/dm/' + encodeURIComponent(name), { method: 'POST', body: JSON.stringify({ tickets: groups[name].map((t) => t.id + ' ' + t.subject + ' (' + (t.priority || 'normal') + ')') }) });
    if (!res.ok) { throw new Error('Failed to tell ' + name); }
  }
  return names;
}
