const csv = (head, rows, cut = ',') => [head, ...rows].map((row) => row.map((v) => (String(v).includes(cut) || String(v).includes('"') ? `"${String(v).replaceAll('"', '""')}"` : v)).join(cut)).join('\r\n') + '\r\n';
const answer = (head, row, cut) => (f) => ({ $type: 'text/csv', $body: csv(head, f.items.map(row), cut) });
const money = (cents) => (cents / 100).toFixed(2);

export default {
  source: 'https://help.shopify.com/en/manual/products/inventory: exports of stock gained columns and others were renamed ("On hand", "Available")',
  says: 'Request what is low in stock, and keep the value of the stock in a file.',
  facts: (day, r) => ({
    items: r.many(day === 7 ? 0 : 3, 8, (i) => ({
      sku: `S${r.int(10, 99)}-${i}`, name: r.pick(['Bolt, long', 'Mutter M8', 'Ölfilter', 'Belt "XL"', '歯車']), hand: r.int(0, 60), level: r.int(4, 25), cents: r.int(5, 90000), reserved: r.int(0, 3),
    })),
  }),
  api: {
    'GET https://files.warehouse.example/export/stock.csv': answer(['sku', 'name', 'on_hand', 'reserved', 'reorder_level', 'unit_cost'], (i) => [i.sku, i.name, i.hand, i.reserved, i.level, money(i.cents)]),
    'POST https://api.purchasing.example/requests': (f, q) => ({ id: q.id, state: 'new' }),
  },
  changes: [{
    name: 'renamed-column',
    happened: 'the column on_hand is called quantity_on_hand',
    tells: ['on_hand', 'quantity_on_hand'],
    api: { 'GET https://files.warehouse.example/export/stock.csv': answer(['sku', 'name', 'quantity_on_hand', 'reserved', 'reorder_level', 'unit_cost'], (i) => [i.sku, i.name, i.hand, i.reserved, i.level, money(i.cents)]) },
    right: {
      'a default of the parameter': [['on_hand: onHand,', 'quantity_on_hand, on_hand: onHand = quantity_on_hand,']],
      'in the row': [['(row) => report.add(row)', '(row) => report.add({ ...row, on_hand: row.on_hand ?? row.quantity_on_hand })']],
      'the header': [['parse(await response.text(),', "parse((await response.text()).replace(/^([^\\n]*)\\bquantity_on_hand\\b/, '$1on_hand'),"]],
    },
    wrong: {
      'zero for missing': [['toNumber(onHand)', "toNumber(onHand ?? '0')"]],
      'the nearest number': [['on_hand: onHand,', 'reserved, on_hand: onHand = reserved,']],
      'skips the row': [['    const count = toNumber(onHand);', '    const count = toNumber(onHand);\n    if (Number.isNaN(count)) return;']],
      'the level': [['on_hand: onHand, reorder_level: level', 'reorder_level: level, on_hand: onHand = level']],
    },
  }, {
    name: 'v2',
    happened: 'semicolons and decimal commas, and names of columns with blanks and capitals',
    tells: ['on_hand', 'Unit cost'],
    api: { 'GET https://files.warehouse.example/export/stock.csv': answer(['SKU', 'Product', 'On hand', 'Reserved', 'Reorder level', 'Unit cost'], (i) => [i.sku, i.name, i.hand, i.reserved, i.level, money(i.cents).replace('.', ',')], ';') },
    right: {
      'a table of names': [
        ['const toNumber = (text) => Number.parseFloat(text);', "const toNumber = (text) => Number.parseFloat(text.replace(',', '.'));\n\nconst NAMES = { SKU: 'sku', Product: 'name', 'On hand': 'on_hand', 'Reorder level': 'reorder_level', 'Unit cost': 'unit_cost' };\nconst renamed = (row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [NAMES[key] ?? key, value]));"],
        ['report.add(row)', 'report.add(renamed(row))'],
      ],
      'by ??': [
        ['report.add(row)', "report.add({ sku: row.sku ?? row.SKU, name: row.name ?? row.Product, on_hand: row.on_hand ?? row['On hand'], reorder_level: row.reorder_level ?? row['Reorder level'], unit_cost: row.unit_cost ?? row['Unit cost'] })"],
        ['Number.parseFloat(text)', "Number(text.replace(',', '.'))"],
      ],
      'by position': [
        ["parse(await response.text(), { header: true }).forEach((row) => report.add(row));", "const [, ...rows] = parse(await response.text());\n  for (const [sku, name, on_hand, , reorder_level, unit_cost] of rows) report.add({ sku, name, on_hand, reorder_level, unit_cost: unit_cost.replace(/,/, '.') });"],
      ],
    },
    wrong: {
      'with the comma': [
        ['report.add(row)', "report.add({ sku: row.sku ?? row.SKU, name: row.name ?? row.Product, on_hand: row.on_hand ?? row['On hand'], reorder_level: row.reorder_level ?? row['Reorder level'], unit_cost: row.unit_cost ?? row['Unit cost'] })"],
      ],
      'an empty name': [['name.trim()', "(name ?? '').trim()"]],
      'the comma goes': [
        ['report.add(row)', "report.add({ sku: row.sku ?? row.SKU, name: row.name ?? row.Product, on_hand: row.on_hand ?? row['On hand'], reorder_level: row.reorder_level ?? row['Reorder level'], unit_cost: (row.unit_cost ?? row['Unit cost']).replace(',', '') })"],
      ],
      'what is reserved': [
        ['report.add(row)', "report.add({ sku: row.sku ?? row.SKU, name: row.name ?? row.Product, on_hand: row.on_hand ?? row.Reserved, reorder_level: row.reorder_level ?? row['Reorder level'], unit_cost: (row.unit_cost ?? row['Unit cost']).replace(',', '.') })"],
      ],
    },
  }, {
    name: 'no-cost',
    happened: 'the export has no costs any more',
    tells: ['unit_cost'],
    lost: true,
    api: { 'GET https://files.warehouse.example/export/stock.csv': answer(['sku', 'name', 'on_hand', 'reserved', 'reorder_level'], (i) => [i.sku, i.name, i.hand, i.reserved, i.level]) },
    wrong: {
      'zero': [['toNumber(cost)', "toNumber(cost ?? '0')"]],
      'one': [['toNumber(cost)', '(toNumber(cost) || 1)']],
      'left out': [['    this.value += count * toNumber(cost);', '    if (cost) this.value += count * toNumber(cost);']],
    },
  }],
};
