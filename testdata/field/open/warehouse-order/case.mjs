const FILE = 'GET https://files.lager.example/out/:file';
const files = ({ mark = '', cut = ';', stock = ['Artikel', 'Name', 'Bestand', 'Mindest', 'Platz'], sales = ['Artikel', 'Menge', 'Kasse'], quote = (c) => c, number = String, order = (r) => r }) => (f, q) => {
  const kind = /^(bestand|verkauf)_/.exec(q.params.file)[1];
  if (kind === 'verkauf' && f.closed) return { $status: 404, $body: { error: 'no such file' } };
  const rows = kind === 'bestand' ? [stock, ...f.stock.map((s) => order([s.id, s.name, number(s.count), number(s.min), s.place]))] : [sales, ...f.sales.map((s) => [s.id, number(s.count), s.till])];
  return { $type: 'text/csv', $body: mark + rows.map((r) => r.map(quote).join(cut)).join('\r\n') + '\r\n' };
};
const SPLIT = "const names = lines.shift().split(';');";
const CELLS = "line.split(';').forEach((cell, i) => { row[names[i]] = cell.trim(); });";
export default {
  source: 'https://github.com/adaltas/node-csv-parse/issues/284 and https://github.com/julien-f/csv2json/pull/11: an export that begins with a byte order mark makes it part of the name of the first column',
  says: 'Order what runs out in the warehouse.',
  facts: (day, r) => ({
    day: `2026-03-${String(day % 31 + 1).padStart(2, '0')}`, closed: day % 7 === 6,
    stock: ['a-10', 'B-20', 'c-30', 'ä-40', 'E-50', 'f-60', 'G-70'].filter(() => r.chance(0.85)).map((id, i) => ({ id, name: r.pick(['Schraube', 'Mutter M8', 'Ölfilter', '歯車']), count: r.int(0, 1800), min: r.pick([5, 30, 1200]), place: `R${i}` })),
    sales: r.many(0, 6, (i) => ({ id: r.pick(['A-10', 'b-20', 'C-30', 'Ä-40', 'e-50']), count: r.chance(0.2) ? r.int(1000, 1500) : r.int(1, 25), till: String(i) })),
  }),
  input: (f) => ({ day: f.day }),
  api: { [FILE]: files({}), 'POST https://supplier.example/orders': (f, q) => ({ $status: 201, $body: { id: q.id } }) },
  changes: [{
    name: 'mark',
    happened: 'the files begin with a byte order mark',
    tells: [['mark', 'BOM', 'FEFF', 'feff'], 'Artikel'],
    api: { [FILE]: files({ mark: '\ufeff' }) },
    right: {
      'when read': [['rowsOf(res.body)', "rowsOf(res.body.replace(/^\\uFEFF/, ''))"]],
      'in the names': [[SPLIT, "const names = lines.shift().split(';').map((name) => name.trim());"]],
      'by its code': [['  const lines =', '  if (text.charCodeAt(0) === 65279) text = text.slice(1);\n  const lines =']],
    },
    wrong: {
      'empty article': [['row.Artikel.toUpperCase()', "(row.Artikel || '').toUpperCase()"]],
      'the name': [['row.Artikel.toUpperCase()', "(row.Artikel || row.Name || row.Kasse).toUpperCase()"]],
      'the first character always': [['rowsOf(res.body)', 'rowsOf(res.body.slice(1))']],
      'without rows': [['const key = (row) =>', 'const known = (row) => Boolean(row.Artikel);\nconst key = (row) =>'], ["table('bestand', event.day), table('verkauf', event.day)]);", "table('bestand', event.day), table('verkauf', event.day)].map((t) => t.then((rows) => rows.filter(known))));"]],
    },
  }, {
    name: 'quoted',
    happened: 'every field stands in quotes, commas are between them, and there is a byte order mark',
    tells: [['quote', '"'], 'Artikel'],
    api: { [FILE]: files({ mark: '\ufeff', cut: ',', quote: (c) => `"${c}"` }) },
    right: {
      'by the first line': [['  const lines =', "  if (/^\\uFEFF?\"/.test(text)) text = text.replace(/^\\uFEFF/, '').split('\\n').map((line) => line.replace(/\",\"/g, ';').replace(/^\"|\"(?=\\r?$)/g, '')).join('\\n');\n  const lines ="]],
      'a function for cells': [['function rowsOf', "const cells = (line) => (line.includes(';') ? line : line.replace(/^\\uFEFF/, '').replaceAll(',', ';').replaceAll('\"', '')).split(';');\n\nfunction rowsOf"], ["lines.shift().split(';')", 'cells(lines.shift())'], ["line.split(';')", 'cells(line)']],
      'the module': [["const SOURCE =", "const csv = require('kintsugi:csv');\n\nconst SOURCE ="], ['rowsOf(res.body)', 'csv.parse(res.body.trim().replace(/^\\uFEFF/, ""), { header: true }).map((row) => Object.fromEntries(Object.entries(row).map(([k, v]) => [k, v.trim()])))']],
    },
    wrong: {
      'quotes stay': [[SPLIT, "const names = lines.shift().replace(/[\\uFEFF\"]/g, '').split(/[;,]/);"], [CELLS, 'line.split(/[;,]/).forEach((cell, i) => { row[names[i]] = cell.trim(); });']],
      'names only': [[SPLIT, "const names = lines.shift().replace(/[\\uFEFF\"]/g, '').split(/[;,]/);"]],
      'nothing in stock': [['row.Artikel.toUpperCase()', "(row.Artikel ?? '').toUpperCase()"], ['for (const row of stock) {', 'for (const row of stock) {\n    if (!row.Artikel) continue;']],
    },
  }, {
    name: 'thousands',
    happened: 'numbers have a dot between thousands, Mindest is Mindestbestand and stands before Bestand',
    tells: ['Mindest', ['.', 'thousand']],
    api: { [FILE]: files({ number: (n) => String(n).replace(/(\d)(\d{3})$/, '$1.$2'), stock: ['Artikel', 'Name', 'Mindestbestand', 'Bestand', 'Platz'], order: ([a, b, c, d, e]) => [a, b, d, c, e] }) },
    right: {
      'a helper': [['const key =', "const int = (text) => parseInt(text.replaceAll('.', ''), 10);\nconst key ="], ['parseInt(row.Menge, 10)', 'int(row.Menge)'], ['parseInt(row.Bestand, 10)', 'int(row.Bestand)'], ['parseInt(row.Mindest, 10)', 'int(row.Mindest ?? row.Mindestbestand)']],
      'in the cells': [[CELLS, "line.split(';').forEach((cell, i) => { row[names[i].replace(/^Mindestbestand$/, 'Mindest')] = cell.trim().replace(/^(\\d{1,3})\\.(\\d{3})$/, '$1$2'); });"]],
      'in the tables': [['return rowsOf(res.body);', "const rows = rowsOf(res.body);\n  for (const row of rows) {\n    if (row.Mindestbestand) row.Mindest = row.Mindestbestand;\n    for (const name of ['Menge', 'Bestand', 'Mindest']) if (row[name]) row[name] = row[name].split('.').join('');\n  }\n  return rows;"]],
    },
    wrong: {
      'only the name': [['parseInt(row.Mindest, 10)', 'parseInt(row.Mindest ?? row.Mindestbestand, 10)']],
      'zero': [['parseInt(row.Mindest, 10)', 'parseInt(row.Mindest ?? 0, 10)']],
      'decimal': [['parseInt(row.Mindest, 10)', 'parseFloat(row.Mindest ?? row.Mindestbestand)'], ['parseInt(row.Menge, 10)', 'parseFloat(row.Menge)'], ['parseInt(row.Bestand, 10)', 'parseFloat(row.Bestand)']],
      'not the sales': [['parseInt(row.Bestand, 10)', "parseInt(row.Bestand.replace('.', ''), 10)"], ['parseInt(row.Mindest, 10)', "parseInt((row.Mindest ?? row.Mindestbestand).replace('.', ''), 10)"]],
    },
  }],
};
