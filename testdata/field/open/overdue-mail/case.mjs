const EXPORT = 'GET https://erp.example/exports/receivables.csv';
const csv = (head, row, cut = ',') => (f) => (f.rows.length ? { $type: 'text/csv; charset=utf-8', $body: [head, ...f.rows.map(row)].map((cells) => cells.map((c) => (/["\n]/.test(c) || String(c).includes(cut) ? `"${String(c).replaceAll('"', '""')}"` : c)).join(cut)).join('\r\n') + '\r\n' } : { $status: 204 });
const HEAD = ['customer_id', 'name', 'balance', 'status', 'due_date'];
const plain = (x) => [x.id, x.name, (x.cents / 100).toFixed(2), x.status, x.due];
const german = (cents) => { const [whole, rest] = (Math.abs(cents) / 100).toFixed(2).split('.'); return `${cents < 0 ? '-' : ''}${whole.replace(/\B(?=(\d{3})+$)/g, '.')},${rest}`; };
const AMOUNT = 'const amount = (record) => parseFloat(record.balance);';
const PARSE = "parse(text, { header: true });";
export default {
  source: 'https://github.com/freelawproject/juriscraper/issues/1526 and https://github.com/getodk/javarosa/issues/687: exports and tables of spreadsheets change names, decimal marks and order of columns from release to release',
  says: 'Mail finance the customers that are overdue.',
  facts: (day, r) => ({ rows: day === 6 ? [] : r.many(3, 8, (i) => ({ id: `C${1 + (day * 3 + i * 7) % 12}`, name: r.pick(['Ada Ltd', 'Bäcker & Co', 'Cy, SA', 'The "Old" Inn', '山田商店']), cents: r.chance(0.1) ? -r.int(100, 9000) : r.int(100, r.chance(0.4) ? 480000 : 90000), status: r.pick(['paid', 'open', 'overdue', 'overdue']), due: `2026-01-${String(r.int(1, 28)).padStart(2, '0')}` })).filter((x, i, all) => all.findIndex((y) => y.id === x.id) === i) }),
  api: { [EXPORT]: csv(HEAD, plain), 'POST https://mail.example/v3/mail/send': { $status: 202 } },
  changes: [{
    name: 'balance-due',
    happened: 'the column balance is balance_due, and a column credit_limit stands beside it',
    tells: ['balance', 'balance_due'],
    api: { [EXPORT]: csv(['customer_id', 'name', 'credit_limit', 'balance_due', 'status', 'due_date'], (x) => { const [id, name, ...rest] = plain(x); return [id, name, '5000.00', ...rest]; }) },
    right: {
      'by ??': [['parseFloat(record.balance)', 'parseFloat(record.balance ?? record.balance_due)']],
      'in the records': [[PARSE, "parse(text, { header: true }).map(({ balance_due, ...r }) => ({ balance: balance_due, ...r }));"]],
      'in the header': [[PARSE, "parse(text.replace(/^(.*)\\bbalance_due\\b/, '$1balance'), { header: true });"]],
    },
    wrong: {
      'zero': [['parseFloat(record.balance)', 'parseFloat(record.balance || 0)']],
      'the limit': [['parseFloat(record.balance)', 'parseFloat(record.balance ?? record.credit_limit)']],
      'all that are overdue': [['amount(r) > LIMIT', '!(amount(r) <= LIMIT)'], ['parseFloat(record.balance)', '(parseFloat(record.balance) || 0)']],
      'fails softly': [['    console.log(\'nothing is overdue\');', "    if (records.length && records[0].balance === undefined) await notify('No balances', 'The export has no balances.');"]],
    },
  }, {
    name: 'german',
    happened: 'semicolons between columns, decimal commas and dots between thousands, states in capitals',
    tells: ['balance', [',', 'comma']],
    api: { [EXPORT]: csv(HEAD, (x) => [x.id, x.name, german(x.cents), x.status.toUpperCase(), x.due], ';') },
    right: {
      'two small changes': [['parseFloat(record.balance)', "parseFloat(/,\\d\\d$/.test(record.balance) ? record.balance.replace(/\\./g, '').replace(',', '.') : record.balance)"], ["r.status === 'overdue'", "r.status.toLowerCase() === 'overdue'"]],
      'in the records': [[PARSE, "parse(text, { header: true }).map((r) => ({ ...r, status: r.status.toLowerCase(), balance: r.balance.includes(',') ? r.balance.split('.').join('').replace(',', '.') : r.balance }));"]],
      'by cents': [[AMOUNT, "const amount = (record) => Number(record.balance.replace(/[.,]/g, '')) / 100;"], ["r.status === 'overdue'", '/^overdue$/i.test(r.status)']],
    },
    wrong: {
      'only the comma': [['parseFloat(record.balance)', "parseFloat(record.balance.replace(',', '.'))"], ["r.status === 'overdue'", "r.status.toLowerCase() === 'overdue'"]],
      'only the state': [["r.status === 'overdue'", "r.status.toLowerCase() === 'overdue'"]],
      'only the amounts': [['parseFloat(record.balance)', "parseFloat(/,\\d\\d$/.test(record.balance) ? record.balance.replace(/\\./g, '').replace(',', '.') : record.balance)"]],
      'without commas': [['parseFloat(record.balance)', "parseFloat(record.balance.replace(/,/g, ''))"], ["r.status === 'overdue'", "r.status.toLowerCase() === 'overdue'"]],
    },
  }, {
    name: 'cents',
    happened: 'the amount is in cents in balance_minor, a row for each of currency and code of state: O is overdue, customer_id is id',
    tells: ['balance_minor', ['customer_id', 'status']],
    api: { [EXPORT]: csv(['id', 'name', 'balance_minor', 'currency', 'state', 'due_date'], (x) => [x.id, x.name, x.cents, 'EUR', { overdue: 'O', open: 'N', paid: 'P' }[x.status], x.due]) },
    right: {
      'in the records': [[PARSE, "parse(text, { header: true }).map((r) => ('balance_minor' in r ? { ...r, customer_id: r.id, balance: (r.balance_minor / 100).toFixed(2), status: r.state === 'O' ? 'overdue' : r.state } : r));"]],
      'at each place': [
        ['parseFloat(record.balance)', '(record.balance_minor === undefined ? parseFloat(record.balance) : parseInt(record.balance_minor, 10) / 100)'], ["r.status === 'overdue'", "(r.status === 'overdue' || r.state === 'O')"],
        ['times[r.customer_id]', 'times[r.customer_id ?? r.id]'], ['const { customer_id } of', 'const { id, customer_id = id } of'], ['(a.customer_id < b.customer_id ? -1 : 1)', '((a.customer_id ?? a.id) < (b.customer_id ?? b.id) ? -1 : 1)'],
      ],
      'a class of record': [['async function download', "const STATES = { O: 'overdue', N: 'open', P: 'paid' };\nclass Row {\n  constructor(r) {\n    Object.assign(this, r);\n    this.customer_id ??= r.id;\n    this.status ??= STATES[r.state];\n    this.balance ??= String(Number(r.balance_minor) / 100);\n  }\n}\n\nasync function download"], [PARSE, 'parse(text, { header: true }).map((r) => new Row(r));']],
    },
    wrong: {
      'a hundred times': [[PARSE, "parse(text, { header: true }).map((r) => ('balance_minor' in r ? { ...r, customer_id: r.id, balance: r.balance_minor, status: r.state === 'O' ? 'overdue' : r.state } : r));"]],
      'all open ones': [[PARSE, "parse(text, { header: true }).map((r) => ('balance_minor' in r ? { ...r, customer_id: r.id, balance: (r.balance_minor / 100).toFixed(2), status: r.state === 'P' ? 'paid' : 'overdue' } : r));"]],
      'the name for the id': [[PARSE, "parse(text, { header: true }).map((r) => ('balance_minor' in r ? { ...r, customer_id: r.name, balance: (r.balance_minor / 100).toFixed(2), status: r.state === 'O' ? 'overdue' : r.state } : r));"]],
      'nothing is overdue': [['amount(r) > LIMIT', 'amount(r) > LIMIT && r.customer_id'], ["r.status === 'overdue'", "(r.status ?? r.state) === 'overdue'"]],
    },
  }],
};
