const low = (row) => row.onHand - (row.reserved ?? 0) < row.reorderAt;

export default async () => {
  const inventory = await (await fetch('BASE/inventory')).json();
  const bySku = new Map(Object.entries(inventory.items));
  const missing = [...bySku].filter(([, row]) => low(row)).map(([sku]) => sku).sort();
  await kv.set('stock', Object.fromEntries([...bySku].map(([sku, row]) => [sku, row.onHand])));
  await kv.set('missing', missing);
  if (missing.length > 0) await notify(`${missing.length} to order`, missing.join(', '));
  return missing;
};
