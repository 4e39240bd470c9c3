const route = 'POST https://stats.example/v4/report';
const rowsOf = (f, q) => (q.body.dimension === 'page' ? f.pages : f.countries);
const sum = (rows) => rows.reduce((s, [, n]) => s + n, 0);
export default {
  source: 'https://developers.google.com/analytics/devguides/migration: rows of lists became dimensionValues and metricValues with texts',
  says: 'Post the visitors of the week to the wiki',
  facts: (day, r) => ({
    week: `2026-W${10 + day}`,
    pages: r.many(day === 4 ? 0 : 2, 6, (i) => [r.pick(['/', '/prices', '/admin/x', '/blog/größe', '/文']) + (i || ''), r.int(1, 5000)]),
    countries: r.many(day === 4 ? 0 : 1, 4, (i) => [['DE', 'FR', 'JP', 'US'][i], r.int(1, 4000)]),
  }),
  input: (f) => ({ week: f.week }),
  api: {
    [route]: (f, q) => ({ ...(rowsOf(f, q).length ? { rows: rowsOf(f, q) } : {}), totals: [sum(rowsOf(f, q))], sampled: false }),
    'PATCH https://wiki.example/pages/traffic': () => ({ version: 3 }),
  },
  changes: [{
    name: 'values-in-objects',
    happened: 'a row has dimensionValues and metricValues, whose values are texts, and totals is a row, too',
    tells: [['dimensionValues', 'metricValues', 'rows', 'totals']],
    api: { [route]: (f, q) => ({ ...(rowsOf(f, q).length ? { rows: rowsOf(f, q).map(([n, v]) => ({ dimensionValues: [{ value: n }], metricValues: [{ value: String(v) }] })) } : {}), totals: [{ metricValues: [{ value: String(sum(rowsOf(f, q))) }] }] }) },
    right: {
      'a cell': [['async function ask', 'const cell = (x) => (x && x.metricValues ? Number(x.metricValues[0].value) : x)\n\nasync function ask'], ['rows.map(([name, visitors]) => ({ name, visitors }))', 'rows.map((row) => (Array.isArray(row) ? { name: row[0], visitors: row[1] } : { name: row.dimensionValues[0].value, visitors: cell(row) }))'], ['total: totals[0]', 'total: cell(totals[0])']],
      'made old': [['const { rows = [], totals } = await res.json()', 'const body = await res.json()\n  if (typeof body.totals[0] === "object") {\n    body.totals = [+body.totals[0].metricValues[0].value]\n    body.rows = body.rows?.map((r) => [r.dimensionValues[0].value, +r.metricValues[0].value])\n  }\n  const { rows = [], totals } = body']],
      'destructured': [['rows.map(([name, visitors]) => ({ name, visitors }))', "rows.map((row) => {\n      if ('metricValues' in row) {\n        const { dimensionValues: [{ value: name }], metricValues: [{ value }] } = row\n        return { name, visitors: parseInt(value, 10) }\n      }\n      const [name, visitors] = row\n      return { name, visitors }\n    })"], ['total: totals[0]', 'total: totals[0].metricValues ? parseInt(totals[0].metricValues[0].value, 10) : totals[0]']],
    },
    wrong: {
      'no rows': [['rows.map(([name, visitors]) => ({ name, visitors }))', 'rows.filter(Array.isArray).map(([name, visitors]) => ({ name, visitors }))']],
      'texts': [['rows.map(([name, visitors]) => ({ name, visitors }))', 'rows.map((r) => (Array.isArray(r) ? { name: r[0], visitors: r[1] } : { name: r.dimensionValues[0].value, visitors: r.metricValues[0].value }))'], ['total: totals[0]', 'total: totals[0].metricValues?.[0].value ?? totals[0]']],
      'total forgotten': [['rows.map(([name, visitors]) => ({ name, visitors }))', 'rows.map((r) => (Array.isArray(r) ? { name: r[0], visitors: r[1] } : { name: r.dimensionValues[0].value, visitors: Number(r.metricValues[0].value) }))'], ['total: totals[0]', 'total: Number(totals[0]) || 1']],
    },
  }, {
    name: 'rows-below-report',
    happened: 'rows and totals are below reports[0].data, and a row is {key, count}',
    tells: [['rows', 'totals', 'reports']],
    api: { [route]: (f, q) => ({ reports: [{ data: { rows: rowsOf(f, q).map(([key, count]) => ({ key, count })), totals: { count: sum(rowsOf(f, q)) } } }] }) },
    right: {
      'made old': [['const { rows = [], totals } = await res.json()', 'let b = await res.json()\n  if (b.reports) b = { rows: b.reports[0].data.rows.map((x) => [x.key, x.count]), totals: [b.reports[0].data.totals.count] }\n  const { rows = [], totals } = b']],
      'both': [['const { rows = [], totals } = await res.json()', 'const b = await res.json()\n  const { rows = [], totals } = b.reports ? b.reports[0].data : b'], ['rows.map(([name, visitors]) => ({ name, visitors }))', 'rows.map((r) => ({ name: r.key ?? r[0], visitors: r.count ?? r[1] }))'], ['total: totals[0]', 'total: totals.count ?? totals[0]']],
      'a class': [['async function ask', 'class Report {\n  constructor(body) { this.body = body }\n  get data() { return this.body.reports ? this.body.reports[0].data : this.body }\n  get rows() { return (this.data.rows ?? []).map((r) => (Array.isArray(r) ? { name: r[0], visitors: r[1] } : { name: r.key, visitors: r.count })) }\n  get total() { const t = this.data.totals; return Array.isArray(t) ? t[0] : t.count }\n}\n\nasync function ask'], ['const { rows = [], totals } = await res.json()', 'const report = new Report(await res.json())'], ['return { rows: rows.map(([name, visitors]) => ({ name, visitors })), total: totals[0] }', 'return { rows: report.rows, total: report.total }']],
    },
    wrong: {
      'nothing': [['total: totals[0]', 'total: totals?.[0] ?? 0']],
      'the sum of the rows shown': [['const { rows = [], totals } = await res.json()', 'const b = await res.json()\n  const rows = b.rows ?? b.reports?.[0].data.rows.map((x) => [x.key, x.count]) ?? []\n  const totals = b.totals ?? [rows.length]']],
      'total of the first row': [['const { rows = [], totals } = await res.json()', 'const b = await res.json()\n  const rows = b.rows ?? b.reports?.[0].data.rows.map((x) => [x.key, x.count]) ?? []\n  const totals = b.totals ?? [rows[0]?.[1] ?? 0]']],
    },
  }, {
    name: 'columns-swapped',
    happened: 'a third column, sessions, stands between the name and the visitors',
    tells: ['rows'],
    api: { [route]: (f, q) => ({ ...(rowsOf(f, q).length ? { rows: rowsOf(f, q).map(([n, v]) => [n, v + 7 + (v % 13), v]) } : {}), columns: [q.body.dimension, 'sessions', 'visitors'], totals: [sum(rowsOf(f, q)) + 40, sum(rowsOf(f, q))] }) },
    right: {
      'by the columns': [['const { rows = [], totals } = await res.json()', "const { rows = [], totals, columns = [dimension, 'visitors'] } = await res.json()\n  const at = columns.indexOf('visitors')"], ['rows.map(([name, visitors]) => ({ name, visitors }))', 'rows.map((r) => ({ name: r[0], visitors: r[at] }))'], ['total: totals[0]', 'total: totals[at - 1]']],
      'the last': [['rows.map(([name, visitors]) => ({ name, visitors }))', 'rows.map((r) => ({ name: r[0], visitors: r[r.length - 1] }))'], ['total: totals[0]', 'total: totals[totals.length - 1]']],
      "made old": [['const { rows = [], totals } = await res.json()', "const body = await res.json()\n  if (body.columns) {\n    body.rows = (body.rows || []).map(([n, , v]) => [n, v])\n    body.totals = [body.totals[1]]\n  }\n  const { rows = [], totals } = body"]],
    },
    wrong: {
      'only the rows': [['rows.map(([name, visitors]) => ({ name, visitors }))', 'rows.map((r) => ({ name: r[0], visitors: r[r.length - 1] }))']],
      'the greater': [['rows.map(([name, visitors]) => ({ name, visitors }))', 'rows.map((r) => ({ name: r[0], visitors: Math.max(...r.slice(1)) }))'], ['total: totals[0]', 'total: Math.max(...totals)']],
      'only the total': [['total: totals[0]', 'total: totals[totals.length - 1]']],
    },
  }],
};
