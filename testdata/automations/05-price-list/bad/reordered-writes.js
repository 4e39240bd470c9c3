// A supplier mails its price list as JSON. Cleans it, files it as CSV, and reports rises.
async function main(input) {
  const items = JSON.parse(input.attachment.replace(/^\uFEFF/, ''));
  const key = 'prices:' + input.supplier;
  const before = (await kv.get(key)) || {};

  const rows = items
    .filter(({ discontinued }) => !discontinued)
    .map(({ sku, name, price }) => ({
      sku: sku.trim().toUpperCase(),
      name: name.replace(/\s+/g, ' ').trim(),
      price: parsePrice(price),
    }))
    .sort((a, b) => (a.sku < b.sku ? -1 : 1));

  const prices = {};
  const rises = [];
  for (const { sku, price } of rows) {
    prices[sku] = price;
    if (before[sku] && price > before[sku] * 1.05) {
      rises.push(`${sku}: ${before[sku].toFixed(2)} → ${price.toFixed(2)}`);
    }
  }

  await kv.set(key, prices);
  await files.write(`prices/${input.supplier}.csv`, toCSV(rows));
  if (rises.length) await notify(`${input.supplier}: ${rises.length} prices rose`, rises.join('\n'));
  return { supplier: input.supplier, items: rows.length, rises: rises.length };
}

// "1.234,50 EUR", "1234.5" and 1234.5 are the same price.
function parsePrice(price) {
  if (typeof price === 'number') return price;
  const text = price.replace(/[^0-9.,]/g, '');
  const comma = text.lastIndexOf(',') > text.lastIndexOf('.');
  return Number(comma ? text.replace(/\./g, '').replace(',', '.') : text.replace(/,/g, ''));
}

function toCSV(rows) {
  return rows.reduce((text, row) => text + `${row.sku};"${row.name.replace(/"/g, '""')}";${row.price.toFixed(2)}\n`, 'sku;name;price\n');
}
