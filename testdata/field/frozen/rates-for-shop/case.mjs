const route = 'GET https://rates.example/latest';
const codes = ['USD', 'GBP', 'JPY', 'CHF', 'SEK'];
export default {
  source: 'https://currencyapi.com/docs and https://exchangeratesapi.io: rates by code became data with an object each; quotes with a prefix',
  says: 'Set prices in four currencies by the rates of the day',
  facts: (day, r) => ({
    date: `2026-05-${String(day + 1).padStart(2, '0')}`,
    rates: { USD: r.int(10500, 11500) / 10000, GBP: r.int(8300, 8800) / 10000, JPY: r.int(15500, 16500) / 100, CHF: r.int(9200, 9800) / 10000, SEK: r.int(110000, 115000) / 10000 },
    items: r.many(day === 6 ? 0 : 1, 6, (i) => ({ sku: `${r.pick(['TEE', 'Käse', '茶'])}-${i}`, price: r.int(100, 9000) / 100, stock: r.int(0, 9) })),
  }),
  api: {
    [route]: (f) => ({ base: 'EUR', date: f.date, rates: f.rates }),
    'GET https://shop.example/catalogue': (f) => ({ items: f.items }),
    'PUT https://shop.example/prices': () => ({ ok: true }),
  },
  changes: [{
    name: 'objects-by-code',
    happened: 'rates became data, each an object with code and value; date became meta.last_updated_at, a time',
    tells: [['rates', 'data'], ['value', 'code']],
    api: { [route]: (f) => ({ meta: { last_updated_at: f.date + 'T23:59:59Z' }, data: Object.fromEntries(codes.map((c) => [c, { code: c, value: f.rates[c] }])) }) },
    right: {
      'made old': [['  const table = rates.rates;', "  if (rates.data) {\n    rates.date = rates.meta.last_updated_at.slice(0, 10);\n    rates.rates = {};\n    for (const k of Object.keys(rates.data)) rates.rates[k] = rates.data[k].value;\n  }\n  const table = rates.rates;"]],
      'entries': [['const table = rates.rates;', 'const table = rates.rates || Object.fromEntries(Object.values(rates.data).map(({ code, value }) => [code, value]));\n  const date = rates.date || rates.meta.last_updated_at.split("T")[0];'], ['{ date: rates.date, lines }', '{ date, lines }'], ["'rates/' + rates.date", "'rates/' + date"]],
      'each place': [['const table = rates.rates;', 'const table = rates.rates ?? rates.data;\n  const at = (c) => table[c].value ?? table[c];\n  const day = (rates.date ?? rates.meta.last_updated_at).substring(0, 10);'], ['convert(item.price, table[code])', 'convert(item.price, at(code))'], ['[c]: table[c] }', '[c]: at(c) }'], ['date: rates.date, lines', 'date: day, lines'], ["'rates/' + rates.date", "'rates/' + day"]],
    },
    wrong: {
      'empty table': [['const table = rates.rates;', 'const table = rates.rates ?? {};']],
      'the time as the date': [['const table = rates.rates;', 'if (rates.data) rates.date = rates.meta.last_updated_at;\n  const table = rates.rates ?? Object.fromEntries(Object.entries(rates.data).map(([k, v]) => [k, v.value]));']],
      'one for missing': [['const table = rates.rates;', 'const table = rates.rates ?? rates.data;\n  rates.date = rates.date ?? rates.meta.last_updated_at.slice(0, 10);'], ['convert(item.price, table[code])', 'convert(item.price, Number(table[code]) || 1)'], ['[c]: table[c] }', '[c]: Number(table[c]) || 1 }']],
      'objects in the keys': [['const table = rates.rates;', 'const table = rates.rates ?? rates.data;\n  rates.date = rates.date ?? rates.meta.last_updated_at.slice(0, 10);'], ['convert(item.price, table[code])', 'convert(item.price, table[code].value ?? table[code])']],
    },
  }, {
    name: 'pairs',
    happened: 'rates became quotes, whose keys have the base before them (EURUSD)',
    tells: [['quotes', 'EURUSD', 'rates']],
    api: { [route]: (f) => ({ source: 'EUR', date: f.date, quotes: Object.fromEntries(codes.map((c) => ['EUR' + c, f.rates[c]])) }) },
    right: {
      'table of pairs': [['const table = rates.rates;', "const table = rates.rates ?? Object.fromEntries(Object.entries(rates.quotes).map(([pair, v]) => [pair.slice(3), v]));"]],
      'by source': [['const table = rates.rates;', 'let table = rates.rates;\n  if (!table) {\n    table = {};\n    for (const pair in rates.quotes) table[pair.replace(rates.source, "")] = rates.quotes[pair];\n  }']],
      'wanted only': [['const table = rates.rates;', "const table = rates.rates || WANTED.reduce((t, c) => ({ ...t, [c]: rates.quotes['EUR' + c] }), {});"]],
    },
    wrong: {
      'no pairs': [['const table = rates.rates;', 'const table = rates.rates ?? rates.quotes;']],
      'by position': [['const table = rates.rates;', 'const table = rates.rates ?? Object.fromEntries(WANTED.map((c, i) => [c, Object.values(rates.quotes)[WANTED.length - i]]));']],
      'upside down': [['const table = rates.rates;', 'const table = rates.rates ?? Object.fromEntries(Object.entries(rates.quotes).map(([p, v]) => [p.slice(3), 1 / v]));']],
    },
  }, {
    name: 'texts-and-list',
    happened: 'rates is a list of {currency, rate}, the rates are texts, items of the catalogue are below data and their price is in cents',
    tells: [['currency', 'rate'], ['items', 'data', 'price']],
    api: {
      [route]: (f) => ({ base: 'EUR', date: f.date, rates: codes.map((c) => ({ currency: c, rate: String(f.rates[c]) })) }),
      'GET https://shop.example/catalogue': (f) => ({ data: { items: f.items.map((i) => ({ sku: i.sku, price_cents: Math.round(i.price * 100), stock: i.stock })) } }),
    },
    right: {
      'both': [['const table = rates.rates;', 'const table = Array.isArray(rates.rates) ? Object.fromEntries(rates.rates.map((x) => [x.currency, Number(x.rate)])) : rates.rates;\n  const items = catalogue.items ?? catalogue.data.items.map((i) => ({ ...i, price: i.price_cents / 100 }));'], ['catalogue.items.map', 'items.map']],
      'after reading': [["fetch('https://rates.example/latest?base=EUR').then((r) => r.json()),", "fetch('https://rates.example/latest?base=EUR').then((r) => r.json()).then((b) => {\n      if (!Array.isArray(b.rates)) return b;\n      const byCode = {};\n      b.rates.forEach(({ currency, rate }) => { byCode[currency] = parseFloat(rate); });\n      return { ...b, rates: byCode };\n    }),"], ["fetch('https://shop.example/catalogue').then((r) => r.json()),", "fetch('https://shop.example/catalogue').then((r) => r.json()).then((b) => (b.items ? b : { items: b.data.items.map((i) => ({ sku: i.sku, price: i.price_cents / 100 })) })),"]],
      'in the loop': [['const table = rates.rates;', 'const table = new Proxy({}, { get: (_, c) => (Array.isArray(rates.rates) ? +rates.rates.find((x) => x.currency === c).rate : rates.rates[c]) });\n  const list = (catalogue.items || catalogue.data.items);'], ['catalogue.items.map', 'list.map'], ['convert(item.price, ', 'convert(item.price ?? item.price_cents / 100, ']],
    },
    wrong: {
      'no items': [['catalogue.items.map', '(catalogue.items ?? []).map'], ['const table = rates.rates;', 'const table = Array.isArray(rates.rates) ? Object.fromEntries(rates.rates.map((x) => [x.currency, Number(x.rate)])) : rates.rates;']],
      'cents as euros': [['catalogue.items.map', '(catalogue.items ?? catalogue.data.items).map'], ['const table = rates.rates;', 'const table = Array.isArray(rates.rates) ? Object.fromEntries(rates.rates.map((x) => [x.currency, Number(x.rate)])) : rates.rates;'], ['convert(item.price, ', 'convert(item.price ?? item.price_cents, ']],
      'rates stay texts': [['catalogue.items.map', '(catalogue.items ?? catalogue.data.items).map'], ['const table = rates.rates;', 'const table = Array.isArray(rates.rates) ? Object.fromEntries(rates.rates.map((x) => [x.currency, x.rate])) : rates.rates;'], ['convert(item.price, ', 'convert(item.price ?? item.price_cents / 100, ']],
    },
  }],
};
