// Puts newly opened issues into queues by the words they use: a label each, and a table.
const QUEUES = [
  ['crash', /crash|panic|segfault|stack trace/i],
  ['docs', /\bdocs?\b|readme|typo/i],
  ['feature', /feature|would be nice|support for/i],
];

function queueOf(text) {
  for (const [name, pattern] of QUEUES) {
    if (pattern.test(text)) return name;
  }
  return 'other';
}

async function main(input) {
  const api = 'https://api.github.com/repos/' + input.repo;
  const issues = await web.getJSON(api + '/issues?state=open&sort=created&direction=asc&per_page=50&since=' + input.since);
  const seen = (await kv.get('triaged')) || [];
  const rows = [];

  for (const issue of issues) {
    if (issue.pull_request || seen.includes(issue.number)) continue;
    const body = (issue.body ?? '').trim();
    const queue = queueOf(issue.title + '\n' + body);
    await web.postJSON(api + '/issues/' + issue.number + '/labels', { labels: ['queue:' + queue] });
    rows.push({ number: issue.number, queue: queue, title: issue.title, by: issue.user.login, about: body.slice(0, 40) });
    seen.push(issue.number);
  }

  if (rows.length > 0) {
    const table = rows.map((r) => '| #' + r.number + ' | ' + r.queue + ' | ' + r.title + ' | ' + r.by + ' | ' + r.about.replace(/\s+/g, ' ') + ' |');
    await files.append('triage.md', table.join('\n') + '\n');
    await kv.set('triaged', seen);
  }
  const crashes = rows.filter((r) => r.queue === 'crash');
  if (crashes.length > 0) {
    await notify('New crash reports', crashes.map((r) => '#' + r.number + ' ' + r.title).join('\n'));
  }
  return { triaged: rows.length, crashes: crashes.length };
}
