const at = (name) => `GET https://billing.example/v2/${name}`;
const invoice = (i) => ({ id: i.id, number: i.number, client_id: i.client, total: i.cents, currency: 'EUR' });
const client = (c) => ({ id: c.id, name: c.name, email: c.email, ...(c.contact ? { contact: { email: c.contact } } : {}) });
const payment = (p) => ({ id: p.id, invoice_id: p.invoice, amount: p.cents });
const text = (c) => (c / 100).toFixed(2);
export default {
  source: 'https://developer.xero.com/documentation/guides/oauth2/overview and https://docs.stripe.com/upgrades: objects that were joined by id gained prefixes, amounts changed form, members were renamed in every resource',
  says: 'Remind clients of what they have not paid.',
  facts: (day, r) => {
    const clients = r.many(2, 4, (i) => ({ id: 10 + i, name: ['Ada GmbH', 'Bö & Co', '株式会社', 'Dee'][i], email: `c${i}@x.example`, contact: r.chance(0.4) ? `p${i}@x.example` : null }));
    const invoices = r.many(day === 7 ? 0 : 2, 6, (i) => ({ id: 500 + day * 10 + i, number: `R-${day}-${i}`, client: r.pick(clients).id, cents: r.int(1000, 90000) }));
    return { clients, invoices, payments: r.some(invoices).map((i, k) => ({ id: k + 1, invoice: i.id, cents: r.chance(0.5) ? i.cents : Math.floor(i.cents / 3) })) };
  },
  input: () => ({ month: '2026-03' }),
  api: { [at('invoices')]: (f) => f.invoices.map(invoice), [at('clients')]: (f) => f.clients.map(client), [at('payments')]: (f) => f.payments.map(payment), 'POST https://mail.example/send': (f, q) => ({ id: q.id }) },
  changes: [{
    name: 'customer',
    happened: 'client_id of invoices is customer_id',
    tells: ['client_id', 'customer_id'],
    api: { [at('invoices')]: (f) => f.invoices.map((i) => { const { client_id, ...rest } = invoice(i); return { ...rest, customer_id: client_id, owner_id: 7 }; }) },
    right: {
      'by ??': [['i.client_id', 'i.client_id ?? i.customer_id']],
      'in the map': [['{ ...invoice, open', '{ client_id: invoice.customer_id, ...invoice, open']],
      'at the reading': [['return response.json();', "const list = await response.json();\n  for (const one of list) if ('customer_id' in one) one.client_id = one.customer_id;\n  return list;"]],
    },
    wrong: {
      'the owner': [['i.client_id', 'i.client_id ?? i.owner_id']],
      'the first client': [['i.client_id', 'i.client_id ?? clients[0].id']],
      'the id': [['i.client_id', 'i.client_id ?? i.id']],
    },
  }, {
    name: 'v3',
    happened: 'all lists are in data, ids have prefixes, amounts are decimal texts, payments say invoice',
    tells: ['data'],
    api: { [at('invoices')]: (f) => ({ data: f.invoices.map((i) => ({ id: `in_${i.id}`, number: i.number, client: `cl_${i.client}`, total: text(i.cents) })) }), [at('clients')]: (f) => ({ data: f.clients.map((c) => ({ ...client(c), id: `cl_${c.id}` })) }), [at('payments')]: (f) => ({ data: f.payments.map((p) => ({ id: `pa_${p.id}`, invoice: `in_${p.invoice}`, amount: text(p.cents) })) }) },
    right: {
      'at the reading': [['return response.json();', `const body = await response.json();
  if (Array.isArray(body)) return body;
  const cents = (t) => Math.round(Number(t) * 100);
  return body.data.map((one) => ({ ...one, ...(one.invoice && { invoice_id: one.invoice, amount: cents(one.amount) }), ...(one.client && { client_id: one.client, total: cents(one.total) }) }));`]],
      'where it is used': [
        ['return response.json();', 'const body = await response.json();\n  return body.data ?? body;'], ['p.invoice_id', 'p.invoice_id ?? p.invoice'], ['i.client_id', 'i.client_id ?? i.client'], ['sum + p.amount', 'sum + cents(p.amount)'], ['invoice.total -', 'cents(invoice.total) -'],
        ['const groupBy', "const cents = (v) => (typeof v === 'string' ? Math.round(parseFloat(v) * 100) : v);\n\nconst groupBy"],
      ],
      'digits': [
        ['return response.json();', "return response.json().then((b) => 'data' in b ? b.data : b);"], ['p.invoice_id', 'p.invoice || p.invoice_id'], ['i.client_id', 'i.client || i.client_id'], ['sum + p.amount', "sum + (p.invoice ? +p.amount.replace('.', '') : p.amount)"], ['invoice.total -', "(invoice.client ? +invoice.total.replace('.', '') : invoice.total) -"],
      ],
    },
    wrong: {
      'empty': [['return response.json();', 'const body = await response.json();\n  return Array.isArray(body) ? body : [];']],
      'euros as cents': [['return response.json();', 'const body = await response.json();\n  return body.data ?? body;'], ['p.invoice_id', 'p.invoice_id ?? p.invoice'], ['i.client_id', 'i.client_id ?? i.client'], ['sum + p.amount', 'sum + Number(p.amount)']],
      'without payments': [['return response.json();', 'const body = await response.json();\n  return body.data ?? body;'], ['i.client_id', 'i.client_id ?? i.client'], ['invoice.total -', "(typeof invoice.total === 'string' ? Math.round(invoice.total * 100) : invoice.total) -"], ['sum + p.amount', 'sum + Number(p.amount)']],
      'unwraps only': [['return response.json();', 'const body = await response.json();\n  return body.data ?? body;']],
    },
  }, {
    name: 'contacts',
    happened: 'clients have contacts, a list with a kind, in place of email and contact',
    tells: ['email', 'contacts'],
    api: { [at('clients')]: (f) => f.clients.map((c) => ({ id: c.id, name: c.name, contacts: [...(c.contact ? [{ kind: 'billing', email: c.contact }] : []), { kind: 'general', email: c.email }] })) },
    right: {
      'the first': [['c.contact?.email ?? c.email', 'c.contact?.email ?? c.email ?? c.contacts[0].email']],
      'by kind': [['c.contact?.email ?? c.email', "c.contact?.email ?? c.email ?? (c.contacts.find((x) => x.kind === 'billing') ?? c.contacts.find((x) => x.kind === 'general')).email"]],
      'helper': [['const groupBy', "const mailOf = (c) => {\n  if (c.contacts) return c.contacts.map((x) => x.email)[0];\n  return c.contact ? c.contact.email : c.email;\n};\n\nconst groupBy"], ['c.contact?.email ?? c.email', 'mailOf(c)']],
    },
    wrong: {
      'the last': [['?? c.email', '?? c.email ?? c.contacts.at(-1).email']],
      'general': [['?? c.email', "?? c.email ?? c.contacts.find((x) => x.kind === 'general').email"]],
      'nobody': [['  for (const line of lines) {', '  for (const line of lines) {\n    if (!line.email) continue;']],
    },
  }],
};
