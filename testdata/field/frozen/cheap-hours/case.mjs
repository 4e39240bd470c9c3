const route = 'GET https://power.example/v1/marketdata';
const H = 3600000;
const hours = (f, q, shape) => ({ object: 'list', data: f.prices.flatMap((price, i) => shape(Number(q.query.start) + i * H, price, i)) });
const old = (at, price) => [{ start_timestamp: at, end_timestamp: at + H, marketprice: price, unit: 'Eur/MWh' }];
// The quarters of an hour have its price as their mean.
const spread = [[0, 0, 0, 0], [12, -12, 8, -8], [-20, 20, 4, -4]];
const quarters = (at, price, i) => spread[i % 3].map((by, n) => ({ start_timestamp: at + n * H / 4, end_timestamp: at + (n + 1) * H / 4, marketprice: price + by, unit: 'Eur/MWh' }));
const mean = "const byHour = new Map();\n  for (const q of data) {\n    const hour = Math.floor(q.start_timestamp / 3600000) * 3600000;\n    byHour.set(hour, [...(byHour.get(hour) ?? []), q.marketprice]);\n  }\n  return [...byHour].map(([start, list]) => ({ at: DateTime.fromMillis(start, { zone: ZONE }), cents: list.reduce((a, b) => a + b, 0) / list.length / 10 }));";
const body = "return data.map(({ start_timestamp: start, marketprice: price, unit }) => {\n    if (unit !== 'Eur/MWh') throw new Error('unexpected unit ' + unit);\n    return { at: DateTime.fromMillis(start, { zone: ZONE }), cents: price / 10 };\n  });";
export default {
  source: 'https://github.com/kipe/nordpool/issues/63 and https://github.com/rnovacek/homeassistant_cz_energy_spot_prices/issues/121 (both opened): the market went from prices by the hour to prices by the quarter of an hour; other units and texts for times (from memory)',
  says: 'Charge the car in the cheapest three hours of tomorrow',
  zone: 'Europe/Berlin',
  facts: (day, r) => ({ slot: `2026-03-${String(day + 1).padStart(2, '0')}T12:05:00Z`, prices: day === 7 ? [] : Array.from({ length: 24 }, () => r.int(-10, 90) * 2 + (r.chance(0.3) ? 100 : 0)) }),
  input: (f) => ({ slot: f.slot }),
  api: { [route]: (f, q) => hours(f, q, old), 'PUT https://plug.example/api/schedule/:name': () => ({ ok: true }) },
  changes: [{
    name: 'quarters',
    happened: 'there is a price for each quarter of an hour, 96 a day; the mean of the four is the price of an hour',
    tells: [['quarter', '15', 'hour', '96']],
    api: { [route]: (f, q) => hours(f, q, quarters) },
    right: {
      'mean by the hour': [[body, mean]],
      'four at a time': [["return data.map(({ start_timestamp: start, marketprice: price, unit }) => {", "const step = data.length > 25 ? 4 : 1;\n  const whole = [];\n  for (let i = 0; i < data.length; i += step) {\n    const part = data.slice(i, i + step);\n    whole.push({ ...part[0], marketprice: part.reduce((n, p) => n + p.marketprice, 0) / step });\n  }\n  return whole.map(({ start_timestamp: start, marketprice: price, unit }) => {"]],
      'by the length of a part': [['const { data } = await response.json();', "const body = await response.json();\n  const data = body.data.reduce((list, one) => {\n    const last = list[list.length - 1];\n    if (last && last.end_timestamp - last.start_timestamp < 3600000) {\n      last.end_timestamp = one.end_timestamp;\n      last.marketprice += one.marketprice / 4;\n    } else list.push(one.end_timestamp - one.start_timestamp < 3600000 ? { ...one, marketprice: one.marketprice / 4 } : one);\n    return list;\n  }, []);"]],
    },
    wrong: {
      'the first quarter': [[body, body.replace('return data.map', 'return data.filter((d) => d.start_timestamp % 3600000 === 0).map')]],
      'twelve quarters': [['const NEEDED = 3;', 'let NEEDED = 3;'], ['  if (hours.length < NEEDED) {', '  if (hours.length > 25) NEEDED = 12;\n  if (hours.length < NEEDED) {']],
      'the cheapest quarter': [[body, mean.replace('list.reduce((a, b) => a + b, 0) / list.length / 10', 'Math.min(...list) / 10')]],
      'the first day part': [[body, body.replace('return data.map', 'return data.slice(0, 24).map')]],
    },
  }, {
    name: 'iso-times-and-kilowatt-hours',
    happened: 'start is an ISO text with the offset of Berlin, the price is a text in Eur/kWh below price with a currency, and data is called prices',
    tells: [['data', 'prices', 'unit', 'price']],
    api: { [route]: (f, q) => ({ prices: hours(f, q, (at, p) => [{ start: new Date(at + H).toISOString().replace('.000Z', '+01:00'), price: { currency: 'EUR', unit: 'kWh', value: (p / 1000).toFixed(5) } }]).data }) },
    right: {
      'made old': [['const { data } = await response.json();', "const json = await response.json();\n  const data = json.data ?? json.prices.map(({ start, price }) => ({ start_timestamp: Date.parse(start), marketprice: Math.round(Number(price.value) * 1e5) / 100, unit: 'Eur/MWh' }));"]],
      'two branches': [['const { data } = await response.json();', "const { data, prices: list } = await response.json();\n  if (list) {\n    return list.map((p) => {\n      if (p.price.unit !== 'kWh') throw new Error('unexpected unit ' + p.price.unit);\n      return { at: DateTime.fromISO(p.start, { zone: ZONE }), cents: parseFloat((p.price.value * 100).toFixed(3)) };\n    });\n  }"]],
      'a reader': [['/** Prices', "const reader = (p) => (p.start_timestamp ? p : { start_timestamp: new Date(p.start).getTime(), unit: 'Eur/MWh', marketprice: Number((parseFloat(p.price.value) * 1000).toFixed(2)) });\n\n/** Prices"], ['const { data } = await response.json();', 'const answer = await response.json();\n  const data = (answer.prices || answer.data).map(reader);']],
    },
    wrong: {
      'no prices': [['const { data } =', 'const { data = [] } =']],
      'kilowatt hours as if of megawatt hours': [['const { data } = await response.json();', "const json = await response.json();\n  const data = json.data ?? json.prices.map(({ start, price }) => ({ start_timestamp: Date.parse(start), marketprice: Number(price.value), unit: 'Eur/MWh' }));"]],
      'without the zone': [['const { data } = await response.json();', "const json = await response.json();\n  const data = json.data ?? json.prices.map(({ start, price }) => ({ start_timestamp: Date.parse(start.slice(0, 19) + 'Z'), marketprice: Math.round(Number(price.value) * 1e5) / 100, unit: 'Eur/MWh' }));"]],
      'euros for cents': [['const { data } = await response.json();', "const { data, prices: list } = await response.json();\n  if (list) return list.map((p) => ({ at: DateTime.fromISO(p.start, { zone: ZONE }), cents: Number(p.price.value) }));"]],
    },
  }, {
    name: 'seconds-and-series',
    happened: 'times are in seconds, and times and prices are two lists beside each other, with EUR / MWh once',
    tells: [['unix_seconds', 'seconds', 'data', 'price']],
    api: { [route]: (f, q) => ({ license_info: 'CC BY', unix_seconds: f.prices.map((_, i) => (Number(q.query.start) + i * H) / 1000), price: f.prices, unit: 'EUR / MWh' }) },
    right: {
      'zipped': [['const { data } = await response.json();', "const json = await response.json();\n  const data = json.data ?? json.unix_seconds.map((s, i) => ({ start_timestamp: s * 1000, marketprice: json.price[i], unit: json.unit === 'EUR / MWh' ? 'Eur/MWh' : json.unit }));"]],
      'early': [['const { data } = await response.json();', "const { data, unix_seconds: seconds, price: values } = await response.json();\n  if (seconds) return values.map((value, i) => ({ at: DateTime.fromSeconds(seconds[i]).setZone(ZONE), cents: value / 10 }));"]],
      'entries': [['const { data } = await response.json();', "let { data, ...series } = await response.json();\n  if (!data) {\n    data = [];\n    for (const [i, second] of series.unix_seconds.entries()) data.push({ start_timestamp: 1000 * second, marketprice: series.price.at(i), unit: series.unit.replace('EUR / ', 'Eur/') });\n  }"]],
    },
    wrong: {
      'seconds as milliseconds': [['const { data } = await response.json();', "const json = await response.json();\n  const data = json.data ?? json.unix_seconds.map((s, i) => ({ start_timestamp: s, marketprice: json.price[i], unit: 'Eur/MWh' }));"]],
      'the first price': [['const { data } = await response.json();', "const json = await response.json();\n  const data = json.data ?? json.unix_seconds.map((s) => ({ start_timestamp: s * 1000, marketprice: json.price[0], unit: 'Eur/MWh' }));"]],
      'no prices': [['const { data } = await response.json();', "const json = await response.json();\n  const data = Array.isArray(json.data) ? json.data : [];"]],
    },
  }],
};
