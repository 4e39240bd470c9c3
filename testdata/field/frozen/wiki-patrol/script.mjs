// Patrol of our wiki: how much each page grew, and what people without an account did.
const API = 'https://wiki.example/w/api.php';

async function* changes(since) {
  let more = {};
  do {
    const params = new URLSearchParams({ action: 'query', list: 'recentchanges', rcend: since, rclimit: '3', format: 'json', ...more });
    const response = await fetch(`${API}?${params}`);
    if (!response.ok) throw new Error(`wiki answered ${response.status}`);
    const data = await response.json();
    yield* data.query.recentchanges;
    more = data['query-continue']?.recentchanges;
  } while (more);
}

const since = (await kv.get('since')) ?? '2026-01-01T00:00:00Z';
const growth = new Map();
const anonymous = [];
let latest = since;
for await (const change of changes(since)) {
  if (change.timestamp > latest) latest = change.timestamp;
  if ('bot' in change || change.type === 'log') continue;
  growth.set(change.title, (growth.get(change.title) ?? 0) + change.newlen - change.oldlen);
  if ('anon' in change) anonymous.push(`${change.timestamp} ${change.title} (${change.user}): ${change.comment || 'no comment'}`);
}
if (anonymous.length > 0) await files.append('anonymous.log', anonymous.reverse().join('\n') + '\n');
await kv.set('since', latest);
return { pages: growth.size, growth: Object.fromEntries([...growth].sort(([a], [b]) => (a < b ? -1 : 1))) };
