const route = 'GET https://till.example/export/sales.csv';
const csv = (head, lines, sep = ',', nl = '\n') => ({ $type: 'text/csv', $body: [head, ...lines.map((l) => l.join(sep))].join(nl) + nl });
const comma = (n) => n.toFixed(2).replace('.', ',');
export default {
  source: 'https://help.shopify.com (export of orders) and reports of changed till exports: renamed and reordered columns, semicolons with decimal commas, a byte order mark',
  says: 'Write the totals of sales by region to a file each morning and tell them',
  facts: (day, r) => ({
    day: `2026-06-${String(day + 1).padStart(2, '0')}`,
    sales: r.many(day === 2 ? 0 : 2, 9, (i) => ({ no: 100 * day + i, region: r.pick(['North', 'Süd', 'West', '東']), kind: r.chance(0.2) ? 'return' : 'sale', amount: r.int(100, 50000) / 100, clerk: r.chance(0.5) ? r.pick(['amy', 'bob']) : '' })),
  }),
  input: (f) => ({ day: f.day }),
  api: { [route]: (f) => csv('no,kind,region,amount,clerk', f.sales.map((s) => [s.no, s.kind, s.region, s.amount.toFixed(2), s.clerk])) },
  changes: [{
    name: 'columns-renamed',
    happened: 'amount is called net_amount, a column gross_amount stands before it, and kind is type',
    tells: ['amount', ['net_amount', 'gross_amount']],
    api: { [route]: (f) => csv('no,type,region,gross_amount,net_amount,clerk', f.sales.map((s) => [s.no, s.kind, s.region, (s.amount * 1.19).toFixed(2), s.amount.toFixed(2), s.clerk])) },
    right: {
      'either name': [["row.kind === 'return'", "(row.kind ?? row.type) === 'return'"], ['Number(row.amount)', 'Number(row.amount ?? row.net_amount)']],
      'names mapped': [["const names = head.split(',');", "const names = head.split(',').map((n) => ({ net_amount: 'amount', type: 'kind' }[n] || n));"]],
      'destructured': [["if (row.kind === 'return')", "const { kind = row.type, amount = row.net_amount } = row;\n    if (kind === 'return')"], ['Number(row.amount)', 'Number(amount)']],
    },
    wrong: {
      'gross': [["row.kind === 'return'", "(row.kind ?? row.type) === 'return'"], ['Number(row.amount)', 'Number(row.amount ?? row.gross_amount)']],
      'zero': [["row.kind === 'return'", "(row.kind ?? row.type) === 'return'"], ['Number(row.amount)', 'Number(row.amount || 0)']],
      'returns are sales': [['Number(row.amount)', 'Number(row.amount ?? row.net_amount)']],
      'by place': [["row.kind === 'return'", "Object.values(row)[1] === 'return'"], ['Number(row.amount)', 'Number(Object.values(row)[3])']],
    },
  }, {
    name: 'semicolons',
    happened: 'the file is separated by semicolons, has decimal commas, a byte order mark and CRLF',
    tells: [['semicolon', ';', 'separat', 'header', 'column']],
    api: { [route]: (f) => { const c = csv('no;kind;region;amount;clerk', f.sales.map((s) => [s.no, s.kind, s.region, comma(s.amount), s.clerk]), ';', '\r\n'); return { ...c, $body: '\ufeff' + c.$body }; } },
    right: {
      'separator of the head': [["const names = head.split(',');", "const sep = head.includes(';') ? ';' : ',';\n  const names = head.replace(/^\\uFEFF/, '').split(sep);"], ["line.split(',')", 'line.split(sep)'], ['Number(row.amount)', "Number(row.amount.replace(',', '.'))"]],
      'text made old': [['rows(await response.text())', 'rows(plain(await response.text()))'], ['async function report', "const plain = (t) => (/^.*;/.test(t.split(/\\r?\\n/)[0]) ? t.replace('\\ufeff', '').replace(/,/g, '.').replace(/;/g, ',') : t);\n\nasync function report"]],
      'two parsers': [["const [head, ...lines] = text.trim().split(/\\r?\\n/);", "const [head, ...lines] = text.replace(/^\\ufeff/, '').trim().split(/\\r?\\n/);\n  if (head.indexOf(';') >= 0) {\n    const keys = head.split(';');\n    return lines.map((l) => { const c = l.split(';'); const o = {}; keys.forEach((k, i) => { o[k] = k === 'amount' ? c[i].replace(',', '.') : c[i]; }); return o; });\n  }"]],
    },
    wrong: {
      'cents away': [["const names = head.split(',');", "const sep = head.includes(';') ? ';' : ',';\n  const names = head.replace(/^\\uFEFF/, '').split(sep);"], ["line.split(',')", 'line.split(sep)'], ['Number(row.amount)', 'parseFloat(row.amount)']],
      'comma dropped': [["const names = head.split(',');", "const sep = head.includes(';') ? ';' : ',';\n  const names = head.replace(/^\\uFEFF/, '').split(sep);"], ["line.split(',')", 'line.split(sep)'], ['Number(row.amount)', "Number(row.amount.replace(',', ''))"]],
      'what does not parse is left out': [['byRegion[row.region] = ', 'if (!row.region || isNaN(Number(row.amount))) continue;\n    byRegion[row.region] = ']],
    },
  }, {
    name: 'region-codes',
    happened: 'region became region_code and region_name, and the amount of a return is negative with no kind any more',
    tells: ['region'],
    api: { [route]: (f) => csv('no,region_code,region_name,amount,clerk', f.sales.map((s) => [s.no, 'R' + s.region.codePointAt(0), s.region, (s.kind === 'return' ? -s.amount : s.amount).toFixed(2), s.clerk])) },
    right: {
      'both': [["if (row.kind === 'return')", "if (row.kind === 'return' || Number(row.amount) < 0)"], ['byRegion[row.region] = (byRegion[row.region] || 0)', 'const region = row.region ?? row.region_name;\n    byRegion[region] = (byRegion[region] || 0)']],
      'row made old': [['return names.reduce((row, name, i) => ({ ...row, [name]: cells[i] }), {});', "const row = names.reduce((all, name, i) => ({ ...all, [name]: cells[i] }), {});\n    if ('region_name' in row) { row.region = row.region_name; row.kind = row.amount.startsWith('-') ? 'return' : 'sale'; }\n    return row;"]],
      'names mapped': [["head.split(',');", "head.split(',').map((n) => (n === 'region_name' ? 'region' : n));"], ["row.kind === 'return'", "(row.kind === undefined ? parseFloat(row.amount) < 0 : row.kind === 'return')"]],
    },
    wrong: {
      'the code': [["if (row.kind === 'return')", "if (row.kind === 'return' || Number(row.amount) < 0)"], ['byRegion[row.region] = (byRegion[row.region] || 0)', 'const region = row.region ?? row.region_code;\n    byRegion[region] = (byRegion[region] || 0)']],
      'returns subtracted': [['byRegion[row.region] = (byRegion[row.region] || 0)', 'const region = row.region ?? row.region_name;\n    byRegion[region] = (byRegion[region] || 0)']],
      'no name': [["if (row.kind === 'return')", "if (row.kind === 'return' || Number(row.amount) < 0)"], ['byRegion[row.region] = (byRegion[row.region] || 0)', "const region = row.region ?? 'all';\n    byRegion[region] = (byRegion[region] || 0)"]],
    },
  }],
};
