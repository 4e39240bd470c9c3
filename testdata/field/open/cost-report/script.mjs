// What the teams have spent this month against their budgets. A team that cannot be read is named, and the others are reported.
const API = 'https://costs.example/v1';
const euro = (cents) => (cents / 100).toLocaleString('de-DE', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

async function api(path) {
  const res = await fetch(API + path, { headers: { 'X-Api-Key': process.env.COSTS_KEY } });
  if (!res.ok) throw new Error(`${path.split('?')[0]}: ${res.status}`);
  return res.json();
}

async function costsOf(team, month) {
  const { reports, page: first } = await api(`/reports?team=${team}&month=${month}&page=1&pageSize=3`);
  const all = [...reports];
  for (let page = 2; page <= first.pages; page++) all.push(...(await api(`/reports?team=${team}&month=${month}&page=${page}&pageSize=3`)).reports);
  return all;
}

function summarize(reports) {
  const services = {};
  let total = 0;
  for (const { service, cost, credits } of reports) {
    const cents = Math.round(cost * 100) - Math.round((credits ?? 0) * 100);
    services[service] = (services[service] ?? 0) + cents;
    total += cents;
  }
  const [top] = Object.entries(services).sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
  return { total, top: top ? `${top[0]} ${euro(top[1])}` : 'nothing' };
}

export default async function report({ month, warnAt = 0.8 }) {
  const { teams } = await api('/teams');
  const lines = [];
  const broken = [];
  for (const { slug, name, budget } of teams.filter((t) => !t.archived)) {
    try {
      const { total, top } = summarize(await costsOf(slug, month));
      const share = budget ? total / (budget * 100) : null;
      lines.push([name, euro(total), share === null ? '-' : `${Math.round(share * 100)} %`, top].join(' | '));
      const warned = await kv.get(`warned:${month}:${slug}`);
      if (share !== null && share >= warnAt && !warned) {
        await notify(`${name} has spent ${Math.round(share * 100)} %`, `${euro(total)} of ${euro(budget * 100)}, most of it ${top}`);
        await kv.set(`warned:${month}:${slug}`, total);
      }
    } catch (error) {
      console.warn(`${slug}: ${error.message}`);
      broken.push(name);
    }
  }
  for (const key of await kv.list('warned:')) if (!key.startsWith(`warned:${month}:`)) await kv.delete(key);
  await fetch('https://wiki.example/pages/costs', { method: 'PUT', headers: { 'content-type': 'text/plain; charset=utf-8' }, body: [`Costs of ${month}`, ...lines, ...(broken.length ? [`Not read: ${broken.join(', ')}`] : [])].join('\n') });
  return { teams: lines.length, broken };
}
