const rates = 'GET https://finance.example/latest', list = 'GET https://finance.example/expenses';
const expense = (e) => ({ id: e.id, amount: e.amount, currency: e.currency, employee: { id: e.person.length, email: e.person } });
const all = (make) => (f) => ({ expenses: f.expenses.map(make) });
export default {
  source: 'https://github.com/fawazahmed0/exchange-api/blob/main/MIGRATION.md and https://exchangerate.host: the base moved, rates became quotes by pair of currencies, codes became lower case',
  says: 'Give payroll what each person is owed in euros.',
  facts: (day, r) => ({ date: `2026-03-${String(day % 28 + 1).padStart(2, '0')}`, rates: { USD: r.int(10500, 12000) / 10000, GBP: r.int(8200, 8900) / 10000, JPY: r.int(15000, 17500) / 100 }, expenses: r.many(day === 9 ? 0 : 1, 6, (i) => ({ id: day * 10 + i, amount: `${r.int(1, 900)}.${r.int(10, 99)}`, currency: r.pick(['EUR', 'USD', 'GBP', 'JPY']), person: r.pick(['Ann@x.example', 'bo@x.example', 'çem@x.example']) })) }),
  input: (f) => ({ date: f.date }),
  api: { [rates]: (f) => ({ base: 'EUR', date: f.date, rates: f.rates }), [list]: all(expense), 'PUT https://payroll.example/batches': { state: 'taken' } },
  changes: [{
    name: 'quotes',
    happened: 'rates is quotes, with keys of both currencies (EURUSD)',
    tells: ['rates', 'quotes'],
    api: { [rates]: (f) => ({ source: 'EUR', quotes: Object.fromEntries(Object.entries(f.rates).map(([k, v]) => [`EUR${k}`, v])) }) },
    right: {
      'keys cut': [['const { rates } = await load', 'const { quotes, rates = Object.fromEntries(Object.entries(quotes).map(([k, v]) => [k.slice(3), v])) } = await load']],
      'keys made': [['const { rates } = await load', 'const { rates, quotes } = await load'], ['convert(rates, e)', 'convert(rates || quotes, e)'], ['rates[currency]', "(rates[currency] ?? rates['EUR' + currency])"]],
      'in load': [['return JSON.parse(res.body);', "const body = JSON.parse(res.body);\n  if (body.quotes) {\n    body.rates = {};\n    for (const pair of Object.keys(body.quotes)) body.rates[pair.replace(/^EUR/, '')] = body.quotes[pair];\n  }\n  return body;"]],
    },
    wrong: {
      'one for missing': [['const { rates }', 'const { rates = {} }'], ['const rate = rates[currency];', 'const rate = rates[currency] || 1;']],
      'skips': [['    expenses.forEach((e) => {', '    expenses.forEach((e) => {\n      if (!rates?.[e.currency] && e.currency !== "EUR") return;']],
      'the first rate': [['const { rates }', 'const { quotes, rates = quotes }'], ['rates[currency]', '(rates[currency] ?? Object.values(rates)[0])']],
    },
  }, {
    name: 'v2',
    happened: 'codes in lower case everywhere, rates by the base (eur), a list results of expenses with value as a number of cents and user_email',
    tells: ['rates', 'expenses'],
    api: { [rates]: (f) => ({ date: f.date, eur: Object.fromEntries(Object.entries(f.rates).map(([k, v]) => [k.toLowerCase(), v])) }), [list]: (f) => ({ results: f.expenses.map((e) => ({ id: `ex_${e.id}`, value: Math.round(e.amount * 100), currency: e.currency.toLowerCase(), user_email: e.person })) }) },
    right: {
      'both read apart': [
        ['const { rates } = await load', 'const { eur, rates = Object.fromEntries(Object.entries(eur).map(([k, v]) => [k.toUpperCase(), v])) } = await load'],
        ['const { expenses } = await load', "const { results, expenses = results.map((r) => ({ amount: (r.value / 100).toFixed(2), currency: r.currency.toUpperCase(), employee: { email: r.user_email } })) } = await load"],
      ],
      'in upper case inside': [
        ['function convert(rates, { amount, currency }) {', 'function convert(rates, { value, amount = new Decimal(value).div(100), currency: code }) {\n  const currency = code.toUpperCase();'], ['rates[currency]', '(rates[currency] ?? rates[code])'],
        ['const { rates } = await load', 'const { eur, rates = eur } = await load'], ['const { expenses } = await load', 'const { results, expenses = results } = await load'], ['e.employee.email', '(e.employee?.email ?? e.user_email)'],
      ],
      'in load': [['return JSON.parse(res.body);', "const b = JSON.parse(res.body);\n  if (b.eur) b.rates = { USD: b.eur.usd, GBP: b.eur.gbp, JPY: b.eur.jpy };\n  if (b.results) b.expenses = b.results.map((x) => ({ ...x, amount: x.value / 100, currency: x.currency.toUpperCase(), employee: { email: x.user_email } }));\n  return b;"]],
    },
    wrong: {
      'cents as euros': [['const { rates } = await load', 'const { eur, rates = Object.fromEntries(Object.entries(eur).map(([k, v]) => [k.toUpperCase(), v])) } = await load'], ['const { expenses } = await load', 'const { results, expenses = results.map((r) => ({ amount: r.value, currency: r.currency.toUpperCase(), employee: { email: r.user_email } })) } = await load']],
      'nothing': [['const { rates }', 'const { rates = {} }'], ['const { expenses }', 'const { expenses = [] }']],
      'all in euros': [['const { expenses } = await load', "const { results, expenses = results.map((r) => ({ amount: (r.value / 100).toFixed(2), currency: 'EUR', employee: { email: r.user_email } })) } = await load"]],
    },
  }, {
    name: 'employee-text',
    happened: 'employee is the address itself; what is booked back has a negative amount_refunded beside amount',
    tells: ['employee'],
    api: { [list]: all((e) => ({ ...expense(e), employee: e.person })) },
    right: {
      'by ??': [['e.employee.email', '(e.employee.email ?? e.employee)']],
      'typeof': [['e.employee.email.toLowerCase()', "(typeof e.employee === 'string' ? e.employee : e.employee.email).toLowerCase()"]],
      'normalised': [['    const perPerson', '    for (const e of expenses) if (!e.employee.email) e.employee = { email: e.employee };\n    const perPerson']],
    },
    wrong: {
      'empty': [['e.employee.email', "(e.employee.email ?? '')"]],
      'unknown': [['e.employee.email', "(e.employee.email || 'unknown@x.example')"]],
      'the id': [['e.employee.email', '(e.employee.email ?? String(e.id))']],
    },
  }],
};
