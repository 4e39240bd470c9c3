// Notes for the stand-up
// Before the stand-up write who works on what, from the board.
async function main(input) {
  const found = await web.getJSON('https://board.example.test/rest/api/3/search?jql=sprint%20%3D%20' + input.sprint);
  const people = new Map();
  for (const { key, fields } of found.issues) {
    const name = fields.assignee ? fields.assignee.displayName : 'nobody';
    if (!people.has(name)) people.set(name, []);
    people.get(name).push(`${key} ${fields.summary.trim()} [${fields.status.name.toLowerCase()}]`);
  }
  const text = [...people.entries()].sort(([a], [b]) => a.localeCompare(b)).map(([name, issues]) => `${name}\n  ${issues.join('\n  ')}`).join('\n');
  await files.write('standup.txt', text + '\n');
  const done = found.issues.filter((i) => i.fields.status.category.key === 'done').length;
  const points = found.issues.reduce((sum, i) => sum + i.fields.points, 0);
  return { issues: found.total, done, points: points.toFixed(1) };
}
// ---- outside
function outside(n) {
  const issues = times(int(3, 6), (i) => ({ id: String(10000 + n * 10 + i), key: 'WEB-' + (n * 10 + i), fields: { summary: text(), points: int(1, 8) / 2,
    status: pick([{ name: 'To Do', category: { key: 'new' } }, { name: 'Doing', category: { key: 'indeterminate' } }, { name: 'Done', category: { key: 'done' } }]),
    assignee: chance(0.2) ? null : { accountId: 'a' + int(1, 9), displayName: pick(people) } } }));
  return { input: { sprint: 12 + n }, answers: { ['https://board.example.test/rest/api/3/search?jql=sprint%20%3D%20' + (12 + n)]: { startAt: 0, maxResults: 50, total: issues.length, issues } } };
}
