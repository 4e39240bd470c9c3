import { parse } from 'kintsugi:csv';

const url = 'https://files.warehouse.example/export/stock.csv';

const toNumber = (text) => Number.parseFloat(text);

class Report {
  low = [];
  value = 0;

  add({ sku, name, on_hand: onHand, reorder_level: level, unit_cost: cost }) {
    const count = toNumber(onHand);
    this.value += count * toNumber(cost);
    if (count <= toNumber(level)) this.low.push({ sku, name: name.trim(), missing: toNumber(level) - count });
  }
}

export const handler = async () => {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error('export: status ' + response.status);
  const report = new Report();
  parse(await response.text(), { header: true }).forEach((row) => report.add(row));
  report.low.sort((a, b) => b.missing - a.missing || a.sku.localeCompare(b.sku));
  for (const { sku, name, missing } of report.low) {
    await fetch('https://api.purchasing.example/requests', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ sku, name, quantity: missing + 5 }) });
  }
  await files.write('stock-value.txt', report.value.toFixed(2));
  return { low: report.low.map((item) => item.sku), value: report.value.toFixed(2) };
};

export default handler;
