const path = require('path');
const esc = (s) => String(s).replace(/\|/g, '\\|');
exports.main = async (input) => {
  const teams = await web.getJSON('BASE/teams');
  const lines = ['| team | members | lead |', '|---|---|---|'];
  for (const [name, team] of Object.entries(teams).sort(([a], [b]) => (a < b ? -1 : 1))) {
    lines.push(`| ${esc(name)} | ${team.members.length} | ${esc(team.lead || '–')} |`);
  }
  await files.write(path.join('reports', 'teams.md'), lines.join('\n') + '\n');
  await kv.set('teams', Object.keys(teams).length);
  return lines.length - 2;
};
