const pages = (list, q) => {
  const from = q.query.starting_after ? list.findIndex((i) => i.id === q.query.starting_after) + 1 : 0;
  return [list.slice(from, from + 3), from + 3 < list.length];
};
const invoices = 'GET https://api.pay.example/v1/invoices';
export default {
  source: 'https://docs.stripe.com/changelog (2025-03-31 basil): the subscription of an invoice moved below parent; list envelopes of v2 endpoints',
  says: 'Every night book what was paid for each subscription',
  facts: (day, r) => ({
    slot: `2026-04-${String(day + 1).padStart(2, '0')}T01:00:00Z`,
    invoices: r.many(day === 5 ? 0 : 2, 8, (i) => ({ id: `in_${day}_${i}`, sub: r.chance(0.2) ? null : `sub_${r.int(1, 4)}`, cents: r.int(200, 99000), currency: r.pick(['eur', 'usd']) })),
  }),
  input: (f) => ({ slot: f.slot }),
  api: {
    [invoices]: (f, q) => { const [p, more] = pages(f.invoices, q); return { object: 'list', data: p.map((i) => ({ id: i.id, subscription: i.sub, amount_paid: i.cents, amount_due: i.cents, currency: i.currency })), has_more: more }; },
    'POST https://books.example/entries': (f, q) => ({ id: q.id, accepted: true }),
  },
  changes: [{
    name: 'below-parent',
    happened: 'subscription moved to parent.subscription_details.subscription',
    tells: ['subscription', 'parent'],
    api: { [invoices]: (f, q) => { const [p, more] = pages(f.invoices, q); return { object: 'list', data: p.map((i) => ({ id: i.id, parent: i.sub ? { type: 'subscription_details', subscription_details: { subscription: i.sub } } : null, amount_paid: i.cents, amount_due: i.cents, currency: i.currency })), has_more: more }; } },
    right: {
      'either place': [['if (!invoice.subscription) continue', 'const plan: string | null = invoice.subscription ?? (invoice as any).parent?.subscription_details?.subscription ?? null\n    if (plan === null) continue'], ['totals.get(invoice.subscription)', 'totals.get(plan)'], ['totals.set(invoice.subscription, entry)', 'totals.set(plan, entry)']],
      'when it is read': [['for (const invoice of page.data) yield invoice', 'for (const raw of page.data as any[]) yield { ...raw, subscription: raw.subscription !== undefined ? raw.subscription : raw.parent?.subscription_details?.subscription ?? null }']],
      'a function': [['export default async', 'function planOf(i: any): string | null {\n  if (i.subscription) return i.subscription\n  return i.parent && i.parent.subscription_details ? i.parent.subscription_details.subscription : null\n}\n\nexport default async'], ['if (!invoice.subscription) continue', 'const of = planOf(invoice)\n    if (!of) continue'], ['totals.get(invoice.subscription)', 'totals.get(of)'], ['totals.set(invoice.subscription, entry)', 'totals.set(of, entry)']],
    },
    wrong: {
      'any parent is one plan': [['if (!invoice.subscription) continue', 'const plan = invoice.subscription ?? (invoice as any).parent?.type\n    if (!plan) continue'], ['totals.get(invoice.subscription)', 'totals.get(plan)'], ['totals.set(invoice.subscription, entry)', 'totals.set(plan, entry)']],
      'the id of the invoice': [['for (const invoice of page.data) yield invoice', 'for (const raw of page.data as any[]) yield { ...raw, subscription: raw.subscription !== undefined ? raw.subscription : raw.id }']],
      'a word for missing': [['for (const invoice of page.data) yield invoice', "for (const raw of page.data as any[]) yield { ...raw, subscription: raw.subscription !== undefined ? raw.subscription : 'unknown' }"]],
    },
  }, {
    name: 'v2-envelope',
    happened: 'data became items, has_more became next (an id or null), amount_paid became paid.minor with its currency inside',
    tells: [['data', 'items'], ['amount_paid', 'paid', 'minor']],
    api: { [invoices]: (f, q) => { const [p, more] = pages(f.invoices, q); return { items: p.map((i) => ({ id: i.id, subscription: i.sub, paid: { minor: i.cents, currency: i.currency } })), next: more ? p[p.length - 1].id : null }; } },
    right: {
      'the page is made old': [['return (await res.json()) as Page<Invoice>', 'const body: any = await res.json()\n    if (body.data) return body\n    return { data: body.items.map((i: any) => ({ ...i, amount_paid: i.paid.minor, currency: i.paid.currency })), has_more: body.next !== null }']],
      'each place': [['for (const invoice of page.data) yield invoice', 'const rows: any[] = (page as any).items ?? page.data\n      for (const invoice of rows) yield invoice'], ['if (!page.has_more) break', 'if (!(page.has_more ?? (page as any).next !== null)) break'], ['after = page.data[page.data.length - 1].id', 'after = rows[rows.length - 1].id'], ['{ cents: 0, currency: invoice.currency }', '{ cents: 0, currency: invoice.currency ?? (invoice as any).paid.currency }'], ['entry.cents += invoice.amount_paid', 'entry.cents += invoice.amount_paid ?? (invoice as any).paid.minor']],
      'a second reader': [['  async *paid()', '  private old(b: any): Page<Invoice> {\n    if (!Array.isArray(b.items)) return b\n    const data: Invoice[] = []\n    for (const { paid, ...rest } of b.items) data.push({ ...rest, amount_paid: paid.minor, currency: paid.currency })\n    return { data, has_more: Boolean(b.next) }\n  }\n\n  async *paid()'], ['return (await res.json()) as Page<Invoice>', 'return this.old(await res.json())']],
    },
    wrong: {
      'nothing for data': [['for (const invoice of page.data) yield invoice', 'for (const invoice of page.data ?? []) yield invoice'], ['page.data[page.data.length - 1].id', 'page.data?.[page.data.length - 1]?.id']],
      'one page only': [['return (await res.json()) as Page<Invoice>', 'const body: any = await res.json()\n    if (body.data) return body\n    return { data: body.items.map((i: any) => ({ ...i, amount_paid: i.paid.minor, currency: i.paid.currency })), has_more: false }']],
      'no amount is zero': [['return (await res.json()) as Page<Invoice>', 'const body: any = await res.json()\n    if (body.data) return body\n    return { data: body.items, has_more: body.next !== null }'], ['entry.cents += invoice.amount_paid', 'entry.cents += invoice.amount_paid ?? 0']],
      'one currency': [['return (await res.json()) as Page<Invoice>', "const body: any = await res.json()\n    if (body.data) return body\n    return { data: body.items.map((i: any) => ({ ...i, amount_paid: i.paid.minor, currency: 'eur' })), has_more: body.next !== null }"]],
    },
  }, {
    name: 'major-units',
    happened: 'amount_paid is in major units as a text now ("12.34"), and currency is in capitals',
    tells: ['amount_paid'],
    api: { [invoices]: (f, q) => { const [p, more] = pages(f.invoices, q); return { object: 'list', data: p.map((i) => ({ id: i.id, subscription: i.sub, amount_paid: (i.cents / 100).toFixed(2), amount_due: (i.cents / 100).toFixed(2), currency: i.currency.toUpperCase() })), has_more: more }; } },
    right: {
      'by type': [['entry.cents += invoice.amount_paid', "entry.cents += typeof invoice.amount_paid === 'string' ? Math.round(Number(invoice.amount_paid) * 100) : invoice.amount_paid"], ['currency: invoice.currency }', 'currency: invoice.currency.toLowerCase() }']],
      'digits': [['for (const invoice of page.data) yield invoice', "for (const i of page.data as any[]) yield typeof i.amount_paid === 'number' ? i : { ...i, amount_paid: parseInt(i.amount_paid.replace('.', ''), 10), currency: i.currency.toLowerCase() }"]],
      'a helper': [['export default async', "const minor = (v: number | string): number => (typeof v === 'number' ? v : Math.round(parseFloat(v) * 100))\n\nexport default async"], ['entry.cents += invoice.amount_paid', 'entry.cents += minor(invoice.amount_paid)'], ['const entry =', 'invoice.currency = invoice.currency.toLowerCase()\n    const entry =']],
    },
    wrong: {
      'a number without the unit': [['entry.cents += invoice.amount_paid', 'entry.cents += Number(invoice.amount_paid)'], ['currency: invoice.currency }', 'currency: invoice.currency.toLowerCase() }']],
      'cut to whole': [['entry.cents += invoice.amount_paid', "entry.cents += typeof invoice.amount_paid === 'string' ? parseInt(invoice.amount_paid) * 100 : invoice.amount_paid"], ['currency: invoice.currency }', 'currency: invoice.currency.toLowerCase() }']],
      'only the amount': [['entry.cents += invoice.amount_paid', "entry.cents += typeof invoice.amount_paid === 'string' ? Math.round(Number(invoice.amount_paid) * 100) : invoice.amount_paid"]],
    },
  }],
};
