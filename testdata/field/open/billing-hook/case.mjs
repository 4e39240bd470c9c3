const TYPES = ['invoice.paid', 'invoice.payment_failed', 'customer.subscription.updated', 'invoice.paid', 'charge.refunded'];
const line = (l) => ({ id: l.id, amount: l.cents, quantity: l.quantity, price: l.price && { id: l.price, product: 'prod_1' }, period: { start: l.end - 2592000, end: l.end } });
const invoice = (f) => ({ object: 'invoice', id: f.invoice, customer: f.customer, customer_email: f.email, subscription: f.subscription, currency: f.currency, total: f.total, amount_paid: f.paid, attempt_count: f.attempts, lines: { object: 'list', data: f.lines.map(line) } });
const subscription = (f) => ({ object: 'subscription', id: f.subscription ?? 'sub_9', customer: f.customer, status: 'active', current_period_end: f.end, cancel_at_period_end: f.leaves });
const event = (inv = (i) => i, sub = (s) => s, whole = (e) => e) => (f) => whole({ id: `evt_${f.n}`, created: f.end, type: f.type, data: { object: f.type.startsWith('invoice') ? inv(invoice(f), f) : f.type.startsWith('customer') ? sub(subscription(f), f) : { object: 'charge', id: 'ch_1' } } });
const parent = ({ subscription: s, ...rest }) => ({ ...rest, parent: s ? { type: 'subscription_details', quote_details: null, subscription_details: { subscription: s, metadata: {} } } : null });
const pricing = (i) => ({ ...i, lines: { ...i.lines, data: i.lines.data.map(({ price, ...l }) => ({ ...l, pricing: price && { type: 'price_details', price_details: { price: price.id, product: price.product }, unit_amount_decimal: '1' } })) } });
const items = ({ current_period_end, ...s }) => ({ ...s, items: { object: 'list', data: [{ id: 'si_1', current_period_start: current_period_end - 2592000, current_period_end }] } });
const START = "  if (type === 'invoice.paid')";
export default {
  source: 'https://docs.stripe.com/changelog/basil/2025-03-31/adds-new-parent-field-to-invoicing-objects.md and https://docs.stripe.com/changelog/basil/2025-03-31/invoice-pricing-configurations: subscription of invoices moved into parent.subscription_details, price of lines into pricing',
  says: 'Keep in the CRM who pays for what, and warn of payments that fail.',
  facts: (day, r) => {
    const type = TYPES[day === 7 ? 4 : r.int(0, 3)], end = 1775000000 + day * 86400 + r.int(0, 80000), total = r.int(500, 90000);
    return { n: day, type, end, invoice: `in_${day}`, customer: r.pick(['cus_A', 'cus_B', 'cus_C']), email: r.pick(['ada@x.example', null]), subscription: r.chance(0.75) ? `sub_${r.int(1, 3)}` : null, currency: r.pick(['eur', 'usd', 'jpy']), total, paid: type === 'invoice.paid' ? total : r.pick([0, 100]), attempts: r.int(1, 4), leaves: r.chance(0.6),
      lines: r.many(1, 3, (i) => ({ id: `il_${day}${i}`, cents: r.int(-500, 9000), quantity: r.int(1, 5), price: r.pick(['price_basic', 'price_pro', null]), end: end + i * r.int(0, 400000) })) };
  },
  input: event(),
  api: { 'PATCH https://crm.example/api/customers/:id': { ok: true } },
  changes: [{
    name: 'parent',
    happened: 'the subscription of an invoice is in subscription_details of parent, which is null for others',
    tells: ['subscription', 'parent'],
    input: event(parent),
    right: {
      'made old': [[START, "  if (object.object === 'invoice' && !('subscription' in object)) (object as any).subscription = (object as any).parent?.subscription_details?.subscription ?? null;\n" + START]],
      'a helper': [['async function paid', "const subscriptionOf = (i: any): string | null => (i.parent === undefined ? i.subscription : i.parent?.subscription_details.subscription ?? null);\n\nasync function paid"], ['invoice.subscription', 'subscriptionOf(invoice)']],
      'as a variable': [['invoice.subscription', 'subscription'], ['  if (subscription === null)', '  const { parent, subscription = parent?.subscription_details?.subscription ?? null } = invoice as any;\n  if (subscription === null)'], ['  const who =', '  const { parent, subscription = parent?.subscription_details?.subscription ?? null } = invoice as any;\n  const who =']],
    },
    wrong: {
      'all are one-off': [['invoice.subscription === null', '!invoice.subscription']],
      'only when paid': [['invoice.subscription === null', "(invoice.subscription ??= (invoice as any).parent?.subscription_details.subscription ?? null) === null"]],
      'the invoice': [['invoice.subscription', '(invoice.subscription ?? invoice.id)']],
      'unknown': [['invoice.subscription === null', '(invoice as any).parent === null'], ['sub:${invoice.subscription}', "sub:${invoice.subscription ?? 'unknown'}"]],
    },
  }, {
    name: 'basil',
    happened: 'subscription is in parent, price of a line in pricing.price_details, current_period_end of a subscription in its items',
    tells: ['subscription', ['pricing', 'current_period_end', 'parent']],
    input: event((i) => parent(pricing(i)), items),
    right: {
      'made old': [[START, `  const given = object as any;
  if (given.object === 'invoice') {
    given.subscription ??= given.parent?.subscription_details?.subscription ?? null;
    for (const l of given.lines.data) l.price ??= l.pricing ? { id: l.pricing.price_details.price } : null;
  }
  if (given.object === 'subscription') given.current_period_end ??= given.items.data[0].current_period_end;
${START}`]],
      'at each place': [
        ['invoice.subscription', '((invoice as any).parent?.subscription_details.subscription ?? invoice.subscription ?? null)'], ['.filter((l) => l.price)', '.filter((l: any) => l.price ?? l.pricing)'], ['${l.price!.id}', '${l.price?.id ?? (l as any).pricing.price_details.price}'],
        ['async function ended({ id, customer, cancel_at_period_end, current_period_end }: Subscription)', 'async function ended({ id, customer, cancel_at_period_end, items, current_period_end = items?.data[0].current_period_end }: any)'],
      ],
      'an adapter for each': [
        ['export default', `const oldInvoice = ({ parent, lines, ...i }: any): Invoice => ({ subscription: parent?.subscription_details.subscription ?? null, ...i, lines: { data: lines.data.map((l: any) => ({ price: l.pricing ? { id: l.pricing.price_details.price, product: l.pricing.price_details.product } : null, ...l })) } });
const oldSubscription = (s: any): Subscription => ({ current_period_end: s.items && Math.max(...s.items.data.map((i: any) => i.current_period_end)), ...s });

export default`], ['paid(object as Invoice)', 'paid(oldInvoice(object))'], ['failed(object as Invoice)', 'failed(oldInvoice(object))'], ['ended(object as Subscription)', 'ended(oldSubscription(object))'],
      ],
    },
    wrong: {
      'no plans': [['invoice.subscription', '((invoice as any).parent?.subscription_details.subscription ?? invoice.subscription ?? null)'], ['async function ended({ id, customer, cancel_at_period_end, current_period_end }: Subscription)', 'async function ended({ id, customer, cancel_at_period_end, items, current_period_end = items?.data[0].current_period_end }: any)']],
      'the product': [['invoice.subscription', '((invoice as any).parent?.subscription_details.subscription ?? invoice.subscription ?? null)'], ['.filter((l) => l.price)', '.filter((l: any) => l.price ?? l.pricing)'], ['${l.price!.id}', '${l.price?.id ?? (l as any).pricing.price_details.product}'], ['async function ended({ id, customer, cancel_at_period_end, current_period_end }: Subscription)', 'async function ended({ id, customer, cancel_at_period_end, items, current_period_end = items?.data[0].current_period_end }: any)']],
      'the start': [['invoice.subscription', '((invoice as any).parent?.subscription_details.subscription ?? invoice.subscription ?? null)'], ['.filter((l) => l.price)', '.filter((l: any) => l.price ?? l.pricing)'], ['${l.price!.id}', '${l.price?.id ?? (l as any).pricing.price_details.price}'], ['async function ended({ id, customer, cancel_at_period_end, current_period_end }: Subscription)', 'async function ended({ id, customer, cancel_at_period_end, items, current_period_end = items?.data[0].current_period_start }: any)']],
      'only what fails': [['const day = (seconds: number): string => new Date(seconds * 1000)', 'const day = (seconds: number): string => new Date((seconds ?? 0) * 1000)'], ['invoice.subscription === null', 'invoice.subscription == null']],
    },
  }, {
    name: 'thin-events',
    happened: 'the object is not in data but in snapshot, amounts are texts with decimals, customer is an object with id and email',
    tells: ['data', ['customer', 'total']],
    input: event(({ customer, customer_email, total, amount_paid, ...i }, f) => { const text = (n) => (f.currency === 'jpy' ? String(n) : (n / 100).toFixed(2)); return { ...i, customer: { id: customer, email: customer_email }, total: text(total), amount_paid: text(amount_paid) }; }, ({ customer, ...s }) => ({ ...s, customer: { id: customer, email: null } }), ({ data, ...e }) => ({ ...e, snapshot: data.object })),
    right: {
      'made old': [['{ type, data: { object } }: BillingEvent', 'event: any'], [START, `  const { type, snapshot } = event;
  const object = event.data?.object ?? snapshot;
  if (snapshot) {
    for (const key of ['total', 'amount_paid']) if (snapshot[key] !== undefined) snapshot[key] = Math.round(Number(snapshot[key]) * (ZERO_DECIMAL.has(snapshot.currency) ? 1 : 100));
    if (snapshot.object === 'invoice') snapshot.customer_email = snapshot.customer.email;
    if (snapshot.customer) snapshot.customer = snapshot.customer.id;
  }
${START}`]],
      'in the pattern': [['{ type, data: { object } }: BillingEvent', '{ type, snapshot, data = { object: old(snapshot) } }: any'], [START, '  const { object } = data;\n' + START], ['export default', `const minor = (text: string, currency: string) => (ZERO_DECIMAL.has(currency) ? parseInt(text, 10) : +text.replace('.', ''));
const old = ({ customer, total, amount_paid, ...more }: any) => ({
  ...more, ...(customer && { customer: customer.id, customer_email: customer.email }),
  ...(total && { total: minor(total, more.currency), amount_paid: minor(amount_paid, more.currency) }),
});

export default`]],
      'by the type of amounts': [
        ['{ type, data: { object } }: BillingEvent', '{ type, snapshot, data: { object } = { object: snapshot } }: any'],
        ['const money = (amount: number, currency: string): string =>', "const cents = (a: any, currency: string): number => (typeof a === 'number' ? a : Math.round(parseFloat(a) * (ZERO_DECIMAL.has(currency) ? 1 : 100)));\nconst idOf = (c: any): string => c.id ?? c;\nconst money = (given: any, currency: string, amount = cents(given, currency)): string =>"],
        ['invoice.total - invoice.amount_paid', 'cents(invoice.total, invoice.currency) - cents(invoice.amount_paid, invoice.currency)'], ['customers/${invoice.customer}', 'customers/${idOf(invoice.customer)}'], ['{ customer: invoice.customer, plans }', '{ customer: idOf(invoice.customer), plans }'],
        ['invoice.customer_email ?? invoice.customer;', '(invoice.customer as any).email ?? invoice.customer_email ?? idOf(invoice.customer);'], ['customers/${customer}', 'customers/${idOf(customer)}'], ['`${customer} leaves', '`${idOf(customer)} leaves'],
      ],
    },
    wrong: {
      'a hundredth': [['{ type, data: { object } }: BillingEvent', '{ type, snapshot, data = { object: snapshot } }: any'], [START, "  const { object } = data;\n  if (object.customer?.id) { object.customer_email = object.customer.email; object.customer = object.customer.id; }\n  for (const key of ['total', 'amount_paid']) if (object[key]) object[key] = Number(object[key]);\n" + START]],
      'yen as well': [['{ type, data: { object } }: BillingEvent', '{ type, snapshot, data = { object: snapshot } }: any'], [START, "  const { object } = data;\n  if (object.customer?.id) { object.customer_email = object.customer.email; object.customer = object.customer.id; }\n  for (const key of ['total', 'amount_paid']) if (typeof object[key] === 'string') object[key] = Math.round(Number(object[key]) * 100);\n" + START]],
      'ignored': [['{ type, data: { object } }: BillingEvent', '{ type, data }: BillingEvent'], [START, "  if (!data) return `ignored ${type}`;\n  const { object } = data;\n" + START]],
      'the object as customer': [['{ type, data: { object } }: BillingEvent', '{ type, snapshot, data = { object: snapshot } }: any'], [START, "  const { object } = data;\n  for (const key of ['total', 'amount_paid']) if (typeof object[key] === 'string') object[key] = Math.round(Number(object[key]) * (ZERO_DECIMAL.has(object.currency) ? 1 : 100));\n" + START]],
    },
  }],
};
