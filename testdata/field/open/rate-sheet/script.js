const { Decimal } = require('decimal.js');

const SOURCES = ['USD', 'GBP', 'JPY'];

function convert(rates, { amount, currency }) {
  if (currency === 'EUR') return new Decimal(amount);
  const rate = rates[currency];
  if (!rate) throw new Error('no rate for ' + currency);
  return new Decimal(amount).div(rate).toDecimalPlaces(2);
}

async function load(path) {
  const res = await web.fetch('https://finance.example' + path, { headers: { accept: 'application/json' } });
  if (res.status !== 200) throw new Error(path + ': ' + res.status);
  return JSON.parse(res.body);
}

module.exports = {
  async handler({ date }) {
    const { rates } = await load(`/latest?base=EUR&symbols=${SOURCES.join()}&date=${date}`);
    const { expenses } = await load('/expenses?date=' + date);
    const perPerson = {};
    expenses.forEach((e) => {
      const person = e.employee.email.toLowerCase();
      perPerson[person] = (perPerson[person] || new Decimal(0)).plus(convert(rates, e));
    });
    const rows = Object.keys(perPerson).sort().map((p) => [p, perPerson[p].toFixed(2)]);
    if (rows.length) await web.postJSON('https://payroll.example/batches', { date, rows }, { method: 'PUT' });
    return { people: rows.length, total: rows.reduce((t, r) => t.plus(r[1]), new Decimal(0)).toFixed(2) };
  },
};
