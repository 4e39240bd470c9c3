const QUOTES = 'GET https://coins.example/v1/cryptocurrency/quotes/latest', WALLET = 'GET https://wallet.example/api/balances';
const one = (c) => ({ id: c.id, name: c.name, symbol: c.symbol, quote: { EUR: { price: c.price / 10000, volume_24h: 1, percent_change_24h: c.change === null ? null : c.change / 100 } } });
const asked = (f, q) => q.query.symbol.split(',').map((s) => f.coins.find((c) => c.symbol === s));
const ok = { error_code: 0, error_message: null, credit_count: 1 };
const twin = (c) => ({ ...one({ ...c, id: c.id + 9000, name: `${c.name} Bridged`, price: 7, change: 99900 }), is_active: 0 });
const listed = (c) => (c.symbol === 'ETH' ? [{ ...one(c), is_active: 1 }, twin(c)] : [{ ...one(c), is_active: 1 }]);
const balance = (b) => ({ asset: b.asset, free: b.free, ...(b.locked ? { locked: b.locked } : {}) });
const PARSE = 'return symbols.map((symbol) => Quote.parse(data[symbol]));';
export default {
  source: 'https://pro.coinmarketcap.com/api/documentation/guides/get-latest-crypto-prices: version 3 of the quotes has data as an array of assets; symbols are not unique, so that version 2 had a list for each symbol',
  says: 'Note what the wallet is worth, and tell me when coins move.',
  facts: (day, r) => ({
    coins: [['BTC', 'Bitcoin', 1, 900000000], ['ETH', 'Ethereum', 1027, 30000000], ['ADA', 'Cardano', 2010, 7000], ['SHIB', 'Shiba', 5994, 1]].map(([symbol, name, id, base]) => ({ symbol, name, id, price: Math.max(1, Math.round(base * r.int(80, 120) / 100)), change: r.chance(0.1) ? null : r.int(-1400, 1400) })),
    balances: day === 7 ? [] : r.many(1, 5, () => ({ asset: r.pick(['BTC', 'ETH', 'ADA', 'SHIB']), free: r.pick(['0', '0.00012', `${r.int(1, 40)}.5`, '1000000']), locked: r.pick([null, null, '0.1']) })),
  }),
  api: { [QUOTES]: (f, q) => ({ status: ok, data: Object.fromEntries(asked(f, q).map((c) => [c.symbol, one(c)])) }), [WALLET]: (f) => ({ account: 'spot', balances: f.balances.map(balance) }) },
  changes: [{
    name: 'lists',
    happened: 'data has a list for each symbol, the active asset first',
    tells: ['data', ['list', 'array', 'symbol']],
    api: { [QUOTES]: (f, q) => ({ status: ok, data: Object.fromEntries(asked(f, q).map((c) => [c.symbol, listed(c)])) }) },
    right: {
      'the first of a list': [['Quote.parse(data[symbol])', 'Quote.parse(Array.isArray(data[symbol]) ? data[symbol][0] : data[symbol])']],
      'the active one': [['Quote.parse(data[symbol])', 'Quote.parse([data[symbol]].flat().find((c) => c.is_active !== 0))']],
      'by the schema': [['const Answer =', 'const OneOrMore = z.union([Quote, z.array(Quote).transform((list) => list[0])]);\nconst Answer ='], ['Quote.parse(data[symbol])', 'OneOrMore.parse(data[symbol])']],
    },
    wrong: {
      'the last': [['Quote.parse(data[symbol])', 'Quote.parse([data[symbol]].flat().at(-1))']],
      'none': [[PARSE, 'return symbols.flatMap((symbol) => { const parsed = Quote.safeParse(data[symbol]); return parsed.success ? [parsed.data] : []; });']],
      'all of them': [[PARSE, 'return symbols.flatMap((symbol) => [data[symbol]].flat().map((c) => Quote.parse(c)));']],
    },
  }, {
    name: 'v3',
    happened: 'data is an array of assets in any order, quote is an array by currency in symbol, price is a text',
    tells: ['data', ['quote', 'array']],
    api: { [QUOTES]: (f, q) => ({ status: ok, data: asked(f, q).reverse().flatMap(listed).map((c) => ({ ...c, quote: [{ symbol: 'USD', price: '1', percent_change_24h: 1 }, { symbol: 'EUR', price: String(c.quote.EUR.price), percent_change_24h: c.quote.EUR.percent_change_24h }] })) }) },
    right: {
      'made old': [['data: z.record(z.string(), z.any())', 'data: z.any()'], [PARSE, `if (Array.isArray(data)) {
    return symbols.map((symbol) => {
      const found = data.find((c) => c.symbol === symbol && c.is_active !== 0);
      const eur = found.quote.find((x) => x.symbol === 'EUR');
      return Quote.parse({ symbol, quote: { EUR: { ...eur, price: Number(eur.price) } } });
    });
  }
  ${PARSE}`]],
      'a map of the active': [['data: z.record(z.string(), z.any())', 'data: z.any()'], [PARSE, `const active = Array.isArray(data) ? Object.fromEntries(data.filter((c) => c.is_active).map(({ symbol, quote }) => [symbol, { symbol, quote: Object.fromEntries(quote.map((x) => [x.symbol, { ...x, price: +x.price }])) }])) : data;
  return symbols.map((symbol) => Quote.parse(active[symbol]));`]],
      'by the schema': [
        ['const Answer =', "const Listed = z.array(z.any()).transform((list) => list.filter((c) => c.is_active).reduce((all, c) => {\n  const { price, percent_change_24h } = c.quote.filter((x) => x.symbol === 'EUR')[0];\n  return { ...all, [c.symbol]: { symbol: c.symbol, quote: { EUR: { price: parseFloat(price), percent_change_24h } } } };\n}, {}));\nconst Answer ="],
        ['data: z.record(z.string(), z.any())', 'data: z.union([Listed, z.record(z.string(), z.any())])'],
      ],
    },
    wrong: {
      'the first currency': [['data: z.record(z.string(), z.any())', 'data: z.any()'], ['Quote.parse(data[symbol])', "Quote.parse(Array.isArray(data) ? { symbol, quote: { EUR: (({ price, percent_change_24h }) => ({ price: +price, percent_change_24h }))(data.find((c) => c.symbol === symbol && c.is_active).quote[0]) } } : data[symbol])"]],
      'in the order of data': [['data: z.record(z.string(), z.any())', 'data: z.any()'], [PARSE, `if (Array.isArray(data)) return data.filter((c) => c.is_active).map((c) => ({ symbol: c.symbol, quote: { EUR: { ...c.quote[1], price: +c.quote[1].price } } }));\n  ${PARSE}`]],
      'no quotes': [['data: z.record(z.string(), z.any())', 'data: z.any()'], [PARSE, 'return symbols.filter((symbol) => symbol in data).map((symbol) => Quote.parse(data[symbol]));']],
      'the last of a symbol': [['data: z.record(z.string(), z.any())', 'data: z.any()'], [PARSE, `const by = Array.isArray(data) ? Object.fromEntries(data.map((c) => [c.symbol, { symbol: c.symbol, quote: { EUR: { ...c.quote[1], price: +c.quote[1].price } } }])) : data;\n  return symbols.map((symbol) => Quote.parse(by[symbol]));`]],
    },
  }, {
    name: 'wallet-units',
    happened: 'the asset of a balance is in currency, with available and frozen as whole numbers of the smallest unit, and decimals beside them',
    tells: ['balances', ['available', 'decimals', 'free']],
    api: { [WALLET]: (f) => ({ account: 'spot', balances: f.balances.map((b) => { const units = (t) => (t === null ? '0' : String(Math.round(Number(t) * 1e8))); return { currency: { code: b.asset, decimals: 8 }, available: units(b.free), frozen: units(b.locked) }; }) }) },
    right: {
      'made old': [['const { balances } = await response.json();', `const got = await response.json();
  const balances = got.balances.map((b) => {
    if (!b.currency) return b;
    const coins = (units) => new Decimal(units).div(new Decimal(10).pow(b.currency.decimals)).toFixed();
    return { asset: b.currency.code, free: coins(b.available), locked: coins(b.frozen) };
  });`]],
      'in the patterns': [
        ['export default', "const whole = (units, { decimals }) => new Decimal(units).times(`1e-${decimals}`);\n\nexport default"], ['({ free, locked = \'0\' }) => !new', "({ available, frozen, free = available, locked = frozen ?? '0' }) => !new"], ['balances.map((b) => b.asset)', 'balances.map((b) => b.asset ?? b.currency.code)'],
        ['(b) => b.asset === symbol', '(b) => (b.asset ?? b.currency.code) === symbol'], ["(sum, { free, locked = '0' }) => sum.plus(free).plus(locked)", "(sum, { free, locked = '0', currency, available, frozen }) => (currency ? sum.plus(whole(available, currency)).plus(whole(frozen, currency)) : sum.plus(free).plus(locked))"],
      ],
      'by a schema': [['const { balances } = await response.json();', `const Units = z.object({ currency: z.object({ code: z.string(), decimals: z.number() }), available: z.string(), frozen: z.string() })
    .transform(({ currency: { code, decimals }, available, frozen }) => ({ asset: code, free: new Decimal(available).div(10 ** decimals), locked: new Decimal(frozen).div(10 ** decimals) }));
  const Balance = z.union([Units, z.object({ asset: z.string(), free: z.string(), locked: z.string().optional() })]);
  const balances = z.array(Balance).parse((await response.json()).balances);`]],
    },
    wrong: {
      'without the unit': [['const { balances } = await response.json();', 'const balances = (await response.json()).balances.map((b) => (b.currency ? { asset: b.currency.code, free: b.available, locked: b.frozen } : b));']],
      'only what is available': [['const { balances } = await response.json();', 'const balances = (await response.json()).balances.map((b) => (b.currency ? { asset: b.currency.code, free: new Decimal(b.available).div(1e8).toFixed() } : b));']],
      'an empty wallet': [['const { balances } = await response.json();', 'const balances = (await response.json()).balances.filter((b) => b.free !== undefined);']],
      'eighteen decimals': [['const { balances } = await response.json();', 'const balances = (await response.json()).balances.map((b) => (b.currency ? { asset: b.currency.code, free: new Decimal(b.available).div(1e18).toFixed(), locked: new Decimal(b.frozen).div(1e18).toFixed() } : b));']],
    },
  }],
};
