const REPORT = 'GET https://ads.example/reports/campaigns.csv';
const cell = (v) => (/[",]/.test(v) ? `"${String(v).replace(/"/g, '""')}"` : v);
const csv = (rows) => rows.map((row) => row.map(cell).join(',')).join('\n') + '\n';
const at = (make) => (f) => ({ $type: 'text/csv', $body: csv(make(f)) });
const comma = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
const sum = (rows, name) => rows.reduce((n, row) => n + row[name], 0);
const euros = (cents) => (cents / 100).toFixed(2);
const old = (f) => [[`Campaign report (${f.day})`], ['Campaign', 'Campaign ID', 'Device', 'Impressions', 'Clicks', 'Cost', 'Impr. share'],
  ...f.rows.map((w) => [w.campaign, w.id, w.device, comma(w.shown), comma(w.clicks), w.cents * 10000, w.share === null ? ' --' : `${w.share}%`]),
  ['Total', '--', '--', comma(sum(f.rows, 'shown')), comma(sum(f.rows, 'clicks')), sum(f.rows, 'cents') * 10000, ' --']];
const currency = (f) => [['Campaign', 'Campaign ID', 'Currency code', 'Device', 'Impressions', 'Clicks', 'Cost', 'Impr. share'],
  ...f.rows.map((w) => [w.campaign, w.id, 'EUR', w.device, comma(w.shown), comma(w.clicks), euros(w.cents), w.share === null ? ' --' : `${w.share}%`]),
  ['Total: account', '', 'EUR', '', comma(sum(f.rows, 'shown')), comma(sum(f.rows, 'clicks')), euros(sum(f.rows, 'cents')), '']];
const shares = (f) => [['Campaign', 'Campaign ID', 'Device', 'Impr.', 'Clicks', 'Cost', 'Search impr. share'],
  ...f.rows.map((w) => [w.campaign, w.id, w.device, w.shown, w.clicks, w.cents * 10000, w.share === null ? '' : (w.share / 100).toFixed(4)])];
const google = (f) => [['segments.device', 'campaign.name', 'campaign.id', 'metrics.impressions', 'metrics.clicks', 'metrics.cost_micros', 'metrics.search_impression_share'],
  ...f.rows.map((w) => [w.device.toUpperCase(), w.campaign, w.id, w.shown, w.clicks, w.cents * 10000, w.share === null ? '' : (w.share / 100).toFixed(4)])];
const ROWS = 'names.map((name, i) => [name, cells[i]])';
const HEAD = "line.startsWith('Campaign,')";
const NAMES = "{ 'campaign.name': 'Campaign', 'campaign.id': 'Campaign ID', 'metrics.impressions': 'Impressions', 'metrics.clicks': 'Clicks', 'metrics.cost_micros': 'Cost' }";
const SHARE = "if (number(row['Impr. share'])) sum.share.push(number(row['Impr. share']));";
export default {
  source: 'https://github.com/googleads/aw-reporting/pull/177 and https://github.com/googleads/googleads-python-lib/issues/526 and https://github.com/GoogleCloudPlatform/marketing-analytics-jumpstart-dataform/pull/4: reports had a title, a total, "--" and percents, and have none of them now; costs are in micros in one and in the currency in the other, and rates are fractions',
  says: 'Hold what the ads cost against the plan, and pause what is over its budget.',
  facts: (day, r) => {
    const names = ['Brand', 'Sommer, Sonne', 'Retargeting "A"', '春のセール'];
    return { day: `2026-05-${String(day % 30 + 1).padStart(2, '0')}`, rows: names.slice(0, day === 6 ? 0 : r.int(1, 4)).flatMap((campaign, i) => r.some(['Desktop', 'Mobile', 'Tablet']).map((device) => { const shown = r.pick([0, r.int(10, 900), r.int(1000, 2400000)]); return { campaign, id: 7100 + i, device, shown, clicks: Math.floor(shown * r.int(0, 60) / 1000), cents: shown ? r.int(0, 9000) : 0, share: r.chance(0.3) ? null : r.int(10, 99) }; })) };
  },
  input: (f) => ({ day: f.day, plan: { Brand: 60, 'Sommer, Sonne': 45.5, '春のセール': 20 } }),
  api: { [REPORT]: at(old), 'PATCH https://ads.example/campaigns/:id': (f, q) => ({ id: q.params.id }), 'POST https://chat.example/ads': { ok: true } },
  changes: [{
    name: 'currency',
    happened: 'Cost is in the currency that the new column Currency code says, and not in micros; there is no title, and the last line is Total: account',
    tells: [['Cost', 'cost'], ['Currency code', 'currency', 'micros'], 'Total'],
    api: { [REPORT]: at(currency) },
    right: {
      'at each place': [["row.Campaign === 'Total'", "row.Campaign.startsWith('Total')"], ['number(row.Cost) / 1e6', "number(row.Cost) / (row['Currency code'] ? 1 : 1e6)"]],
      'normalised': [['const campaigns = (rows) => {', "const campaigns = (given) => {\n  const rows = given.filter((row) => !/^Total(:|$)/.test(row.Campaign)).map((row) => ('Currency code' in row ? { ...row, Cost: String(number(row.Cost) * 1e6) } : row));"]],
      'a helper': [['const campaigns =', "const cost = (row) => (row['Currency code'] === undefined ? number(row.Cost) / 1000000 : number(row.Cost));\nconst campaigns ="], ["if (row.Campaign === 'Total') continue;", "if (row.Campaign === 'Total' || row.Campaign === 'Total: account') continue;"], ['number(row.Cost) / 1e6', 'cost(row)']],
    },
    wrong: {
      'with the total': [['number(row.Cost) / 1e6', "number(row.Cost) / (row['Currency code'] ? 1 : 1e6)"]],
      'still micros': [["row.Campaign === 'Total'", "row.Campaign.startsWith('Total')"]],
      'by size': [["row.Campaign === 'Total'", "row.Campaign.startsWith('Total')"], ['number(row.Cost) / 1e6', 'number(row.Cost) / (number(row.Cost) > 5000 ? 1e6 : 1e2)']],
      'always euros': [["row.Campaign === 'Total'", "row.Campaign.startsWith('Total')"], ['number(row.Cost) / 1e6', 'number(row.Cost)']],
    },
  }, {
    name: 'shares',
    happened: 'Impressions is Impr., Impr. share is Search impr. share and a fraction, not a percent; title and total are gone',
    tells: [['Impr.', 'Impressions'], ['Search impr. share', 'share']],
    api: { [REPORT]: at(shares) },
    right: {
      'by ??': [['number(row.Impressions)', "number(row.Impressions ?? row['Impr.'])"], [SHARE, "const share = row['Search impr. share'] === undefined ? number(row['Impr. share']) : 100 * number(row['Search impr. share']);\n    if (share) sum.share.push(share);"]],
      'by the percent sign': [['number(row.Impressions)', "number('Impr.' in row ? row['Impr.'] : row.Impressions)"], [SHARE, "const cell = row['Impr. share'] ?? row['Search impr. share'];\n    const share = cell.includes('%') ? number(cell) : number(cell) * 100;\n    if (share > 0) sum.share.push(share);"]],
      'normalised': [['const campaigns = (rows) => {', "const campaigns = (given) => {\n  const rows = given.map((row) => ('Impr.' in row ? { ...row, Impressions: row['Impr.'], 'Impr. share': number(row['Search impr. share']) * 100 } : row));"]],
    },
    wrong: {
      'fractions': [['number(row.Impressions)', "number(row.Impressions ?? row['Impr.'])"], [SHARE, "const share = number(row['Impr. share'] ?? row['Search impr. share']);\n    if (share) sum.share.push(share);"]],
      'no shares': [['number(row.Impressions)', "number(row.Impressions ?? row['Impr.'])"]],
      'only shares': [[SHARE, "const share = row['Search impr. share'] === undefined ? number(row['Impr. share']) : 100 * number(row['Search impr. share']);\n    if (share) sum.share.push(share);"]],
    },
  }, {
    name: 'query',
    happened: 'columns are named campaign.name, campaign.id, metrics.impressions, metrics.clicks, metrics.cost_micros and metrics.search_impression_share (a fraction), in another order; title and total are gone',
    tells: [['campaign.name', 'Campaign'], ['metrics.cost_micros', 'metrics']],
    api: { [REPORT]: at(google) },
    right: {
      'renamed': [[HEAD, "line.startsWith('Campaign,') || line.includes('campaign.name')"], [ROWS, `names.map((name, i) => (name === 'metrics.search_impression_share' ? ['Impr. share', 100 * number(cells[i])] : [(${NAMES})[name] ?? name, cells[i]]))`]],
      'by ??': [[HEAD, '/^Campaign,|campaign\\.id/.test(line)'], ['for (const row of rows) {', "for (const given of rows) {\n    const row = { ...given, Campaign: given.Campaign ?? given['campaign.name'], 'Campaign ID': given['Campaign ID'] ?? given['campaign.id'] };"], ['row.Cost)', "row.Cost ?? row['metrics.cost_micros'])"], ['row.Clicks', "row.Clicks ?? row['metrics.clicks']"], ['row.Impressions', "row.Impressions ?? row['metrics.impressions']"], [SHARE, "const share = number(row['Impr. share']) || 100 * number(row['metrics.search_impression_share']);\n    if (share) sum.share.push(share);"]],
      'another table': [['const campaigns =', `const fromQuery = (csv) => {
  const [names, ...rows] = csv.trim().split('\\n').map(parseLine);
  const of = (row, name) => row[names.indexOf(name)];
  return rows.map((row) => ({ Campaign: of(row, 'campaign.name'), 'Campaign ID': of(row, 'campaign.id'), Impressions: of(row, 'metrics.impressions'), Clicks: of(row, 'metrics.clicks'), Cost: of(row, 'metrics.cost_micros'), 'Impr. share': number(of(row, 'metrics.search_impression_share')) * 100 }));
};

const campaigns =`], ['campaigns(table(await res.text()))', "campaigns(await res.text().then((csv) => (csv.startsWith('segments.') ? fromQuery(csv) : table(csv))))"]],
    },
    wrong: {
      'by position': [[HEAD, "line.startsWith('Campaign,') || line.includes('campaign.name')"], ['const names = parseLine(lines[head]);', "const names = ['Campaign', 'Campaign ID', 'Device', 'Impressions', 'Clicks', 'Cost', 'Impr. share'];"]],
      'fractions': [[HEAD, "line.startsWith('Campaign,') || line.includes('campaign.name')"], [ROWS, `names.map((name, i) => [({ ...${NAMES}, 'metrics.search_impression_share': 'Impr. share' })[name] ?? name, cells[i]])`]],
      'none': [['const names = parseLine(lines[head]);', 'if (head < 0) return [];\n  const names = parseLine(lines[head]);']],
    },
  }],
};
