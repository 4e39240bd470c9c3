/**
 * Ads report (CSV) of a day against the plan. Pauses campaigns that have eaten their budget.
 * @param {{ day: string, plan: Object<string, number> }} input  plan: campaign -> euros a day
 */
const parseLine = (line) => {
  const cells = [''];
  let inside = false;
  for (let i = 0; i < line.length; i++) {
    const c = line[i];
    if (c === '"' && inside && line[i + 1] === '"') cells[cells.length - 1] += line[++i];
    else if (c === '"') inside = !inside;
    else if (c === ',' && !inside) cells.push('');
    else cells[cells.length - 1] += c;
  }
  return cells;
};

const number = (cell) => {
  const n = parseFloat(String(cell).replace(/,/g, ''));
  return Number.isNaN(n) ? 0 : n;
};

const table = (csv) => {
  const lines = csv.trim().split('\n');
  const head = lines.findIndex((line) => line.startsWith('Campaign,'));
  const names = parseLine(lines[head]);
  return lines.slice(head + 1).map(parseLine).map((cells) => Object.fromEntries(names.map((name, i) => [name, cells[i]])));
};

const campaigns = (rows) => {
  const all = new Map();
  for (const row of rows) {
    if (row.Campaign === 'Total') continue;
    const sum = all.get(row.Campaign) ?? { id: row['Campaign ID'], euros: 0, clicks: 0, shown: 0, share: [] };
    sum.euros += number(row.Cost) / 1e6;
    sum.clicks += number(row.Clicks);
    sum.shown += number(row.Impressions);
    if (number(row['Impr. share'])) sum.share.push(number(row['Impr. share']));
    all.set(row.Campaign, sum);
  }
  return all;
};

module.exports = async ({ day, plan }) => {
  const res = await fetch(`https://ads.example/reports/campaigns.csv?day=${day}`);
  if (!res.ok) throw new Error('report: ' + res.status);
  const lines = [];
  for (const [name, c] of campaigns(table(await res.text()))) {
    const budget = plan[name] ?? 0;
    const ctr = c.shown ? (100 * c.clicks / c.shown).toFixed(2) : '-';
    const share = c.share.length ? Math.round(c.share.reduce((a, b) => a + b) / c.share.length) : 0;
    lines.push(`${name}: ${c.euros.toFixed(2)} of ${budget.toFixed(2)} EUR, CTR ${ctr} %, share ${share} %`);
    if (budget && c.euros > budget) await web.postJSON('https://ads.example/campaigns/' + c.id, { status: 'paused', spent: Number(c.euros.toFixed(2)) }, { method: 'PATCH' });
  }
  lines.sort();
  if (lines.length) await fetch('https://chat.example/ads', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: lines.join('\n') });
  return lines;
};
