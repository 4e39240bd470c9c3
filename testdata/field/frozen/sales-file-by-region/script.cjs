// Every morning: totals of yesterday's sales by region, from the export of the till.
const EXPORT = 'https://till.example/export/sales.csv';

const rows = (text) => {
  const [head, ...lines] = text.trim().split(/\r?\n/);
  const names = head.split(',');
  return lines.filter((l) => l !== '').map((line) => {
    const cells = line.split(',');
    return names.reduce((row, name, i) => ({ ...row, [name]: cells[i] }), {});
  });
};

async function report(input) {
  const response = await fetch(EXPORT);
  if (response.status !== 200) throw new Error(`export: ${response.status}`);
  const byRegion = {};
  let returned = 0;
  for (const row of rows(await response.text())) {
    if (row.kind === 'return') { returned += 1; continue; }
    byRegion[row.region] = (byRegion[row.region] || 0) + Number(row.amount);
  }
  const regions = Object.keys(byRegion).sort();
  await files.write(`totals-${input.day}.csv`, ['region,total', ...regions.map((k) => `${k},${byRegion[k].toFixed(2)}`)].join('\n') + '\n');
  if (regions.length) await notify('Sales ' + input.day, regions.map((k) => `${k}: ${byRegion[k].toFixed(2)}`).join(', '));
  return { regions: regions.length, returned };
}

exports.main = report;
module.exports = report;
