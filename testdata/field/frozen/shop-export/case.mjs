const O = 'GET https://shop.example/wp-json/wc/v1/orders', C = 'GET https://shop.example/wp-json/wc/v1/customers';
const line = (l) => ({ sku: l.sku, name: l.what, quantity: l.n, total: (l.cents / 100).toFixed(2), meta: [...(l.size ? [{ key: 'pa_size', label: 'Size', value: l.size }] : []), ...(l.gift ? [{ key: 'gift', label: 'Gift', value: 'yes' }] : [])] });
const order = (o) => ({ id: o.id, number: String(o.id), status: 'processing', currency: 'EUR', total: '1.00', date_created: o.at, customer_id: o.who, billing: { first_name: o.first, last_name: o.last, country: o.country }, line_items: o.lines.map(line) });
const customer = (c) => ({ id: c.id, role: 'customer', orders_count: c.n });
const cut = (all, q, shape) => { const n = Number(q.query.page), size = Number(q.query.per_page); return { $body: all.slice((n - 1) * size, n * size).map(shape), $headers: { 'X-WP-Total': String(all.length), 'X-WP-TotalPages': String(Math.ceil(all.length / size)) } }; };
const v2 = (o) => ({ ...order(o), line_items: o.lines.map((l) => { const { meta, ...i } = line(l); return { ...i, meta_data: meta.map((m, n) => ({ id: n, key: m.key, value: m.value, display_key: m.label })) }; }) });
export default {
  source: 'https://github.com/woocommerce/wc-api-php/issues/155, https://github.com/woocommerce/woocommerce/issues/14184 and https://github.com/woocommerce/woocommerce-rest-api/issues/276 (all opened): meta of a line became meta_data or an object by number, and headers with the count of pages were missing for some',
  says: 'Give the store room a file of the orders of the day',
  facts: (day, r) => ({
    day: `2026-12-${String(day + 1).padStart(2, '0')}`,
    customers: r.many(1, 5, (i) => ({ id: i + 1, n: r.pick([0, 1, 5]) })),
    orders: r.many(day === 4 ? 0 : 1, 5, (i) => ({ id: 5000 + day * 10 + i, at: `2026-12-${String(day + 1).padStart(2, '0')}T1${i}:00:00`, who: r.int(0, 5), first: r.pick(['Ada', 'Jürgen', '花子']), last: r.pick(['Groß, jr.', 'O“Hara', '']), country: r.pick(['DE', 'FR', 'JP']), lines: r.many(1, 3, () => ({ sku: r.pick(['A-1', 'B-2', '', null]), what: 'x', n: r.int(1, 4), cents: r.int(100, 9900), size: r.pick(['s', 'xl', null]), gift: r.chance(0.3) })) })),
  }),
  input: (f) => ({ day: f.day }),
  api: { [O]: (f, q) => cut(f.orders, q, order), [C]: (f, q) => cut(f.customers, q, customer), 'PUT https://storage.example/upload/:name': () => ({ $status: 201, $body: {} }) },
  changes: [{
    name: 'v2',
    happened: 'meta of a line is meta_data, and orders_count of a customer is gone: is_paying_customer and a list of orders say it',
    tells: [['meta', 'meta_data', 'orders_count', 'orders']],
    api: { [O]: (f, q) => cut(f.orders, q, v2), [C]: (f, q) => cut(f.customers, q, (c) => ({ id: c.id, role: 'customer', is_paying_customer: c.n > 0, orders: Array.from({ length: c.n }, (_, i) => i) })) },
    right: {
      'in place': [['item.meta.find((m)', '((item as any).meta_data ?? item.meta).find((m: Meta)'], ['known.orders_count > 1', '(known.orders_count ?? (known as any).orders.length) > 1']],
      'made old': [['  return [first, ...rest].flat()', "  return [first, ...rest].flat().map((one: any) => {\n    if (one.line_items) one.line_items = one.line_items.map(({ meta_data, meta = meta_data, ...l }: any) => ({ ...l, meta }))\n    if (one.orders) one.orders_count = one.orders.length\n    return one\n  })"]],
      'functions': [['known.orders_count > 1', 'times(known) > 1'], ["const size = (item: LineItem) => item.meta.find", "const times = (c: any): number => ('orders' in c ? c.orders.length : c.orders_count)\n\nconst metaOf = ({ meta, meta_data }: any): Meta[] => meta || meta_data\n\nconst size = (item: LineItem) => metaOf(item).find"]],
    },
    wrong: {
      'no sizes': [['item.meta.find', '(item.meta ?? []).find'], ['known.orders_count > 1', '(known.orders_count ?? (known as any).orders.length) > 1']],
      'all are new': [['item.meta.find((m)', '((item as any).meta_data ?? item.meta).find((m: Meta)']],
      'who pays is regular': [['item.meta.find((m)', '((item as any).meta_data ?? item.meta).find((m: Meta)'], ['known.orders_count > 1', '(known.orders_count > 1 || (known as any).is_paying_customer)']],
    },
  }, {
    name: 'meta-by-number',
    happened: 'meta is an object by number, or false where there is none, and totals have a thousands separator and a currency sign behind',
    tells: [['meta', 'object', 'total']],
    api: { [O]: (f, q) => cut(f.orders, q, (o) => ({ ...order(o), line_items: o.lines.map((l) => { const i = line(l); return { ...i, total: `${(l.cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })} €`, meta: i.meta.length ? Object.fromEntries(i.meta.map((m, n) => [String(n + 21), m])) : false }; }) })) },
    right: {
      'values': [['item.meta.find((m)', 'Object.values(item.meta || {}).find((m: any)'], ['Number(item.total).toFixed(2)', "Number(item.total.replace(/[^\\d.]/g, '')).toFixed(2)"]],
      'made old': [['for (const item of o.line_items) {', "for (const given of o.line_items) {\n      const item: LineItem = Array.isArray(given.meta) ? given : { ...given, meta: given.meta ? Object.values(given.meta) : [] }\n      item.total = item.total.replace(' €', '').replaceAll(',', '')"]],
      'by entries': [['item.meta.find((m) => m.key', 'Object.entries(item.meta || []).map(([, m]) => m as Meta).find((m) => m.key'], ['Number(item.total)', "parseFloat(item.total.split(',').join(''))"]],
    },
    wrong: {
      'no sizes': [['item.meta.find', '(Array.isArray(item.meta) ? item.meta : []).find'], ['Number(item.total)', "parseFloat(item.total.split(',').join(''))"]],
      'no amounts': [['item.meta.find((m)', 'Object.values(item.meta || {}).find((m: any)'], ['Number(item.total)', '(Number(item.total) || 0)']],
      'the first meta': [['item.meta.find((m) => m.key === \'pa_size\')?.value.toUpperCase()', "(Array.isArray(item.meta) ? item.meta.find((m) => m.key === 'pa_size') : (Object.values(item.meta || {})[0] as Meta | undefined))?.value.toUpperCase()"], ['Number(item.total)', "parseFloat(item.total.split(',').join(''))"]],
    },
  }, {
    name: 'no-count-of-pages',
    happened: 'the header X-WP-TotalPages is gone and the total of orders is in X-Total-Count',
    tells: [['X-WP-TotalPages', 'header', 'page', 'X-Total-Count']],
    api: Object.fromEntries([[O, 'orders', order], [C, 'customers', customer]].map(([route, name, shape]) => [route, (f, q) => { const a = cut(f[name], q, shape); return { $body: a.$body, $headers: { 'X-Total-Count': String(f[name].length) } }; }])),
    right: {
      'from the count': [["Number(res.headers.get('X-WP-TotalPages'))", "Number(res.headers.get('X-WP-TotalPages') ?? Math.ceil(Number(res.headers.get('X-Total-Count')) / 2))"]],
      'until a page is not full': [["Number(res.headers.get('X-WP-TotalPages'))", "Number(res.headers.get('X-WP-TotalPages') ?? Infinity)"], ['rest.push((await load(page))[0])', '{\n    const [list] = rest.length === 0 && first.length < 2 ? [[] as T[]] : await load(page)\n    rest.push(list)\n    if (list.length < 2) break\n  }']],
      'a loop by number': [["  const [first, total] = await load(1)\n  const rest: T[][] = []\n  for (let page = 2; page <= total; page++) rest.push((await load(page))[0])\n  return [first, ...rest].flat()", "  const all: T[] = []\n  for (let page = 1; ; page++) {\n    const [list] = await load(page)\n    all.push(...list)\n    if (list.length < 2) return all\n  }"]],
    },
    wrong: {
      'the first page': [["Number(res.headers.get('X-WP-TotalPages'))", "Number(res.headers.get('X-WP-TotalPages') ?? 1)"]],
      'rounded down': [["Number(res.headers.get('X-WP-TotalPages'))", "Number(res.headers.get('X-WP-TotalPages') ?? Math.floor(Number(res.headers.get('X-Total-Count')) / 2))"]],
      'two pages': [["Number(res.headers.get('X-WP-TotalPages'))", "Number(res.headers.get('X-WP-TotalPages') ?? 2)"]],
    },
  }],
};
