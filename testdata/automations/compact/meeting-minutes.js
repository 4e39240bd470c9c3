// Tasks from the minutes
// After a meeting take the tasks out of its transcript and put each on the board.
async function main(event) {
  const { meeting } = event.payload;
  const summary = await web.getJSON('https://minutes.example.test/api/meetings/' + meeting.uuid + '/summary');
  const cards = [];
  for (const step of summary.next_steps) {
    const match = step.text.match(/^([A-Z][a-z]+): (.+)$/);
    const [owner, what] = match ? [match[1], match[2]] : ['all', step.text];
    cards.push({ owner: owner.toLowerCase(), what, due: step.due ? step.due.slice(0, 10) : null });
  }
  for (const card of cards) await web.postJSON('https://board.example.test/api/cards', { list: 'inbox', ...card });
  await files.write(`minutes/${meeting.start_time.slice(0, 10)}.md`, `# ${meeting.topic.trim()}\n\n${summary.overview}\n\n${cards.map((c) => `- [ ] ${c.what} (@${c.owner})`).join('\n')}\n`);
  return { topic: meeting.topic, cards: cards.length };
}
// ---- outside
function outside(n) {
  const uuid = 'mt' + pad(n, 4);
  return { trigger: 'webhook', input: { event: 'meeting.summary_completed', event_ts: 1772000000000 + n, payload: { account_id: 'ac1', meeting: { uuid, topic: 'About the ' + pick(nouns), start_time: day(n) + 'T09:00:00Z', host: { email: email(pick(people)) } } } },
    answers: { ['https://minutes.example.test/api/meetings/' + uuid + '/summary']: { overview: text() + '.', next_steps: times(int(1, 4), (i) => ({ id: 'st' + i, text: (chance(0.7) ? pick(people).split(' ')[0] + ': ' : '') + text(), due: chance(0.5) ? day(n + 5) + 'T00:00:00Z' : null })) } } };
}
