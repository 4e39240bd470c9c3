// Posts the daily Zendesk-like ticket digest.
async function main(input) {
  const page = await web.getJSON('https://desk.example.com/api/tickets?updated=' + input.day);
  const byAgent = new Map();
  let slow = 0;
  for (const ticket of page.tickets) {
    const { assignee, metric_set: metrics } = ticket;
    const who = (assignee.displayName ?? assignee.display_name).split(' ')[0];
    if (!byAgent.has(who)) byAgent.set(who, []);
    byAgent.get(who).push(ticket.id);
    if (metrics.reply_minutes > 240) slow++;
  }
  const names = [...byAgent.keys()].sort();
  const text = names.map((n) => n + ': ' + byAgent.get(n).join(', ')).join('\n');
  await kv.set('tickets:' + input.day, { agents: names.length, slow });
  await notify('Tickets ' + input.day, text || 'none');
  return { agents: names.length, tickets: page.tickets.length, slow };
}
