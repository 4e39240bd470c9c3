const route = 'GET https://api.shop.example/v1/orders';
const order = (o) => ({ id: o.id, number: `A-${o.id}`, customer: { email: o.email, ...(o.name === undefined ? {} : { name: o.name }) }, total: { amount_cents: o.cents, currency: 'EUR' }, lines: o.lines, placed_at: `2026-03-01T0${o.id % 10}:00:00Z` });
const paged = (make) => (f, q) => ({ orders: f.orders.slice((q.query.page - 1) * 2, q.query.page * 2).map(make), has_more: f.orders.length > q.query.page * 2 });
const text = (cents) => (cents / 100).toFixed(2);
const v2 = (o) => ({ id: `ord_${o.id}`, reference: `A-${o.id}`, customer: { email_address: o.email, ...(o.name === undefined ? {} : { full_name: o.name }) }, total: { value: text(o.cents), currency: 'EUR' }, items: o.lines.map((l) => ({ sku: l.sku, quantity: l.qty })) });
export default {
  source: 'https://shopify.dev/docs/api/usage/pagination-rest and https://developer.squareup.com/docs/build-basics/working-with-monetary-amounts: pages gave way to cursors, amounts in minor units and as decimal texts',
  says: 'Export the orders of a day as CSV and tell the books their sum.',
  facts: (day, r) => ({ day: `2026-03-${String(day + 1).padStart(2, '0')}`, orders: r.many(day === 8 ? 0 : 1, 6, (i) => ({ id: day * 50 + i + 1, email: `${r.pick(['ann', 'bo', 'li'])}${i}@x.example`, name: r.pick(['Ann', 'Bö', null, undefined]), cents: r.int(99, 250000), lines: r.many(1, 3, (k) => ({ sku: `S${k}`, qty: r.int(1, 9) })) })) }),
  input: (f) => ({ day: f.day }),
  api: { [route]: paged(order), 'POST https://books.example/import': { accepted: true } },
  changes: [{
    name: 'decimal-amounts',
    happened: 'amount_cents is amount, a decimal text',
    tells: ['amount_cents', 'amount'],
    api: { [route]: paged((o) => ({ ...order(o), total: { amount: text(o.cents), currency: 'EUR' } })) },
    right: {
      'helper': [['const euro =', 'const centsOf = (m: any): number => m.amount_cents ?? Math.round(Number(m.amount) * 100);\nconst euro ='], ['m.amount_cents / 100', 'centsOf(m) / 100'], ['+= o.total.amount_cents', '+= centsOf(o.total)']],
      'in the generator': [['      yield* orders;', '      for (const o of orders as any[]) {\n        if (o.total.amount_cents === undefined) o.total.amount_cents = Math.round(parseFloat(o.total.amount) * 100);\n        yield o;\n      }']],
      'text to cents': [['    const { name', "    const t = o.total as any;\n    const inCents = t.amount ? Number(t.amount.replace('.', '')) : t.amount_cents;\n    const { name"], ['euro(o.total)', 'euro({ ...o.total, amount_cents: inCents })'], ['+= o.total.amount_cents', '+= inCents']],
    },
    wrong: {
      'without the unit': [['m.amount_cents', '(m.amount_cents ?? Number((m as any).amount))'], ['+= o.total.amount_cents', '+= o.total.amount_cents ?? Number((o.total as any).amount)']],
      'zero': [['m.amount_cents', '(m.amount_cents || 0)'], ['o.total.amount_cents;', 'o.total.amount_cents || 0;']],
      'half of it': [['m.amount_cents', '(m.amount_cents ?? Number((m as any).amount) * 100)'], ['o.total.amount_cents;', 'o.total.amount_cents || 0;']],
      'whole euros': [['m.amount_cents', '(m.amount_cents ?? parseInt((m as any).amount) * 100)'], ['o.total.amount_cents;', 'o.total.amount_cents ?? parseInt((o.total as any).amount) * 100;']],
    },
  }, {
    name: 'v2',
    happened: 'data and next_cursor for orders and has_more, reference for number, items with quantity for lines with qty, amounts as texts in value, full_name and email_address',
    tells: ['orders', 'data'],
    api: { [route]: (f, q) => { const from = +(q.query.cursor ?? 0); return { data: f.orders.slice(from, from + 2).map(v2), next_cursor: f.orders.length > from + 2 ? String(from + 2) : null }; } },
    right: {
      'adapter in the client': [
        ['private async page(n: number)', 'private async page(n: number, cursor: string | null = null)'], ['/orders?page=${n}`', "/orders?page=${n}${cursor ? `&cursor=${cursor}` : ''}`"],
        ['      const { orders, has_more } = await this.page(n);', `      const got: any = await this.page(n, next);
      const orders: any[] = got.orders ?? got.data.map((d: any) => ({ number: d.reference, customer: { email: d.customer.email_address, name: d.customer.full_name }, total: { amount_cents: Math.round(d.total.value * 100), currency: d.total.currency }, lines: d.items.map((i: any) => ({ sku: i.sku, qty: i.quantity })) }));
      next = got.next_cursor ?? null;
      const has_more = got.has_more ?? next !== null;`],
        ['    for (let n = 1; ; n++) {', '    let next: string | null = null;\n    for (let n = 1; ; n++) {'],
      ],
      'while over both': [
        ['    for (let n = 1; ; n++) {\n      const { orders, has_more } = await this.page(n);\n      yield* orders;\n      if (!has_more) return;\n    }', `    let where: string | number | undefined = 1;
    while (where) {
      const body: any = await this.page(where as any);
      yield* body.data || body.orders;
      where = body.data ? body.next_cursor && 'x&cursor=' + body.next_cursor : body.has_more && Number(where) + 1;
    }`],
        ['const { name = \'guest\', email } = o.customer;', "const c: any = o.customer;\n    const email = c.email || c.email_address;\n    const name = 'name' in c ? c.name : 'full_name' in c ? c.full_name : 'guest';\n    const sum = (o.total as any).value !== undefined ? Math.round((o.total as any).value * 100) : o.total.amount_cents;"],
        ['o.number,', '(o as any).reference || o.number,'], ['euro(o.total)', 'euro({ amount_cents: sum, currency: o.total.currency })'], ['o.lines.reduce((n, l) => n + l.qty, 0)', '(o.lines || (o as any).items).reduce((n: number, l: any) => n + (l.qty ?? l.quantity), 0)'], ['+= o.total.amount_cents', '+= sum'],
      ],
      'by ??': [
        ['private async page(n: number)', 'private async page(n: number | string)'],
        ['    for (let n = 1; ; n++) {\n      const { orders, has_more } = await this.page(n);', "    let at: number | string = 1;\n    for (let n = 1; ; n++) {\n      const { orders, has_more, data, next_cursor } = (await this.page(at)) as any;\n      at = next_cursor ? `${n + 1}&cursor=${next_cursor}` : n + 1;"],
        ['yield* orders;', 'yield* orders ?? data;'], ['if (!has_more)', 'if (!(has_more ?? next_cursor))'],
        ["const { name = 'guest', email } = o.customer;", "const { full_name = 'guest', name = full_name, email_address, email = email_address } = o.customer as any;\n    const { value, amount_cents = Math.round(Number(value) * 100), currency } = o.total as any;"],
        ['o.number,', 'o.number ?? (o as any).reference,'], ['euro(o.total)', 'euro({ amount_cents, currency })'], ['o.lines.reduce((n, l) => n + l.qty, 0)', '(o.lines ?? (o as any).items).reduce((n: number, l: any) => n + (l.qty ?? l.quantity), 0)'], ['+= o.total.amount_cents', '+= amount_cents'],
      ],
    },
    wrong: {
      'empty for missing': [['yield* orders;', 'yield* orders ?? [];']],
      'the first page': [
        ['const { orders, has_more } = await this.page(n);', 'const { data, orders = data, has_more } = (await this.page(n)) as any;'],
        ["const { name = 'guest', email } = o.customer;", "const { full_name = 'guest', name = full_name, email_address, email = email_address } = o.customer as any;\n    const { value, amount_cents = Math.round(Number(value) * 100), currency } = o.total as any;"],
        ['o.number,', 'o.number ?? (o as any).reference,'], ['euro(o.total)', 'euro({ amount_cents, currency })'], ['o.lines.reduce((n, l) => n + l.qty, 0)', '(o.lines ?? (o as any).items).reduce((n: number, l: any) => n + (l.qty ?? l.quantity), 0)'], ['+= o.total.amount_cents', '+= amount_cents'],
      ],
      'nothing counted': [
        ['const { orders, has_more } = await this.page(n);', 'const { data, orders = data, has_more } = (await this.page(n)) as any;'],
        ['m.amount_cents / 100', '(m.amount_cents ?? (m as any).value * 100) / 100'], ['o.lines.reduce', '(o.lines ?? []).reduce'], ['o.total.amount_cents;', 'o.total.amount_cents ?? (o.total as any).value * 100;'],
      ],
    },
  }, {
    name: 'no-names',
    happened: 'the customer is a bare id; names and addresses are no longer given',
    tells: ['customer'],
    lost: true,
    api: { [route]: paged((o) => ({ ...order(o), customer: `cus_${o.id}` })) },
    wrong: {
      'the id': [['name ?? email', '(name ?? email ?? o.customer)']],
      'guest': [['} = o.customer;', '} = Object(o.customer).email ? o.customer : { email: "guest" };']],
      'left out': [['    lines.push(', '    if (o.customer.email) lines.push(']],
    },
  }],
};
