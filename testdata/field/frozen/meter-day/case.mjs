const F = 'GET https://grid.example/v3/facilities', S = 'GET https://grid.example/v3/facilities/:id/spot';
const place = (p) => ({ id: p.id, street: p.street, ...(p.active === undefined ? {} : { active: p.active }) });
const start = (f) => Date.parse(f.day + 'T00:00:00+01:00') / 1000;
const local = (f, i) => `${f.day} ${String(i).padStart(2, '0')}:00`;
const hours = (f, q) => f.places.find((p) => p.id === Number(q.params.id)).hours;
const keyed = (f, q, shape) => Object.fromEntries(hours(f, q).map((h, i) => [String(start(f) + i * 3600), shape(h, i)]));
const old = (f) => (h, i) => ({ localtime: local(f, i), price: h.price, ...(h.usage === null ? {} : { usage: h.usage }) });
const spread = [[0, 0, 0, 0], [1500, -700, -400, -400], [-2000, 1000, 800, 200]];
export default {
  source: 'https://github.com/linsvensson/sensor.greenely/issues/62 (opened): prices of an hour gained quarters_prices with four members beside or in place of price; lists in place of an object by time, and other units, are from memory of such services',
  says: 'Write down what power we used and what it cost',
  facts: (day, r) => ({
    day: `2026-01-${String(day % 31 + 1).padStart(2, '0')}`,
    places: [{ id: 1, street: 'Storgatan 5' }, { id: 2, street: 'Ängsvägen “B”' }].slice(0, r.int(1, 2)).map((p) => ({ ...p, active: r.pick([undefined, undefined, true, false]), hours: r.many(day === 9 ? 0 : 3, 8, () => ({ price: r.chance(0.1) ? null : r.int(10000, 160000), usage: r.chance(0.15) ? null : r.int(0, 600) / 100 })) })),
  }),
  input: (f) => ({ day: f.day }),
  api: { [F]: (f) => f.places.map(place), [S]: (f, q) => ({ data: keyed(f, q, old(f)), meta: { unit: 'öre', vat: true } }) },
  changes: [{
    name: 'quarters',
    happened: 'an hour has quarters_prices with quarter1 to quarter4 in place of price, which are null where there is none, and whose mean is the price',
    tells: [['quarter', 'price']],
    api: { [S]: (f, q) => ({ data: keyed(f, q, (h, i) => { const { price, ...o } = old(f)(h, i); return { ...o, quarters_prices: Object.fromEntries(spread[i % 3].map((by, n) => [`quarter${n + 1}`, price === null ? null : price + by])) }; }), meta: { unit: 'öre' } }) },
    right: {
      'preprocessed': [['const Hour = z.object({ localtime: z.string(), price: z.number().nullable(), usage: z.coerce.number().default(0) });', "const mean = (h: any) => {\n  if (!h.quarters_prices) return h;\n  const q = Object.values(h.quarters_prices) as (number | null)[];\n  return { ...h, price: q.includes(null) ? null : (q as number[]).reduce((a, b) => a + b, 0) / q.length };\n};\nconst Hour = z.preprocess(mean, z.object({ localtime: z.string(), price: z.number().nullable(), usage: z.coerce.number().default(0) }));"]],
      'optional, then made': [['price: z.number().nullable(), usage', 'price: z.number().nullable().optional(), quarters_prices: z.record(z.string(), z.number().nullable()).optional(), usage'], ['.map(([, h]) => h);', ".map(([, h]): any => {\n      if (h.price !== undefined) return h;\n      const quarters = ['quarter1', 'quarter2', 'quarter3', 'quarter4'].map((q) => h.quarters_prices?.[q] ?? null);\n      let sum = 0;\n      for (const p of quarters) {\n        if (p === null) return { ...h, price: null };\n        sum += p;\n      }\n      return { ...h, price: sum / 4 };\n    });"]],
      'before the schema': [['return schema.parse(await res.json());', "const body = await res.json();\n  for (const hour of Object.values<any>(body.data ?? {})) {\n    if (!hour.quarters_prices) continue;\n    const { quarter1: a, quarter2: b, quarter3: c, quarter4: d } = hour.quarters_prices;\n    hour.price = a === null ? null : (a + b + c + d) / 4;\n  }\n  return schema.parse(body);"]],
    },
    wrong: {
      'no prices': [['price: z.number().nullable(),', 'price: z.number().nullable().default(null),']],
      'the first quarter': [['return schema.parse(await res.json());', "const body = await res.json();\n  for (const hour of Object.values<any>(body.data ?? {})) if (hour.quarters_prices) hour.price = hour.quarters_prices.quarter1;\n  return schema.parse(body);"]],
      'the sum': [['return schema.parse(await res.json());', "const body = await res.json();\n  for (const hour of Object.values<any>(body.data ?? {})) if (hour.quarters_prices) hour.price = hour.quarters_prices.quarter1 === null ? null : Object.values<number>(hour.quarters_prices).reduce((a, b) => a + b);\n  return schema.parse(body);"]],
      'none is zero': [['return schema.parse(await res.json());', "const body = await res.json();\n  for (const hour of Object.values<any>(body.data ?? {})) if (hour.quarters_prices) hour.price = Object.values<number>(hour.quarters_prices).reduce((a, b) => a + b, 0) / 4;\n  return schema.parse(body);"]],
    },
  }, {
    name: 'list-in-kronor',
    happened: 'data is a list with at as an ISO text in UTC and values as consumption and price, in kronor as the unit says, and what is not known is absent',
    tells: [['data', 'list', 'array', 'record'], ['unit', 'price', 'consumption', 'usage', 'data']],
    api: { [S]: (f, q) => ({ data: hours(f, q).map((h, i) => ({ at: new Date((start(f) + i * 3600) * 1000).toISOString(), values: { ...(h.price === null ? {} : { price: h.price / 100000 }), ...(h.usage === null ? {} : { consumption: h.usage }) } })), meta: { unit: 'kronor' } }) },
    right: {
      'made old': [['return schema.parse(await res.json());', "const body = await res.json();\n  if (Array.isArray(body.data)) {\n    const local = (at: string) => new Date(Date.parse(at) + 3600000).toISOString().slice(0, 16).replace('T', ' ');\n    body.data = Object.fromEntries(body.data.map((h: any) => [String(Date.parse(h.at)), { localtime: local(h.at), price: h.values.price === undefined ? null : Math.round(h.values.price * 100000), usage: h.values.consumption }]));\n    body.meta.unit = 'öre';\n  }\n  return schema.parse(body);"]],
      'a second schema': [['type Hour = z.infer', "const Kronor = z.object({\n  data: z.array(z.object({ at: z.string(), values: z.object({ price: z.number().optional(), consumption: z.number().default(0) }) })),\n  meta: z.object({ unit: z.literal('kronor') }),\n}).transform(({ data }) => ({\n  data: Object.fromEntries(data.map(({ at, values }, i) => [String(i), { localtime: localTime(Date.parse(at), 'Europe/Stockholm').date + ' ' + String(localTime(Date.parse(at), 'Europe/Stockholm').hour).padStart(2, '0') + ':00', price: values.price === undefined ? null : Number((values.price * 1e5).toFixed(0)), usage: values.consumption }])),\n}));\ntype Hour = z.infer"], ['?day=${day}`, Spot)', '?day=${day}`, z.union([Spot, Kronor]))']],
      'preprocessed': [["const Spot = z.object({ data: z.record(z.string(), Hour), meta: z.object({ unit: z.literal('öre'), vat: z.boolean().optional() }) });", "const toOere = (body: any) => {\n  if (body.meta.unit !== 'kronor') return body;\n  const data: Record<string, unknown> = {};\n  for (const { at, values: { price, consumption } } of body.data) {\n    const t = new Date(at);\n    data[t.getTime()] = { localtime: `${new Date(t.getTime() + 36e5).toISOString().slice(0, 10)} ${String((t.getUTCHours() + 1) % 24).padStart(2, '0')}:00`, price: typeof price === 'number' ? Math.round(price * 1e5) : null, usage: consumption ?? 0 };\n  }\n  return { data, meta: { unit: 'öre' } };\n};\nconst Spot = z.preprocess(toOere, z.object({ data: z.record(z.string(), Hour), meta: z.object({ unit: z.literal('öre'), vat: z.boolean().optional() }) }));"]],
    },
    wrong: {
      'kronor as thousandths': [['return schema.parse(await res.json());', "const body = await res.json();\n  if (Array.isArray(body.data)) {\n    body.data = Object.fromEntries(body.data.map((h: any) => [String(Date.parse(h.at)), { localtime: new Date(Date.parse(h.at) + 3600000).toISOString(), price: h.values.price ?? null, usage: h.values.consumption }]));\n    body.meta.unit = 'öre';\n  }\n  return schema.parse(body);"]],
      'hours of UTC': [['return schema.parse(await res.json());', "const body = await res.json();\n  if (Array.isArray(body.data)) {\n    body.data = Object.fromEntries(body.data.map((h: any) => [String(Date.parse(h.at)), { localtime: h.at, price: h.values.price === undefined ? null : Math.round(h.values.price * 100000), usage: h.values.consumption }]));\n    body.meta.unit = 'öre';\n  }\n  return schema.parse(body);"]],
      'nothing was used': [['return schema.parse(await res.json());', "const body = await res.json();\n  if (Array.isArray(body.data)) {\n    body.data = Object.fromEntries(body.data.map((h: any) => [String(Date.parse(h.at)), { localtime: new Date(Date.parse(h.at) + 3600000).toISOString(), price: h.values.price === undefined ? null : Math.round(h.values.price * 100000) }]));\n    body.meta.unit = 'öre';\n  }\n  return schema.parse(body);"]],
      'no data': [['return schema.parse(await res.json());', "const body = await res.json();\n  if (Array.isArray(body.data)) Object.assign(body, { data: {}, meta: { unit: 'öre' } });\n  return schema.parse(body);"]],
    },
  }, {
    name: 'facilities-otherwise',
    happened: 'facilities are below facilities, ids are texts with a prefix, active became status ACTIVE or CLOSED, and street is below address',
    tells: [['facilities', 'id', 'street', 'address', 'status']],
    api: { [F]: (f) => ({ facilities: f.places.map((p) => ({ id: `fac_${p.id}`, status: p.active === false ? 'CLOSED' : 'ACTIVE', address: { street: p.street, city: 'Umeå' } })) }), [S]: (f, q) => ({ data: keyed(f, { params: { id: q.params.id.replace('fac_', '') } }, old(f)), meta: { unit: 'öre' } }) },
    right: {
      'made old': [["const facilities = await load('/facilities', z.array(Facility));", "const raw = await load('/facilities', z.any());\n  const facilities = z.array(Facility).parse(Array.isArray(raw) ? raw : raw.facilities.map((f: any) => ({ id: Number(f.id.replace('fac_', '')), street: f.address.street, active: f.status === 'ACTIVE' })));"]],
      'a union of schemas': [["z.array(Facility));", "z.union([z.array(Facility), Facilities]));"], ['async function load', "const Facilities = z.object({ facilities: z.array(z.object({ id: z.string(), status: z.enum(['ACTIVE', 'CLOSED']), address: z.object({ street: z.string() }) })) })\n  .transform(({ facilities }) => facilities.map(({ id, status, address }) => ({ id, street: address.street, active: status !== 'CLOSED' })));\n\nasync function load"]],
      'preprocessed': [['z.object({ id: z.number(), street: z.string(), active: z.boolean().default(true) });', "z.preprocess((f: any) => (f.address ? { ...f, street: f.address.street, active: f.status !== 'CLOSED' } : f), z.object({ id: z.union([z.number(), z.string()]), street: z.string(), active: z.boolean().default(true) }));"], ['z.array(Facility));', 'z.preprocess((body: any) => body.facilities ?? body, z.array(Facility)));']],
    },
    wrong: {
      'closed ones, too': [["const facilities = await load('/facilities', z.array(Facility));", "const raw = await load('/facilities', z.any());\n  const facilities = z.array(Facility).parse(Array.isArray(raw) ? raw : raw.facilities.map((f: any) => ({ id: Number(f.id.replace('fac_', '')), street: f.address.street })));"]],
      'none': [["const facilities = await load('/facilities', z.array(Facility));", "const facilities = await load('/facilities', z.array(Facility).catch([]));"]],
      'the first one': [["const facilities = await load('/facilities', z.array(Facility));", "const raw = await load('/facilities', z.any());\n  const facilities = z.array(Facility).parse(Array.isArray(raw) ? raw : raw.facilities.slice(0, 1).map((f: any) => ({ id: Number(f.id.replace('fac_', '')), street: f.address.street, active: f.status === 'ACTIVE' })));"]],
      'the city': [["const facilities = await load('/facilities', z.array(Facility));", "const raw = await load('/facilities', z.any());\n  const facilities = z.array(Facility).parse(Array.isArray(raw) ? raw : raw.facilities.map((f: any) => ({ id: Number(f.id.replace('fac_', '')), street: f.address.city, active: f.status === 'ACTIVE' })));"]],
    },
  }],
};
